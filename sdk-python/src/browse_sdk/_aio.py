"""The call itself, for `asyncio`."""

from __future__ import annotations

import asyncio

from ._answer import Answer
from ._call import GRACE, Command, Context, command_of, host_and_port, socket_path
from ._decode import decode
from ._encode import encode
from ._error import Stranger, TokenRefused, late
from ._message import Message
from ._save import FileSink, FolderSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Any

_PIECE = 256 * 1024

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]

# Connections that wait for the next call, by where they lead.
Pool = dict[object, list[Connection]]


class AsyncClient:
    """A caller of commands; the methods of `AsyncBrowse` are built on it."""

    def __init__(self, context: Context, pool: Pool | None = None) -> None:
        self._context = context
        self._pool: Pool = {} if pool is None else pool

    async def close(self) -> None:
        """Closes the connections that wait."""
        while self._pool:
            for _, writer in self._pool.popitem()[1]:
                writer.close()

    async def call(self, command: str, args: Mapping[str, Any] | None = None) -> Any:
        """Calls a command by name, as the command line or as the methods write it:
        `call("newtab", {"url": url})`. The answer is that of the method.
        """
        return await self._perform(command, dict(args or {}))

    def stream(self, command: str, args: Mapping[str, Any] | None = None) -> AsyncIterator[Message]:
        """Calls a command by name, and yields each message of its answer."""
        return self._stream(command_of(command), dict(args or {}))

    async def _perform(self, name: str, fields: dict[str, Any], place: str | None = None) -> Any:
        """What every method does."""
        command = command_of(name)
        if not command.kind:
            return await self._answer(command, fields)
        sink = FileSink(place) if command.kind == "file" else FolderSink(place)
        try:
            async for part in self._stream(command, {**fields, **sink.fields}):
                sink.feed(part)
            return sink.result()
        finally:
            sink.close()

    def _yield(self, name: str, fields: dict[str, Any]) -> Any:
        return self._stream(command_of(name), fields)

    async def _answer(self, command: Command, fields: dict[str, Any]) -> Any:
        answer = None
        async for answer in self._stream(command, fields):
            pass
        if answer is None:
            answer = decode(command.response, {})
        return getattr(answer, command.result) if command.result else answer

    def _stream(self, command: Command, fields: dict[str, Any]) -> AsyncIterator[Message]:
        return self._documents(command, encode(command.request, fields))

    async def _documents(self, command: Command, message: dict[str, Any]) -> AsyncIterator[Message]:
        def send(context: Context) -> AsyncIterator[Message]:
            data = context.bytes_of(command, message)
            return exchange(context, self._pool, data, context.seconds(command), read)

        def read(document: dict[str, Any]) -> Message:
            return decode(command.response, document)

        context = self._context
        if context.fleet is not None and context.fleet.is_due:
            # The program that renews it is waited for.
            context = await asyncio.to_thread(context.located)
        else:
            context = context.located()
        try:
            async for document in send(context):
                yield document
            return
        except TokenRefused:
            renewed = await asyncio.to_thread(context.renewed)
            if renewed is None:
                raise
        # Nothing was done, so that the call can be sent again.
        async for document in send(renewed):
            yield document


async def exchange(
    context: Context,
    pool: Pool,
    data: bytes,
    seconds: float,
    read: Callable[[dict[str, Any]], Any],
) -> AsyncIterator[Any]:
    """Sends the bytes of a call, and yields what `read` makes of each document."""
    end = asyncio.get_running_loop().time() + seconds + GRACE
    answer = Answer()
    connection = None
    try:
        connection = await _connection(context, pool, end)
        reader, writer = connection
        writer.write(data)
        while not answer.done:
            piece = await asyncio.wait_for(reader.read(_PIECE), _left(end))
            # Who never pauses is never waited for.
            if asyncio.get_running_loop().time() > end:
                raise late(seconds)
            if not piece:
                raise context.unreachable("the connection was closed")
            for document in answer.feed(piece):
                yield read(document)
            if answer.foreign:
                raise context.foreign(answer.foreign)
    except (TimeoutError, asyncio.TimeoutError):
        raise late(seconds) from None
    except OSError as cause:
        raise context.unreachable(cause) from None
    except (ValueError, Stranger) as cause:
        raise context.foreign(str(cause)) from None
    finally:
        if connection is not None and answer.keeps_open:
            pool.setdefault((context.address, context.secure), []).append(connection)
        elif connection is not None:
            connection[1].close()
    error = context.outcome(answer)
    if error is not None:
        raise error


async def _connection(context: Context, pool: Pool, end: float) -> Connection:
    waiting = pool.get((context.address, context.secure), [])
    while waiting:
        reader, writer = waiting.pop()
        if not reader.at_eof() and not writer.is_closing():
            return reader, writer
        writer.close()
    path = socket_path(context.address)
    if path is not None:
        opening = asyncio.open_unix_connection(path)
    elif context.secure:
        return await context.secure.open(*host_and_port(context.address), _left(end))
    else:
        opening = asyncio.open_connection(*host_and_port(context.address))
    return await asyncio.wait_for(opening, _left(end))


def _left(end: float) -> float:
    return max(end - asyncio.get_running_loop().time(), 0.001)
