"""The volumes of a pod, as folders: Secrets, ConfigMaps, projected tokens and empty folders."""

import base64
import os
import shutil

SECRET, CONFIG_MAP = "secrets", "configmaps"


class VolumeError(Exception):
    """A volume cannot be made yet: what it needs does not exist."""


class Volumes:
    """Makes the volumes of `pod` below `folder`, with what the node may read by `api`."""

    def __init__(self, api, pod, folder):
        self.api, self.pod, self.folder = api, pod, folder
        self.namespace = pod["metadata"]["namespace"]
        context = pod["spec"].get("securityContext") or {}
        self.group = context.get("fsGroup")

    def make_all(self):
        """The folder of each volume, by name."""
        return {
            volume["name"]: self.make(volume) for volume in self.pod["spec"].get("volumes") or []
        }

    def make(self, volume):
        folder = self.folder / volume["name"]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if "emptyDir" in volume:
            os.chown(folder, -1, self.group or -1)
            folder.chmod(0o2777 if self.group else 0o777)
            return folder
        for name, data, mode in self.files_of(volume):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.chown(path, -1, self.group or -1)
            # As the kubelet does with fsGroup: the group may read.
            path.chmod(mode | 0o440 if self.group else mode)
        os.chown(folder, -1, self.group or -1)
        return folder

    def files_of(self, volume):
        if secret := volume.get("secret"):
            mode = secret.get("defaultMode", 0o644)
            return self.files(SECRET, secret["secretName"], secret, mode)
        if config := volume.get("configMap"):
            return self.files(CONFIG_MAP, config["name"], config, config.get("defaultMode", 0o644))
        if projected := volume.get("projected"):
            mode = projected.get("defaultMode", 0o644)
            return [
                file for source in projected["sources"] for file in self.projected(source, mode)
            ]
        raise VolumeError(f"the volume `{volume['name']}` has a kind that this kubelet lacks")

    def projected(self, source, mode):
        if "serviceAccountToken" in source:
            token = source["serviceAccountToken"]
            return [(token["path"], self.token(token).encode(), mode)]
        if config := source.get("configMap"):
            return self.files(CONFIG_MAP, config["name"], config, mode)
        if secret := source.get("secret"):
            return self.files(SECRET, secret["name"], secret, mode)
        items = source["downwardAPI"]["items"]
        return [
            (item["path"], field(self.pod, item["fieldRef"]["fieldPath"], "").encode(), mode)
            for item in items
        ]

    def files(self, kind, name, source, mode):
        """The entries of a Secret or a ConfigMap, those that `items` chooses."""
        found = self.api.find(f"/api/v1/namespaces/{self.namespace}/{kind}/{name}")
        if found is None:
            if source.get("optional"):
                return []
            raise VolumeError(f"`{name}` of {kind} does not exist")
        if kind == SECRET:
            data = {
                key: base64.b64decode(value) for key, value in (found.get("data") or {}).items()
            }
        else:
            data = {key: value.encode() for key, value in (found.get("data") or {}).items()}
        if items := source.get("items"):
            return [(item["path"], data[item["key"]], item.get("mode", mode)) for item in items]
        return [(key, value, mode) for key, value in data.items()]

    def variables(self, container):
        """The variables that a container has from Secrets (`envFrom`)."""
        found = {}
        for source in container.get("envFrom") or []:
            if secret := source.get("secretRef"):
                for name, value, _ in self.files(SECRET, secret["name"], secret, None):
                    found[name] = value.decode()
        return found

    def token(self, wanted):
        """A token of the service account, bound to the pod."""
        meta = self.pod["metadata"]
        account = self.pod["spec"].get("serviceAccountName", "default")
        bound = {"kind": "Pod", "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"]}
        spec = {
            "expirationSeconds": wanted.get("expirationSeconds", 3600),
            "boundObjectRef": bound,
            "audiences": [wanted["audience"]] if wanted.get("audience") else [],
        }
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}/token"
        return self.api.post(path, body)["status"]["token"]


def field(pod, path, address):
    """A field of the downward API."""
    known = {"status.podIP": address, "spec.nodeName": pod["spec"].get("nodeName", "")}
    if path in known:
        return known[path]
    value = pod
    for part in path.split("."):
        value = value[part]
    return str(value)


def environment(container, pod, address):
    """The variables of a container but those of Secrets."""
    variables = {}
    for variable in container.get("env") or []:
        if "fieldRef" in variable.get("valueFrom", {}):
            value = field(pod, variable["valueFrom"]["fieldRef"]["fieldPath"], address)
        else:
            value = variable.get("value", "")
        variables[variable["name"]] = value
    return variables
