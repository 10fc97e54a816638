"""A classifier whose examples may have sets of labels, with the option `multi_label`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from thresher._core import Model
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.answers import BatchAnswers
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.examples import Rows, refuse_none
from thresher.learners.base.labels import Labels
from thresher.learners.base.learner import Floats
from thresher.learners.base.weights import sample_weights
from thresher.options import finite, flag_of

if TYPE_CHECKING:
    from thresher.data.reader import Batch

SETS = (set, frozenset, list, tuple)


def is_label_set(y: Any) -> bool:
    return isinstance(y, SETS)


class LabelSets(OnlineClassifier):
    """With `multi_label`, y holds sets; without, it is a classifier like the others."""

    def _shared(self, labels: list[Any]) -> list[Any]:
        # As tuples the core does not take them for single labels.
        return [(v,) for v in labels] if self.multi_label else list(labels)

    def _checked_set(self, y: Any, where: str = "") -> list[Any]:
        """The labels of one example, each once."""
        if not flag_of("multi_label", self.multi_label):
            raise InvalidInput(
                f"{where}y is {y!r}, a set of labels, but this {type(self).__name__} was begun "
                "with multi_label=False; expected one label. For sets pass multi_label=True."
            )
        if not is_label_set(y):
            raise InvalidInput(
                f"{where}y is {y!r}; with multi_label=True expected a set, list or tuple of labels."
            )
        return sorted(set(y)) if isinstance(y, (set, frozenset)) else list(dict.fromkeys(y))

    # -- arrays

    def _encoded(
        self, y: Any, rows: int, weights: Floats | None, classes: Iterable[Any] | None = None
    ) -> tuple[Any, Labels]:
        if not self.multi_label:
            if isinstance(y, (list, tuple)) and y and is_label_set(y[0]):
                self._checked_set(y[0], "row 0: ")
            return super()._encoded(y, rows, weights, classes)
        if y is None or len(y) != rows:
            found = "None" if y is None else f"{len(y)} of them"
            raise InvalidInput(
                f"X has {rows} rows; expected a set of labels for each, got {found}."
            )
        labels = self._labels.copy()
        if classes is not None:
            labels.announce(classes)
        starts, codes = [0], []
        for row, given in enumerate(y):
            chosen = self._checked_set(given, f"row {row}: ")
            if weights is None or weights[row] > 0:
                labels.add(chosen)
                codes += [labels.codes[label] for label in Labels(chosen).values]
            starts.append(len(codes))
        return (np.array(starts, np.int64), np.array(codes, np.int32)), labels

    def _pass(self, model: Model, rows: Rows, **lesson: Any) -> None:
        if self.multi_label:
            lesson["starts"], lesson["codes"] = lesson["codes"]
        super()._pass(model, rows, **lesson)

    def predict(self, X: Any) -> Any:
        """The label of each row, as an array; with `multi_label` its set of labels, as a list."""
        if not self.multi_label:
            return super().predict(X)
        model, rows = self._question(X)
        return [self._chosen(scores, model) for scores in model.decision(rows.core, targets=True)]

    def decision_function(self, X: Any) -> Floats:
        """As for any classifier; with `multi_label` a score for each label, ≥ 0 if it is chosen."""
        if not self.multi_label:
            return super().decision_function(X)
        model, rows = self._question(X)
        return self._by_label(model.decision(rows.core, targets=True), -np.inf, model)

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of rows whose label, or exact set of labels, is predicted."""
        if not self.multi_label:
            return super().score(X, y, sample_weight)
        right = [p == set(self._checked_set(t)) for p, t in zip(self.predict(X), y, strict=True)]
        return float(np.average(right, weights=sample_weights(sample_weight, len(right))))

    def _probabilities(self, X: Any) -> Floats:
        if not self.multi_label:
            return super()._probabilities(X)
        model, rows = self._question(X)
        scores = model.decision(rows.core, targets=True)
        return self._by_label(model.probabilities(scores, targets=True), 0.0, model)

    # -- files

    def label_codes(self, batch: Batch) -> tuple[list[int], list[int]]:
        if not self.multi_label:
            return super().label_codes(batch)
        from thresher.data.reader import label_set_of

        codes, starts = list[int](), [0]
        texts = batch.core.label_texts
        for number, text in enumerate(texts):
            try:
                chosen = sorted(
                    label_set_of(text), key=lambda label: (isinstance(label, str), label)
                )
                self._labels.add(chosen)
            except InvalidInput as error:
                batch.refuse_label(number, error)
                codes += [-1] * (len(texts) - number)
                starts += range(starts[-1] + 1, len(codes) + 1)
                break
            codes += [self._labels.codes[label] for label in Labels(chosen).values]
            starts.append(len(codes))
        self._share_labels(self._learned())
        return codes, starts

    def predict_batch(self, batch: Batch) -> list[Any]:
        """The label, or the set of labels, predicted for each example of a batch."""
        found = self.answers(batch).predicted if self.multi_label else super().predict_batch(batch)
        return list(found)

    def answers(self, batch: Batch) -> BatchAnswers:
        """As of any classifier; with `multi_label` sets, and a score for each label."""
        if not self.multi_label:
            return super().answers(batch)
        model = self._learned()
        raw = self._scores_of(batch, targets=True, model=model)
        predicted = [self._chosen(scores, model) for scores in raw]
        scores = self._by_label(raw, -np.inf, model)
        if not self.calibrate:
            return BatchAnswers(predicted, scores)
        p = model.probabilities(raw, targets=True)
        return BatchAnswers(predicted, scores, self._by_label(p, 0.0, model))

    # -- one example

    def _learn_set(self, x: Any, y: Any, sample_weight: float, audit: str | None) -> None:
        chosen = self._checked_set(y)
        refuse_none(x)
        weight = finite("sample_weight", sample_weight)
        with self._turn():
            started = self._started()
            started.keep_audit(audit)
            labels = started._labels.copy()
            labels.add(chosen)
            codes = [labels.codes[label] for label in Labels(chosen).values]
            with started._bringing(labels):
                started._learned().learn_one_set(x, codes, weight)
            if started is not self:
                self._take(started)

    def _chosen(self, scores: Any, model: Model | None = None) -> set[Any]:
        _, met = self._met(len(scores), model)
        return {met[k] for k, score in enumerate(scores) if score >= 0.0}

    def predict_one(self, x: Any) -> Any:
        """The label of one example by name, or its set of labels; None (or an empty set)
        before anything was learned."""
        if not self.multi_label:
            return super().predict_one(x)
        refuse_none(x)
        model = self._model
        return set() if model is None else self._chosen(model.target_scores_one(x), model)

    def score_one(self, x: Any) -> Any:
        """The score of one example: a number for two classes, one for each label for more."""
        if not self.multi_label:
            return super().score_one(x)
        refuse_none(x)
        model = self._learned()
        scores = model.target_scores_one(x)
        return dict(zip(self._met(len(scores), model)[1], scores, strict=False))

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label (``calibrate=True``)."""
        model = self._model
        if not self.multi_label or model is None:
            return super().predict_proba_one(x)
        self._check_calibrated(NotImplementedError)
        refuse_none(x)
        scores = model.target_scores_one(x)
        p = model.probabilities(np.array([scores]), targets=True)[0]
        return dict(zip(self._met(len(scores), model)[1], p.tolist(), strict=False))
