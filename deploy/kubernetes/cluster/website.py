"""A site outside of the cluster, at the public address and at those that pods must not reach."""

import http.server
import threading

PAGE = b"""<!doctype html><title>Shop</title><h1>Shop</h1><p id=stock>Twelve apples</p>
<button onclick="document.title = 'Sold'">Buy</button>"""


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *words):
        pass


def serve():
    """Serves on port 80 of every address outside of pods, until the test ends."""
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
