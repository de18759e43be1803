"""The client that callers hold."""

from __future__ import annotations

from ._generated.commands import Commands
from ._place import context_of


class Browse(Commands):
    """Drives the browser: every command as a method."""

    def tab(self, id: int) -> Browse:
        """The same client, acting on this tab."""
        return Browse(self._context.replace(tab=id))

    def session(self, name: str) -> Browse:
        """The same client, acting in this session."""
        return Browse(self._context.replace(session=name))

    def with_timeout(self, seconds: float) -> Browse:
        """The same client, with this deadline for each call."""
        return Browse(self._context.replace(timeout=seconds))


def connect(
    address: str | None = None,
    token: str | None = None,
    *,
    tab: int | None = None,
    session: str | None = None,
    timeout: float | None = None,
) -> Browse:
    """Makes a client; what is left out comes from the environment, which names a remote
    (`BROWSE_REMOTE`) or a daemon (`BROWSE_ADDR`), or from the state file of the project.
    `timeout` is the deadline of each call in seconds.
    """
    return Browse(context_of(address, token, tab, session, timeout))
