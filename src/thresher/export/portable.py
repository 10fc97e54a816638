"""A linear model as plain numbers: what every export is made of.

    score = intercept + Σ weight · x        of each class; one for two classes, or for a number

With `unit` the features are scaled and their vector has the length 1 before they are weighed. Other
scaling is part of weights and intercept already. Of two classes the second is predicted where the
score is at least `threshold`; of more, the first of those with the largest score. A number is
clipped to `bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.learner import Learner
from thresher.learners.experts import Committee
from thresher.prepare import steps_of

if TYPE_CHECKING:
    Floats = npt.NDArray[np.float64]

PROBES = 32  # examples on which an export is compared with its model
CLOSE = 1e-9


@dataclass(frozen=True)
class Portable:
    """All that a prediction depends on."""

    learner: str
    classes: list[Any] | None  # None: it predicts numbers
    names: list[str]
    weights: Floats  # a row for each class; a single one for two classes or a number
    intercepts: Floats
    threshold: float = 0.0
    unit: bool = False
    scale: Floats | None = None  # of each feature, before the length becomes 1
    bounds: tuple[float, float] | None = None
    recipe: ReadingOptions = field(default_factory=ReadingOptions)

    def scores(self, X: Floats) -> Floats:
        """A row for each row of X, a column for each score."""
        if self.unit:
            X = X if self.scale is None else X * self.scale
            length = np.sqrt((X * X).sum(axis=1, keepdims=True))
            X = np.divide(X, length, out=np.zeros_like(X), where=length > 0)
        return np.asarray(X @ self.weights.T + self.intercepts)

    def predict(self, X: Floats) -> list[Any]:
        """The label or number of each row."""
        scores = self.scores(X)
        if self.classes is None:
            numbers = scores[:, 0] if self.bounds is None else np.clip(scores[:, 0], *self.bounds)
            return list(numbers.tolist())
        if len(self.classes) <= 2:
            chosen = (scores[:, 0] >= self.threshold).astype(int) * (len(self.classes) - 1)
        else:
            chosen = scores.argmax(axis=1)
        return [self.classes[i] for i in chosen]


def portable(learner: Any) -> Portable:
    """The numbers of a learner; refused, with the reason, if it is more than these."""
    model = _weights_of(learner)
    reading = learner.reading_ or ReadingOptions()
    if reading.hash_bits:
        raise InvalidInput(
            "this model has hashed the names of its features (hash_bits), and so has none to "
            "export; train it without."
        )
    if learner.clip:
        raise InvalidInput("this model clips values to [0, 1] (clip=True), which exports do not.")
    weights, intercepts = np.atleast_2d(learner.coef_), np.atleast_1d(learner.intercept_)
    classes = None
    if learner.task == "classify":
        classes = learner.classes_.tolist()
        if len(learner.learned_labels()) < len(classes):
            raise InvalidInput("some classes were announced and never learned; learn them first.")
        if learner.multi_label:
            raise InvalidInput("this model predicts sets of labels; only single ones are exported.")
    unit, scale = _prepared(learner, model, weights.shape[1])
    names = list(learner.feature_names()) or [f"x{i}" for i in range(weights.shape[1])]
    threshold = 0.0
    if classes is not None and len(classes) == 2 and learner.threshold is not None:
        threshold = learner.threshold_
    found = Portable(
        repr(learner), classes, names, weights, intercepts, threshold, unit, scale,
        _bounds(learner, model), reading,
    )  # fmt: skip
    _compare(found, learner, model)
    return found


def _weights_of(learner: Any) -> Any:
    if isinstance(learner, Committee):
        raise InvalidInput(
            f"{type(learner).__name__} is many learners that vote, and not one linear model. "
            "Export its best member, model.best_; from the command line, train that one: "
            "`thresher inspect` names it."
        )
    if not isinstance(learner, Learner):
        raise InvalidInput(f"{type(learner).__name__} has no weights; only linear models export.")
    if learner._model is None:
        raise InvalidInput("this model has learned nothing yet.")
    return learner._learned()


def _bounds(learner: Any, model: Any) -> tuple[float, float] | None:
    """The range of the targets, if predictions are clipped to it."""
    if learner.task != "regress" or not learner.get_params().get("clip_predictions"):
        return None
    reals = model.state()["reals"]
    low, high = reals.get("targets.low", -np.inf), reals.get("targets.high", np.inf)
    return (low, high) if low <= high and abs(low) < 1e300 > abs(high) else None


def _prepared(learner: Any, model: Any, features: int) -> tuple[bool, Floats | None]:
    """Whether examples get the length 1, and by what each feature is multiplied before."""
    kinds = [step.kind for step in steps_of(learner.prepare)]
    for kind in kinds:
        if kind not in SCALING and kind != "unit":
            raise InvalidInput(
                f"prepare={learner.prepare!r}: {kind} makes features of several others, which "
                "exports do not hold; those of standard, minmax, maxabs, idf and unit do."
            )
    if "unit" not in kinds:  # the weights are those of the features before they are scaled
        return False, None
    if kinds == ["unit"]:
        return True, None
    if kinds not in (["idf", "unit"], ["maxabs", "unit"]):
        raise InvalidInput(
            f"prepare={learner.prepare!r}: before unit, exports hold one step, idf or maxabs."
        )
    return True, _factors(model, kinds[0], features)


SCALING = ("standard", "minmax", "maxabs", "idf")


def _factors(model: Any, kind: str, features: int) -> Floats:
    """By what core/prepare/scale.hpp multiplies each feature."""
    state = model.state()
    seen = np.frombuffer(state["arrays"]["prepare.step0.seen"]).reshape(-1, 3)
    n = float(state["counts"]["prepare.step0.examples"])
    count, largest = seen[:, 0], seen[:, 1]
    factors = np.zeros(features)
    with np.errstate(divide="ignore"):
        found = (
            1.0 / largest if kind == "maxabs" else 1.0 + np.log((1.0 + n) / (1.0 + count))
        )  # fmt: skip
    factors[: len(seen)] = np.where((count > 0) & np.isfinite(found), found, 0.0)
    return factors


def _compare(found: Portable, learner: Any, model: Any) -> None:
    """The scores of some examples, as the model and as its numbers give them."""
    n, rng = len(found.names), np.random.default_rng(0)
    each = min(n, 8)
    index = np.sort(
        np.stack([rng.choice(n, each, replace=False) for _ in range(PROBES)]), axis=1
    ).astype(np.int32)
    values = rng.uniform(0.0, 1.0, index.shape)  # a range that every learner takes
    core = (np.arange(PROBES + 1, dtype=np.int64) * each, index.ravel(), values.ravel(), n)
    scores = model.decision(core)
    if found.bounds is not None:  # it clips predictions
        scores = np.clip(scores, *found.bounds)
    if found.classes is not None and len(found.classes) > 2:
        scores = learner._columns(
            scores, absent=-np.inf, split=lambda s: (-s / 2, s / 2), model=model
        )
    if found.unit or n <= 4096:
        dense = np.zeros((PROBES, n))
        np.put_along_axis(dense, index.astype(np.int64), values, axis=1)
        own = found.scores(dense)
    else:  # without a matrix of all features
        own = np.einsum("pj,kpj->pk", values, found.weights[:, index]) + found.intercepts
    if found.bounds is not None:
        own = np.clip(own, *found.bounds)
    size = 1.0 + np.abs(scores)
    if not (np.abs(own - scores) <= CLOSE * size).all():
        raise InvalidInput(
            f"{type(learner).__name__} does more with an example than to weigh its features (it "
            "clips or bends them); exports hold linear models alone."
        )
