"""Keys and certificates, made by openssl as docs/fleet.md and deploy/kubernetes/README.md describe."""

import base64
import json
import subprocess
import time

from processes import run

ISSUER, AUDIENCE = "https://issuer.example", "browse"


def make_authority(folder, name):
    """An authority: NAME.crt and NAME.key."""
    run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "10", "-subj", f"/CN={name}",
        "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt",
    )  # fmt: skip
    return folder / f"{name}.crt"


def make_certificate(folder, authority, name, names):
    """A certificate for `names` (DNS:…, IP:…), of the authority: NAME.crt and NAME.key."""
    request, extensions = folder / f"{name}.csr", folder / f"{name}.ext"
    extensions.write_text(
        f"subjectAltName={','.join(names)}\nextendedKeyUsage=serverAuth,clientAuth\n"
    )
    run(
        "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-subj", f"/CN={name}", "-keyout", folder / f"{name}.key", "-out", request,
    )  # fmt: skip
    run(
        "openssl", "x509", "-req", "-in", request, "-CA", folder / f"{authority}.crt",
        "-CAkey", folder / f"{authority}.key", "-CAcreateserial", "-days", "10",
        "-out", folder / f"{name}.crt", "-extfile", extensions,
    )  # fmt: skip


def make_rsa_key(path):
    run("openssl", "genrsa", "-out", path, "2048")
    return path


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenIssuer:
    """Signs tokens of callers with a key of the test."""

    def __init__(self, folder):
        self.key = make_rsa_key(folder / "issuer.key")
        modulus = run("openssl", "rsa", "-in", self.key, "-noout", "-modulus").strip()
        self.modulus = bytes.fromhex(modulus.split("=")[1])

    def jwks(self):
        key = {"kty": "RSA", "kid": "test", "use": "sig", "alg": "RS256"}
        key |= {"n": base64url(self.modulus), "e": "AQAB"}
        return json.dumps({"keys": [key]})

    def token(self, tenant, seconds=3600, **claims):
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + seconds,
            "sub": f"ann@{tenant}",
            "tenant": tenant,
            "scope": "read write meta",
            **claims,
        }
        header = {"alg": "RS256", "kid": "test", "typ": "JWT"}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", str(self.key)],
            input=signed.encode(),
            capture_output=True,
            check=True,
        ).stdout
        return f"{signed}.{base64url(signature)}"
