"""What a call is made of, whoever sends it."""

from __future__ import annotations

from ._answer import request
from ._encode import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Seconds that a call gets when neither the caller nor the command says.
DEFAULT_TIMEOUT = 30.0

# How many seconds longer than the daemon a client waits, so that the daemon's
# error is the one seen.
GRACE = 1.0

UNIX = "unix:"


class Command:
    """A command: what the generated methods hand to the client."""

    __slots__ = ("path", "request", "response", "result", "timeout")

    def __init__(
        self,
        path: str,
        request: str,
        response: str,
        result: str = "",
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        # Service and RPC: `BrowserService/Goto`.
        self.path = path
        self.request = request
        self.response = response
        # Field of the response that callers get; all of it when empty.
        self.result = result
        # Seconds.
        self.timeout = timeout


class Context:
    """Where a client calls, and in what context."""

    __slots__ = ("address", "token", "tab", "session", "timeout")

    def __init__(
        self,
        address: str,
        token: str,
        tab: int | None = None,
        session: str | None = None,
        timeout: float | None = None,
    ) -> None:
        self.address = address
        self.token = token
        self.tab = tab
        self.session = session
        self.timeout = timeout

    def replace(self, **changes: Any) -> Context:
        """The same context, but for `changes`."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return Context(**{**fields, **changes})

    def seconds(self, command: Command) -> float:
        """The deadline of a call."""
        return command.timeout if self.timeout is None else self.timeout

    def bytes_of(self, command: Command, fields: Mapping[str, Any]) -> bytes:
        """The bytes of a call."""
        milliseconds = max(1, round(self.seconds(command) * 1000))
        headers = {
            "content-type": "application/grpc-web+proto",
            "x-grpc-web": "1",
            "authorization": f"Bearer {self.token}",
            "browse-content": "raw",
            "grpc-timeout": f"{milliseconds}m",
        }
        if self.tab is not None:
            headers["browse-tab"] = str(self.tab)
        if self.session is not None:
            headers["browse-session"] = self.session
        host = "localhost" if self.address.startswith(UNIX) else self.address
        message = encode(command.request, fields)
        return request(host, f"/browse.v1.{command.path}", headers, message)


def host_and_port(address: str) -> tuple[str, int]:
    """Splits `127.0.0.1:4711`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"`{address}` is no address: it wants HOST:PORT or unix:/path")
    return host.strip("[]"), int(port)
