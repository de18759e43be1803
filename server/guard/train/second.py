"""Measures what a second classifier changes, on the development rows, as a table.

    python second.py --data FOLDER [--model FOLDER] [--runtime LIBRARY]

Both are the programs that ship: `cargo build -p browse-guard --example judge -p browse-onnx`.
The built-in classifier was trained on other rows of the same sources, which flatters it.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import time

import numpy
import onnxruntime
import stackone_defender
from sklearn.metrics import roc_auc_score

import fit

WARN, BLOCK = 0.75, 0.85
PATIENCE_MS = 60_000


def package(module, pattern: str) -> pathlib.Path:
    return next(pathlib.Path(module.__file__).parent.glob(pattern))


def content(judge: str, texts: list[str]) -> numpy.ndarray:
    given = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    done = subprocess.run([judge], input=given, capture_output=True, text=True, check=True)
    print(done.stderr.strip())
    return numpy.array([float(line) for line in done.stdout.split()])


class Second:
    """`browse-onnx`, asked as the daemon asks it."""

    def __init__(self, program: str, model: pathlib.Path, runtime: pathlib.Path):
        self.process = subprocess.Popen([program, model, runtime], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        begun = self.read()
        if "ready" not in begun:
            raise SystemExit(f"the model cannot be used: {begun}")
        print(begun["ready"])

    def read(self) -> dict:
        (length,) = struct.unpack("<I", self.process.stdout.read(4))
        return json.loads(self.process.stdout.read(length))

    def score(self, text: str) -> float:
        body = json.dumps({"text": text, "first": None, "patience_ms": PATIENCE_MS}).encode()
        self.process.stdin.write(struct.pack("<I", len(body)) + body)
        self.process.stdin.flush()
        said = self.read()
        if said["score"] is None or said["unread"]:
            raise SystemExit(f"a text was not read: {said}")
        return said["score"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--runtime", type=pathlib.Path)
    parser.add_argument("--judge", default=str(fit.ROOT / "target/debug/examples/judge"))
    parser.add_argument("--program", default=str(fit.ROOT / "target/debug/browse-onnx"))
    options = parser.parse_args()
    lines = (options.data / "dev.jsonl").read_text().split("\n")
    rows = [json.loads(line) for line in lines if line]
    texts = [row["text"] for row in rows]
    label = numpy.array([row["label"] for row in rows])
    first = content(options.judge, texts)
    model = options.model or package(stackone_defender, "models/*")
    runtime = options.runtime or package(onnxruntime, "capi/libonnxruntime.so.*")
    asked, begun = Second(options.program, model, runtime), time.perf_counter()
    second = numpy.array([asked.score(text) for text in texts])
    size = sum(len(text.encode()) for text in texts)
    print(f"{(time.perf_counter() - begun) * 1e3 * 2048 / size:.0f} ms per 2 KiB")
    print(f"AUC {roc_auc_score(label, first):.3f} built in, {roc_auc_score(label, second):.3f} second")
    print(f"\n| | {(label == 1).sum()} attacks | {(label == 0).sum()} honest rows |\n|---|---|---|")
    agree = (first >= WARN) & (second >= WARN)
    for what, hit in (
        ("the built-in one warns", first >= WARN),
        ("one of the two warns", (first >= WARN) | (second >= WARN)),
        ("both do: a block", agree),
        ("a note is refused by the built-in one", first >= BLOCK),
        ("a note is refused with both", agree | (numpy.maximum(first, second) >= BLOCK)),
    ):
        print(f"| {what} | {hit[label == 1].mean():.1%} | {hit[label == 0].mean():.1%} |")


if __name__ == "__main__":
    main()
