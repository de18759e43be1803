"""Where the daemon is: what the environment names, else the state file of the
project that the working directory belongs to."""

from __future__ import annotations

import os

from ._call import Context
from ._error import BrowseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What finds the remote of a name. A skill has none: its browser is that of its run.
remote_finders: list[Callable[[str], Context]] = []


def context_of(
    address: str | None,
    token: str | None,
    tab: int | None,
    session: str | None,
    timeout: float | None,
) -> Context:
    """The context of a client; what is None is found."""
    variable = os.environ.get
    session = (variable("BROWSE_SESSION") or None) if session is None else session
    # A run of a skill has both of these.
    is_skill = variable("BROWSE_ADDR") and variable("BROWSE_SKILL_TOKEN")
    name = None if address or is_skill else variable("BROWSE_REMOTE")
    if not name:
        return Context(*find(address, token), tab, session, timeout)
    for find_remote in remote_finders:
        return find_remote(name).replace(tab=tab, session=session, timeout=timeout)
    raise BrowseError(
        "SETTING_INVALID",
        "`BROWSE_REMOTE` names a remote, and the SDK of a skill has no remotes",
        hint="Unset BROWSE_REMOTE, or run the skill with `browse skill run NAME`",
        code=3,
    )


def find(address: str | None, token: str | None) -> tuple[str, str]:
    """Address and token of the daemon; what is given counts first."""
    variable = os.environ.get
    address = address or variable("BROWSE_ADDR")
    token = token or variable("BROWSE_TOKEN") or (variable("BROWSE_SKILL_TOKEN") if address else "")
    if not address:
        address, root = _state(_state_path())
        token = token or root
    return address.removeprefix("http://").rstrip("/"), token or ""


def _state(path: str) -> tuple[str, str]:
    """Address and token of a state file."""
    folder = os.path.dirname(path)
    home = os.environ.get("BROWSE_HOME") or f"{os.environ.get('HOME')}/.browse"
    # A project that was cloned may name another place so.
    if folder.endswith("/.browse") and folder != home and os.path.islink(folder):
        raise _invalid(path, "its folder is a link")
    state = own_json(path, _invalid)
    if state is None:
        raise BrowseError(
            "DAEMON_NOT_RUNNING",
            "no daemon runs for this folder, and BROWSE_ADDR is not set",
            hint="Run `browse goto about:blank` in this folder, which starts one; a skill runs with `browse skill run NAME`",
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
    """What a file of JSON holds; None when there is no file. Any user who can write it
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
    return os.path.join(project or project_of(os.getcwd()), ".browse", "daemon.json")


def project_of(start: str) -> str:
    """The project of a working directory: the nearest folder with a `.git`, else
    the nearest one below the home folder with a `.browse` of this user that nobody
    else can replace, else the directory itself. The command line decides alike;
    `proto/tests/projects.json` is the table of cases.
    """
    above = [start]
    while os.path.dirname(above[-1]) != above[-1]:
        above.append(os.path.dirname(above[-1]))
    for folder in above:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
    for index, folder in enumerate(above):
        if _is_same(folder, os.environ.get("HOME")):
            break
        if _is_project(folder) and not any(
            _is_writable_by_others(parent, sticky_protects=True) for parent in above[index + 1 :]
        ):
            return folder
    return start


def _is_project(folder: str) -> bool:
    import stat

    own = os.path.join(folder, ".browse")
    try:
        about = os.lstat(own)
    except OSError:
        return False
    return (
        stat.S_ISDIR(about.st_mode)
        and about.st_uid == os.geteuid()
        and not _is_same(own, os.environ.get("BROWSE_HOME"))
        and not _is_writable_by_others(folder, sticky_protects=False)
    )


def _is_writable_by_others(folder: str, *, sticky_protects: bool) -> bool:
    try:
        about = os.stat(folder)
    except OSError:
        return True
    by_group = about.st_mode & 0o020 and about.st_gid != about.st_uid
    protected = sticky_protects and about.st_mode & 0o1000
    return bool(by_group or about.st_mode & 0o002) and not protected


def _is_same(path: str, other: str | None) -> bool:
    try:
        return bool(other) and os.path.samefile(path, other or "")
    except OSError:
        return False
