"""Faults, each repeated while a session is used: what becomes of the session and of its calls.

A repetition opens a session of a new tenant, places orders at the site by clicks without a pause, and
has the fault happen meanwhile. Orders have numbers that are used once, and the site keeps a ledger of
them, so an action that was done twice is seen there. The store keeps a journal of writes.
"""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass
class Fault:
    """A fault. `run(fleet, flow)` lets it happen and heals it; the flow goes on meanwhile."""

    name: str
    run: Callable
    # Where the session may be afterwards: `kept` in its pod, `moved` to another one. Without a store
    # it has `ended` where it would have moved.
    expected: tuple[str, ...] = ("kept",)
    # Whether the checks of the fleet have it, once.
    is_checked: bool = False
    needs_store: bool = False
    # Seconds in which the session has to be usable again.
    seconds: int = 120
