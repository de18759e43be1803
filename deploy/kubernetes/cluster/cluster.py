"""The test cluster: a control plane, three nodes, a network with DNS, and a pod for clients."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import sys

import network
import store
import website
from api import ApiError
from control_plane import ControlPlane
from processes import Failure, Program, run, send, until

HERE = pathlib.Path(__file__).resolve().parent
# Each node: its address, and the network of its pods. The scheduler uses the last two: the first one
# has the pods of the test itself, which no drain moves.
OWN_NODE = "node-0"
NODES = {
    OWN_NODE: ("10.10.0.10", "10.244.10"),
    "node-1": ("10.10.0.11", "10.244.1"),
    "node-2": ("10.10.0.12", "10.244.2"),
}


class Cluster:
    """A cluster in `folder`, of the programs in `tools`; pods run the programs in `programs`."""

    def __init__(self, folder, tools, programs):
        self.folder, self.tools, self.programs = folder, tools, programs
        self.logs = folder / "logs"
        for path in (self.logs, folder / "network", folder / "pods"):
            path.mkdir(parents=True)
        network.set_up()
        website.serve()
        self.control_plane = ControlPlane(folder / "control-plane", tools, self.logs, NODES)
        self.api = self.control_plane.api
        self.agents = {}
        self.store = None

    def start(self):
        self.control_plane.start()
        for name, (address, pods) in NODES.items():
            network.ip("address", "add", f"{address}/32", "dev", "pods0")
            settings = {"name": name, "address": address, "network": pods}
            settings["is_reserved"] = name == OWN_NODE
            self.launch(name, "nodes.kubelet", name, settings)
        self.launch("network", "nodes.agent", "admin", {})
        self.start_dns()
        self.start_client()

    def launch(self, name, module, user, settings):
        path = self.folder / f"{name}.json"
        settings |= {
            "host": network.NODE,
            "port": network.API_PORT,
            "token": self.control_plane.tokens[user],
            "authority": str(self.control_plane.authority),
            "folder": str(self.folder),
            "logs": str(self.logs),
            "programs": str(self.programs),
            "scripts": str(HERE / "nodes"),
            "tools": str(self.tools),
        }
        path.write_text(json.dumps(settings))
        command = [sys.executable, "-B", "-m", module, path]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        self.agents[name] = Program(name, command, self.logs / f"{name}.log", environment)

    def start_dns(self):
        names = {
            network.SITE_NAME: network.SITE,
            network.OTHER_SITE_NAME: network.SITE,
            network.METADATA_NAME: network.METADATA,
            network.PRIVATE_NAME: network.PRIVATE[0],
            network.REBOUND_NAME: f"{network.SITE}+{network.METADATA}",
            "kubernetes.default.svc": network.API_SERVICE,
            "kubernetes.default.svc.cluster.local": network.API_SERVICE,
        }
        command = ["python3", "/opt/browse/cluster/dns.py", *(f"{k}={v}" for k, v in names.items())]
        labels = {"k8s-app": "kube-dns"}
        self.run_pod("kube-system", "dns", command, labels)
        port = {"port": 53, "targetPort": 53}
        ports = [{**port, "name": f"dns-{p.lower()}", "protocol": p} for p in ("UDP", "TCP")]
        spec = {"clusterIP": network.DNS_SERVICE, "selector": labels, "ports": ports}
        body = {"metadata": {"name": "kube-dns"}, "spec": spec}
        self.api.post("/api/v1/namespaces/kube-system/services", body)

    def start_client(self):
        """A pod without a policy, from whose network the checks call the gateway."""
        self.api.post("/api/v1/namespaces", {"metadata": {"name": "clients"}})
        pod = self.run_pod("clients", "client", ["sleep", "infinity"], {"app": "client"})
        self.client = network.namespace(pod["metadata"]["uid"])

    def run_pod(self, namespace, name, command, labels):
        """Starts a pod with one container, and waits until it runs."""
        container = {"name": name, "image": "registry.example/test", "command": command}
        spec = {
            "nodeName": OWN_NODE,
            "containers": [container],
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 1,
        }
        body = {"metadata": {"name": name, "labels": labels}, "spec": spec}
        path = f"/api/v1/namespaces/{namespace}/pods"

        def create():
            try:
                return self.api.post(path, body)
            except ApiError as error:
                # The service account of the namespace comes a moment later.
                if error.status not in (403, 404):
                    raise
                return None

        def running():
            pod = self.api.get(f"{path}/{name}")
            return pod if pod["status"].get("phase") == "Running" else None

        until(create, f"the pod `{name}`")
        return until(running, f"the pod `{name}` as running")

    def start_store(self):
        """Starts an object store outside of the cluster."""
        folder = self.folder / "store"
        folder.mkdir()
        address = (network.STORE, str(network.STORE_PORT))
        command = [sys.executable, "-B", "-m", "store", *address, folder]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        self.store = Program("store", command, self.logs / "store.log", environment)
        until((folder / "journal").exists, "the store")

    def read_journal(self, begin):
        """What was written to the store from a time on."""
        return store.read_journal(self.folder / "store", begin)

    def stored_keys(self):
        """The keys of the objects in the store."""
        keys = set()
        for line in self.read_journal(0):
            if line.is_done:
                (keys.add if line.kind == "put" else keys.discard)(line.key)
        return sorted(keys)

    def clear_store(self):
        """Deletes all objects."""
        connection = http.client.HTTPConnection(network.STORE, network.STORE_PORT, timeout=10)
        for key in self.stored_keys():
            connection.request("DELETE", key)
            connection.getresponse().read()
        connection.close()

    @contextlib.contextmanager
    def slow_store(self, seconds):
        """Runs the block while each answer of the store takes that long."""
        path = self.folder / "store" / "delay"
        path.write_text(str(seconds))
        try:
            yield
        finally:
            path.unlink()

    def write_rules(self, uid, text):
        """Runs commands of nftables in the network of a pod."""
        done = network.write_rules(self.tools, uid, text)
        if done.returncode != 0:
            raise Failure(f"nftables refused `{text}`: {done.stderr}")

    def kubectl(self, *words, **options):
        return self.run_tool("kubectl", *words, **options)

    def helm(self, *words, **options):
        return self.run_tool("helm", *words, **options)

    def run_tool(self, name, *words, **options):
        home = self.folder / "home"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "HELM_CACHE_HOME": str(home / "helm"),
            "HELM_CONFIG_HOME": str(home / "helm"),
            "HELM_DATA_HOME": str(home / "helm"),
            "KUBECONFIG": str(self.control_plane.kubeconfig("admin")),
        }
        program = self.tools.parent / "kubernetes" / name
        return run(program, *words, env=environment, **options)

    def power_off(self, node):
        """Ends a node and its pods without a word."""
        self.agents[node].kill()
        for pod in self.api.list("/api/v1/pods", fields=f"spec.nodeName={node}"):
            uid = pod["metadata"]["uid"]
            for pid, _ in network.processes_of(uid):
                send(pid, signal.SIGKILL)
            network.remove_pod(uid)

    def power_on(self, node):
        """Starts the node again. What its pods had on disk is there."""
        self.agents[node].start()

    def check(self):
        self.control_plane.check()
        for agent in self.agents.values():
            agent.check()
        if self.store:
            self.store.check()

    def stop(self):
        for agent in self.agents.values():
            agent.stop()
        self.control_plane.stop()
