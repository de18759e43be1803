"""Plain data to the JSON of a request."""

from __future__ import annotations

from ._message import Message
from ._table import Field, fields_of, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ANY_PREFIX = "type.googleapis.com/browse.v1."


def encode(message: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a message; a field that it lacks, or of a wrong type, is a TypeError."""
    fields = {field.name: field for field in fields_of(message)}
    out: dict[str, Any] = {}
    for name, given in value.items():
        field = fields.get(name)
        if field is None:
            raise TypeError(f"`{message}` has no field `{name}`")
        if given is None:
            continue
        if field.mark != "*":
            out[field.key] = _encode_one(field, given)
        elif isinstance(given, (list, tuple)):
            out[field.key] = [_encode_one(field, item) for item in given]
        else:
            raise _wrong_type(field, "a list")
    return out


def _encode_one(field: Field, value: Any) -> Any:
    kind = field.kind
    if kind == "b":
        return bool(value)
    if kind in "ui":
        if not isinstance(value, int) or isinstance(value, bool) or (kind == "u" and value < 0):
            raise _wrong_type(field, "a whole number")
        return value
    if kind == "e":
        words = words_of(field.type)
        if value not in words:
            raise _wrong_type(field, f"one of {', '.join(filter(None, words))}")
        # The word of zero is empty: it has only its number.
        return value or 0
    if kind == "d":
        return float(value)
    if kind == "s":
        if not isinstance(value, str):
            raise _wrong_type(field, "text")
        return value
    if kind == "j":
        import json

        return json.dumps(value)
    if kind == "y":
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise _wrong_type(field, "bytes")
        import binascii

        return binascii.b2a_base64(value, newline=False).decode()
    if kind == "M":
        return dict(value)
    given = value.to_dict() if isinstance(value, Message) else dict(value)
    if kind == "m":
        return encode(field.type, given)
    name = given.pop("@type")
    return {"@type": f"{ANY_PREFIX}{name}", **encode(name, given)}


def _wrong_type(field: Field, wanted: str) -> TypeError:
    return TypeError(f"`{field.name}` wants {wanted}")
