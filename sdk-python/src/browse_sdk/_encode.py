"""Plain data to protobuf."""

from __future__ import annotations

import struct

from ._message import Message
from ._table import Field, fields_of, words_of
from ._wire import FIXED64, VARINT, piece, write_varint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ANY_PREFIX = "type.googleapis.com/browse.v1."


def encode(message: str, value: Mapping[str, Any]) -> bytes:
    """Encodes a message; a field that it lacks, or of a wrong type, is a TypeError."""
    fields = fields_of(message)
    known = {field.name for field in fields}
    for name in value:
        if name not in known:
            raise TypeError(f"`{message}` has no field `{name}`")
    out = bytearray()
    for field in fields:
        given = value.get(field.name)
        if given is not None:
            for item in _items_of(field, given):
                out += _encode_one(field, item)
    return bytes(out)


def _items_of(field: Field, given: Any) -> Any:
    if field.kind == "M":
        return given.items()
    if field.mark != "*":
        return [given]
    if not isinstance(given, (list, tuple)):
        raise _wrong_type(field, "a list")
    return given


def _encode_one(field: Field, value: Any) -> bytes:
    kind, number = field.kind, field.number
    if kind == "b":
        return _write_number(number, int(bool(value)))
    if kind in "ui":
        if not isinstance(value, int) or isinstance(value, bool) or (kind == "u" and value < 0):
            raise _wrong_type(field, "a whole number")
        return _write_number(number, value)
    if kind == "e":
        words = words_of(field.type)
        if value not in words:
            raise _wrong_type(field, f"one of {', '.join(filter(None, words))}")
        return _write_number(number, words.index(value))
    if kind == "d":
        return write_varint(number << 3 | FIXED64) + struct.pack("<d", value)
    return piece(number, _bytes_to_send(field, value))


def _bytes_to_send(field: Field, value: Any) -> bytes:
    kind = field.kind
    if kind == "s":
        if not isinstance(value, str):
            raise _wrong_type(field, "text")
        return value.encode()
    if kind == "j":
        import json

        return json.dumps(value).encode()
    if kind == "y":
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise _wrong_type(field, "bytes")
        return bytes(value)
    if kind == "M":
        key, text = value
        return piece(1, key.encode()) + piece(2, text.encode())
    given = value.to_dict() if isinstance(value, Message) else dict(value)
    if kind == "m":
        return encode(field.type, given)
    name = given.pop("@type")
    return piece(1, f"{ANY_PREFIX}{name}".encode()) + piece(2, encode(name, given))


def _write_number(number: int, value: int) -> bytes:
    return write_varint(number << 3 | VARINT) + write_varint(value)


def _wrong_type(field: Field, wanted: str) -> TypeError:
    return TypeError(f"`{field.name}` wants {wanted}")
