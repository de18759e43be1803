"""The bytes of protobuf: https://protobuf.dev/programming-guides/encoding/"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


def entries(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message as they stand on the wire: number and raw value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = varint(data, at)
            yield key >> 3, value
            continue
        if kind == LENGTH:
            length, at = varint(data, at)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise malformed()
        if at + length > len(data):
            raise malformed()
        yield key >> 3, data[at : at + length]
        at += length


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Reads a varint: its value, and where it ends."""
    value = 0
    for index in range(10):
        if at + index >= len(data):
            raise malformed()
        byte = data[at + index]
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value, at + index + 1
    raise malformed()


def write_varint(value: int) -> bytes:
    """Writes a varint; a negative number takes ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def piece(number: int, data: bytes) -> bytes:
    """A field that has a length: text, bytes or a message."""
    return write_varint(number << 3 | LENGTH) + write_varint(len(data)) + data


def malformed() -> ValueError:
    """What is raised for bytes that are no message."""
    return ValueError("the bytes are no such message")
