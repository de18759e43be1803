"""Takes 400 MiB where the sum over processes may not see it, and stays until
it is ended. Prints `"taken"` where nothing stops it, `"refused"` where a system
call does."""

import ctypes
import mmap
import os
import signal
import socket
import sys
import time

options = dict(word.lstrip("-").split("=") for word in sys.argv[1:])
stays = float(options["stays"])
MIB = 1 << 20
MOST = 400 * MIB
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
kept = []


def check(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def system_v_memory():
    for _ in range(MOST // (50 * MIB)):
        segment = check(libc.shmget(0, 50 * MIB, 0o1600))
        try:
            address = libc.shmat(segment, None, 0)
            if address in (None, ctypes.c_void_p(-1).value):
                raise OSError(ctypes.get_errno(), "shmat")
            ctypes.memset(address, 1, 50 * MIB)
            # Nothing maps it any more: only the segment holds it.
            libc.shmdt(ctypes.c_void_p(address))
        finally:
            kept.append(segment)


def system_v_queue():
    kept.append(check(libc.msgget(0, 0o1600)))


def system_v_semaphores():
    kept.append(check(libc.semget(0, 100, 0o1600)))


def memory_files():
    for number in range(MOST // (50 * MIB)):
        file = os.memfd_create(str(number))
        for _ in range(50):
            os.write(file, bytes(MIB))


def dropped_shared_mapping():
    shared = mmap.mmap(-1, MOST)
    for at in range(0, MOST, MIB):
        shared[at : at + MIB] = b"x" * MIB
    # The object keeps its pages; no process shows them.
    shared.madvise(mmap.MADV_DONTNEED)
    kept.append(shared)


def mapped_device():
    with open("/dev/zero", "r+b" if os.access("/dev/zero", os.W_OK) else "rb") as device:
        shared = mmap.mmap(device.fileno(), MOST, prot=mmap.PROT_READ)
    for at in range(0, MOST, 4096):
        shared[at]
    shared.madvise(mmap.MADV_DONTNEED)
    kept.append(shared)


def page_tables():
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
    step = 2 * MIB
    space = mmap.mmap(-1, step * (MOST // 4096), flags=flags, prot=mmap.PROT_READ)
    for at in range(0, len(space), step):
        space[at]
    kept.append(space)


def pair(kind=socket.SOCK_STREAM):
    both = socket.socketpair(socket.AF_UNIX, kind)
    for one in both:
        one.setblocking(False)
    return both


def fill(one, piece=bytes(16384)):
    total = 0
    try:
        while True:
            total += one.send(piece)
    except BlockingIOError:
        return total


def spread(fills):
    """Runs `fills` in as many processes as it takes."""
    for _ in range(8):
        reader, writer = os.pipe()
        if os.fork() == 0:
            code = b"n"
            try:
                fills()
                code = b"y"
            except OSError:
                pass
            os.write(writer, code)
            time.sleep(stays)
            os._exit(0)
        if os.read(reader, 1) != b"y":
            raise OSError("refused")


def socket_pairs():
    def fills():
        total = 0
        while total < MOST // 8:
            both = pair()
            kept.append(both)
            total += sum(fill(one) for one in both)

    spread(fills)


def abandoned_sockets():
    def fills():
        total = 0
        while total < MOST // 8:
            sender, receiver = pair()
            total += fill(sender)
            sender.close()
            kept.append(receiver)

    spread(fills)


def large_socket_buffers():
    both = pair()
    both[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
    kept.append(both)


def datagrams():
    kept.append(pair(socket.SOCK_DGRAM))


def waiting_connections():
    server = socket.socket(socket.AF_UNIX)
    server.bind("\0waiting")
    server.listen(4096)
    kept.append(server)
    total = 0
    while total < MOST:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect("\0waiting")
            client.setblocking(False)
            total += fill(client)


def gifts_to_pipes():
    reader, writer = os.pipe()
    kept.append((reader, writer))
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page[0] = 1
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    check(libc.vmsplice(writer, (ctypes.c_size_t * 2)(address, 1), 1, 0))


def spliced_pages():
    both, (reader, writer) = pair(), os.pipe()
    os.write(writer, b"x")
    kept.append(both)
    check(libc.splice(reader, None, both[0].fileno(), None, 1, 0))


def spliced_files():
    both = pair()
    with open("/proc/self/exe", "rb") as file:
        os.sendfile(both[0].fileno(), file.fileno(), 0, 1)
    kept.append(both)


def private_memory():
    kept.append(bytearray(b"x") * MOST)


def adopted_by_supervisor():
    """Its parent ends, so that it is no child of the program."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            private_memory()
            os.write(writer, b"y")
            time.sleep(stays)
        os._exit(0)
    os.wait()
    os.read(reader, 1)


def without_first_thread():
    """The first thread ends; the process has no memory by its own files then."""
    import threading

    def goes_on():
        time.sleep(0.3)
        private_memory()
        time.sleep(stays)
        print('"taken"', flush=True)
        os._exit(0)

    threading.Thread(target=goes_on).start()
    libc.syscall(60, 0)


outcome = '"taken"'
try:
    globals()[options["way"]]()
except OSError as error:
    print(error, file=sys.stderr)
    outcome = '"refused"'
if outcome == '"taken"':
    time.sleep(stays)
for segment in kept if options["way"].startswith("system_v") else []:
    {"system_v_memory": lambda: libc.shmctl(segment, 0, None),
     "system_v_queue": lambda: libc.msgctl(segment, 0, None),
     "system_v_semaphores": lambda: libc.semctl(segment, 0, 0)}[options["way"]]()
print(outcome)
