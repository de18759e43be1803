"""What breaks: replicas, pods, browsers and the API server end, and callers go on."""

import itertools
import signal
import time

from fleet import POOL, SITE, labels, metric
from processes import send, until

from . import Callers, expect, same


def leader_is_killed(fleet, _):
    """Six callers wait for pods at two replicas while the one that leads is killed."""
    leader = fleet.leader()
    others = [gate for gate in fleet.ready_gates() if not same(gate, leader)]
    fleet.scale(0)
    in_pool = lambda: [pod for pod in fleet.pods() if POOL in labels(pod)]  # noqa: E731
    until(lambda: not in_pool(), "an empty pool", 60)
    tenants = [f"waits-{number}" for number in range(6)]
    call = lambda tenant, gate: (  # noqa: E731
        lambda: fleet.call(tenant, "work", "LoadHtml", {"html": "<p>waited"}, gate=gate)
    )
    callers = Callers([call(tenant, others[n % 2]) for n, tenant in enumerate(tenants)])
    until(lambda: queue_depth(leader) == 6, "six callers in the queue")
    killed = time.monotonic()
    fleet.kill(leader)
    fleet.scale(6)
    answers = callers.wait(90)
    seconds = time.monotonic() - killed
    wrong = [answer for answer in answers if answer.reason != "ok"]
    expect(not wrong, f"{len(wrong)} of 6 callers failed: {wrong[:1]}")
    fleet.scale(3)
    for tenant in tenants:
        fleet.close(tenant, "work")
    until(lambda: not any(map(fleet.claimed, tenants)), "the end of their pods", 60, 0.3)
    fleet.wait_for_gates()
    return f"all have a pod {seconds:.1f} s later"


def queue_depth(gate):
    return metric(gate, 7481, "browse_session_queue_depth")


def daemon_is_killed(fleet, _):
    """The daemon of a tenant: its session is lost, which is reported once, and it gets another pod."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    pod = fleet.pod_of(tenant)
    fleet.kill(pod)
    return lost_and_opened_anew(fleet, tenant, pod)


def pod_is_deleted(fleet, _):
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    pod = fleet.pod_of(tenant)
    name = pod["metadata"]["name"]
    fleet.api.delete(f"{fleet.path}/pods/{name}", grace=0)
    return lost_and_opened_anew(fleet, tenant, pod)


def lost_and_opened_anew(fleet, tenant, pod):
    begun = time.monotonic()
    gate = fleet.leader()
    reasons = []

    def served():
        answer = fleet.call(tenant, "work", "Goto", {"url": SITE}, gate=gate)
        reasons.append(answer.reason)
        return reasons[-1] == "ok"

    until(served, "another pod for the tenant", 120, 0.5)
    seconds = time.monotonic() - begun
    known = {"POD_UNREACHABLE", "SESSION_LOST", "ACTION_UNKNOWN", "ok"}
    expect(set(reasons) <= known, f"the calls were answered {counted(reasons)}")
    expect(reasons.count("SESSION_LOST") == 1, f"the calls were answered {counted(reasons)}")
    fresh = [found for found in fleet.claimed(tenant) if not same(found, pod)]
    expect(fresh, "the session is in the pod that has failed")
    gone = lambda: all(not same(found, pod) for found in fleet.pods())  # noqa: E731
    until(gone, "the end of the pod that has failed", 120, 0.5)
    fleet.close_and_wait(tenant, "work")
    fleet.wait_for_warm(3)
    return f"{counted(reasons)} after {seconds:.1f} s"


def counted(reasons):
    """The reasons in their order, each with how often it came one after another."""
    return ", ".join(f"{len(list(run))} {reason}" for reason, run in itertools.groupby(reasons))


def browser_is_killed(fleet, _):
    """Chromium ends in a pod: the session stays, and its tab is loaded again."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    pod = fleet.pod_of(tenant)
    browsers = fleet.browser_pids(pod)
    expect(browsers, "the pod has no browser")
    for pid in browsers:
        send(pid, signal.SIGKILL)
    answers = []

    def served():
        answers.append(fleet.call(tenant, "work", "Text"))
        return answers[-1].reason == "ok"

    until(served, "a browser that was started again", 60, 0.5)
    expect("Twelve apples" in answers[-1].body["text"], f"the tab has {answers[-1]}")
    expect(same(fleet.pod_of(tenant), pod), "the session is in another pod")
    fleet.close_and_wait(tenant, "work")
    fleet.wait_for_warm(3)
    return counted(answer.reason for answer in answers)


def api_server_stops(fleet, _):
    """For a minute: open sessions go on, and new ones are refused at once."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    gates = fleet.ready_gates()
    restarts = restart_counts(fleet)
    with fleet.cluster.control_plane.api_server_stopped():
        found = without_api_server(fleet, gates, tenant)
    begun = time.monotonic()
    opens = lambda: fleet.call("beta", "new", "Goto", {"url": SITE}).reason == "ok"  # noqa: E731
    until(opens, "a new session", 60, 0.3)
    seconds = time.monotonic() - begun
    expect("Twelve apples" in fleet.text(tenant, "work"), "the session ended")
    fleet.wait_for_gates()
    expect(restart_counts(fleet) == restarts, "a replica was started again")
    fleet.close_and_wait(tenant, "work")
    fleet.close_and_wait("beta", "new")
    fleet.wait_for_warm(3)
    return f"{found}; a new session {seconds:.1f} s after the API server was ready"


def without_api_server(fleet, gates, tenant):
    begun = time.monotonic()
    # Some seconds of failures come first.
    until(lambda: refused_at(fleet, gates), "a refusal by each replica", 20, 0.5)
    noticed = time.monotonic() - begun
    calls = slow = 0
    while time.monotonic() - begun < 60:
        for gate in gates:
            expect("Twelve apples" in fleet.text(tenant, "work", gate=gate), "the session ended")
            refused = fleet.call("beta", "new", "Goto", {"url": SITE}, gate=gate)
            expect(refused.reason == "GATE_UNAVAILABLE", f"a new session was answered {refused}")
            slow = max(slow, refused.seconds)
            calls += 1
        time.sleep(1)
    expect(slow < 5, f"a refusal took {slow:.1f} s")
    return (
        f"{calls} calls in the session, refusals from {noticed:.1f} s on, in {slow:.2f} s at most"
    )


def refused_at(fleet, gates):
    calls = [fleet.call("beta", "none", "Goto", {"url": SITE}, gate=g, timeout=20) for g in gates]
    return all(call.reason == "GATE_UNAVAILABLE" for call in calls)


def restart_counts(fleet):
    return {
        pod["metadata"]["name"]: [s["restartCount"] for s in pod["status"]["containerStatuses"]]
        for pod in fleet.pods("gate")
    }
