"""The MCP server, driven by the Python package `mcp`."""

import asyncio
import contextlib
import http.server
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import unittest

import httpx2
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

BROWSE = str(pathlib.Path(os.environ["BROWSE_TEST_BINARIES"]).resolve() / "browse")
# Time for one flow, in seconds; a test that takes longer hangs.
LIMIT = 120

PAGES = {
    "/": "<title>Shop</title><h1>Lamps</h1><form action=/done><label>Name <input name=n></label>"
    "<button>Order</button></form>",
    "/done": "<title>Done</title><h1>Thanks</h1>",
}


class Site(http.server.BaseHTTPRequestHandler):
    """Pages on loopback. `/slow` answers when the test ends."""

    ended = threading.Event()
    asked_slow = threading.Event()

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/slow":
            self.asked_slow.set()
            self.ended.wait(LIMIT)
        body = PAGES.get(path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        # A browser that was ended does not read.
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def text_of(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


def reference(snapshot, name):
    line = next(line for line in snapshot.splitlines() if f'"{name}"' in line)
    return re.search(r"@e\d+", line).group()


def handle(text):
    return re.search(r"^session: (ses_\S+)$", text, re.MULTILINE).group(1)


class McpTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        Site.ended.clear()
        Site.asked_slow.clear()
        self.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=self.site.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.site.server_port}"
        self.folder = tempfile.TemporaryDirectory(prefix="browse-mcp-")
        project = pathlib.Path(self.folder.name) / "project"
        project.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BROWSE_")}
        if "BROWSE_CHROMIUM" in os.environ:
            kept["BROWSE_CHROMIUM"] = os.environ["BROWSE_CHROMIUM"]
        home = str(pathlib.Path(self.folder.name) / "home")
        self.env = {**kept, "BROWSE_PROJECT": str(project), "BROWSE_HOME": home}
        self.project = str(project)

    def tearDown(self):
        Site.ended.set()
        subprocess.run([BROWSE, "stop"], env=self.env, cwd=self.project, capture_output=True, timeout=LIMIT)
        self.site.shutdown()
        self.site.server_close()
        self.folder.cleanup()

    @contextlib.asynccontextmanager
    async def stdio(self):
        server = StdioServerParameters(command=BROWSE, args=["mcp"], env=self.env, cwd=self.project)
        with open(os.devnull, "w", encoding="utf-8") as errors:
            async with stdio_client(server, errlog=errors) as (read, write):
                async with ClientSession(read, write) as session:
                    await session.initialize()
                    yield session

    async def ok(self, client, tool, /, **arguments):
        result = await client.call_tool(tool, arguments)
        text = text_of(result)
        self.assertFalse(result.is_error, text)
        return text

    async def test_a_whole_flow(self):
        async with asyncio.timeout(LIMIT), self.stdio() as session:
            tools = (await session.list_tools()).tools
            self.assertLessEqual(len(tools), 10)
            page = await self.ok(session, "open", url=self.url + "/", view="interactive")
            own = handle(page)
            steps = [["fill", reference(page, "Name"), "Ada"], ["click", reference(page, "Order")]]
            done = await self.ok(session, "act", session=own, steps=steps, view="text")
            self.assertIn("Thanks", done)
            self.assertIn("n=Ada", await self.ok(session, "run", session=own, command="url"))
            picture = await session.call_tool("screenshot", {"session": own})
            self.assertTrue(any(part.type == "image" for part in picture.content), picture)
            failed = await session.call_tool("act", {"session": own, "steps": [["click", "@e9999"]]})
            self.assertTrue(failed.is_error)
            self.assertIn("hint: ", text_of(failed))

    async def test_http_goes_on_over_stdio(self):
        token = "a" * 40
        server = subprocess.Popen(
            [BROWSE, "mcp", "--http"], env={**self.env, "BROWSE_MCP_TOKEN": token}, cwd=self.project,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        try:
            address = next(
                found.group() for line in server.stderr if (found := re.search(r"http://\S+/mcp", line))
            )
            headers = {"authorization": f"Bearer {token}"}
            async with asyncio.timeout(LIMIT):
                async with httpx2.AsyncClient(headers=headers, timeout=LIMIT) as client:
                    async with streamable_http_client(address, http_client=client) as (read, write, *_):
                        async with ClientSession(read, write) as session:
                            await session.initialize()
                            page = await self.ok(session, "open", url=self.url + "/", view="interactive")
                async with self.stdio() as session:
                    filled = [["fill", reference(page, "Name"), "Grace"], ["get", "value", reference(page, "Name")]]
                    text = await self.ok(session, "act", session=handle(page), steps=filled)
                    self.assertIn("Grace", text)
        finally:
            server.terminate()
            server.wait(LIMIT)
            server.stderr.close()

    async def test_the_tabs_outlive_a_server_that_is_killed_during_a_call(self):
        with open(os.devnull, "w", encoding="utf-8") as errors:
            pid_file = pathlib.Path(self.folder.name) / "pid"
            # The shell becomes the server, so its process id is that of the server.
            server = StdioServerParameters(
                command="/bin/sh", args=["-c", f'echo $$ > "{pid_file}"; exec "{BROWSE}" mcp'],
                env=self.env, cwd=self.project,
            )
            async with asyncio.timeout(LIMIT):
                # How a client reports a server that was killed is its own affair.
                with contextlib.suppress(Exception):
                    async with stdio_client(server, errlog=errors) as (read, write):
                        async with ClientSession(read, write) as session:
                            await session.initialize()
                            page = await self.ok(session, "open", url=self.url + "/", view="interactive")
                            own = handle(page)
                            arguments = {"session": own, "action": "new", "url": self.url + "/slow"}
                            call = asyncio.create_task(session.call_tool("tabs", arguments))
                            await asyncio.to_thread(Site.asked_slow.wait, LIMIT)
                            os.kill(int(pid_file.read_text()), signal.SIGKILL)
                            await call
                async with self.stdio() as session:
                    tabs = await self.ok(session, "tabs", session=own, action="list")
                    self.assertIn(self.url + "/", tabs)
                    self.assertIn("2 active", tabs)


if __name__ == "__main__":
    unittest.main()
