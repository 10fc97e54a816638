"""Classifiers: labels in, labels out, two classes or many, which may appear at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from thresher._core import Lexicon, Model
from thresher.data.coded import CodedLabels
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.class_weights import ClassWeight, refuse_weighed_classes, weights_of
from thresher.learners.base.examples import doubt_texts, refuse_none
from thresher.learners.base.labels import Labelling, Labels, column, plain_label, warn_of_one_label
from thresher.learners.base.learner import FitOptions, Floats, Learner, native
from thresher.learners.base.one_by_one import FromJson, PredictThenLearn
from thresher.learners.base.online import Online, OrderFree
from thresher.learners.base.protocol import offered_if
from thresher.learners.base.thresholds import Threshold, costs_of
from thresher.learners.base.weights import fit_weights, sample_weights
from thresher.options import finite, one_of

if TYPE_CHECKING:
    from thresher.data.reader import Batch
    from thresher.learners.base.answers import BatchAnswers
    from thresher.theory.live import LiveAudit


class Classifier(Labelling, Learner):
    """Prediction, and the attributes of a trained classifier."""

    task = "classify"
    gives_probabilities: ClassVar[bool] = False
    """Whether it is a probabilistic model: it needs no calibration."""
    gives_scores: ClassVar[bool] = True
    counts_mistakes = True
    # What a classifier without these options does.
    calibrate: bool = False

    _labels: Labels

    # -- labels

    def _share_labels(self, model: Model, by_order: bool = False) -> None:
        """`by_order`: they are those that were learned, in that order, and get new codes."""
        labels = self._labels
        values = self._shared(labels.values)
        model.set_labels(values, labels.ranks, labels.looks_negative, labels, by_order)

    def _shared(self, labels: list[Any]) -> list[Any]:
        """The labels as the core takes them."""
        return list(labels)

    def _begin(self, lexicon: Lexicon | None = None) -> Model:
        self._labels = Labels()
        return super()._begin(lexicon)

    def _codes(self, y: Any, rows: int, weights: Floats | None) -> npt.NDArray[np.int32]:
        """The codes of the labels; new labels are shared with the core, all or none of them."""
        codes, self._labels = self._encoded(y, rows, weights)
        self._share_labels(self._learned())
        return codes

    def _encoded(
        self, y: Any, rows: int, weights: Floats | None, classes: Iterable[Any] | None = None
    ) -> tuple[npt.NDArray[np.int32], Labels]:
        return self._labels.with_codes(column(y, rows, type(self).__name__), weights, classes)

    @contextmanager
    def _bringing(self, labels: Labels) -> Iterator[None]:
        """The core gets these labels; those from which nothing is learned are dropped."""
        self._labels = labels
        try:
            self._share_labels(self._learned())
            yield
        finally:
            self._drop_unmet()

    def _drop_unmet(self) -> None:
        """Drop labels from which nothing was learned; the others are numbered as learned."""
        model = self._learned()
        order, values = model.order(), self._labels.values
        if order != list(range(len(values))):
            self._labels = Labels([values[code] for code in order], self._labels.announced)
            self._share_labels(model, by_order=True)

    def _met(
        self, columns: int | None = None, model: Model | None = None
    ) -> tuple[Model, list[Any]]:
        """The model and the labels it has learned, in order of appearance.

        With `columns`, those that the given number of score columns of `model` refer to: another
        thread may have added a label after they were computed, or refitted the learner.
        """
        model = model or self._learned()
        order = model.order()
        met = [model.labels.values[code] for code in order]
        return model, met if columns is None else met[: max(2, columns)]

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        return np.array(self._learned().labels.sorted)

    def learned_labels(self) -> list[Any]:
        """The labels of examples that were learned, sorted: ``classes_`` without those that were
        only announced."""
        return sorted(self._met()[1])

    @property
    def mistakes_(self) -> int:
        """Examples whose class the online hypothesis got wrong before it learned from them."""
        return int(self._learned().counters()["mistakes"])

    # -- prediction over arrays

    def _columns(
        self,
        values: Floats,
        *,
        absent: float,
        split: Callable[[Floats], Any],
        model: Model | None = None,
    ) -> Floats:
        """Scores or probabilities of a model with a column for each of ``classes_``."""
        model, met = self._met(values.shape[1], model)
        if len(met) >= 3:
            return self._by_label(values, absent, model)
        sides = split(values[:, 0])
        columns = [sides[k == model.positive()] for k in range(len(met))]
        return self._by_label(np.array(columns).reshape(len(met), len(values)).T, absent, model)

    def _by_label(self, values: Floats, absent: float, model: Model | None = None) -> Floats:
        """A column for each label seen, in order of appearance, as columns of ``classes_``."""
        model, met = self._met(values.shape[1], model)
        place = {label: i for i, label in enumerate(model.labels.sorted)}
        out = np.full((len(values), len(place)), absent)
        for k in range(values.shape[1]):
            out[:, place[met[k]]] = values[:, k]
        return out

    def decision_function(self, X: Any) -> Floats:
        """Scores: one per row for two classes, positive for ``classes_[1]``; else one per class."""
        model, rows = self._question(X)
        scores: Floats = model.decision(rows.core)
        if len(model.labels.sorted) <= 2:
            return scores[:, 0]
        return self._columns(scores, absent=-np.inf, split=lambda s: (-s / 2, s / 2), model=model)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row."""
        model, rows = self._question(X)
        places, met = model.predict(rows.core)
        if not met:
            raise self._not_learned()
        return np.array(met)[places]

    def answers(self, batch: Batch) -> BatchAnswers:
        """The predictions for a batch from `thresher.read`, all from one pass over it."""
        from thresher.learners.base.answers import BatchAnswers

        model = self._learned()
        raw = self._scores_of(batch, model=model)
        predicted = CodedLabels(model.labels.values, model.decisions(raw))
        scores = raw[:, 0]
        if len(model.labels.sorted) > 2:
            scores = self._columns(
                raw, absent=-np.inf, split=lambda s: (-s / 2, s / 2), model=model
            )
        if not (self.gives_probabilities or self.calibrate):
            return BatchAnswers(predicted, scores)
        p = np.ones((len(raw), 1)) if len(model.order()) == 1 else model.probabilities(raw)
        return BatchAnswers(
            predicted, scores, self._columns(p, absent=0.0, split=lambda p: (1 - p, p), model=model)
        )

    def _check_calibrated(self, error: type[Exception] = AttributeError) -> None:
        """`error` is what the caller's protocol raises if there are none."""
        if not (self.gives_probabilities or self.calibrate):
            raise error(f"this {type(self).__name__} learns no probabilities: pass calibrate=True.")

    @offered_if(_check_calibrated)
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, a column for each of ``classes_``.

        For learners that are not probabilistic models themselves, with ``calibrate=True``.
        """
        return self._probabilities(X)

    @offered_if(_check_calibrated)
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of `predict_proba`; −inf for a class that is impossible."""
        return self._log_probabilities(X)

    def _probabilities(self, X: Any) -> Floats:
        model, rows = self._question(X)
        _, met = self._met(model=model)
        if len(met) == 1:
            sure = np.ones((rows.size, 1))
            return self._columns(sure, absent=0.0, split=lambda p: (p, p), model=model)
        p: Floats = model.probability(rows.core)
        return self._columns(p, absent=0.0, split=lambda p: (1 - p, p), model=model)

    def _log_probabilities(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self._probabilities(X))

    # -- prediction of one example

    @native("predict_label")
    def predict_one(self, x: Any) -> Any:
        """The label of one example by name; None before anything was learned."""
        refuse_none(x)
        return None if self._model is None else self._model.predict_one(x)

    def score_one(self, x: Any) -> float | dict[Any, float]:
        """The score of one example: a number for two classes, one for each label for more."""
        refuse_none(x)
        model = self._learned()
        scores = model.score_one(x)
        if isinstance(scores, float):
            return scores
        _, met = self._met(len(scores), model)
        return dict(zip(met, scores, strict=True))

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each label; see `predict_proba`."""
        self._check_calibrated(NotImplementedError)
        refuse_none(x)
        model = self._model
        if model is None:
            return {}
        p = model.probability_one(x)
        _, met = self._met(len(p), model)
        if len(met) <= 1:
            return dict.fromkeys(met, 1.0)
        if len(met) == 2:
            return {met[model.positive()]: p[0], met[1 - model.positive()]: 1 - p[0]}
        return dict(zip(met, p, strict=True))

    # -- what was learned

    @property
    def coef_(self) -> Floats:
        """Weights, averaged where the learner averages: (1, n) for two classes, else (K, n)."""
        model = self._learned()
        weights = model.weights()
        if len(model.labels.sorted) <= 2:
            return np.asarray(weights)
        halves = self._columns(weights.T, absent=0.0, split=lambda w: (-w / 2, w / 2), model=model)
        return halves.T

    @property
    def intercept_(self) -> Floats:
        """The constant part of each score; −inf for a class that was announced but never seen."""
        model = self._learned()
        constants = np.array(model.constants())
        if len(model.labels.sorted) <= 2:
            return constants
        halves = self._columns(
            constants[None, :], absent=-np.inf, split=lambda b: (-b / 2, b / 2), model=model
        )
        return np.asarray(halves[0])

    @staticmethod
    def _column_of(label: Any, model: Model, met: list[Any]) -> tuple[int, float]:
        """The score column of a label, and its sign."""
        if label is not None and label not in met:
            raise InvalidInput(f"label {label!r} is not one of those learned: {met!r}.")
        if len(met) <= 2:
            negative = label is not None and met.index(label) != model.positive()
            return 0, -1.0 if negative else 1.0
        return met.index(label), 1.0

    def top_features(self, k: int = 10, label: Any = None) -> Any:
        """The k features with weights of largest magnitude, as (name, weight), largest first.

        For two classes the sign says for which: positive for ``classes_[1]``. For more, the lists
        of all labels in a dict, or of one `label`.
        """
        model = self._learned()
        weights = model.weights()
        names = list(model.weight_names())
        _, met = self._met(len(weights), model)

        def top(label: Any) -> list[tuple[str, float]]:
            index, sign = self._column_of(label, model, met)
            w = sign * weights[index]
            best = np.argsort(-np.abs(w), kind="stable")[:k]
            return [(names[i], float(w[i])) for i in best if w[i] != 0]

        if len(met) >= 3 and label is None:
            return {name: top(name) for name in sorted(met)}
        return top(label)

    def explain_one(self, x: Any, label: Any = None) -> dict[str, float]:
        """What each feature of x adds to its score, largest magnitude first; the sum is the score.

        For more than two classes: the score of `label`, by default the predicted one.
        """
        refuse_none(x)
        model, met = self._met()
        chosen = model.predict_one(x) if label is None and len(met) >= 3 else label
        if chosen is not None and chosen not in met and label is None:
            return self.explain_one(x)  # another thread added a label meanwhile
        index, sign = self._column_of(chosen, model, met)
        parts = {name: sign * value for name, value in model.contributions(x, index)}
        scores = model.score_one(x)
        constant = model.constants()[index]
        if self._met(model=model)[1] != met:
            return self.explain_one(x, label)  # so it did
        total = scores if len(met) <= 2 else scores[index]
        rest = sign * total - sum(parts.values())
        ordered = dict(sorted(parts.items(), key=lambda item: -abs(item[1])))
        return ordered | ({"(intercept)": rest} if constant else {})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Values spread around 0 lose their negative half when they are clipped to [0, 1].
        tags.classifier_tags.poor_score = bool(self.clip)
        return tags


class OnlineClassifier(Online, Classifier, FromJson):
    """A classifier that learns from a stream."""

    class_weight: ClassWeight = None  # of a learner without this option
    threshold: Threshold = None

    def _share_labels(self, model: Model, by_order: bool = False) -> None:
        super()._share_labels(model, by_order)
        if isinstance(self.class_weight, Mapping):
            model.set_class_weights(weights_of(self.class_weight, self._labels.values))
        if self.threshold is not None:
            model.set_costs(costs_of(self.threshold, self._labels.values))

    @property
    def threshold_(self) -> float:
        """Scores of two classes from here on are of ``classes_[1]``: see the option `threshold`."""
        return float(self._learned().threshold())

    def _lesson(self, y: Any, rows: int, weights: Floats | None) -> dict[str, Any]:
        return {"codes": self._codes(y, rows, weights), "targets": None, "weights": weights}

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Self:
        """Learn from an array: `max_epochs` passes, or fewer if one changes nothing. From scratch,
        unless ``warm_start`` is set.

        X is a NumPy array, a scipy sparse matrix, or a pandas, polars or Arrow table; y holds the
        labels. `sample_weight` may give each row an importance. ``audit="live"`` keeps the
        quantities of the theorems while it learns: `audit_`. `coef_init` and `intercept_init`, of
        learners that add to their weights, are the initial weights instead of 0, in the shape of
        ``coef_`` and ``intercept_``.
        """
        rows = self._rows(X)
        given = _only(options, "sample_weight", "audit", "coef_init", "intercept_init")
        weights = fit_weights(given, rows.size)
        fresh = self._begun(options)
        fresh.keep_audit(options.get("audit"))
        lesson = fresh._lesson(y, rows.size, weights)
        rows = fresh._admit_columns(rows, fresh._learned())
        model = fresh._start_at(fresh._learned(), options)
        fresh._epochs(model, rows, **lesson)
        self._take(fresh)
        if not self.multi_label:  # one that is free of order has a `fit` around this
            warn_of_one_label(self.learned_labels(), stacklevel=3 + isinstance(self, OrderFree))
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Iterable[Any] | None = None,
        sample_weight: npt.ArrayLike | None = None,
        audit: str | None = None,
    ) -> Self:
        """Continue learning: one pass over these rows, in their order.

        `classes` may announce labels that have not been seen yet; it changes the columns of
        predictions, never what is learned. ``audit="live"``, with the first rows, as in `fit`.
        """
        rows = self._rows(X)
        weights = sample_weights(sample_weight, rows.size)
        with self._turn():
            started = self._started()
            started.keep_audit(audit)
            codes, labels = started._encoded(y, rows.size, weights, classes)
            rows = started._admit_columns(rows, started._learned())
            with started._bringing(labels):
                self._go_on(started, rows, codes=codes, weights=weights)
        return self

    @native("learn_label")
    def learn_one(
        self, x: Any, y: Any, sample_weight: float = 1.0, audit: str | None = None
    ) -> None:
        """Learn from one example: a dict of named features, or a list or set of names.

        Values may be numbers, booleans, or strings: ``{"color": "red"}`` is the feature
        ``color=red``. ``audit="live"``, with the first example, as in `fit`.
        """
        model = self._model
        if audit is not None:
            return self._learn_new_label(x, y, sample_weight, audit)
        try:
            if model is None or not model.learn_one(x, y, sample_weight):
                self._learn_new_label(x, y, sample_weight)
        except TypeError:  # if one of these is the cause, the error should say so
            refuse_none(x)
            plain_label(y)
            finite("sample_weight", sample_weight)
            raise

    predict_learn_one = native("predict_learn_label")(PredictThenLearn.predict_learn_one)

    def _learn_new_label(
        self, x: Any, y: Any, sample_weight: float, audit: str | None = None
    ) -> None:
        if self._model is None:
            doubt_texts(x)
        with self._turn():
            started = self._started()
            started.keep_audit(audit)
            labels = started._labels.copy()
            labels.add([y])
            with started._bringing(labels):
                started._learned().learn_one(x, y, sample_weight)
            if started is not self:
                self._take(started)

    # -- the theorems, live

    def keep_audit(self, audit: str | None) -> None:
        """Keep the quantities of the theorems from here on, if ``audit="live"``."""
        if audit is None:
            return
        one_of("audit", audit, ("live",))
        refuse_weighed_classes(self)
        model = self._learned()
        if model.ledger() is None and not model.keep_live():
            if model.counters()["examples"]:
                raise InvalidInput(
                    'audit="live" counts from the first example on; this learner has seen '
                    f"{model.counters()['examples']:,}. Start over, or use model.audit(X, y)."
                )
            if self.prepare is not None:
                raise InvalidInput(
                    'audit="live" needs rows that do not change; expected a learner without '
                    "prepare. Prepare the rows first, with thresher.features, and learn from those."
                )
            raise InvalidInput(
                f'audit="live" is for additive learners of two classes (Perceptron, '
                f"PassiveAggressive, MIRA, your own rules); {type(self).__name__} is not one. Use "
                "model.audit(X, y)."
            )

    def keep_replay(self, target: float) -> None:
        """Begin, and keep all that an audit needs; losses are relative to the margin `target`."""
        if self._model is None:
            self._take(self._started())
        self._learned().keep_replay(target)

    @property
    def live_audit(self) -> LiveAudit | None:
        """`audit_`, or None where none is kept."""
        from thresher.theory.live import live_audit

        model = self._learned()
        ledger = model.ledger()
        if ledger is None or len(model.order()) > 2:
            return None
        return live_audit(model.counters(), ledger)

    @property
    def audit_(self) -> LiveAudit:
        """R, margins and bounds of the run so far, for a learner begun with ``audit="live"``."""
        found = self.live_audit
        if found is None:
            raise AttributeError(
                'no live audit: begin with audit="live" (two classes only), or use '
                "model.audit(X, y)."
            )
        return found


class ProbabilityModel(OnlineClassifier):
    """A classifier whose scores are log-odds: there is nothing to calibrate."""

    gives_probabilities = True

    def _log_probabilities(self, X: Any) -> Floats:
        """From the scores: a probability that underflows still has a logarithm."""
        if len(self._met()[1]) < 2:
            return super()._log_probabilities(X)
        scores = self.decision_function(X)
        if scores.ndim == 1:  # the odds of the second of two
            scores = np.column_stack([np.zeros(len(scores)), scores])
        scores = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))


class ClassSums(OrderFree, ProbabilityModel):
    """A classifier that keeps for each class a sum over its examples."""

    fit_prior: bool

    def _kept(self, name: str) -> Floats:
        """An array of the core."""
        return np.frombuffer(self._learned().state()["arrays"][name])

    def _priors(self, masses: Floats) -> Floats:
        """P(k) from the weight of each class, in the order of ``classes_``."""
        if self.fit_prior:
            return np.asarray(masses / masses.sum())
        return np.where(masses > 0.0, 1.0 / np.count_nonzero(masses), 0.0)


def _only(options: FitOptions, *names: str) -> Any:
    unknown = set(options) - set(names)
    if unknown:
        raise TypeError(f"fit() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    return options.get("sample_weight")
