"""Opens what a command writes to. The folder is opened first, and everything is
decided on the folder that was opened. A regular file appears whole or not at all;
pipes with a name and a few devices are written into; nothing else is."""

from __future__ import annotations

import os

from ._output_rule import HEAD, Places, contradiction, refusal, replacement
from ._place import project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds until a pipe that nobody reads is given up.
_PATIENCE = 30
_MAX_LINKS = 40

# Devices that are written into: name, and their numbers on Linux.
_DEVICES = {"null": 0x103, "zero": 0x105, "full": 0x107, "tty": 0x500}


class Refused(Exception):
    """Why a file is not written."""


def places_here() -> Places:
    """The places of this process."""
    import sys

    def folder(name: str) -> str | None:
        value = os.environ.get(name)
        return os.path.realpath(value) if value else None

    search = [path for path in os.environ.get("PATH", "").split(":") if path.startswith("/")]
    here = os.getcwd()
    return Places(
        own=[os.path.realpath(path) for path in (project_of(here), here)],
        temp=os.path.realpath(temp_folder()),
        home=folder("HOME"),
        browse_home=folder("BROWSE_HOME"),
        search=[os.path.realpath(path) for path in search],
        macos=sys.platform == "darwin",
    )


class _Goal:
    """What is at the end of a path: a name in a folder that was opened, or a descriptor."""

    def __init__(self, places: Places, path: str) -> None:
        import stat

        self.descriptor: int | None = None
        self.folder: int | None = None
        self.stream: os.stat_result | None = None
        path = os.path.join(os.getcwd(), path)
        for _ in range(_MAX_LINKS):
            self.descriptor = _descriptor(path)
            if self.descriptor is not None:
                return
            parent, self.name = os.path.split(path)
            if self.name in ("", ".", ".."):
                raise Refused("it is a folder")
            self.close()
            self.folder = os.open(parent, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY)
            real = _real(self.folder, parent)
            about = self.about(self.name)
            if about and stat.S_ISLNK(about.st_mode):
                path = os.path.join(real, os.readlink(self.name, dir_fd=self.folder))
                continue
            is_file = not about or stat.S_ISREG(about.st_mode)
            if about and not is_file:
                self.stream = about
                _check_stream(real, self.name, about)
            is_device = about and stat.S_ISCHR(about.st_mode)
            why = None if is_device else refusal(places, os.path.join(real, self.name))
            if why:
                raise Refused(why)
            return
        raise Refused("it is a link to itself")

    def about(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None


def _real(folder: int, path: str) -> str:
    link = f"/proc/self/fd/{folder}"
    if os.path.exists(link):
        return os.readlink(link)
    # Where descriptors have no names the path is compared with what was opened.
    real = os.path.realpath(path)
    if not os.path.samestat(os.lstat(real), os.fstat(folder)):
        raise Refused("the folder changed meanwhile")
    return real


def _check_stream(folder: str, name: str, about: os.stat_result) -> None:
    """Raises for a type of file that is not written to."""
    import stat
    import sys

    mode = about.st_mode
    numbers = _DEVICES.get(name) if folder == "/dev" else None
    is_known = numbers is not None and (sys.platform != "linux" or about.st_rdev == numbers)
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) and is_known:
        return
    if stat.S_ISDIR(mode):
        raise Refused("it is a folder")
    if stat.S_ISBLK(mode):
        raise Refused("it is a block device")
    raise Refused("it is a socket" if stat.S_ISSOCK(mode) else "it is a device")


def _descriptor(path: str) -> int | None:
    """The descriptor that a path names."""
    if path in ("/dev/stdout", "/dev/stderr"):
        return 1 if path == "/dev/stdout" else 2
    folder, _, name = path.rpartition("/")
    own = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", f"/proc/{os.getpid()}/fd")
    return int(name) if folder in own and name.isdecimal() else None


