"""What the network policies allow."""

import ipaddress
import unittest

from chart import NAMESPACE, RELEASE, SETTINGS, find, objects, of_kind

# Addresses that no page may reach.
DENIED = """
    0.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 168.63.129.16
    169.254.169.254 169.254.170.2 169.254.170.23 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1
    192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255
    :: ::1 ::ffff:10.0.0.1 ::ffff:8.8.4.4 ::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1
    2001:db8::1 2002:a00:1::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fec0::1
    ff02::1
""".split()
PUBLIC = """
    1.1.1.1 8.8.4.4 93.184.215.14 172.15.0.1 172.32.0.1 168.63.129.17 2606:4700::1111
    2a00:1450:4001::1
""".split()

NAMES = {"kubernetes.io/metadata.name": NAMESPACE}
GATE = {
    "app.kubernetes.io/name": "browse",
    "app.kubernetes.io/instance": RELEASE,
    "app.kubernetes.io/component": "gate",
}
POD = {
    "app.kubernetes.io/name": "browse",
    "app.kubernetes.io/instance": RELEASE,
    "app.kubernetes.io/component": "pod",
    "browse.dev/pod": RELEASE,
    "browse.dev/tenant": "acme",
}
DNS = {"k8s-app": "kube-dns"}
SYSTEM = {"kubernetes.io/metadata.name": "kube-system"}
MONITORING = {"kubernetes.io/metadata.name": "monitoring"}


def selects(selector, labels):
    assert set(selector) <= {"matchLabels"}, selector
    return selector.get("matchLabels", {}).items() <= labels.items()


def matches(peer, other):
    """Whether a peer of a rule is an address, or a pod as (labels, labels of its namespace)."""
    if "ipBlock" in peer:
        if not isinstance(other, str):
            return False
        address, block = ipaddress.ip_address(other), peer["ipBlock"]
        return address in ipaddress.ip_network(block["cidr"]) and not any(
            address in ipaddress.ip_network(part) for part in block.get("except", [])
        )
    if isinstance(other, str):
        return False
    labels, namespace = other
    in_namespace = (
        selects(peer["namespaceSelector"], namespace)
        if "namespaceSelector" in peer
        else namespace == NAMES
    )
    return in_namespace and selects(peer.get("podSelector", {}), labels)


def allows(policy, direction, other, port, protocol="TCP"):
    """Whether a policy allows a connection to or from another."""
    peers = {"ingress": "from", "egress": "to"}[direction]
    assert direction.capitalize() in policy["spec"]["policyTypes"]
    return any(
        any(
            part.get("protocol", "TCP") == protocol and part.get("port", port) == port
            for part in rule.get("ports", [{"port": port, "protocol": protocol}])
        )
        and any(matches(peer, other) for peer in rule[peers])
        if peers in rule
        else any(part["port"] == port and part["protocol"] == protocol for part in rule["ports"])
        for rule in policy["spec"].get(direction, [])
    )


def policy(settings, name):
    return find(objects(settings), "NetworkPolicy", f"{RELEASE}-{name}")


class Pods(unittest.TestCase):
    def test_it_is_for_every_pod_of_the_fleet(self):
        for settings in set(SETTINGS) - {"open"}:
            spec = policy(settings, "pods")["spec"]
            self.assertEqual(spec["podSelector"], {"matchLabels": {"browse.dev/pod": RELEASE}})
            self.assertEqual(set(spec["policyTypes"]), {"Ingress", "Egress"})

    def test_pages_reach_public_addresses_alone(self):
        pods = policy("minimal", "pods")
        for address in DENIED:
            for port in (53, 80, 443, 6443, 7443, 8080):
                self.assertFalse(allows(pods, "egress", address, port), f"{address}:{port}")
        for address in PUBLIC:
            for protocol in ("TCP", "UDP"):
                self.assertTrue(allows(pods, "egress", address, 443, protocol), address)

    def test_an_exception_lies_in_its_block(self):
        # The API server refuses others.
        for settings in set(SETTINGS) - {"open"}:
            for rule in policy(settings, "pods")["spec"]["egress"]:
                for block in (peer["ipBlock"] for peer in rule.get("to", []) if "ipBlock" in peer):
                    network = ipaddress.ip_network(block["cidr"])
                    for part in map(ipaddress.ip_network, block.get("except", [])):
                        self.assertTrue(part != network and part.subnet_of(network), part)

    def test_networks_of_the_cluster_are_denied_too(self):
        pods = policy("everything", "pods")
        for address in ("198.51.100.200", "8.8.8.8", "fd00:10:96::1", "2600:1f18:1::1"):
            self.assertFalse(allows(pods, "egress", address, 443), address)
        self.assertTrue(allows(policy("minimal", "pods"), "egress", "2600:1f18:1::1", 443))

    def test_ports_and_an_object_store_can_be_named(self):
        pods = policy("everything", "pods")
        self.assertTrue(allows(pods, "egress", "1.1.1.1", 443, "UDP"))
        self.assertFalse(allows(pods, "egress", "1.1.1.1", 25))
        self.assertTrue(allows(pods, "egress", "10.20.30.40", 9000))
        self.assertFalse(allows(pods, "egress", "10.20.30.41", 9000))
        self.assertTrue(allows(pods, "egress", "10.9.9.9", 3128))

    def test_names_are_asked_for_at_the_dns_of_the_cluster(self):
        pods = policy("minimal", "pods")
        for protocol in ("TCP", "UDP"):
            self.assertTrue(allows(pods, "egress", (DNS, SYSTEM), 53, protocol))
        self.assertFalse(allows(pods, "egress", (DNS, SYSTEM), 443))
        self.assertFalse(allows(pods, "egress", (DNS, MONITORING), 53))
        self.assertTrue(allows(policy("1.20", "pods"), "egress", (DNS, {}), 53, "UDP"))

    def test_the_gateway_alone_gets_in(self):
        pods = policy("minimal", "pods")
        self.assertTrue(allows(pods, "ingress", (GATE, NAMES), 7443))
        for other, port in [
            ((GATE, NAMES), 7480),
            ((GATE, SYSTEM), 7443),
            ((POD, NAMES), 7443),
            ((POD, NAMES), 7480),
            (({}, MONITORING), 7480),
            ("10.0.0.1", 7443),
            ("1.1.1.1", 7443),
        ]:
            self.assertFalse(allows(pods, "ingress", other, port), f"{other} {port}")

    def test_the_scraper_reads_metrics_and_nothing_else(self):
        pods = policy("everything", "pods")
        self.assertTrue(allows(pods, "ingress", ({}, MONITORING), 7480))
        self.assertFalse(allows(pods, "ingress", ({}, MONITORING), 7443))

    def test_pods_do_not_reach_each_other_or_the_gateway(self):
        for settings in set(SETTINGS) - {"open"}:
            pods = policy(settings, "pods")
            for labels in (POD, GATE):
                for port in (53, 443, 7443, 7444, 7480, 7481, 8080):
                    self.assertFalse(
                        allows(pods, "egress", (labels, NAMES), port), f"{labels} {port}"
                    )


