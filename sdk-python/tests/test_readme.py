"""The lines that the README begins with."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from .fake import Call, Fake, Reply

ROOT = Path(__file__).parents[1]


class Readme(unittest.TestCase):
    def test_its_first_lines_run(self) -> None:
        found = re.match(r"# [^\n]*\n\n```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
        assert found
        self.assertLessEqual(len(found[1].splitlines()), 11)

        def reply(call: Call) -> Reply:
            if call.path.endswith("/Goto"):
                return Reply([("GotoResponse", {"status": 200, "title": "Example Domain"})])
            return Reply([("SnapshotResponse", {"tree": "@e1 link"})])

        fake = Fake(reply)
        self.addCleanup(fake.close)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "src"),
            "BROWSE_ADDR": fake.address,
            "BROWSE_TOKEN": "t",
        }
        done = subprocess.run(
            [sys.executable, "-B", "-c", found[1]], env=environment, capture_output=True, text=True
        )
        self.assertEqual(done.stdout + done.stderr, "200 Example Domain\n@e1 link\n")
