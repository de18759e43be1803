"""A small kubelet: registers a node, and runs the pods that the scheduler gives it as processes.

Run as `python3 -m nodes.kubelet SETTINGS`, where SETTINGS is a JSON file. What a real one has and this
does not: images, more than one container in a pod, limits of resources, events, changes of mounted
Secrets.
"""

import json
import pathlib
import signal
import sys
import threading
import time

from api import STRATEGIC, Api, ApiError, Informer

from .container import timestamp
from .pod import PodWorker

HEARTBEAT = 5


class Node:
    """A node, and the pods on it by their uid."""

    def __init__(self, settings):
        self.name, self.address = settings["name"], settings["address"]
        self.api = Api(settings["host"], settings["port"], settings["token"], settings["authority"])
        self.folder, self.logs = pathlib.Path(settings["folder"]), pathlib.Path(settings["logs"])
        self.programs, self.scripts = settings["programs"], settings["scripts"]
        self.network, self.is_reserved = settings["network"], settings["is_reserved"]
        self.workers = {}
        self.addresses = set()
        self.lock = threading.Lock()

    def run(self):
        self.register()
        Informer(self.api, "/api/v1/pods", self.handle, fields=f"spec.nodeName={self.name}")
        while True:
            time.sleep(HEARTBEAT)
            try:
                self.beat()
            except ApiError:
                pass

    def register(self):
        meta = {"name": self.name, "labels": {"kubernetes.io/hostname": self.name}}
        while True:
            try:
                spec = {"unschedulable": self.is_reserved}
                body = {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec}
                self.api.post("/api/v1/nodes", body)
            except ApiError as error:
                if error.status != 409:
                    time.sleep(0.5)
                    continue
            self.beat()
            return

    def beat(self):
        """Reports the node as ready, and renews its Lease."""
        now = timestamp()
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
        size = {"cpu": "64", "memory": "128Gi", "pods": "110", "ephemeral-storage": "512Gi"}
        status = {
            "addresses": [{"type": "InternalIP", "address": self.address}],
            "capacity": size,
            "allocatable": size,
            "conditions": [{**ready, "lastHeartbeatTime": now}],
        }
        self.api.patch(f"/api/v1/nodes/{self.name}/status", {"status": status}, STRATEGIC)
        leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
        spec = {
            "holderIdentity": self.name,
            "leaseDurationSeconds": 40,
            "renewTime": now.replace("Z", ".000000Z"),
        }
        if self.api.find(f"{leases}/{self.name}"):
            self.api.patch(f"{leases}/{self.name}", {"spec": spec})
        else:
            self.api.post(leases, {"metadata": {"name": self.name}, "spec": spec})

    def handle(self, kind, pod):
        uid = pod["metadata"]["uid"]
        with self.lock:
            worker = self.workers.get(uid)
            if kind == "DELETED":
                if worker:
                    worker.forget()
            elif worker:
                worker.update(pod)
            else:
                # One that is to end before it began is begun all the same, and ends at once.
                worker = self.workers[uid] = PodWorker(self, pod, self.take_address())
                worker.update(pod)

    def take_address(self):
        for number in range(2, 250):
            address = f"{self.network}.{number}"
            if address not in self.addresses:
                self.addresses.add(address)
                return address
        raise RuntimeError("the node has no address left")

    def ended(self, worker):
        with self.lock:
            self.workers.pop(worker.uid, None)
            self.addresses.discard(worker.address)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with open(sys.argv[1], encoding="utf-8") as file:
        Node(json.load(file)).run()
