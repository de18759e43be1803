"""What a repetition leaves: nothing but the pool, the replicas and the pods of the cluster itself."""

import contextlib
import pathlib

import network
from processes import until

PROGRAMS = ("browse", "chrom", "headless_shell")


def wait_for_none(fleet, seconds=120):
    """Waits until the fleet is as it was before, and nothing else is left."""
    fleet.wait_for_gates(seconds=seconds)
    fleet.wait_for_warm(3, seconds=seconds)
    left = lambda: [*left_pods(fleet), *left_networks(fleet), *left_objects(fleet)]  # noqa: E731
    until(lambda: not left(), lambda: f"the end of {left()}", seconds, 0.5)


def left_pods(fleet):
    warm = {pod["metadata"]["uid"] for pod in fleet.warm()}
    found = [pod for pod in fleet.pods() if pod["metadata"]["uid"] not in warm]
    names = [f"the pod {pod['metadata']['name']}" for pod in found]
    return names or [f"{len(warm)} warm pods"] if len(warm) != 3 or names else []


def left_networks(fleet):
    """Networks without a pod, and processes of the fleet in none of a pod."""
    own = {pod["metadata"]["uid"] for pod in fleet.api.list("/api/v1/pods")}
    paths = list(network.NAMESPACES.iterdir())
    inodes = set()
    for path in paths:
        with contextlib.suppress(OSError):
            inodes.add(path.stat().st_ino)
    found = [f"the network {path.name}" for path in paths if path.name not in own]
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name = (path / "comm").read_text().strip()
            is_ours = name.startswith(PROGRAMS)
            if is_ours and (path / "ns" / "net").stat().st_ino not in inodes:
                found.append(f"the process {path.name} ({name})")
    return found


def left_objects(fleet):
    keys = fleet.cluster.stored_keys() if fleet.has_store else []
    return [f"the object {key}" for key in keys]
