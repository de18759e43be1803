"""NetworkPolicies as rules of nftables in the network namespace of each pod.

What policies of Kubernetes leave open is as in common implementations: the node of a pod always
reaches it, for probes; a pod reaches itself; answers are always allowed.
"""

import network

PROTOCOLS = {"TCP": "tcp", "UDP": "udp", "SCTP": "sctp"}


def matches(selector, labels):
    """Whether a label selector of Kubernetes selects these labels; an empty one selects all."""
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for term in selector.get("matchExpressions") or []:
        has, values = term["key"] in labels, term.get("values") or []
        is_match = {
            "In": has and labels.get(term["key"]) in values,
            "NotIn": not has or labels[term["key"]] not in values,
            "Exists": has,
            "DoesNotExist": not has,
        }[term["operator"]]
        if not is_match:
            return False
    return True


class Policies:
    """The policies of the cluster, for its pods as they are now."""

    def __init__(self, policies, pods, namespaces):
        self.policies = policies
        self.pods = [pod for pod in pods if (pod.get("status") or {}).get("podIP")]
        self.namespaces = {
            item["metadata"]["name"]: item["metadata"].get("labels") or {} for item in namespaces
        }

    def rules(self, pod):
        """The table `fleet_policy` for a pod."""
        directions = {"Ingress": ("input", "saddr", "from"), "Egress": ("output", "daddr", "to")}
        meta = pod["metadata"]
        mine = [
            policy
            for policy in self.policies
            if policy["metadata"]["namespace"] == meta["namespace"]
            and matches(policy["spec"].get("podSelector") or {}, meta.get("labels") or {})
        ]
        chains = []
        for kind, (hook, side, peers) in directions.items():
            isolating = [policy for policy in mine if kind in kinds(policy["spec"])]
            lines = []
            for policy in isolating:
                for rule in policy["spec"].get(kind.lower()) or []:
                    lines += self.rule(rule, rule.get(peers), side, policy, pod, kind)
            chains.append(chain(hook, bool(isolating), sorted(set(lines))))
        return "table inet fleet_policy {\n" + "\n".join(chains) + "\n}\n"

    def rule(self, rule, peers, side, policy, pod, kind):
        sources = [""] if not peers else self.addresses(peers, side, policy)
        ports = [""]
        if rule.get("ports"):
            targets = [pod] if kind == "Ingress" else self.pods
            ports = [match for port in rule["ports"] for match in port_matches(port, targets)]
        return [f"    {source} {port} accept" for source in sources for port in ports]

    def addresses(self, peers, side, policy):
        """A match for each address or range of the peers."""
        found = []
        for peer in peers:
            if block := peer.get("ipBlock"):
                family = "ip6" if ":" in block["cidr"] else "ip"
                match = f"{family} {side} {block['cidr']}"
                if block.get("except"):
                    match += f" {family} {side} != {{ {', '.join(block['except'])} }}"
                found.append(match)
                continue
            found += [f"ip {side} {address}" for address in self.pods_of(peer, policy)]
        return found

    def pods_of(self, peer, policy):
        own = policy["metadata"]["namespace"]
        for pod in self.pods:
            meta = pod["metadata"]
            if "namespaceSelector" in peer:
                labels = self.namespaces.get(meta["namespace"], {})
                is_there = matches(peer["namespaceSelector"] or {}, labels)
            else:
                is_there = meta["namespace"] == own
            if is_there and matches(peer.get("podSelector") or {}, meta.get("labels") or {}):
                yield pod["status"]["podIP"]


def kinds(spec):
    """The directions that a policy isolates."""
    if spec.get("policyTypes"):
        return spec["policyTypes"]
    return ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def port_matches(port, pods):
    protocol = PROTOCOLS[port.get("protocol", "TCP")]
    number = port.get("port")
    if number is None:
        return [f"meta l4proto {protocol}"]
    if isinstance(number, int):
        end = f"-{port['endPort']}" if port.get("endPort") else ""
        return [f"{protocol} dport {number}{end}"]
    numbers = {
        item["containerPort"]
        for pod in pods
        for container in pod["spec"]["containers"]
        for item in container.get("ports") or []
        if item.get("name") == number
    }
    return [f"{protocol} dport {found}" for found in sorted(numbers)]


def chain(hook, is_isolated, lines):
    head = f"  chain {hook} {{\n    type filter hook {hook} priority 0; policy accept;\n"
    if is_isolated:
        interface = "iif" if hook == "input" else "oif"
        open_to_all = [f"    {interface} lo accept", "    ct state established,related accept"]
        if hook == "input":
            open_to_all.append(f"    ip saddr {network.GATEWAY} accept")
        lines = [*open_to_all, *lines, "    counter drop"]
    return head + "\n".join(lines) + "\n  }"
