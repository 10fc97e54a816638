"""The structured classes: a few numbers that stand for millions of concepts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from thresher.concepts.concept import AtLeast, Concept, DecisionList, Parity, bits_of
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.ltu import check_variables, whole_number

if TYPE_CHECKING:
    from thresher.concepts.version_space import VersionSpace


MOST_VARIABLES = 100_000  # of classes with 2^n concepts or more: their sizes are exact numbers


def how_many(size: int) -> str:
    """A size as it is shown: exact, or its magnitude if it has too many digits to read."""
    return str(size) if size < 10**40 else f"about 10^{math.log10(size):.1f}"


class ConceptClass:
    """A finite set of boolean concepts over x1 … xn, each with a number from 0 to size − 1."""

    kind: ClassVar[str]
    n: int

    def __init__(self, n: Any) -> None:
        self.n = check_variables(n)

    @property
    def size(self) -> int:
        """The exact number of concepts, however large."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """What the class holds, in words."""
        raise NotImplementedError

    def concept(self, i: int) -> Concept:
        """Concept number i."""
        i = whole_number("i", i)
        if not 0 <= i < self.size:
            raise InvalidInput(f"concept {i}; expected 0 to {self.size - 1}.")
        return self._concept(i)

    def _concept(self, i: int) -> Concept:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Concept]:
        return (self._concept(i) for i in range(self.size))

    def sample(self, random_state: Any = None) -> Concept:
        """A concept drawn uniformly at random."""
        generator = np.random.default_rng(random_state)
        below = self.size
        words = (
            below.bit_length() // 32 + 2
        )  # one word more than needed: no concept is favoured by more than 2^-32
        r = int.from_bytes(generator.bytes(4 * words), "little")
        return self._concept(r * below >> 32 * words)

    def version_space(self) -> VersionSpace:
        """All the concepts, from which examples will remove those that do not fit."""
        from thresher.concepts.version_space import VersionSpace

        return VersionSpace(self)

    # -- for the core: the places of the concepts in a row of bits, and their values on an example

    def _shape(self) -> dict[str, Any]:
        raise NotImplementedError

    def _places(self) -> int:
        """Bits that the row has."""
        return self.size

    def _at(self, place: int) -> Concept:
        """The concept whose bit is this one."""
        return self._concept(place)

    def _column(self, x: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """What the core gets of an example: x itself, or the values of all concepts on it."""
        return x

    # -- as a value, and as text

    def settings(self) -> dict[str, Any]:
        """The numbers that define the class."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConceptClass):
            return NotImplemented
        return self.kind == other.kind and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash((self.kind, self.n, self.size))

    def __repr__(self) -> str:
        words = [f"{k}={v!r}" for k, v in self.settings().items() if k != "n" and v is not None]
        return f"{self.kind}({', '.join([str(self.n), *words])})"

    def __str__(self) -> str:
        variables = "x1" if self.n == 1 else f"x1 … x{self.n}"
        return f"{how_many(self.size)} {self.title} of {variables}"


class Junctions(ConceptClass):
    """Conjunctions or disjunctions of any number of literals."""

    form: ClassVar[str]

    def __init__(self, n: Any, monotone: Any = False) -> None:
        super().__init__(_few(n))
        self.monotone = _flag("monotone", monotone)

    @property
    def size(self) -> int:
        return int((2 if self.monotone else 3) ** self.n)

    @property
    def title(self) -> str:
        return ("monotone " if self.monotone else "") + self.kind

    def _concept(self, i: int) -> Concept:
        literals, base = [], 2 if self.monotone else 3
        for variable in range(1, self.n + 1):
            i, digit = divmod(i, base)
            if digit:
                literals.append(variable if digit == 1 else -variable)
        m = len(literals) if self.form == "and" else 1
        return AtLeast(self.n, tuple(literals), m, self.form)

    def _shape(self) -> dict[str, Any]:
        # The core knows "any of" for subsets and "all of" for signs; the other is its dual.
        if self.monotone:
            return {"kind": "subsets", "n": self.n, "all_sizes": True, "dual": self.form == "and"}
        return {"kind": "signs", "n": self.n, "dual": self.form == "or"}


class Conjunctions(Junctions):
    kind = "conjunctions"
    form = "and"


class Disjunctions(Junctions):
    kind = "disjunctions"
    form = "or"


