"""What operators do with the release: upgrade and remove it."""

import contextlib
import pathlib
import threading
import time

import network
from fleet import NAMESPACE, RELEASE, SITE
from processes import until

from . import expect, same


def upgrade(fleet, _):
    """Gateway and pool are rolled out anew while a session is used and others are opened."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    pod = fleet.pod_of(tenant)
    before = {found["metadata"]["uid"] for found in [*fleet.pods("gate"), *fleet.warm()]}
    over = threading.Event()
    answers, opened = [], []

    def use():
        while not over.is_set():
            answers.append(fleet.call(tenant, "work", "Text"))
            time.sleep(0.1)

    def open_others():
        while not over.is_set():
            name = f"other-{len(opened)}"
            opened.append(fleet.call(tenant, name, "Goto", {"url": SITE}))
            fleet.close(tenant, name)
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
        gone = lambda: (
            not before
            & {  # noqa: E731
                found["metadata"]["uid"] for found in [*fleet.pods("gate"), *fleet.pods()]
            }
        )
        until(gone, "the end of the replicas and pods from before", 90, 0.3)
        time.sleep(1)
    finally:
        over.set()
        for thread in threads:
            thread.join(60)
    wrong = [answer for answer in [*answers, *opened] if answer.reason != "ok"]
    expect(not wrong, f"{len(wrong)} of {len(answers) + len(opened)} calls failed: {wrong[:2]}")
    expect(same(fleet.pod_of(tenant), pod), "the session is in another pod")
    fleet.close_and_wait(tenant, "work")
    fleet.wait_for_warm(3)
    fleet.wait_for_gates()
    return f"{len(answers)} calls in the session and {len(opened)} new ones, none failed"


def uninstall(fleet, _):
    """With a session open: its pod goes with the rest."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    fleet.uninstall()
    until(lambda: not fleet.api.list(f"{fleet.path}/pods"), "the end of all pods", 90, 0.3)
    names = ["gate-tls", "pod-tls", "state-key", "state-store"]
    owned = ["configmap/issuer-keys", *(f"secret/fleet-{name}" for name in names)]
    of_cluster = ["configmap/kube-root-ca.crt", "serviceaccount/default"]
    left = lambda: sorted(set(objects(fleet)) - {*owned, *of_cluster})  # noqa: E731
    # Controllers delete endpoints a moment after their Service.
    until(lambda: not left(), lambda: f"the end of {left()}", 30, 0.5)
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
    """The names of programs of the fleet that run."""
    names = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            names.append((path / "comm").read_text().strip())
    return [name for name in names if name.startswith(("browse", "chrom", "headless_shell"))]
