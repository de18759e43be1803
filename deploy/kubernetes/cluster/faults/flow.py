"""A session in use: a client that places orders by clicks, and another one that reads."""

import dataclasses
import json
import threading
import time

import network
from fleet import CLAIM
from orders import BUTTONS, LEDGER
from processes import Failure, until

SESSION = "work"
# Seconds between two clicks, and between two readings.
PAUSE = 0.1
# Clicks in a row that succeed: the session is usable again.
ENOUGH = 4

# Reasons after which the client goes on as before. After others it opens the page again.
TRANSIENT = {
    "ACTION_UNKNOWN",
    "BROWSER_GONE",
    "broken",
    "FLEET_BUSY",
    "GATE_UNAVAILABLE",
    "POD_UNREACHABLE",
    "SESSION_MOVED",
    "STATE_UNAVAILABLE",
}


@dataclasses.dataclass
class Call:
    """A call of a client, with its answer."""

    kind: str
    number: int | None
    begun: float
    ended: float
    reason: str
    text: str


class Flow:
    """The session `work` of a new tenant."""

    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, fleet.new_tenant()
        self.url = f"http://{network.SITE_NAME}/orders?session={self.tenant}"
        self.calls = []
        self.over = threading.Event()
        self.threads = []
        self.begun = time.time()
        self.pod = None

    def open(self):
        """Opens the session, and waits until an order of it is saved."""
        self.fleet.must(self.tenant, SESSION, "Goto", {"url": self.url})
        self.pod = self.holder()
        self.threads = [
            threading.Thread(target=work, daemon=True) for work in (self.place_orders, self.read)
        ]
        for thread in self.threads:
            thread.start()
        self.wait_for_orders(time.time(), 60)
        if self.fleet.has_store:
            until(self.is_saved, "a saved order", 30)

    def place_orders(self):
        for number in range(BUTTONS):
            if self.over.is_set():
                return
            call = self.call("click", "Click", {"target": f"#b{number}"}, number)
            if call.reason not in TRANSIENT | {"ok"}:
                self.call("open", "Goto", {"url": self.url})
            self.over.wait(PAUSE)

    def read(self):
        while not self.over.is_set():
            self.call("read", "Get", {"property": "title"})
            self.over.wait(PAUSE)

    def call(self, kind, command, body, number=None):
        begun = time.time()
        answer = self.fleet.call(self.tenant, SESSION, command, body, timeout=150)
        text = "" if answer.reason == "ok" else repr(answer)
        call = Call(kind, number, begun, time.time(), answer.reason, text)
        self.calls.append(call)
        return call

    def wait_for_orders(self, since, seconds):
        """Waits until clicks that began after `since` succeed, one after the other."""

        def succeed():
            clicks = [c for c in list(self.calls) if c.kind == "click" and c.begun >= since]
            return len(clicks) >= ENOUGH and all(c.reason == "ok" for c in clicks[-ENOUGH:])

        until(succeed, lambda: f"a session that is used again ({self.last_failure()})", seconds)

    def last_failure(self):
        failed = [call for call in list(self.calls) if call.reason != "ok"]
        return failed[-1].text if failed else "no call failed"

    def is_saved(self):
        """Whether a write came after the first order."""
        orders = [event for event in LEDGER.of(self.tenant) if event.number is not None]
        return orders and any(write.is_done and write.at > orders[0].at for write in self.writes())

    def writes(self):
        """What pods have written of the session, or tried to."""
        if not self.fleet.has_store:
            return []
        writes = self.fleet.cluster.read_journal(self.begun)
        return [write for write in writes if write.key.endswith(f"/{self.tenant}/{SESSION}")]

    def holder(self):
        """The pod whose claim has the session."""
        pods = [
            pod
            for pod in self.fleet.claimed(self.tenant)
            if SESSION in json.loads(pod["metadata"]["annotations"][CLAIM])["sessions"]
        ]
        if len(pods) != 1:
            raise Failure(f"{len(pods)} pods have the session, not one")
        return pods[0]

    def address_was_given_on(self):
        """Whether another pod has the address of the one in which the session was opened."""
        address, uid = self.pod["status"]["podIP"], self.pod["metadata"]["uid"]
        return any(
            pod["status"].get("podIP") == address and pod["metadata"]["uid"] != uid
            for pod in self.fleet.pods()
        )

    def stop(self):
        """Lets the clients end; each call has an answer."""
        self.over.set()
        for thread in self.threads:
            thread.join(160)
            if thread.is_alive():
                raise Failure("a call has no answer")

    def close(self):
        """Closes the session, and waits until its pods have been deleted."""
        answers = []

        def closed():
            answers.append(self.fleet.call(self.tenant, SESSION, "close", {"name": SESSION}))
            return answers[-1].reason in ("ok", "SESSION_NOT_FOUND")

        until(closed, lambda: f"the end of the session ({answers[-1]})", 60, 1)
        gone = lambda: not self.fleet.claimed(self.tenant)  # noqa: E731
        until(gone, f"the end of the pods of `{self.tenant}`", 120, 0.3)
