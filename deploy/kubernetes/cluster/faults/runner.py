"""Repeats the faults, and looks at each repetition."""

import random
import time

from api import ApiError
from processes import Failure

from . import report
from .flow import Flow
from .injections import FAULTS
from .judge import Result, count_calls, failed_calls, judge
from .orphans import wait_for_none


def run_all(fleet, options):
    """All faults that were chosen; returns how many repetitions passed and failed."""
    fleet.prepare()
    if options.no_store:
        fleet.install(fleet.EVICTABLE)
    else:
        fleet.prepare_store()
        fleet.install(*fleet.STATE)
        fleet.has_store = True
    faults = chosen(options)
    results = {fault.name: [] for fault in faults}
    try:
        for fault in faults:
            for number in range(times_of(fault, options)):
                if not repeat(fleet, fault, f"{number + 1}", results[fault.name]):
                    return counted(results)
                if options.json:
                    report.write(options.json, results)
    finally:
        print(report.table(results), flush=True)
    return counted(results)


def chosen(options):
    words = [word for word in (options.only or "").split(",") if word]
    return [
        fault
        for fault in FAULTS
        if (not words or any(word in fault.name for word in words))
        and not (options.no_store and fault.needs_store)
    ]


def times_of(fault, options):
    for word, count in options.times_of:
        if word in fault.name:
            return count
    return options.times


def repeat(fleet, fault, number, results):
    """One repetition; false when the fleet is not usable for another one."""
    begun = time.monotonic()
    result = attempt(fleet, fault)
    result.seconds = time.monotonic() - begun
    results.append(result)
    mark = "WRONG  " if result.wrong else "ok     "
    text = f"{fault.name}, {number}: {report.line(result)} ({result.seconds:.0f} s)"
    print(f"{mark} {text}", flush=True)
    for text in result.wrong:
        print(f"        {text}", flush=True)
    return not result.wrong or restored(fleet)


def attempt(fleet, fault):
    flow = Flow(fleet)
    try:
        wait_for_none(fleet)
        flow.open()
        # At any moment of a click, also while nothing is under way.
        time.sleep(random.uniform(0, 1))
        at = time.time()
        fault.run(fleet, flow)
        flow.wait_for_orders(time.time(), fault.seconds)
        pod = flow.holder()
        flow.stop()
        flow.close()
        # After the end of its pods, no order comes late.
        result = judge(flow, fault, at, pod)
        wait_for_none(fleet)
        fleet.cluster.check()
    except (Failure, ApiError, OSError) as error:
        flow.over.set()
        result = Result("failed", calls=count_calls(flow.calls), wrong=[str(error)])
    if result.wrong:
        result.wrong += failed_calls(flow)
    return result


def checked(fault):
    """The fault as a check of the fleet, once."""

    def run(fleet, _):
        fleet.use_store()
        result = attempt(fleet, fault)
        if result.wrong:
            raise Failure("; ".join(result.wrong))
        return report.line(result)

    return run


def restored(fleet):
    try:
        fleet.cluster.check()
        fleet.reset()
    except (Failure, ApiError, OSError) as error:
        print(f"error: the others cannot run: {error}", flush=True)
        return False
    return True


def counted(results):
    found = [result for of_fault in results.values() for result in of_fault]
    wrong = sum(bool(result.wrong) for result in found)
    return len(found) - wrong, wrong
