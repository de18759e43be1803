"""What pods reach: connections from their networks, each with one that shows that somebody listens."""

from concurrent.futures import ThreadPoolExecutor

import network
from fleet import NAMESPACE

from . import expect

TIMEOUT = 1.5
OPEN, CLOSED = True, False


def attempts(fleet):
    """What is tried, as (from whom, network, to what, address, what is expected)."""
    browser, other = fleet.pods()[:2]
    gate, second = fleet.ready_gates()[:2]
    client = fleet.cluster.client
    outside = {f"the private address {address}": (address, 80) for address in network.PRIVATE}
    outside |= {
        "the metadata service": (network.METADATA, 80),
        "the API server": (network.NODE, network.API_PORT),
        "the Service of the API server": (network.API_SERVICE, 443),
        "the node": (network.GATEWAY, 80),
        "the pod of a client": (address_of_client(fleet), 8080),
    }
    cluster = {
        "another browser": (ip(other), 7443),
        "the probes of another browser": (ip(other), 7480),
        "the gateway": (ip(gate), 8080),
        "the Service of the gateway": fleet.service_address(),
        "the port for replicas": (ip(gate), 7444),
        "the probes of the gateway": (ip(gate), 7481),
    }
    found = [("a browser", inside(browser), what, to, CLOSED) for what, to in outside.items()]
    found += [("a browser", inside(browser), what, to, CLOSED) for what, to in cluster.items()]
    found += [
        ("a browser", inside(browser), "a public host", (network.SITE, 80), OPEN),
        ("a browser", inside(browser), "DNS", (network.DNS_SERVICE, 53), OPEN),
        ("the gateway", inside(gate), "a browser", (ip(browser), 7443), OPEN),
        ("the gateway", inside(gate), "the probes of a browser", (ip(browser), 7480), CLOSED),
        ("the gateway", inside(gate), "another replica", (ip(second), 7444), OPEN),
        ("the gateway", inside(gate), "clients of another replica", (ip(second), 8080), CLOSED),
        ("the gateway", inside(gate), "the API server", (network.API_SERVICE, 443), OPEN),
        ("the gateway", inside(gate), "the metadata service", (network.METADATA, 80), CLOSED),
        ("the gateway", inside(gate), "a public host", (network.SITE, 80), CLOSED),
        ("a client", client, "the gateway", (ip(gate), 8080), OPEN),
        ("a client", client, "the Service of the gateway", fleet.service_address(), OPEN),
        ("a client", client, "the port for replicas", (ip(gate), 7444), CLOSED),
        ("a client", client, "the probes of the gateway", (ip(gate), 7481), CLOSED),
        ("a client", client, "a browser", (ip(browser), 7443), CLOSED),
        ("a client", client, "the probes of a browser", (ip(browser), 7480), CLOSED),
    ]
    # Those that are closed above are open from where no policy holds: the node, or the client.
    found += [
        ("the node", None, what, to, OPEN)
        for what, to in [*outside.items(), *cluster.items()]
        if "Service" not in what and "of a client" not in what
    ]
    found += [
        ("a client", client, what, to, OPEN)
        for what, to in outside.items()
        if "of a client" not in what
    ]
    return found


def policies(fleet, _):
    tries = attempts(fleet)
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda one: connects(one[1], one[3]), tries))
    wrong = [
        f"{who} {'reaches' if result else 'does not reach'} {what}"
        for (who, _, what, _, expected), result in zip(tries, results, strict=True)
        if result != expected
    ]
    expect(not wrong, "; ".join(wrong))
    closed = sum(1 for one in tries if not one[4])
    return f"{closed} connections were blocked, {len(tries) - closed} were made"


def connects(path, address):
    try:
        if path is None:
            path = "/proc/self/ns/net"
        network.connect_from(path, address, TIMEOUT).close()
    except OSError:
        return False
    return True


def pages(fleet, _):
    """The daemon itself refuses these addresses before the network does."""
    tenant = fleet.new_tenant()
    fleet.goto(tenant, "work")
    for address in [network.METADATA, network.NODE, network.API_SERVICE, *network.PRIVATE]:
        answer = fleet.call(tenant, "work", "Goto", {"url": f"http://{address}/"})
        expect(answer.status == 403, f"{address} was answered with {answer}")
    fleet.close_and_wait(tenant, "work")
    fleet.wait_for_warm(3)


def ip(pod):
    return pod["status"]["podIP"]


def inside(pod):
    return network.namespace(pod["metadata"]["uid"])


def address_of_client(fleet):
    expect(NAMESPACE != "clients", "the namespaces are the same")
    return ip(fleet.api.get("/api/v1/namespaces/clients/pods/client"))
