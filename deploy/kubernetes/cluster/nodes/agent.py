"""The agent of the network: keeps the rules of each pod's namespace as Services and policies are.

Run as `python3 -m nodes.agent SETTINGS`. It makes a file in `network/` when a pod has its rules for the
first time, for which the kubelet waits.
"""

import json
import pathlib
import signal
import sys
import threading

import network
from api import Api, Informer

from . import services
from .policies import Policies

TABLES = ("ip fleet_services", "inet fleet_policy")


class Agent:
    """Writes rules into the network namespaces of pods whenever something has changed."""

    def __init__(self, settings):
        api = Api(settings["host"], settings["port"], settings["token"], settings["authority"])
        self.marks = pathlib.Path(settings["folder"]) / "network"
        self.tools = pathlib.Path(settings["tools"])
        self.written = {}
        self.wake = threading.Event()
        watch = lambda path: Informer(api, path, lambda *_: self.wake.set())  # noqa: E731
        self.pods = watch("/api/v1/pods")
        self.namespaces = watch("/api/v1/namespaces")
        self.services = watch("/api/v1/services")
        self.endpoints = watch("/api/v1/endpoints")
        self.policies = watch("/apis/networking.k8s.io/v1/networkpolicies")

    def run(self):
        for informer in (
            self.pods, self.namespaces, self.services, self.endpoints, self.policies,
        ):  # fmt: skip
            informer.is_synced.wait()
        while True:
            # Pods come into being after the event for them, too.
            self.wake.wait(1)
            self.wake.clear()
            self.write_all()

    def write_all(self):
        pods = list(self.pods.objects.values())
        shared = services.rules(self.services.objects.values(), self.endpoints.objects.values())
        policies = Policies(
            list(self.policies.objects.values()), pods, self.namespaces.objects.values()
        )
        for pod in pods:
            uid = pod["metadata"]["uid"]
            if (pod.get("status") or {}).get("podIP") and network.namespace(uid).exists():
                self.write(uid, shared + policies.rules(pod))
        for uid in set(self.written) - set(self.pods.objects):
            del self.written[uid]
            (self.marks / uid).unlink(missing_ok=True)

    def write(self, uid, text):
        mark = self.marks / uid
        if self.written.get(uid) == text and mark.exists():
            return
        # All at once: a table that is missing is made before it is deleted.
        clear = "".join(f"add table {name}\ndelete table {name}\n" for name in TABLES)
        done = network.write_rules(self.tools, uid, clear + text)
        if done.returncode == 0:
            self.written[uid] = text
            mark.touch()
        elif network.namespace(uid).exists():
            print(f"the rules of {uid} were refused: {done.stderr}\n{text}", flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with open(sys.argv[1], encoding="utf-8") as file:
        Agent(json.load(file)).run()
