"""The client, against a daemon that answers as told."""

from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Iterator
from typing import Any

from browse_sdk import Browse, BrowseError, connect

from .fake import Fake, Reply, failure

GOTO = Reply([("GotoResponse", {"url": "http://a/", "title": "Ä", "status": 200})])


class Client(unittest.TestCase):
    def client(self, reply: Reply, path: str | None = None) -> tuple[Browse, Fake]:
        fake = Fake(lambda _call: reply, path)
        self.addCleanup(fake.close)
        return connect(fake.address, "secret"), fake

    def test_a_method_sends_its_arguments_its_context_and_a_deadline(self) -> None:
        browse, fake = self.client(GOTO)
        page = browse.tab(3).session("work").with_timeout(1.5).goto("http://a", wait="none")
        self.assertEqual((page.url, page.title, page.status), ("http://a/", "Ä", 200))
        self.assertEqual(page.suggested_skills, [])
        self.assertEqual(fake.calls[0].path, "/browse.v1.BrowserService/Goto")
        self.assertEqual(fake.request("GotoRequest"), {"url": "http://a", "wait": "none"})
        headers = fake.calls[0].headers
        self.assertEqual(headers["authorization"], "Bearer secret")
        self.assertEqual((headers["browse-tab"], headers["browse-session"]), ("3", "work"))
        self.assertEqual(
            (headers["connect-timeout-ms"], headers["browse-content"]), ("1500", "raw")
        )

    def test_a_method_answers_with_its_result(self) -> None:
        browse, _ = self.client(Reply([("HtmlResponse", {"html": "<p>"})], chunked=False))
        self.assertEqual(browse.html("main"), "<p>")

    def test_an_answer_without_a_message_is_an_empty_one(self) -> None:
        browse, _ = self.client(Reply())
        self.assertEqual(browse.url(), "")

    def test_json_and_numbers_are_values(self) -> None:
        browse, _ = self.client(Reply([("JsResponse", {"value": {"a": [1, None]}})]))
        self.assertEqual(browse.js("1"), {"a": [1, None]})
        box = {"x": -1.5, "y": 2.0, "width": 3.0, "height": 4.0}
        node = {"ref": "@e1", "role": "button", "depth": 300, "box": box, "states": ["disabled"]}
        browse, _ = self.client(Reply([("SnapshotResponse", {"tree": "t", "nodes": [node]})]))
        found = browse.snapshot(nodes=True).nodes[0]
        self.assertEqual((found.depth, found.states, found.value), (300, ["disabled"], None))
        self.assertEqual(found.to_dict()["box"], box)

    def test_calls_share_one_connection(self) -> None:
        browse, fake = self.client(GOTO)
        for _ in range(3):
            browse.goto("http://a")
        self.assertEqual({call.connection for call in fake.calls}, {1})

    def test_a_unix_socket_works_as_an_address(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            browse, _ = self.client(GOTO, os.path.join(folder, "s"))
            self.assertEqual(browse.goto("http://a").status, 200)

    def test_an_error_has_reason_hint_metadata_and_code(self) -> None:
        error = failure("failed_precondition", "it is “gone”", "REF_STALE", "h", ref="@e3")
        browse, _ = self.client(Reply(error=error))
        with self.assertRaises(BrowseError) as raised:
            browse.click("@e3")
        stale = raised.exception
        self.assertEqual((stale.reason, stale.hint, stale.code), ("REF_STALE", "h", 9))
        self.assertEqual((stale.metadata, stale.message), ({"ref": "@e3"}, "it is “gone”"))
        self.assertFalse(stale.retryable)

    def test_the_error_of_a_stream_stands_at_its_end(self) -> None:
        part = {"data": b"\x00\xff"}
        reply = Reply([("FilePart", part)], failure("unavailable", "gone", "BROWSER_GONE"))
        browse, fake = self.client(reply)
        parts: Iterator[Any] = browse.stream("download", {"source": "x"})
        self.assertEqual(next(parts).data, b"\x00\xff")
        with self.assertRaises(BrowseError) as raised:
            next(parts)
        self.assertEqual((raised.exception.reason, raised.exception.code), ("BROWSER_GONE", 14))
        self.assertEqual(fake.calls[0].headers["content-type"], "application/connect+json")

    def test_large_numbers_and_pages_in_errors_are_read(self) -> None:
        from browse_sdk._decode import decode

        tab = decode("NewTabResponse", {"tab_id": "9007199254740993", "new_field": 1})
        self.assertEqual(tab.tab_id, 9007199254740993)  # type: ignore[attr-defined]
        error = failure("failed_precondition", "covered", "ELEMENT_COVERED")
        quote = {"about": "cover", "text": "a\x1bb"}
        error["details"].append({"type": "browse.v1.ErrorPage", "debug": {"page": [quote]}})
        browse, _ = self.client(Reply(error=error))
        with self.assertRaises(BrowseError) as raised:
            browse.click("@e3")
        self.assertEqual(raised.exception.page, [("cover", "a b")])

    def test_a_daemon_that_is_silent_or_gone_is_told(self) -> None:
        browse, fake = self.client(Reply(silent=True))
        with self.assertRaises(BrowseError) as raised:
            browse.with_timeout(-0.9).url()
        self.assertEqual(raised.exception.reason, "DEADLINE_EXCEEDED")
        fake.close()
        with self.assertRaises(BrowseError) as raised:
            connect("127.0.0.1:1", "t").url()
        self.assertEqual(raised.exception.reason, "DAEMON_UNREACHABLE")
        self.assertTrue(raised.exception.retryable)

    def test_what_is_worth_another_try_is_told_by_code_and_metadata(self) -> None:
        def retryable(code: int, **metadata: str) -> bool:
            return BrowseError("X", "x", code=code, metadata=metadata).retryable

        self.assertTrue(retryable(14))
        self.assertFalse(retryable(14, retryable="false"))
        self.assertTrue(retryable(8, retry_ms="20"))
        self.assertFalse(retryable(9))

    def test_wrong_arguments_are_type_errors(self) -> None:
        browse, fake = self.client(GOTO)
        with self.assertRaisesRegex(TypeError, "`wait` wants one of load"):
            browse.goto("http://a", wait="never")  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "`url` wants text"):
            browse.goto(3)  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "`value` wants a list"):
            browse.select("@e1", "x")  # type: ignore[arg-type]
        self.assertEqual(fake.calls, [])

    def test_what_is_no_http_is_an_error(self) -> None:
        import socket
        import threading

        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def answer() -> None:
            connection, _ = listener.accept()
            connection.recv(10)
            connection.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with self.assertRaises(BrowseError) as raised:
            connect(f"127.0.0.1:{listener.getsockname()[1]}", "t").url()
        self.assertEqual(raised.exception.reason, "DAEMON_UNREACHABLE")
