"""Finds the class of a message."""

from __future__ import annotations

from ._generated import messages
from ._message import Message


def class_of(message: str) -> type[Message]:
    """The class of the message `message`."""
    found: type[Message] = getattr(messages, message, Message)
    return found
