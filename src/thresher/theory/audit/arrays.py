"""The audit of a run over arrays in memory."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import InvalidInput, NotRealizable
from thresher.learners.base.class_weights import refuse_weighed_classes
from thresher.learners.base.labels import Labels, column
from thresher.learners.base.learner import Learner
from thresher.learners.boolean.elimination import Elimination
from thresher.learners.boolean.learner import BooleanLearner
from thresher.learners.experts import Committee
from thresher.learners.kernel.learner import KernelLearner
from thresher.learners.linear.lms import LMS
from thresher.learners.linear.passive_aggressive import MIRA, PassiveAggressiveRegressor
from thresher.learners.linear.perceptron import Perceptron
from thresher.learners.linear.winnow import BalancedWinnow, Winnow
from thresher.theory.audit import comparators as comparing
from thresher.theory.audit.additive import EPS, cost_of, variant_of
from thresher.theory.audit.committee import audit_committee, to_replay
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.favour import FavourStream, favour_of
from thresher.theory.audit.joint import joint_comparators
from thresher.theory.audit.kernel import measured
from thresher.theory.audit.monotone import Monotone, monotone_view
from thresher.theory.audit.regression import followed, regression_of
from thresher.theory.audit.result import Audit, RunCounts
from thresher.theory.audit.scaling import scaling_note
from thresher.theory.audit.table import rows_of
from thresher.theory.audit.theorem import Concepts, Evidence, Regression
from thresher.theory.bounds import Assumption, Margins
from thresher.theory.replay import Replay
from thresher.theory.separation import Inseparable, Separability, Separable
from thresher.theory.signed import Floats, SignedExamples, signed_examples

REPLAYS = ("auto", True, False)


def audit(
    model: Any, X: Any, y: Any, *, comparator: Any = "auto", replay: bool | str = "auto"
) -> Audit:
    """Compare a run's mistakes with every bound that applies to it.

    Each assumption is checked on the data; if one fails, the bound does not apply, and the row
    says why. A bound that applies cannot be exceeded: `holds` would be False, and a bug found.

    Parameters
    ----------
    model : a trained learner.
    X, y : the examples that it learned from.
    comparator : the vector u that bounds are computed from. "auto" takes, for each theorem, the
        best of: the separator of largest margin (if rows or columns are at most 1000), the
        learner's own averaged weights, a linear support vector machine. "exact" insists on the
        first, however long it takes. Or a trained linear model, or your own weights (with the
        intercept last).
    replay : True (and "auto"): a fresh copy of the model learns X and y again, for as many passes
        as its ``fit`` made, and that run is audited. False: the counts are the model's own; you
        guarantee that it learned from these rows and no others.

    Examples
    --------
    >>> from thresher import Perceptron, audit
    >>> X, y = [[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]], [1, 1, 0, 0]
    >>> found = audit(Perceptron(fit_intercept=False).fit(X, y), X, y)
    >>> row = found["Novikoff"]
    >>> row.applies, row.figure, round(row.value, 6)
    (True, 1, 1.111111)
    >>> xor = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]
    >>> found = audit(Perceptron().fit(*xor), *xor)
    >>> found["Novikoff"].applies, found.why_realizable
    (False, '4 signed examples combine to exactly zero (verified)')
    """
    if not isinstance(model, (Learner, BooleanLearner, KernelLearner)):
        raise InvalidInput(
            f"model is {model!r}; expected a learner of Thresher, such as thresher.Perceptron()."
        )
    refuse_prepared(model)
    refuse_given_start(model)
    refuse_weighed_classes(model)
    model._learned()
    if replay not in REPLAYS:
        raise InvalidInput(f"replay is {replay!r}; expected 'auto', True or False.")
    if isinstance(model, BooleanLearner):
        return audit_concepts(model, X, y, replay=bool(replay))
    if isinstance(model, Committee):
        if comparator != "auto":
            raise InvalidInput(
                f"comparator is {comparator!r}; expected 'auto': {type(model).__name__} is "
                "compared with its members."
            )
        return audit_committee(model, to_replay(model).fit(X, y) if replay else None)
    if isinstance(model, KernelLearner):
        return audit_kernel(model, X, y, comparator, replay=bool(replay))
    return Auditor(model, X, y, comparator, bool(replay)).audit()


@dataclass(frozen=True)
class Ended:
    """A finished run."""

    counts: RunCounts
    learner: Any
    """As it ended, with averaged weights if it was replayed."""
    passes: int
    shared: tuple[Assumption, ...]
    errors: Floats | None = None
    """Of a regressor that was followed: y − w·x before each step."""


class Auditor:
    """One audit of a linear learner."""

    def __init__(self, model: Any, X: Any, y: Any, comparator: Any, replay: bool) -> None:
        self.model, self.comparator = model, comparator
        rows = model._rows(X)  # Winnow's are clipped if it clips
        if model._width is not None:
            model._check_columns(rows.columns, rows.names)
        values = matrix(rows.core)
        self.bias = bool(getattr(model, "fit_intercept", True))
        self.scaling = float(getattr(model, "intercept_scaling", 1.0))
        self.y = column(y, rows.size, type(model).__name__)
        self.regresses = model.task == "regress"
        self.labels = Labels()
        signs: Any = np.zeros(rows.size)
        if not self.regresses:
            codes = self.labels.encode(self.y)
            ranks = np.array(self.labels.ranks)
            self.codes = ranks[codes]  # 0 … K − 1 in the order of the sorted labels
            negative = np.array(self.labels.looks_negative, dtype=bool)
            signs = np.where(negative[codes], -1.0, 1.0)
        self.classes = tuple(self.labels.sorted)
        plain = signed_examples(values, np.ones(rows.size), fit_intercept=False)
        with_constant = signed_examples(
            values, np.ones(rows.size), self.bias, intercept_scaling=self.scaling
        )
        self.plain = SignedExamples(plain.rows, signs, self.classes)
        self.examples = SignedExamples(with_constant.rows, signs, self.classes)
        self.run = replayed(model, X, self.y) if replay else own_run(model, rows.size)

    # -- comparators

    def own_weights(self, learner: Any) -> Floats:
        """Weights, the constant feature's last; a row per class from three classes on."""
        w = np.atleast_2d(np.asarray(learner.coef_, dtype=float))
        if self.bias:
            b = np.asarray(learner.intercept_, dtype=float).reshape(-1, 1) / self.scaling
            w = np.hstack([w, b])
        return w

    def two_class_comparators(self) -> tuple[list[Comparator], Separability | None]:
        examples = self.examples
        chosen = self.comparator
        automatic = isinstance(chosen, str)
        if automatic and chosen not in ("auto", "exact"):
            raise InvalidInput(
                f"comparator is {chosen!r}; expected 'auto', 'exact', a model, or weights."
            )
        R = math.sqrt(float(examples.squared_norms().max()))
        found: list[Comparator] = []
        decided: Separability | None = None
        if not automatic:
            u = comparing.given_vector(chosen, examples.columns, self.bias, self.scaling)
            return [Comparator("given by the caller", u, Margins.of_examples(examples, u))], None
        if R == 0.0:
            return [], None
        if chosen == "exact" or comparing.is_small(examples):
            decided = comparing.decide(examples, self.bias)
            if isinstance(decided, Separable):
                origin = "the separator of largest margin"
                margins = Margins.of_examples(examples, decided.weights)
                found.append(Comparator(origin, decided.weights, margins))
        averages = getattr(self.run.learner, "average", False)
        name = "the learner's averaged weights" if averages else "the learner's weights"
        own = self.own_weights(self.run.learner)[0]
        C, squared = machine_cost(self.model, R)
        found += comparing.candidates(examples, (name, own), C, squared)
        if not found:
            found.append(comparing.some_example(examples))
        if decided is None and found:
            best = max(found, key=lambda c: float((c.margins.values > 0).mean()))
            if best.margins.gamma <= 0.0:
                decided = comparing.subset_certificate(examples, self.bias, best.margins.values)
            if decided is None:
                separator = comparing.separating(examples)
                found += [separator] if separator else []
        return found, decided

    def regression(self) -> Regression | None:
        run = self.run
        if not isinstance(self.model, (LMS, PassiveAggressiveRegressor)):
            return None
        own = self.own_weights(run.learner)[0]
        targets = np.asarray(self.y, dtype=float)
        return regression_of(self.model, run.passes, run.errors, self.examples.rows, targets, own)

    def stream(self, found: Sequence[Comparator], evidence: Evidence) -> FavourStream:
        return FavourStream(
            found, self.plain, self.plain.columns, evidence.passes, self.bias, self.scaling,
            evidence.inseparable,
        )  # fmt: skip

    def audit(self) -> Audit:
        run, classes = self.run, len(self.classes)
        found: list[Comparator] = []
        decided: Separability | None = None
        if classes > 2:
            if hasattr(run.learner, "coef_"):
                own = self.own_weights(run.learner)
                found = joint_comparators(self.examples.rows, self.codes, classes, own)
        elif not self.regresses:
            found, decided = self.two_class_comparators()
        view: Monotone | None = None
        if isinstance(self.model, Winnow) and 0 < classes <= 2:
            view = monotone_view(self.model, self.plain, tuple(found), run.learner.clamped_)
        evidence = Evidence(
            self.model, run.counts, run.passes, classes, run.shared, tuple(found),
            inseparable=isinstance(decided, Inseparable) and decided.certificate.exact,
            examples=self.examples if classes <= 2 else None,
            names_grow=self.model._width is None,
            monotone=view,
            regression=self.regression() if self.regresses else None,
            features=self.examples.columns,
            clamped=clamped_by(run.learner),
        )  # fmt: skip
        realizable, why = verdict(decided, found, self.examples)
        if classes > 2:
            realizable, why = joint_verdict(found)
        data = self.examples.rows.data if self.examples.sparse else self.examples.rows
        return Audit(
            learner=repr(self.model),
            counts=run.counts,
            passes=run.passes,
            classes=self.classes,
            R=math.sqrt(float(self.examples.squared_norms().max())),
            R_inf=float(np.abs(data).max(initial=0.0)),
            comparators=tuple(c.origin for c in found),
            separability=decided,
            realizable=realizable,
            why_realizable="" if self.regresses else why,
            rows=rows_of(evidence),
            favour=favour_of(self.stream(found, evidence)) if classes == 2 else None,
            notes=(*notes_of(self.classes, self.regresses), *self.scaling_note(found)),
        )

    def scaling_note(self, found: Sequence[Comparator]) -> tuple[str, ...]:
        if len(self.classes) != 2 or not self.bias or "intercept_scaling" not in self.model.options:
            return ()
        return scaling_note(found, self.scaling, self.run.passes)


