"""A kernel perceptron as arrays and JSON values, and back; nothing is taken on trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.learners.kernel_machine import COUNTS, Machine
from thresher.learners.kernels import settled
from thresher.learners.labels import Labels
from thresher.learners.named_rows import Names
from thresher.learners.sparse_rows import Sparse, Support

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[Any]]
else:
    from thresher.lazy import np


def packed(machine: Machine, labels: Labels, names: Names) -> tuple[Arrays, dict[str, Any]]:
    """All that there is to know."""
    rows = machine.support.rows
    arrays = {
        "starts": rows.starts.astype(np.uint64), "index": rows.index.astype(np.uint64),
        "values": rows.values, "a": machine.a.ravel(), "c": machine.c, "square": machine.square,
    }  # fmt: skip
    facts = {
        "counts": machine.counts, "clock": machine.clock.hex(), "seed": machine.seed,
        "order": machine.order, "width": rows.columns, "names": list(names.ids),
        "columns": names.columns, "labels": list(labels.values),
        "announced": list(labels.announced),
    }  # fmt: skip
    return arrays, facts


def unpacked(machine: Machine, arrays: Arrays, facts: dict[str, Any]) -> tuple[Labels, Names]:
    """Fill an engine that has learned nothing."""
    machine.support = Support(_support(arrays, facts["width"]))
    size, classes = machine.support.size, len(facts["order"])
    labels = Labels(facts["labels"], facts["announced"])
    if sorted(facts["order"]) != list(range(len(labels.values))):
        raise InvalidInput("the labels do not fit the classes.")
    a, c, square = arrays["a"], arrays["c"], arrays["square"]
    if len(a) != size * classes or len(c) != size or len(square) != size:
        raise InvalidInput("the coefficients do not fit the support vectors.")
    clock = float.fromhex(facts["clock"])
    reals = np.concatenate([a, c, square, [clock]])
    if not np.isfinite(reals).all() or (c < 0).any() or clock < 0:
        raise InvalidInput("a coefficient is not a finite number, or a count is below 0.")
    if machine.budget is not None and size > machine.budget:
        raise InvalidInput("there are more support vectors than the budget allows.")
    counts = facts["counts"]
    if counts.keys() != set(COUNTS) or not all(map(_is_count, [*counts.values(), facts["seed"]])):
        raise InvalidInput("the counts are not counts.")
    machine.counts, machine.clock = dict(counts), clock
    machine.seed, machine.order = facts["seed"], list(facts["order"])
    machine.restore(a.reshape(size, classes), c, square)
    return labels, _names(facts)


def _names(facts: dict[str, Any]) -> Names:
    names, columns = facts["names"], facts["columns"]
    if len(set(names)) != len(names) or not all(type(name) is str for name in names):
        raise InvalidInput("the names are not names.")
    if not _is_count(columns) or columns > len(names) or facts["width"] > len(names):
        raise InvalidInput("the columns do not fit the names.")
    return Names(columns, names)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _support(arrays: dict[str, npt.NDArray[Any]], width: Any) -> Sparse:
    starts, index = arrays["starts"], arrays["index"]
    if not _is_count(width) or width >= 2**31 or (len(index) and index.max() >= width):
        raise InvalidInput("the support vectors do not fit the columns.")
    rows = Sparse(
        starts.astype(np.int64), index.astype(np.int32), arrays["values"].astype(float), width
    )
    if len(starts) == 0 or len(rows.values) != len(index) or not np.isfinite(rows.values).all():
        raise InvalidInput("the support vectors are not rows of numbers.")
    settled("linear", {}, False)(rows, rows.slice(0, 0))  # the core looks at every place
    return rows
