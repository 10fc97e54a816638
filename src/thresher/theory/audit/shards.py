"""The audit of a run over shards, whose models are mixed after each pass.

The bound of one run over all the data does not apply to it, and is never shown for it: shards that
do not see each other's updates make mistakes that one learner would not have made.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.errors import InvalidInput
from thresher.mixing import WAYS, mix
from thresher.options import one_of, whole
from thresher.theory.audit.additive import perceptron_lacks
from thresher.theory.audit.comparators import given_vector
from thresher.theory.audit.result import Audit, Row, RunCounts
from thresher.theory.audit.theorem import fails
from thresher.theory.bounds import Assumption, Bound, mixed_by_mean, mixed_by_occurrence
from thresher.theory.separation import Separable, separability
from thresher.theory.signed import signs


def audit_shards(
    learner: Any,
    shards: Sequence[tuple[Any, Any]],
    *,
    passes: int = 3,
    how: str = "occurrence",
    comparator: Any = "auto",
) -> Audit:
    """Run a learner on shards in passes, mix after each, and compare all mistakes with the bound.

    `shards` are pairs (X, y); a feature occurs in a shard if one of its rows is not 0 there. The
    comparator u is by default the separator of largest margin of all the data; or a trained
    linear model, or weights of your own (with the intercept last).

    >>> from thresher import Perceptron
    >>> from thresher.theory.audit import audit_shards
    >>> shards = [([[2.0, 0.0], [-1.0, 0.0]], [1, 0]), ([[0.0, 1.0], [0.0, -2.0]], [1, 0])]
    >>> found = audit_shards(Perceptron(fit_intercept=False), shards)
    >>> row = found["mixing by occurrence"]
    >>> row.applies, row.figure, round(row.value, 6)
    (True, 2, 8.0)
    """
    passes = whole("passes", passes, least=1)
    one_of("how", how, WAYS)
    if not shards:
        raise InvalidInput("no shards; expected at least one pair (X, y).")
    tables = [np.asarray(X, dtype=float) for X, _ in shards]
    y = np.concatenate([np.asarray(labels) for _, labels in shards])
    sign, classes = signs(y)
    X = np.vstack(tables)
    bias = bool(getattr(learner, "fit_intercept", True))
    scaling = float(getattr(learner, "intercept_scaling", 1.0))
    whole_rows = np.column_stack([X, np.full(len(X), scaling)]) if bias else X
    counts = _run(learner, tables, [np.asarray(labels) for _, labels in shards], passes, how)
    found = separability(X * 1.0, y, fit_intercept=bias) if scaling == 1.0 else None
    u, origin = _comparator(comparator, found, whole_rows.shape[1], bias, scaling)
    n = np.array([sum(bool((table[:, j] != 0).any()) for table in tables)
                  for j in range(X.shape[1])] + [len(shards)] * bias, float)  # fmt: skip
    R = float(np.linalg.norm(whole_rows, axis=1).max())
    gamma = float((sign * (whole_rows @ u)).min()) if u is not None else 0.0
    spread = float(n @ (u * u)) if u is not None else float(len(shards))
    row = mixed_row(learner, counts, how, R, gamma, spread, origin, len(classes), len(shards))
    separable = found.separable if found is not None else None
    return Audit(
        repr(learner), counts, passes, classes, R, float(np.abs(whole_rows).max()), (origin,),
        found, separable, "" if found is None else str(found), (row,),
        notes=(f"{len(shards)} shards, mixed by {how}: the bounds of one run over all the data do "
               "not apply",),
    )  # fmt: skip


def _run(learner: Any, tables: list[Any], labels: list[Any], passes: int, how: str) -> RunCounts:
    base = None
    examples = mistakes = updates = 0
    fresh = learner.fresh()
    for _ in range(passes):
        parts = []
        for table, truth in zip(tables, labels, strict=True):
            part = fresh.fresh() if base is None else copy.copy(base)
            for x, label in zip(table.tolist(), truth.tolist(), strict=True):
                part.learn_one({f"x{j}": v for j, v in enumerate(x) if v != 0.0}, label)
            parts.append(part)
        before = (0, 0, 0) if base is None else (base.examples_, base.mistakes_, base.updates_)
        for part in parts:
            examples += part.examples_ - before[0]
            mistakes += part.mistakes_ - before[1]
            updates += part.updates_ - before[2]
        base = mix(parts, base=base, how=how) if len(parts) > 1 else parts[0]
    return RunCounts(examples, mistakes, updates, "a replay over all shards")


def _comparator(
    given: Any, found: Any, columns: int, bias: bool, scaling: float
) -> tuple[Any, str]:
    if not isinstance(given, str):
        u = given_vector(given, columns, bias, scaling)
        return u / np.linalg.norm(u), "the comparator given"
    if given != "auto":
        raise InvalidInput(f"comparator is {given!r}; expected 'auto', a model, or weights.")
    if isinstance(found, Separable):
        u = np.append(found.weights, found.intercept) if bias else found.weights
        return u / np.linalg.norm(u), "the separator of largest margin"
    return None, "none"


def mixed_row(
    learner: Any, counts: RunCounts, how: str, R: float, gamma: float, spread: float,
    origin: str, classes: int, shards: int,
) -> Row:  # fmt: skip
    """The theorem of a mixed run; `spread` is Σ_j n_j·u_j². Without a separator it does not apply,
    and `gamma` is not above 0."""
    usable = gamma if gamma > 0.0 else 1.0
    bound: Bound = (
        mixed_by_occurrence(R, usable, spread) if how == "occurrence"
        else mixed_by_mean(R, usable, shards)
    )  # fmt: skip
    lacks: list[Assumption] = []
    if (lack := perceptron_lacks(learner, classes)) is not None:
        lacks.append(lack)
    elif learner.margin != 0.0:
        lacks.append(fails("an update exactly when y·(w·x) ≤ 0", f"margin={learner.margin}"))
    if not gamma > 0.0:
        lacks.append(
            fails("y·(u·x) ≥ γ > 0", "no such u is known" if origin == "none" else f"{gamma:.3g}")
        )
    bound = replace(bound, assumptions=(*bound.assumptions, *lacks))
    return Row(bound, "mistakes", counts.mistakes, origin)