def refuse_given_start(model: Any) -> None:
    """The theorems speak of runs that begin with 0."""
    run = getattr(model, "provenance_", {}).get("cluster", {})
    if getattr(model, "_occurrence", None) is not None or run.get("shards", 1) > 1:
        raise InvalidInput(
            "this model is a mix of several, and the bounds of one run do not apply to it; "
            "`thresher audit --cluster` replays a run on shards, "
            "thresher.theory.audit.audit_shards one on arrays."
        )
    if getattr(model, "_given_start", False):
        raise InvalidInput(
            "this model began with weights that were given (coef_init), and the bounds speak of "
            "runs that begin with 0; expected a model fitted without them."
        )


def refuse_prepared(model: Any) -> None:
    """The theorems are about the rows that a learner is given; with prepare it makes its own."""
    if getattr(model, "prepare", None) is not None:
        raise InvalidInput(
            f"prepare={model.prepare!r}: the bounds are about the rows as they are learned, which "
            "this learner makes itself. Prepare the rows first, with thresher.features, and audit "
            "a learner without prepare on those."
        )


def matrix(core: Any) -> Any:
    """What a learner reads, as an array or a CSR array."""
    if not isinstance(core, tuple):
        return core
    from thresher.extras import package

    sparse = package("scipy.sparse")

    starts, index, values, columns = core
    data = np.ones(len(index)) if values is None else values
    return sparse.csr_array((data, index, starts), shape=(len(starts) - 1, columns))


