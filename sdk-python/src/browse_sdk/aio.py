"""The same client for `asyncio`: every method is awaited."""

from __future__ import annotations

from ._aio import Pool, exchange
from ._call import Context
from ._generated.async_commands import AsyncCommands
from ._place import context_of
from ._remote import REDEEM_TIMEOUT, Redemption, kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["AsyncBrowse", "connect", "redeem", "remote"]


class AsyncBrowse(AsyncCommands):
    """Drives the browser: every command as a coroutine."""

    def tab(self, id: int) -> AsyncBrowse:
        """The same client, acting on this tab."""
        return self._with(self._context.replace(tab=id))

    def session(self, name: str) -> AsyncBrowse:
        """The same client, acting in this session."""
        return self._with(self._context.replace(session=name))

    def with_timeout(self, seconds: float) -> AsyncBrowse:
        """The same client, with this deadline for each call."""
        return self._with(self._context.replace(timeout=seconds))

    async def __aenter__(self) -> AsyncBrowse:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _with(self, context: Context) -> AsyncBrowse:
        return AsyncBrowse(context, self._pool)


def connect(
    address: str | None = None,
    token: str | None = None,
    *,
    tab: int | None = None,
    session: str | None = None,
    timeout: float | None = None,
) -> AsyncBrowse:
    """As `browse_sdk.connect`; `close` or `async with` ends its connections."""
    return AsyncBrowse(context_of(address, token, tab, session, timeout))


async def redeem(
    block: str, *, keep: str | None = None, tab: int | None = None, timeout: float | None = None
) -> AsyncBrowse:
    """As `browse_sdk.redeem`."""
    offer = Redemption(block, keep)
    pool: Pool = {}
    async for answer in exchange(offer.context, pool, offer.data, REDEEM_TIMEOUT, dict):
        offer.take(answer)
    return AsyncBrowse(offer.context.replace(tab=tab, timeout=timeout), pool)


def remote(name: str, *, tab: int | None = None, timeout: float | None = None) -> AsyncBrowse:
    """As `browse_sdk.remote`."""
    return AsyncBrowse(kept(name).replace(tab=tab, timeout=timeout))
