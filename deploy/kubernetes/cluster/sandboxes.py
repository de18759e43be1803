"""The controller of agent-sandbox, played. The real one is a program in Go that no registry has.

It follows what is published of v1beta1 (github.com/kubernetes-sigs/agent-sandbox: docs/api.md,
docs/api-behavior.md, and the controllers), as far as the gateway meets it:

- A SandboxWarmPool has as many Sandbox objects of its template as `replicas` says. The pod of a
  sandbox has its name.
- A SandboxClaim gets a sandbox of the pool, a ready one first: its name is written on the claim, the
  sandbox belongs to the claim from then on, and then the status names it. When the pool is empty, a
  sandbox with the name of the claim is made.
- The pod of a claim gets the label agents.x-k8s.io/claim-uid and the annotations of the claim; labels
  of the pool go. Labels that others have put there stay.
- A sandbox whose pod has gone gets another pod, of the same name.
- Deletion is left to Kubernetes: each object has an owner.

Not played: expiry, suspension, volumes, services, network policies, updates of the template, and the
time that the real one takes.
"""

import contextlib
import secrets
import threading
import time

from api import ApiError, Informer

CORE, EXTENSIONS = "agents.x-k8s.io/v1beta1", "extensions.agents.x-k8s.io/v1beta1"
CLAIM_UID = "agents.x-k8s.io/claim-uid"
WARM = "agents.x-k8s.io/warm-pool-sandbox"
ASSIGNED = "agents.x-k8s.io/sandbox-name"
DELETED = "deletionTimestamp"


