"""Sessions in pods of tenants, and what is on these pods."""

import json

from fleet import CLAIM, NAMESPACE, POOL, RELEASE, TENANT, labels
from processes import until

from . import expect


def install(fleet, _):
    fleet.prepare()
    fleet.install()
    fleet.wait_for_gates()
    fleet.wait_for_warm(3)
    leader = fleet.leader()["metadata"]["name"]
    return f"3 replicas, 3 warm pods, `{leader}` leads"


def drive_a_session(fleet, _):
    """Through each replica and through the Service."""
    for gate in [*fleet.ready_gates(), None]:
        fleet.goto("acme", "work", gate=gate)
        text = fleet.text("acme", "work", gate=gate)
        expect("Twelve apples" in text, f"the text of the page is {text!r}")
    fleet.must("acme", "work", "Click", {"target": "text=Buy"})
    title = fleet.must("acme", "work", "Get", {"property": "title"}).body
    expect("Sold" in str(title), f"the title is {title}")
    bad = fleet.call("acme", "work", "Text", token="not.a.token")
    expect(bad.status == 401, f"a wrong token was answered with {bad}")


def claim_of_a_tenant(fleet, _):
    fleet.goto("acme", "work")
    pod = fleet.pod_of("acme")
    meta = pod["metadata"]
    claim = json.loads(meta["annotations"][CLAIM])
    expect(claim["tenant"] == "acme" and list(claim["sessions"]) == ["work"], f"it is {claim}")
    expect(POOL not in labels(pod), "the pod has the label of the pool")
    expect(labels(pod)[TENANT] == "acme", f"its labels are {labels(pod)}")
    evict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
    expect(meta["annotations"].get(evict) == "false", "an autoscaler may evict it")

    def owners():
        found = fleet.pod_of("acme")["metadata"].get("ownerReferences") or []
        return [(owner["kind"], owner["name"], bool(owner.get("controller"))) for owner in found]

    wanted = [("Deployment", f"{RELEASE}-gate", False)]
    until(lambda: owners() == wanted, "a pod that its ReplicaSet has released")


def pool_is_refilled(fleet, _):
    fleet.goto("acme", "work")
    fleet.wait_for_warm(3)
    path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{RELEASE}-pool"
    until(lambda: fleet.api.get(path)["status"].get("readyReplicas") == 3, "3 ready replicas")
    expect(len(fleet.pods()) == 4, f"{len(fleet.pods())} pods, not 4")


def another_tenant(fleet, _):
    fleet.goto("acme", "work")
    fleet.goto("beta", "work")
    first, second = fleet.pod_of("acme"), fleet.pod_of("beta")
    expect(first["metadata"]["uid"] != second["metadata"]["uid"], "both have the same pod")
    fleet.goto("acme", "other")
    claim = json.loads(fleet.pod_of("acme")["metadata"]["annotations"][CLAIM])
    expect(sorted(claim["sessions"]) == ["other", "work"], f"the claim is {claim}")


def empty_pods_go(fleet, _):
    for tenant, session in (("acme", "work"), ("acme", "other"), ("beta", "work")):
        fleet.goto(tenant, session)
    fleet.close_and_wait("acme", "work", "other")
    fleet.close_and_wait("beta", "work")
    fleet.wait_for_warm(3)
    until(lambda: len(fleet.pods()) == 3, "only warm pods")
