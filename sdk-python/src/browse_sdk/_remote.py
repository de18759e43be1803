"""Remote browsers: the pairing block that an owner gave, the token that its
key is traded for, and where that is kept; the fleets that lie beside them."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from ._browse import Browse
from ._call import Context
from ._client import exchange
from ._error import BrowseError
from ._fleet import FLEET_KIND, Fleet, FleetState, fleet_state
from ._place import own_json, remote_finders

# Seconds that the daemon has to take a key.
REDEEM_TIMEOUT = 30.0

_SCHEME = "browse-pair://"
# What a remote file says when authorities may vouch for the other end.
_VOUCHED = "session-key"

# Fields of the answer that the seal is bound to, in its order.
_BOUND = ("name", "scopes", "hosts", "session", "expires_at")
# Bytes before and behind what was sealed.
_NONCE, _TAG = 12, 16


def redeem(
    block: str, *, keep: str | None = None, tab: int | None = None, timeout: float | None = None
) -> Browse:
    """Makes a client of a remote browser out of a pairing block, or of its link.

    The key of a block is good once. With `keep` the token is kept under that name,
    where `remote` and the command line find it; without, it goes with the client.
    """
    offer = Redemption(block, keep)
    for answer in exchange(offer.context, offer.data, REDEEM_TIMEOUT, dict):
        offer.take(answer)
    return Browse(offer.context.replace(tab=tab, timeout=timeout))


def remote(name: str, *, tab: int | None = None, timeout: float | None = None) -> Browse:
    """Makes a client of a remote browser that `redeem` or the command line keeps
    under this name, or of a fleet that `browse login` signed in to.
    """
    return Browse(kept(name).replace(tab=tab, timeout=timeout))


class Link(NamedTuple):
    """The link of a pairing block."""

    address: str
    key: str
    pin: str
    # By what the answer is known where TLS may end at a tunnel.
    session: bytes


class Redemption:
    """A pairing block whose key is traded for a token."""

    def __init__(self, block: str, keep: str | None) -> None:
        # A name that cannot be costs no key.
        self._file = None if keep is None else _file(keep)
        self._link = link = link_of(block)
        if link.session:
            # Without it the key would be spent for nothing.
            _aes_gcm()
        self._challenge = os.urandom(16).hex() if link.session else ""
        self.context = _context(link.address, "", link.pin, bool(link.session))
        message = self._asked() if link.session else {"key": link.key}
        self.data = self.context.bytes_to("PairService/Redeem", message, REDEEM_TIMEOUT)

    def take(self, answer: dict[str, Any]) -> None:
        """Takes the answer: the context has the token from here on."""
        token = self._opened(answer) if self._link.session else _joined(answer, "token")
        if token is None:
            raise BrowseError(
                "REMOTE_UNPROVEN",
                "the answer is not that of the daemon of the pairing block: "
                "it does not fit the session key",
                hint="Do not go on; ask the owner to revoke the pairing (`browse pair list` "
                "names it), and for a new block by another way",
                code=9,
            )
        if not token:
            raise self.context.foreign("its answer holds no token")
        self.context = self.context.replace(token=token)
        if self._file is not None:
            value = {"address": self._link.address, "pin": self._link.pin, "token": token}
            if self._link.session:
                value["trust"] = _VOUCHED
            _write(self._file, value)

    def _asked(self) -> dict[str, str]:
        """The request where TLS may end at a tunnel, which does not see the key."""
        import hashlib

        name = hashlib.sha256(self._link.key.encode()).hexdigest()
        proof = self._mac("browse-redeem-request-v1", self._challenge, name).hex()
        return {"key": f"sealed-{name}", "challenge": self._challenge, "proof": proof}

    def _opened(self, answer: dict[str, Any]) -> str | None:
        """The token in an answer; None unless it is that of the daemon that wrote
        the block, to this request.
        """
        bound = ["browse-redeem-answer-v1", self._challenge]
        bound += [_joined(answer, name) for name in _BOUND]
        key = self._mac("browse-redeem-seal-v1", self._challenge)
        try:
            sealed = bytes.fromhex(_joined(answer, "sealed"))
        except ValueError:
            return None
        return _unsealed(key, sealed, "\n".join(bound).encode())

    def _mac(self, *lines: str) -> bytes:
        import hmac

        return hmac.digest(self._link.session, "\n".join(lines).encode(), "sha256")


def _joined(answer: dict[str, Any], name: str) -> str:
    """A text of the answer; those of a list with commas between."""
    value = answer.get(name) or ""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _unsealed(key: bytes, sealed: bytes, bound: bytes) -> str | None:
    """What was sealed with AES-256-GCM; None unless it was with this key and `bound`."""
    aead, invalid = _aes_gcm()
    if len(sealed) < _NONCE + _TAG:
        return None
    try:
        text: bytes = aead(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], bound)
    except invalid:
        return None
    return text.decode(errors="replace")


def _aes_gcm() -> tuple[Any, Any]:
    """The standard library has no AES: `cryptography` has, the extra `remote`."""
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise BrowseError(
            "ARGUMENT_INVALID",
            "a pairing block with a session key needs the package `cryptography`",
            hint="Run `pip install 'browse-sdk[remote]'`",
            code=3,
        ) from None
    return AESGCM, InvalidTag


def kept(name: str) -> Context:
    """The context of a browser or of a fleet that is kept under `name`."""
    path = _file(name)
    state = _document(name, path)
    if "kind" in state:
        return _fleet_at(name, path, _fleet_in(path, state)).applied(Context("", ""))
    address, pin, token = (str(state.get(key) or "") for key in ("address", "pin", "token"))
    trust = state.get("trust")
    if not address or not token or not _is_pin(pin) or trust not in (None, _VOUCHED):
        raise _invalid(path, "it is damaged")
    return _context(address, token, pin, trust is not None)


remote_finders.append(kept)


def _document(name: str, path: str) -> dict[str, Any]:
    state = own_json(path, _invalid)
    if state is None:
        raise BrowseError(
            "REMOTE_UNKNOWN",
            f"there is no remote `{name}`",
            hint="Run `browse redeem <link>` with the link of a pairing block, or "
            "`browse login <url>` with the address of a fleet",
            code=5,
        )
    return state


# The fleets of this process by their files: the clients of one share its token.
_fleets: dict[str, Fleet] = {}


def _fleet_at(name: str, path: str, state: FleetState) -> Fleet:
    def read() -> FleetState:
        document = _document(name, path)
        if "kind" not in document:
            message = f"the remote `{name}` was replaced by a pairing just now"
            raise BrowseError("REMOTE_UNKNOWN", message, hint="Open it again", code=5)
        return _fleet_in(path, document)

    fleet = _fleets.setdefault(path, Fleet(name, state, read))
    fleet.take(state)
    return fleet


def _fleet_in(path: str, document: dict[str, Any]) -> FleetState:
    state = fleet_state(document) if document.get("kind") == FLEET_KIND else None
    if state is None:
        raise _invalid(path, "it is damaged")
    return state


def _context(address: str, token: str, pin: str, vouched: bool) -> Context:
    # Callers of a daemon of this machine do not wait for it.
    from ._tls import Pinned

    return Context(address, token, secure=Pinned(pin, vouched))


def link_of(block: str) -> Link:
    """Finds the link of a block; parts that are not known are for others."""
    found = re.search(rf"{_SCHEME}\S*", block)
    if not found:
        raise _no_link("it does not hold `browse-pair://`")
    address, *parts = found.group().removeprefix(_SCHEME).split("/")
    host, _, port = address.rpartition(":")
    plain = re.fullmatch(r"[A-Za-z0-9.\-_:\[\]]+", host) and re.fullmatch("[0-9]{1,5}", port)
    if not plain or not 0 < int(port) < 65536:
        raise _no_link("it names no host with a port")
    key, pin, session = (
        next((part for part in parts if part.startswith(prefix)), "")
        for prefix in ("setup-", "pin-", "session-")
    )
    if not key:
        raise _no_link("it holds no setup key")
    pin = pin.removeprefix("pin-")
    if not _is_pin(pin):
        raise _no_link("it holds no whole fingerprint")
    if session and not _is_pin(session.removeprefix("session-")):
        raise _no_link("it holds no whole session key")
    return Link(address, key, pin, bytes.fromhex(session.removeprefix("session-")))


def _is_pin(text: str) -> bool:
    return re.fullmatch("[0-9a-fA-F]{64}", text) is not None


def _no_link(why: str) -> BrowseError:
    # It never repeats the key.
    return BrowseError(
        "PAIRING_LINK_INVALID",
        f"that is no link of a pairing block: {why}",
        hint="Copy the link of the block whole: it is one word",
        code=3,
    )


def _file(name: str) -> str:
    """The file that keeps the remote `name`."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise BrowseError(
            "ARGUMENT_INVALID",
            f"`{name}` cannot name a remote",
            hint="Use letters, digits, dash, dot and underscore, at most 64",
            code=3,
        )
    home = os.environ.get("BROWSE_HOME") or os.path.join(os.path.expanduser("~"), ".browse")
    return os.path.join(home, "remotes", f"{name}.json")


def _write(path: str, value: dict[str, str]) -> None:
    import json

    # Through a file of its own, so that nobody reads half of it.
    folder, name = os.path.split(path)
    waiting = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with open(os.open(waiting, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(value, file)
        os.replace(waiting, path)
    except OSError as error:
        raise BrowseError(
            "FILE_UNWRITABLE",
            f"`{path}` cannot be written: {error.strerror}",
            hint="Give another path",
            metadata={"path": path},
            code=3,
        ) from None


def _invalid(path: str, fault: str) -> BrowseError:
    return BrowseError(
        "REMOTE_FILE_INVALID",
        f"the remote file `{path}` cannot be used: {fault}",
        hint=f"Remove {path}, then redeem a new block, or sign in again",
        metadata={"path": path},
        code=9,
    )
