"""HTTP/1.1 and gRPC-Web without any input or output: bytes go in as they come,
messages come out.

`http.client` would take a third of the time that a skill has for its start.
https://www.rfc-editor.org/rfc/rfc9112,
https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
"""

from __future__ import annotations

from ._error import too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_TRAILERS = 0x80
_FRAME_HEAD = 5
_LONGEST_LINE = 64 * 1024
# Bytes of a message; a daemon sends no more in one.
_LARGEST = 64 * 1024 * 1024


def request(host: str, path: str, headers: Mapping[str, str], message: bytes) -> bytes:
    """The bytes of a call."""
    length = len(message)
    lines = [f"POST {path} HTTP/1.1", f"host: {host}", f"content-length: {length + _FRAME_HEAD}"]
    for name, value in headers.items():
        text = value.replace("\r", " ").replace("\n", " ")
        lines.append(f"{name}: {text}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    return head.encode("latin-1", "replace") + b"\0" + length.to_bytes(4, "big") + message


class Answer:
    """The answer to one call, read piece by piece."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.trailers: dict[str, str] = {}
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
        kind = self.headers.get("content-type", "application/grpc").lower()
        if not self.status or (self.status == 200 and kind.startswith("application/grpc")):
            return ""
        kind = "".join(letter if letter.isprintable() else " " for letter in kind[:60])
        return f"HTTP {self.status}" + (f" with `{kind}`" if self.status == 200 else "")

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Takes what came in, and yields the messages that are complete."""
        self._bytes += data
        while not self.done and not self.foreign and self._advance():
            pass
        if not self.foreign:
            yield from self._messages()

    def outcome(self) -> Mapping[str, str]:
        """Where the status of the call stands: trailers, or headers alone."""
        return self.headers if "grpc-status" in self.headers else self.trailers

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
            raise ValueError("the answer is no HTTP")
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
            raise ValueError("the answer is no HTTP")
        return False

    def _end_of_chunk(self) -> bool:
        if len(self._bytes) < 2:
            return False
        del self._bytes[:2]
        self._left = None
        return True

    def _messages(self) -> Iterator[bytes]:
        body = self._body
        while len(body) >= _FRAME_HEAD:
            end = _FRAME_HEAD + int.from_bytes(body[1:_FRAME_HEAD], "big")
            if end > _FRAME_HEAD + _LARGEST:
                raise too_large(_LARGEST >> 20)
            if len(body) < end:
                return
            flag, message = body[0], bytes(body[_FRAME_HEAD:end])
            del body[:end]
            if flag & _TRAILERS:
                self.trailers = _pairs(message.decode("latin-1").split("\r\n"))
            else:
                yield message


def _pairs(lines: list[str]) -> dict[str, str]:
    parts = (line.partition(":") for line in lines if line)
    return {name.strip().lower(): value.strip() for name, _, value in parts}
