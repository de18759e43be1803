"""Programs that the test starts. Each is ended by its process id."""

import os
import signal
import subprocess
import time


class Failure(Exception):
    """What a check or a step found wrong."""


def run(*command, timeout=120, **options):
    """The output of a program that must succeed."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=timeout, **options
        )
    except subprocess.TimeoutExpired as error:
        raise Failure(f"`{' '.join(words)}` did not end in {timeout} s") from error
    if done.returncode != 0:
        raise Failure(f"`{' '.join(words)}` failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def until(check, what, seconds=30, interval=0.1):
    """Waits until `check()` is true, and returns its result. `what` names that: a text, or a function
    that returns one."""
    end = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > end:
            text = what() if callable(what) else what
            raise Failure(f"{text} did not come about in {seconds} s")
        time.sleep(interval)


class Program:
    """A program in the background with a log of its own."""

    def __init__(self, name, command, log, env=None):
        self.name = name
        self.command = [str(word) for word in command]
        self.log, self.env = log, env
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.env,
                start_new_session=True,
            )

    def check(self):
        """Fails when the program has ended by itself."""
        code = self.process.poll()
        if code is not None:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                end = "".join(log.readlines()[-15:])
            raise Failure(f"{self.name} ended with {code}:\n{end}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=10):
        end_process(self.process, seconds)


def end_process(process, seconds):
    """SIGTERM, and SIGKILL when it has not ended in time."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def children(pid):
    """The process ids of the children of a process."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def send(pid, number=signal.SIGTERM):
    """Sends a signal to a process, which may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
