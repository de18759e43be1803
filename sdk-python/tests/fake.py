"""A daemon that answers as a test says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple

from browse_sdk._decode import decode
from browse_sdk._encode import encode


class Call(NamedTuple):
    """A call that came in."""

    path: str
    headers: Mapping[str, str]
    message: bytes
    connection: int


class Reply(NamedTuple):
    """What it answers: messages and trailers; `pieces` cuts them up."""

    messages: list[tuple[str, dict[str, Any]]] = []
    trailers: str = "grpc-status: 0\r\n"
    chunked: bool = True
    silent: bool = False


class Fake:
    """Serves on loopback, or on a Unix socket."""

    def __init__(self, reply: Callable[[Call], Reply], path: str | None = None) -> None:
        self._reply = reply
        self.calls: list[Call] = []
        self._listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self._listener.bind(path or ("127.0.0.1", 0))
        self._listener.listen()
        name = self._listener.getsockname()
        self.address = f"unix:{path}" if path else f"127.0.0.1:{name[1]}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for connection in [self._listener, *self._open]:
            connection.close()

    def request(self, message: str, index: int = 0) -> dict[str, Any]:
        """The request of a call."""
        return decode(message, self.calls[index].message).to_dict()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            arguments = (connection, len(self._open))
            threading.Thread(target=self._serve, args=arguments, daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        file = connection.makefile("rb")
        while line := _line(file):
            headers = {}
            while (header := file.readline().strip()) != b"":
                name, _, value = header.decode().partition(":")
                headers[name] = value.strip()
            body = file.read(int(headers["content-length"]))
            call = Call(line.split()[1].decode(), headers, body[5:], number)
            self.calls.append(call)
            reply = self._reply(call)
            if reply.silent:
                continue
            # In odd pieces, as a network may cut them.
            data = _bytes(reply)
            for at in range(0, len(data), 7):
                connection.sendall(data[at : at + 7])


def _line(file: BinaryIO) -> bytes:
    try:
        return file.readline()
    except OSError:
        return b""


def _bytes(reply: Reply) -> bytes:
    body = b"".join(_frame(0, encode(name, fields)) for name, fields in reply.messages)
    body += _frame(0x80, reply.trailers.encode())
    if not reply.chunked:
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    pieces = [body[at : at + 11] for at in range(0, len(body), 11)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


def _frame(flag: int, message: bytes) -> bytes:
    return bytes([flag]) + len(message).to_bytes(4, "big") + message
