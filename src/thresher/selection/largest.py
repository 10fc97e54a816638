"""A model cut down to its largest weights."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.learners.base.classifier import Classifier
from thresher.learners.base.learner import Floats
from thresher.learners.linear.perceptron import TruncatedPerceptron
from thresher.options import whole
from thresher.prepare import are_bent


def keep_largest(model: Classifier, k: int) -> TruncatedPerceptron:
    """The weights of any linear classifier, all but the k of largest magnitude set to 0.

    Weights are those that predict: averaged, if the model averages. On a tie the first feature
    stays. From three classes on each class keeps its own k. The result is a
    `TruncatedPerceptron` with ``keep=k`` that predicts with these weights, can be saved, and can
    continue learning within the same budget. A model of named features forgets the names without
    weights, so its file is small as well. Probabilities are not kept.

    Weights are compared as they are: if features have different scales, scale them first. A weight
    of `Winnow` is relative to its threshold, which does not change. Bernoulli's `NaiveBayes` takes
    any value but 0 for 1; a cut model does not, so give it bits.

    Examples
    --------
    >>> from thresher import Perceptron
    >>> from thresher.selection import keep_largest
    >>> model = Perceptron(average=False, max_epochs=None).fit(
    ...     [[2, 1, 0], [0, 1, 2], [2, 0, 1], [0, 0, 2]], ["a", "b", "a", "b"]
    ... )
    >>> model.coef_.tolist(), keep_largest(model, 1).coef_.tolist()
    ([[-2.0, 0.0, 2.0]], [[-2.0, 0.0, 0.0]])
    """
    k = whole("k", k, 1)
    if not isinstance(model, Classifier) or getattr(model, "multi_label", False):
        raise InvalidInput(
            f"{model!r} is not a linear classifier of one label; expected one such as Perceptron, "
            "Winnow, AROW or LogisticRegression that has learned."
        )
    prepare = getattr(model, "prepare", None)
    if are_bent(prepare):
        raise InvalidInput(
            f"prepare={prepare!r} makes other features of the given ones, and the weights "
            "are theirs; expected a model without it: transform the rows by thresher.features "
            "first."
        )
    core, met = model._met()
    if len(met) < 2:
        raise InvalidInput(
            f"this {type(model).__name__} has met {len(met)} label(s); expected 2 or more: a lone "
            "label has no weights to choose from."
        )
    cut = TruncatedPerceptron(keep=k)
    cut.reading_, cut._width = model.reading_, model._width
    cut._column_names = model._column_names
    weights, kept = _truncated(core.weights(), k)
    begun = cut._begin()
    begun.grow(weights.shape[1])
    state = begun.state()
    if core.named:
        names, used = core.names(), np.arange(weights.shape[1])
        if model._width is None:
            used = np.unique(np.concatenate(kept))
        places = np.zeros(weights.shape[1], np.intp)
        places[used] = np.arange(len(used))
        weights, kept = weights[:, used], [places[order] for order in kept]
        encoded = [names[i].encode() for i in used]
        state["names"] = b"".join(encoded)
        state["name_ends"] = np.cumsum([len(name) for name in encoded], dtype=np.uint64).tobytes()
    cells = np.vstack([core.constants(), weights.T])
    counts: dict[str, Any] = {
        "classes": len(met),
        "positive": core.positive(),
        "readings": 1,
        "reading0.geometry.w.rows": len(cells),
        "reading0.geometry.w.columns": len(kept),
        "reading0.geometry.w.stride": len(kept),
    }
    counts |= {f"class{place}": code for place, code in enumerate(core.order())}
    counts |= {f"reading0.{name}": core.counters()[name] for name in ("mistakes", "updates")}
    counts |= {f"reading0.geometry.kept{c}.count": len(order) for c, order in enumerate(kept)}
    arrays = {f"reading0.geometry.kept{c}": order.astype(float) for c, order in enumerate(kept)}
    arrays["reading0.geometry.w.cells"] = np.ascontiguousarray(cells, dtype=np.float64)
    state["counts"] |= counts
    state["arrays"] |= {name: array.tobytes() for name, array in arrays.items()}
    state["reals"]["reading0.examples"] = float(core.counters()["examples"])
    cut._labels = model._labels.copy()
    cut._begin_from(state)
    cut.epochs_, cut.converged_ = getattr(model, "epochs_", 0), False
    return cut


def _truncated(weights: Floats, k: int) -> tuple[Floats, list[Any]]:
    """The k largest of each row, the rest 0; and which they are, largest first."""
    out, kept = np.zeros_like(weights), []
    for row, into in zip(weights, out, strict=True):
        best = np.argsort(-np.abs(row), kind="stable")[:k]
        best = best[row[best] != 0.0]
        into[best] = row[best]
        kept.append(best)
    return out, kept
