"""One pod on a node: from its namespaces to its end, with its status at the API server."""

import shutil
import threading
import time

import network
from api import STRATEGIC, ApiError
from processes import Failure

from .container import Container, timestamp
from .sandbox import PROGRAMS, SCRIPTS, Sandbox
from .volumes import VolumeError, Volumes


class PodWorker:
    """Runs one pod in a thread."""

    def __init__(self, node, pod, address):
        self.node, self.pod, self.address = node, pod, address
        meta = pod["metadata"]
        self.name, self.namespace, self.uid = meta["name"], meta["namespace"], meta["uid"]
        self.path = f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"
        self.folder = node.folder / "pods" / self.uid
        self.log = node.logs / f"{self.namespace}_{self.name}.log"
        self.sandbox = Sandbox(self.uid, self.log)
        self.containers = []
        self.grace = None
        self.is_gone = False
        self.started_at = timestamp()
        self.reported = None
        self.transitions = {}
        self.wake = threading.Event()
        threading.Thread(target=self.run, daemon=True, name=self.name).start()

    def update(self, pod):
        """Takes the pod as the API server has it now."""
        self.pod = pod
        if self.reported and ready(pod.get("status") or {}) != ready(self.reported):
            # The controller of nodes marks pods as not ready when a node was silent.
            self.reported = None
        if pod["metadata"].get("deletionTimestamp"):
            self.grace = pod["metadata"].get("deletionGracePeriodSeconds", 30)
        self.wake.set()

    def forget(self):
        """The pod does not exist any more: it ends at once."""
        self.is_gone = True
        self.wake.set()

    def changed(self):
        self.wake.set()

    @property
    def is_ending(self):
        return self.grace is not None or self.is_gone

    def run(self):
        try:
            self.begin()
            while not self.is_ending:
                for container in self.containers:
                    container.look()
                self.report()
                self.wake.wait(0.1)
                self.wake.clear()
        except Failure as error:
            self.note(f"the pod failed: {error}")
        self.end()

    def note(self, text):
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(f"kubelet: {text}\n")

    def begin(self):
        # There is one if the node was started anew.
        rules = self.node.folder / "network" / self.uid
        rules.unlink(missing_ok=True)
        network.add_pod(self.uid, self.address)
        self.report()
        while not rules.exists():
            if self.is_ending:
                return
            time.sleep(0.02)
        (spec,) = self.pod["spec"]["containers"]
        made = self.make_volumes(spec)
        if made is None:
            return
        volumes, variables = made
        mounts = [(self.node.programs, PROGRAMS, True), (self.node.scripts, SCRIPTS, True)]
        for mount in spec.get("volumeMounts") or []:
            source = volumes[mount["name"]]
            if mount.get("subPath"):
                source = source / mount["subPath"]
            mounts.append((source, mount["mountPath"], mount.get("readOnly", False)))
        self.sandbox.start(mounts, self.host_files())
        container = Container(
            spec, self.pod, self.sandbox, self.address, variables, self.log, self.changed
        )
        container.start()
        self.containers = [container]

    def make_volumes(self, container):
        """The volumes, and the variables of Secrets. Tries until Secrets and ConfigMaps exist; None
        when the pod ends before."""
        while not self.is_ending:
            try:
                volumes = Volumes(self.node.api, self.pod, self.folder / "volumes")
                return volumes.make_all(), volumes.variables(container)
            except (VolumeError, ApiError) as error:
                self.note(f"volumes: {error}")
                self.wake.wait(0.5)
                self.wake.clear()
        return None

    def host_files(self):
        config = self.pod["spec"].get("dnsConfig") or {}
        options = [f"{o['name']}:{o['value']}" for o in config.get("options") or []]
        names = [f"{self.namespace}.svc.cluster.local", "svc.cluster.local", "cluster.local"]
        return {
            "resolv.conf": f"search {' '.join(names)}\nnameserver {network.DNS_SERVICE}\n"
            f"options {' '.join(options) or 'ndots:5'}\n",
            "hosts": f"127.0.0.1 localhost\n{self.address} {self.name}\n",
            "hostname": f"{self.name}\n",
        }

    def report(self):
        """Writes the status of the pod when it has changed."""
        status = self.status()
        if status == self.reported:
            return
        meta = {"uid": self.uid}
        try:
            self.node.api.patch(
                f"{self.path}/status", {"metadata": meta, "status": status}, STRATEGIC
            )
            self.reported = status
        except ApiError as error:
            if error.status in (404, 409):
                self.is_gone = True
            elif error.status:
                self.note(f"status: {error}")

    def status(self):
        statuses = [container.status() for container in self.containers]
        is_ready = bool(statuses) and all(status["ready"] for status in statuses)
        conditions = [
            self.condition("Initialized", True),
            self.condition("ContainersReady", is_ready),
            self.condition("Ready", is_ready),
        ]
        return {
            "phase": "Running" if statuses else "Pending",
            "hostIP": self.node.address,
            "podIP": self.address,
            # A merge would keep the address from before the node was started anew.
            "podIPs": [{"$patch": "replace"}, {"ip": self.address}],
            "startTime": self.started_at,
            "containerStatuses": statuses,
            "conditions": conditions,
        }

    def condition(self, kind, is_true):
        value = "True" if is_true else "False"
        before = self.transitions.get(kind)
        if before is None or before[0] != value:
            self.transitions[kind] = before = (value, timestamp())
        return {"type": kind, "status": value, "lastTransitionTime": before[1]}

    def end(self):
        """Ends the processes in the time that the pod has for that, and the object after them."""
        grace = 0 if self.is_gone else self.grace
        stopping = [
            threading.Thread(target=container.stop, args=(grace,), daemon=True)
            for container in self.containers
        ]
        for thread in stopping:
            thread.start()
        while not self.is_gone and any(thread.is_alive() for thread in stopping):
            self.report()
            time.sleep(0.1)
        for container in self.containers:
            container.stop_probes()
        self.sandbox.stop()
        network.remove_pod(self.uid)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.delete()
        self.node.ended(self)

    def delete(self):
        """Deletes the object of the pod, whose processes have ended."""
        while not self.is_gone:
            try:
                self.node.api.delete(self.path, grace=0, uid=self.uid)
                return
            except ApiError as error:
                if error.status in (404, 409):
                    return
                time.sleep(0.5)


def ready(status):
    return [c["status"] for c in status.get("conditions") or [] if c["type"] == "Ready"]
