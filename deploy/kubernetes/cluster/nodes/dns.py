"""The DNS server of the cluster, as a pod: a few names, each with an IPv4 address.

Run as `python3 dns.py NAME=ADDRESS...`. A name with several, as in `NAME=ADDRESS+ADDRESS`, has another
one in each answer.
"""

import itertools
import socket
import socketserver
import struct
import sys
import threading

NAMES = {}
A = 1
# Seconds for which an answer may be kept.
TTL = 1


def answer(request):
    """The answer to a request with one question."""
    (number,) = struct.unpack("!H", request[:2])
    labels, at = [], 12
    while length := request[at]:
        labels.append(request[at + 1 : at + 1 + length].decode("ascii", "replace").lower())
        at += length + 1
    question = request[12 : at + 5]
    (kind,) = struct.unpack("!H", request[at + 1 : at + 3])
    addresses = NAMES.get(".".join(labels))
    code = 0 if addresses else 3
    found = addresses and kind == A
    head = struct.pack("!HHHHHH", number, 0x8580 | code, 1, 1 if found else 0, 0, 0)
    record = b""
    if found:
        address = socket.inet_aton(next(addresses))
        record = b"\xc0\x0c" + struct.pack("!HHIH", A, 1, TTL, 4) + address
    return head + question + record


class Datagrams(socketserver.BaseRequestHandler):
    def handle(self):
        data, own = self.request
        own.sendto(answer(data), self.client_address)


class Streams(socketserver.StreamRequestHandler):
    def handle(self):
        (length,) = struct.unpack("!H", self.rfile.read(2))
        reply = answer(self.rfile.read(length))
        self.wfile.write(struct.pack("!H", len(reply)) + reply)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        name, addresses = word.split("=")
        NAMES[name] = itertools.cycle(addresses.split("+"))
    udp = socketserver.ThreadingUDPServer(("0.0.0.0", 53), Datagrams)
    tcp = socketserver.ThreadingTCPServer(("0.0.0.0", 53), Streams)
    threading.Thread(target=tcp.serve_forever, daemon=True).start()
    udp.serve_forever()
