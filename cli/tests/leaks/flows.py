"""Runs the flows of flows.json, each up to the first step that fails."""

import json
from pathlib import Path

from _lib.browse_sdk import BrowseError, skill


@skill
def main(args, browse):
    done = failed = 0
    for flow in json.loads((Path(__file__).parent / "flows.json").read_text("utf-8")):
        for command, arguments in flow:
            try:
                browse.call(command, arguments)
                done += 1
            except BrowseError:
                failed += 1
                break
    return {"done": done, "failed": failed}
