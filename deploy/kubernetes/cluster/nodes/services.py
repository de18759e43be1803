"""Services as rules of nftables in the network namespace of each pod, as kube-proxy has them on a node.

The destination is replaced before policies are looked at, so these see the address of the pod.
"""


def rules(services, endpoints):
    """The table `fleet_services`."""
    known = {(e["metadata"]["namespace"], e["metadata"]["name"]): e for e in endpoints}
    lines = []
    for service in services:
        address = service["spec"].get("clusterIP")
        if address in (None, "", "None"):
            continue
        found = known.get((service["metadata"]["namespace"], service["metadata"]["name"]), {})
        for port in service["spec"].get("ports") or []:
            targets = targets_of(found, port.get("name"))
            protocol = port.get("protocol", "TCP").lower()
            match = f"    ip daddr {address} {protocol} dport {port['port']}"
            if targets:
                lines.append(f"{match} dnat ip to {choice(targets)}")
    body = "\n".join(sorted(lines))
    return (
        "table ip fleet_services {\n  chain output {\n"
        f"    type nat hook output priority -100; policy accept;\n{body}\n  }}\n}}\n"
    )


def targets_of(endpoints, name):
    """The ready addresses of a port, each with the number of the port there."""
    found = []
    for subset in endpoints.get("subsets") or []:
        for port in subset.get("ports") or []:
            if port.get("name") == name:
                found += [(item["ip"], port["port"]) for item in subset.get("addresses") or []]
    return sorted(found)


def choice(targets):
    if len(targets) == 1:
        ((address, port),) = targets
        return f"{address}:{port}"
    entries = ", ".join(f"{n} : {ip} . {port}" for n, (ip, port) in enumerate(targets))
    return f"numgen random mod {len(targets)} map {{ {entries} }}"
