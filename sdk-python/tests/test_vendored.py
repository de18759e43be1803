"""The one module that skills vendor: the same client, with the methods made when called."""

from __future__ import annotations

import ast
import importlib.util
import sys
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from .fake import Fake, Reply

VENDOR = Path(__file__).parents[1] / "vendor"


def load() -> Any:
    # The folder is what skills get, byte for byte.
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("vendored", VENDOR / "browse_sdk.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Vendored(unittest.TestCase):
    sdk = load()

    def client(self, reply: Reply) -> tuple[Any, Fake]:
        fake = Fake(lambda _call: reply)
        self.addCleanup(fake.close)
        return self.sdk.connect(fake.address, "secret"), fake

    def test_methods_take_what_the_stub_says(self) -> None:
        browse, fake = self.client(Reply([("GotoResponse", {"url": "u", "status": 200})]))
        page = browse.tab(3).goto("http://a", wait="none")
        self.assertEqual((page.url, page.status), ("u", 200))
        self.assertEqual(browse.goto(url="http://b").url, "u")
        self.assertEqual(browse.call("goto", {"url": "http://c"}).url, "u")
        wanted = [{"url": "http://a", "wait": "none"}, {"url": "http://b", "wait": ""}]
        self.assertEqual([fake.request("GotoRequest", index) for index in (0, 1)], wanted)
        for wrong in (
            lambda: browse.goto(),
            lambda: browse.goto("a", "b"),
            lambda: browse.goto("a", url="b"),
            lambda: browse.goto("a", speed=1),
        ):
            self.assertRaises(TypeError, wrong)

    def test_it_has_what_a_skill_may_call_and_nothing_else(self) -> None:
        browse, _ = self.client(Reply())
        self.assertIn("click", dir(browse))
        for name in ("eval", "cookies", "save_state"):
            with self.assertRaises(AttributeError):
                getattr(browse, name)
            self.assertRaises(TypeError, browse.call, name)

    def test_the_stub_has_every_method(self) -> None:
        stub = ast.parse((VENDOR / "browse_sdk.pyi").read_text())
        (commands,) = (
            node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Commands"
        )
        names = {node.name for node in commands.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(names, {*self.sdk.COMMANDS, "call", "stream"})

    def test_no_module_hides_a_name_of_another(self) -> None:
        module = ast.parse((VENDOR / "browse_sdk.py").read_text())
        names = Counter(
            node.name for node in module.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        )
        names += Counter(
            target.id
            for node in module.body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        )
        self.assertEqual([name for name, count in names.items() if count > 1], [])
