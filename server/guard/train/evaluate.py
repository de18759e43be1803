"""Judges the classifier and the baselines by sources that were left out, as a table.

    python evaluate.py --data FOLDER --left-out values.npy [--pages FOLDER]

`values.npy` is what `fit.py --left-out` kept. Every model is fitted on the same folds; the
groups of sources that a fold leaves out stand in `dataset.py`. stackone-defender is as it
comes: some of the sources were in its own training.
"""

import argparse
import json
import pathlib
import subprocess
import time

import numpy
import onnxruntime
import stackone_defender
import tokenizers
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import dataset
import fit


class Rows:
    """The labelled rows as arrays."""

    def __init__(self, rows: list[dataset.Row]):
        column = lambda name: numpy.array([getattr(row, name) for row in rows])
        self.rows, self.label, self.source = rows, column("label"), column("source")
        self.kind, self.family = column("kind"), column("family")
        self.fold = numpy.zeros(len(rows), int)
        for number, group in enumerate(dataset.GROUPS):
            self.fold[numpy.isin(self.source, group)] = number
        # Attacks within other text, and honest pages.
        self.indirect = (self.label == 0) | (self.kind == "embedded")
        self.web = (self.label == 0) & numpy.isin(self.family, ["web", "howto", "email"])


def recall_at(label: numpy.ndarray, score: numpy.ndarray, alarms: float = 0.01) -> float:
    honest = numpy.sort(score[label == 0])[::-1]
    return float((score[label == 1] > honest[int(alarms * len(honest))]).mean())


def line(name: str, rows: Rows, score: numpy.ndarray) -> str:
    """Both views of one model; probabilities at 0.85 too."""
    out = [name]
    for which in (numpy.ones(len(rows.rows), bool), rows.indirect):
        label, found = rows.label[which], score[which]
        out.append(f"{roc_auc_score(label, found):.3f}")
        out.append(f"{recall_at(label, found):.3f}")
    sure = score >= 0.85
    hits = (sure & (rows.label == 1)).sum()
    out.append(f"{hits / max(1, sure.sum()):.2f}")
    out.append(f"{hits / (rows.label == 1).sum():.2f}")
    out.append(f"{sure[rows.label == 0].mean():.3f}")
    out.append(f"{sure[rows.web].mean():.3f}")
    return "| " + " | ".join(out) + " |"


def in_folds(rows: Rows, fit_one, features) -> numpy.ndarray:
    score = numpy.zeros(len(rows.rows))
    for number in range(len(dataset.GROUPS)):
        out = rows.fold == number
        learned = fit_one(features[~out], rows.label[~out], rows.source[~out])
        score[out] = learned.predict_proba(features[out])[:, 1]
    return score


def balanced(label: numpy.ndarray, source: numpy.ndarray) -> numpy.ndarray:
    key = numpy.char.add(source, label.astype(str))
    _, which, counts = numpy.unique(key, return_inverse=True, return_counts=True)
    weight = (1 / numpy.sqrt(counts))[which]
    for value in (0, 1):
        weight[label == value] *= len(label) / 2 / weight[label == value].sum()
    return weight


def stackone(texts: list[str]) -> tuple[numpy.ndarray, float]:
    """Its probability per text, and milliseconds per 2 KiB on one core."""
    folder = next(pathlib.Path(stackone_defender.__file__).parent.glob("models/*"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "model_quantized.onnx"), options)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    scores, taken = [], 0.0
    for text in texts:
        begun = time.perf_counter()
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        chunks = [ids[at:at + 126] for at in range(0, max(1, len(ids) - 30), 96)]
        width = max(map(len, chunks)) + 2
        given = numpy.zeros((len(chunks), width), "i8")
        mask = numpy.zeros_like(given)
        for row, chunk in enumerate(chunks):
            given[row, :len(chunk) + 2] = [101, *chunk, 102]
            mask[row, :len(chunk) + 2] = 1
        logits = session.run(None, {"input_ids": given, "attention_mask": mask})[0]
        scores.append(logits[:, 0].max() / 2.41)
        taken += time.perf_counter() - begun
    size = sum(len(text.encode()) for text in texts)
    return 1 / (1 + numpy.exp(-numpy.array(scores))), taken * 1e3 * 2048 / size