class SandboxController:
    """The controller for one namespace."""

    def __init__(self, api, namespace):
        self.api = api
        self.pods = f"/api/v1/namespaces/{namespace}/pods"
        self.sandboxes = f"/apis/{CORE}/namespaces/{namespace}/sandboxes"
        extensions = f"/apis/{EXTENSIONS}/namespaces/{namespace}"
        self.claims = f"{extensions}/sandboxclaims"
        self.pools = f"{extensions}/sandboxwarmpools"
        self.templates = f"{extensions}/sandboxtemplates"
        self.is_paused = False
        # Seconds from a new claim until its status names a sandbox.
        self.claim_times = []
        self.seen = {}
        self.wake = threading.Event()
        for path in (self.claims, self.sandboxes, self.pools, self.pods):
            Informer(api, path, self.noticed)
        threading.Thread(target=self.run, daemon=True, name="agent-sandbox").start()

    def noticed(self, kind, item):
        if item.get("kind") == "SandboxClaim" and kind == "ADDED":
            self.seen[item["metadata"]["uid"]] = time.monotonic()
        self.wake.set()

    @contextlib.contextmanager
    def paused(self):
        """Runs the block while nothing is reconciled."""
        self.is_paused = True
        try:
            yield
        finally:
            self.is_paused = False
            self.wake.set()

    def run(self):
        while True:
            self.wake.wait(1)
            self.wake.clear()
            if not self.is_paused:
                # An object has changed or gone meanwhile: the next round sees it.
                with contextlib.suppress(ApiError):
                    self.reconcile()

    def reconcile(self):
        templates = named(self.api.list(self.templates))
        pools = named(self.api.list(self.pools))
        sandboxes = named(self.api.list(self.sandboxes))
        for claim in self.api.list(self.claims):
            if DELETED not in claim["metadata"]:
                self.reconcile_claim(claim, pools, templates, sandboxes)
        for pool in pools.values():
            template = templates.get(pool["spec"]["sandboxTemplateRef"]["name"])
            if template and DELETED not in pool["metadata"]:
                self.reconcile_pool(pool, template)
        pods = named(self.api.list(self.pods))
        for sandbox in self.api.list(self.sandboxes):
            if DELETED not in sandbox["metadata"]:
                self.reconcile_sandbox(sandbox, pods.get(name(sandbox)))

    def reconcile_claim(self, claim, pools, templates, sandboxes):
        known = ((claim.get("status") or {}).get("sandbox") or {}).get("name")
        if known in sandboxes:
            ready = condition(sandboxes[known])
            if ready and ready != condition(claim):
                self.set_status(self.claims, claim, {"conditions": [ready]})
            return
        pool = pools.get(claim["spec"]["warmPoolRef"]["name"])
        if pool is None:
            self.refuse(claim, "WarmPoolNotFound", "the pool does not exist")
            return
        template = templates.get(pool["spec"]["sandboxTemplateRef"]["name"])
        if template is None:
            self.refuse(claim, "TemplateNotFound", "the template does not exist")
            return
        warm = [s for s in sandboxes.values() if is_owned(s, pool) and DELETED not in s["metadata"]]
        warm.sort(key=lambda s: not is_true(condition(s)))
        sandbox = self.adopt(claim, warm[0], template) if warm else self.create(claim, template)
        sandboxes[name(sandbox)] = sandbox
        self.set_status(self.claims, claim, {"sandbox": {"name": name(sandbox)}})
        if begun := self.seen.pop(claim["metadata"]["uid"], None):
            self.claim_times.append(time.monotonic() - begun)

    def adopt(self, claim, sandbox, template):
        """Gives a sandbox of the pool to a claim."""
        self.api.patch(f"{self.claims}/{name(claim)}", annotated({ASSIGNED: name(sandbox)}))
        metadata = {
            "resourceVersion": sandbox["metadata"]["resourceVersion"],
            "labels": {WARM: None, CLAIM_UID: claim["metadata"]["uid"]},
            "ownerReferences": [owner(claim)],
        }
        body = {"metadata": metadata, "spec": {"podTemplate": self.pod_template(claim, template)}}
        return self.api.patch(f"{self.sandboxes}/{name(sandbox)}", body)

    def create(self, claim, template):
        """Makes a sandbox for a claim: a cold start."""
        labels = {CLAIM_UID: claim["metadata"]["uid"]}
        return self.post_sandbox(name(claim), labels, owner(claim), self.pod_template(claim, template))

    def pod_template(self, claim, template):
        found = template["spec"]["podTemplate"]
        more = claim["spec"].get("additionalPodMetadata") or {}
        metadata = found.get("metadata") or {}
        annotations = {**metadata.get("annotations", {}), **more.get("annotations", {})}
        labels = {**metadata.get("labels", {}), **more.get("labels", {})}
        return {**found, "metadata": {"labels": labels, "annotations": annotations}}

    def reconcile_pool(self, pool, template):
        sandboxes = [s for s in self.api.list(self.sandboxes) if is_owned(s, pool)]
        wanted = pool["spec"]["replicas"]
        for _ in range(wanted - len(sandboxes)):
            suffix = f"{name(pool)}-{secrets.token_hex(3)}"
            labels = {WARM: name(pool)}
            self.post_sandbox(suffix, labels, owner(pool), template["spec"]["podTemplate"])
        for sandbox in sandboxes[wanted:]:
            self.api.delete(f"{self.sandboxes}/{name(sandbox)}", uid=sandbox["metadata"]["uid"])
        ready = sum(is_true(condition(s)) for s in sandboxes)
        self.set_status(self.pools, pool, {"replicas": len(sandboxes), "readyReplicas": ready})

    def post_sandbox(self, called, labels, owned_by, pod_template):
        metadata = {"name": called, "labels": labels, "ownerReferences": [owned_by]}
        body = {"apiVersion": CORE, "kind": "Sandbox", "metadata": metadata}
        return self.api.post(self.sandboxes, {**body, "spec": {"podTemplate": pod_template}})

    def reconcile_sandbox(self, sandbox, pod):
        metadata = sandbox["spec"]["podTemplate"].get("metadata") or {}
        own = {key: sandbox["metadata"].get("labels", {}).get(key) for key in (WARM, CLAIM_UID)}
        labels = {**metadata.get("labels", {}), **own}
        annotations = metadata.get("annotations") or {}
        if pod is None:
            labels = {key: value for key, value in labels.items() if value}
            body = {
                "metadata": {
                    "name": name(sandbox),
                    "labels": labels,
                    "annotations": annotations,
                    "ownerReferences": [owner(sandbox)],
                },
                "spec": sandbox["spec"]["podTemplate"]["spec"],
            }
            pod = self.api.post(self.pods, body)
        now = pod["metadata"]
        if differs(now.get("labels"), labels) or differs(now.get("annotations"), annotations):
            body = {"metadata": {"labels": labels, "annotations": annotations}}
            self.api.patch(f"{self.pods}/{name(pod)}", body)
        is_ready = is_true(condition(pod)) and DELETED not in now
        reason = "DependenciesReady" if is_ready else "DependenciesNotReady"
        phase = (pod.get("status") or {}).get("phase")
        message = "Pod is Ready" if is_ready else f"Pod exists with phase: {phase}"
        found = ready_condition(is_ready, reason, message)
        self.set_status(self.sandboxes, sandbox, {"conditions": [found]})

    def refuse(self, claim, reason, message):
        self.set_status(self.claims, claim, {"conditions": [ready_condition(False, reason, message)]})

    def set_status(self, path, item, status):
        """Writes a part of the status, if it differs from what is there."""
        known = item.get("status") or {}
        before = {key: without_times(known.get(key)) for key in status}
        if before != {key: without_times(value) for key, value in status.items()}:
            self.api.patch(f"{path}/{name(item)}/status", {"status": status})


def name(item):
    return item["metadata"]["name"]


def named(items):
    return {name(item): item for item in items}


def annotated(annotations):
    return {"metadata": {"annotations": annotations}}


def owner(item):
    """A reference to the owner that controls an object."""
    kinds = {
        "sandboxTemplateRef": "SandboxWarmPool",
        "warmPoolRef": "SandboxClaim",
        "podTemplate": "Sandbox",
    }
    kind = next(kind for field, kind in kinds.items() if field in item["spec"])
    return {
        "apiVersion": CORE if kind == "Sandbox" else EXTENSIONS,
        "kind": kind,
        "name": name(item),
        "uid": item["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def is_owned(item, by):
    owners = item["metadata"].get("ownerReferences") or []
    return any(known["uid"] == by["metadata"]["uid"] for known in owners)


def condition(item):
    """The condition `Ready` of an object."""
    conditions = (item.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == "Ready"), None)


def is_true(found):
    return bool(found) and found["status"] == "True"


def ready_condition(is_ready, reason, message):
    return {
        "type": "Ready",
        "status": "True" if is_ready else "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def without_times(value):
    if isinstance(value, list):
        return [{k: v for k, v in each.items() if k != "lastTransitionTime"} for each in value]
    return value


def differs(known, wanted):
    """Whether an object lacks what is wanted; a value of None is not wanted."""
    known = known or {}
    return any(known.get(key) != value for key, value in wanted.items())
