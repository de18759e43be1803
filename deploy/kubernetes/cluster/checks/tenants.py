"""What one tenant tries to reach of another one and of the cluster: as a page, which the daemon and the
policies hold, and as a program in its pod, which the policies alone hold. Each attempt has a control: a
page tries the same at a public address, and the same address is reached from where no policy holds.
"""

import contextlib
import http.client
import itertools
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import network
import website
from cluster import NODES
from fleet import SITE
from processes import until

from . import expect
from .networks import connects, inside, ip

# Attempts of both checks that there are at least.
MIN_PAGES, MIN_PROGRAMS = 40, 15

# What somebody runs in a pod to look into a browser, and what is at nodes and in a store of objects.
DEVTOOLS, KUBELET, STORE = 9222, 10250, 9000
NODE_1 = NODES["node-1"][0]
CDN = f"http://{network.OTHER_SITE_NAME}"

# Paths that no request has had.
PATHS = (f"/attempt-{number}" for number in itertools.count(1))

# Hosts of addresses that pages must not reach, as they can be written.
HOSTS = {
    "metadata": network.METADATA,
    "metadata as a number": "2852039166",
    "metadata as a hexadecimal number": "0xa9fea9fe",
    "metadata in octal": "0251.0376.0251.0376",
    "metadata in three parts": "169.254.43518",
    "metadata with a dot at its end": f"{network.METADATA}.",
    "metadata mapped into IPv6": f"[::ffff:{network.METADATA}]",
    "metadata by NAT64": "[64:ff9b::a9fe:a9fe]",
    "metadata by 6to4": "[2002:a9fe:a9fe::1]",
    "metadata in IPv6": "[fd00:ec2::254]",
    "the API server": f"{network.NODE}:{network.API_PORT}",
    "the Service of the API server": f"{network.API_SERVICE}:443",
    "the kubelet": f"{NODE_1}:{KUBELET}",
    "the node of the bridge": network.GATEWAY,
    "a store of objects": f"{network.PRIVATE[0]}:{STORE}",
    "its own probes": "127.0.0.1:7480",
    "its own probes by name": "localhost:7480",
    "its own probes by IPv6": "[::1]:7480",
    "its own probes by any address": "0.0.0.0:7480",
}


