"""The checks, in the order in which they run. Each takes the fleet as the one before left it: installed,
with its replicas and its pool ready, and without a tenant."""

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
