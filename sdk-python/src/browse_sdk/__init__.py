"""Drives the browser of a browse daemon: every command as a method."""

from ._browse import Browse, connect
from ._error import BrowseError
from ._message import Message
from ._remote import redeem, remote
from ._skill import skill

__all__ = ["Browse", "BrowseError", "Message", "connect", "redeem", "remote", "skill"]
__version__ = "0.1.0"
