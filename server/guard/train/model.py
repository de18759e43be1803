"""The model: boosted trees over the shape, logistic regression over the n-grams, for windows
and for sentences, and a logistic regression over the highest of them for the page."""

from dataclasses import dataclass

import numpy
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

import dataset

# N-grams that occur in fewer sources say what a source is about, not what it wants.
FEWEST_SOURCES = 6
# N-grams that are kept, those with the most weight.
KEPT = 12000
EMPTY = -8.0
# Windows of a page of usual length; the same number stands in `classifier.rs`.
USUAL = 10
# Values that a page is judged by; `PAGE` in `classifier/model.rs`.
VALUES = 13


@dataclass
class Data:
    """Rows and their parts, as arrays."""

    rows: list
    source: numpy.ndarray
    context: numpy.ndarray
    label: numpy.ndarray
    made: numpy.ndarray
    kind: numpy.ndarray
    parts: dataset.Windows
    target: numpy.ndarray

    @property
    def fold(self) -> numpy.ndarray:
        fold = numpy.full(len(self.rows), -1)
        for number, group in enumerate(dataset.GROUPS):
            fold[numpy.isin(self.source, group) & ~self.made] = number
        return fold


def prepare(rows: list, parts: dataset.Windows) -> Data:
    share = parts.share
    # What an attack only touches is neither.
    target = numpy.where(share >= 0.5, 1, numpy.where(share <= 0.05, 0, -1))
    parts.grams = frequent(rows, parts)
    column = lambda name: numpy.array([getattr(row, name) for row in rows])
    return Data(rows, column("source"), column("context"), column("label"), column("made"),
                column("kind"), parts, target)


def frequent(rows: list, parts: dataset.Windows) -> tuple[sparse.csr_matrix, numpy.ndarray]:
    """The n-grams of enough sources, and their places."""
    grams = parts.grams
    names, which = numpy.unique([row.source for row in rows], return_inverse=True)
    once = grams.astype("f4")
    once.data[:] = 1
    by = sparse.csr_matrix((numpy.ones(len(parts.row), "f4"),
                            (which[parts.row], numpy.arange(len(parts.row)))),
                           (len(names), len(parts.row)))
    sources = numpy.asarray(((by @ once) >= 2).sum(0)).ravel()
    places = numpy.where(sources >= FEWEST_SOURCES)[0]
    return grams[:, places].tocsr(), places


@dataclass
class Side:
    """What is learned for one scale."""

    trees: HistGradientBoostingClassifier
    words: LogisticRegression
    columns: numpy.ndarray

    def shape(self, data: Data, which: numpy.ndarray) -> numpy.ndarray:
        return self.trees.decision_function(data.parts.signals[which])

    def wording(self, data: Data, which: numpy.ndarray) -> numpy.ndarray:
        return self.words.decision_function(weighed(data.parts.grams[0][which][:, self.columns]))


def weighed(grams: sparse.csr_matrix) -> sparse.csr_matrix:
    grams = grams.astype("f4").copy()
    grams.data = numpy.log1p(grams.data)
    return normalize(grams)


def fit_side(data: Data, scale: int, train: numpy.ndarray, seed: int = 0) -> Side:
    """Learns from the parts of the rows that `train` marks."""
    pick = numpy.random.default_rng(seed)
    parts, target = data.parts, data.target
    chance = numpy.where(target == 1, 0.75, 0.35 if scale == 0 else 0.12)
    use = train[parts.row] & (target >= 0) & (parts.scale == scale)
    use = numpy.where(use & (pick.random(len(use)) < chance))[0]
    wanted = target[use]
    # Large sources count less than their size; honest text counts twice.
    key = numpy.char.add(data.source[parts.row[use]], wanted.astype(str))
    _, which, counts = numpy.unique(key, return_inverse=True, return_counts=True)
    weight = (1 / numpy.sqrt(counts))[which]
    for label in (0, 1):
        weight[wanted == label] *= len(use) / 2 / weight[wanted == label].sum()
    weight[wanted == 1] /= 2
    trees = HistGradientBoostingClassifier(
        max_iter=120, learning_rate=0.06, max_leaf_nodes=12, l2_regularization=5,
        min_samples_leaf=60, max_features=0.4, random_state=seed)
    trees.fit(parts.signals[use], wanted, sample_weight=weight)
    grams = parts.grams[0][use]
    first = words().fit(weighed(grams), wanted, sample_weight=weight)
    often = numpy.sqrt(numpy.asarray((grams > 0).sum(0)).ravel())
    columns = numpy.sort(numpy.argsort(-numpy.abs(first.coef_[0]) * often)[:KEPT])
    second = words().fit(weighed(grams[:, columns]), wanted, sample_weight=weight)
    return Side(trees, second, columns)


def words() -> LogisticRegression:
    return LogisticRegression(C=2.0, max_iter=60, tol=1e-5)


def tops(data: Data, which: numpy.ndarray, values: numpy.ndarray):
    """Per row the highest value of its parts, and the mean of the three highest."""
    highest = numpy.full(len(data.rows), EMPTY)
    mean = numpy.full(len(data.rows), EMPTY)
    row = data.parts.row[which]
    order = numpy.lexsort((-values, row))
    row, values = row[order], values[order]
    starts = numpy.flatnonzero(numpy.r_[True, row[1:] != row[:-1]]) if len(row) else []
    for start, end in zip(starts, [*starts[1:], len(row)]):
        highest[row[start]] = values[start]
        mean[row[start]] = values[start:min(end, start + 3)].mean()
    return highest, mean


def measure(data: Data, sides: list[Side], rows: numpy.ndarray) -> numpy.ndarray:
    """What a page is judged by, for the rows that are marked: thirteen values each."""
    out = []
    inside = rows[data.parts.row]
    for scale, side in enumerate(sides):
        which = numpy.where(inside & (data.parts.scale == scale))[0]
        shape, wording = side.shape(data, which), side.wording(data, which)
        for values in (shape, wording, shape + wording):
            out += tops(data, which, values)
    windows = numpy.bincount(data.parts.row[data.parts.scale == 0], minlength=len(data.rows))
    longer = numpy.maximum(0, numpy.log((1 + windows) / USUAL))
    return numpy.column_stack([*out, longer])[rows]


def left_out(data: Data) -> numpy.ndarray:
    """The same for every labelled row, by a model that saw nothing of its sources."""
    values = numpy.full((len(data.rows), VALUES), numpy.nan)
    fold = data.fold
    for number, group in enumerate(dataset.GROUPS):
        train = ~(numpy.isin(data.source, group) | numpy.isin(data.context, group))
        sides = [fit_side(data, scale, train) for scale in (0, 1)]
        values[fold == number] = measure(data, sides, fold == number)
        print(f"left out {', '.join(group)}", flush=True)
    return values
