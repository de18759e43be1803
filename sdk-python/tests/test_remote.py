"""Pairing blocks, what is kept of them, and the key of a certificate."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

from browse_sdk import BrowseError, redeem, remote
from browse_sdk._browse import Browse
from browse_sdk.aio import AsyncBrowse
from browse_sdk._answer import Answer
from browse_sdk._call import Context
from browse_sdk._error import error_of
from browse_sdk._remote import Redemption, _unsealed, kept, link_of
from browse_sdk._tls import Pinned, public_key

PIN = "0a" * 32
LINK = f"browse-pair://[::1]:4567/setup-00ff/pin-{PIN}"


class Links(unittest.TestCase):
    def test_a_link_is_found_in_a_block(self) -> None:
        block = f"You may …\n  browse redeem {LINK}/new-part\n  browse --remote a text"
        for text in (LINK, block):
            self.assertEqual(link_of(text), ("[::1]:4567", "setup-00ff", PIN, b""))
        session = link_of(f"{LINK}/session-{'07' * 32}").session
        self.assertEqual(session, bytes([7] * 32))

    def test_half_of_one_is_none(self) -> None:
        for bad in (
            "",
            "setup-00ff",
            LINK[:-1],
            LINK.replace(":4567", ""),
            LINK.replace(":4567", ":0"),
            LINK.replace("[::1]", ""),
            LINK.replace("[::1]", "u@h"),
            LINK.replace("[::1]", '"h'),
            LINK.replace("setup-", ""),
            LINK.replace("pin-0", "pin-g"),
            f"{LINK}/session-07",
        ):
            with self.assertRaises(BrowseError) as raised:
                redeem(bad)
            self.assertEqual(raised.exception.reason, "PAIRING_LINK_INVALID", bad)
            self.assertNotIn("00ff", str(raised.exception))


# As another implementation sealed it, with the session key 7 and the challenge 1.
SEALED = "000102030405060708090a0bbfe20a010b4f632134fb1bac6bb583373b87194fdba60980534da8db"


@unittest.skipUnless(find_spec("cryptography"), "the extra `remote` is not installed")
class Seals(unittest.TestCase):
    def test_neither_key_nor_token_is_shown_and_a_changed_answer_is_refused(self) -> None:
        with mock.patch("os.urandom", lambda count: bytes([1] * count)):
            offer = Redemption(f"{LINK}/session-{'07' * 32}", None)
        name = hashlib.sha256(b"setup-00ff").hexdigest()
        lines = f"browse-redeem-request-v1\n{'01' * 16}\n{name}".encode()
        proof = hmac.new(bytes([7] * 32), lines, "sha256").hexdigest()
        for shown in (f"sealed-{name}", "01" * 16, proof):
            self.assertIn(shown.encode(), offer.data)
        self.assertNotIn(b"00ff", offer.data)
        answer: dict[str, Any] = {"name": "ada", "scopes": ["read", "write"], "hosts": ["*"]}
        answer |= {"session": "pair-ada-000000", "expires_at": "2026-01-01T00:00:00Z"}
        answer |= {"token": "", "sealed": SEALED}
        flipped = SEALED[:-2] + ("01" if SEALED.endswith("00") else "00")
        changes: list[dict[str, Any]] = [
            {"scopes": ["read", "admin"]},
            {"name": "eve"},
            {"token": "t", "sealed": ""},
            *({"sealed": sealed} for sealed in ("zz", "0", "00", SEALED[:-2], flipped, "00" * 64)),
        ]
        for change in changes:
            with self.assertRaises(BrowseError) as raised:
                offer.take({**answer, **change})
            self.assertEqual(raised.exception.reason, "REMOTE_UNPROVEN", change)
        offer.take(answer)
        self.assertEqual(offer.context.token, "token-of-ada")

    def test_a_session_key_needs_the_extra(self) -> None:
        with mock.patch.dict("sys.modules", {"cryptography.exceptions": None}):
            with self.assertRaises(BrowseError) as raised:
                Redemption(f"{LINK}/session-{'07' * 32}", None)
        self.assertIn("browse-sdk[remote]", raised.exception.hint)


class Kept(unittest.TestCase):
    def test_what_is_kept_counts_when_it_is_ours_alone(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            with mock.patch.dict(os.environ, {"BROWSE_HOME": home}):
                self.refused("REMOTE_UNKNOWN", "a")
                self.refused("ARGUMENT_INVALID", "../a")
                path = Path(home, "remotes", "a.json")
                path.parent.mkdir()
                path.write_text(f'{{"address": "a:1", "pin": "{PIN}", "token": "t", "new": 1}}')
                path.chmod(0o600)
                context = kept("a")
                self.assertEqual((context.address, context.token), ("a:1", "t"))
                path.chmod(0o644)
                self.refused("REMOTE_FILE_INVALID", "a")
                path.chmod(0o600)
                for text in ("{}", "[1]", '"a"', "[" * 100_000):
                    path.write_text(text)
                    self.refused("REMOTE_FILE_INVALID", "a")
                path.unlink()
                path.mkdir()
                self.refused("REMOTE_FILE_INVALID", "a")
                path.rmdir()
                path.symlink_to(home)
                self.refused("REMOTE_FILE_INVALID", "a")

    def refused(self, reason: str, name: str) -> None:
        with self.assertRaises(BrowseError) as raised:
            remote(name)
        self.assertEqual(raised.exception.reason, reason)
        self.assertTrue(raised.exception.hint)


class Answers(unittest.TestCase):
    def test_a_page_in_place_of_an_answer_is_told(self) -> None:
        context = kept_at("127.0.0.1:1")
        for status, kind in ((200, "text/html"), (502, "text/html"), (404, "text/plain")):
            answer = Answer()
            page = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: 9\r\n\r\n"
            self.assertEqual(list(answer.feed(page.encode() + b"<!DOCTYPE")), [])
            error = context.foreign(answer.foreign)
            self.assertEqual(error.reason, "REMOTE_FOREIGN")
            self.assertIn(f"HTTP {status}", error.message)
            self.assertTrue(error.hint and not error.retryable)

    def test_no_answer_is_a_bug_without_a_word(self) -> None:
        context = kept_at("127.0.0.1:1")
        answer = Answer()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\n"
        list(answer.feed(head + b"Content-Length: 0\r\n\r\n"))
        error = context.outcome(answer)
        assert error is not None
        self.assertEqual(error.reason, "DAEMON_UNREACHABLE")
        error = error_of({"code": "internal"})
        self.assertTrue(error.reason == "BUG" and error.message and error.hint)

    def test_details_that_cannot_be_read_are_none_of_a_daemon(self) -> None:
        here, elsewhere = Context("a:1", "t"), Context("a:1", "t", secure=Pinned("0a" * 32))
        for details in (None, "x", [1], [{"type": "google.rpc.ErrorInfo", "debug": 1}]):
            body = json.dumps({"code": "permission_denied", "details": details}).encode()
            for context, reason in ((here, "BUG"), (elsewhere, "REMOTE_FOREIGN")):
                answer = Answer()
                head = "HTTP/1.1 403 X\r\nContent-Type: application/json\r\n"
                head += f"Content-Length: {len(body)}\r\n\r\n"
                self.assertEqual(list(answer.feed(head.encode() + body)), [])
                error = context.outcome(answer)
                assert error is not None
                self.assertEqual(error.reason, reason, details)

    def test_a_reason_drives_no_terminal(self) -> None:
        detail = {"type": "google.rpc.ErrorInfo", "debug": {"reason": "\x1b[3\nB"}}
        error = error_of({"code": "permission_denied", "details": [detail]})
        self.assertEqual(error.reason, " [3 B")

    def test_a_message_without_end_is_too_large(self) -> None:
        answer = Answer()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\n"
        head += b"Content-Length: 4294967295\r\n\r\n"
        with self.assertRaises(BrowseError) as raised:
            list(answer.feed(head + b"\0\xff\xff\xff\xff"))
        self.assertEqual(raised.exception.reason, "TOO_LARGE")
        self.assertTrue(raised.exception.hint and not raised.exception.retryable)


def kept_at(address: str) -> Context:
    return Context(address, "t", secure=Pinned(PIN))


class Greetings(unittest.TestCase):
    def test_what_is_no_daemon_is_told_in_time(self) -> None:
        for heard, reason, word in (
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", "REMOTE_FOREIGN", "TLS 1.3"),
            (b"", "DAEMON_UNREACHABLE", "ends it before a word"),
            (None, "DAEMON_UNREACHABLE", "within"),
        ):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                thread = threading.Thread(target=self.answer, args=(listener, heard), daemon=True)
                thread.start()
                host, port = listener.getsockname()
                for call in (self.call, self.call_aio):
                    error = call(f"{host}:{port}", 0.5 if heard is None else 60)
                    self.assertEqual(error.reason, reason, error)
                    self.assertIn(word, error.message)
                    self.assertIn("sk the owner", error.hint)

    def answer(self, listener: socket.socket, heard: bytes | None) -> None:
        with contextlib.suppress(OSError), contextlib.ExitStack() as silent:
            while True:
                connection = listener.accept()[0]
                if heard is None:
                    silent.enter_context(connection)
                    continue
                with connection:
                    connection.recv(10_000)
                    connection.sendall(heard)

    def call(self, address: str, seconds: float) -> BrowseError:
        context = Context(address, "t", timeout=seconds, secure=Pinned(PIN))
        with self.assertRaises(BrowseError) as raised:
            Browse(context).call("tabs")
        return raised.exception

    def call_aio(self, address: str, seconds: float) -> BrowseError:
        context = Context(address, "t", timeout=seconds, secure=Pinned(PIN))

        async def call() -> None:
            await AsyncBrowse(context).call("tabs")

        with self.assertRaises(BrowseError) as raised:
            asyncio.run(call())
        return raised.exception


class Keys(unittest.TestCase):
    def test_another_key_is_refused_before_anything_is_sent(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder, "c.pem"), Path(folder, "k.pem")
            self.make(*files)
            der = ssl.PEM_cert_to_DER_cert(files[0].read_text())
            found = hashlib.sha256(public_key(der)).hexdigest()
            told = subprocess.run(
                ["openssl", "x509", "-in", files[0], "-noout", "-pubkey"],
                check=True,
                capture_output=True,
            )
            spki = subprocess.run(
                ["openssl", "pkey", "-pubin", "-outform", "DER"],
                input=told.stdout,
                check=True,
                capture_output=True,
            )
            self.assertEqual(found, hashlib.sha256(spki.stdout).hexdigest())
            heard: list[bytes] = []
            address = self.serve(*files, heard)
            with self.assertRaises(BrowseError) as raised:
                redeem(f"browse-pair://{address}/setup-0/pin-{PIN}")
            self.assertEqual(raised.exception.reason, "REMOTE_MISMATCH")
            self.server.join(60)
            self.assertEqual(heard, [b""])

    def make(self, certificate: Path, key: Path) -> None:
        line = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=a".split()
        command = ["openssl", *line, "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(command, check=True, capture_output=True)

    def serve(self, certificate: Path, key: Path, heard: list[bytes]) -> str:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        listener = socket.create_server(("127.0.0.1", 0))

        def serve() -> None:
            with listener, listener.accept()[0] as plain:
                try:
                    with context.wrap_socket(plain, server_side=True) as secure:
                        heard.append(secure.recv(1))
                except OSError:
                    heard.append(b"")

        self.server = threading.Thread(target=serve, daemon=True)
        self.server.start()
        return f"127.0.0.1:{listener.getsockname()[1]}"
