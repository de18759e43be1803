"""A fleet that was signed in to with `browse login`: the token to call its gateway with,
and how the next one is got."""

from __future__ import annotations

import os
import re
import threading
import time
from typing import NamedTuple

from ._error import BrowseError, clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ._call import Context
    from ._gateway import Gateway

# What a remote file of a fleet says of its `kind`.
FLEET_KIND = "fleet"

# Seconds before its end in which a token is renewed.
_RENEWAL_TIME = 30
# Seconds after which a renewal is given up; the program ends by itself before.
_RENEWAL_LIMIT = 60
# Bytes of a token.
_MAX_TOKEN = 16 << 10

_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^\s/?#@\\:\[\]]+)(?::([0-9]{1,5}))?/?", re.I)

# Variables that speak for a call, and not for the sign-in.
_CALL_VARIABLES = frozenset(
    ("BROWSE_REMOTE", "BROWSE_ADDR", "BROWSE_TOKEN", "BROWSE_SKILL_TOKEN", "BROWSE_SESSION")
)
# The gRPC codes of what the program reports; others are failed preconditions.
_CODES = {"TOKEN_EXPIRED": 16, "ISSUER_UNUSABLE": 14, "DEADLINE_EXCEEDED": 4, "REMOTE_UNKNOWN": 5}


