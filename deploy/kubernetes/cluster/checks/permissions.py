"""What the service account of the gateway may do, and that pods of browsers have none."""

from api import Api, ApiError
from fleet import NAMESPACE, RELEASE

from . import expect

# Verbs by resource and name: all that the gateway needs.
WANTED = {
    ("", "pods", "*"): {"get", "list", "watch", "patch", "delete"},
    ("coordination.k8s.io", "leases", f"{RELEASE}-gate"): {"get", "update"},
    ("coordination.k8s.io", "leases", "*"): {"create"},
    ("apps", "deployments", f"{RELEASE}-gate"): {"get"},
}
# What every user may ask: what it may do itself.
OF_ALL = {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}
DENIED = [
    ("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets"),
    ("GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps"),
    ("GET", f"/api/v1/namespaces/{NAMESPACE}/services"),
    ("GET", "/api/v1/namespaces/kube-system/pods"),
    ("GET", "/api/v1/pods"),
    ("GET", "/api/v1/nodes"),
    ("GET", "/api/v1/namespaces"),
    ("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{RELEASE}-pool"),
    ("POST", f"/api/v1/namespaces/{NAMESPACE}/pods"),
    ("DELETE", f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/{RELEASE}-gate"),
    ("POST", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings"),
]


# The same where pods come from agent-sandbox.
SANDBOXED = {
    **WANTED,
    ("", "pods", "*"): {"list", "watch"},
    ("extensions.agents.x-k8s.io", "sandboxclaims", "*"): {
        "get", "list", "watch", "create", "patch", "delete",
    },
}  # fmt: skip
SANDBOX_DENIED = [
    ("GET", f"/apis/agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxes"),
    ("POST", f"/apis/agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxes"),
    ("GET", f"/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxtemplates"),
    ("GET", f"/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxwarmpools"),
    ("GET", "/apis/extensions.agents.x-k8s.io/v1beta1/sandboxclaims"),
    ("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/any"),
]


def of_the_gateway(fleet, _):
    own = as_account(fleet, f"{RELEASE}-gate")
    rules = rules_of(own)
    expect(rules == (SANDBOXED if fleet.is_sandboxed else WANTED), f"the gateway may do {rules}")
    for method, path in [*DENIED, *(SANDBOX_DENIED if fleet.is_sandboxed else [])]:
        status = attempt(own, method, path)
        expect(status == 403, f"{method} {path} was answered with {status}")
    pods = attempt(own, "GET", f"/api/v1/namespaces/{NAMESPACE}/pods")
    expect(pods == 200, f"the pods were answered with {pods}")
    listed = fleet.cluster.kubectl(
        "auth", "can-i", "--list", "-n", NAMESPACE,
        f"--as=system:serviceaccount:{NAMESPACE}:{RELEASE}-gate",
    )  # fmt: skip
    verbs = sum(len(found) for found in rules.values())
    return f"{verbs} verbs on {len(rules)} resources; kubectl lists {len(listed.splitlines()) - 1}"


def of_browsers(fleet, _):
    rules = rules_of(as_account(fleet, f"{RELEASE}-pool"))
    expect(not rules, f"the account of the pool may do {rules}")
    for pod in fleet.pods():
        pid = fleet.main_pid(pod)
        mounts = open(f"/proc/{pid}/mountinfo", encoding="utf-8").read()
        expect("serviceaccount" not in mounts, "a pod has a token of the API server")
    return f"{len(fleet.pods())} pods without a token"


def as_account(fleet, account):
    """The API server, called with a token of a service account."""
    path = f"{fleet.path}/serviceaccounts/{account}/token"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = fleet.api.post(path, body)["status"]["token"]
    return Api(fleet.api.host, fleet.api.port, token, fleet.cluster.control_plane.authority)


def rules_of(api):
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": NAMESPACE},
    }
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    found = {}
    for rule in api.post(path, body)["status"]["resourceRules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for name in rule.get("resourceNames") or ["*"]:
                    if resource not in OF_ALL:
                        found.setdefault((group, resource, name), set()).update(rule["verbs"])
    return found


def attempt(api, method, path):
    try:
        api.call(method, path, {} if method == "POST" else None)
    except ApiError as error:
        return error.status
    return 200
