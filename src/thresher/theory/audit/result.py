"""The result of an audit: a run's figures and every bound, with its assumptions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.theory.bounds import Assumption, Bound
from thresher.theory.separation import Inseparable, Separability

ROUNDING = 1e-9  # a bound may be met exactly, and both sides are sums of floats


@dataclass(frozen=True)
class RunCounts:
    """How a run went."""

    examples: int
    """Each pass over them counted."""
    mistakes: int | None
    """Of the online hypothesis, before it learned from the example; None for a regressor."""
    updates: int
    source: str
    """Whose run it is: a replay, or the model's own."""
    promotions: int | None = None
    """Of Winnow: mistakes on positive examples."""
    demotions: int | None = None
    """Of Winnow: mistakes on negative examples."""
    squared_loss: float | None = None
    """Σ ℓ² of the losses before each step, for learners whose theorem is about it."""

    def __str__(self) -> str:
        parts = [counted(self.examples, "example")]
        if self.mistakes is not None:
            parts.append(counted(self.mistakes, "mistake"))
        parts.append(counted(self.updates, "update"))
        return ", ".join(parts)


@dataclass(frozen=True)
class Row:
    """A theorem compared with the run."""

    bound: Bound
    compared: str
    """The figure that it bounds: "mistakes", "updates", "Σ ℓ²", "demotions"."""
    figure: float | None
    """That figure; None where the run did not count it, or the theorem is not about it."""
    comparator: str = ""
    """Which comparator gave this value: of several, the one with the smallest bound."""
    about: str = ""
    """Which learners the theorem is about, if not this one."""

    @property
    def theorem(self) -> str:
        return self.bound.theorem

    @property
    def statement(self) -> str:
        return self.bound.statement

    @property
    def value(self) -> float:
        return self.bound.value

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        return self.bound.assumptions

    @property
    def applies(self) -> bool:
        """All its assumptions were found to hold."""
        return self.bound.applies

    @property
    def holds(self) -> bool:
        """False only if the theorem applies and the run exceeds it: a bug, in one or the other."""
        if not self.applies or self.figure is None:
            return True
        return self.figure <= self.value * (1.0 + ROUNDING) + ROUNDING

    @property
    def ratio(self) -> float | None:
        """Figure over bound; None where the bound does not apply or says nothing."""
        if not self.applies or self.figure is None or not math.isfinite(self.value):
            return None
        if self.value == 0.0:
            return 0.0 if self.figure == 0.0 else math.inf
        return self.figure / self.value

    @property
    def reason(self) -> str:
        """Why it does not apply; empty if it does."""
        return "; ".join(f"{a.text} ({a.found})" for a in self.assumptions if not a.holds)

    def as_dict(self) -> dict[str, Any]:
        return {
            "theorem": self.theorem,
            "statement": self.statement,
            "applies": self.applies,
            "holds": self.holds,
            "bound": number(self.value) if self.applies else None,
            "compared": self.compared,
            "figure": number(self.figure),
            "ratio": number(self.ratio),
            "comparator": self.comparator or None,
            "reason": self.reason or None,
            "quantities": {name: number(value) for name, value in self.bound.quantities.items()},
            "assumptions": [
                {"text": a.text, "holds": a.holds, "found": a.found} for a in self.assumptions
            ],
        }


@dataclass(frozen=True)
class Least:
    """The least bound on mistakes that a family of learners has on a stream."""

    value: float
    learner: str
    """Whose bound it is: run it, and it makes at most so many mistakes."""
    theorem: str
    comparator: str

    def __str__(self) -> str:
        return f"{shown(self.value)} for {self.learner} ({self.theorem}; {self.comparator})"

    def as_dict(self) -> dict[str, Any]:
        return {
            "bound": self.value,
            "learner": self.learner,
            "theorem": self.theorem,
            "comparator": self.comparator,
        }