class Tenants:
    """Two tenants with a session each, and what listens in the cluster beside the fleet."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.victim, self.attacker = fleet.new_tenant(), fleet.new_tenant()

    def __enter__(self):
        fleet = self.fleet
        for tenant in (self.victim, self.attacker):
            fleet.goto(tenant, "work")
        self.pod, self.own_pod = fleet.pod_of(self.victim), fleet.pod_of(self.attacker)
        self.gate = fleet.ready_gates()[0]
        with contextlib.ExitStack() as stack:
            with network.inside(inside(self.pod)):
                serve(stack, ("0.0.0.0", DEVTOOLS))
            serve(stack, (NODE_1, KUBELET))
            serve(stack, (network.PRIVATE[0], STORE))
            self.servers = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.servers.close()
        for tenant in (self.victim, self.attacker):
            self.fleet.close_and_wait(tenant, "work")
        self.fleet.wait_for_warm(3)

    @property
    def hosts(self):
        """Hosts of the fleet, as a page of the attacker can name them."""
        service, port = self.fleet.service_address()
        return {
            "calls of the other pod": f"{ip(self.pod)}:7443",
            "metrics of the other pod": f"{ip(self.pod)}:7480",
            "DevTools of the other pod": f"{ip(self.pod)}:{DEVTOOLS}",
            "its own calls": f"{ip(self.own_pod)}:7443",
            "its own metrics": f"{ip(self.own_pod)}:7480",
            "clients of the gateway": f"{ip(self.gate)}:8080",
            "replicas of the gateway": f"{ip(self.gate)}:7444",
            "metrics of the gateway": f"{ip(self.gate)}:7481",
            "the Service of the gateway": f"{service}:{port}",
        }

    def goto(self, url):
        return self.fleet.call(self.attacker, "work", "Goto", {"url": url})

    def try_page(self, way, to, site=network.SITE_NAME):
        """Opens the page that loads an address in one way, and waits until it has ended."""
        url = f"http://{site}/try?{urllib.parse.urlencode({'way': way, 'to': to})}"
        until(lambda: self.goto(url).status == 200, f"the page at {site}", 20)
        ended = lambda: "ended" in self.fleet.text(self.attacker, "work")  # noqa: E731
        until(ended, f"the end of `{way}` to {to}", 30)


def serve(stack, address):
    server = website.serve(address)
    stack.callback(server.server_close)
    stack.callback(server.shutdown)


def pages(fleet, _):
    with Tenants(fleet) as tenants:
        counts = [check(tenants) for check in (opened, redirected, loaded, named)]
        expect(fleet.goto(tenants.attacker, "work").status == 200, "the session has ended")
    expect(sum(counts) >= MIN_PAGES, f"{sum(counts)} attempts, not {MIN_PAGES}")
    return f"{sum(counts)} attempts"


def opened(tenants):
    """Addresses are refused before anything is sent."""
    path = next(PATHS)
    expect(tenants.goto(CDN + path).status == 200, "no public address is reached")
    hosts = HOSTS | tenants.hosts
    for what, host in hosts.items():
        path = next(PATHS)
        answer = tenants.goto(f"http://{host}{path}")
        expect(answer.status == 403, f"{what} ({host}) was answered with {answer}")
        expect(not website.requested(path), f"{what} was requested")
    tab = lambda url: tenants.fleet.call(tenants.attacker, "work", "NewTab", {"url": url})  # noqa: E731
    for host in (network.METADATA, tenants.hosts["DevTools of the other pod"]):
        answer = tab(f"http://{host}/")
        expect(answer.status == 403, f"a tab at {host} was answered with {answer}")
    return len(hosts) + 2


def redirected(tenants):
    """A public site sends the browser on."""
    redirect = lambda to: tenants.goto(f"{SITE}redirect?to={urllib.parse.quote(to, '')}")  # noqa: E731
    path = next(PATHS)
    answer = redirect(CDN + path)
    expect(answer.status == 200 and website.requested(path), f"a redirect was answered {answer}")
    names = ["calls of the other pod", "metrics of the other pod", "DevTools of the other pod"]
    names += ["replicas of the gateway", "the Service of the gateway"]
    hosts = [network.METADATA, HOSTS["the API server"], *(tenants.hosts[name] for name in names)]
    for host in hosts:
        path = next(PATHS)
        answer = redirect(f"http://{host}{path}")
        expect(answer.status not in (0, 200), f"a redirect to {host} was answered with {answer}")
        expect(not website.requested(path), f"a redirect to {host} was followed")
    return len(hosts)


def loaded(tenants):
    """A page loads them in its own ways."""
    hosts = [network.METADATA, tenants.hosts["DevTools of the other pod"]]
    ways = [way for way in website.WAYS if way != "often"]
    for way in ways:
        path = next(PATHS)
        tenants.try_page(way, CDN + path)
        expect(website.requested(path), f"`{way}` does not load from a public site")
        for host in hosts:
            path = next(PATHS)
            tenants.try_page(way, f"http://{host}{path}")
            expect(not website.requested(path), f"`{way}` reaches {host}")
    # Somebody does listen there: the node comes through.
    for host in hosts:
        path = next(PATHS)
        request(host, path)
        expect(website.requested(path), f"nobody listens at {host}")
    return len(ways) * len(hosts)


def named(tenants):
    """Names that lead to private addresses, one of them from the second answer on."""
    for name in (network.METADATA_NAME, network.PRIVATE_NAME):
        path = next(PATHS)
        answer = tenants.goto(f"http://{name}{path}")
        expect(answer.status not in (0, 200), f"{name} was answered with {answer}")
        expect(not website.requested(path), f"{name} was requested")
    path = next(PATHS)
    tenants.try_page("often", f"http://{network.REBOUND_NAME}{path}", network.REBOUND_NAME)
    found = website.requested(path)
    expect(found == {network.SITE}, f"a name with two addresses led to {found or 'none'}")
    return 3


def request(host, path):
    """Asks from the node, which no policy holds."""
    connection = http.client.HTTPConnection(host, timeout=5)
    try:
        connection.request("GET", path)
        connection.getresponse().read()
    finally:
        connection.close()


def programs(fleet, _):
    """From the network of a pod, where nothing of the daemon holds them."""
    with Tenants(fleet) as tenants:
        warm = fleet.warm()[0]
        from_node = {what: split(host) for what, host in tenants.hosts.items()}
        own = [name for name in from_node if name.startswith("its own")]
        # A pod reaches itself, with its own certificate alone.
        for name in own:
            del from_node[name]
        service = {"the Service of the gateway": from_node.pop("the Service of the gateway")}
        service["the Service of the API server"] = (network.API_SERVICE, 443)
        from_node |= {
            "calls of a warm pod": (ip(warm), 7443),
            "metrics of a warm pod": (ip(warm), 7480),
            "metadata": (network.METADATA, 80),
            "the API server": (network.NODE, network.API_PORT),
            "the kubelet": (NODE_1, KUBELET),
            "its node": (network.GATEWAY, 80),
            "another node": (NODE_1, 80),
            "a store of objects": (network.PRIVATE[0], STORE),
        }
        from_node |= {f"the private address {host}": (host, 80) for host in network.PRIVATE}
        from_pod = inside(tenants.own_pod)
        tries = [(from_pod, what, to, False) for what, to in (from_node | service).items()]
        tries += [(None, what, to, True) for what, to in from_node.items()]
        tries += [(fleet.cluster.client, what, to, True) for what, to in service.items()]
        tries.append((from_pod, "a public host", (network.SITE, 80), True))
        with ThreadPoolExecutor(16) as pool:
            results = list(pool.map(lambda one: connects(one[0], one[2]), tries))
    wrong = [
        f"{what} is {'open' if result else 'closed'} from {path or 'the node'}"
        for (path, what, _, expected), result in zip(tries, results, strict=True)
        if result != expected
    ]
    expect(not wrong, "; ".join(wrong))
    count = len(from_node) + len(service)
    expect(count >= MIN_PROGRAMS, f"{count} attempts, not {MIN_PROGRAMS}")
    return f"{count} attempts"


def split(host):
    address, port = host.rsplit(":", 1)
    return address, int(port)
