"""What browse_sdk.py offers, with its types: editors and type checkers read this."""

import builtins
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

class Message:
    """An answer, or a part of one. Absent optional fields are None."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data, for `json.dumps`; absent ones are left out."""

class BrowseError(Exception):
    """Why a call failed."""

    reason: str
    """One of `docs/errors.md`, such as `REF_STALE`."""

    message: str
    """What is wrong."""

    hint: str
    """What to do next."""

    metadata: dict[str, str]
    """The values that the message is made of."""

    code: int
    """The gRPC status code."""

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later, and did nothing so far."""
    def __init__(
        self,
        reason: str,
        message: str,
        *,
        hint: str = "",
        metadata: Mapping[str, str] | None = None,
        code: int = 2,
    ) -> None: ...

class Saved(Message):
    """A file that was saved."""

    path: str
    """Where it lies."""

    url: str
    """Where it comes from."""

    mime: str
    """Its MIME type."""

    bytes: int
    """Its size in bytes."""

    sha256: str
    """SHA-256 of its bytes, in hexadecimal."""

    note: str
    """What to know of it."""

class SavedFolder(Message):
    """What came of saving several files."""

    folder: str
    """Folder that holds them."""

    manifest: str
    """Its list of what came from where; a second run leaves out what it proves to be there."""

    saved: list[dict[str, Any]]
    """What was saved: url, file (the name in the folder), mime, bytes, sha256."""

    present: int
    """How many were there already."""

    failed: list[dict[str, str]]
    """What could not be saved: url, reason, message."""

class Browse(Commands):
    """Drives the browser: every command as a method."""

    def tab(self, id: int) -> Browse:
        """The same client, acting on this tab."""
    def session(self, name: str) -> Browse:
        """The same client, acting in this session."""
    def with_timeout(self, seconds: float) -> Browse:
        """The same client, with this deadline for each call."""

def connect(
    address: str | None = None,
    token: str | None = None,
    *,
    tab: int | None = None,
    session: str | None = None,
    timeout: float | None = None,
) -> Browse:
    """Makes a client; what is left out comes from the environment, or from the
    state file of the project. `timeout` is the deadline of each call in seconds.
    """

def skill(main: Callable[[dict[str, str], Browse], Any]) -> Callable[[dict[str, str], Browse], Any]:
    """Runs `main` when its module is the program: hands it the arguments, prints
    what it returns as the one JSON document of the run, and reports an error on
    standard error. A test that imports the module runs nothing.
    """
