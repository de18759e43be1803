"""The fleet in the test cluster: the release of the chart, its pods, and calls to it."""

import http.client
import json
import pathlib
import secrets
import signal
import time

import network
import sandboxes
from certificates import TokenIssuer, make_authority, make_certificate
from cluster import OWN_NODE
from processes import Failure, send, until

HERE = pathlib.Path(__file__).resolve().parent
CHART = HERE.parent / "chart"
RELEASE = NAMESPACE = "fleet"
CLAIM, POOL, TENANT = "browse.dev/claim", "browse.dev/pool", "browse.dev/tenant"
CLAIMED_POD = "browse.dev/pod"
SERVICES = {"new": "DaemonService/NewSession", "close": "DaemonService/CloseSession"}
SITE = f"http://{network.SITE_NAME}/"


class Answer:
    """What the gateway answered, or that the connection broke (status 0)."""

    def __init__(self, status, body, headers, seconds):
        self.status, self.body, self.headers, self.seconds = status, body, headers, seconds

    @property
    def reason(self):
        if self.status == 200:
            return "ok"
        if self.status == 0:
            return "broken"
        details = self.body.get("details") or [{}]
        return (details[0].get("debug") or {}).get("reason", f"status {self.status}")

    def __repr__(self):
        text = self.body.get("message") or self.body.get("error") or json.dumps(self.body)
        return f"{self.reason}: {text[:300]}"


