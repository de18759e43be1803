"""The checks. Each opens the sessions that it needs, and takes the fleet with its replicas and three warm
pods ready."""

import threading
import time

from processes import Failure


class Check:
    """A check with the sentence that holds when it passes."""

    def __init__(self, name, run, is_needed=False):
        self.name, self.run, self.is_needed = name, run, is_needed


def expect(holds, what):
    if not holds:
        raise Failure(what)


def chosen(only):
    """The checks whose name has one of the words; the first and the last always run."""
    from . import all_checks

    words = [word for word in (only or "").split(",") if word]
    return [
        check
        for check in all_checks.CHECKS
        if check.is_needed or not words or any(word in check.name for word in words)
    ]


def same(one, other):
    """Whether both are the same pod."""
    return one["metadata"]["uid"] == other["metadata"]["uid"]


class Callers:
    """Calls in threads of their own, each with its answer."""

    def __init__(self, calls):
        self.answers = [None] * len(calls)
        self.threads = [
            threading.Thread(target=self.run, args=(index, call), daemon=True)
            for index, call in enumerate(calls)
        ]
        for thread in self.threads:
            thread.start()

    def run(self, index, call):
        self.answers[index] = call()

    def wait(self, seconds):
        end = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(end - time.monotonic(), 0.01))
        expect(None not in self.answers, f"a call had no answer in {seconds} s")
        return self.answers
