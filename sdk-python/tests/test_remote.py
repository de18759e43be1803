"""Pairing blocks, what is kept of them, and the key of a certificate."""

from __future__ import annotations

import hashlib
import hmac
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from browse_sdk import BrowseError, redeem, remote
from browse_sdk._answer import Answer
from browse_sdk._call import Context
from browse_sdk._error import error_of
from browse_sdk._remote import Redemption, kept, link_of
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


class Proofs(unittest.TestCase):
    def test_an_answer_that_was_changed_is_refused(self) -> None:
        with mock.patch("os.urandom", lambda count: bytes([1] * count)):
            offer = Redemption(f"{LINK}/session-{'07' * 32}", None)
        self.assertIn(b"01" * 16, offer.data)
        good = {1: ["t"], 2: ["ada"], 3: ["read", "write"], 4: ["*"], 5: ["s"], 6: ["e"]}
        lines = ["browse-redeem-answer-v1", "01" * 16, "ada", "read,write", "*", "s", "e", "t"]
        proof = hmac.new(bytes([7] * 32), "\n".join(lines).encode(), "sha256").hexdigest()
        changes: list[dict[int, list[str]]] = [
            {},
            {7: []},
            {7: [proof], 1: ["u"]},
            {7: [proof], 3: ["read", "admin"]},
        ]
        for change in changes:
            with self.assertRaises(BrowseError) as raised:
                offer.take({**good, **change})
            self.assertEqual(raised.exception.reason, "REMOTE_UNPROVEN")
        offer.take({**good, 7: [proof]})
        self.assertEqual(offer.context.token, "t")


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
        list(answer.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        error = context.outcome(answer)
        assert error is not None
        self.assertEqual(error.reason, "DAEMON_UNREACHABLE")
        error = error_of({"grpc-status": "13"})
        assert error is not None
        self.assertTrue(error.reason == "BUG" and error.message and error.hint)

    def test_a_message_without_end_is_too_large(self) -> None:
        answer = Answer()
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 4294967295\r\n\r\n"
        with self.assertRaises(BrowseError) as raised:
            list(answer.feed(head + b"\0\xff\xff\xff\xff"))
        self.assertEqual(raised.exception.reason, "TOO_LARGE")
        self.assertTrue(raised.exception.hint and not raised.exception.retryable)


def kept_at(address: str) -> Context:
    return Context(address, "t", secure=Pinned(PIN))


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
