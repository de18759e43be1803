"""What a call is made of, for every transport."""

from __future__ import annotations

from ._answer import JSON, JSON_STREAM, Answer, envelope, request
from ._error import BrowseError, TokenRefused, error_of, gives_reason, unreachable
from ._generated.tables import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ._fleet import Fleet
    from ._gateway import Gateway
    from ._tls import Pinned

# Seconds that a call gets when neither the caller nor the command says.
DEFAULT_TIMEOUT = 30.0

# How many seconds longer than the daemon a client waits, so that the daemon's
# error is the one seen.
GRACE = 1.0

# The status of an answer to a token that is not accepted.
_UNAUTHENTICATED = 401


class Command:
    """A command, as its line of the table says."""

    __slots__ = ("path", "request", "response", "args", "result", "timeout", "kind")

    def __init__(self, line: str) -> None:
        parts = [*line.split("|"), "", "", "", "", ""]
        method = parts[1]
        # Service and RPC: `BrowserService/Goto`.
        self.path = f"BrowserService/{method}"
        self.request = f"{method}Request"
        self.response = parts[5] or f"{method}Response"
        # Fields that are given as positional arguments; `?` may be left out.
        self.args = parts[2].split()
        # Field of the response that callers get; all of it when empty.
        self.result = parts[3]
        # Seconds.
        self.timeout = int(parts[4]) / 1000 if parts[4] else DEFAULT_TIMEOUT
        # `stream` of messages, or of what is saved to a `file` or a `folder`.
        self.kind = parts[6]


_commands: dict[str, Command] = {}


def command_of(name: str) -> Command:
    """The command of this name: that of a method, or that of the command line."""
    command = _commands.get(name)
    if command is None:
        line = COMMANDS.get(name) or next(
            (line for line in COMMANDS.values() if line.startswith(f"{name}|")), None
        )
        if line is None:
            raise TypeError(f"this SDK knows no command `{name}`")
        command = _commands[name] = Command(line)
    return command


class Context:
    """Where a client calls, and in what context."""

    __slots__ = ("address", "token", "tab", "session", "timeout", "secure", "fleet")

    def __init__(
        self,
        address: str,
        token: str,
        tab: int | None = None,
        session: str | None = None,
        timeout: float | None = None,
        secure: Pinned | Gateway | None = None,
        fleet: Fleet | None = None,
    ) -> None:
        self.address = address
        self.token = token
        self.tab = tab
        self.session = session
        self.timeout = timeout
        # How connections to a remote daemon are made.
        self.secure = secure
        # The fleet whose gateway is called; its token changes.
        self.fleet = fleet

    def replace(self, **changes: Any) -> Context:
        """The same context, but for `changes`."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return Context(**{**fields, **changes})

    def located(self) -> Context:
        """The context of the next call: a token that is about to end is renewed."""
        return self if self.fleet is None else self.fleet.located(self)

    def renewed(self) -> Context | None:
        """The same with another token, after this one was not accepted; None without one."""
        return None if self.fleet is None else self.fleet.renewed(self)

    def seconds(self, command: Command) -> float:
        """The deadline of a call."""
        return command.timeout if self.timeout is None else self.timeout

    def bytes_of(self, command: Command, message: Mapping[str, Any]) -> bytes:
        """The bytes of a call."""
        return self.bytes_to(command.path, message, self.seconds(command), bool(command.kind))

    def bytes_to(
        self, path: str, message: Mapping[str, Any], seconds: float, streams: bool = False
    ) -> bytes:
        """The bytes of a call to the RPC at `path`."""
        import json

        milliseconds = max(1, round(seconds * 1000))
        body = json.dumps(message).encode()
        headers = {
            "content-type": JSON_STREAM if streams else JSON,
            "connect-protocol-version": "1",
            "authorization": f"Bearer {self.token}",
            "browse-content": "raw",
            "connect-timeout-ms": f"{milliseconds}",
        }
        if self.tab is not None:
            headers["browse-tab"] = str(self.tab)
        if self.session is not None:
            headers["browse-session"] = self.session
        host = self.address if socket_path(self.address) is None else "localhost"
        host = (self.secure and self.secure.authority) or host
        body = envelope(body) if streams else body
        return request(host, f"/browse.v1.{path}", headers, body)

    def unreachable(self, why: object) -> BrowseError:
        """What to say when nobody answers."""
        error = unreachable(self.address, why)
        if self.secure:
            error.hint = self.secure.hint
        return error

    def foreign(self, what: str) -> BrowseError:
        """What to say when what answers is no daemon."""
        if not self.secure:
            return self.unreachable(what)
        return BrowseError(
            "REMOTE_FOREIGN",
            f"what answers at `{self.address}` is not a daemon of browse: {what}",
            hint=self.secure.foreign_hint,
            code=9,
        )

    def outcome(self, answer: Answer) -> BrowseError | None:
        """The error of a whole answer; None when the call went well."""
        try:
            document = answer.error()
        except EOFError as cause:
            return self.unreachable(cause)
        except ValueError as cause:
            return self.foreign(str(cause))
        if document is None:
            return None
        error = error_of(
            document, TokenRefused if answer.status == _UNAUTHENTICATED else BrowseError
        )
        if self.secure and not gives_reason(document):
            # A daemon says its reason, always.
            return self.foreign(f"it answers `{error.message}`")
        if self.secure:
            self.secure.advise(error)
        return error


def socket_path(address: str) -> str | None:
    """The path of a socket file, when `address` is one: `unix:/path` or `unix:///path`."""
    if not address.startswith("unix:"):
        return None
    return address.removeprefix("unix:").removeprefix("//")


def host_and_port(address: str) -> tuple[str, int]:
    """Splits `127.0.0.1:4711`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"`{address}` is no address: it wants HOST:PORT or unix:/path")
    return host.strip("[]"), int(port)
