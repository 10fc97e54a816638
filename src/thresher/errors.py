"""What Thresher raises, and what it warns of."""

from __future__ import annotations


class ThresherError(Exception):
    """The base of all errors of this library."""


class InvalidInput(ThresherError, ValueError):
    """An example, a label or an option that cannot be used; the message says where and what."""


class BadLine(InvalidInput):
    """A line of a file that cannot be used: which one, and what is wrong with it."""

    def __init__(self, message: str, path: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.path, self.line, self.column = path, line, column


class NotRealizable(InvalidInput):
    """An example that no concept left in a class agrees with: which one; nothing of it is learned.

    `row` is its number in the array that was given (0 for a single example), `example` and `label`
    are what was there.
    """

    def __init__(
        self, message: str, row: int = 0, example: object = None, label: object = None
    ) -> None:
        super().__init__(message)
        self.row, self.example, self.label = row, example, label


class DivergenceError(ThresherError, ArithmeticError):
    """A regressor's weights run away; the last good ones are kept."""


class ModelFileError(ThresherError, ValueError):
    """A file that is not a model, or a damaged one, or one of a newer version."""


class ModelInUse(ThresherError, RuntimeError):
    """A change to a model by code that this very model called: a rule, a rate, a handler."""


class ForkError(ThresherError, RuntimeError):
    """A model or a reader that a thread of the parent was at when this process forked off it."""


class NotLearned(ThresherError, ValueError, AttributeError):
    """A question to a learner that has not seen an example yet."""


class NotSeparableWarning(UserWarning):
    """The perceptron came back to weights it had before: no linear separator exists."""


class SaturationWarning(RuntimeWarning):
    """Multiplicative weights reached the end of their range and were held there."""
