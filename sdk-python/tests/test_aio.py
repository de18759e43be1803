"""The same for `asyncio`."""

from __future__ import annotations

import asyncio
import unittest

from browse_sdk import BrowseError
from browse_sdk.aio import connect

from .fake import Call, Fake, Reply, failure


class Aio(unittest.IsolatedAsyncioTestCase):
    async def test_calls_run_at_the_same_time_and_reuse_connections(self) -> None:
        fake = Fake(lambda call: Reply([("GetUrlResponse", {"url": f"{call.connection}"})]))
        self.addCleanup(fake.close)
        async with connect(fake.address, "secret") as browse:
            urls = await asyncio.gather(*(browse.tab(tab).url() for tab in range(1, 6)))
            self.assertEqual(len(set(urls)), 5)
            self.assertIn(await browse.url(), urls)

    async def test_errors_and_silence_are_raised(self) -> None:
        def reply(call: Call) -> Reply:
            silent = call.path.endswith("Text")
            return Reply(silent=silent, error=failure("unavailable", "gone"))

        fake = Fake(reply)
        self.addCleanup(fake.close)
        async with connect(fake.address, "secret") as browse:
            with self.assertRaises(BrowseError) as raised:
                await browse.url()
            found = raised.exception.reason, raised.exception.code
            self.assertEqual(found, ("DAEMON_UNREACHABLE", 14))
            with self.assertRaises(BrowseError) as raised:
                await browse.with_timeout(-0.9).text()
            self.assertEqual(raised.exception.reason, "DEADLINE_EXCEEDED")
