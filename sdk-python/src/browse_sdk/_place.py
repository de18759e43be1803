"""Where the daemon is: the environment of a skill, else the state file of the
project that the working directory belongs to."""

from __future__ import annotations

import os

from ._error import BrowseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def find(address: str | None, token: str | None) -> tuple[str, str]:
    """Address and token of the daemon; what is given counts first."""
    variable = os.environ.get
    address = address or variable("BROWSE_ADDR")
    token = token or variable("BROWSE_SKILL_TOKEN") or variable("BROWSE_TOKEN")
    if not address:
        address, root = _state(_state_path())
        token = token or root
    return address.removeprefix("http://").rstrip("/"), token or ""


def _state(path: str) -> tuple[str, str]:
    """Address and token of a state file."""
    state = own_json(path, _invalid)
    if state is None:
        raise BrowseError(
            "DAEMON_NOT_RUNNING",
            "no daemon runs for this folder, and BROWSE_ADDR is not set",
            hint="Run `browse status`, or the skill with `browse skill run NAME`",
            code=14,
        )
    address = str(state.get("address", "")).removeprefix("http://").rstrip("/")
    host, _, port = address.rpartition(":")
    if not port.isdigit() or not (host == "[::1]" or _is_loopback(host)):
        raise _invalid(path, "its address is not on this machine")
    token = state.get("token")
    if not isinstance(token, str) or not token:
        raise _invalid(path, "it holds no token")
    return address, token


def own_json(path: str, invalid: Callable[[str, str], BrowseError]) -> dict[str, Any] | None:
    """What a file of JSON holds; None when there is no file. Whoever can write it
    can have our calls, so it counts only when it is ours alone: a checkout of a
    repository that carries one never has its mode.
    """
    import errno
    import json
    import stat

    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        fault = "it is a link" if error.errno == errno.ELOOP else "it cannot be read"
        raise invalid(path, fault) from None
    about = os.fstat(file)
    if not stat.S_ISREG(about.st_mode):
        os.close(file)
        raise invalid(path, "it is no plain file")
    with open(file, encoding="utf-8", errors="replace") as text:
        if about.st_uid != os.geteuid():
            raise invalid(path, "it belongs to another user")
        if about.st_mode & 0o077:
            raise invalid(path, "others may open it")
        try:
            value = json.load(text)
        except (ValueError, RecursionError):
            raise invalid(path, "it is no JSON") from None
    return value if isinstance(value, dict) else {}


def _is_loopback(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdigit() for part in parts)


def _invalid(path: str, fault: str) -> BrowseError:
    return BrowseError(
        "STATE_FILE_INVALID",
        f"the state file `{path}` cannot be used: {fault}",
        hint=f"Remove {path}",
        metadata={"path": path},
        code=9,
    )


def _state_path() -> str:
    named = os.environ.get("BROWSE_STATE_FILE")
    if named:
        return os.path.abspath(named)
    project = os.environ.get("BROWSE_PROJECT")
    return os.path.join(project or _top(os.getcwd()), ".browse", "daemon.json")


def _top(folder: str) -> str:
    """The top level of the git checkout that holds `folder`, else `folder`."""
    place = folder
    while not os.path.exists(os.path.join(place, ".git")):
        parent = os.path.dirname(place)
        if parent == place:
            return folder
        place = parent
    return place
