#!/usr/bin/env python3
"""What a fleet costs, by calculation: docs/fleet.md ("Cost") has the formulas and their inputs.

    deploy/gateway-cost.sh --json figures.json
    deploy/kubernetes/cost.py figures.json --lifetime 600 --fill 5

The figures are those of the benchmark, with a real pod. Every other input is an option.
"""

import argparse
import json
import math

SIZES = (100, 10_000, 1_000_000)
MIB = 1 << 20

# Name, default, meaning. Times in seconds, prices in dollars.
INPUTS = (
    ("lifetime", 600.0, "time from the first command of a session to its end"),
    ("fill", 5.0, "sessions in a pod, on average"),
    ("pod-lifetime", 1800.0, "time for which a pod has a tenant"),
    ("rate", 0.1, "commands a second of one session"),
    ("changed", 0.3, "share of the saves before which a session has changed"),
    ("interval", 15.0, "time between two saves; 0 without an object store"),
    ("spare", 0.1, "warm pods, as a share of those with a tenant"),
    ("node-cores", 16.0, "cores of a node"),
    ("node-gib", 64.0, "memory of a node"),
    ("usable", 0.9, "share of a node that pods get"),
    ("headroom", 1.5, "what a pod gets, as a multiple of what it takes on average"),
    ("pod-writes", 15.0, "writes of Kubernetes for a pod from its creation to its end"),
    ("cell", 10_000.0, "sessions in a cell"),
    ("replicas", 3.0, "replicas of the gateway in a cell"),
    ("core-price", 0.04048, "of a core for an hour"),
    ("gib-price", 0.004445, "of a GiB of memory for an hour"),
    ("put-price", 0.005, "of 1,000 writes of objects"),
    ("head-price", 0.0004, "of 1,000 reads of objects"),
    ("cluster-price", 0.10, "of a control plane for an hour"),
    ("cells-per-cluster", 1.0, "cells with one API server"),
)


def read_figures(path):
    """What the formulas need of a run of the benchmark."""
    with open(path) as file:
        report = json.load(file)
    if not report["machine"]["is_optimized"]:
        raise SystemExit(f"error: {path} is of a debug build\nhint: use deploy/gateway-cost.sh")
    pod, idle = report["pod"], report["idle"]
    if pod is None or not idle:
        raise SystemExit(
            f"error: {path} has no figures of a real pod, or of a gateway without calls\n"
            "hint: run `make build`, then deploy/gateway-cost.sh without --quick"
        )
    last, opened = idle[-1], report["openings"][-1]
    return {
        "pod_gib": pod["empty_bytes"] / MIB / 1024,
        "session_gib": pod["session_bytes"] / MIB / 1024,
        "command_s": pod["cpu_ms_per_command"] / 1000,
        "call_s": max(row["cpu_us_per_call"] for row in report["load"]) / 1e6,
        "claim_s": opened["cpu_ms"] / 1000,
        "claim_routes": opened["routes"],
        "poll_cores": last["cores"] / last["fleet"]["pods"],
        "gate_gib": report["memory"][-1]["memory"]["resident"] / MIB / 1024,
    }


def cost(sessions, figures, inputs):
    """Everything about a fleet with as many sessions at a time: by cell, and in all."""
    cells = math.ceil(sessions / inputs.cell)
    here = sessions / cells
    pods = math.ceil(here / inputs.fill)
    all_pods = math.ceil(pods * (1 + inputs.spare))
    pod_cores = inputs.fill * inputs.rate * figures["command_s"] * inputs.headroom
    pod_gib = (figures["pod_gib"] + inputs.fill * figures["session_gib"]) * inputs.headroom
    by_cores = inputs.node_cores * inputs.usable / pod_cores
    by_memory = inputs.node_gib * inputs.usable / pod_gib
    pods_per_node = max(1, int(min(110, 10 * inputs.node_cores, by_cores, by_memory)))
    nodes = math.ceil(all_pods / pods_per_node)
    changes = 2 * here / inputs.lifetime
    new_pods = pods / inputs.pod_lifetime
    writes = changes + new_pods * inputs.pod_writes + 1 / 3 + nodes / 10
    # With each change, each replica compares the pods of two tables. It was measured with as many
    # sessions as `claim_routes`; with fewer, it is hardly less.
    claim_s = figures["claim_s"] * max(1, here / figures["claim_routes"])
    gate_cores = (
        here * inputs.rate * figures["call_s"]
        + inputs.replicas * changes * claim_s
        + pods * figures["poll_cores"]
    )
    saves = here / inputs.interval if inputs.interval else 0
    opened = here / inputs.lifetime if inputs.interval else 0
    puts, heads = saves * inputs.changed + opened, saves * (1 - inputs.changed) + 3 * opened
    gate_gib = inputs.replicas * figures["gate_gib"] * max(1, here / 10_000)
    compute = (all_pods * pod_cores + gate_cores) * inputs.core_price
    compute += (all_pods * pod_gib + gate_gib) * inputs.gib_price
    store = (puts * inputs.put_price + heads * inputs.head_price) * 3.6
    control = math.ceil(cells / inputs.cells_per_cluster) * inputs.cluster_price
    for_thousand = (compute * cells + store * cells + control) / sessions * 1000
    return {
        "sessions": f"{sessions:,}",
        "cells": f"{cells:,}",
        "pods of a cell": f"{all_pods:,}",
        "nodes of a cell": f"{nodes:,} with {pods_per_node} pods",
        "new pods a second of a cell": f"{new_pods:.2f}",
        "writes a second of a cell": f"{writes:.1f}",
        "of them claims": f"{changes:.1f}",
        "objects a second of a cell": f"{puts:.0f} written, {heads:.0f} read",
        "cores of the gateway of a cell": f"{gate_cores:.2f}",
        "compute, $ an hour": f"{compute * cells:,.2f}",
        "object store, $ an hour": f"{store * cells:,.2f}",
        "control planes, $ an hour": f"{control:,.2f}",
        "$ for 1,000 session hours": f"{for_thousand:.2f}",
    }


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("figures", help="what the benchmark wrote with --json")
    for name, default, meaning in INPUTS:
        help_text = f"{meaning} ({default:g})"
        parser.add_argument(f"--{name}", type=float, default=default, help=help_text)
    inputs = parser.parse_args()
    figures = read_figures(inputs.figures)
    for name, value in figures.items():
        print(f"{name} = {value:.3g}")
    found = [cost(size, figures, inputs) for size in SIZES]
    print()
    for number, name in enumerate(found[0]):
        print(f"| {name} | " + " | ".join(of[name] for of in found) + " |")
        if number == 0:
            print("|---" * (len(found) + 1) + "|")


if __name__ == "__main__":
    main()
