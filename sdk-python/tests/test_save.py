"""What is downloaded, and where it may lie."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

from browse_sdk import Browse, BrowseError, connect
from browse_sdk._names import safe_name

from .fake import Fake, Reply

HI = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"


def parts(file: int, name: str, sha256: str = HI) -> list[tuple[str, dict[str, Any]]]:
    """The parts of a file that holds `hi`."""
    head = {"url": f"http://x/{file}", "name": name, "mime": "text/plain"}
    tail = {"bytes": 2, "sha256": sha256}
    every: list[dict[str, Any]] = [{"head": head}, {"data": b"hi"}, {"tail": tail}]
    return [("FilePart", {"file": file, **part}) for part in every]


class Save(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def client(self, *messages: tuple[str, dict[str, Any]]) -> tuple[Browse, Fake]:
        fake = Fake(lambda _call: Reply(list(messages)))
        self.addCleanup(fake.close)
        return connect(fake.address, "t"), fake

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_name_of_the_page_is_made_harmless_and_replaces_nothing(self) -> None:
        for name in ("a.txt", "../../a.txt", ".bashrc", "--rf\u202e", "json.py", "x.desktop"):
            browse, _ = self.client(*parts(0, name))
            browse.download("http://x", str(self.folder))
        self.assertEqual(
            self.names(), ["_-rf", "_json.py", "_x.desktop.txt", "a-2.txt", "a.txt", "bashrc"]
        )
        browse, _ = self.client(*parts(0, "x"))
        saved = browse.download("http://x", str(self.folder / "a.txt"))
        self.assertEqual((saved.path, saved.bytes), (str(self.folder / "a.txt"), 2))
        self.assertEqual(len(self.names()), 6)

    def test_what_did_not_arrive_as_it_was_sent_is_not_there(self) -> None:
        browse, _ = self.client(*parts(0, "a.txt", "00"))
        with self.assertRaises(BrowseError):
            browse.download("http://x", str(self.folder))
        self.assertEqual(self.names(), [])

    def test_settings_hooks_and_credentials_are_out_of_reach(self) -> None:
        browse, _ = self.client(*parts(0, "x"))
        for inner in (".git/hooks", ".ssh", ".browse/skills"):
            os.makedirs(self.folder / inner)
        (self.folder / "link").symlink_to(self.folder / ".ssh")
        for path in (".git/hooks/x", ".ssh/a", "link/a", ".browse/config.toml", ".env", "none/a"):
            with self.assertRaises(BrowseError, msg=path) as raised:
                browse.download("http://x", str(self.folder / path))
            self.assertEqual(raised.exception.reason, "FILE_UNWRITABLE")
        self.assertEqual(list((self.folder / ".ssh").iterdir()), [])
        browse.download("http://x", str(self.folder / ".browse/skills/a.html"))

    def test_a_folder_has_a_manifest_and_a_second_run_tells_what_is_there(self) -> None:
        browse, fake = self.client(*parts(0, "manifest.json"), *parts(1, "b.txt"))
        first = browse.scrape("images", str(self.folder), limit=5)
        self.assertEqual([row["file"] for row in first.saved], ["_manifest.json", "b.txt"])
        (self.folder / "b.txt").write_text("ho")
        browse.scrape("images", str(self.folder))
        known = [fake.request("ScrapeRequest", index)["known"] for index in (0, 1)]
        self.assertEqual(known, [[], ["http://x/0"]])

    def test_names_are_never_empty_paths_hidden_flags_or_devices(self) -> None:
        cases = {"": "download", "..": "download", "a/": "a", "c:\\x\\y.txt": "y.txt", "~x": "_x"}
        cases |= {"con.txt": "_con.txt", "a\tb\u200b": "ab", "a:b?": "a_b_"}
        for wanted, safe in cases.items():
            self.assertEqual(safe_name(wanted), safe, wanted)
        long = safe_name("ä" * 400 + ".tar")
        self.assertTrue(len(long.encode()) <= 120 and long.endswith("ä.tar"), long)
