"""Elimination: conjunctions and disjunctions, learned by deleting literals."""

from __future__ import annotations

import math
from typing import Any, Self

from thresher import ltu
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.boolean.bits import BitRows, named
from thresher.learners.boolean.learner import BooleanLearner, Positive
from thresher.ltu import ThresholdUnit, literal_name
from thresher.options import choice, flag

CELLS = 2**21  # of an array processed together


class LiteralsLeft(BooleanLearner):
    """What elimination keeps: literals of columns, or of names."""

    learned = (*BooleanLearner.learned, "_plain", "_negated", "_named")
    _plain: npt.NDArray[np.bool_]
    _negated: npt.NDArray[np.bool_]
    _named: _NamedLiterals | None = None


class Elimination(Positive, LiteralsLeft):
    """Start with all literals and delete those that an example rules out.

    A conjunction begins with every literal, so that it is always false; a positive example
    deletes the literals that are false in it. A disjunction also begins with every literal, and a
    negative example deletes those that are true in it. Each mistake deletes at least one: there are
    at most n + 1 (monotone: n), whatever the order of the examples.

    It keeps no example. Wrong labels are detected at the first example that its literals
    contradict; `fit` also checks all its rows again.

    Examples
    --------
    >>> from thresher import Elimination
    >>> model = Elimination().fit([[1, 1, 0], [1, 1, 1], [0, 1, 1]], ["yes", "yes", "no"])
    >>> model.hypothesis_, str(model.threshold_unit_), model.mistakes_
    ('x1 ∧ x2', 'x1 + x2 >= 2', 1)
    """

    settled = ("concept", "monotone", "positive")

    concept: str = choice(
        "conjunction",
        "disjunction",
        default="conjunction",
        doc='"conjunction" or "disjunction".',
    )
    monotone: bool = flag(
        default=True,
        doc="whether no variable is negated. Then `learn_one` also takes examples by names, of "
        "which there may be any number.",
    )

    def _start(self, n: int | None) -> None:
        self.checked()
        if n is None:
            if not self.monotone:
                raise InvalidInput(
                    "an example by names, of which there may be any number, for monotone=False; "
                    "expected bits: every name that ever comes would be negated in the examples "
                    "before. Use arrays, or monotone=True."
                )
            self._named = _NamedLiterals(self.concept)
        else:
            # Literals not deleted: x_i and ¬x_i for each column.
            self._plain = np.ones(n, bool)
            self._negated = np.full(n, not self.monotone)

    @property
    def _any(self) -> bool:
        return self.concept == "disjunction"

    # -- one example

    def _variables_of(self, x: Any) -> int:
        try:
            return len(x)
        except TypeError:
            raise InvalidInput(
                f"an example is {x!r}; expected bits, or names: a dict, a set, a list."
            ) from None

    def _one(self, x: Any) -> Any:
        if not named(x):
            if self._named is not None:
                raise self._needs_names()
            if self._width is None and self._variables_of(x) == 0:
                raise InvalidInput("an example without variables; expected at least one.")
        return super()._one(x)

    def _by_names(self, on: set[str]) -> Any:
        if self._width is not None:
            return super()._by_names(on)
        if self._named is None:
            self._start(None)
        return on

    def _needs_names(self) -> InvalidInput:
        return InvalidInput(
            "this model was trained on named features; expected names: dicts, sets or lists."
        )

    def _says(self, x: Any) -> bool:
        if self._named is not None:
            return self._named.says(x)
        # A disjunction is the negation of the conjunction of its negated literals.
        against = x == (1 if self._any else 0)
        ruled_out = (self._plain & against).any() or (self._negated & ~against).any()
        return bool(ruled_out) == self._any

    def _told(self, x: Any, value: bool) -> bool | None:
        if self._named is not None:
            return self._named.told(x, value)
        if self._says(x) == value:
            return False
        if value == self._any:  # deleting more literals would not help
            return None
        against = x == (1 if self._any else 0)
        self._plain = self._plain & ~against
        self._negated = self._negated & against
        return True

    def _join(self, other: Self, base: Self | None) -> None:
        """What either has deleted is deleted."""
        if self._named is not None and other._named is not None:
            self._named.join(other._named)
            return
        self._plain = self._plain & other._plain
        self._negated = self._negated & other._negated

    def _contradiction(self, value: bool) -> str:
        others = "negative" if self._any else "positive"
        return f"every {self.concept} that fits the {others} examples gives it the other label"

    # -- many

    def _begin(self, rows: BitRows, values: Any, classes: Any) -> list[bool]:
        if self._named is not None:
            raise self._needs_names()
        return super()._begin(rows, values, classes)

    def _values(self, rows: BitRows, begin: int, end: int) -> npt.NDArray[np.bool_]:
        """The hypothesis on many rows at once."""
        plain = rows.count(self._plain, begin, end)
        negated = rows.count(self._negated, begin, end)
        if self._any:
            return np.asarray((plain > 0) | (negated < self._negated.sum()))
        return np.asarray((plain == self._plain.sum()) & (negated == 0))

    def _learn_rows(self, rows: BitRows, truths: list[bool], values: npt.NDArray[Any]) -> None:
        """There are few mistakes: skip what is right in blocks, stop at what is wrong."""
        truth = np.array(truths)
        begin, step, longest = 0, 64, max(1, CELLS // rows.columns)
        while begin < rows.size:
            end = min(begin + min(step, longest), rows.size)
            wrong = np.flatnonzero(self._values(rows, begin, end) != truth[begin:end])
            right = int(wrong[0]) if len(wrong) else end - begin
            self._count(right, 0, 0)
            begin, step = begin + right, 64 if len(wrong) else 2 * step
            if len(wrong):
                bits, value = rows.row(begin), truths[begin]
                if self._step(bits, value) is None:
                    raise self._not_realizable(bits, values[begin], value, row=begin)
                begin += 1

    def _check_all(self, rows: BitRows, truths: list[bool], values: npt.NDArray[Any]) -> None:
        longest = max(1, CELLS // rows.columns)
        for begin in range(0, rows.size, longest):
            end = min(begin + longest, rows.size)
            wrong = np.flatnonzero(self._values(rows, begin, end) != truths[begin:end])
            if len(wrong):
                i = begin + int(wrong[0])
                raise self._not_realizable(rows.row(i), values[i], truths[i], row=i)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row."""
        from thresher.learners.base.examples import read_rows

        self._learned()
        if self._named is not None:
            raise self._needs_names()
        rows = BitRows(read_rows(X))
        self._check_columns(rows.columns, rows.names)
        longest = max(1, CELLS // rows.columns)
        parts = [
            self._values(rows, begin, min(begin + longest, rows.size))
            for begin in range(0, rows.size, longest)
        ]
        return self._labelled(np.concatenate(parts))

    # -- what was learned

    @property
    def known_features(self) -> int:
        """How many variables there are, or names that are kept."""
        return super().known_features if self._named is None else len(self._named.kept)

    @property
    def names_bytes(self) -> int:
        """The memory of the names that are kept."""
        if self._named is None:
            return super().names_bytes
        return sum(len(name.encode("utf-8", "surrogateescape")) for name in self._named.kept)

    @property
    def literals_(self) -> list[int]:
        """The literals not deleted, 3 for x3 and -3 for ¬x3; not for examples by names."""
        self._learned()
        if self._named is not None:
            raise self._needs_names()
        plain = (np.flatnonzero(self._plain) + 1).tolist()
        negated = (-np.flatnonzero(self._negated) - 1).tolist()
        return sorted([*plain, *negated], key=lambda v: (abs(v), -v))

    @property
    def hypothesis_(self) -> str:
        """The conjunction or disjunction of the literals not deleted."""
        self._learned()
        if self._named is not None:
            return self._named.text()
        words = [literal_name(v, self._variable_names()) for v in self.literals_]
        if not words:
            return "false" if self._any else "true"
        return (" ∨ " if self._any else " ∧ ").join(words)

    @property
    def threshold_unit_(self) -> ThresholdUnit | None:
        """The hypothesis as a threshold unit; None for examples by names."""
        self._learned()
        if self._named is not None:
            return None
        make = ltu.disjunction if self._any else ltu.conjunction
        return make(self.literals_, self.n_features_in_)

    def _why_no_unit(self) -> str:
        return "named features have no fixed number and order, which weights need"

    @property
    def bound_(self) -> float:
        """The most mistakes there can be: n + 1, or n if monotone.

        With names, whose number is not known in advance: for a conjunction 1 more than the first
        positive example had (inf before it); for a disjunction as many as were seen.
        """
        self._learned()
        if self._named is not None:
            return self._named.bound()
        return float(self.n_features_in_ + (not self.monotone))

    @property
    def version_space_size_(self) -> float | int:
        """How many concepts fit the examples that delete literals (positive ones, for a
        conjunction); inf for an unbounded number of names."""
        self._learned()
        if self._named is not None:
            return self._named.size()
        both = int((self._plain & self._negated).sum())
        one = int((self._plain ^ self._negated).sum())
        return int(3**both * 2**one)

    # -- files

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        arrays, facts = super()._pack()
        if self._named is not None:
            facts["named"] = self._named.facts()
        else:
            arrays["plain"] = self._plain.astype(np.uint8)
            arrays["negated"] = self._negated.astype(np.uint8)
        return arrays, facts

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        if facts["columns"] is not None and facts["columns"] != len(arrays["plain"]):
            raise InvalidInput("the literals do not fit the columns.")
        super()._unpack(arrays, facts)
        if self._named is not None:
            self._named.restore(facts["named"])
            return
        for name in ("plain", "negated"):
            bits, before = arrays[name], getattr(self, f"_{name}")
            if bits.dtype != np.uint8 or bits.shape != before.shape or (bits > before).any():
                raise InvalidInput("the literals do not fit the columns.")
            setattr(self, f"_{name}", bits.astype(bool))


class _NamedLiterals:
    """Monotone literals by name, where any name may appear: what is kept is still finite."""

    def __init__(self, concept: str) -> None:
        self.any = concept == "disjunction"
        self.left: set[str] | None = None  # of a conjunction: None, all names there are
        self.first = 0  # names in the first positive example
        self.deleted: set[str] = set()  # of a disjunction
        self.met: set[str] = set()

    def says(self, on: set[str]) -> bool:
        if self.any:
            return not on <= self.deleted
        return self.left is not None and self.left <= on

    def told(self, on: set[str], value: bool) -> bool | None:
        said = self.says(on)
        if said != value and value == self.any:
            return None
        if self.any:
            self.met |= on
            if said != value:
                self.deleted |= on
        elif said != value:
            self.first = len(on) if self.left is None else self.first
            self.left = on if self.left is None else self.left & on
        return said != value

    def join(self, other: _NamedLiterals) -> None:
        self.met |= other.met
        self.deleted |= other.deleted
        if self.left is None:
            self.left, self.first = other.left, other.first
        elif other.left is not None:
            self.left = self.left & other.left

    @property
    def kept(self) -> set[str]:
        return self.met if self.any else self.left or set()

    def text(self) -> str:
        if self.any:
            return " ∨ ".join([*sorted(self.met - self.deleted), "any name not met"])
        if self.left is None:
            return "all names there are"
        return " ∧ ".join(sorted(self.left)) or "true"

    def bound(self) -> float:
        if self.any:
            return float(len(self.met))
        return math.inf if self.left is None else 1.0 + self.first

    def size(self) -> float | int:
        return math.inf if self.any or self.left is None else 2 ** len(self.left)

    def facts(self) -> dict[str, Any]:
        left = None if self.left is None else sorted(self.left)
        return {
            "left": left, "first": self.first,
            "deleted": sorted(self.deleted), "met": sorted(self.met),
        }  # fmt: skip

    def restore(self, facts: dict[str, Any]) -> None:
        names = [*(facts["left"] or ()), *facts["deleted"], *facts["met"]]
        if not all(type(name) is str for name in names) or type(facts["first"]) is not int:
            raise InvalidInput("the names are not names.")
        self.left = None if facts["left"] is None else set(facts["left"])
        self.first = facts["first"]
        self.deleted, self.met = set(facts["deleted"]), set(facts["met"])
