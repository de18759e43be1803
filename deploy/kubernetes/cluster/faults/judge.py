"""What a fault did to a session, by what its clients, the site and the store have seen."""

import dataclasses
from collections import Counter

from orders import LEDGER

from .flow import TRANSIENT

# Answers after which an action may have been done; `broken` is a connection to the gateway.
UNKNOWN = {"ACTION_UNKNOWN", "BROWSER_GONE", "broken"}
# Answers that promise that nothing was done.
NOTHING_DONE = TRANSIENT - UNKNOWN | {"SESSION_LOST", "TAB_UNLOADED"}
NO_REASON = "ended: without a reason"
# Answers by which a session ends.
SESSION_ENDS = {"SESSION_LOST", "SESSION_NOT_FOUND"}
# Seconds in which a pod may act on a session that another one has: until its next look at the store,
# every two seconds here, with time for requests on a machine that is busy.
OVERLAP_LIMIT = 10


@dataclasses.dataclass
class Result:
    """What one repetition has shown."""

    # `kept`, `moved`, `ended: REASON` or `failed`.
    outcome: str
    # Calls of the clients by kind and answer.
    calls: dict = dataclasses.field(default_factory=dict)
    # Seconds from the fault to the first of the clicks that succeeded again.
    pause: float = 0
    # Orders whose outcome the client does not know, and how many of them were placed.
    unknown: int = 0
    unknown_and_done: int = 0
    # Seconds in which a page in the pod of before sent something though another pod had the session.
    overlap: float = 0
    # Writes that the store has refused.
    refused_writes: int = 0
    # What must not be.
    wrong: list = dataclasses.field(default_factory=list)
    # The first clicks that ended after the fault: number, seconds from the fault to begin and end,
    # answer, times placed.
    clicks: list = dataclasses.field(default_factory=list)
    seconds: float = 0


def judge(flow, fault, at, pod):
    """The result of a flow that has ended; the fault was at `at`, `pod` has the session now."""
    result = Result("")
    result.calls = count_calls(flow.calls)
    judge_orders(flow, result, at)
    judge_writes(flow, result, at)
    result.outcome = outcome(flow, pod, at)
    expected = fault.expected
    if not flow.fleet.has_store:
        expected = ["ended" if word == "moved" else word for word in expected]
    if result.outcome.split(":")[0] not in expected:
        result.wrong.append(f"the session is {result.outcome}, not {' or '.join(expected)}")
    if result.outcome == NO_REASON:
        result.wrong.append("no call was answered with the reason for that")
    is_lost = SESSION_ENDS & {call.reason for call in flow.calls}
    if is_lost and not result.outcome.startswith("ended"):
        result.wrong.append("the session was reported as lost, and is there")
    result.pause = pause(flow, at)
    return result


def count_calls(calls):
    """How often each kind of call had which answer."""
    counts = Counter((call.kind, call.reason) for call in calls)
    found = {}
    for (kind, reason), count in sorted(counts.items()):
        found.setdefault(kind, {})[reason] = count
    return found


def judge_orders(flow, result, at):
    placed = {}
    for event in LEDGER.of(flow.tenant):
        if event.number is not None:
            placed.setdefault(event.number, set()).add(event.click)
    for call in flow.calls:
        if call.kind != "click":
            continue
        times = len(placed.get(call.number, ()))
        if call.ended > at and len(result.clicks) < 20:
            span = (round(call.begun - at, 2), round(call.ended - at, 2))
            result.clicks.append((call.number, *span, call.reason, times))
        if times > 1:
            result.wrong.append(f"order {call.number} ({call.reason}) was placed {times} times")
        elif call.reason == "ok" and times == 0:
            result.wrong.append(f"order {call.number} was answered as placed, and was not")
        elif call.reason in NOTHING_DONE and times:
            result.wrong.append(f"order {call.number} was answered {call.reason}, and was placed")
        if call.reason in UNKNOWN:
            result.unknown += 1
            result.unknown_and_done += times


def judge_writes(flow, result, at):
    """One writer at a time: each accepted write raises the epoch by one, and a pod that another one has
    followed does not write again."""
    epoch, before, gone = 0, None, set()
    for write in flow.writes():
        if not write.is_done:
            result.refused_writes += 1
            continue
        if write.kind == "delete":
            epoch, before = 0, None
            continue
        if write.epoch != epoch + 1:
            result.wrong.append(f"the epoch {write.epoch} was written after {epoch}")
        if before not in (None, write.pod):
            gone.add(before)
        if write.pod in gone:
            result.wrong.append(f"the pod {write.pod} wrote again after another one")
        epoch, before = write.epoch, write.pod
    judge_overlap(flow, result, at)


def judge_overlap(flow, result, at):
    uid, address = flow.pod["metadata"]["uid"], flow.pod["status"]["podIP"]
    taken = [w for w in flow.writes() if w.is_done and w.kind == "put" and w.pod != uid]
    late = [
        event.at
        for event in LEDGER.of(flow.tenant)
        if taken and event.address == address and event.at > taken[0].at
    ]
    # Another pod may have the address by now.
    if late and flow.address_was_given_on():
        return
    result.overlap = max(late) - taken[0].at if late else 0
    if result.overlap > OVERLAP_LIMIT:
        result.wrong.append(
            f"the page in the pod of before went on for {result.overlap:.1f} s after another pod "
            "had the session"
        )


def outcome(flow, pod, at):
    events = LEDGER.of(flow.tenant)
    orders = [event for event in events if event.number is not None]
    if orders[0].visit != orders[-1].visit or not orders[0].visit:
        reasons = {c.reason for c in flow.calls if c.ended > at} & SESSION_ENDS
        return f"ended: {', '.join(sorted(reasons))}" if reasons else NO_REASON
    return "kept" if pod["metadata"]["uid"] == flow.pod["metadata"]["uid"] else "moved"


def pause(flow, at):
    """The longest time without a click that succeeded, from the fault on."""
    done = sorted(c.ended for c in flow.calls if c.kind == "click" and c.reason == "ok")
    times = [at, *(time for time in done if time > at)]
    return max((b - a for a, b in zip(times, times[1:], strict=False)), default=0)


def failed_calls(flow, limit=6):
    """The first answers that were not `ok`, for the log."""
    failed = [call for call in flow.calls if call.reason != "ok"]
    return [f"{c.kind} {c.number} {c.ended - c.begun:.1f} s: {c.text[:200]}" for c in failed[:limit]]
