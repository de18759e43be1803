"""How long it takes from `session new` until the first command is answered."""

import statistics
import time

from fleet import SITE
from processes import until

from . import expect


def measured(fleet, options):
    """A table of the times of a session in a warm pod, in the pod that the tenant has, and in one that
    is started for it."""
    warm, context, cold = [], [], []
    fleet.scale(1)
    until(lambda: len(fleet.pods()) == 1 and fleet.warm(), "one warm pod", 60)
    for number in range(options.tries):
        fleet.wait_for_warm(1)
        warm.append(create_and_goto(fleet, f"warm-{number}", "work"))
        # The pool is empty now, and the next pod is being started.
        cold.append(create_and_goto(fleet, f"cold-{number}", "work"))
        context.append(create_and_goto(fleet, f"cold-{number}", "other"))
        for tenant in (f"warm-{number}", f"cold-{number}"):
            fleet.close(tenant, "work")
        fleet.close(f"cold-{number}", "other")
    fleet.scale(3)
    fleet.wait_for_warm(3)
    until(lambda: len(fleet.pods()) == 3, "the end of the pods of tenants", 90, 0.3)
    rows = {"a warm pod": warm, "a context in a pod": context, "a pod that is started": cold}
    return "\n" + table(rows, options.tries)


def create_and_goto(fleet, tenant, session):
    """Seconds of `session new`, and of the first `goto` after it."""
    begun = time.monotonic()
    fleet.must(tenant, "", "new", {"name": session})
    created = time.monotonic()
    answer = fleet.must(tenant, session, "Goto", {"url": SITE})
    ended = time.monotonic()
    expect(answer.body.get("title") == "Shop", f"the page is {answer}")
    return created - begun, ended - created


def table(rows, tries):
    lines = [
        f"| a session in, {tries} tries, ms | new p50 | p95 | goto p50 | p95 | both p50 | p95 |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, times in rows.items():
        columns = [[pair[0] for pair in times], [pair[1] for pair in times], list(map(sum, times))]
        cells = [f"{share(column, part) * 1000:.0f}" for column in columns for part in (50, 95)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def share(values, percent):
    if len(values) < 2:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
