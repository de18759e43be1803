"""Where the daemon is found."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from browse_sdk import BrowseError
from browse_sdk._place import project_of, find


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
        self.assertEqual(find(None, None), ("unix:/s", "b"))
        del os.environ["BROWSE_TOKEN"]
        self.assertEqual(find(None, None), ("unix:/s", "a"))
        self.assertEqual(find("127.0.0.1:1", "c"), ("127.0.0.1:1", "c"))

    def test_a_project_is_found_from_within(self) -> None:
        (self.root / ".git").mkdir()
        (self.root / ".browse").mkdir()
        self.state({"address": "http://127.0.0.1:7", "token": "t"})
        (self.root / "deep" / "er").mkdir(parents=True)
        os.chdir(self.root / "deep" / "er")
        self.assertEqual(find(None, None), ("127.0.0.1:7", "t"))

    def test_the_project_is_found_as_the_command_line_finds_it(self) -> None:
        table = Path(__file__).parents[2] / "proto" / "tests" / "projects.json"
        for number, case in enumerate(json.loads(table.read_text())):
            owners = case.get("owner", {})
            if owners and os.geteuid() != 0:
                continue
            root = self.root / str(number)
            for path, mode in case["make"].items():
                (root / path).mkdir(parents=True, exist_ok=True)
                (root / path).chmod(int(mode, 8))
            for path, target in case.get("link", {}).items():
                (root / path).symlink_to(root / target)
            for path in case.get("file", []):
                (root / path).touch()
            for path, owner in owners.items():
                os.chown(root / path, owner, owner)
            os.environ["HOME"] = str(root / "h")
            os.environ["BROWSE_HOME"] = str(root / case.get("browse_home", "none"))
            with self.subTest(case["case"]):
                self.assertEqual(project_of(str(root / case["at"])), str(root / case["project"]))

    def state(self, state: object, mode: int = 0o600) -> Path:
        path = self.root / ".browse" / "daemon.json"
        path.write_text(state if isinstance(state, str) else json.dumps(state))
        path.chmod(mode)
        return path

    def test_a_state_file_counts_only_when_it_is_ours_alone(self) -> None:
        (self.root / ".browse").mkdir()
        os.environ["BROWSE_PROJECT"] = str(self.root)
        good = {"address": "127.0.0.1:7", "token": "t"}
        self.state(good)
        self.assertEqual(find(None, None), ("127.0.0.1:7", "t"))
        bad: list[tuple[object, int, str]] = [
            (good, 0o644, "others may open it"),
            ("{", 0o600, "it is no JSON"),
            ({**good, "address": "192.0.2.1:7"}, 0o600, "its address is not on this machine"),
            ({**good, "address": "127.0.0.1.evil.example:7"}, 0o600, "not on this machine"),
            ({**good, "token": ""}, 0o600, "it holds no token"),
        ]
        for state, mode, fault in bad:
            self.state(state, mode)
            self.refused("STATE_FILE_INVALID", fault)
        path = self.state(good)
        path.rename(self.root / "elsewhere")
        path.symlink_to(self.root / "elsewhere")
        self.refused("STATE_FILE_INVALID", "it is a link")
        path.unlink()
        self.refused("DAEMON_NOT_RUNNING", "no daemon runs")

    def refused(self, reason: str, message: str) -> None:
        with self.assertRaisesRegex(BrowseError, message) as raised:
            find(None, None)
        self.assertEqual(raised.exception.reason, reason)
