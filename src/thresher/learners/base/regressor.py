"""Regressors: a number to predict."""

from __future__ import annotations

from typing import Any, Self, Unpack

from thresher.errors import DivergenceError, InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.classifier import _only
from thresher.learners.base.examples import as_floats, contiguous, doubt_texts, refuse_none
from thresher.learners.base.labels import column
from thresher.learners.base.learner import FitOptions, Floats, native
from thresher.learners.base.one_by_one import FromJson, PredictThenLearn
from thresher.learners.base.online import Online
from thresher.learners.base.weights import fit_weights, sample_weights
from thresher.options import finite


class OnlineRegressor(Online, FromJson):
    """A regressor that learns from a stream."""

    task = "regress"

    def _targets(self, y: Any, rows: int) -> Floats:
        values = as_floats(column(y, rows, type(self).__name__), "y")
        targets = contiguous(values, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(targets))
        if len(bad):
            raise InvalidInput(f"Input y contains NaN or inf: row {bad[0]} is {targets[bad[0]]}.")
        return targets

    def _lesson(self, y: Any, rows: int, weights: Floats | None) -> dict[str, Any]:
        return {"codes": None, "targets": self._targets(y, rows), "weights": weights}

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Self:
        """Learn from an array: `max_epochs` passes, or fewer if nothing changes. From scratch,
        unless ``warm_start`` is set.

        `sample_weight` may give each row an importance. `coef_init` and `intercept_init`, of
        learners that add to their weights, are the initial weights instead of 0.
        """
        rows = self._rows(X)
        given = _only(options, "sample_weight", "coef_init", "intercept_init")
        weights = fit_weights(given, rows.size)
        fresh = self._begun(options)
        lesson = fresh._lesson(y, rows.size, weights)
        rows = fresh._admit_columns(rows, fresh._learned())
        model = fresh._start_at(fresh._learned(), options)
        try:
            fresh._epochs(model, rows, **lesson)
        except DivergenceError:
            self._take(fresh)  # the last good weights
            raise
        self._take(fresh)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Continue learning: one pass over these rows, in their order."""
        rows = self._rows(X)
        weights = sample_weights(sample_weight, rows.size)
        lesson = self._lesson(y, rows.size, weights)
        with self._turn():
            started = self._started()
            rows = started._admit_columns(rows, started._learned())
            self._go_on(started, rows, **lesson)
        return self

    @native("learn_number")
    def learn_one(self, x: Any, y: float, sample_weight: float = 1.0) -> None:
        """Learn from one example: a dict of named features, or a list or set of names."""
        model = self._model
        try:
            if model is not None:
                model.learn_one_target(x, y, sample_weight)
            else:
                self._learn_first(x, y, sample_weight)
        except TypeError:  # if one of these is the cause, the error should say so
            refuse_none(x)
            finite("y", y)
            finite("sample_weight", sample_weight)
            raise

    predict_learn_one = native("predict_learn_number")(PredictThenLearn.predict_learn_one)

    def _learn_first(self, x: Any, y: float, sample_weight: float) -> None:
        doubt_texts(x)
        with self._turn():
            started = self._started()
            started._learned().learn_one_target(x, y, sample_weight)
            if started is not self:
                self._take(started)

    def predict(self, X: Any) -> Floats:
        """The predicted number of each row."""
        model, rows = self._question(X)
        predicted: Floats = model.decision(rows.core)[:, 0]
        return predicted

    @native("predict_number")
    def predict_one(self, x: Any) -> float:
        """The predicted number of one example; 0 before anything was learned."""
        refuse_none(x)
        return 0.0 if self._model is None else float(self._model.score_one(x))

    score_one = predict_one

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """R²: the share of the variance of y that is explained."""
        predicted = self.predict(X)
        targets = self._targets(y, len(predicted))
        weights = sample_weights(sample_weight, len(predicted))
        mean = np.average(targets, weights=weights)
        error = np.average((targets - predicted) ** 2, weights=weights)
        spread = np.average((targets - mean) ** 2, weights=weights)
        if spread == 0.0:
            return 1.0 if error == 0.0 else 0.0
        return float(1.0 - error / spread)

    @property
    def coef_(self) -> Floats:
        """Weights, averaged where the learner averages."""
        return np.asarray(self._learned().weights()[0])

    @property
    def intercept_(self) -> float:
        """The constant part of the prediction."""
        return float(self._learned().constants()[0])

    def top_features(self, k: int = 10) -> list[tuple[str, float]]:
        """The k features with weights of largest magnitude, as (name, weight), largest first."""
        weights, names = self.coef_, self._names()
        best = np.argsort(-np.abs(weights), kind="stable")[:k]
        return [(names[i], float(weights[i])) for i in best if weights[i] != 0]

    def explain_one(self, x: Any) -> dict[str, float]:
        """What each feature of x adds to the prediction, largest magnitude first."""
        refuse_none(x)
        parts = dict(self._learned().contributions(x, 0))
        ordered = dict(sorted(parts.items(), key=lambda item: -abs(item[1])))
        return ordered | ({"(intercept)": self.intercept_} if self.intercept_ else {})

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True),
            regressor_tags=RegressorTags(),
        )

    _estimator_type = "regressor"