@dataclass(frozen=True)
class Favour:
    """Which family is promised fewer mistakes on this stream: that of Perceptron or of Winnow.

    Each side is the least of the family's bounds over all comparators that were tried; Winnow's
    family is Winnow, with and without negations, and Balanced Winnow, for several α. A side is None
    where no bound of the family applies. The lower bound decides: it says what is promised, and
    need not be the learner that makes fewer mistakes.
    """

    perceptron: Least | None
    winnow: Least | None

    @property
    def learner(self) -> str:
        """ "Perceptron" or "Winnow"; empty if neither has a bound."""
        if self.perceptron is None or self.winnow is None:
            return "Perceptron" if self.perceptron else "Winnow" if self.winnow else ""
        return "Perceptron" if self.perceptron.value <= self.winnow.value else "Winnow"

    def __str__(self) -> str:
        sides = {"Perceptron": self.perceptron, "Winnow": self.winnow}
        if not self.learner:
            return "neither: no bound of the Perceptron's or of Winnow's family applies"
        ((other, bound),) = ((name, side) for name, side in sides.items() if name != self.learner)
        against = str(bound) if bound else f"no bound of the family of {other}"
        return f"{self.learner}: {sides[self.learner]}, against {against}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "learner": self.learner or None,
            "perceptron": self.perceptron.as_dict() if self.perceptron else None,
            "winnow": self.winnow.as_dict() if self.winnow else None,
        }


