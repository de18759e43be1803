#!/usr/bin/env python3
"""Calls the daemon of its run without an SDK, and prints what it was answered and what it has."""

import json
import os
import socket
import sys

ARGS = json.loads(os.environ["BROWSE_SKILL_ARGS"])
ADDRESS = os.environ["BROWSE_ADDR"]


def call(path, message, headers=()):
    if ADDRESS.startswith("unix:"):
        line = socket.socket(socket.AF_UNIX)
        line.connect(ADDRESS.removeprefix("unix:"))
    else:
        host, port = ADDRESS.rsplit(":", 1)
        line = socket.create_connection((host, int(port)))
    body = json.dumps(message).encode()
    head = [
        f"POST {path} HTTP/1.1",
        f"host: {ADDRESS if ':/' not in ADDRESS else '127.0.0.1'}",
        "content-type: application/json",
        f"authorization: Bearer {os.environ['BROWSE_SKILL_TOKEN']}",
        f"content-length: {len(body)}",
        "connection: close",
        *headers,
    ]
    with line:
        line.sendall("\r\n".join([*head, "", ""]).encode() + body)
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        chunks, rest = b"", body
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            chunks += rest[: int(size, 16)]
            rest = rest[int(size, 16) + 2 :] if int(size, 16) else b""
        body = chunks
    return json.loads(body)


def reason(*arguments):
    answer = call(*arguments)
    details = answer.get("details") or [{}]
    return details[0].get("debug", {}).get("reason", "ok")


def goto(url, headers=()):
    return reason(ARGS["goto"], {"url": url}, headers)


away = ARGS["away"]
visit = {"@type": "browse.v1.GotoRequest", "url": away}
reasons = {
    "home": goto(ARGS["url"]),
    "away": goto(away),
    "metadata": goto("http://169.254.169.254/"),
    "session": goto(ARGS["url"], ["browse-session: default"]),
    "script": reason(ARGS["js"], {"script": "1"}),
    "close": reason(ARGS["close"], {"name": "default"}),
    "upload": reason(ARGS["upload"], {"target": "#file"}),
}
batch = call(ARGS["batch"], {"steps": [{"request": visit}]})
call(ARGS["click"], {"target": "#away"})
more_rights = ["browse-skill-hosts: *", "browse-scopes: read,write,meta,admin"]
print(
    json.dumps(
        {
            "reasons": reasons,
            "batch": json.dumps(batch),
            "identity": call(ARGS["whoami"], {}, more_rights),
            "environment": dict(os.environ),
            "arguments": sys.argv,
        }
    )
)
