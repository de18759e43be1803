"""A daemon that answers as a test says."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple

from browse_sdk._answer import JSON, JSON_STREAM
from browse_sdk._decode import decode
from browse_sdk._encode import encode


class Call(NamedTuple):
    """A call that came in."""

    path: str
    headers: Mapping[str, str]
    message: dict[str, Any]
    connection: int


class Reply(NamedTuple):
    """What it answers: messages, or an error."""

    messages: list[tuple[str, dict[str, Any]]] = []
    error: dict[str, Any] | None = None
    chunked: bool = True
    silent: bool = False
    # Of an error in place of a stream, too.
    status: int = 0
    # What is sent as it is.
    raw: bytes = b""


class Fake:
    """Serves on loopback, with TLS where a context is given, or on a Unix socket."""

    def __init__(
        self,
        reply: Callable[[Call], Reply],
        path: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._reply = reply
        self._tls = tls
        self.calls: list[Call] = []
        self._listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self._listener.bind(path or ("127.0.0.1", 0))
        self._listener.listen()
        name = self._listener.getsockname()
        self.address = f"unix:{path}" if path else f"127.0.0.1:{name[1]}"
        self._open: list[socket.socket] = []
        self._count = 0
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
            self._count += 1
            arguments = (connection, self._count)
            threading.Thread(target=self._serve, args=arguments, daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        if self._tls:
            try:
                connection = self._tls.wrap_socket(connection, server_side=True)
            except OSError:
                return
            self._open.append(connection)
        file = connection.makefile("rb")
        while line := _line(file):
            headers = {}
            while (header := file.readline().strip()) != b"":
                name, _, value = header.decode().partition(":")
                headers[name] = value.strip()
            body = file.read(int(headers["content-length"]))
            streams = headers["content-type"] == JSON_STREAM
            message = json.loads(body[5:] if streams else body)
            call = Call(line.split()[1].decode(), headers, message, number)
            self.calls.append(call)
            reply = self._reply(call)
            if reply.silent:
                continue
            # In odd pieces, as a network may cut them.
            data = reply.raw or _bytes(reply, streams)
            for at in range(0, len(data), 7):
                connection.sendall(data[at : at + 7])


def _line(file: BinaryIO) -> bytes:
    try:
        return file.readline()
    except OSError:
        return b""


def _bytes(reply: Reply, streams: bool) -> bytes:
    documents = [encode(name, fields) for name, fields in reply.messages]
    status, kind = 200, JSON
    if streams and not reply.status:
        kind = JSON_STREAM
        end = {"metadata": {}} if reply.error is None else {"error": reply.error}
        body = b"".join(_frame(0, one) for one in documents) + _frame(2, end)
    else:
        document = documents[0] if documents else {}
        if reply.error is not None:
            status, document = reply.status or 400, reply.error
        body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n".encode()
    if not reply.chunked:
        return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)
    pieces = [body[at : at + 11] for at in range(0, len(body), 11)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


def _frame(flag: int, document: dict[str, Any]) -> bytes:
    message = json.dumps(document).encode()
    return bytes([flag]) + len(message).to_bytes(4, "big") + message


def failure(
    code: str, message: str, reason: str = "", hint: str = "", **metadata: str
) -> dict[str, Any]:
    """An error as a daemon sends it."""
    debug = {"reason": reason, "hint": hint, "domain": "browse", "metadata": metadata}
    detail = {"type": "google.rpc.ErrorInfo", "value": "", "debug": debug}
    return {"code": code, "message": message, "details": [detail] if reason else []}
