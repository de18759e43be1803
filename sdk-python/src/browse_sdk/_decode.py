"""Protobuf to answers. Fields that the tables do not know are skipped, so that
a vendored copy goes on working with a newer daemon."""

from __future__ import annotations

import struct

from ._encode import ANY_PREFIX
from ._message import Message
from ._table import Field, fields_of, words_of
from ._types import class_of
from ._wire import entries, malformed, varint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ZEROS: dict[str, Any] = {"b": False, "u": 0, "i": 0, "d": 0.0, "s": "", "e": "", "y": b""}


def decode(message: str, data: bytes) -> Message:
    """Decodes a message. Fields that are not optional are always there."""
    fields = fields_of(message)
    out = {field.name: _zero_of(field) for field in fields}
    by_number = {field.number: field for field in fields}
    for number, raw in entries(data):
        field = by_number.get(number)
        if field is not None:
            _put_value(out, field, raw)
    return class_of(message)(**out)


def _zero_of(field: Field) -> Any:
    if field.mark == "*":
        return []
    if field.kind == "M":
        return {}
    return None if field.mark == "?" else _ZEROS.get(field.kind)


def _put_value(out: dict[str, Any], field: Field, raw: int | bytes) -> None:
    if field.kind == "M":
        key, text = _read_pair(_bytes_read(raw))
        out[field.name][_read_text(key)] = _read_text(text)
    elif field.mark != "*":
        out[field.name] = _value_of(field, raw)
    elif isinstance(raw, bytes) and field.kind in "buie":
        at = 0
        while at < len(raw):
            number, at = varint(raw, at)
            out[field.name].append(_value_of(field, number))
    else:
        out[field.name].append(_value_of(field, raw))


def _value_of(field: Field, raw: int | bytes) -> Any:
    kind = field.kind
    if kind in "buie":
        return _read_number(field, raw)
    data = _bytes_read(raw)
    if kind == "s":
        return _read_text(data)
    if kind == "m":
        return decode(field.type, data)
    if kind == "j":
        import json

        return json.loads(data or b"null")
    if kind == "d":
        return struct.unpack("<d", data)[0]
    if kind == "a":
        name, body = _read_pair(data)
        return decode(_read_text(name).removeprefix(ANY_PREFIX), body)
    return data


def _read_number(field: Field, raw: int | bytes) -> Any:
    if not isinstance(raw, int):
        raise malformed()
    if field.kind == "b":
        return raw != 0
    if field.kind == "e":
        words = words_of(field.type)
        return words[raw] if raw < len(words) else str(raw)
    if field.kind == "i":
        return (raw & 0xFFFFFFFF ^ 0x80000000) - 0x80000000
    return raw


def _read_pair(data: bytes) -> tuple[bytes, bytes]:
    found = {number: raw for number, raw in entries(data) if isinstance(raw, bytes)}
    return found.get(1, b""), found.get(2, b"")


def _bytes_read(raw: int | bytes) -> bytes:
    if isinstance(raw, int):
        raise malformed()
    return raw


def _read_text(data: bytes) -> str:
    # Page text may hold halves of surrogate pairs.
    return data.decode(errors="replace")
