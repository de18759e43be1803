"""Where a command may write what a page served, and what it may replace there, by
the rule and the tables of the contract. `proto/tests/outputs.json` is the table
of cases."""

from __future__ import annotations

from ._generated.outputs import OUTPUTS
from ._message import Message

# Bytes of a file that its kind is told by.
HEAD = 4096


class Places(Message):
    """The folders that the rule goes by, with their links resolved."""

    own: list[str]
    """The project and the working directory."""

    temp: str

    home: str | None

    browse_home: str | None

    search: list[str]
    """The folders that programs are looked for in."""

    macos: bool


def _entries(table: str) -> list[str]:
    return OUTPUTS[table].split("|")


def _listed(table: str, word: str) -> bool:
    return word in _entries(table)


def _lower(path: str) -> list[str]:
    return [part for part in path.lower().split("/") if part]


def _within(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def is_loaded(name: str) -> bool:
    """Whether interpreters and tools load a file of this name from where they start."""
    return _listed("LOADED", _extension(name.lower()))


def is_obeyed(name: str) -> bool:
    """Whether programs run or obey a file of this name."""
    name = name.lower()
    for entry in _entries("NAMES"):
        begin, star, end = entry.partition("*")
        if name == entry or star and len(name) >= len(entry) - 1 and _fits(name, begin, end):
            return True
    return False


def _fits(name: str, begin: str, end: str) -> bool:
    return name.startswith(begin) and name.endswith(end)


def refusal(places: Places, path: str) -> str | None:
    """Why nothing is written at `path`, whose links are resolved."""
    parts = _lower(path)
    if not parts:
        return None
    folders, name = parts[:-1], parts[-1]
    for part in parts:
        if _listed("CLOSED", part):
            return f"`{part}` holds settings, hooks or credentials"
    if places.browse_home and _within(path, places.browse_home):
        return "settings of browse lie there"
    fault = _settings(parts, name)
    if fault:
        return fault
    parent = path[: path.rindex("/")] or "/"
    programs = [f"{places.home}/{part}" for part in _entries("HOME_PROGRAMS")]
    if parent in places.search or parent in programs:
        return f"programs are looked for in `{parent}`"
    base = _base(places, path)
    system = None if base else _system(parts, places.macos)
    if system:
        return f"`{system}` is a folder of the system"
    if places.macos and _is_library(places, path, base):
        return "programs keep their settings in `Library`"
    begin = len(_lower(base)) if base else 0
    for index, part in list(enumerate(parts))[begin:]:
        # What `_settings` let through, and the folders that Rust's `tempfile` makes.
        kept = base == places.temp and index == begin and part.startswith(".tmp")
        ours = (part == ".browse" or kept) and index < len(folders)
        if part.startswith(".") and not ours:
            return f"`{part}` begins with a dot"
    for part in folders[begin:]:
        if _listed("FOLDERS", part):
            return f"programs run or obey what lies in `{part}`"
    return f"programs run or obey a file named `{name}`" if is_obeyed(name) else None


def _base(places: Places, path: str) -> str | None:
    """The innermost of our folders that `path` lies in."""
    found = None
    for base in [*places.own, places.temp]:
        if _within(path, base) and path != base and _is_own(base, places.macos):
            if found is None or len(_lower(base)) >= len(_lower(found)):
                found = base
    return found


def _is_own(base: str, macos: bool) -> bool:
    """Whether what lies below `base` can be a working directory's own."""
    parts = _lower(base)
    if not parts or not _system(parts, macos):
        return bool(parts)
    shown = "/" + "/".join(parts)
    if _within(shown, "/usr"):
        rest = parts[2:] if parts[1:2] == ["local"] else parts[1:]
        return bool(rest) and not _listed("PROGRAMS", rest[0])
    return any(_within(shown, open_) for open_ in _entries("OPEN"))


def _system(parts: list[str], macos: bool) -> str | None:
    """The folder of the system that a path lies in."""
    shown = "/" + "/".join(parts)
    # Units of the session manager lie beside its sockets.
    units = parts[3:4] == ["systemd"]
    if not units and any(_within(shown, shared) for shared in _entries("SHARED")):
        return None
    folders = _entries("SYSTEM") + (_entries("SYSTEM_OF_MACOS") if macos else [])
    return next((folder for folder in folders if _within(shown, folder)), None)


def _is_library(places: Places, path: str, base: str | None) -> bool:
    if not places.home or not _within(path, places.home):
        return False
    if base and _within(base, f"{places.home}/Library"):
        return False
    inner = _lower(path[len(places.home) :])
    return inner[:1] == ["library"] and inner[1:2] not in (["mobile documents"], ["cloudstorage"])


def _settings(parts: list[str], name: str) -> str | None:
    """Whether it is a file of ours in a `.browse`, other than what commands save there."""
    if ".browse" not in parts:
        return None
    inner = parts[parts.index(".browse") + 1 :]
    if inner[:1] == ["downloads"] and len(inner) > 1:
        return None
    if inner[:1] != ["skills"]:
        return "settings of browse lie there"
    # A skill is source code; pages that it is tested with are not.
    end = _extension(name)
    is_data = _listed("DATA", end) or _expected(end)
    return None if is_data and len(inner) > 1 else f"`{name}` is part of a skill"


def _extension(name: str) -> str:
    stem, _, end = name.rpartition(".")
    return end if stem else ""


def _expected(extension: str) -> str | None:
    """The kind that an extension promises."""
    pairs = dict(entry.split(" ") for entry in _entries("EXPECTED"))
    return pairs.get(extension)


def kind_of(head: bytes) -> str:
    """The kind of a file by its first bytes; `text` for text, empty when they say nothing."""
    digits = head[:32].hex()
    for entry in _entries("FIRST_BYTES"):
        pattern, kind = entry.split(" ")
        if len(digits) >= len(pattern) and all(a in (".", b) for a, b in zip(pattern, digits)):
            return kind
    return "text" if _is_text(head) else ""


def _is_text(head: bytes) -> bool:
    if not head or any(byte < 32 and byte not in b"\t\n\r\x0c\x1b" for byte in head):
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        # A letter may be cut in two at the end.
        return len(head) == HEAD and error.reason == "unexpected end of data"
    return True


def contradiction(name: str, head: bytes) -> str | None:
    """Why what begins with `head` is not written as `name`."""
    end = _extension(name.lower())
    is_code = _listed("CODE", end)
    wanted = _expected(end) or ("text" if is_code or _listed("DATA", end) else None)
    kind = kind_of(head)
    pictures = _entries("PICTURES")
    if not wanted or not kind or kind == wanted or kind in pictures and wanted in pictures:
        return None
    # Programs have extensions of code as well.
    if is_code and kind not in [*pictures, "PDF", "WebM", "ZIP"]:
        return None
    return f"the content is {_kind_name(kind)}, not {_kind_name(wanted)}"


def replacement(name: str, old: bytes, executable: bool, head: bytes) -> str | None:
    """Why the file `name`, which begins with `old`, is not replaced by what begins with `head`."""
    end = _extension(name.lower())
    was, now = kind_of(old), kind_of(head)
    if _listed("CODE", end):
        return f"it exists and holds code or settings, as `.{end}` says"
    is_known = _listed("DATA", end) or bool(_expected(end))
    if _listed("EXECUTABLE", was) or not is_known and (executable or old.startswith(b"#!")):
        return "it exists and is a program"
    if was == "text" and not is_known and end:
        return f"it exists, and `.{end}` is not known as data"
    if not old or was == now or not was or not now:
        return None
    return f"it exists and is {_kind_name(was)}, and the content is {_kind_name(now)}"


def _kind_name(kind: str) -> str:
    return "text" if kind == "text" else f"a {kind} file"
