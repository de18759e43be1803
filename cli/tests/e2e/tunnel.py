"""A tunnel that ends TLS with a certificate of its own, and does to answers
what the file `mode` beside it says. All that it reads goes into `seen`."""

import asyncio
import pathlib
import re
import ssl
import sys

HERE = pathlib.Path(__file__).parent
PORT = int(sys.argv[1])

front = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
front.load_cert_chain(HERE / "cert.pem", HERE / "key.pem")
back = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
back.check_hostname = False
back.verify_mode = ssl.CERT_NONE

# What a tunnel shows whose daemon does not answer.
PAGE = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 26\r\n\r\n"
PAGE += b"<!DOCTYPE html><p>offline\n"

kept = []


def change(data: bytes) -> bytes | None:
    """Changes an answer, and leaves its length as it is; nothing while it is
    not whole."""
    mode = (HERE / "mode").read_text()
    if mode == "honest":
        return data
    if not data.endswith(b"0\r\n\r\n"):
        return None
    if mode == "page":
        return PAGE
    sealed = re.search(rb"[0-9a-f]{200,}", data)
    if sealed is None:
        return data
    kept.append(sealed.group())
    if mode == "flip":
        at = sealed.start() + 100
        other = b"1" if data[at : at + 1] == b"0" else b"0"
        return data[:at] + other + data[at + 1 :]
    if mode == "scopes":
        return data.replace(b"write", b"admin")
    old = kept[0]
    return data[: sealed.start()] + old + data[sealed.start() + len(old) :]


async def pipe(reader, writer, changed):
    waiting = b""
    try:
        while data := await reader.read(65536):
            with (HERE / "seen").open("ab") as file:
                file.write(data)
            waiting += data
            if (whole := changed(waiting)) is not None:
                waiting = b""
                writer.write(whole)
                await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def serve(reader, writer):
    try:
        behind, before = await asyncio.open_connection("127.0.0.1", PORT, ssl=back)
    except OSError:
        writer.close()
        return
    await asyncio.gather(
        pipe(reader, before, lambda data: data),
        pipe(behind, writer, change),
    )


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=front)
    port = server.sockets[0].getsockname()[1]
    print("see https://example.com/terms for the terms", file=sys.stderr, flush=True)
    print(f"forwarding to https://127.0.0.1:{PORT}", flush=True)
    print(f"INF | https://localhost:{port} |", file=sys.stderr, flush=True)
    await server.serve_forever()


asyncio.run(main())
