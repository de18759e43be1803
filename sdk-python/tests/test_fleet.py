"""Fleets that `browse login` signed in to: whom their token goes to, and how it is renewed."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

from browse_sdk import BrowseError, aio, connect, remote

from .fake import Call, Fake, Reply, failure

URL = Reply([("GetUrlResponse", {"url": "u"})])
RENEWAL = {"refresh_token": "r", "issuer": "https://login.example.com", "client_id": "browse-cli"}
ENDED = Reply(error=failure("unauthenticated", "it has ended", "TOKEN_EXPIRED", "h"), status=401)


def fleet(url: str, token: str, seconds: int) -> dict[str, Any]:
    """The document of a fleet whose token ends in so many seconds."""
    return {"url": url, "token": token, "expires_at": int(time.time()) + seconds, **RENEWAL}


async def url_of(browse: aio.AsyncBrowse) -> str:
    async with browse:
        return await browse.url()


class Fleets(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        (self.home / "remotes").mkdir(0o700)
        variables = {
            "PATH": os.environ["PATH"],
            "BROWSE_HOME": folder.name,
            "BROWSE_CLI": str(self.home / "browse"),
            "BROWSE_TOKEN": "root",
        }
        environment = mock.patch.dict(os.environ, variables, clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    def serve(
        self, reply: Callable[[Call], Reply], tls: ssl.SSLContext | None = None
    ) -> tuple[Fake, str]:
        fake = Fake(reply, tls=tls)
        self.addCleanup(fake.close)
        port = fake.address.rpartition(":")[2]
        return fake, f"https://localhost:{port}" if tls else f"http://127.0.0.1:{port}"

    def certificate(self, name: str, host: str = "localhost") -> ssl.SSLContext:
        """A certificate for `host` of an authority, whose file is `<name>.pem`."""

        def run(line: str) -> None:
            subprocess.run(
                ["openssl", *line.split()], cwd=self.home, check=True, capture_output=True
            )

        key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        extensions = (
            "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign"
        )
        run(
            f"req -x509 {key} -days 2 -subj /CN=a -keyout authority.key -out {name}.pem {extensions}"
        )
        run(f"req {key} -subj /CN=server -keyout {name}.key -out {name}.csr")
        (self.home / "ext").write_text(f"subjectAltName=DNS:{host}\n")
        run(
            f"x509 -req -in {name}.csr -CA {name}.pem -CAkey authority.key -CAcreateserial -days 2 "
            f"-extfile ext -out {name}.crt"
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.home / f"{name}.crt", self.home / f"{name}.key")
        return context

    def keep(self, document: dict[str, Any], name: str = "remotes/prod.json") -> None:
        """Keeps a fleet as `browse login` does."""
        path = self.home / name
        path.write_text(json.dumps({"kind": "fleet", **document}))
        path.chmod(0o600)

    def program(self, lines: str) -> None:
        """What `browse login --renew` does here; `runs` has its arguments, its token and
        what it reads.
        """
        path = self.home / "browse"
        runs = f'echo "$* [$BROWSE_TOKEN] <$(cat)>" >> "{self.home}/runs"'
        path.write_text(f"#!/bin/sh\n{runs}\n{lines}\n")
        path.chmod(0o700)

    def renews_to(self, url: str, token: str) -> None:
        self.keep(fleet(url, token, 3600), "next.json")
        self.program(f'cp "{self.home}/next.json" "{self.home}/remotes/prod.json"')

    def runs(self) -> list[str]:
        path = self.home / "runs"
        return path.read_text().splitlines() if path.exists() else []

    def failed(self, call: Callable[[], Any]) -> BrowseError:
        with self.assertRaises(BrowseError) as raised:
            call()
        self.assertTrue(raised.exception.hint)
        return raised.exception

    def test_a_gateway_is_called_for_which_the_authority_of_the_file_vouches(self) -> None:
        fake, url = self.serve(lambda _call: URL, self.certificate("ca"))
        self.keep({"url": url, "ca": str(self.home / "ca.pem"), "token": "good"})
        browse = remote("prod")
        self.assertEqual((browse.session("work").url(), browse.url()), ("u", "u"))

        async def call() -> list[str]:
            async with aio.remote("prod") as browse:
                return [await browse.url(), await browse.url()]

        self.assertEqual(asyncio.run(call()), ["u", "u"])
        headers = fake.calls[0].headers
        self.assertEqual(headers["authorization"], "Bearer good")
        self.assertEqual(headers["browse-session"], "work")
        self.assertEqual(headers["host"], url.removeprefix("https://"))
        self.assertEqual([call.connection for call in fake.calls], [1, 1, 2, 2])

    def test_a_gateway_of_another_authority_or_name_gets_nothing(self) -> None:
        of_ca, of_name = self.certificate("ca"), self.certificate("name", "browse.example.com")
        for ca, tls in (("name.pem", of_ca), ("name.pem", of_name), ("", of_ca)):
            fake, url = self.serve(lambda _call: URL, tls)
            self.keep({"url": url, "token": "good", "ca": str(self.home / ca) if ca else ""})
            for call in (remote("prod").url, lambda: asyncio.run(url_of(aio.remote("prod")))):
                error = self.failed(call)
                self.assertEqual(error.reason, "CERTIFICATE_UNUSABLE", error)
                self.assertIn("--ca <file>", error.hint)
            self.assertEqual(fake.calls, [])
        (self.home / "empty.pem").touch()
        fake, url = self.serve(lambda _call: URL, of_ca)
        for ca in ("empty.pem", "missing.pem"):
            self.keep({"url": url, "ca": str(self.home / ca), "token": "good"})
            error = self.failed(remote("prod").url)
            self.assertEqual(error.reason, "CERTIFICATE_UNUSABLE", error)
            self.assertEqual(error.metadata["path"], str(self.home / ca))

    def test_no_redirect_takes_the_token_to_another_server(self) -> None:
        other, place = self.serve(lambda _call: URL)
        head = f"HTTP/1.1 307 X\r\nLocation: {place}/\r\nContent-Type: text/plain\r\n"
        answer = Reply(raw=f"{head}Content-Length: 0\r\n\r\n".encode())
        _, url = self.serve(lambda _call: answer)
        self.keep({"url": url, "token": "good"})
        error = self.failed(remote("prod").url)
        self.assertEqual((error.reason, other.calls), ("REMOTE_FOREIGN", []))
        self.assertIn("address of the fleet", error.hint)

    def test_a_token_that_is_about_to_end_is_renewed_once_for_all_calls(self) -> None:
        fake, url = self.serve(lambda _call: URL)
        self.keep(fleet(url, "old", 3600))
        browse = remote("prod")
        browse.url()
        self.assertEqual(self.runs(), [])
        self.keep(fleet(url, "old", 20))
        self.renews_to(url, "new")
        clients = [browse, remote("prod")]
        with ThreadPoolExecutor(6) as threads:
            calls = [threads.submit(clients[number % 2].url) for number in range(6)]
            self.assertEqual([call.result() for call in calls], ["u"] * 6)
        # Without the variables of calls.
        self.assertEqual(self.runs(), ["login --renew prod --json [] <>"])
        tokens = [call.headers["authorization"] for call in fake.calls]
        self.assertEqual(tokens, ["Bearer old", *["Bearer new"] * 6])

    def test_it_is_so_for_asyncio(self) -> None:
        fake, url = self.serve(lambda _call: URL)
        self.keep(fleet(url, "old", 20))
        self.renews_to(url, "new")

        async def call() -> list[str]:
            async with aio.remote("prod") as browse:
                return await asyncio.gather(*(browse.url() for _ in range(5)))

        self.assertEqual(asyncio.run(call()), ["u"] * 5)
        self.assertEqual(len(self.runs()), 1)
        self.assertEqual({call.headers["authorization"] for call in fake.calls}, {"Bearer new"})

    def test_a_token_that_is_not_accepted_is_renewed_and_the_call_is_sent_again_once(self) -> None:
        accepted = ["Bearer new"]
        fake, url = self.serve(
            lambda call: URL if call.headers["authorization"] in accepted else ENDED
        )
        self.keep(fleet(url, "old", 3600))
        self.renews_to(url, "new")
        browse = remote("prod").session("work")
        self.assertEqual(browse.url(), "u")
        sent = [
            (call.headers["authorization"], call.headers["browse-session"]) for call in fake.calls
        ]
        self.assertEqual(sent, [("Bearer old", "work"), ("Bearer new", "work")])
        # It has not ended by the clock: the program has to know that it was rejected.
        self.assertEqual(self.runs(), ["login --renew prod --json --rejected-stdin [] <old>"])
        accepted.clear()
        self.renews_to(url, "newer")
        error = self.failed(browse.url)
        login = f"Run `browse login {url} --name prod` again"
        self.assertEqual((error.reason, error.code, error.hint), ("TOKEN_EXPIRED", 16, login))
        self.assertEqual(len(fake.calls), 4)
        # The same token again is not worth another call.
        self.failed(browse.url)
        self.failed(lambda: asyncio.run(url_of(aio.remote("prod"))))
        self.assertEqual((len(self.runs()), len(fake.calls)), (4, 6))
        again = "login --renew prod --json --rejected-stdin [] <newer>"
        self.assertEqual(self.runs()[2:], [again, again])

    def test_a_token_that_another_command_has_stored_counts(self) -> None:
        fake, url = self.serve(
            lambda call: URL if call.headers["authorization"] == "Bearer new" else ENDED
        )
        self.keep({"url": url, "token": "old"})
        clients = remote("prod"), aio.remote("prod")
        self.keep({"url": url, "token": "new"})
        self.assertEqual((clients[0].url(), asyncio.run(url_of(clients[1]))), ("u", "u"))
        self.assertEqual(self.runs(), [])
        tokens = [call.headers["authorization"] for call in fake.calls]
        self.assertEqual(tokens, ["Bearer old", "Bearer new", "Bearer new"])

    def test_a_renewal_that_fails_is_an_error_when_the_token_has_ended(self) -> None:
        fake, url = self.serve(lambda _call: URL)
        error = {"reason": "ISSUER_UNUSABLE", "message": "it does not answer", "hint": "Check it"}
        again = f"un `browse login {url} --name prod` again"
        for lines, reason, hint in (
            (f"echo '{json.dumps({'error': error})}'; exit 4", "ISSUER_UNUSABLE", "Check it"),
            ("echo 'error: no such flag' >&2; exit 2", "TOKEN_EXPIRED", f"R{again}"),
            ("", "TOKEN_EXPIRED", f"Set BROWSE_CLI to the program `browse`, or r{again}"),
        ):
            if lines:
                self.program(lines)
            else:
                (self.home / "browse").unlink()
            self.keep(fleet(url, "old", -1))
            found = self.failed(remote("prod").url)
            self.assertEqual((found.reason, found.hint), (reason, hint), found)
            self.assertEqual(fake.calls, [])
        # Its last seconds may do.
        self.keep(fleet(url, "old", 20))
        self.assertEqual(remote("prod").url(), "u")

    def test_a_file_that_is_damaged_is_no_fleet(self) -> None:
        self.assertEqual(self.failed(lambda: remote("prod")).reason, "REMOTE_UNKNOWN")
        good = {"url": "https://browse.example.com:8443/", "token": "a.b.c", "new": 1, **RENEWAL}
        self.keep(good)
        remote("prod")
        urls = (
            "http://browse.example.com",
            "https://browse.example.com/path",
            "https://a@b.example",
            "https://a.example:99999",
            "https://",
            "a.example",
            "",
        )
        changes: list[dict[str, Any]] = [
            {"kind": "other"},
            *({"url": url} for url in urls),
            *({"token": token} for token in ("", "a\nb", "ü", "x" * 20_000, 7)),
            {"issuer": None},
            {"client_id": ""},
        ]
        for change in changes:
            self.keep({**good, **change})
            error = self.failed(lambda: remote("prod"))
            self.assertEqual(error.reason, "REMOTE_FILE_INVALID", change)
            self.assertEqual(error.metadata["path"], str(self.home / "remotes/prod.json"))

    def test_the_environment_names_the_remote_and_the_session(self) -> None:
        fake, url = self.serve(lambda _call: URL)
        self.keep({"url": url, "token": "good"})
        os.environ |= {"BROWSE_REMOTE": "prod", "BROWSE_SESSION": "night", "BROWSE_ADDR": "x:1"}
        connect().url()
        connect(session="day").url()
        connect(url, "own").url()
        asyncio.run(url_of(aio.connect()))
        remote("prod").url()
        sent = [
            (call.headers["authorization"], call.headers.get("browse-session"))
            for call in fake.calls
        ]
        self.assertEqual(
            sent,
            [
                ("Bearer good", "night"),
                ("Bearer good", "day"),
                ("Bearer own", "night"),
                ("Bearer good", "night"),
                ("Bearer good", None),
            ],
        )
        os.environ["BROWSE_REMOTE"] = "other"
        self.assertEqual(self.failed(connect).reason, "REMOTE_UNKNOWN")
        # In the run of a skill.
        del os.environ["BROWSE_TOKEN"]
        os.environ |= {"BROWSE_ADDR": url, "BROWSE_SKILL_TOKEN": "skill"}
        connect().url()
        self.assertEqual(fake.calls[-1].headers["authorization"], "Bearer skill")
