"""The network of the cluster: a bridge for pods, a node, and hosts outside of the cluster.

All of it lies in a network namespace that the test has made, so no address is one of the network of
the machine. Each pod has a network namespace of its own.
"""

import contextlib
import ctypes
import os
import pathlib
import socket
import subprocess
import threading

from processes import run

PODS = "10.244.0.0/16"
GATEWAY = "10.244.0.1"
# Where the API server is. Its Service has the first address of SERVICES.
NODE = "10.10.0.1"
API_PORT = 6443
SERVICES = "10.96.0.0/16"
API_SERVICE = "10.96.0.1"
DNS_SERVICE = "10.96.0.10"

# A public host, here only, and what pods must not reach.
SITE = "11.0.0.80"
SITE_NAME = "shop.example"
# Another name of it, and names that a page of a tenant could use to come to other addresses.
OTHER_SITE_NAME = "cdn.example"
METADATA_NAME = "metadata.example"
PRIVATE_NAME = "intranet.example"
REBOUND_NAME = "rebound.example"
STORE = "11.0.0.90"
STORE_PORT = 9000
METADATA = "169.254.169.254"
PRIVATE = ["10.20.30.40", "172.16.7.7", "192.168.77.7"]

NAMESPACES = pathlib.Path("/run/netns")
_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000


def set_up():
    """Makes the bridge and the addresses outside of it, in the network namespace of the test."""
    ip("link", "set", "lo", "up")
    # A bridge without an address of its own takes that of a port: pods would lose it with that port.
    ip("link", "add", "pods0", "address", hardware(GATEWAY), "type", "bridge")
    ip("address", "add", f"{GATEWAY}/16", "dev", "pods0")
    for address in [NODE, SITE, STORE, METADATA, *PRIVATE]:
        ip("address", "add", f"{address}/32", "dev", "pods0")
    ip("link", "set", "pods0", "up")


def ip(*words):
    run("ip", *words)


def add_pod(uid, address):
    """Makes the network namespace of a pod, with its address."""
    name, outer = namespace(uid).name, interface(uid)
    ip("netns", "add", name)
    ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
    ip("link", "set", outer, "master", "pods0", "up")
    # The same for each pod that has this address: neighbours may still know it.
    ip("-n", name, "link", "set", "eth0", "address", hardware(address))
    ip("-n", name, "link", "set", "lo", "up")
    ip("-n", name, "address", "add", f"{address}/16", "dev", "eth0")
    ip("-n", name, "link", "set", "eth0", "up")
    ip("-n", name, "route", "add", "default", "via", GATEWAY)


def hardware(address):
    """The hardware address that belongs to an address."""
    return ":".join(["02:00", *(f"{int(part):02x}" for part in address.split("."))])


def remove_pod(uid):
    name = namespace(uid)
    if name.exists():
        ip("netns", "delete", name.name)


def write_rules(tools, uid, text):
    """Runs commands of nftables in the network of a pod; returns how that ended."""
    return subprocess.run(
        ["nsenter", f"--net={namespace(uid)}", str(tools / "nft"), "-f", "-"],
        input=text,
        text=True,
        capture_output=True,
        check=False,
        env={**os.environ, "LD_LIBRARY_PATH": str(tools / "lib")},
    )


def namespace(uid):
    """The path of the network namespace of a pod."""
    return NAMESPACES / uid


def processes_of(uid):
    """The processes in the network of a pod, each with its command line."""
    try:
        inode = namespace(uid).stat().st_ino
    except OSError:
        return
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (path / "ns" / "net").stat().st_ino == inode:
                command = (path / "cmdline").read_bytes().replace(b"\0", b" ")
                yield int(path.name), command.decode(errors="replace")
        except OSError:
            continue


def interface(uid):
    return "v" + uid.replace("-", "")[:12]


@contextlib.contextmanager
def inside(path):
    """In the network namespace at `path`, for this thread only. Sockets that are made here stay."""
    own = os.open(f"/proc/self/task/{threading.get_native_id()}/ns/net", os.O_RDONLY)
    other = os.open(path, os.O_RDONLY)
    try:
        enter(other)
        try:
            yield
        finally:
            enter(own)
    finally:
        os.close(own)
        os.close(other)


def enter(descriptor):
    if _LIBC.setns(descriptor, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns failed")


def connect_from(path, address, timeout):
    """A TCP connection from the network namespace at `path`."""
    with inside(path):
        opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.settimeout(timeout)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        opened.connect(address)
    except OSError:
        opened.close()
        raise
    return opened
