"""Tries to get out, one way after the other, and says which ways led out."""

import ctypes
import json
import os
import signal
import socket
import struct
import sys

at = json.load(open("targets.json"))
libc = ctypes.CDLL(None, use_errno=True)
found = {}


def probe(act):
    try:
        found[act.__name__] = bool(act())
    except BaseException as error:
        found[act.__name__] = False
        print(f"{act.__name__}: {error!r}", file=sys.stderr)


def reads(path):
    with open(path, "rb") as file:
        return len(file.read()) > 0


def call(number, *arguments):
    answer = libc.syscall(number, *arguments)
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


@probe
def listens_for_others():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        # Without a name it gets a port on every device.
        server.listen()
        return server.getsockname()[1] > 0 and len(socket.if_nameindex()) > 1


@probe
def reads_private_key():
    return reads(at["key"])


@probe
def reads_root_token():
    return b"token" in open(at["state"], "rb").read()


@probe
def reads_other_skill():
    return reads(at["other"])


@probe
def reads_environment_of_daemon():
    return reads(f"/proc/{at['daemon']}/environ")


@probe
def lists_home():
    return len(os.listdir(os.path.dirname(os.path.dirname(at["key"])))) > 0


@probe
def reads_hosts_file():
    return reads("/etc/hostname")


@probe
def writes_outside():
    with open(at["outside"], "w") as file:
        file.write("x")
    os.remove(at["outside"])
    return True


@probe
def writes_own_folder():
    with open("written", "w") as file:
        file.write("x")
    os.remove("written")
    return True


@probe
def changes_mode_of_others():
    os.chmod(at["key"], 0o640)
    return True


def connects(family, kind, address):
    with socket.socket(family, kind) as client:
        client.settimeout(2)
        client.connect(address)
        client.send(b"x")
        return True


@probe
def tcp_other_port():
    return connects(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", at["tcp"]))


@probe
def tcp_other_host():
    return connects(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.2", at["tcp"]))


@probe
def tcp_fast_open():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        return client.sendto(b"x", 0x20000000, ("127.0.0.1", at["tcp"])) >= 0


@probe
def tcp_multipath():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as client:
        client.settimeout(2)
        client.connect(("127.0.0.1", at["tcp"]))
        return True


@probe
def metadata_address():
    # Bound to loopback, so that nothing leaves this machine.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.setsockopt(socket.SOL_SOCKET, 25, b"lo\0")
        client.setblocking(False)
        return client.connect_ex(("169.254.169.254", 80)) in (0, 115, 111, 113)


@probe
def udp():
    return connects(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", at["udp"]))


@probe
def unix_path():
    return connects(socket.AF_UNIX, socket.SOCK_STREAM, at["unix"])


@probe
def unix_abstract():
    return connects(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + at["abstract"])


@probe
def netlink():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno() > 0


@probe
def listens_on_network():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        return True


@probe
def signals_daemon():
    os.kill(at["daemon"], 0)
    return True


@probe
def traces_daemon():
    seize = 0x4206
    answer = libc.ptrace(seize, at["daemon"], 0, 0)
    if answer < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return True


@probe
def reads_memory_of_daemon():
    text = ctypes.create_string_buffer(8)
    line = next(line for line in open(f"/proc/{at['daemon']}/maps") if " r" in line)
    start = int(line.split("-")[0], 16)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(text), 8)
    remote = (ctypes.c_void_p * 2)(start, 8)
    return libc.process_vm_readv(at["daemon"], local, 1, remote, 1, 0) == 8


@probe
def new_namespaces():
    if os.fork() == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    return os.wait()[1] == 0


@probe
def keyring():
    return call(250, 0, -3, 1, 0, 0) != 0


@probe
def perf_events():
    attributes = struct.pack("IIQ", 1, 112, 0) + bytes(96)
    return call(298, attributes, 0, -1, -1, 0) > 0


@probe
def io_uring():
    return call(425, 4, bytes(120)) > 0


@probe
def file_handles():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    return call(303, -100, b"/usr", handle, ctypes.byref(mount), 0) == 0


@probe
def forks_beyond_limit():
    children = []
    try:
        for _ in range(200):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return True


@probe
def fills_scratch():
    folder = os.environ.get("TMPDIR", "/tmp")
    names = [os.path.join(folder, f"browse-fill-{os.getpid()}-{number}") for number in range(5)]
    try:
        for name in names:
            with open(name, "wb") as file:
                file.write(bytes(20 << 20))
    finally:
        for name in filter(os.path.exists, names):
            os.remove(name)
    return True


@probe
def writes_one_large_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    name = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"browse-large-{os.getpid()}")
    try:
        with open(name, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 80 << 20)
    finally:
        os.remove(name)
    return True


print(json.dumps(found))