class FleetState(NamedTuple):
    """What the file of a fleet holds."""

    is_tls: bool
    # Host, and the port where the URL has one: what a request names.
    authority: str
    # Without the brackets of an IPv6 address.
    host: str
    port: int
    # File with authorities that count beside those of this machine.
    ca: str
    token: str
    # When it ends, in seconds since 1970, where that is known.
    expires_at: int | None
    # Whether the issuer gives another one.
    is_renewable: bool

    @property
    def address(self) -> str:
        """Host and port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_due(self) -> bool:
        """Whether its token has ended, or is about to."""
        return self.expires_at is not None and self.expires_at <= time.time() + _RENEWAL_TIME

    def login(self, name: str) -> str:
        """The command that signs in again, under the same name."""
        origin = f"{'https' if self.is_tls else 'http'}://{self.authority}"
        return f"browse login {origin} --name {name}" + (f" --ca {self.ca}" if self.ca else "")


def fleet_state(document: Mapping[str, Any]) -> FleetState | None:
    """Reads the document of a file; None when it is damaged."""

    def text(key: str) -> str:
        value = document.get(key)
        return value if isinstance(value, str) else ""

    url = _URL.fullmatch(text("url"))
    if url is None:
        return None
    scheme, host, port = url.groups()
    is_tls, bare = scheme.lower() == "https", host.strip("[]")
    number = int(port or (443 if is_tls else 80))
    token, is_renewable = text("token"), bool(text("refresh_token"))
    if number > 65535 or not (is_tls or is_loopback(bare)):
        return None
    if len(token) > _MAX_TOKEN or not re.fullmatch("[!-~]+", token):
        return None
    if is_renewable and not (text("issuer") and text("client_id")):
        return None
    end = document.get("expires_at")
    known = isinstance(end, int) and not isinstance(end, bool) and end >= 0
    authority = f"{host}:{port}" if port else host
    return FleetState(
        is_tls, authority, bare, number, text("ca"), token, end if known else None, is_renewable
    )


def is_loopback(host: str) -> bool:
    """Whether a host, or the address of one, is this machine."""
    import ipaddress

    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Fleet:
    """A fleet, for the clients of this process that call it."""

    def __init__(self, name: str, state: FleetState, read: Callable[[], FleetState]) -> None:
        self._name = name
        # What the file holds, and how the gateway that it names is reached.
        self._current = state, self._gateway_of(state)
        # Reads its file again.
        self._read = read
        # One renewal at a time, whose outcome is that of all calls that wait for it.
        self._lock = threading.Lock()
        self._renewals = 0
        self._failure: BrowseError | None = None

    @property
    def is_due(self) -> bool:
        """Whether the next call renews the token."""
        return self._current[0].is_due

    def take(self, state: FleetState) -> None:
        """Takes over what its file holds by now."""
        old, gateway = self._current
        if (state.is_tls, state.authority, state.ca) != (old.is_tls, old.authority, old.ca):
            gateway = self._gateway_of(state)
        self._current = state, gateway

    def _gateway_of(self, state: FleetState) -> Gateway:
        # Callers of a daemon of this machine do not wait for it.
        from ._gateway import Gateway

        return Gateway(state, state.login(self._name))

    def applied(self, context: Context) -> Context:
        """The context of a call to the gateway with the token as it is."""
        state, gateway = self._current
        return context.replace(address=state.address, token=state.token, secure=gateway, fleet=self)

    def located(self, context: Context) -> Context:
        """The same with a token that is good for a while, where one can be got."""
        if self.is_due:
            try:
                self._renew()
            except BrowseError:
                # Its last seconds may do.
                if (self._current[0].expires_at or 0) <= time.time():
                    raise
        return self.applied(context)

    def renewed(self, context: Context) -> Context | None:
        """The same with another token than that of `context`; None when there is none."""
        refused = context.token
        if self._current[0].token == refused:
            try:
                self._renew(refused)
            except BrowseError:
                # What was answered counts, and not why there is no other token.
                return None
        return None if self._current[0].token == refused else self.applied(context)

    def _renew(self, refused: str | None = None) -> None:
        """Reads the file again, and has the program renew the token when that is still
        `refused`, or about to end.
        """
        seen = self._renewals
        with self._lock:
            if self._renewals != seen:
                if self._failure is not None:
                    raise self._failure
                return
            self._failure = None
            try:
                state = self._read()
                is_stale = state.is_due if refused is None else state.token == refused
                if is_stale and state.is_renewable:
                    _run_renewal(self._name, state.login(self._name), refused)
                    state = self._read()
                self.take(state)
            except BrowseError as error:
                self._failure = error
                raise
            finally:
                self._renewals += 1


def _run_renewal(name: str, login: str, rejected: str | None) -> None:
    """Has the command line renew the token of the remote `name`: where that is due, or the
    token `rejected`, whatever time it has left. It does so under the lock of the remotes,
    because many issuers accept a refresh token once.
    """
    import subprocess

    program = os.environ.get("BROWSE_CLI") or "browse"
    variables = {key: text for key, text in os.environ.items() if key not in _CALL_VARIABLES}
    command = [program, "login", "--renew", name, "--json"]
    command += [] if rejected is None else ["--rejected-stdin"]
    ended = f"the token of `{name}` has ended, and `browse`"
    try:
        done = subprocess.run(
            command,
            input=(rejected or "").encode(),
            capture_output=True,
            env=variables,
            timeout=_RENEWAL_LIMIT,
        )
    except OSError as error:
        why = "it is not found" if isinstance(error, FileNotFoundError) else error.strerror
        raise BrowseError(
            "TOKEN_EXPIRED",
            f"{ended}, which renews it, cannot be run: {why}",
            hint=f"Set BROWSE_CLI to the program `browse`, or run `{login}` again",
            code=_CODES["TOKEN_EXPIRED"],
        ) from None
    except subprocess.TimeoutExpired:
        why = f"it does not end within {_RENEWAL_LIMIT} s"
    else:
        if done.returncode == 0:
            return
        reported = _reported(done.stdout)
        if reported is not None:
            raise reported
        lines = done.stderr.decode(errors="replace").splitlines()
        faults = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        why = clean(faults[0] if faults else "it reports no reason")
    raise BrowseError(
        "TOKEN_EXPIRED",
        f"{ended} does not renew it: {why}",
        hint=f"Run `{login}` again",
        code=_CODES["TOKEN_EXPIRED"],
    )


def _reported(output: bytes) -> BrowseError | None:
    """The error that the program printed."""
    import json

    try:
        error = json.loads(output)["error"]
        reason, message = clean(str(error["reason"])), clean(str(error["message"]))
        metadata = {str(key): str(text) for key, text in dict(error.get("metadata") or {}).items()}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    hint = clean(str(error.get("hint") or ""))
    return BrowseError(reason, message, hint=hint, metadata=metadata, code=_CODES.get(reason, 9))
