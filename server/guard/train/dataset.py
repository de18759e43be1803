"""Gathers the rows to train on, and what describes them.

Sources: the labelled folder (not in the repository), the READMEs of the crates that the
workspace depends on (honest technical prose), and text written by `attacks.py` and `honest.py`.
Attack strings are put into honest pages of other sources.
"""

import json
import pathlib
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass

import numpy
from scipy import sparse

import attacks
import honest

# Sources that share strings or a maker are left out together.
GROUPS = [
    ["agentdojo", "injecagent", "asb", "injecagent-benign", "agentdojo-benign",
     "wikipedia-hotpotqa", "owasp-cheatsheets"],
    ["bipia", "bipia-code", "bipia-context", "rust-book", "squad", "playwright-docs"],
    ["garak-latent", "garak-latent-benign", "garak-docs", "gov_report", "uv-docs",
     "wikipedia-passage"],
    ["piarena", "llmail-benign", "tldr", "gstack-docs"],
    ["garak-inthewild-jailbreak", "giskard", "bastioncorpus", "spire-docs", "purplellama-docs",
     "prompt-engineering-guide"],
]


@dataclass
class Row:
    text: str
    label: int
    source: str
    kind: str
    span: tuple[int, int] | None = None
    # Source of the page around it; left out together with that source.
    context: str = ""
    # Whether it was made here, and is for training only.
    made: bool = False
    family: str = ""
    split: str = "train"


def labelled(folder: pathlib.Path) -> list[Row]:
    rows = []
    for name in ("train", "dev"):
        for line in (folder / f"{name}.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            span = tuple(row["span"]) if row["span"] else None
            rows.append(Row(row["text"], row["label"], row["source"], row["kind"], span,
                            family=row["family"], split=name))
    return rows


def readmes(folder: pathlib.Path, pick: random.Random) -> list[Row]:
    """Pieces of READMEs, without HTML."""
    rows = []
    for path in sorted(folder.glob("*/*/README.md")):
        text = re.sub(r"<[^>\n]*>|\]\([^)]*\)", " ", path.read_text(errors="ignore"))
        for _ in range(2):
            if len(text) < 400:
                break
            start = pick.randrange(max(1, len(text) - 1500))
            rows.append(Row(text[start:start + pick.randrange(300, 1800)], 0, "crate-readme",
                            "page", made=True))
    return rows


def put_into(page: str, attack: str, pick: random.Random) -> tuple[str, tuple[int, int]]:
    """`page` with `attack` between two of its sentences or lines."""
    places = [0, len(page)] + [found.end() for found in re.finditer(r"[.!?]\s|\n", page)]
    at = pick.choice(places)
    gap = pick.choice(["\n", "\n\n", " ", " "])
    before, after = page[:at] + (gap if at else ""), (gap if at < len(page) else "") + page[at:]
    return before + attack + after, (len(before), len(before) + len(attack))


def made(rows: list[Row], pick: random.Random, count: int) -> list[Row]:
    """Rows that are written here."""
    pages = [row for row in rows
             if row.label == 0 and len(row.text) > 200 and row.split == "train"]
    strings = [row for row in rows if row.label == 1 and row.span and row.split == "train"]
    out = []
    for number in range(count):
        page = pick.choice(pages)
        if number % 3:
            family, attack = attacks.attack(pick)
            source = "made"
        else:
            row = pick.choice(strings)
            attack, source, family = row.text[row.span[0]:row.span[1]], row.source, row.family
            if len(attack) > 900:
                continue
        if number % 6 == 1:
            out.append(Row(attack, 1, source, "standalone", (0, len(attack)), "", True, family))
            continue
        text, span = put_into(page.text[:pick.randrange(300, 2400)], attack, pick)
        out.append(Row(text, 1, source, "embedded", span, page.source, True, family))
    for number in range(count * 2 // 3):
        family, text = honest.honest(pick)
        context = ""
        if number % 3:
            page = pick.choice(pages)
            text, _ = put_into(page.text[:pick.randrange(300, 2000)], text, pick)
            context = page.source
        out.append(Row(text, 0, "made-honest", "page", None, context, True, family))
    for _ in range(count // 5):
        family, text = honest.application(pick)
        out.append(Row(text, 0, "made-application", "page", None, "", True, family))
    return out


@dataclass
class Windows:
    row: numpy.ndarray
    scale: numpy.ndarray
    share: numpy.ndarray
    signals: numpy.ndarray
    grams: sparse.csr_matrix


def features(extractor: str, rows: list[Row], bits: int = 22) -> Windows:
    """The features as the daemon computes them: its own code does it."""
    with tempfile.TemporaryDirectory() as folder:
        lines = "".join(json.dumps({"text": row.text, "span": row.span}) + "\n" for row in rows)
        subprocess.run([extractor, folder], input=lines.encode(), check=True)
        load = lambda name, kind: numpy.fromfile(pathlib.Path(folder, name), dtype=kind)
        row, scale, share = load("row", "<u4"), load("scale", "u1"), load("share", "<f4")
        signals = load("signals", "<f4").reshape(len(row), -1)
        ends = numpy.concatenate([[0], load("ends", "<u4")])
        # Twice in a window is little more than once.
        counts = numpy.minimum(load("counts", "<u2"), 2).astype("f4")
        grams = sparse.csr_matrix((counts, load("places", "<u4"), ends), (len(row), 1 << bits))
    return Windows(row, scale, share, signals, grams)
