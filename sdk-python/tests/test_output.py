"""Where what is saved may lie: the table of the contract, and what is not a file."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import threading
import unittest
from pathlib import Path

from browse_sdk._output import OutputFile, Refused
from browse_sdk._output_rule import Places, contradiction, refusal, replacement

TABLE = json.loads((Path(__file__).parents[2] / "proto/tests/outputs.json").read_text())


def write(path: Path, content: bytes) -> None:
    file = OutputFile(str(path), "caller")
    try:
        file.add(content)
        file.finish()
    finally:
        file.discard()


class Output(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_paths_are_refused_and_written_as_the_table_says(self) -> None:
        places = {**TABLE["places"], "macos": False}
        for path in TABLE["refused"]:
            self.assertIsNotNone(refusal(Places(**places), path), path)
        for path in TABLE["written"]:
            self.assertIsNone(refusal(Places(**places), path), path)
        for case in TABLE["other_places"]:
            more = {key: case[key] for key in ("own", "temp") if key in case}
            refused = refusal(Places(**{**places, **more}), case["path"]) is not None
            self.assertEqual(refused, case["refused"], case)

    def test_contents_are_written_as_the_table_says(self) -> None:
        for case in TABLE["contents"]:
            name, new = case["name"], bytes.fromhex(case["new"])
            fault = contradiction(name, new)
            if "old" in case and not fault:
                old = bytes.fromhex(case["old"])
                fault = replacement(name, old, case.get("executable", False), new)
            self.assertEqual(fault is None, case["written"], (case, fault))

    def test_a_pipe_is_written_into_and_stays(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        read: list[bytes] = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
        reader.start()
        write(pipe, b"hi")
        reader.join()
        self.assertEqual(read, [b"hi"])
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.assertEqual(list(self.folder.iterdir()), [pipe])

    def test_links_lead_to_what_is_written_or_refused(self) -> None:
        (self.folder / "a.txt").write_text("old")
        (self.folder / "link").symlink_to("a.txt")
        write(self.folder / "link", b"new")
        self.assertEqual((self.folder / "a.txt").read_text(), "new")
        self.assertTrue((self.folder / "link").is_symlink())
        (self.folder / "bad.txt").symlink_to(self.folder / ".bashrc")
        (self.folder / "loop").symlink_to("loop")
        for name in ("bad.txt", "loop", "."):
            with self.assertRaises((Refused, OSError), msg=name):
                write(self.folder / name, b"hi")
        self.assertFalse((self.folder / ".bashrc").exists())
        write(Path("/dev/null"), b"hi")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
