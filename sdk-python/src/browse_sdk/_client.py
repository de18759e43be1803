"""The call itself: one request, the answer or an error."""

from __future__ import annotations

import socket
import time

from ._answer import Answer
from ._call import GRACE, Command, Context, command_of, host_and_port, socket_path
from ._decode import decode
from ._encode import encode
from ._error import Stranger, TokenRefused, late
from ._message import Message
from ._save import FileSink, FolderSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

_PIECE = 256 * 1024

# Connections that wait for the next call, by where they lead.
_idle: dict[object, list[socket.socket]] = {}


class Client:
    """A caller of commands; the methods of `Browse` are built on it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def call(self, command: str, args: Mapping[str, Any] | None = None) -> Any:
        """Calls a command by name, as the command line or as the methods write it:
        `call("newtab", {"url": url})`. The answer is that of the method.
        """
        return self._perform(command, dict(args or {}))

    def stream(self, command: str, args: Mapping[str, Any] | None = None) -> Iterator[Message]:
        """Calls a command by name, and yields each message of its answer."""
        return self._stream(command_of(command), dict(args or {}))

    def _perform(self, name: str, fields: dict[str, Any], place: str | None = None) -> Any:
        """What every method does."""
        command = command_of(name)
        if command.kind == "stream":
            return self._stream(command, fields)
        if not command.kind:
            return self._answer(command, fields)
        sink = FileSink(place) if command.kind == "file" else FolderSink(place)
        try:
            for part in self._stream(command, {**fields, **sink.fields}):
                sink.feed(part)
            return sink.result()
        finally:
            sink.close()

    def _answer(self, command: Command, fields: dict[str, Any]) -> Any:
        answer = None
        for answer in self._stream(command, fields):
            pass
        if answer is None:
            answer = decode(command.response, {})
        return getattr(answer, command.result) if command.result else answer

    def _stream(self, command: Command, fields: dict[str, Any]) -> Iterator[Message]:
        return self._documents(command, encode(command.request, fields))

    def _documents(self, command: Command, message: dict[str, Any]) -> Iterator[Message]:
        def send(context: Context) -> Iterator[Message]:
            data = context.bytes_of(command, message)
            return exchange(context, data, context.seconds(command), read)

        def read(document: dict[str, Any]) -> Message:
            return decode(command.response, document)

        context = self._context.located()
        try:
            yield from send(context)
            return
        except TokenRefused:
            renewed = context.renewed()
            if renewed is None:
                raise
        # Nothing was done, so that the call can be sent again.
        yield from send(renewed)


def exchange(
    context: Context, data: bytes, seconds: float, read: Callable[[dict[str, Any]], Any]
) -> Iterator[Any]:
    """Sends the bytes of a call, and yields what `read` makes of each document."""
    end = time.monotonic() + seconds + GRACE
    connection = _connection(context, end)
    answer = Answer()
    try:
        connection.settimeout(_left(end))
        connection.sendall(data)
        while not answer.done:
            connection.settimeout(_left(end))
            piece = connection.recv(_PIECE)
            # Who never pauses is never waited for.
            if time.monotonic() > end:
                raise late(seconds)
            if not piece:
                raise context.unreachable("the connection was closed")
            for document in answer.feed(piece):
                yield read(document)
            if answer.foreign:
                raise context.foreign(answer.foreign)
    except TimeoutError:
        raise late(seconds) from None
    except OSError as cause:
        raise context.unreachable(cause) from None
    except ValueError as cause:
        raise context.foreign(str(cause)) from None
    finally:
        if answer.keeps_open:
            _idle.setdefault((context.address, context.secure), []).append(connection)
        else:
            connection.close()
    error = context.outcome(answer)
    if error is not None:
        raise error


def _connection(context: Context, end: float) -> socket.socket:
    """A connection that waits, or a new one."""
    address, secure = context.address, context.secure
    waiting = _idle.get((address, secure), [])
    while waiting:
        connection = waiting.pop()
        if _is_open(connection):
            return connection
        connection.close()
    try:
        path = socket_path(address)
        if path is not None:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(_left(end))
            connection.connect(path)
            return connection
        place = host_and_port(address)
        connection = socket.create_connection(place, _left(end))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return secure.greet(connection, place[0]) if secure else connection
    except Stranger as cause:
        raise context.foreign(str(cause)) from None
    except (OSError, ValueError) as cause:
        raise context.unreachable(cause) from None


def _is_open(connection: socket.socket) -> bool:
    """Whether the other side has not closed it: nothing is there to be read."""
    connection.setblocking(False)
    try:
        connection.recv(1, socket.MSG_PEEK)
    except (BlockingIOError, InterruptedError):
        return True
    except OSError:
        return False
    return False


def _left(end: float) -> float:
    # Zero would mean that nothing is waited for at all.
    return max(end - time.monotonic(), 0.001)
