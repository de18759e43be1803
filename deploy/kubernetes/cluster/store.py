"""A store as S3-compatible ones are: objects of any bucket, with conditional writes, kept in a folder.

Run as `python3 -m store ADDRESS PORT FOLDER`. `FOLDER/journal` has a line of JSON for each write and
delete, also for those that were refused, so that the checks see who wrote what and when. The file
`FOLDER/delay` has the seconds that each answer takes; it may be missing.
"""

import dataclasses
import hashlib
import html
import http.server
import json
import pathlib
import re
import struct
import sys
import threading
import time
import urllib.parse

MAGIC = b"BROWSE-F"
DATE = "Sat, 28 Nov 2026 12:00:00 GMT"


class Objects:
    """The objects, each in a file that is named by the hash of its key."""

    def __init__(self, folder):
        self.folder = folder
        self.files = folder / "objects"
        self.files.mkdir(parents=True, exist_ok=True)
        self.journal = open(folder / "journal", "a", encoding="utf-8")  # noqa: SIM115
        self.lock = threading.Lock()

    def path(self, key):
        return self.files / hashlib.sha256(key.encode()).hexdigest()

    def read(self, key):
        """The entity tag and the bytes of an object; None when it does not exist."""
        try:
            data = self.path(key).read_bytes()
        except FileNotFoundError:
            return None
        number, _, data = data.partition(b"\n")
        return f'"{number.decode()}"', data

    def put(self, key, data, if_match, if_none_match):
        """Writes an object; returns its new entity tag, or None when a condition does not hold."""
        with self.lock:
            found = self.read(key)
            tag = found[0] if found else None
            holds = (if_match is None or if_match == tag) and (if_none_match is None or not found)
            self.note("put", key, holds, **describe(data))
            if not holds:
                return None
            # Never the same twice, also when the bytes are.
            number = f"{time.time_ns()}"
            path = self.path(key)
            fresh = path.with_suffix(".new")
            fresh.write_bytes(number.encode() + b"\n" + data)
            fresh.rename(path)
            return f'"{number}"'

    def delete(self, key):
        with self.lock:
            found = self.path(key).exists()
            self.path(key).unlink(missing_ok=True)
            self.note("delete", key, found)

    def note(self, kind, key, is_done, **words):
        line = {"at": time.time(), "kind": kind, "key": key, "is_done": is_done, **words}
        self.journal.write(json.dumps(line) + "\n")
        self.journal.flush()

    def delay(self):
        try:
            return float((self.folder / "delay").read_text())
        except (OSError, ValueError):
            return 0


def describe(data):
    """The epoch and the pod in the header of a saved session (server/src/fleet_sessions/object.rs)."""
    if not data.startswith(MAGIC) or len(data) < 26:
        return {}
    _, epoch, _, length = struct.unpack(">BQQB", data[8:26])
    return {"epoch": epoch, "pod": data[26 : 26 + length].decode(errors="replace")}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet.
    wbufsize = -1
    objects = None

    def do_GET(self):
        found = self.objects.read(self.key)
        if found is None:
            return self.reply(404)
        return self.reply(200, found[1], found[0])

    do_HEAD = do_GET

    def do_PUT(self):
        data = self.body()
        conditions = (self.headers["if-match"], self.headers["if-none-match"])
        tag = self.objects.put(self.key, data, *conditions)
        self.reply(200 if tag else 412, b"", tag)

    def do_DELETE(self):
        self.objects.delete(self.key)
        self.reply(204)

    def do_POST(self):
        """Deletes many at once: `POST /bucket?delete`."""
        keys = re.findall("<Key>(.*?)</Key>", self.body().decode())
        for key in keys:
            self.objects.delete(f"{self.key.rstrip('/')}/{html.unescape(key)}")
        done = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self.reply(200, f"<DeleteResult>{done}</DeleteResult>".encode())

    @property
    def key(self):
        return urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def reply(self, status, data=b"", tag=None):
        time.sleep(self.objects.delay())
        self.send_response(status)
        self.send_header("last-modified", DATE)
        self.send_header("content-length", str(len(data)))
        if tag:
            self.send_header("etag", tag)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *words):
        pass


@dataclasses.dataclass
class Write:
    """A line of the journal."""

    at: float
    kind: str
    key: str
    is_done: bool
    epoch: int = 0
    pod: str = ""


def read_journal(folder, begin=0):
    """The lines of the journal from a time on."""
    with open(folder / "journal", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.endswith("\n")]
    return [Write(**line) for line in lines if line["at"] >= begin]


def main(address, port, folder):
    Handler.objects = Objects(pathlib.Path(folder))
    http.server.ThreadingHTTPServer.daemon_threads = True
    http.server.ThreadingHTTPServer((address, int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
