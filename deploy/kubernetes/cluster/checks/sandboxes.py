"""The profile agent-sandbox. Its custom resources are in the API server; its controller is played
(sandboxes.py)."""

import functools
import json
import pathlib
import statistics

import sandboxes
from fleet import CLAIM, NAMESPACE, RELEASE, SITE, TENANT, claimed_pod, labels
from processes import until

from . import Callers, expect, operations, permissions, same, times

CRDS = pathlib.Path(__file__).resolve().parent.parent / "agent-sandbox-crds.yaml"
PROFILE = "profile=agent-sandbox"
# What is published of claims of the real controller, one at a time, in milliseconds:
# github.com/cocoonstack/sandbox-operator/issues/33.
PUBLISHED = (50, 64)


def sandboxed(check):
    """A check that takes the fleet in the profile agent-sandbox."""

    @functools.wraps(check)
    def run(fleet, options):
        if not fleet.is_sandboxed:
            use_sandboxes(fleet)
        return check(fleet, options)

    return run


def use_sandboxes(fleet):
    """Removes the release, and installs it in the other profile."""
    operations.uninstall(fleet, None)
    fleet.cluster.kubectl("apply", "-f", CRDS)
    fleet.cluster.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", CRDS)
    fleet.controller = sandboxes.SandboxController(fleet.api, NAMESPACE)
    fleet.is_sandboxed, fleet.has_store, fleet.service = True, False, None
    fleet.install(PROFILE)
    fleet.wait_for_gates()
    fleet.wait_for_warm(3)


@sandboxed
def install(fleet, _):
    """The pods of the pool are those of sandboxes, and no Deployment has them."""
    for pod in fleet.warm():
        (owner,) = pod["metadata"]["ownerReferences"]
        expect(owner["kind"] == "Sandbox", f"a pod belongs to {owner}")
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
    found = [each["metadata"]["name"] for each in fleet.api.list(path)]
    expect(found == [f"{RELEASE}-gate"], f"the Deployments are {found}")
    return f"{len(fleet.warm())} warm sandboxes"


@sandboxed
def claim_of_a_tenant(fleet, _):
    """A claim for each tenant, with its sessions; the pool refills; the pod goes with the claim."""
    tenant, other = fleet.new_tenant(), fleet.new_tenant()
    fleet.goto(tenant, "work")
    fleet.goto(tenant, "more")
    fleet.goto(other, "work")
    (claim,) = fleet.sandbox_claims(tenant)
    written = json.loads(claim["metadata"]["annotations"][CLAIM])
    expect(sorted(written["sessions"]) == ["more", "work"], f"the claim is {written}")
    pod = fleet.pod_of(tenant)
    expect(not same(pod, fleet.pod_of(other)), "two tenants have one pod")
    sandbox = claim["status"]["sandbox"]["name"]
    expect(pod["metadata"]["name"] == sandbox, f"its pod is not that of `{sandbox}`")
    expect(labels(pod).get(sandboxes.CLAIM_UID) == claim["metadata"]["uid"], "its label is missing")
    expect(pod["metadata"]["annotations"].get(TENANT) == tenant, "its annotation is missing")
    expect("Twelve apples" in fleet.text(tenant, "work"), "it has another page")
    fleet.wait_for_warm(3)
    for name in ("work", "more"):
        fleet.close(tenant, name)
    fleet.close(other, "work")
    return nothing_is_left(fleet)


@sandboxed
def cold_start(fleet, _):
    """With an empty pool a sandbox is started for the claim."""
    fleet.scale(0)
    until(lambda: not fleet.pods(), "an empty pool", 60)
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    (claim,) = fleet.sandbox_claims(tenant)
    expect(claim["status"]["sandbox"]["name"] == claim["metadata"]["name"], "it was a warm one")
    fleet.close(tenant, "work")
    until(lambda: not fleet.sandbox_claims(), "the end of the claim", 90, 0.3)
    fleet.scale(3)
    return nothing_is_left(fleet)


@sandboxed
def claim_without_a_pod(fleet, _):
    """While the controller does not answer, callers wait and get the answer of the queue."""
    tenant = fleet.new_tenant()
    with fleet.controller.paused():
        answer = fleet.call(tenant, "work", "Goto", {"url": SITE}, deadline=3)
        expect(answer.status == 429 and answer.reason == "FLEET_BUSY", f"it was {answer}")
        expect(len(fleet.sandbox_claims(tenant)) == 1, "its claim does not wait")
    fleet.goto(tenant, "work")
    expect(len(fleet.sandbox_claims(tenant)) == 1, "it has two claims")
    fleet.close(tenant, "work")
    return nothing_is_left(fleet)