class OutputFile:
    """A file under way: it lies under another name beside its own until it is whole."""

    def __init__(self, path: str, by: str) -> None:
        self._path = path
        # A page that chose the name replaces nothing.
        self._numbered = by == "page"
        self._head = b""
        self._own: str | None = None
        self._goal = _Goal(places_here(), path)
        if self._goal.folder is not None and self._goal.stream is None:
            self._draft = f".{self._goal.name[:30]}.{unique()}"
        else:
            self._own = own_folder()
            self._draft = os.path.join(self._own, "draft")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            mode = 0o600 if by == "nobody" else 0o666
            self._file = open(os.open(self._draft, flags, mode, dir_fd=self._at), "w+b", 0)
        except OSError:
            self._goal.close()
            raise

    @property
    def _at(self) -> int | None:
        return None if self._own else self._goal.folder

    def add(self, data: bytes) -> None:
        self._head += data[: HEAD - len(self._head)]
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) :]

    def finish(self) -> str:
        """Puts it where it is to be, and returns the path that it got."""
        goal = self._goal
        if goal.descriptor is not None:
            self._describe(goal.descriptor)
        elif goal.stream:
            flags = os.O_WRONLY | os.O_NONBLOCK
            self._pour(lambda: os.open(goal.name, flags, dir_fd=goal.folder), goal.stream)
        elif not self._numbered:
            self._replace()
        else:
            stem, end = os.path.splitext(self._path)
            number, wanted = 1, self._path
            while not self._claim(os.path.basename(wanted)):
                number += 1
                wanted = f"{stem}-{number}{end}"
            return wanted
        return self._path

    def _replace(self) -> None:
        import stat

        name = self._goal.name
        about = self._goal.about(name)
        if about and not stat.S_ISREG(about.st_mode):
            raise Refused("it changed meanwhile")
        why = contradiction(name, self._head)
        if about and not why:
            executable = bool(about.st_mode & 0o111)
            why = replacement(name, self._old(about), executable, self._head)
        if why:
            raise Refused(why)
        if about:
            os.rename(self._draft, name, src_dir_fd=self._at, dst_dir_fd=self._at)
        elif not self._claim(name):
            raise Refused("it came into being meanwhile")

    def _old(self, about: os.stat_result) -> bytes:
        """The first bytes of what is to be replaced."""
        try:
            file = os.open(self._goal.name, os.O_RDONLY | os.O_NONBLOCK, dir_fd=self._at)
        except PermissionError:
            # It may be replaced where it may not be read.
            return b""
        try:
            if not os.path.samestat(os.fstat(file), about):
                raise Refused("it changed meanwhile")
            return os.read(file, HEAD)
        finally:
            os.close(file)

    def _claim(self, wanted: str) -> bool:
        """Gives it the name `wanted`, unless something has it."""
        at = self._at
        try:
            # A rename would replace; a link does not.
            os.link(self._draft, wanted, src_dir_fd=at, dst_dir_fd=at)
            return True
        except FileExistsError:
            return False
        except FileNotFoundError:
            raise
        except OSError:
            # The file system has no links.
            if self._goal.about(wanted):
                return False
        os.rename(self._draft, wanted, src_dir_fd=at, dst_dir_fd=at)
        return True

    def _describe(self, number: int) -> None:
        import fcntl
        import stat

        path = f"/dev/fd/{number}"
        mode = os.stat(path).st_mode
        if stat.S_ISBLK(mode) or stat.S_ISDIR(mode):
            raise Refused("it is not a file that is written to")
        if fcntl.fcntl(number, fcntl.F_GETFL) & (os.O_WRONLY | os.O_RDWR) == 0:
            # To open it by its path on Linux would ask for the file anew.
            raise Refused("it is open for reading only")
        if number <= 2 and not stat.S_ISFIFO(mode):
            # A file is written on at the place where the shell is in it.
            self._pour(lambda: os.dup(number), None)
        else:
            flags = os.O_WRONLY | os.O_NONBLOCK | os.O_APPEND
            self._pour(lambda: os.open(path, flags), None)

    def _pour(self, open_: Callable[[], int], wanted: os.stat_result | None) -> None:
        """Writes what the draft holds into a pipe or a device."""
        import errno
        import stat
        import time

        end = time.monotonic() + _PATIENCE

        def attempt(code: int, work: Callable[[], int]) -> int:
            while True:
                try:
                    return work()
                except OSError as error:
                    if error.errno != code:
                        raise
                if time.monotonic() >= end:
                    raise Refused("nobody reads it")
                time.sleep(0.01)

        # A file that is not a pipe has no reader to wait for.
        is_pipe = wanted is None or stat.S_ISFIFO(wanted.st_mode)
        out = attempt(errno.ENXIO if is_pipe else 0, open_)
        try:
            if wanted and not os.path.samestat(os.fstat(out), wanted):
                raise Refused("it changed meanwhile")
            self._file.seek(0)
            while data := self._file.read(1 << 16):
                left = memoryview(data)
                while left:
                    left = left[attempt(errno.EAGAIN, lambda: os.write(out, left)) :]
        finally:
            os.close(out)

    def discard(self) -> None:
        """Takes away what is half written."""
        if self._file.closed:
            return
        self._file.close()
        try:
            os.remove(self._draft, dir_fd=self._at)
        except FileNotFoundError:
            pass
        if self._own:
            os.rmdir(self._own)
        self._goal.close()


def make_folder(path: str) -> None:
    """Makes the folder `path`, and those above it, where the rule lets a file lie in it."""
    real = os.path.realpath(path)
    why = refusal(places_here(), os.path.join(real, "download"))
    if why:
        raise Refused(why)
    os.makedirs(real, exist_ok=True)


def own_folder() -> str:
    """Makes a folder in the temp folder that nobody else can enter."""
    folder = os.path.join(temp_folder(), f"browse-files-{unique()}")
    os.mkdir(folder, 0o700)
    return folder


def temp_folder() -> str:
    return os.environ.get("TMPDIR") or "/tmp"


def unique() -> str:
    return f"{os.getpid()}-{os.urandom(6).hex()}"
