"""The audit of a run over files of any size, in two passes.

The first pass replays the learner as `thresher train` runs it. The second measures every example
with the averaged weights that the first ended with: eight bytes per example are kept, its margin.
Small data is also kept as a matrix, for the separator of largest margin; of large data, the
examples with the smallest margins, among which a certificate may be found.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thresher.data.reader import BadLines, Batch
from thresher.data.reading import ReadingOptions, reading_options
from thresher.errors import InvalidInput
from thresher.learners.base.class_weights import refuse_weighed_classes
from thresher.learners.base.online import Online
from thresher.learners.experts import Committee
from thresher.learners.linear.winnow import Winnow
from thresher.theory.audit import comparators as comparing
from thresher.theory.audit.arrays import (
    clamped_by,
    counts_of,
    joint_verdict,
    keep_counts,
    machine_cost,
    notes_of,
    refuse_given_start,
    refuse_prepared,
    verdict,
)
from thresher.theory.audit.committee import audit_committee, to_replay
from thresher.theory.audit.comparators import Comparator
from thresher.theory.audit.favour import FavourStream, favour_of
from thresher.theory.audit.kept import KeptRows
from thresher.theory.audit.monotone import Disjunction, Monotone, monotone_view
from thresher.theory.audit.result import Audit
from thresher.theory.audit.scaling import scaling_note
from thresher.theory.audit.table import rows_of
from thresher.theory.audit.theorem import Evidence
from thresher.theory.bounds import Assumption, Margins, MonotoneMargins
from thresher.theory.separation import Inseparable, Separability, Separable
from thresher.theory.signed import Floats, SignedExamples

STEP = 500  # examples, after which it tells how far it is
GROWTH = 1.25  # ratio of the examples between two observations of the run


def audit_files(
    model: Any,
    paths: Iterable[str | os.PathLike[str]],
    *,
    passes: int | None = None,
    exact: bool = False,
    bad: BadLines | None = None,
    threads: int | None = None,
    on_examples: Callable[[int], object] | None = None,
    **options: Any,
) -> Audit:
    """`audit` of a model that was trained on files, over files, in two passes and bounded memory.

    A fresh copy of the model learns them again. Options are those of `thresher.read`; features
    are made as in the model. `passes` is by default what the model made. `exact` keeps all
    of the data in memory and insists on the separator of largest margin, however long it takes.
    `on_examples` is called with the number of examples just read, in either pass.

    >>> import pathlib, tempfile
    >>> from thresher import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp(), "four.svm")
    >>> _ = path.write_text("1 1:2 2:1\\n1 1:1 2:2\\n-1 1:-1 2:-2\\n-1 1:-2 2:-1\\n")
    >>> found = audit_files(Perceptron().fit_file(path), [path])
    >>> found.realizable, found["Novikoff"].applies, found.holds
    (True, True, True)
    """
    files = [os.fspath(path) for path in paths]
    if not isinstance(model, Online):
        raise InvalidInput(
            f"{type(model).__name__} does not learn from files; use model.audit(X, y) in Python."
        )
    refuse_prepared(model)
    refuse_given_start(model)
    refuse_weighed_classes(model)
    model._learned()
    if getattr(model, "multi_label", False):
        raise InvalidInput(
            "this model learns sets of labels; the theorems that an audit checks are of one label "
            "an example."
        )
    if model._width is not None and not model._learned().named:
        raise InvalidInput(
            "this model was trained on arrays without names; expected arrays: model.audit(X, y)."
        )
    once = [f for f in files if f == "-" or (os.path.exists(f) and not os.path.isfile(f)
            and not os.path.isdir(f))]  # fmt: skip
    if once:
        raise InvalidInput(
            f"{'standard input' if once[0] == '-' else once[0]}: an audit reads its data twice, "
            "and a pipe can be read only once; save it to a file first."
        )
    if passes is None:
        passes = max(1, int(getattr(model, "epochs_", 1)))
    bad, tell = bad or BadLines(), on_examples or (lambda _: None)
    if isinstance(model, Committee):
        replica = to_replay(model)
        replica.reading_, replica.provenance_ = model.reading_, model.provenance_
        run = FileAuditor(replica, files, 1, False, bad, threads, options, tell).run()
        return audit_committee(model, run)
    return FileAuditor(model, files, passes, exact, bad, threads, options, tell).audit()


@dataclass
class MeasuredFiles:
    """What the second pass found."""

    margins: list[Floats] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)
    signs: list[Floats] = field(default_factory=list)
    longest: float = 0.0
    shortest: float = math.inf
    largest: float = 0.0
    boolean: bool = True
    weighted: bool = False


class FileAuditor:
    def __init__(
        self, model: Any, files: list[str], passes: int, exact: bool, bad: BadLines,
        threads: int | None, options: dict[str, Any],
        tell: Callable[[int], object] = lambda _: None,
    ) -> None:  # fmt: skip
        self.model, self.files, self.passes, self.exact = model, files, passes, exact
        self.bad, self.threads, self.tell, self.options = bad, threads, tell, options
        self.bias = bool(getattr(model, "fit_intercept", True))  # θ counts as one
        self.scaling = float(getattr(model, "intercept_scaling", 1.0))
        self.made = model.reading_ or ReadingOptions()
        self.counts_names = self.made.min_count > 1
        self.hashes = self.made.hash_bits > 0
        self.plain = not (self.counts_names or self.hashes or self.made.max_features)
        self.regresses = model.task == "regress"
        self.history: list[tuple[int, int]] = []

    # -- the first pass

    def run(self) -> Any:
        """A fresh learner, taught by the files."""
        from thresher.training import Plan, Training

        changes = {
            name: value
            for name, value in (("average", True), ("calibrate", False))
            if name in self.model.options
        }
        learner = type(self.model)(**{**self.model.get_params(deep=False), **changes})
        learner.begin_reading(self.made)
        learner.provenance_ = self.model.provenance_  # by which documents are known
        keep_counts(learner)
        reading = reading_options(**self.options).as_model(self.made, self.model.provenance_)
        plan = Plan(passes=self.passes, threads=self.threads)
        self.history, due = [], 1
        counts = getattr(learner, "mistakes_", None) is not None  # LDA counts none
        with Training(learner, self.files, reading=reading, plan=plan, bad=self.bad) as training:
            training.stop_at, told = due, 0
            for _ in training:
                self.tell(training.examples - told)
                told = training.examples
                if training.examples >= due:
                    if counts:
                        self.history.append((training.examples, learner.mistakes_))
                    due = max(due + 1, math.ceil(training.examples * GROWTH))
                training.stop_at = min(due, told + STEP)
        if learner.examples_ == 0:
            raise InvalidInput(f"{', '.join(self.files)}: no labelled example to audit.")
        if counts and self.history[-1][0] != learner.examples_:
            self.history.append((learner.examples_, learner.mistakes_))
        return learner

    # -- the second pass

    def measure(self, learner: Any) -> tuple[MeasuredFiles, KeptRows]:
        from thresher.data import read

        found, kept = MeasuredFiles(), KeptRows(self.plain and not self.regresses, self.exact)
        labels = learner._labels if not self.regresses else None
        order = learner._model.order() if labels is not None else []
        place = {labels.values[code]: i for i, code in enumerate(order)} if labels else {}
        positive = learner._model.positive() if labels is not None else 0
        size = self.length(learner)
        policy = "skip" if self.bad.policy == "quarantine" else self.bad.policy
        with read(
            self.files, model=learner, on_bad_line=policy, threads=self.threads, **self.options
        ) as reader:
            for batch in reader:
                if not len(batch):
                    continue
                self.tell(len(batch))
                weights = np.asarray(batch.weights)
                given = batch.labels
                use = np.array([y is not None for y in given]) & (weights > 0)
                if (weights[use] != 1.0).any():
                    found.weighted = True
                self.look_at(batch, use, found)
                if labels is None:
                    continue
                scores = learner._scores_of(batch)[use]
                codes = np.array([place[y] for y, used in zip(given, use, strict=True) if used],
                                 dtype=np.int64)  # fmt: skip
                if len(place) > 2:
                    margins = leads(scores, codes) / size
                    signs = np.ones(len(codes))
                else:
                    signs = np.where(codes == positive, 1.0, -1.0)
                    margins = signs * scores[:, 0] / size
                found.margins.append(margins)
                if isinstance(self.model, Winnow):
                    found.scores.append(scores[:, 0].copy())
                found.signs.append(signs.astype(np.int8))
                if len(place) <= 2:
                    kept.add(batch, np.flatnonzero(use), margins, signs)
        return found, kept

    def look_at(self, batch: Batch, use: Any, found: MeasuredFiles) -> None:
        start, _, value = batch.core.cells()
        start, value = np.asarray(start, dtype=np.int64)[: len(batch) + 1], np.asarray(value)
        value = value[: start[-1]]
        if not len(value):
            squares = np.zeros(len(batch))
        else:
            sums = np.concatenate([[0.0], np.cumsum(value * value)])
            squares = sums[start[1:]] - sums[start[:-1]]
            found.largest = max(found.largest, float(np.abs(value).max()))
            found.boolean = found.boolean and bool(((value == 0) | (value == 1)).all())
        squares = squares[use] + (self.scaling**2 if self.bias else 0.0)
        if len(squares):
            found.longest = max(found.longest, float(squares.max()))
            found.shortest = min(found.shortest, float(squares.min()))

    def length(self, learner: Any) -> float:
        """‖u‖ of the averaged weights, the constant feature's included."""
        w = float(np.square(learner.coef_).sum())
        if self.bias:
            w += float(np.square(np.asarray(learner.intercept_) / self.scaling).sum())
        return math.sqrt(w) or 1.0

    # -- together

    def audit(self) -> Audit:
        learner = self.run()
        classes = () if self.regresses else tuple(learner.classes_.tolist())
        found, kept = self.measure(learner)
        ledger = learner._learned().ledger()
        if ledger and not isinstance(learner, Winnow) and len(classes) <= 2:
            # As the learner saw them, after hashing.
            found.longest, found.shortest = ledger["R"] ** 2, ledger["shortest"] ** 2
        shared = (
            Assumption("the run was over these examples alone", True, f"a replay, {self.passes}×"),
            Assumption("every example has weight 1", not found.weighted,
                       "other weights came" if found.weighted else "so in the files"),
            Assumption("the learner saw each example as it was measured",
                       not self.counts_names and not (self.hashes and len(classes) > 2),
                       "names counted only from their min_count-th occurrence on"
                       if self.counts_names else "names are hashed, so norms are not known"
                       if self.hashes and len(classes) > 2 else "so in the files"),
        )  # fmt: skip
        passes = "1 pass" if self.passes == 1 else f"{self.passes} passes"
        counts = counts_of(learner, f"a replay of {passes} over the files")
        found_comparators: list[Comparator] = []
        decided: Separability | None = None
        examples: SignedExamples | None = None
        R = math.sqrt(found.longest)
        if not self.regresses and found.margins:
            joint = math.sqrt(2.0) if len(classes) > 2 else 1.0
            margins = Margins(
                np.concatenate(found.margins), R * joint, math.sqrt(found.shortest) * joint,
                max(found.largest, self.scaling if self.bias else 0.0),
                float(np.abs(learner.coef_).sum() + np.abs(self.constants(learner)).sum())
                / self.length(learner),
            )  # fmt: skip
            own = Comparator("the learner's averaged weights", np.zeros(0), margins)
            found.margins.clear()
            found_comparators.append(own)
            if len(classes) <= 2:
                examples = kept.examples(self.bias, self.scaling)
                more, decided = self.kept_comparators(kept, examples, R)
                found_comparators = more + found_comparators
        evidence = Evidence(
            self.model, counts, self.passes, len(classes), shared, tuple(found_comparators),
            inseparable=isinstance(decided, Inseparable) and decided.certificate.exact,
            examples=examples if kept.complete else None,
            names_grow=True,
            features=int(np.atleast_2d(learner.coef_).shape[1]) + int(self.bias),
            clamped=clamped_by(learner),
        )  # fmt: skip
        if isinstance(self.model, Winnow) and len(classes) <= 2:
            view = self.monotone(evidence.comparators, learner, found, kept, examples)
            evidence = replace(evidence, monotone=view)
        if len(classes) > 2:
            realizable, why = joint_verdict(found_comparators)
        elif isinstance(decided, Inseparable) and examples is not None:
            realizable, why = verdict(decided, (), examples)
            decided = kept.renumbered(decided)
        else:
            realizable, why = verdict(decided, found_comparators, None)
        plain = self.without_constant(examples) if kept.complete else None
        stream = FavourStream(
            found_comparators, plain, int(np.atleast_2d(learner.coef_).shape[1]), self.passes,
            self.bias, self.scaling, evidence.inseparable,
        )  # fmt: skip
        return Audit(
            learner=repr(self.model),
            counts=counts,
            passes=self.passes,
            classes=classes,
            R=R,
            R_inf=max(found.largest, self.scaling if self.bias else 0.0),
            comparators=tuple(c.origin for c in found_comparators),
            separability=decided,
            realizable=realizable,
            why_realizable="" if self.regresses else why,
            rows=rows_of(evidence),
            favour=favour_of(stream) if len(classes) == 2 else None,
            notes=(
                *notes_of(classes, self.regresses),
                *self.limits(kept),
                *self.scaling_note(found_comparators, classes),
            ),
            history=tuple(self.history),
        )

    def scaling_note(self, found: list[Comparator], classes: tuple[Any, ...]) -> tuple[str, ...]:
        if len(classes) != 2 or not self.bias or "intercept_scaling" not in self.model.options:
            return ()
        return scaling_note(found, self.scaling, self.passes)

    def without_constant(self, examples: SignedExamples | None) -> SignedExamples | None:
        if examples is None or not self.bias:
            return examples
        return replace(examples, rows=examples.rows[:, :-1])

    def constants(self, learner: Any) -> Floats:
        b = np.asarray(learner.intercept_, dtype=float) / self.scaling
        return b if self.bias else b * 0.0

    def limits(self, kept: KeptRows) -> tuple[str, ...]:
        if kept.complete or self.regresses:
            return ()
        if not self.plain:
            return ("names are hashed, counted or limited, so no exact separator was looked for",)
        return (
            f"more than {comparing.SMALL_CELLS:,} values: no exact separator was looked for; "
            "--exact would (audit_files(exact=True))",
        )

    def kept_comparators(
        self, kept: KeptRows, examples: SignedExamples | None, R: float
    ) -> tuple[list[Comparator], Separability | None]:
        """From the matrix, if all of the data is in it; else a certificate, if it holds one."""
        if examples is None or R == 0.0:
            return [], None
        bias = self.bias
        if not kept.complete:
            return [], comparing.subset_certificate(examples, bias, kept.margins)
        comparators: list[Comparator] = []
        decided: Separability | None = None
        if self.exact or comparing.is_small(examples):
            decided = comparing.decide(examples, bias)
            if isinstance(decided, Separable):
                margins = Margins.of_examples(examples, decided.weights)
                comparators.append(
                    Comparator("the separator of largest margin", decided.weights, margins)
                )
        C, squared = machine_cost(self.model, R)
        comparators += comparing.candidates(examples, None, C, squared)
        if decided is None and comparators:
            hardest = comparators[0].margins
            if hardest.gamma <= 0.0:
                decided = comparing.subset_certificate(examples, bias, hardest.values)
            if decided is None:
                separator = comparing.separating(examples)
                comparators += [separator] if separator else []
        return comparators, decided

    def monotone(
        self, tried: tuple[Comparator, ...], learner: Any, found: MeasuredFiles, kept: KeptRows,
        examples: SignedExamples | None,
    ) -> Monotone:  # fmt: skip
        model = self.model
        fixed = model.theta is not None
        plain = self.without_constant(examples)
        if kept.complete and plain is not None:
            vectors = tuple(c for c in tried if len(c.u))
            with_d = replace_theta(model, learner)
            view = monotone_view(with_d, plain, vectors, learner.clamped_)
            return replace(view, theta_is_fixed=fixed)
        weights = np.asarray(learner.coef_, dtype=float)[0]
        d = len(weights) * (2 if model.negations else 1)
        comparators: tuple[tuple[str, MonotoneMargins], ...] = ()
        if not model.negations and fixed and found.scores:
            scores = np.concatenate(found.scores) + float(model.theta or 0.0)
            signs = np.concatenate(found.signs)
            margins = MonotoneMargins(
                weights, scores[signs > 0], scores[signs < 0], found.boolean, True
            )
            comparators = (("the learner's averaged weights", margins),)
        return Monotone(
            d, float(model.theta or d), fixed, found.boolean,
            Disjunction(problem="not looked for: the data is not kept in memory"), comparators,
            learner.clamped_,
        )  # fmt: skip


def replace_theta(model: Winnow, learner: Any) -> Winnow:
    """The same options, θ fixed."""
    options = model.get_params(deep=False)
    if options["theta"] is None:
        n = int(np.atleast_2d(learner.coef_).shape[1])
        options["theta"] = float(2 * n if model.negations else n)
    return type(model)(**options)


def leads(scores: Floats, codes: Any) -> Floats:
    """By how much the right class leads its strongest rival."""
    scores = scores.copy()
    places = np.arange(len(codes))
    own = scores[places, codes].copy()
    scores[places, codes] = -np.inf
    return np.asarray(own - scores.max(axis=1))