class Gates(unittest.TestCase):
    def test_replicas_alone_reach_the_port_of_replicas(self):
        gate = policy("minimal", "gate")
        self.assertTrue(allows(gate, "ingress", (GATE, NAMES), 7444))
        self.assertTrue(allows(gate, "egress", (GATE, NAMES), 7444))
        for other in ((POD, NAMES), (GATE, SYSTEM), ({}, MONITORING), "10.0.0.1"):
            self.assertFalse(allows(gate, "ingress", other, 7444), other)

    def test_clients_and_the_scraper_get_in(self):
        gate = policy("everything", "gate")
        self.assertTrue(allows(gate, "ingress", "1.1.1.1", 8080))
        self.assertFalse(allows(gate, "ingress", "1.1.1.1", 7481))
        self.assertTrue(allows(gate, "ingress", ({}, MONITORING), 7481))
        self.assertTrue(allows(policy("minimal", "gate"), "ingress", ({}, SYSTEM), 8080))
        self.assertFalse(allows(policy("minimal", "gate"), "ingress", ({}, MONITORING), 7481))

    def test_it_reaches_pods_the_api_the_issuer_and_the_collector(self):
        gate = policy("everything", "gate")
        for other, port in [
            ((POD, NAMES), 7443),
            ((DNS, SYSTEM), 53),
            ("10.0.0.1", 6443),
            ("10.0.0.2", 443),
            (({}, MONITORING), 4318),
            ("10.9.9.8", 3129),
        ]:
            self.assertTrue(allows(gate, "egress", other, port), f"{other} {port}")
        for other, port in [
            ((POD, NAMES), 7480),
            ("10.0.0.2", 6443),
            ("10.0.0.3", 443),
            ("1.1.1.1", 443),
            ("1.1.1.1", 4318),
            (({}, MONITORING), 443),
        ]:
            self.assertFalse(allows(gate, "egress", other, port), f"{other} {port}")
        self.assertTrue(
            allows(policy("minimal", "gate"), "egress", "34.1.2.3", 443), "the address is not known"
        )
        self.assertFalse(
            allows(policy("minimal", "gate"), "egress", ({}, MONITORING), 4318), "no traces"
        )


class Cilium(unittest.TestCase):
    def test_hosts_take_the_place_of_public_addresses(self):
        pods = policy("hpa", "pods")
        for address in DENIED + PUBLIC:
            self.assertFalse(allows(pods, "egress", address, 443), address)
        spec = find(objects("hpa"), "CiliumNetworkPolicy", f"{RELEASE}-pods")["spec"]
        (hosts,) = (rule["toFQDNs"] for rule in spec["egress"] if "toFQDNs" in rule)
        self.assertEqual(hosts, [{"matchName": "example.com"}, {"matchPattern": "*.example.com"}])
        (dns,) = (rule for rule in spec["egress"] if "toEndpoints" in rule)
        self.assertEqual(
            dns["toPorts"][0]["rules"]["dns"], hosts, "other names are not even asked for"
        )
        labels = {**DNS, "k8s:io.kubernetes.pod.namespace": "kube-system"}
        self.assertEqual(dns["toEndpoints"], [{"matchLabels": labels}])

    def test_it_is_there_on_request(self):
        self.assertEqual(of_kind(objects("minimal"), "CiliumNetworkPolicy"), [])
        self.assertEqual(of_kind(objects("open"), "NetworkPolicy"), [])
