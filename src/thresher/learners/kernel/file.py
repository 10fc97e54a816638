"""A kernel perceptron as arrays and JSON values, and back; nothing is trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.labels import Labels
from thresher.learners.kernel.functions import settled
from thresher.learners.kernel.hypotheses import Forgotten, Vectors
from thresher.learners.kernel.machine import COUNTS, KernelMachine
from thresher.learners.kernel.named_rows import NameColumns
from thresher.learners.kernel.sparse_rows import Sparse, SupportVectors

if TYPE_CHECKING:
    Arrays = dict[str, npt.NDArray[Any]]


def packed(
    machine: KernelMachine, labels: Labels, names: NameColumns
) -> tuple[Arrays, dict[str, Any]]:
    """The complete state."""
    arrays = {"c": machine.c, "square": machine.square}
    for prefix, vectors in (("", machine.now), ("past_", machine.past)):
        rows = vectors.support.rows
        arrays |= {
            prefix + "starts": rows.starts.astype(np.uint64),
            prefix + "index": rows.index.astype(np.uint64), prefix + "values": rows.values,
            prefix + "a": vectors.a.ravel(), prefix + "born": vectors.born.astype(np.uint64),
        }  # fmt: skip
    arrays["past_until"] = machine.past.until.astype(np.uint64)
    facts = {
        "counts": machine.counts, "seed": machine.seed, "order": machine.order,
        "met": machine.met, "width": machine.support.columns, "names": list(names.ids),
        "columns": names.columns, "labels": list(labels.values),
        "announced": list(labels.announced),
    }  # fmt: skip
    return arrays, facts


def unpacked(
    machine: KernelMachine, arrays: Arrays, facts: dict[str, Any]
) -> tuple[Labels, NameColumns]:
    """Fill an engine that has learned nothing."""
    counts, met = facts["counts"], facts["met"]
    if counts.keys() != set(COUNTS) or not all(
        map(_is_count, [*counts.values(), facts["seed"], *met])
    ):
        raise InvalidInput("the counts are not counts.")
    names = _names(facts)  # first: there must be a name for each column
    labels = Labels(facts["labels"], facts["announced"])
    if sorted(facts["order"]) != list(range(len(labels.values))) or len(met) != len(labels.values):
        raise InvalidInput("the labels do not fit the classes.")
    machine.counts, machine.met = dict(counts), list(met)
    machine.seed, machine.order = facts["seed"], list(facts["order"])
    machine.now = Vectors(*_vectors("", arrays, facts))
    until = arrays["past_until"].astype(np.int64)
    machine.past = Forgotten(*_vectors("past_", arrays, facts), until=until)
    c, square = arrays["c"].astype(float), arrays["square"].astype(float)
    machine.restore(c, square)
    if len(c) != machine.now.size or len(square) != machine.now.size:
        raise InvalidInput("the coefficients do not fit the support vectors.")
    if not np.isfinite([c, square]).all() or (c < 0).any():
        raise InvalidInput("a coefficient is not a finite number, or a count is below 0.")
    _check_times(machine)
    return labels, names


def _vectors(prefix: str, arrays: Arrays, facts: dict[str, Any]) -> tuple[SupportVectors, Any, Any]:
    starts, index, values, a, born = (
        arrays[prefix + name] for name in ("starts", "index", "values", "a", "born")
    )
    support = SupportVectors(_support(starts, index, values, facts["width"]))
    size, classes = support.size, len(facts["order"])
    if len(a) != size * classes or len(born) != size:
        raise InvalidInput("the coefficients do not fit the support vectors.")
    if not np.isfinite(a).all():
        raise InvalidInput("a coefficient is not a finite number.")
    return support, a.astype(float).reshape(size, classes), born.astype(np.int64)


def _check_times(machine: KernelMachine) -> None:
    """When vectors were added and dropped, as a run with this budget can have had it."""
    now, past, updates = machine.now, machine.past, machine.counts["updates"]
    if machine.budget is not None and now.size > machine.budget:
        raise InvalidInput("there are more support vectors than the budget allows.")
    come = np.diff(now.born, prepend=0)
    left = np.diff(past.until, prepend=machine.first)
    if (
        len(past.until) != past.size
        or (come <= 0).any()
        or (left <= 0).any()
        or (past.born <= 0).any()
        or (past.born >= past.until).any()
        or now.born[-1:].tolist() != [updates][: now.size]
        or past.until[-1:].max(initial=0) > updates
        or not (now.size == updates or now.size == machine.budget)
        or len({*now.born.tolist(), *past.born.tolist()}) != now.size + past.size
    ):
        raise InvalidInput("the support vectors did not come and go in the order of their numbers.")


def _names(facts: dict[str, Any]) -> NameColumns:
    names, columns = facts["names"], facts["columns"]
    if len(set(names)) != len(names) or not all(type(name) is str for name in names):
        raise InvalidInput("the names are not names.")
    if not _is_count(columns) or columns > len(names) or facts["width"] > len(names):
        raise InvalidInput("the columns do not fit the names.")
    return NameColumns(columns, names)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _support(starts: Any, index: Any, values: Any, width: Any) -> Sparse:
    if not _is_count(width) or width >= 2**31 or (len(index) and index.max() >= width):
        raise InvalidInput("the support vectors do not fit the columns.")
    rows = Sparse(starts.astype(np.int64), index.astype(np.int32), values.astype(float), width)
    if len(starts) == 0 or len(rows.values) != len(index) or not np.isfinite(rows.values).all():
        raise InvalidInput("the support vectors are not rows of numbers.")
    settled("linear", {}, False)(rows, rows.slice(0, 0))  # the core checks every cell
    return rows
