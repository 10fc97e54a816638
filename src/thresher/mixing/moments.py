"""Learners whose weights are computed from sums over examples: sums of parts are those of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thresher._core import Triangle
from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.learners.base.learner import Floats, Learner
from thresher.learners.base.starting import matrix_of, meet_labels, put
from thresher.mixing.parts import Aligned, Parts


def _refuse_base(parts: Parts) -> None:
    if parts.base is not None:
        raise InvalidInput(
            f"{type(parts.first).__name__} adds up what its models have seen, and would count what "
            "a base has seen once for each; expected models that started from nothing, and the "
            "base, if any, as one of them."
        )


def _wider(old: Floats, rows: int) -> Floats:
    return np.vstack([old, np.zeros((max(0, rows - len(old)), old.shape[1]))])


def _finished(parts: Parts, made: Learner, state: dict[str, Any], counts: Any) -> Learner:
    parts.put_names(state, counts)
    made._begin_from(state)
    made.epochs_, made.converged_ = 1, False
    return made


def _name_counts(so_far: Any, part: Aligned) -> Any:
    seen = np.frombuffer(part.state["name_counts"], np.uint8).astype(np.int64)
    return so_far if not len(seen) else seen + (0 if so_far is None else so_far)


def _places(parts: Parts, part: Aligned) -> list[int]:
    """The place of each of its classes, in its order."""
    counts = part.state["counts"]
    return [part.codes[counts[f"class{i}"]] for i in range(counts["classes"])]


def mix_naive_bayes(parts: Parts) -> Learner:
    """Counts add up: bit for bit what one run has counted, if the counts are whole numbers."""
    _refuse_base(parts)
    classes = len(parts.labels)
    cells = np.zeros((1, classes))
    seen, totals = np.zeros(classes), np.zeros(classes)
    sums = {"examples": 0, "mistakes": 0}
    names = None
    for learner in parts:
        part = parts.aligned(learner)
        places = _places(parts, part)
        cells = _wider(cells, int(part.rows.max(initial=-1)) + 2)
        rows = np.r_[0, part.rows + 1]
        cells[np.ix_(rows, places)] += matrix_of(part.state, "counts")
        for total, name in ((seen, "seen"), (totals, "totals")):
            total[places] += np.frombuffer(part.state["arrays"][name])
        for name in sums:
            sums[name] += part.state["counts"][name]
        names = _name_counts(names, part)
    made = parts.made()
    state = made._learned().state()
    _meet(state, made)
    put(state, "counts", cells)
    state["arrays"] |= {"seen": seen.tobytes(), "totals": totals.tobytes()}
    state["counts"] |= sums
    return _finished(parts, made, state, names)


def mix_lda(parts: Parts) -> Learner:
    """The rows of all triangles, and for each class one for the distance of its means (Chan, Golub
    & LeVeque 1979)."""
    _refuse_base(parts)
    classes = len(parts.labels)
    found = [parts.aligned(learner) for learner in parts]
    width = max(int(part.rows.max(initial=-1)) + 1 for part in found)
    triangle = Triangle(width)
    means, masses = np.zeros((classes, width)), np.zeros(classes)
    for part in found:
        arrays = part.state["arrays"]
        triangle.stack(arrays["triangle.cells"], part.rows)
        new = np.frombuffer(arrays["masses"])
        for i, k in enumerate(_places(parts, part)):
            mean = np.zeros(width)
            mean[part.rows] = np.frombuffer(arrays[f"means{i}"])
            means[k], masses[k] = _joined(triangle, means[k], masses[k], mean, float(new[i]))
    made = parts.made()
    state = made._learned().state()
    _meet(state, made)
    state["arrays"] |= {f"means{k}": means[k].tobytes() for k in range(classes)}
    state["arrays"]["masses"] = masses.tobytes()
    _put_triangle(state, triangle, width)
    state["counts"]["examples"] = sum(part.state["counts"]["examples"] for part in found)
    return _finished(parts, made, state, None)


def mix_least_squares(parts: Parts) -> Learner:
    """The same for one mean, of the target and the features together."""
    _refuse_base(parts)
    options = parts.first.get_params(deep=False)
    if options["forgetting"] != 1.0:
        raise InvalidInput(
            f"RecursiveLeastSquares has forgetting={options['forgetting']}, by which what was seen "
            "before counts less, and no part was seen before another; expected forgetting=1."
        )
    if options["l2"] and not options["standardized"] and len(parts) > 1:
        raise InvalidInput(
            f"RecursiveLeastSquares has l2={options['l2']}, a penalty that each part has counted "
            "once; expected l2=0, or standardized=True, which adds it at the end."
        )
    found = [parts.aligned(learner) for learner in parts]
    width = max(int(part.rows.max(initial=-1)) + 1 for part in found) + 1
    triangle = Triangle(width)
    means, mass = np.zeros(width), 0.0
    for part in found:
        arrays, columns = part.state["arrays"], np.r_[0, part.rows + 1]
        triangle.stack(arrays["triangle.cells"], columns)
        mean, new = np.zeros(width), part.state["reals"]["mass"]
        mean[columns] = np.frombuffer(arrays["means"])
        if options["fit_intercept"]:
            means, mass = _joined(triangle, means, mass, mean, new)
        else:
            mass += new
    made = parts.made()
    state = made._learned().state()
    state["arrays"]["means"] = means.tobytes()
    reals = state["reals"]
    reals["mass"] = mass
    reals["prior"] = found[0].state["reals"]["prior"]
    reals["targets.low"] = min(part.state["reals"]["targets.low"] for part in found)
    reals["targets.high"] = max(part.state["reals"]["targets.high"] for part in found)
    _put_triangle(state, triangle, width)
    state["counts"]["examples"] = sum(part.state["counts"]["examples"] for part in found)
    return _finished(parts, made, state, None)


def _joined(
    triangle: Triangle, mean: Floats, mass: float, other: Floats, new: float
) -> tuple[Floats, float]:
    """The mean of both, whose distance is a row of the triangle."""
    total = mass + new
    if mass > 0.0:
        triangle.add((mass / total * new) ** 0.5 * (other - mean))
    return mean + new / total * (other - mean), total


def _put_triangle(state: dict[str, Any], triangle: Triangle, width: int) -> None:
    cells, sizes = triangle.state()
    state["arrays"] |= {"triangle.cells": cells, "triangle.sizes": sizes}
    state["counts"]["triangle.columns"] = width


def _meet(state: dict[str, Any], made: Learner) -> None:
    readings = state["counts"].get("readings")
    meet_labels(state, made._labels.ranks if made._labels is not None else [])
    if readings is None:
        del state["counts"]["readings"]


EXACT: dict[str, Callable[[Parts], Learner]] = {
    "naive-bayes": mix_naive_bayes,
    "lda": mix_lda,
    "least-squares": mix_least_squares,
}
