"""What happens to nodes: evictions, drains, and a node that loses its power."""

import threading
import time

from api import ApiError
from cluster import OWN_NODE
from fleet import POOL, SITE, labels
from processes import Failure, until

from . import Callers, expect, same
from .failures import counted


def eviction(fleet, _):
    """A warm pod is evicted, one with a tenant is not."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    claimed, warm = fleet.pod_of(tenant), fleet.warm()[0]
    expect(evict(fleet, claimed) == 429, "the pod of a tenant was evicted")
    expect(evict(fleet, warm) == 201, "a warm pod was not evicted")
    until(lambda: all(not same(pod, warm) for pod in fleet.pods()), "the end of the warm pod", 60)
    expect("Twelve apples" in fleet.text(tenant, "work"), "the session ended")
    fleet.close_and_wait(tenant, "work")
    fleet.wait_for_warm(3)


def evict(fleet, pod):
    name = pod["metadata"]["name"]
    body = {"apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": {"name": name}}
    # The controller of disruptions counts a new pod a moment later.
    for _ in range(50):
        try:
            fleet.api.post(f"{fleet.path}/pods/{name}/eviction", body)
            return 201
        except ApiError as error:
            if error.status != 429 or POOL not in labels(pod):
                return error.status
        time.sleep(0.2)
    return 429


def drain(fleet, _):
    """The node of a tenant's pod is drained: warm pods and replicas leave, and the drain waits for the
    session to end."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    node = fleet.pod_of(tenant)["spec"]["nodeName"]
    done = []

    def run_drain():
        try:
            fleet.cluster.kubectl(
                "drain", node, "--force", "--delete-emptydir-data", "--ignore-daemonsets",
                timeout=180,
            )  # fmt: skip
            done.append("ok")
        except Failure as error:
            done.append(str(error))

    begun = time.monotonic()
    thread = threading.Thread(target=run_drain, daemon=True)
    thread.start()

    def rest():
        pods = [*fleet.pods(), *fleet.pods("gate")]
        return [pod for pod in pods if pod["spec"]["nodeName"] == node]

    until(lambda: len(rest()) == 1 or done, "the end of all other pods of the node", 120, 0.5)
    expect(not done, f"the drain did not wait for the session: {done}")
    moved = time.monotonic() - begun
    expect("Twelve apples" in fleet.text(tenant, "work"), "the session ended")
    fleet.close(tenant, "work")
    thread.join(90)
    expect(done == ["ok"], f"the drain ended with {done or 'nothing'}")
    fleet.cluster.kubectl("uncordon", node)
    fleet.wait_for_warm(3)
    fleet.wait_for_gates()
    return f"all but the tenant's pod left in {moved:.0f} s"


def pod_drains(fleet, _):
    """A pod is deleted in order, as `kubectl drain --disable-eviction` does: the call that runs is
    answered, and the next one says that the session is lost."""
    tenant = fleet.new_tenant()
    gate = fleet.leader()
    fleet.goto(tenant, "work", gate=gate)
    pod = fleet.pod_of(tenant)
    wait = lambda: fleet.call(tenant, "work", "Wait", {"target": "4000"}, gate=gate)  # noqa: E731
    callers = Callers([wait])
    time.sleep(1)
    fleet.api.delete(f"{fleet.path}/pods/{pod['metadata']['name']}")
    (answer,) = callers.wait(30)
    expect(answer.reason == "ok", f"the call that ran was answered {answer}")
    after = [fleet.call(tenant, "work", "Goto", {"url": SITE}, gate=gate).reason for _ in range(2)]
    expect(after == ["SESSION_LOST", "ok"], f"the next calls were answered {after}")
    fleet.close_and_wait(tenant, "work")
    until(lambda: all(not same(found, pod) for found in fleet.pods()), "the end of the pod", 60)
    fleet.wait_for_warm(3)


def power_loss(fleet, _):
    """A node ends without a word. The API server notices 40 seconds later, and the gateway goes on
    without its pods."""
    tenant = fleet.new_tenant()
    cluster = fleet.cluster
    fleet.goto(tenant, "work")
    node = fleet.pod_of(tenant)["spec"]["nodeName"]
    gate = next((g for g in fleet.ready_gates() if g["spec"]["nodeName"] != node), None)
    if gate is None:
        (other,) = set(cluster.agents) - {node, OWN_NODE, "network"}
        raise Failure(f"no replica is on `{other}`")
    cluster.power_off(node)
    begun = time.monotonic()
    reasons = []

    def served():
        reasons.append(fleet.call(tenant, "work", "Goto", {"url": SITE}, gate=gate).reason)
        return reasons[-1] == "ok"

    try:
        opened = open_sessions(fleet, gate)
        until(served, "another pod for the tenant", 240, 1)
        seconds = time.monotonic() - begun
        expect(fleet.pod_of(tenant)["spec"]["nodeName"] != node, "the new pod is on the dead node")
        expect("Twelve apples" in fleet.text(tenant, "work", gate=gate), "the session ended")
    finally:
        cluster.power_on(node)
    known = {"POD_UNREACHABLE", "SESSION_LOST", "ACTION_UNKNOWN", "FLEET_BUSY", "ok"}
    expect(set(reasons) <= known, f"the calls were answered {counted(reasons)}")
    for name in [tenant, *opened]:
        fleet.close(name, "work")
    fleet.wait_for_gates()
    until(lambda: len(fleet.pods()) == 3, "the end of the pods of before", 90, 0.3)
    fleet.wait_for_warm(3)
    fresh = counted(sorted(answer.reason for answer in opened.values()))
    slow = max(answer.seconds for answer in opened.values())
    return (
        f"{counted(reasons)} after {seconds:.0f} s; new sessions meanwhile: {fresh}, in "
        f"{slow:.1f} s at most"
    )


def open_sessions(fleet, gate):
    """The first calls of four new tenants, with their answers."""
    answers = {}
    for tenant in [fleet.new_tenant() for _ in range(4)]:
        answers[tenant] = fleet.call(tenant, "work", "Goto", {"url": SITE}, gate=gate)
    return answers
