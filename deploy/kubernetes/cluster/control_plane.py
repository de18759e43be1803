"""etcd, the API server, the scheduler and the controllers: the real ones, on addresses of the test."""

import contextlib
import json
import secrets

import network
from api import Api, ApiError
from certificates import make_authority, make_certificate, make_rsa_key
from processes import Program, until


class ControlPlane:
    """The control plane, with its users: `admin`, one for each node, and the controllers."""

    def __init__(self, folder, tools, logs, nodes):
        self.folder, self.tools, self.logs = folder, tools, logs
        self.folder.mkdir()
        self.programs = {}
        self.authority = make_authority(folder, "cluster")
        names = [f"IP:{address}" for address in (network.API_SERVICE, network.NODE, "127.0.0.1")]
        names += ["DNS:kubernetes", "DNS:kubernetes.default", "DNS:kubernetes.default.svc"]
        make_certificate(folder, "cluster", "apiserver", names)
        make_rsa_key(folder / "service-accounts.key")
        self.tokens = self.make_tokens(nodes)
        self.api = self.api_of("admin")

    def make_tokens(self, nodes):
        groups = {
            "admin": ("admin", "system:masters"),
            "scheduler": ("system:kube-scheduler", ""),
            "controllers": ("system:kube-controller-manager", ""),
        }
        groups |= {node: (f"system:node:{node}", "system:nodes") for node in nodes}
        tokens = {name: secrets.token_hex(16) for name in groups}
        lines = [
            f"{tokens[name]},{user},{user}" + (f',"{group}"' if group else "")
            for name, (user, group) in groups.items()
        ]
        (self.folder / "tokens.csv").write_text("\n".join(lines) + "\n")
        return tokens

    def api_of(self, user):
        return Api(network.NODE, network.API_PORT, self.tokens[user], self.authority)

    def kubeconfig(self, user):
        """The path of a configuration for kubectl, helm and the controllers."""
        path = self.folder / f"{user}.kubeconfig"
        server = f"https://{network.NODE}:{network.API_PORT}"
        cluster = {"server": server, "certificate-authority": str(self.authority)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": self.tokens[user]}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}],
            "current-context": "test",
        }
        path.write_text(json.dumps(config))
        return path

    def start(self):
        self.launch(
            "etcd",
            "--data-dir", self.folder / "etcd",
            "--listen-client-urls", "http://127.0.0.1:2379",
            "--advertise-client-urls", "http://127.0.0.1:2379",
            "--listen-peer-urls", "http://127.0.0.1:2380",
        )  # fmt: skip
        folder = self.folder
        self.launch(
            "kube-apiserver",
            "--etcd-servers=http://127.0.0.1:2379",
            f"--secure-port={network.API_PORT}",
            f"--advertise-address={network.NODE}",
            f"--tls-cert-file={folder}/apiserver.crt",
            f"--tls-private-key-file={folder}/apiserver.key",
            f"--token-auth-file={folder}/tokens.csv",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--anonymous-auth=false",
            f"--service-account-key-file={folder}/service-accounts.key",
            f"--service-account-signing-key-file={folder}/service-accounts.key",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-cluster-ip-range={network.SERVICES}",
            # As later releases do by themselves: a token for each pod, which ends with it.
            "--feature-gates=BoundServiceAccountTokenVolume=true",
        )
        self.wait_until_ready()
        self.launch(
            "kube-scheduler",
            f"--kubeconfig={self.kubeconfig('scheduler')}",
            "--leader-elect=false",
        )
        self.launch(
            "kube-controller-manager",
            f"--kubeconfig={self.kubeconfig('controllers')}",
            "--leader-elect=false",
            "--use-service-account-credentials=true",
            f"--service-account-private-key-file={folder}/service-accounts.key",
            f"--root-ca-file={self.authority}",
            "--feature-gates=BoundServiceAccountTokenVolume=true",
        )

    def launch(self, name, *flags):
        command = [self.tools / name, *flags]
        self.programs[name] = Program(name, command, self.logs / f"{name}.log")

    def wait_until_ready(self, seconds=60):
        def is_ready():
            self.programs["kube-apiserver"].check()
            try:
                return self.api.get("/readyz").get("text") == "ok"
            except ApiError:
                return False

        until(is_ready, "an API server that is ready", seconds, 0.2)

    @contextlib.contextmanager
    def api_server_stopped(self):
        """Runs the block without an API server.

        Afterwards the scheduler and the controllers are started again, as they are in a cluster: they
        exit when they cannot renew their Leases, and the kubelet restarts them. Here they have no
        Leases. Without a restart, each of their watches waits for up to a minute before it connects
        again, and for another one when the API server still refuses it (`forbidden`) while it starts.
        """
        server = self.programs["kube-apiserver"]
        clients = [self.programs["kube-scheduler"], self.programs["kube-controller-manager"]]
        server.kill()
        try:
            yield
        finally:
            for client in clients:
                client.kill()
            server.start()
            self.wait_until_ready()
            for client in clients:
                client.start()

    def check(self):
        for program in self.programs.values():
            program.check()

    def stop(self):
        for name in reversed(list(self.programs)):
            self.programs[name].stop()