# ------------------------------------------------------------------ the run


def replayed(model: Any, X: Any, y: Any) -> Ended:
    """A fresh copy learns the rows again; averaged, which changes no step."""
    changes: dict[str, Any] = {}
    if "average" in model.options:
        changes["average"] = True
    if "calibrate" in model.options:
        changes["calibrate"] = False
    if isinstance(model, (LMS, PassiveAggressiveRegressor)):
        learner, passes, errors = followed(model, X, y)
        counts = counts_of(learner, f"a replay of {times(passes)}")
        return Ended(counts, learner, passes, replay_found(passes), errors)
    if not hasattr(model, "partial_fit"):
        fresh = model.fresh()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it stopped with mistakes is told by the rows
            fresh.fit(X, y)
        passes = int(fresh.epochs_)
        return Ended(counts_of(fresh, "a replay"), fresh, passes, replay_found(passes))
    run = Replay(model, X, y)
    run.learner.set_params(**changes)
    keep_counts(run.learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # clamped weights are an assumption that fails
        for _ in run.at([run.total]):
            pass
    counts = counts_of(run.learner, f"a replay of {times(run.passes)}")
    return Ended(counts, run.learner, run.passes, replay_found(run.passes))


def times(passes: int) -> str:
    return "1 pass" if passes == 1 else f"{passes} passes"


def replay_found(passes: int) -> tuple[Assumption, ...]:
    return (Assumption("the run was over these examples alone", True, f"a replay, {passes}×"),)


def keep_counts(learner: Any) -> None:
    """Let a learner that has learned nothing keep what its theorems bound besides mistakes."""
    if variant_of(learner) or isinstance(learner, Winnow):
        measured_from = learner.margin if isinstance(learner, (MIRA, Perceptron)) else 1.0
        learner.keep_replay(float(measured_from))


def counts_of(learner: Any, source: str) -> RunCounts:
    """The counters of a finished run, and what it kept for its theorems."""
    more: dict[str, Any] = {}
    if ledger := learner._learned().ledger():
        names = ("promotions", "demotions") if isinstance(learner, Winnow) else ("squared_loss",)
        more = {name: ledger[name] for name in names}
    mistakes = getattr(learner, "mistakes_", None)
    return RunCounts(learner.examples_, mistakes, learner.updates_, source, **more)


def clamped_by(learner: Any) -> int:
    return learner.clamped_ if isinstance(learner, (Winnow, BalancedWinnow)) else 0


def own_run(model: Any, rows: int) -> Ended:
    """The model's own counts, whose data the caller guarantees."""
    examples = model.examples_
    passes = max(1, math.ceil(examples / rows))
    fits = examples <= rows or examples % rows == 0
    found = f"the caller vouches for it; the model has learned {examples:,}, X has {rows:,} rows"
    shared = (Assumption("the run was over these examples alone", fits, found),)
    counts = RunCounts(
        examples, getattr(model, "mistakes_", None), model.updates_, "the model's own run"
    )
    return Ended(counts, model, passes, shared)


# ------------------------------------------------------------------ in words and numbers


def machine_cost(model: Any, R: float) -> tuple[float, bool]:
    """The C of the support vector machine whose solution makes the learner's noisy bound small."""
    variant = variant_of(model)
    if variant in ("PA-I", "PA-II") and math.isfinite(cost_of(model)):
        return cost_of(model), variant == "PA-II"
    return 1.0 / (R * R), False


def verdict(
    decided: Separability | None, found: Sequence[Comparator], examples: SignedExamples | None
) -> tuple[bool | None, str]:
    """Whether a separator exists, and how that is known."""
    if isinstance(decided, Separable):
        note = f"; {decided.note}" if decided.note else ""
        return True, f"separable, the largest margin is {decided.margin:.6g}{note}"
    if isinstance(decided, Inseparable):
        if not decided.certificate.exact:
            return None, decided.doubt()
        count = len(decided.certificate.rows)
        if examples is not None and proves(decided, examples):
            return False, f"{count} signed examples combine to exactly zero (verified)"
        return None, f"a certificate of {count} examples was found, too large to be verified"
    for one in found:
        if one.margins.gamma > one.margins.R * EPS * 64:
            return True, f"{one.origin} has margin {one.margins.gamma:.6g}"
    return None, "no separator and no certificate was found among those tried"


def proves(decided: Inseparable, examples: SignedExamples) -> bool:
    """The certificate, verified on examples that already have their constant feature."""
    from dataclasses import replace

    from thresher.theory.certificate import verify

    certificate = replace(decided.certificate, fit_intercept=False)
    return bool(verify(certificate, examples.rows, examples.y))


def joint_verdict(found: Sequence[Comparator]) -> tuple[bool | None, str]:
    for one in found:
        if one.margins.gamma > one.margins.R * EPS * 64:
            return True, f"{one.origin} rank each class first by {one.margins.gamma:.6g} at least"
    return None, "no prototypes that rank every class first were found among those tried"


def notes_of(classes: tuple[Any, ...], regresses: bool) -> tuple[str, ...]:
    if regresses:
        return ("a regressor makes no mistakes to be counted: its theorems bound losses",)
    if len(classes) == 1:
        return ("only one label came, so every bound is easily met",)
    if len(classes) > 2:
        return (
            f"{len(classes)} classes: a bound, where one applies, is that of the joint vectors "
            "Φ(x,y) − Φ(x,rival), R times √2",
        )
    return ()


# ------------------------------------------------------------------ kernels


def audit_kernel(model: Any, X: Any, y: Any, comparator: Any, *, replay: bool) -> Audit:
    """The audit of a perceptron in the feature space of a kernel."""
    if comparator != "auto":
        raise InvalidInput(
            f"comparator is {comparator!r}; expected 'auto': {type(model).__name__} has no weights "
            "to compare with others."
        )
    labels = Labels()
    values = column(y, len(y), type(model).__name__)
    codes = labels.encode(values)
    classes = tuple(labels.sorted)
    learner = model
    if replay:
        learner = model.fresh().set_params(max_epochs=max(1, model.epochs_)).fit(X, values)
        passes = learner.epochs_
        source, shared = f"a replay of {times(passes)}", replay_found(passes)
    else:
        ended = own_run(model, len(values))
        passes, source, shared = ended.passes, ended.counts.source, ended.shared
    counts = RunCounts(learner.examples_, learner.mistakes_, learner.updates_, source)
    R = math.nan
    found: tuple[Comparator, ...] = ()
    if len(classes) <= 2:
        signs = np.where(np.array(labels.looks_negative, dtype=bool)[codes], -1.0, 1.0)
        space = measured(learner, X, signs)
        R, found, shared = space.R, space.comparators, (*shared, space.inner_product)
    realizable, why = verdict(None, found, None)
    evidence = Evidence(model, counts, passes, len(classes), shared, found)
    return Audit(
        learner=repr(model),
        counts=counts,
        passes=passes,
        classes=classes,
        R=R,
        R_inf=math.nan,
        comparators=tuple(c.origin for c in found),
        separability=None,
        realizable=realizable,
        why_realizable=f"in the feature space of the kernel, {why}",
        rows=rows_of(evidence),
        notes=notes_of(classes, regresses=False),
    )


# ------------------------------------------------------------------ boolean concepts


def audit_concepts(model: Any, X: Any, y: Any, *, replay: bool) -> Audit:
    """The audit of a learner of boolean concepts."""
    problem, learner = "", model
    if replay:
        run = Replay(model, X, y)
        learner = run.learner
        try:
            for _ in run.at([run.total]):
                pass
        except NotRealizable as error:
            place = f"{error.where}: " if str(error.where) else ""
            problem = f"{place}{error.found.removesuffix('.')}"
        if not learner._has_learned():
            learner.begin_over(run.columns)  # the first example contradicts the class
        source, shared = "a replay of 1 pass", replay_found(1)
    else:
        rows = len(column(y, len(y), type(model).__name__))
        ended = own_run(model, rows)
        source, shared = ended.counts.source, ended.shared
    if not problem and isinstance(learner, Elimination) and learner.score(X, y) < 1.0:
        problem = "no literals are left that give every example its label"
    counts = RunCounts(learner.examples_, learner.mistakes_, learner.updates_, source)
    why = problem or "some concept agrees with all examples"
    if hasattr(learner, "best_mistakes_"):
        best = learner.best_mistakes_
        realizable, why = best == 0, f"the best concept makes {best} mistakes"
    else:
        realizable = not problem
    evidence = Evidence(model, counts, 1, 2, shared, concepts=Concepts(learner, realizable, why))
    return Audit(
        learner=repr(model),
        counts=counts,
        passes=1,
        classes=tuple(learner.classes_.tolist()),
        R=math.nan,
        R_inf=math.nan,
        comparators=(),
        separability=None,
        realizable=realizable,
        why_realizable=why,
        rows=rows_of(evidence),
    )
