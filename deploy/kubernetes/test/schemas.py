"""The shapes of objects. A field that a release of Kubernetes or a CRD does not have is an error.

Kubernetes: the OpenAPI schemas of 1.37 and of 1.20, from two releases of the package
kubernetes-validate. KEDA, cert-manager and the operator of Prometheus: the models of cloudcoil,
which are generated from their CRDs. Cilium: no package has its CRDs, so the fields that the chart
uses are written down here. agent-sandbox: no package has them either, so those of the test cluster
(cluster/agent-sandbox-crds.yaml), with the schema of Kubernetes for the pods.
"""

import functools
import importlib.resources
import json
import re

import jsonschema
import referencing
import referencing.jsonschema
import yaml
from cloudcoil.models.cert_manager import v1 as cert_manager
from cloudcoil.models.keda import v1alpha1 as keda
from cloudcoil.models.prometheus_operator import v1 as prometheus

from chart import KUBERNETES, TOOLS

MODELS = {
    ("keda.sh/v1alpha1", "ScaledObject"): keda.ScaledObject,
    ("cert-manager.io/v1", "Issuer"): cert_manager.Issuer,
    ("cert-manager.io/v1", "Certificate"): cert_manager.Certificate,
    ("monitoring.coreos.com/v1", "PodMonitor"): prometheus.PodMonitor,
    ("monitoring.coreos.com/v1", "PrometheusRule"): prometheus.PrometheusRule,
}


def _closed(**properties):
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _list(items):
    return {"type": "array", "minItems": 1, "items": items}


_STRING = {"type": "string"}
_LABELS = _closed(matchLabels={"type": "object", "additionalProperties": _STRING})
_HOST = {**_closed(matchName=_STRING, matchPattern=_STRING), "minProperties": 1, "maxProperties": 1}
_PORTS = _list(
    _closed(
        ports=_list(_closed(port=_STRING, protocol={"enum": ["TCP", "UDP", "ANY"]})),
        rules=_closed(dns=_list(_HOST)),
    )
)
_EGRESS = _closed(
    toEndpoints=_list(_LABELS),
    toFQDNs=_list(_HOST),
    toEntities=_list({"enum": ["kube-apiserver"]}),
    toPorts=_PORTS,
)
CILIUM = _closed(
    apiVersion=_STRING,
    kind=_STRING,
    metadata={"type": "object"},
    spec=_closed(endpointSelector=_LABELS, egress=_list(_EGRESS)),
)


class _Kubernetes:
    """The schemas of a release of Kubernetes."""

    def __init__(self, folder):
        self._folder = folder
        self._validators = {}
        definitions = json.loads((folder / "_definitions.json").read_text())
        dialect = (
            referencing.jsonschema.DRAFT202012
            if "$defs" in definitions
            else referencing.jsonschema.DRAFT7
        )
        resource = dialect.create_resource(definitions)
        self._registry = referencing.Registry(retrieve=lambda uri: resource)
        self._validator = (
            jsonschema.Draft202012Validator
            if "$defs" in definitions
            else jsonschema.Draft7Validator
        )

    def validator(self, api_version, kind):
        """Of one kind; none when the release does not have it."""
        if (api_version, kind) not in self._validators:
            group = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
            path = self._folder / f"{kind.lower()}-{group}.json"
            schema = json.loads(path.read_text()) if path.is_file() else None
            found = schema and self._validator(schema, registry=self._registry)
            self._validators[api_version, kind] = found
        return self._validators[api_version, kind]


@functools.cache
def _release(name):
    if name == "1.20":
        return _Kubernetes(TOOLS / "schemas-1.20")
    packaged = importlib.resources.files("kubernetes_validate") / "kubernetes-json-schema"
    return _Kubernetes(packaged / f"v{name}.0-local-strict")


def _close(schema):
    """Refuses fields that a schema of a model does not name."""
    if isinstance(schema, dict):
        # One without any is free, such as the metadata that models leave to Kubernetes.
        if schema.get("properties") and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for part in schema.values():
            _close(part)
    elif isinstance(schema, list):
        for part in schema:
            _close(part)
    return schema


@functools.cache
def _sandbox_schemas():
    """The schemas of agent-sandbox."""
    found = {}
    for each in yaml.safe_load_all((KUBERNETES / "cluster/agent-sandbox-crds.yaml").read_text()):
        spec = each["spec"]
        for version in spec["versions"]:
            kind = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            found[kind] = version["schema"]["openAPIV3Schema"]
    return found


@functools.cache
def _custom(api_version, kind):
    if (api_version, kind) == ("cilium.io/v2", "CiliumNetworkPolicy"):
        return jsonschema.Draft202012Validator(CILIUM)
    if (api_version, kind) in _sandbox_schemas():
        return jsonschema.Draft202012Validator(_close(_sandbox_schemas()[api_version, kind]))
    model = MODELS.get((api_version, kind))
    return model and jsonschema.Draft202012Validator(_close(model.model_json_schema(by_alias=True)))


def problems(each, release="1.37"):
    """What is wrong with an object, for a release of Kubernetes."""
    api_version, kind = each["apiVersion"], each["kind"]
    validator = _release(release).validator(api_version, kind) or _custom(api_version, kind)
    if validator is None:
        return [f"Kubernetes {release} has no {kind} of {api_version}"]
    found = [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in validator.iter_errors(each)
    ]
    if kind == "SandboxTemplate":
        found += problems({"apiVersion": "v1", "kind": "Pod", **each["spec"]["podTemplate"]}, release)
    return found
