"""Where the daemon is found."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from browse_sdk import BrowseError
from browse_sdk._place import find


class Place(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        self.enterContext_(mock.patch.dict(os.environ, {"PATH": os.defpath}, clear=True))

    def enterContext_(self, context: mock._patch_dict) -> None:
        # unittest has enterContext from 3.11 on.
        context.start()
        self.addCleanup(context.stop)

    def test_the_environment_of_a_skill_counts(self) -> None:
        os.environ.update(BROWSE_ADDR="unix:/s", BROWSE_SKILL_TOKEN="a", BROWSE_TOKEN="b")
        self.assertEqual(find(None, None), ("unix:/s", "a"))
        self.assertEqual(find("127.0.0.1:1", "c"), ("127.0.0.1:1", "c"))

    def test_a_project_is_found_from_within(self) -> None:
        (self.root / ".git").mkdir()
        (self.root / ".browse").mkdir()
        state = {"address": "127.0.0.1:7", "token": "t"}
        (self.root / ".browse" / "daemon.json").write_text(json.dumps(state))
        (self.root / "deep" / "er").mkdir(parents=True)
        os.chdir(self.root / "deep" / "er")
        self.assertEqual(find(None, None), ("127.0.0.1:7", "t"))
        (self.root / ".browse" / "daemon.json").write_text("{")
        with self.assertRaises(BrowseError) as raised:
            find(None, None)
        self.assertEqual(raised.exception.reason, "DAEMON_NOT_RUNNING")
