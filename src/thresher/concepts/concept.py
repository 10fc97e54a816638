"""One boolean concept: its value on an input, its text, and its threshold unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher import ltu
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.ltu import ThresholdUnit, literal_name


def bits_of(x: Any, n: int, where: str = "x") -> npt.NDArray[np.uint8]:
    """x as n bytes, each 0 or 1."""
    try:
        values = np.asarray(x)
    except ValueError as error:
        raise InvalidInput(f"{where} is not a row of bits: {error}") from None
    if values.shape != (n,):
        raise InvalidInput(
            f"{where} has shape {values.shape}; expected {n} values, one for each of x1 … x{n}."
        )
    if values.dtype == bool:
        return np.ascontiguousarray(values).view(np.uint8)
    wrong = not_bits(values)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InvalidInput(
            f"{where}, variable x{i + 1} is {values[i].item()!r}; expected 0 or 1 (or False or "
            "True). Turn other values into yes/no features first, such as x > 0.5."
        )
    return np.asarray(values, dtype=np.uint8)


def not_bits(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Where an array holds something other than 0 and 1."""
    if values.dtype.kind not in "biufO":
        return np.ones(values.shape, bool)
    return np.asarray((values != 0) & (values != 1), dtype=bool)


@dataclass(frozen=True)
class Concept:
    """A boolean function of n variables. Call it with n values; print it to read it."""

    n: int

    def __call__(self, x: Any) -> bool:
        return self._value(bits_of(x, self.n))

    def _value(self, x: npt.NDArray[np.uint8]) -> bool:
        raise NotImplementedError

    def text(self, names: Sequence[str] | None = None) -> str:
        """The concept as text, with the names of its variables instead of x1 … xn."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.text()

    def threshold_unit(self) -> ThresholdUnit | None:
        """The same function as a threshold unit; None if it is not one, or not known to be."""
        return None

    @property
    def why_no_unit(self) -> str:
        """Why there is no threshold unit."""
        return ""

    def truth_table(self) -> npt.NDArray[np.bool_]:
        """The value for each of the 2^n inputs; row r is the input whose x_{i+1} is bit i of r."""
        if self.n > ltu.MOST_IN_A_TABLE:
            raise InvalidInput(
                f"a truth table of {self.n} variables has 2^{self.n} rows; expected at most "
                f"{ltu.MOST_IN_A_TABLE} variables. Ask for single inputs: concept(x)."
            )
        return np.array([self._value(input_number(r, self.n)) for r in range(2**self.n)])


def input_number(r: int, n: int) -> npt.NDArray[np.uint8]:
    """Row r of a truth table: the input whose x_{i+1} is bit i of r."""
    return np.array([r >> i & 1 for i in range(n)], dtype=np.uint8)


@dataclass(frozen=True)
class AtLeast(Concept):
    """At least m of some literals; all of them: a conjunction; one: a disjunction."""

    literals: tuple[int, ...]
    m: int
    form: str  # how it is written: "and", "or", "of"

    def _value(self, x: npt.NDArray[np.uint8]) -> bool:
        return sum(bool(x[abs(v) - 1]) == (v > 0) for v in self.literals) >= self.m

    def text(self, names: Sequence[str] | None = None) -> str:
        words = [literal_name(v, names) for v in self.literals]
        if self.form == "of":
            return f"at least {self.m} of {', '.join(words)}"
        if not words:
            return "true" if self.form == "and" else "false"
        return {"and": " ∧ ", "or": " ∨ "}[self.form].join(words)

    def threshold_unit(self) -> ThresholdUnit:
        return ltu.at_least(self.m, self.literals, self.n)


@dataclass(frozen=True)
class Parity(Concept):
    """Whether an odd number of some variables are 1."""

    variables: tuple[int, ...]

    def _value(self, x: npt.NDArray[np.uint8]) -> bool:
        return sum(int(x[v - 1]) for v in self.variables) % 2 == 1

    def text(self, names: Sequence[str] | None = None) -> str:
        return " ⊕ ".join(literal_name(v, names) for v in self.variables) or "false"

    def threshold_unit(self) -> ThresholdUnit | None:
        return ltu.disjunction(self.variables, self.n) if len(self.variables) < 2 else None

    @property
    def why_no_unit(self) -> str:
        if len(self.variables) < 2:
            return ""
        return "the parity of two or more variables is not linearly separable"


@dataclass(frozen=True)
class DecisionList(Concept):
    """If the literal is true then 1 else 0; without a literal, always the same value."""

    literal: int
    value: bool

    def _value(self, x: npt.NDArray[np.uint8]) -> bool:
        if not self.literal:
            return self.value
        return bool(x[abs(self.literal) - 1]) == (self.literal > 0)

    def text(self, names: Sequence[str] | None = None) -> str:
        if not self.literal:
            return f"always {int(self.value)}"
        return f"if {literal_name(self.literal, names)} then 1 else 0"

    def threshold_unit(self) -> ThresholdUnit:
        if self.literal:
            return ltu.conjunction([self.literal], self.n)
        return ltu.at_least(0 if self.value else 1, [], self.n)


@dataclass(frozen=True)
class TruthTable(Concept):
    """A concept given by its value for each of the 2^n inputs."""

    table: bytes
    name: str | None = None

    def _value(self, x: npt.NDArray[np.uint8]) -> bool:
        return bool(self.table[row_number(x)])

    def text(self, names: Sequence[str] | None = None) -> str:
        if self.name is not None:
            return self.name
        values = "".join(map(str, self.table[:64])) + ("…" if len(self.table) > 64 else "")
        return f"truth table {values}"

    @property
    def why_no_unit(self) -> str:
        return "a truth table need not be a threshold unit; a linear program can tell"


@dataclass(frozen=True)
class Predicate(Concept):
    """A concept given by a function of x, an array of n booleans."""

    function: Callable[[npt.NDArray[np.bool_]], Any] = field(repr=False)
    name: str

    def _value(self, x: npt.NDArray[np.uint8]) -> bool:
        return bool(self.function(x.astype(bool)))

    def text(self, names: Sequence[str] | None = None) -> str:
        return self.name

    @property
    def why_no_unit(self) -> str:
        return "a predicate is a function that one can only call"


def row_number(x: npt.NDArray[np.uint8]) -> int:
    """The row of a truth table that an input is in."""
    return sum(int(v) << i for i, v in enumerate(x))
