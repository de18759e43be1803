"""A skill as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .fake import Fake, Reply, failure

SOURCE = Path(__file__).parents[1] / "src"
SCRIPT = """
from browse_sdk import skill

@skill
def main(args, browse):
    page = browse.goto(args["url"])
    return {"page": page, "loud": args["url"].upper()}
"""


class Skill(unittest.TestCase):
    def run_script(self, reply: Reply, script: str = SCRIPT) -> subprocess.CompletedProcess[str]:
        fake = Fake(lambda _call: reply)
        self.addCleanup(fake.close)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SOURCE),
            "BROWSE_ADDR": fake.address,
            "BROWSE_SKILL_TOKEN": "t",
            "BROWSE_SKILL_ARGS": '{"url": "http://a"}',
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "script.py"
            path.write_text(script)
            return subprocess.run(
                [sys.executable, path], env=environment, capture_output=True, text=True, timeout=60
            )

    def test_it_prints_what_main_returns(self) -> None:
        done = self.run_script(Reply([("GotoResponse", {"url": "http://a/", "title": "A"})]))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = {"url": "http://a/", "title": "A", "suggested_skills": []}
        self.assertEqual(json.loads(done.stdout), {"page": page, "loud": "HTTP://A"})

    def test_it_says_why_it_failed(self) -> None:
        done = self.run_script(Reply(error=failure("not_found", "none")))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("error: BUG: none", done.stderr)

    def test_a_module_that_is_imported_runs_nothing(self) -> None:
        done = self.run_script(Reply(), SCRIPT.replace("@skill", "__name__ = 'other'\n@skill"))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