@dataclass(frozen=True)
class Audit:
    """A run compared with the theorems. `print` it for a table; `rows` has all of it.

    `holds` is False only if a bound that applies was exceeded.
    """

    learner: str
    counts: RunCounts
    passes: int
    classes: tuple[Any, ...]
    R: float
    """The largest ‖x‖ (L2), the constant feature included if the learner has one."""
    R_inf: float
    """The largest |x_i| (L∞)."""
    comparators: tuple[str, ...]
    """Those that were tried, in words; each row says which it took."""
    separability: Separability | None
    """What was found of it, if it was looked for; the rows of a certificate are those of X."""
    realizable: bool | None
    """Whether a linear separator exists (boolean learners: a concept of the class); None: open."""
    why_realizable: str
    rows: tuple[Row, ...]
    favour: Favour | None = None
    notes: tuple[str, ...] = ()
    history: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    """Examples and mistakes so far, where the audit followed the run (files)."""

    @property
    def holds(self) -> bool:
        """Whether no bound that applies was exceeded."""
        return all(row.holds for row in self.rows)

    @property
    def applying(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.applies)

    @property
    def best(self) -> Row | None:
        """Of the bounds on mistakes (or updates) that apply, the smallest."""
        on_mistakes = [r for r in self.applying if r.compared in ("mistakes", "updates")]
        return min(on_mistakes, key=lambda row: row.value, default=None)

    def row(self, theorem: str) -> Row:
        """The row of a theorem, by its name."""
        for row in self.rows:
            if row.theorem == theorem:
                return row
        raise KeyError(f"no theorem {theorem!r}; there are {[r.theorem for r in self.rows]}")

    def __getitem__(self, theorem: str) -> Row:
        return self.row(theorem)

    @property
    def certificate(self) -> Any:
        """The proof that no separator exists; None if there is none, or it is undecided."""
        found = self.separability
        if isinstance(found, Inseparable) and found.certificate.exact:
            return found.certificate
        return None

    def facts(self) -> list[tuple[str, str]]:
        """The lines above the table, as name and text."""
        labels = ", ".join(str(c) for c in self.classes[:5]) + ("…" if self.classes[5:] else "")
        facts = [
            ("learner", self.learner),
            ("run", f"{self.counts.source}: {self.counts}"),
        ]
        if self.classes:
            facts.append(("labels", f"{len(self.classes)}: {labels}"))
        if not math.isnan(self.R):
            largest = "" if math.isnan(self.R_inf) else f", {self.R_inf:.6g} (L∞)"
            facts.append(("R", f"{self.R:.6g} (L2){largest}"))
        if self.why_realizable:
            verdict = {True: "yes", False: "no", None: "not decided"}[self.realizable]
            facts.append(("realizable", f"{verdict}: {self.why_realizable}"))
        if self.favour is not None:
            facts.append(("favours", str(self.favour)))
        facts += [("note", note) for note in self.notes]
        return facts

    def table(self) -> list[tuple[str, str, str, str, str]]:
        """Theorem, bound, what it bounds with its figure, ratio, and comparator or reason."""
        return [
            self._applied(row)
            if row.applies
            else (row.theorem, "–", "", "", f"does not apply; fails: {row.reason}")
            for row in self.rows
            if not row.about
        ]

    def applied(self) -> list[tuple[str, str, str, str, str]]:
        """The lines of `table` whose theorem applies."""
        return [self._applied(row) for row in self.rows if row.applies and not row.about]

    def failing(self) -> list[tuple[str, str]]:
        """Theorems about this learner that do not apply, and what fails."""
        return [(row.theorem, row.reason) for row in self.rows if not (row.applies or row.about)]

    def _applied(self, row: Row) -> tuple[str, str, str, str, str]:
        figure = "" if row.figure is None else f"{row.compared} {shown(row.figure)}"
        ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
        verdict = row.comparator if row.holds else "EXCEEDED: a bug, please report it"
        return row.theorem, shown(row.value), figure, ratio, verdict

    def elsewhere(self) -> str:
        """The theorems about other learners, in a line."""
        names = [row.theorem for row in self.rows if row.about]
        return f"about other learners: {'; '.join(names)}" if names else ""

    def __str__(self) -> str:
        facts = self.facts()
        wide = max(len(name) for name, _ in facts)
        lines = [f"{name.ljust(wide)}  {text}" for name, text in facts]
        rows = [("theorem", "bound", "the run", "ratio", "comparator"), *self.table()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines.append("")
        for theorem, bound, figure, ratio, verdict in rows:
            lines.append(
                f"{theorem.ljust(widths[0])}  {bound.rjust(widths[1])}  {figure.ljust(widths[2])}  "
                f"{ratio.rjust(widths[3])}  {verdict}".rstrip()
            )
        if self.elsewhere():
            lines += ["", self.elsewhere()]
        if not self.holds:
            lines += ["", "A BOUND THAT APPLIES WAS EXCEEDED. This is a bug: please report it."]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        facts = "".join(
            f"<tr><th>{escape(n)}</th><td colspan=4>{escape(t)}</td></tr>" for n, t in self.facts()
        )
        head = "".join(
            f"<th>{name}</th>" for name in ("theorem", "bound", "the run", "ratio", "comparator")
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.table()
        )
        return f"<table>{facts}<tr>{head}</tr>{body}</table>"

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: no infinity and no NaN."""
        found = self.separability
        certificate = self.certificate
        proof: Mapping[str, Any] | None = None
        if certificate is not None:
            proof = {
                "rows": list(certificate.rows),
                "weights": list(certificate.weights),
                "fit_intercept": certificate.fit_intercept,
                "exact": certificate.exact,
            }
        return {
            "learner": self.learner,
            "run": self.counts.source,
            "examples": self.counts.examples,
            "mistakes": self.counts.mistakes,
            "updates": self.counts.updates,
            "promotions": self.counts.promotions,
            "demotions": self.counts.demotions,
            "squared_loss": number(self.counts.squared_loss),
            "passes": self.passes,
            "classes": list(self.classes),
            "R": number(self.R),
            "R_inf": number(self.R_inf),
            "comparators": list(self.comparators),
            "realizable": self.realizable,
            "why_realizable": self.why_realizable or None,
            "margin": number(getattr(found, "margin", None)),
            "certificate": proof,
            "favours": self.favour.as_dict() if self.favour else None,
            "holds": self.holds,
            "rows": [row.as_dict() for row in self.rows],
            "notes": list(self.notes),
        }


def counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def number(value: float | None) -> float | int | None:
    """For JSON, which knows neither infinity nor NaN."""
    return None if value is None or not math.isfinite(value) else value


def shown(value: float) -> str:
    """A bound or a count as text."""
    if not math.isfinite(value):
        return "∞"
    if value >= 1e7 and value != round(value):
        return f"{value:.3g}"
    if value == round(value) or value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"