class Choices(ConceptClass):
    """At least m of exactly k literals, of which no two have the same variable."""

    kind = "choices"

    def __init__(self, n: Any, k: Any, m: Any, monotone: Any = False, form: str = "of") -> None:
        super().__init__(n)
        self.k = _between("k", k, 1, min(self.n, MOST_VARIABLES), "literals of n variables")
        self.m = None if m is None else _between("m", m, 1, self.k, "as many as there are literals")
        self.monotone = _flag("monotone", monotone)
        if form not in ("and", "or", "of"):
            raise InvalidInput(f"form is {form!r}; expected 'and', 'or' or 'of'.")
        self.form = form

    @property
    def size(self) -> int:
        return self._row * (1 if self.m is not None else self.k)

    @property
    def _row(self) -> int:
        """The concepts of one m."""
        return math.comb(self.n, self.k) * int(self._signs**self.k)

    @property
    def _signs(self) -> int:
        return 1 if self.monotone else 2

    @property
    def title(self) -> str:
        prefix = "monotone " if self.monotone else ""
        if self.form != "of":
            return f"{prefix}{self.k}-{'con' if self.form == 'and' else 'dis'}junctions"
        return f"{prefix}concepts 'at least {self.m or 'm'} of {self.k}'"

    def _concept(self, i: int) -> Concept:
        row, i = divmod(i, self._row)
        literals: list[int] = []
        variable = 1
        while len(literals) < self.k:  # lexicographic: skip those that start with earlier variables
            left = self.k - len(literals) - 1
            each = math.comb(self.n - variable, left) * self._signs**left
            sign, rest = divmod(i, each) if each else (self._signs, 0)
            if sign < self._signs:
                literals.append(-variable if sign else variable)
                i = rest
            else:
                i -= each * self._signs
            variable += 1
        return AtLeast(self.n, tuple(literals), self.m or row + 1, self.form)

    def _shape(self) -> dict[str, Any]:
        least, most = (1, self.k) if self.m is None else (self.m, self.m)
        return {"kind": "choices", "n": self.n, "k": self.k, "least": least, "most": most,
                "negated": not self.monotone}  # fmt: skip


class SubsetsAtLeast(ConceptClass):
    """At least m of a set of variables, for every set of m or more."""

    kind = "subsets_at_least"

    def __init__(self, n: Any, m: Any = None) -> None:
        super().__init__(_few(n))
        self.m = None if m is None else _between("m", m, 1, self.n, "as many as there are")

    @property
    def size(self) -> int:
        if self.m is None:
            return self.n * int(2 ** (self.n - 1))  # a set of r variables has r values of m
        return _sets_of_at_least(self.m, self.n)

    @property
    def title(self) -> str:
        return f"concepts 'at least {self.m or 'm'} of a set'"

    def _concept(self, i: int) -> Concept:
        m = self.m or 1
        while self.m is None and i >= (row := _sets_of_at_least(m, self.n)):
            i, m = i - row, m + 1
        chosen, need = 0, m
        for bit in reversed(range(self.n)):  # sets in the order of their numbers
            without = _sets_of_at_least(need, bit)
            if i >= without:
                i, chosen, need = i - without, chosen | 1 << bit, need - 1
        return AtLeast(self.n, _variables(chosen), m, "of")

    def _shape(self) -> dict[str, Any]:
        least, most = (1, self.n) if self.m is None else (self.m, self.m)
        return {"kind": "subsets", "n": self.n, "least": least, "most": most}

    def _places(self) -> int:
        return int(2**self.n) * (self.n if self.m is None else 1)

    def _at(self, place: int) -> Concept:
        row, chosen = divmod(place, 2**self.n)
        return AtLeast(self.n, _variables(chosen), self.m or row + 1, "of")


class Parities(ConceptClass):
    kind = "parities"

    def __init__(self, n: Any) -> None:
        super().__init__(_few(n))

    @property
    def size(self) -> int:
        return int(2**self.n)

    title = "parities"

    def _concept(self, i: int) -> Concept:
        return Parity(self.n, _variables(i))

    def _shape(self) -> dict[str, Any]:
        return {"kind": "parities", "n": self.n}