@sandboxed
def claim_is_lost(fleet, _):
    """Somebody deletes a claim: its session is lost once, and opened anew on another pod."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    pod, (claim,) = fleet.pod_of(tenant), fleet.sandbox_claims(tenant)
    fleet.api.delete(f"{fleet.sandbox_path}/sandboxclaims/{claim['metadata']['name']}")
    gone = lambda: not any(same(pod, other) for other in fleet.pods())  # noqa: E731
    until(gone, "the end of its pod", 60, 0.2)
    return reopened(fleet, tenant, pod)


@sandboxed
def pod_is_lost(fleet, _):
    """A pod is deleted by force. The controller makes another for its sandbox, which nobody gets."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    pod = fleet.pod_of(tenant)
    fleet.api.delete(f"{fleet.path}/pods/{pod['metadata']['name']}", grace=0)
    old = pod["metadata"]["uid"]
    gone = lambda: old not in map(claimed_pod, fleet.sandbox_claims())  # noqa: E731
    until(gone, "the end of its claim", 60, 0.2)
    return reopened(fleet, tenant, pod)


def reopened(fleet, tenant, before):
    """The session of a tenant is lost, and opened anew in a pod that is not the one of before."""
    # Each replica reports it once.
    gate = fleet.ready_gates()[0]
    lost = fleet.call(tenant, "work", "Text", gate=gate)
    expect(lost.reason == "SESSION_LOST", f"the next call was {lost}")
    fleet.goto(tenant, "work", gate=gate)
    expect(not same(fleet.pod_of(tenant), before), "it is in the pod of before")
    fleet.close(tenant, "work")
    return nothing_is_left(fleet)


@sandboxed
def leader_is_killed(fleet, _):
    """The replica that leads is killed while claims wait; the next one goes on with them."""
    leader = fleet.leader()
    others = [gate for gate in fleet.ready_gates() if not same(gate, leader)]
    tenants = [fleet.new_tenant() for _ in range(4)]
    call = lambda tenant, gate: (  # noqa: E731
        lambda: fleet.call(tenant, "work", "LoadHtml", {"html": "<p>waited"}, gate=gate, timeout=90)
    )
    with fleet.controller.paused():
        callers = Callers([call(tenant, others[n % 2]) for n, tenant in enumerate(tenants)])
        until(lambda: len(fleet.sandbox_claims()) == 4, "four claims that wait")
        fleet.kill(leader)
    answers = callers.wait(90)
    wrong = [answer for answer in answers if answer.reason != "ok"]
    expect(not wrong, f"{len(wrong)} of 4 callers failed: {wrong[:1]}")
    for tenant in tenants:
        expect(len(fleet.sandbox_claims(tenant)) == 1, f"`{tenant}` has two claims")
        fleet.close(tenant, "work")
    fleet.wait_for_gates()
    return nothing_is_left(fleet)


@sandboxed
def rights(fleet, options):
    return permissions.of_the_gateway(fleet, options)


@sandboxed
def measured(fleet, options):
    """The times of a session in a warm pod: with the played claim, without it, and with what is
    published of the real controller."""
    sessions = []
    fleet.controller.claim_times.clear()
    for number in range(options.tries):
        fleet.wait_for_warm(3)
        tenant = f"sandboxed-{number}"
        sessions.append(times.session(fleet, tenant, "work"))
    fleet.wait_for_warm(3)
    played = statistics.median(fleet.controller.claim_times) * 1000
    whole = statistics.median(stages[0] for stages in sessions) * 1000
    without = max(whole - played, 0)
    low, high = (without + claim for claim in PUBLISHED)
    table = times.table({"a warm pod by a claim": sessions}, f"{options.tries} tries")
    return (
        f"\n{table}\nof `new` at p50, {played:.0f} ms are the claim that is played: {without:.0f} ms "
        f"without it, {low:.0f} to {high:.0f} ms with {PUBLISHED[0]} to {PUBLISHED[1]} ms, as published"
    )


def nothing_is_left(fleet):
    """Waits until no claim is there, and as many sandboxes and pods as the pool has."""
    until(lambda: not fleet.sandbox_claims(), "the end of the claims", 120, 0.3)
    path = f"/apis/{sandboxes.CORE}/namespaces/{NAMESPACE}/sandboxes"
    until(lambda: len(fleet.api.list(path)) == 3, "only the sandboxes of the pool", 60, 0.3)
    fleet.wait_for_warm(3)
    until(lambda: len(fleet.pods()) == 3, "only the pods of the pool", 60, 0.3)
    return "no claim, no sandbox and no pod is left of it"


CHECKS = [
    ("the chart is installed in this profile", install),
    ("a tenant has a claim, and its pod goes with it", claim_of_a_tenant),
    ("a pod is started when the pool is empty", cold_start),
    ("a claim that gets no pod is answered by the queue", claim_without_a_pod),
    ("a claim is deleted by somebody else", claim_is_lost),
    ("a pod is deleted by force", pod_is_lost),
    ("the leader is killed while claims wait", leader_is_killed),
    ("the gateway may do what it needs, and nothing else", rights),
    ("times", measured),
]
