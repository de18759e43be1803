"""The table of the faults, as text and as JSON."""

import dataclasses
import json
import statistics
from collections import Counter


def table(results):
    """Rows of Markdown: each fault with what became of its sessions. `results` are lists by name."""
    lines = [
        "| fault | times | sessions | calls that failed | unknown, of them done | pause p50, max "
        "| two pages | refused writes | wrong |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, found in results.items():
        if found:
            lines.append(f"| {name} | {len(found)} | {' | '.join(cells(found))} |")
    return "\n".join(lines)


def cells(found):
    outcomes = Counter(result.outcome for result in found)
    failed = Counter()
    for result in found:
        for kind, answers in result.calls.items():
            failed.update({f"{kind} {r}": n for r, n in answers.items() if r != "ok"})
    calls = sum(sum(answers.values()) for result in found for answers in result.calls.values())
    pauses = [result.pause for result in found]
    wrong = sum(bool(result.wrong) for result in found)
    return [
        listed(outcomes),
        f"{sum(failed.values())} of {calls}" + (f": {listed(failed)}" if failed else ""),
        f"{sum(r.unknown for r in found)}, {sum(r.unknown_and_done for r in found)}",
        f"{statistics.median(pauses):.1f} s, {max(pauses):.1f} s",
        f"{max(result.overlap for result in found):.1f} s",
        str(sum(result.refused_writes for result in found)),
        f"{wrong} of {len(found)}",
    ]


def listed(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def line(result):
    """One repetition in a line."""
    failed = [
        f"{count} {kind} {reason}"
        for kind, answers in result.calls.items()
        for reason, count in answers.items()
        if reason != "ok"
    ]
    done = sum(answers.get("ok", 0) for answers in result.calls.values())
    return (
        f"{result.outcome}; {done} calls ok, {', '.join(failed) or 'none failed'}; "
        f"pause {result.pause:.1f} s"
    )


def write(path, results):
    document = {
        name: {
            "times": len(found),
            "outcomes": dict(Counter(result.outcome for result in found)),
            "repetitions": [dataclasses.asdict(result) for result in found],
        }
        for name, found in results.items()
    }
    path.write_text(json.dumps(document, indent=2) + "\n")
