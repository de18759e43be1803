"""Writes what a command saves, by the rules of the command line: a file appears
whole or not at all, a name that a page chose is made harmless and replaces
nothing, and settings, hooks and credentials are out of reach."""

from __future__ import annotations

import os

from ._error import BrowseError
from ._message import Message
from ._names import safe_name
from ._output import OutputFile, Refused, make_folder, own_folder
from ._output_rule import is_loaded, is_obeyed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MANIFEST = "manifest.json"

# Bytes that a manifest may have; a larger one is not ours.
_MAX_MANIFEST = 32 << 20


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


class FileSink:
    """Saves the one file of a stream as `place`, in the folder `place`, or in the
    temp directory.
    """

    fields: dict[str, Any] = {}

    def __init__(self, place: str | None) -> None:
        self._place = place
        self._named_by_page = place is None or place.endswith("/") or os.path.isdir(place)
        self._draft: _Draft | None = None
        self._saved: Saved | None = None

    def feed(self, part: Any) -> None:
        if part.head is not None:
            by, path = "caller", self._place or ""
            if self._named_by_page:
                by = "page" if path else "nobody"
                path = os.path.join(path or own_folder(), _name_of_page(part.head.name))
            self._draft = _Draft(path, part.head, by)
        if part.data and self._draft:
            self._draft.add(part.data)
        if part.tail is not None and part.tail.reason:
            raise BrowseError(part.tail.reason, part.tail.message, code=9)
        if part.tail is not None and self._draft:
            path = self._draft.finish(part.tail)
            row = _row(self._draft.head, part.tail)
            self._saved = Saved(path=path, **row, note=part.tail.note)

    def result(self) -> Saved:
        if self._saved is None:
            raise BrowseError("BUG", "the command ended without an answer", code=13)
        return self._saved

    def close(self) -> None:
        if self._draft:
            self._draft.discard()


class FolderSink:
    """Saves the files of a stream into a folder, together with a manifest."""

    def __init__(self, place: str | None) -> None:
        folder = place or own_folder()
        try:
            make_folder(folder)
        except (OSError, Refused) as error:
            raise _unwritable(folder, error) from None
        self._folder = folder
        self._known = _read_manifest(folder)
        self._open: dict[int, _Draft] = {}
        self._out = SavedFolder(
            folder=folder,
            manifest=os.path.join(folder, _MANIFEST),
            saved=[],
            present=0,
            failed=[],
        )
        # What the daemon need not send again.
        self.fields = {"known": [row["url"] for row in self._known]}

    def feed(self, part: Any) -> None:
        if part.head is not None:
            name = _name_of_page(part.head.name)
            name = f"_{name}" if name.lower() == _MANIFEST else name
            self._open[part.file] = _Draft(os.path.join(self._folder, name), part.head, "page")
        if part.data and part.file in self._open:
            self._open[part.file].add(part.data)
        if part.tail is not None:
            self._settle(self._open.pop(part.file, None), part.tail)

    def _settle(self, draft: _Draft | None, tail: Any) -> None:
        out = self._out
        try:
            if tail.known:
                out.present += 1
            elif tail.reason:
                row = {"url": tail.url, "reason": tail.reason, "message": tail.message}
                out.failed.append(row)
            elif draft:
                path = draft.finish(tail)
                row = _row(draft.head, tail)
                url = row.pop("url")
                out.saved.append({"url": url, "file": os.path.basename(path), **row})
        finally:
            if draft:
                draft.discard()

    def result(self) -> SavedFolder:
        return self._out

    def close(self) -> None:
        import json

        for draft in self._open.values():
            draft.discard()
        saved = {row["url"] for row in self._out.saved}
        rows = [row for row in self._known if row["url"] not in saved] + self._out.saved
        document = {"version": 1, "files": rows, "failed": self._out.failed}
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        draft = _Draft(self._out.manifest, None, "caller")
        try:
            draft.add(text.encode(errors="backslashreplace"))
            draft.place()
        finally:
            draft.discard()


class _Draft:
    """A file under way, and the hash of what it is to hold."""

    def __init__(self, path: str, head: Any, by: str) -> None:
        import hashlib

        self.head = head
        self._path = path
        self._hash = hashlib.sha256()
        self._bytes = 0
        try:
            self._file = OutputFile(path, by)
        except (OSError, Refused) as error:
            raise _unwritable(path, error) from None

    def add(self, data: bytes) -> None:
        self._hash.update(data)
        self._bytes += len(data)
        try:
            self._file.add(data)
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def finish(self, tail: Any) -> str:
        """Puts it where it is to be, when it is what was sent."""
        if tail.bytes != self._bytes or tail.sha256 != self._hash.hexdigest():
            raise BrowseError("BUG", f"`{self._path}` did not arrive as it was sent", code=13)
        return self.place()

    def place(self) -> str:
        try:
            return self._file.finish()
        except (OSError, Refused) as error:
            raise _unwritable(self._path, error) from None

    def discard(self) -> None:
        """Takes away what is half written."""
        self._file.discard()


def _name_of_page(wanted: str) -> str:
    """The name of a file that a page chose, made harmless: programs do not obey it."""
    name = safe_name(wanted)
    if not is_obeyed(name) and not is_loaded(name):
        return name
    # Some extensions are obeyed whatever stands before them.
    return f"_{name}.txt" if is_obeyed(f"_{name}") else f"_{name}"


def _row(head: Any, tail: Any) -> dict[str, Any]:
    return {"url": head.url, "mime": head.mime, "bytes": tail.bytes, "sha256": tail.sha256}


def _read_manifest(folder: str) -> list[dict[str, Any]]:
    """The rows that speak of a plain file in the folder that is as they say. It may
    come from anywhere.
    """
    import json

    path = os.path.join(folder, _MANIFEST)
    if not os.path.exists(path):
        return []
    rows = None
    try:
        if os.path.isfile(path) and os.stat(path).st_size <= _MAX_MANIFEST:
            with open(path, encoding="utf-8") as file:
                rows = json.load(file)["files"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    if not isinstance(rows, list):
        # It is not ours, and would be lost.
        raise BrowseError(
            "FILE_UNWRITABLE",
            f"`{path}` is there, and is not a list of saved files",
            hint="Give another folder, or move that file away",
            metadata={"path": path},
            code=3,
        )
    try:
        return [row for row in rows if _is_true(folder, row)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _is_true(folder: str, row: dict[str, Any]) -> bool:
    import hashlib
    import stat

    name = row["file"]
    if not isinstance(row["url"], str) or safe_name(name) != name or name == _MANIFEST:
        return False
    path = os.path.join(folder, name)
    if not os.path.lexists(path):
        return False
    about = os.lstat(path)
    if not stat.S_ISREG(about.st_mode) or about.st_size != row["bytes"]:
        return False
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest() == row["sha256"]


def _unwritable(path: str, why: object) -> BrowseError:
    message = f"`{path}` is not written: {why}"
    hint = "Give another path; a program may move the file itself"
    if isinstance(why, OSError):
        message = f"`{path}` cannot be written: {why.strerror}"
        hint = "Give another path"
    return BrowseError("FILE_UNWRITABLE", message, hint=hint, metadata={"path": path}, code=3)
