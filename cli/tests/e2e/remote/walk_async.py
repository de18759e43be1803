"""The walk of a remote agent, with the Python SDK and asyncio."""

import asyncio
import sys

from browse_sdk import BrowseError
from browse_sdk.aio import redeem, remote


async def reason(work):
    try:
        await work
    except BrowseError as error:
        assert error.hint and str(error), error
        return f"{error.reason} {error.retryable}"
    return "nothing"


async def kept(name):
    return remote(name)


async def main():
    block, pin, url = sys.argv[1:]
    print(await reason(redeem(block.replace("pin-", "pin-0"))))
    print(await reason(redeem(block.replace(pin, "0" * 64))))
    print(await reason(kept("nobody")))
    async with await redeem(block, keep="aio", timeout=100) as browse:
        await browse.new_tab()
        print((await browse.goto(url)).status)
        tree = (await browse.snapshot(interactive=True)).tree
        reference = next(line for line in tree.splitlines() if "Press" in line).split()[0]
        await browse.click(reference)
        print("Pressed" in await browse.text())
        opened = await browse.batch([{"request": {"@type": "NewTabRequest", "url": url}}] * 20)
        texts = [
            {"tab": step.response.tab_id, "request": {"@type": "TextRequest"}} for step in opened
        ]
        read = await browse.batch(texts)
        print(sum("Hello" in step.response.text for step in read))
        print(await reason(redeem(block)))
        print("waiting", flush=True)
        print(await reason(browse.wait("#never")), flush=True)
        print(await reason(remote("aio").text()))


asyncio.run(main())
