"""How long the stages of a session take: `session new`, its first command, its first page, its end."""

import concurrent.futures
import statistics
import threading
import time

from cluster import OWN_NODE
from fleet import SITE
from processes import until

from . import expect

STAGES = ("new", "first command", "goto", "close")

# Sessions that are opened at the same moment.
AT_ONCE = (10, 20)


def measured(fleet, options):
    """Tables of the times of a session in a warm pod, in the pod that the tenant has, and in one that is
    started for it: one at a time, then ten and twenty at once."""
    warm, context, cold = [], [], []
    fleet.scale(1)
    until(lambda: len(fleet.pods()) == 1 and fleet.warm(), "one warm pod", 60)
    for number in range(options.tries):
        fleet.wait_for_warm(1)
        # The pod that follows in the pool would start on the same cores.
        with NodesClosed(fleet):
            warm.append(session(fleet, f"warm-{number}", "work", then="first"))
            context.append(session(fleet, f"warm-{number}", "other"))
            fleet.close_and_wait(f"warm-{number}", "first")
        fleet.wait_for_warm(1)
        fleet.must(f"taken-{number}", "", "new", {"name": "work"})
        # The pool is empty now, and the next pod is being started.
        cold.append(session(fleet, f"cold-{number}", "work"))
        fleet.close(f"taken-{number}", "work")
    rows = {"a warm pod": warm, "a context in a pod": context, "a pod that is started": cold}
    tables = [table(rows, f"one at a time, {options.tries} tries")]
    for count in AT_ONCE:
        tables.append(table(at_once(fleet, count), f"{count} at once"))
    fleet.scale(3)
    fleet.wait_for_warm(3)
    until(lambda: len(fleet.pods()) == 3, "the end of the pods of tenants", 90, 0.3)
    return "\n" + "\n\n".join(tables)


def at_once(fleet, count):
    """The rows of as many sessions at the same moment, each of a tenant of its own."""
    fleet.scale(count)
    fleet.wait_for_warm(count, 180)
    tenants = [f"once-{count}-{number}" for number in range(count)]
    with NodesClosed(fleet):
        warm = at_the_same_moment(fleet, tenants, "work", then="first")
        context = at_the_same_moment(fleet, tenants, "other")
        for tenant in tenants:
            fleet.close(tenant, "first")
    return {"a warm pod": warm, "a context in a pod": context}


def at_the_same_moment(fleet, tenants, name, then=None):
    ready = threading.Barrier(len(tenants))

    def run(tenant):
        # Its token is made before.
        fleet.token(tenant)
        ready.wait()
        return session(fleet, tenant, name, then)

    with concurrent.futures.ThreadPoolExecutor(len(tenants)) as threads:
        return list(threads.map(run, tenants))


class NodesClosed:
    """While it is entered, no new pod starts on a node."""

    def __init__(self, fleet):
        self.fleet = fleet
        nodes = (node["metadata"]["name"] for node in fleet.api.list("/api/v1/nodes"))
        self.nodes = [name for name in nodes if name != OWN_NODE]

    def __enter__(self):
        self.patch(True)

    def __exit__(self, *_):
        self.patch(False)

    def patch(self, closed):
        for name in self.nodes:
            self.fleet.api.patch(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": closed}})


def session(fleet, tenant, name, then=None):
    """Seconds of each of its stages. Before its end a session named `then` is opened, which is in no
    time, so that its pod stays."""
    page = {"url": SITE}
    own = {"name": name}
    calls = [("", "new", own), (name, "ListTabs", {}), (name, "Goto", page), (name, "close", own)]
    times, title = [], None
    for where, command, body in calls:
        if then and command == "close":
            fleet.must(tenant, "", "new", {"name": then})
        begun = time.monotonic()
        answer = fleet.must(tenant, where, command, body)
        times.append(time.monotonic() - begun)
        title = answer.body.get("title", title)
    expect(title == "Shop", f"the page is {title}")
    return times


def table(rows, what):
    """A row for each kind of session: p50 and p95 of each stage, and of all."""
    names = [*STAGES, "all"]
    lines = [
        f"| {what}, ms | " + " | ".join(f"{name} p50 | p95" for name in names) + " |",
        "|---" * (1 + 2 * len(names)) + "|",
    ]
    for name, sessions in rows.items():
        columns = [*zip(*sessions), [sum(times) for times in sessions]]
        cells = [f"{share(column, part) * 1000:.0f}" for column in columns for part in (50, 95)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def share(values, percent):
    if len(values) < 2:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
