"""A site outside of the cluster, at the public address and at those that pods must not reach.

`/` is a shop. `/orders?session=NAME` has buttons `#b0` to `#b499`, each of which places the order of
its number. The server keeps a ledger of the orders, and of the signs of life of each page.
"""

import dataclasses
import http.server
import json
import random
import threading
import time
import urllib.parse

PAGE = b"""<!doctype html><title>Shop</title><h1>Shop</h1><p id=stock>Twelve apples</p>
<button onclick="document.title = 'Sold'">Buy</button>"""

BUTTONS = 500
# Seconds until an order is answered after it was noted: a fault then meets a click under way.
ORDER_TIME = 0.3
ORDERS = """<!doctype html><title>Orders</title><h1>Orders of NAME</h1><p id=count>0</p>
<script>
const post = (path, order) => fetch(path, {
  method: 'POST', body: JSON.stringify({ session: 'NAME', click: Math.random(), ...order }),
});
const place = async number => {
  await post('/order', { number });
  document.getElementById('count').textContent = number;
  localStorage.setItem('last', number);
};
for (let number = 0; number < COUNT; number++) {
  const button = document.createElement('button');
  Object.assign(button, { id: 'b' + number, textContent: number, onclick: () => place(number) });
  document.body.append(button);
}
setInterval(() => post('/beat', {}), 1000);
</script>"""


@dataclasses.dataclass
class Event:
    """What a page has sent: an order, or a sign of life (number None)."""

    at: float
    session: str
    # The address of the pod.
    address: str
    # The cookie that the first page of a session got.
    visit: str
    # Differs for each click, also for two on one button.
    click: float
    number: int | None = None


class Ledger:
    """What pages have sent, in the order in which it came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.all = []

    def add(self, event):
        with self.lock:
            self.all.append(event)

    def of(self, session):
        """The events of a session."""
        with self.lock:
            return [event for event in self.all if event.session == session]


LEDGER = Ledger()


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet.
    wbufsize = -1

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        page, cookie = PAGE, None
        if url.path == "/orders":
            (name,) = urllib.parse.parse_qs(url.query).get("session", ["unnamed"])
            page = ORDERS.replace("NAME", name).replace("COUNT", str(BUTTONS)).encode()
            cookie = None if self.visit() else f"visit={random.getrandbits(64):x}; Max-Age=86400"
        self.reply(200, page, cookie)

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        number = sent.get("number")
        address, visit = self.client_address[0], self.visit()
        LEDGER.add(Event(time.time(), sent["session"], address, visit, sent["click"], number))
        if number is not None:
            time.sleep(ORDER_TIME)
        # Each order changes the state of the session, so that there is something to save.
        cookie = None if number is None else f"last={number}; Max-Age=86400"
        self.reply(200, b"noted", cookie)

    def visit(self):
        pairs = [part.strip().partition("=") for part in self.headers.get("cookie", "").split(";")]
        return next((value for name, _, value in pairs if name == "visit"), "")

    def reply(self, status, data, cookie):
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(data)))
        if cookie:
            self.send_header("set-cookie", f"{cookie}; Path=/")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        pass


def serve():
    """Serves on port 80 of every address outside of pods, until the test ends."""
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Site)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
