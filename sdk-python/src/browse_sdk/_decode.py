"""The JSON of an answer to objects. Fields that the tables do not know are skipped,
so that a vendored copy goes on working with a newer daemon."""

from __future__ import annotations

from ._encode import ANY_PREFIX
from ._message import Message
from ._table import Field, fields_of
from ._types import class_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_ZEROS: dict[str, Any] = {"b": False, "u": 0, "i": 0, "d": 0.0, "s": "", "e": "", "y": b""}


def decode(message: str, value: Mapping[str, Any]) -> Message:
    """The message that `value` is. Fields that are not optional are always there."""
    out = {}
    for field in fields_of(message):
        given = value.get(field.key)
        if given is None:
            out[field.name] = _zero_of(field)
        elif field.mark == "*":
            out[field.name] = [_value_of(field, item) for item in given]
        else:
            out[field.name] = _value_of(field, given)
    return class_of(message)(**out)


def _zero_of(field: Field) -> Any:
    if field.mark == "*":
        return []
    if field.kind == "M":
        return {}
    return None if field.mark == "?" else _ZEROS.get(field.kind)


def _value_of(field: Field, value: Any) -> Any:
    kind = field.kind
    if kind in "ui":
        # Numbers of 64 bits travel as text.
        return int(value)
    if kind == "d":
        return float(value)
    if kind == "m":
        return decode(field.type, value)
    if kind == "j":
        import json

        return json.loads(value or "null")
    if kind == "y":
        import binascii

        return binascii.a2b_base64(value)
    if kind == "a":
        name = value.get("@type", "").removeprefix(ANY_PREFIX)
        return decode(name, value)
    if kind == "e":
        return str(value)
    return value
