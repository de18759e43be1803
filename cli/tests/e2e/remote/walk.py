"""The walk of a remote agent, with the Python SDK."""

import sys

from browse_sdk import BrowseError, redeem, remote


def reason(work):
    try:
        work()
    except BrowseError as error:
        assert error.hint and str(error), error
        return f"{error.reason} {error.retryable}"
    return "nothing"


block, pin, url = sys.argv[1:]
print(reason(lambda: redeem(block.replace("pin-", "pin-0"))))
print(reason(lambda: redeem(block.replace(pin, "0" * 64))))
print(reason(lambda: remote("nobody")))
redeem(block, keep="py")
browse = remote("py", timeout=100)
browse.new_tab()
print(browse.goto(url).status)
tree = browse.snapshot(interactive=True).tree
reference = next(line for line in tree.splitlines() if "Press" in line).split()[0]
browse.click(reference)
print("Pressed" in browse.text())
opened = browse.batch([{"request": {"@type": "NewTabRequest", "url": url}}] * 20)
tabs = [step.response.tab_id for step in opened]
read = browse.batch([{"tab": tab, "request": {"@type": "TextRequest"}} for tab in tabs])
print(sum("Hello" in step.response.text for step in read))
print(reason(lambda: redeem(block)))
print("waiting", flush=True)
print(reason(lambda: browse.wait("#never")), flush=True)
print(reason(lambda: browse.text()))