def shape(extractor: str, rows: Rows) -> numpy.ndarray:
    """Signals of whole pages: mean and maximum of those of the windows."""
    parts = dataset.features(extractor, rows.rows)
    use = parts.scale == 0
    row, signals = parts.row[use], parts.signals[use]
    which = sparse.csr_matrix((numpy.ones(len(row)), (row, numpy.arange(len(row)))),
                              (len(rows.rows), len(row)))
    count = numpy.maximum(1, numpy.bincount(row, minlength=len(rows.rows)))
    highest = numpy.zeros((len(rows.rows), signals.shape[1]))
    numpy.maximum.at(highest, row, signals)
    return numpy.hstack([(which @ signals) / count[:, None], highest])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--left-out", type=pathlib.Path, required=True)
    parser.add_argument("--stackone", type=pathlib.Path, help="keep its scores here")
    parser.add_argument("--extractor", default=str(fit.ROOT / "target/debug/examples/features"))
    options = parser.parse_args()
    rows = Rows(dataset.labelled(options.data))
    texts = [row.text for row in rows.rows]
    values = numpy.load(options.left_out)[:len(texts)]
    print("| model | AUC | recall at 1 % | indirect AUC | indirect recall at 1 % |"
          " precision at 0.85 | recall | false positives | on web, how-to, mail |")
    print("|---|---|---|---|---|---|---|---|---|")
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True).fit_transform(texts)
    logistic = lambda given, label, source: LogisticRegression(C=10, max_iter=300).fit(
        given, label, sample_weight=balanced(label, source))
    print(line("TF-IDF, logistic regression", rows, in_folds(rows, logistic, words)), flush=True)
    trees = lambda given, label, source: HistGradientBoostingClassifier(
        max_iter=150, max_leaf_nodes=12, learning_rate=0.06, random_state=0).fit(
        given, label, sample_weight=balanced(label, source))
    whole = in_folds(rows, trees, shape(options.extractor, rows))
    print(line("shape signals, boosted trees", rows, whole), flush=True)
    if options.stackone and options.stackone.exists():
        second = numpy.load(options.stackone)
    else:
        second, taken = stackone(texts)
        print(f"stackone-defender: {taken:.1f} ms per 2 KiB on one core")
        if options.stackone:
            numpy.save(options.stackone, second)
    print(line("stackone-defender 0.9.4", rows, second), flush=True)
    score = numpy.zeros(len(texts))
    both = numpy.zeros(len(texts))
    logit = numpy.log(second / (1 - second))
    for number in range(len(dataset.GROUPS)):
        out = rows.fold == number
        page = fit.page_weights(of(rows, ~out), values[~out])
        score[out] = page[0] + values[out] @ page[1:]
        joined = numpy.column_stack([values[:, :-1], logit])
        learned = logistic(joined[~out], rows.label[~out], rows.source[~out])
        both[out] = learned.predict_proba(joined[out])[:, 1]
    score = 1 / (1 + numpy.exp(-score))
    print(line("this classifier", rows, score))
    print(line("this classifier and stackone", rows, both))
    print("\n| left out | attacks | AUC | recall at 1 % |\n|---|---|---|---|")
    for number, group in enumerate(dataset.GROUPS):
        out = rows.fold == number
        label, found = rows.label[out], score[out]
        print(f"| {', '.join(group)} | {label.sum()} of {len(label)} | "
              f"{roc_auc_score(label, found):.3f} | {recall_at(label, found):.3f} |")


class of:
    """The rows that are marked, as `fit.page_weights` wants them."""

    def __init__(self, rows: Rows, which: numpy.ndarray):
        self.label, self.source, self.kind = (
            getattr(rows, name)[which] for name in ("label", "source", "kind"))


if __name__ == "__main__":
    main()
