"""What operators do: drain a node, upgrade and remove the release."""

import threading
import time

import network
from api import ApiError
from fleet import NAMESPACE, POOL, RELEASE, SITE, labels
from processes import Failure, until

from . import expect, same


def eviction(fleet, _):
    """A warm pod is evicted, one with a tenant is not."""
    fleet.goto("acme", "work")
    claimed, warm = fleet.pod_of("acme"), fleet.warm()[0]
    expect(evict(fleet, claimed) == 429, "the pod of a tenant was evicted")
    expect(evict(fleet, warm) == 201, "a warm pod was not evicted")
    until(lambda: all(not same(pod, warm) for pod in fleet.pods()), "the end of the warm pod", 60)
    expect("Twelve apples" in fleet.text("acme", "work"), "the session ended")
    fleet.close_and_wait("acme", "work")
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
    fleet.goto("acme", "work")
    node = fleet.pod_of("acme")["spec"]["nodeName"]
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
    expect("Twelve apples" in fleet.text("acme", "work"), "the session ended")
    fleet.close("acme", "work")
    thread.join(90)
    expect(done == ["ok"], f"the drain ended with {done or 'nothing'}")
    fleet.cluster.kubectl("uncordon", node)
    fleet.wait_for_warm(3)
    fleet.wait_for_gates()
    return f"all but the tenant's pod left in {moved:.0f} s"


def upgrade(fleet, _):
    """Gateway and pool are rolled out anew while a session is used and others are opened."""
    fleet.goto("acme", "work")
    pod = fleet.pod_of("acme")
    before = {found["metadata"]["uid"] for found in [*fleet.pods("gate"), *fleet.warm()]}
    over = threading.Event()
    answers, opened = [], []

    def use():
        while not over.is_set():
            answers.append(fleet.call("acme", "work", "Text"))
            time.sleep(0.1)

    def open_others():
        while not over.is_set():
            name = f"other-{len(opened)}"
            opened.append(fleet.call("acme", name, "Goto", {"url": SITE}))
            fleet.close("acme", name)
            time.sleep(0.5)

    threads = [threading.Thread(target=work, daemon=True) for work in (use, use, open_others)]
    for thread in threads:
        thread.start()
    try:
        fleet.upgrade("pool.annotations.example\\.com/upgrade=yes", "pool.emptySeconds=4")
        for name in ("gate", "pool"):
            fleet.cluster.kubectl(
                "-n", NAMESPACE, "rollout", "status", f"deployment/{RELEASE}-{name}",
                "--timeout=150s", timeout=160,
            )  # fmt: skip
        gone = lambda: not before & {  # noqa: E731
            found["metadata"]["uid"] for found in [*fleet.pods("gate"), *fleet.pods()]
        }
        until(gone, "the end of the replicas and pods from before", 90, 0.3)
        time.sleep(1)
    finally:
        over.set()
        for thread in threads:
            thread.join(60)
    wrong = [answer for answer in [*answers, *opened] if answer.reason != "ok"]
    expect(not wrong, f"{len(wrong)} of {len(answers) + len(opened)} calls failed: {wrong[:2]}")
    expect(same(fleet.pod_of("acme"), pod), "the session is in another pod")
    fleet.close_and_wait("acme", "work")
    fleet.wait_for_warm(3)
    fleet.wait_for_gates()
    return f"{len(answers)} calls in the session and {len(opened)} new ones, none failed"


def uninstall(fleet, _):
    """With a session open: its pod goes with the rest."""
    fleet.goto("acme", "work")
    fleet.uninstall()
    until(lambda: not fleet.api.list(f"{fleet.path}/pods"), "the end of all pods", 90, 0.3)
    owned = ["configmap/issuer-keys", "secret/fleet-gate-tls", "secret/fleet-pod-tls"]
    of_cluster = ["configmap/kube-root-ca.crt", "serviceaccount/default"]
    left = sorted(set(objects(fleet)) - {*owned, *of_cluster})
    expect(not left, f"these objects are left: {left}")
    own = {pod["metadata"]["uid"] for pod in fleet.api.list("/api/v1/pods")}
    networks = {path.name for path in network.NAMESPACES.iterdir()}
    until(lambda: not left_programs(), "the end of all processes", 10)
    expect(networks == own, f"these networks are left: {networks - own}")
    return "no object, no process, no network of it is left"


def objects(fleet):
    """All objects in the namespace but events, as kind/name."""
    kinds = fleet.cluster.kubectl("api-resources", "--namespaced", "--verbs=list", "-o", "name")
    kinds = [kind for kind in kinds.split() if not kind.startswith("events")]
    found = fleet.cluster.kubectl(
        "-n", NAMESPACE, "get", ",".join(kinds), "-o", "name", "--ignore-not-found"
    )
    names = [name for name in found.split() if "default-token-" not in name]
    return [name for name in names if not name.startswith(("event/", "event."))]


def left_programs():
    import pathlib

    left = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name = (path / "comm").read_text().strip()
        except OSError:
            continue
        if name.startswith(("browse", "chrom", "headless_shell")):
            left.append(name)
    return left
