"""File names that a page or a server chose, made harmless. The rules are those of
the command line."""

from __future__ import annotations

# Longest name, in bytes: there is room for a number, and for a draft's name.
_MAX_NAME = 120

# Marks of direction, zero-width letters and tags: they make a name read as another one.
_INVISIBLE = (
    "[\\x00-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\ufe00-\\ufe0f\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e0fff]"
)


def safe_name(wanted: str) -> str:
    """A plain file name out of `wanted`: its last component, without what other
    systems refuse, what hides or what drives a terminal. Never empty, never a
    path, never hidden, never a flag.
    """
    import re

    parts = [part for part in re.split(r"[/\\]", wanted) if part.strip()]
    plain = re.sub(r'[<>:"|?*]', "_", parts[-1] if parts else "")
    plain = re.sub(r"\s", " ", re.sub(_INVISIBLE, "", plain)).strip(" .")
    if plain[:1] in ("-", "~"):
        plain = f"_{plain[1:]}"
    name = _short(plain)
    stem = name.split(".")[0].rstrip()
    if re.fullmatch("con|prn|aux|nul|(com|lpt)[^0]", stem, re.IGNORECASE):
        return f"_{name}"
    return name or "download"


def _short(name: str) -> str:
    """Cuts the stem, and keeps the extension."""
    if len(name.encode()) <= _MAX_NAME:
        return name
    stem, dot, end = name.rpartition(".")
    if not dot or len(end.encode()) > 12:
        stem, dot, end = name, "", ""
    cut = stem.encode()[: _MAX_NAME - len((dot + end).encode())].decode(errors="ignore")
    return cut.rstrip(" .") + dot + end
