"""HTTP/1.1 and the JSON form of the Connect protocol without any input or output:
bytes go in as they come, documents come out.

It serves threads and asyncio alike, and `http.client` would add four tenths of a bare
start of Python to that of a skill.
https://www.rfc-editor.org/rfc/rfc9112, https://connectrpc.com/docs/protocol
"""

from __future__ import annotations

from ._error import too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

JSON = "application/json"
JSON_STREAM = "application/connect+json"

_END = 2
_ENVELOPE_HEAD = 5
_LONGEST_LINE = 64 * 1024
# Bytes of a document; a message has at most 64 MiB, which base64 makes longer.
_LARGEST = 86 * 1024 * 1024


def request(host: str, path: str, headers: Mapping[str, str], message: bytes) -> bytes:
    """The bytes of a call."""
    lines = [f"POST {path} HTTP/1.1", f"host: {host}", f"content-length: {len(message)}"]
    for name, value in headers.items():
        text = value.replace("\r", " ").replace("\n", " ")
        lines.append(f"{name}: {text}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    return head.encode("latin-1", "replace") + message


def envelope(message: bytes) -> bytes:
    """The body of a call whose answer is a stream."""
    return b"\0" + len(message).to_bytes(4, "big") + message


class Answer:
    """The answer to one call, read piece by piece."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        # The document at the end of a stream.
        self.end: dict[str, Any] | None = None
        # Whether the answer is whole.
        self.done = False
        self._bytes = bytearray()
        self._body = bytearray()
        # Bytes of the body that are still to come; None while a line is next.
        self._left: int | None = None
        self._chunked = False

    @property
    def keeps_open(self) -> bool:
        """Whether the connection serves for another call."""
        closes = self.headers.get("connection", "").lower() == "close"
        return self.done and not closes and not self._bytes

    @property
    def foreign(self) -> str:
        """What no daemon answers with: a page of something else; empty for one of its own."""
        kind = self.headers.get("content-type", JSON).lower()
        if not self.status or kind in (JSON, JSON_STREAM):
            return ""
        kind = "".join(letter if letter.isprintable() else " " for letter in kind[:60])
        return f"HTTP {self.status}" + (f" with `{kind}`" if self.status == 200 else "")

    def feed(self, data: bytes) -> Iterator[Any]:
        """Takes what came in, and yields the documents that are complete."""
        self._bytes += data
        while not self.done and not self.foreign and self._advance():
            pass
        if self.foreign or self.status != 200:
            return
        if self._is_stream:
            yield from self._documents()
        elif self.done:
            yield _document(self._body)
        elif len(self._body) > _LARGEST:
            raise too_large(_LARGEST >> 20)

    def error(self) -> dict[str, Any] | None:
        """The error of an answer that is whole; None when the call went well.

        An EOFError for a stream that broke off.
        """
        if self.status != 200:
            return _document(self._body)
        if not self._is_stream:
            return None
        if self.end is None:
            raise EOFError("the answer broke off: it has no end")
        error: dict[str, Any] | None = self.end.get("error")
        return error

    @property
    def _is_stream(self) -> bool:
        return self.headers.get("content-type", "").lower() == JSON_STREAM

    def _advance(self) -> bool:
        if not self.status:
            return self._head()
        if self._left is None:
            return self._chunk()
        take = min(self._left, len(self._bytes))
        self._body += self._bytes[:take]
        del self._bytes[:take]
        self._left -= take
        if self._left:
            return False
        if not self._chunked:
            self.done = True
        elif not self._end_of_chunk():
            return False
        return True

    def _head(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n")
        if end < 0:
            return self._no_end()
        lines = self._bytes[:end].decode("latin-1").split("\r\n")
        del self._bytes[: end + 4]
        words = lines[0].split(" ")
        if len(words) < 2 or not words[1].isdigit():
            raise ValueError("the peer does not speak HTTP")
        self.headers = _pairs(lines[1:])
        self._chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        self._left = None if self._chunked else int(self.headers.get("content-length", "0"))
        self.status = int(words[1])
        return True

    def _chunk(self) -> bool:
        end = self._bytes.find(b"\r\n")
        if end < 0:
            return self._no_end()
        size = int(bytes(self._bytes[:end]).split(b";")[0], 16)
        if size:
            del self._bytes[: end + 2]
            self._left = size
            return True
        last = self._bytes.find(b"\r\n\r\n")
        if last < 0:
            return self._no_end()
        del self._bytes[: last + 4]
        self.done = True
        return True

    def _no_end(self) -> bool:
        """A line goes on, and not for ever."""
        if len(self._bytes) > _LONGEST_LINE:
            raise ValueError("the peer does not speak HTTP")
        return False

    def _end_of_chunk(self) -> bool:
        if len(self._bytes) < 2:
            return False
        del self._bytes[:2]
        self._left = None
        return True

    def _documents(self) -> Iterator[Any]:
        body = self._body
        while len(body) >= _ENVELOPE_HEAD:
            end = _ENVELOPE_HEAD + int.from_bytes(body[1:_ENVELOPE_HEAD], "big")
            if end > _ENVELOPE_HEAD + _LARGEST:
                raise too_large(_LARGEST >> 20)
            if len(body) < end:
                return
            flag, document = body[0], _document(body[_ENVELOPE_HEAD:end])
            del body[:end]
            if flag & _END:
                self.end = document
            else:
                yield document


def _document(data: bytes | bytearray) -> dict[str, Any]:
    import json

    document = json.loads(data)
    if not isinstance(document, dict):
        raise ValueError("the answer is not a JSON object")
    return document


def _pairs(lines: list[str]) -> dict[str, str]:
    parts = (line.partition(":") for line in lines if line)
    return {name.strip().lower(): value.strip() for name, _, value in parts}
