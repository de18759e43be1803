"""Where the daemon is: the environment of a skill, else the state file of the
project that the working directory belongs to."""

from __future__ import annotations

import os

from ._error import BrowseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def find(address: str | None, token: str | None) -> tuple[str, str]:
    """Address and token of the daemon; what is given counts first."""
    variable = os.environ.get
    address = address or variable("BROWSE_ADDR")
    token = token or variable("BROWSE_SKILL_TOKEN") or variable("BROWSE_TOKEN")
    if not address:
        state = _state()
        address, token = state.get("address"), token or state.get("token")
    if not address:
        raise BrowseError(
            "DAEMON_NOT_RUNNING",
            "no daemon runs for this folder, and BROWSE_ADDR is not set",
            hint="Run `browse status`",
            code=14,
        )
    return address.removeprefix("http://").rstrip("/"), token or ""


def _state() -> dict[str, str]:
    import json

    for path in _files():
        try:
            with open(path, encoding="utf-8") as file:
                state = json.load(file)
        except (OSError, ValueError):
            continue
        return state if isinstance(state, dict) else {}
    return {}


def _files() -> Iterator[str]:
    named = os.environ.get("BROWSE_STATE_FILE")
    if named:
        yield named
        return
    project = os.environ.get("BROWSE_PROJECT")
    yield os.path.join(project or _top(os.getcwd()), ".browse", "daemon.json")


def _top(folder: str) -> str:
    """The top level of the git checkout that holds `folder`, else `folder`."""
    place = folder
    while not os.path.exists(os.path.join(place, ".git")):
        parent = os.path.dirname(place)
        if parent == place:
            return folder
        place = parent
    return place
