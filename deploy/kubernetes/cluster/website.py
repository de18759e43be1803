"""A site outside of the cluster, at the public address and at those that pods must not reach.

It notes each request with the address that it came to. Its page `/try?way=…&to=…` has the browser load
another address in one of several ways; `/redirect?to=…` sends it there. `/orders` is in `orders.py`.
"""

import http.server
import json
import socketserver
import threading
import urllib.parse

import orders

PAGE = b"""<!doctype html><title>Shop</title><h1>Shop</h1><p id=stock>Twelve apples</p>
<button onclick="document.title = 'Sold'">Buy</button>"""

# How a page can load an address. Each ends with the text of the page as `ended`.
WAYS = {
    "fetch": "fetch(to, { mode: 'no-cors' }).then(end, end)",
    "request": "request('GET')",
    "picture": "load('img')",
    "script": "load('script')",
    "frame": "load('iframe'); soon()",
    "socket": "listen(new WebSocket(to.replace(/^http/, 'ws')))",
    "events": "listen(new EventSource(to))",
    "form": "submit(); soon()",
    "often": "often(20)",
}
TRY = """<!doctype html><title>Try</title><p id=result>under way</p><script>
const to = %s;
const end = () => { document.getElementById('result').textContent = 'ended'; };
// A frame whose document was refused reports nothing.
const soon = () => setTimeout(end, 3000);
const load = (name) => {
  const element = document.createElement(name);
  element.onload = element.onerror = end;
  element.src = to;
  document.body.append(element);
};
const listen = (source) => { source.onopen = source.onerror = () => { source.close(); end(); }; };
const request = (method) => {
  const sent = new XMLHttpRequest();
  sent.onloadend = end;
  sent.open(method, to);
  sent.send();
};
const submit = () => {
  document.body.insertAdjacentHTML('beforeend', '<iframe name=target></iframe><form target=target></form>');
  document.querySelector('iframe').onload = end;
  Object.assign(document.querySelector('form'), { action: to, method: 'post' }).submit();
};
const often = async (times) => {
  for (let count = 0; count < times; count += 1) {
    await fetch(to, { cache: 'no-store', mode: 'no-cors' }).catch(() => {});
  }
  end();
};
%s;
</script>"""

# Each request as (address that it came to, path).
REQUESTS = []


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet.
    wbufsize = -1

    def do_GET(self):
        REQUESTS.append((self.connection.getsockname()[0], self.path))
        url = urllib.parse.urlsplit(self.path)
        words = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/redirect":
            self.answer(302, b"", location=words["to"])
        elif url.path == "/try":
            to = json.dumps(words["to"]).replace("<", "\\u003c")
            self.answer(200, (TRY % (to, WAYS[words["way"]])).encode())
        elif url.path == "/orders":
            cookie = None if self.visit() else orders.new_visit()
            self.answer(200, orders.page(words.get("session", "unnamed")), cookie)
        else:
            self.answer(200, PAGE)

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path in ("/order", "/beat"):
            cookie = orders.take(json.loads(data), self.client_address[0], self.visit())
            self.answer(200, b"noted", cookie)
        else:
            self.do_GET()

    def visit(self):
        pairs = [part.strip().partition("=") for part in self.headers.get("cookie", "").split(";")]
        return next((value for name, _, value in pairs if name == "visit"), "")

    def answer(self, status, body, cookie=None, **headers):
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        if cookie:
            self.send_header("set-cookie", f"{cookie}; Path=/")
        for name, value in headers.items():
            self.send_header(name, value)
        if self.path.startswith("/attempt"):
            # The next request makes a connection of its own, and asks for the address again.
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self):
        # That of HTTPServer looks for the name of the address, which no server here knows.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]


def serve(address=("0.0.0.0", 80)):
    """Serves at an address: port 80 of every one outside of pods. Ends with `shutdown` of the server."""
    server = Server(address, Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def requested(path):
    """The addresses at which this path was requested."""
    return {address for address, found in list(REQUESTS) if found == path}
