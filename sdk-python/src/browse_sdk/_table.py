"""Reads the generated tables: one line of text per message, parsed at first use."""

from __future__ import annotations

from ._generated.tables import ENUMS, MESSAGES


class Field:
    """A field of a message."""

    __slots__ = ("name", "key", "mark", "kind", "type")

    def __init__(self, name: str, mark: str, kind: str, type: str) -> None:
        self.name = name
        # Its name in JSON: words of Python have a dash behind them.
        self.key = name.rstrip("_")
        # "?" optional, "*" repeated, or "".
        self.mark = mark
        # b bool, u unsigned, i signed, d double, s text, j JSON in text,
        # y bytes, e enum, m message, M map of text, a Any.
        self.kind = kind
        # The message or enum, for kinds m and e.
        self.type = type


_parsed: dict[str, list[Field]] = {}
_words: dict[str, list[str]] = {}


def fields_of(message: str) -> list[Field]:
    """The fields of a message."""
    fields = _parsed.get(message)
    if fields is None:
        if message not in MESSAGES:
            raise TypeError(f"unknown message `{message}`")
        fields = _parsed[message] = [_field(entry) for entry in MESSAGES[message].split()]
    return fields


def words_of(enum: str) -> list[str]:
    """The words of an enum; the place of a word is its number."""
    words = _words.get(enum)
    if words is None:
        words = _words[enum] = ENUMS.get(enum, "").split(" ")
    return words


def _field(entry: str) -> Field:
    """Reads `max_tokens:?u`: name, mark, kind, type."""
    name, rest = entry.split(":")
    mark = rest[0] if rest[0] in "?*" else ""
    rest = rest[len(mark) :]
    return Field(name, mark, rest[0], rest[1:])