class Fleet:
    """The release `fleet` in a namespace of the same name."""

    # Settings of the chart. With the first, pods of tenants may be evicted; with the others, sessions
    # are saved, often.
    EVICTABLE = "pool.claimedMinAvailable=0"
    STATE = (
        EVICTABLE,
        "state.url=s3://fleet/sessions",
        "state.keySecret=fleet-state-key",
        "state.credentialsSecret=fleet-state-store",
        "state.intervalSeconds=2",
    )

    def __init__(self, cluster):
        self.cluster, self.api = cluster, cluster.api
        self.folder = cluster.folder / "fleet"
        self.folder.mkdir()
        self.issuer = TokenIssuer(self.folder)
        self.tokens = {}
        self.tenants = 0
        self.has_store = False
        # Whether its pods come from agent-sandbox, and the controller that is played for that.
        self.is_sandboxed = False
        self.controller = None
        self.service = None
        self.path = f"/api/v1/namespaces/{NAMESPACE}"
        self.sandbox_path = f"/apis/{sandboxes.EXTENSIONS}/namespaces/{NAMESPACE}"

    def prepare(self):
        """The namespace with what the chart expects there: certificates, keys of the issuer."""
        kubectl, folder = self.cluster.kubectl, self.folder
        kubectl("create", "namespace", NAMESPACE)
        make_authority(folder, "ca")
        for name in ("gate", "pod"):
            make_certificate(folder, "ca", name, [f"DNS:{name}.browse.internal"])
            kubectl(
                "-n", NAMESPACE, "create", "secret", "generic", f"fleet-{name}-tls",
                "--type=kubernetes.io/tls", f"--from-file=tls.crt={folder}/{name}.crt",
                f"--from-file=tls.key={folder}/{name}.key", f"--from-file=ca.crt={folder}/ca.crt",
            )  # fmt: skip
        (folder / "jwks.json").write_text(self.issuer.jwks())
        kubectl(
            "-n", NAMESPACE, "create", "configmap", "issuer-keys",
            f"--from-file=jwks.json={folder}/jwks.json",
        )  # fmt: skip

    def prepare_store(self):
        """The store, and the Secrets with which pods use it."""
        self.cluster.start_store()
        values = {
            "AWS_ACCESS_KEY_ID": "fleet",
            "AWS_SECRET_ACCESS_KEY": secrets.token_hex(16),
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": f"http://{network.STORE}:{network.STORE_PORT}",
            "AWS_ALLOW_HTTP": "true",
        }
        self.create_secret("fleet-state-store", values)
        self.create_secret("fleet-state-key", {"key": secrets.token_hex(32)})

    def create_secret(self, name, values):
        words = [f"--from-literal={key}={value}" for key, value in values.items()]
        self.cluster.kubectl("-n", NAMESPACE, "create", "secret", "generic", name, *words)

    def use_store(self):
        """Upgrades the release so that sessions are saved; once."""
        if self.has_store:
            return
        self.prepare_store()
        before = {pod["metadata"]["uid"] for pod in [*self.pods(), *self.pods("gate")]}
        self.upgrade(*self.STATE)
        now = lambda: {p["metadata"]["uid"] for p in [*self.pods(), *self.pods("gate")]}  # noqa: E731
        until(lambda: not before & now(), "the end of the pods of before", 180, 0.5)
        self.has_store = True

    def install(self, *settings):
        self.helm_with("install", *settings)

    def upgrade(self, *settings):
        self.helm_with("upgrade", *settings)

    def helm_with(self, verb, *settings):
        flags = [word for setting in settings for word in ("--set", setting)]
        values = HERE / "values.yaml"
        self.cluster.helm(
            verb, RELEASE, CHART, "--namespace", NAMESPACE, "--values", values, *flags
        )

    def uninstall(self):
        self.cluster.helm("uninstall", RELEASE, "--namespace", NAMESPACE)

    def scale(self, replicas):
        """Sets the number of warm pods."""
        if self.is_sandboxed:
            pool = f"{self.sandbox_path}/sandboxwarmpools/{RELEASE}-pool"
            self.api.patch(pool, {"spec": {"replicas": replicas}})
            return
        path = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{RELEASE}-pool/scale"
        self.api.patch(path, {"spec": {"replicas": replicas}})

    def pods(self, component="pod"):
        labels = f"app.kubernetes.io/instance={RELEASE},app.kubernetes.io/component={component}"
        return self.api.list(f"{self.path}/pods", labels=labels)

    def ready_gates(self):
        return [pod for pod in self.pods("gate") if is_ready(pod)]

    def warm(self):
        label = sandboxes.WARM if self.is_sandboxed else POOL
        return [pod for pod in self.pods() if label in labels(pod) and is_ready(pod)]

    def claimed(self, tenant):
        """The pods of a tenant that are not ending."""
        if self.is_sandboxed:
            of = {claimed_pod(claim) for claim in self.sandbox_claims(tenant)}
            is_theirs = lambda pod: pod["metadata"]["uid"] in of  # noqa: E731
        else:
            is_theirs = lambda pod: labels(pod).get(TENANT) == tenant  # noqa: E731
        return [
            pod
            for pod in self.pods()
            if is_theirs(pod) and "deletionTimestamp" not in pod["metadata"]
        ]

    def sandbox_claims(self, tenant=None):
        """The SandboxClaims of a tenant, or of all."""
        selector = {"labels": f"{TENANT}={tenant}"} if tenant else {}
        return self.api.list(f"{self.sandbox_path}/sandboxclaims", **selector)

    def pod_of(self, tenant):
        found = self.claimed(tenant)
        if len(found) != 1:
            raise Failure(f"the tenant `{tenant}` has {len(found)} pods, not one")
        return found[0]

    def wait_for_warm(self, count, seconds=90):
        until(lambda: len(self.warm()) >= count, f"{count} warm pods", seconds, 0.2)

    def wait_for_gates(self, count=3, seconds=90):
        until(lambda: len(self.ready_gates()) == count, f"{count} ready replicas", seconds, 0.2)

    def leader(self):
        """The pod of the replica that leads."""
        path = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/{RELEASE}-gate"

        def holder():
            name = (self.api.get(path).get("spec") or {}).get("holderIdentity")
            return next((p for p in self.ready_gates() if p["metadata"]["name"] == name), None)

        return until(holder, "a replica that leads")

    def service_address(self):
        """Where clients call. It is asked for once: calls go on without the API server."""
        if self.service is None:
            found = self.api.get(f"{self.path}/services/{RELEASE}-gate")["spec"]
            self.service = found["clusterIP"], found["ports"][0]["port"]
        return self.service

    def new_tenant(self):
        """A tenant that no check has used: what another one lost is reported to it alone."""
        self.tenants += 1
        return f"tenant-{self.tenants}"

    def token(self, tenant):
        if tenant not in self.tokens:
            self.tokens[tenant] = self.issuer.token(tenant, scope="read write meta control")
        return self.tokens[tenant]

    def call(
        self, tenant, session, command, body=None, gate=None, token=None, timeout=60, deadline=None
    ):
        """Calls a command from the pod of the clients: at the Service, or at one replica."""
        address = (gate["status"]["podIP"], 8080) if gate else self.service_address()
        headers = {
            "authorization": f"Bearer {token or self.token(tenant)}",
            "content-type": "application/json",
            "browse-session": session,
        }
        if deadline is not None:
            headers["connect-timeout-ms"] = str(round(deadline * 1000))
        path = "/browse.v1." + SERVICES.get(command, f"BrowserService/{command}")
        connection = http.client.HTTPConnection(*address, timeout=timeout)
        begun = time.monotonic()
        try:
            # The connection is part of what is measured.
            connection.sock = network.connect_from(self.cluster.client, address, timeout)
            connection.request("POST", path, json.dumps(body or {}), headers)
            answer = connection.getresponse()
            data = answer.read()
            status, found, fields = answer.status, parse(data), dict(answer.getheaders())
        except (OSError, http.client.HTTPException) as error:
            status, found, fields = 0, {"error": repr(error)}, {}
        finally:
            connection.close()
        return Answer(status, found, fields, time.monotonic() - begun)

    def must(self, *words, **options):
        """The answer to a call that must succeed."""
        answer = self.call(*words, **options)
        if answer.status != 200:
            raise Failure(f"{words[:3]}: {answer}")
        return answer

    def goto(self, tenant, session, **options):
        return self.must(tenant, session, "Goto", {"url": SITE}, **options)

    def text(self, tenant, session, **options):
        return self.must(tenant, session, "Text", **options).body.get("text", "")

    def close(self, tenant, session):
        self.call(tenant, session, "close", {"name": session})

    def close_and_wait(self, tenant, *sessions):
        """Closes the sessions of a tenant, and waits until its pods have been deleted."""
        for session in sessions:
            self.close(tenant, session)
        # A close that meets a change of leaders is noticed by the new one a minute later.
        until(lambda: not self.claimed(tenant), f"the end of the pods of `{tenant}`", 120, 0.2)

    def kill(self, pod):
        """SIGKILL for the program of a pod."""
        send(self.main_pid(pod), signal.SIGKILL)

    def main_pid(self, pod):
        """The process id of the program of a pod."""
        begins = {"gate": "browse-gate --config", "pod": "browsed --pod"}
        begin = begins[labels(pod)["app.kubernetes.io/component"]]
        for pid, command in network.processes_of(pod["metadata"]["uid"]):
            if command.startswith(begin):
                return pid
        raise Failure(f"the program of the pod `{pod['metadata']['name']}` was not found")

    def browser_pids(self, pod):
        """The process ids of the browsers of a pod, without those that they have started."""
        return [
            pid
            for pid, command in network.processes_of(pod["metadata"]["uid"])
            if "--remote-debugging" in command and "--type=" not in command
        ]

    def reset(self):
        """After a check that failed: no tenant, three warm pods, all replicas, an empty store."""
        for node in self.api.list("/api/v1/nodes"):
            if node["metadata"]["name"] != OWN_NODE and node["spec"].get("unschedulable"):
                self.cluster.kubectl("uncordon", node["metadata"]["name"])
        self.scale(3)
        for pod in self.pods():
            if not self.is_sandboxed and TENANT in labels(pod):
                self.api.delete(f"{self.path}/pods/{pod['metadata']['name']}", grace=0)
        if self.is_sandboxed:
            for claim in self.sandbox_claims():
                self.api.delete(f"{self.sandbox_path}/sandboxclaims/{claim['metadata']['name']}")
        self.wait_for_gates()
        until(lambda: len(self.pods()) == 3, "only warm pods", 60, 0.3)
        self.wait_for_warm(3)
        if self.has_store:
            self.cluster.clear_store()


def parse(data):
    try:
        return json.loads(data)
    except ValueError:
        return {"text": data.decode(errors="replace")[:500]}


def labels(pod):
    return pod["metadata"].get("labels") or {}


def claimed_pod(claim):
    """The uid of the pod that a SandboxClaim got."""
    return (claim["metadata"].get("annotations") or {}).get(CLAIMED_POD)


def is_ready(pod):
    conditions = (pod.get("status") or {}).get("conditions") or []
    is_true = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
    return is_true and "deletionTimestamp" not in pod["metadata"]


def metric(pod, port, name):
    """A value that a pod reports, read from its node; None when it does not answer."""
    connection = http.client.HTTPConnection(pod["status"]["podIP"], port, timeout=5)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    except OSError:
        return None
    finally:
        connection.close()
    values = [line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(values[0]) if values else None
