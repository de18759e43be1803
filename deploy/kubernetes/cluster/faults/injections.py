"""The faults."""

import signal
import time

import network
from fleet import NAMESPACE, RELEASE
from processes import send, until

from . import Fault

# Seconds that the longer faults take. After 25 s of silence the gateway ends a connection, and a while
# later it gives the session another pod.
PARTITION, STORE_AWAY, API_AWAY = 50, 20, 60
SLOW_ANSWER = 4


def pod_is_killed(fleet, flow):
    fleet.kill(flow.pod)


def pod_is_deleted(fleet, flow):
    """Without grace: nothing is saved."""
    fleet.api.delete(f"{fleet.path}/pods/{flow.pod['metadata']['name']}", grace=0)


def gateway_is_killed(fleet, _):
    leader = fleet.leader()
    fleet.kill(leader)
    uid = leader["metadata"]["uid"]

    def found():
        return next((pod for pod in fleet.pods("gate") if pod["metadata"]["uid"] == uid), None)

    restarted = lambda: restarts(found()) > restarts(leader)  # noqa: E731
    until(restarted, "the restart of the replica", 30)
    # The kubelet waits longer before each restart. Another replica begins with none.
    if restarts(found()) > 1:
        fleet.wait_for_gates()
        fleet.api.delete(f"{fleet.path}/pods/{leader['metadata']['name']}")
        until(lambda: found() is None, "the end of the replica", 60)
    fleet.wait_for_gates()


def restarts(pod):
    return sum(status["restartCount"] for status in pod["status"]["containerStatuses"])


def browser_is_killed(fleet, flow):
    for pid in fleet.browser_pids(flow.pod):
        send(pid, signal.SIGKILL)


def node_is_drained(fleet, flow):
    node = flow.pod["spec"]["nodeName"]
    kubectl = fleet.cluster.kubectl
    try:
        kubectl(
            "drain", node, "--force", "--delete-emptydir-data", "--ignore-daemonsets", timeout=180
        )
    finally:
        kubectl("uncordon", node)


def all_is_rolled_out(fleet, _):
    for verb, *flags in (["restart"], ["status", "--timeout=150s"]):
        for name in ("gate", "pool"):
            fleet.cluster.kubectl(
                "-n", NAMESPACE, "rollout", verb, f"deployment/{RELEASE}-{name}", *flags,
                timeout=160,
            )  # fmt: skip


def api_server_is_gone(fleet, _):
    with fleet.cluster.control_plane.api_server_stopped():
        time.sleep(API_AWAY)


def partition(fleet, flow):
    part(fleet, flow.pod, fleet.pods("gate"))


def partition_of_one(fleet, flow):
    part(fleet, flow.pod, [fleet.leader()])


def part(fleet, pod, gates):
    """No packet comes through between a pod and replicas. Each side drops what comes in: what is
    dropped on its way out would be an error of the sender."""
    blocks = [(pod, gate) for gate in gates] + [(gate, pod) for gate in gates]
    sources = {}
    for receiver, sender in blocks:
        uid = receiver["metadata"]["uid"]
        sources.setdefault(uid, []).append(sender["status"]["podIP"])
    try:
        for uid, addresses in sources.items():
            fleet.cluster.write_rules(
                uid,
                "table ip fleet_fault { chain input { type filter hook input priority -20; "
                f"ip saddr {{ {', '.join(addresses)} }} counter drop; }}; }}",
            )
        time.sleep(PARTITION)
    finally:
        for uid in sources:
            if network.namespace(uid).exists():
                fleet.cluster.write_rules(uid, "delete table ip fleet_fault")


def store_is_frozen(fleet, _):
    """It takes connections and does not answer; later it does what it was asked meanwhile."""
    store = fleet.cluster.store.process
    store.send_signal(signal.SIGSTOP)
    try:
        time.sleep(STORE_AWAY)
    finally:
        store.send_signal(signal.SIGCONT)


def store_is_killed(fleet, _):
    fleet.cluster.store.kill()
    try:
        time.sleep(STORE_AWAY)
    finally:
        fleet.cluster.store.start()


def store_is_slow(fleet, _):
    with fleet.cluster.slow_store(SLOW_ANSWER):
        time.sleep(STORE_AWAY)


def frozen_pod_returns(fleet, flow):
    """All processes of the pod stop until another pod has the session. Then they go on, with a browser
    in which the page of the session is open, and with a save to do."""
    uid = flow.pod["metadata"]["uid"]
    pids = [pid for pid, _ in network.processes_of(uid)]
    # The daemon first: it must not see that its browser stops.
    pids.sort(key=lambda pid: pid != fleet.main_pid(flow.pod))
    for pid in pids:
        send(pid, signal.SIGSTOP)
    others = lambda: [w for w in flow.writes() if w.is_done and w.pod != uid]  # noqa: E731
    try:
        until(others, "another pod that has the session", 60)
    finally:
        for pid in pids:
            send(pid, signal.SIGCONT)


FAULTS = [
    Fault("a pod is killed", pod_is_killed, ("moved",), is_checked=True),
    Fault("a pod is deleted without grace", pod_is_deleted, ("moved",)),
    Fault("the leading gateway is killed", gateway_is_killed),
    Fault("Chromium is killed", browser_is_killed),
    Fault("the node is drained in mid-flow", node_is_drained, ("moved",), is_checked=True),
    Fault("gateway and pool are rolled out", all_is_rolled_out, seconds=180),
    Fault("the API server is gone for a minute", api_server_is_gone),
    Fault("a partition between the gateway and a pod", partition, ("kept", "moved"), True),
    Fault("a partition between one replica and a pod", partition_of_one, ("kept", "moved"), True),
    Fault("the store is frozen", store_is_frozen, is_checked=True, needs_store=True),
    Fault("the store is killed", store_is_killed, is_checked=True, needs_store=True),
    Fault("the store is slow", store_is_slow, needs_store=True),
    Fault("a frozen pod returns", frozen_pod_returns, ("moved",), True, needs_store=True),
]
