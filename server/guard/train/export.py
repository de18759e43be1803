"""Writes the weights in the form that `src/classifier/model.rs` reads."""

import struct

import numpy

import model

LEAF = 0xFFFF


def side(out: bytearray, learned: model.Side, places: numpy.ndarray) -> None:
    trees = [stage[0].nodes for stage in learned.trees._predictors]
    out += struct.pack("<fII", float(learned.trees._baseline_prediction.ravel()[0]), len(trees),
                       sum(map(len, trees)))
    first = 0
    for nodes in trees:
        out += struct.pack("<I", first)
        first += len(nodes)
    for nodes in trees:
        for node in nodes:
            if node["is_leaf"]:
                out += struct.pack("<HHHHf", LEAF, 0, 0, 0, node["value"])
            else:
                # The largest number of this width that is not above the threshold.
                at = numpy.float32(node["num_threshold"])
                if at > node["num_threshold"]:
                    at = numpy.nextafter(at, numpy.float32(-numpy.inf))
                out += struct.pack("<HHHHf", node["feature_idx"], node["left"], node["right"], 0, at)
    weights = learned.words.coef_[0]
    unit = float(numpy.abs(weights).max()) / 127
    small = numpy.round(weights / unit).astype("i1")
    columns = places[learned.columns][small != 0]
    small = small[small != 0]
    out += struct.pack("<ffI", float(learned.words.intercept_[0]), unit, len(columns))
    out += columns.astype("<u4").tobytes() + small.tobytes()
    out += bytes(-len(out) % 4)


def weights(sides: list[model.Side], places: numpy.ndarray, page: numpy.ndarray) -> bytes:
    """`page` is the base and the weights of the thirteen values."""
    out = bytearray(b"BGM2")
    for learned in sides:
        side(out, learned, places)
    out += page.astype("<f4").tobytes()
    return bytes(out)
