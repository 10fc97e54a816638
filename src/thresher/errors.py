"""The errors and warnings of Thresher.

An error holds facts: what was found, where, what was expected, what to do. Its text is built from
them when it is shown. Callers that know more add it on the way up (``error.where.file = path``);
no code parses the text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Where:
    """Where in the input something is. What is not known is None."""

    file: str | None = None
    line: int | None = None  # from 1, as editors count
    column: int | None = None  # of the line, from 1
    row: int | None = None  # of an array or a table, from 0
    example: int | None = None  # of a batch or a run, from 0
    sequence: int | None = None  # from 0
    feature: object = None  # its name

    def __str__(self) -> str:
        example = self.example if self.line is None else None  # a line is more precise
        counted = {
            "line": self.line,
            "column": self.column,
            "row": self.row,
            "example": example,
            "sequence": self.sequence,
        }
        parts = [f"{what} {number}" for what, number in counted.items() if number is not None]
        if self.file is not None:
            parts.insert(0, self.file)
        if self.feature is not None:
            parts.append(f"feature {self.feature!r}")
        return ", ".join(parts)


class ThresherError(Exception):
    """The base of all errors of this library.

    `found` says what is wrong, `expected` what would have been right, `advice` what to do, `where`
    where it is; `kind` is a word for programs, and `value` the value that was found.
    """

    def __init__(
        self,
        found: str = "",
        *,
        expected: str = "",
        advice: str = "",
        where: Where | None = None,
        kind: str = "",
        value: object = None,
    ) -> None:
        super().__init__(found)
        self.found, self.expected, self.advice = found, expected, advice
        self.where = where or Where()
        self.kind, self.value = kind, value

    def __str__(self) -> str:
        place = str(self.where)
        text = f"{place}: {self.found}" if place else self.found
        if self.expected:
            text += f"; expected {self.expected}."
        if not self.advice:
            return text
        return f"{text}{'' if text.endswith(('.', ':', '?')) else '.'} {self.advice}"

    def advise(self, advice: str) -> None:
        """More advice, or what happened to the rest."""
        self.advice = f"{self.advice} {advice}" if self.advice else advice


class InvalidInput(ThresherError, ValueError):
    """An example, a label or an option that cannot be used."""


class ClusterError(ThresherError):
    """Machines that do not answer, or that cannot finish their part."""


class BadLine(InvalidInput):
    """A line of a file that cannot be used; `excerpt` shows it."""

    excerpt: str = ""

    def __str__(self) -> str:
        return "\n".join(filter(None, (f"{self.where}: {self.found}", self.excerpt, self.advice)))


class NotRealizable(InvalidInput):
    """An example that no concept left in a class agrees with. Nothing of it is learned.

    `example` and `label` are what was given, `why` is what contradicts it.
    """

    example: object = None
    label: object = None
    why: str = ""


class DivergenceError(ThresherError, ArithmeticError):
    """A regressor's weights diverge; the last good ones are kept."""


class ModelFileError(ThresherError, ValueError):
    """A file that is not a model, or a damaged one, or one of a newer version."""


class ModelInUse(ThresherError, RuntimeError):
    """A change to a model by code that this very model called: a rule, a rate, a handler."""


class ForkError(ThresherError, RuntimeError):
    """A model or a reader that a thread of the parent was using when this process was forked."""


class NotLearned(ThresherError, ValueError, AttributeError):
    """A call that needs a learner that has seen an example."""


class NotSeparableWarning(UserWarning):
    """Updates of the perceptron add up to exactly zero: no linear separator exists."""


class RoundingWarning(RuntimeWarning):
    """A perceptron stopped for a reason that rounding, or a tolerance, may have made."""


class SaturationWarning(RuntimeWarning):
    """Multiplicative weights reached the end of their range and were clamped there."""
