"""Trains the classifier and writes `src/classifier/weights.bin`.

    python fit.py --data FOLDER [--readmes ~/.cargo/registry/src] [--left-out values.npy]

FOLDER holds `train.jsonl` and `dev.jsonl`. The extractor is built with
`cargo build -p browse-guard --example features`.
"""

import argparse
import pathlib
import random

import numpy
from sklearn.linear_model import LogisticRegression

import dataset
import export
import model

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Honest web and how-to pages that may be taken for an attack at 0.85.
FALSE_ALARMS = 0.0075
# What a page loses for each factor of e that it is longer than usual. Of honest rows put
# together to eight times their length, 8 % reach 0.85 without it, and 1 % with it.
LONGER = 0.8


def page_weights(data: model.Data, values: numpy.ndarray) -> numpy.ndarray:
    """Base and weights of the page, from rows whose sources were left out.

    The base is moved so that few honest pages reach 0.85.
    """
    # The labelled rows come first; the others have no values.
    rows = numpy.flatnonzero(numpy.isfinite(values).all(1))
    known, label = values[rows].copy(), data.label[rows]
    # The length tells the sources apart, and attacks from honest pages only here.
    known[:, -1] = 0
    key = numpy.char.add(data.source[rows], label.astype(str))
    _, which, counts = numpy.unique(key, return_inverse=True, return_counts=True)
    weight = (1 / numpy.sqrt(counts))[which]
    for value in (0, 1):
        weight[label == value] *= len(label) / 2 / weight[label == value].sum()
    page = LogisticRegression(C=0.05).fit(known, label, sample_weight=weight)
    logit = page.decision_function(known)
    honest = numpy.sort(logit[(label == 0) & (data.kind[rows] == "page")])[::-1]
    allowed = honest[int(FALSE_ALARMS * len(honest))]
    sure = numpy.log(0.85 / 0.15)
    shift = min(0.0, sure - allowed)
    weights = page.coef_[0].copy()
    weights[-1] = -LONGER
    return numpy.r_[page.intercept_[0] + shift, weights]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--readmes", type=pathlib.Path,
                        default=pathlib.Path.home() / ".cargo/registry/src")
    parser.add_argument("--extractor", default=str(ROOT / "target/debug/examples/features"))
    parser.add_argument("--left-out", type=pathlib.Path, help="keep the left-out values here")
    parser.add_argument("--out", type=pathlib.Path,
                        default=HERE.parent / "src/classifier/weights.bin")
    options = parser.parse_args()
    pick = random.Random(7)
    rows = dataset.labelled(options.data)
    rows += dataset.readmes(options.readmes, pick)
    rows += dataset.made(rows, pick, 9000)
    data = model.prepare(rows, dataset.features(options.extractor, rows))
    print(f"{len(rows)} rows, {len(data.parts.row)} parts, {data.parts.grams[0].shape[1]} n-grams")
    if options.left_out and options.left_out.exists():
        values = numpy.load(options.left_out)
    else:
        values = model.left_out(data)
        if options.left_out:
            numpy.save(options.left_out, values)
    page = page_weights(data, values)
    print("page", page.round(3))
    # The development rows are kept for `notes.py`, which measures what ships.
    train = numpy.array([row.split == "train" for row in rows])
    sides = [model.fit_side(data, scale, train) for scale in (0, 1)]
    written = export.weights(sides, data.parts.grams[1], page)
    options.out.write_bytes(written)
    print(f"{options.out.name}: {len(written)} bytes")


if __name__ == "__main__":
    main()