class DecisionLists(ConceptClass):
    """Decision lists of length 1: a literal or its negation, or a constant."""

    kind = "decision_lists"

    @property
    def size(self) -> int:
        return 2 * self.n + 2

    title = "decision lists of length 1"

    def _concept(self, i: int) -> Concept:
        if i >= 2 * self.n:
            return DecisionList(self.n, 0, i > 2 * self.n)
        variable, negated = divmod(i, 2)
        return DecisionList(self.n, -(variable + 1) if negated else variable + 1, True)

    def _shape(self) -> dict[str, Any]:
        return {"kind": "listed", "size": self.size}

    def _column(self, x: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        return packed(np.concatenate([np.stack([x, 1 - x], axis=1).ravel(), [0, 1]]))


STRUCTURED: dict[str, type[ConceptClass]] = {
    kind.kind: kind
    for kind in (Conjunctions, Disjunctions, Choices, SubsetsAtLeast, Parities, DecisionLists)
}


def conjunctions(n: int, *, monotone: bool = False, k: int | None = None) -> ConceptClass:
    """Conjunctions over x1 … xn: 3^n, or 2^n monotone ones; of exactly k literals: 2^k·C(n,k).

    The conjunction of no literal is always true. `monotone`: no variable is negated.

    >>> conjunctions(40).size, conjunctions(100, k=3).size
    (12157665459056928801, 1293600)
    >>> print(conjunctions(9, monotone=True).concept(0b100010010))
    x2 ∧ x5 ∧ x9
    """
    return Conjunctions(n, monotone) if k is None else Choices(n, k, k, monotone, "and")


def disjunctions(n: int, *, monotone: bool = False, k: int | None = None) -> ConceptClass:
    """Disjunctions over x1 … xn: as many as conjunctions. That of no literal is always false.

    >>> print(disjunctions(3).concept(26))
    ¬x1 ∨ ¬x2 ∨ ¬x3
    """
    return Disjunctions(n, monotone) if k is None else Choices(n, k, 1, monotone, "or")


def m_of_n(
    n: int, m: int | None = None, *, k: int | None = None, monotone: bool = True
) -> ConceptClass:
    """At least m of a set of variables: of every set of m or more, or of each set of exactly k.

    Without `m`, for every m from 1 to the size of the set: n·2^(n−1) concepts, or k·C(n,k). With k
    the variables may also be negated: ``monotone=False``.

    >>> m_of_n(20).size, m_of_n(20, 2).size, m_of_n(50, 2, k=3).size
    (10485760, 1048555, 19600)
    >>> print(m_of_n(4, 2, k=3).concept(2))
    at least 2 of x1, x3, x4
    """
    if k is not None:
        return Choices(n, k, m, monotone)
    if not _flag("monotone", monotone):
        raise InvalidInput(
            "monotone=False without k; expected k, the number of literals, with negated variables."
        )
    return SubsetsAtLeast(n, m)


def parities(n: int) -> ConceptClass:
    """Whether an odd number of a set of variables are 1, for each of the 2^n sets.

    >>> print(parities(4).concept(0b1011))
    x1 ⊕ x2 ⊕ x4
    """
    return Parities(n)


def decision_lists(n: int) -> ConceptClass:
    """Decision lists of length 1, "if literal then b else c": 2n literals and two constants.

    Examples
    --------
    >>> [str(f) for f in decision_lists(1)]
    ['if x1 then 1 else 0', 'if ¬x1 then 1 else 0', 'always 0', 'always 1']
    """
    return DecisionLists(n)


def class_from(text: str) -> ConceptClass:
    """A class as it is typed.

    >>> class_from("conjunctions(10, monotone=True)").size
    1024
    """
    import ast

    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(text) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(text)
    makers = (conjunctions, disjunctions, m_of_n, parities, decision_lists)
    make: Any = {maker.__name__: maker for maker in makers}[call.func.id]
    try:
        made: ConceptClass = make(
            *map(ast.literal_eval, call.args),
            **{str(given.arg): ast.literal_eval(given.value) for given in call.keywords},
        )
        return made
    except TypeError:  # too few or too many
        raise ValueError(text) from None


def packed(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """Booleans (or rows of them) as 64-bit words, the first one lowest."""
    bits = np.packbits(np.asarray(values, dtype=bool), axis=-1, bitorder="little")
    bits = np.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, -bits.shape[-1] % 8)])
    return np.ascontiguousarray(bits).view("<u8").astype(np.uint64, copy=False)


def input_of(concepts: ConceptClass, x: Any) -> npt.NDArray[Any]:
    """An example as the core takes it."""
    return concepts._column(bits_of(x, concepts.n))


def _sets_of_at_least(m: int, n: int) -> int:
    """How many subsets of n have m or more members."""
    total, sets = 0, 1  # of 0 members, of 1, …
    for r in range(min(m, n + 1)):
        total += sets
        sets = sets * (n - r) // (r + 1)
    return int(2**n) - total


def _variables(chosen: int) -> tuple[int, ...]:
    return tuple(i + 1 for i in range(chosen.bit_length()) if chosen >> i & 1)


def _few(n: Any) -> int:
    n = check_variables(n)
    if n > MOST_VARIABLES:
        raise InvalidInput(
            f"n is {n}; expected at most {MOST_VARIABLES} for a class of 2^n concepts or more. "
            "Elimination takes any number of variables."
        )
    return int(n)


def _between(name: str, value: Any, least: int, most: int, why: str) -> int:
    number = whole_number(name, value)
    if not least <= number <= most:
        raise InvalidInput(f"{name} is {number}; expected {least} to {most}, {why}.")
    return number


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool) and getattr(value, "dtype", None) != "bool":
        raise InvalidInput(f"{name} is {value!r}; expected True or False.")
    return bool(value)
