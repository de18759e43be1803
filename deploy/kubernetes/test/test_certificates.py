"""The certificates that the chart makes, and what it asks cert-manager for."""

import base64
import contextlib
import http.server
import json
import pathlib
import tempfile
import threading
import typing
import unittest

from chart import NAMESPACE, RELEASE, documents, find, must, objects, of_kind, run, template

NAMES = {"gate": "gate.browse.internal", "pod": "pod.browse.internal"}


def secrets(rendered):
    """The files of the two Secrets."""
    return {
        name: {
            key: base64.b64decode(value)
            for key, value in find(rendered, "Secret", f"{RELEASE}-{name}-tls")["data"].items()
        }
        for name in NAMES
    }


class ApiServer(http.server.BaseHTTPRequestHandler):
    """As much of the API of a cluster as `lookup` asks for, and kinds for all that is rendered."""

    known: typing.ClassVar[dict] = {}

    def do_GET(self):
        path = self.path.split("?")[0]
        answers = {
            "/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.0"},
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {
                "kind": "APIGroupList",
                "apiVersion": "v1",
                "groups": list(map(group, GROUPS)),
            },
            **{f"/{'apis' if '/' in name else 'api'}/{name}": resources(name) for name in KINDS},
            **{
                f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}": secret
                for name, secret in self.known.items()
            },
        }
        missing = {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "reason": "NotFound",
            "code": 404,
        }
        body = json.dumps(answers.get(path, missing)).encode()
        self.send_response(200 if path in answers else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# The kinds that the chart renders, by version.
KINDS: dict = {}
for _each in objects("hpa"):
    KINDS.setdefault(_each["apiVersion"], set()).add(_each["kind"])
GROUPS = [version for version in KINDS if "/" in version]


def group(version):
    name, short = version.split("/")
    listed = {"groupVersion": version, "version": short}
    return {"name": name, "versions": [listed], "preferredVersion": listed}


def resources(version):
    listed = [
        {
            "name": f"{kind.lower()}s",
            "singularName": kind.lower(),
            "namespaced": True,
            "kind": kind,
            "verbs": ["get"],
        }
        for kind in sorted(KINDS[version])
    ]
    return {"kind": "APIResourceList", "groupVersion": version, "resources": listed}


@contextlib.contextmanager
def cluster(known):
    """The address of a cluster with these Secrets."""
    handler = type(
        "Handler", (ApiServer,), {"known": {each["metadata"]["name"]: each for each in known}}
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def upgraded(known):
    """The chart rendered in a cluster with these Secrets of its release."""
    owner = {"meta.helm.sh/release-name": RELEASE, "meta.helm.sh/release-namespace": NAMESPACE}
    known = [{**each, "metadata": {**each["metadata"], "annotations": owner}} for each in known]
    with cluster(known) as address:
        code, out, err = template(
            "hpa",
            *(
                "--show-only",
                "templates/certificates.yaml",
                "--dry-run=server",
                "--disable-openapi-validation",
            ),
            *("--kube-apiserver", address, "--kube-token", "none"),
        )
    assert code == 0, err
    return documents(out)


class Generated(unittest.TestCase):
    def test_one_authority_signs_both_for_both_uses(self):
        for settings in ("hpa", "1.20"):
            found = secrets(objects(settings))
            self.assertEqual(found["gate"]["ca.crt"], found["pod"]["ca.crt"])
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                for name, files in found.items():
                    for file, content in files.items():
                        (folder / f"{name}-{file}").write_bytes(content)
                for name, host in NAMES.items():
                    verify = (
                        "openssl",
                        "verify",
                        "-CAfile",
                        folder / "gate-ca.crt",
                        "-verify_hostname",
                        host,
                    )
                    certificate = folder / f"{name}-tls.crt"
                    for purpose in ("sslserver", "sslclient"):
                        must(*verify, "-purpose", purpose, certificate)
                    public = must("openssl", "x509", "-in", certificate, "-noout", "-pubkey")
                    self.assertEqual(
                        public,
                        must("openssl", "pkey", "-in", folder / f"{name}-tls.key", "-pubout"),
                    )
                    must(
                        "openssl",
                        "x509",
                        "-in",
                        certificate,
                        "-noout",
                        "-checkend",
                        9 * 365 * 24 * 3600,
                    )
                other = run(
                    "openssl",
                    "verify",
                    "-CAfile",
                    folder / "gate-ca.crt",
                    "-verify_hostname",
                    NAMES["pod"],
                    folder / "gate-tls.crt",
                )
                self.assertNotEqual(other[0], 0, "the gateway is not a pod")

    def test_an_upgrade_keeps_them(self):
        first = of_kind(upgraded([]), "Secret")
        self.assertEqual(len(first), 2)
        again = of_kind(upgraded(first), "Secret")
        self.assertEqual([each["data"] for each in again], [each["data"] for each in first])

    def test_when_one_is_gone_both_are_new(self):
        first = of_kind(upgraded([]), "Secret")
        again = of_kind(upgraded(first[:1]), "Secret")
        self.assertNotEqual(again[0]["data"], first[0]["data"])
        self.assertEqual(again[0]["data"]["ca.crt"], again[1]["data"]["ca.crt"])


class CertManager(unittest.TestCase):
    def test_it_is_asked_for_both_uses(self):
        rendered = objects("minimal")
        for name, host in NAMES.items():
            spec = find(rendered, "Certificate", f"{RELEASE}-{name}-tls")["spec"]
            self.assertEqual(
                (spec["dnsNames"], spec["secretName"]), ([host], f"{RELEASE}-{name}-tls")
            )
            self.assertLessEqual({"client auth", "server auth"}, set(spec["usages"]))
            issuer = find(rendered, "Issuer", spec["issuerRef"]["name"])
            authority = find(rendered, "Certificate", f"{RELEASE}-ca")["spec"]
            self.assertEqual(issuer["spec"]["ca"]["secretName"], authority["secretName"])
            self.assertTrue(authority["isCA"])
            root = find(rendered, "Issuer", authority["issuerRef"]["name"])
            self.assertEqual(root["spec"], {"selfSigned": {}})

    def test_replicas_of_the_gateway_share_a_private_key(self):
        rendered = objects("minimal")
        for name, policy in (("gate", "Never"), ("pod", "Always")):
            spec = find(rendered, "Certificate", f"{RELEASE}-{name}-tls")["spec"]
            self.assertEqual(spec["privateKey"]["rotationPolicy"], policy)

    def test_an_issuer_that_is_there_is_used(self):
        rendered = objects("open")
        self.assertEqual(of_kind(rendered, "Issuer"), [])
        for certificate in of_kind(rendered, "Certificate"):
            self.assertEqual(certificate["spec"]["issuerRef"]["name"], "fleets")
