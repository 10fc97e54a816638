"""A target concept as users type it: x2 ∨ x5 ∨ x9, x1 & !x3, 2 of x1 x3 x4, (x1 or x2) and not x7.

Parsed into a small tree, never evaluated as code. Anything not understood is an error that says at
which character, what was found there, and what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.concepts.concept import AtLeast, Concept, Parity
from thresher.errors import InvalidInput, Where

Bits = npt.NDArray[np.bool_]

MOST_LETTERS = 2000
MOST_NESTED = 40

TOKEN = re.compile(
    r"\s*(?:(?P<variable>[xX]_?[0-9]+)|(?P<number>[0-9]+)|(?P<word>[A-Za-z]+)"
    r"|(?P<sign>\|\||&&|[|∨&∧!~¬^⊕(),+*·])|(?P<odd>\S))"
)
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
MEANS = {
    "|": "or", "||": "or", "∨": "or", "+": "or", "or": "or",
    "&": "and", "&&": "and", "∧": "and", "*": "and", "·": "and", "and": "and",
    "!": "not", "~": "not", "¬": "not", "not": "not",
    "^": "xor", "⊕": "xor", "xor": "xor",
    "(": "(", ")": ")", ",": ",", "of": "of", "at": "at", "least": "least",
    "true": "true", "false": "false",
}  # fmt: skip
SHOWN = {"or": " ∨ ", "and": " ∧ ", "xor": " ⊕ "}
NUMPY = {"or": " | ", "and": " & ", "xor": " ^ "}


@dataclass(frozen=True)
class FormulaNode:
    """A literal (kind "x", its number m negative if negated), or a combination of parts."""

    kind: str  # x, not, and, or, xor, of (at least m of the parts)
    m: int = 0
    parts: tuple[FormulaNode, ...] = ()

    def values(self, X: Bits) -> Bits:
        """The value for each row of X."""
        if self.kind == "x":
            return X[:, self.m - 1]
        each = [part.values(X) for part in self.parts]
        if self.kind == "not":
            return ~each[0]
        if self.kind == "xor":
            return np.asarray(np.logical_xor.reduce(each), bool)
        held = np.sum(each, axis=0, dtype=np.int64) if each else np.zeros(len(X), np.int64)
        least = {"and": len(each), "or": 1}.get(self.kind, self.m)
        return np.asarray(held >= least, bool)

    def text(self, inside: str = "") -> str:
        if self.kind == "x":
            return f"x{self.m}"
        if self.kind == "not":
            return f"¬{self.parts[0].text('not')}"
        if self.kind == "of":
            return f"{self.m} of ({', '.join(p.text('of') for p in self.parts)})"
        if not self.parts:
            return "true" if self.kind == "and" else "false"
        words = SHOWN[self.kind].join(p.text(self.kind) for p in self.parts)
        return f"({words})" if inside in ("not", "and", "or", "xor") else words

    def python(self, inside: str = "") -> str:
        """As a NumPy expression over the columns of X."""
        if self.kind == "x":
            return f"X[:, {self.m - 1}]"
        if self.kind == "not":
            return f"~{self.parts[0].python('not')}"
        if not self.parts:
            return f"np.{'ones' if self.kind == 'and' else 'zeros'}(len(X), bool)"
        if self.kind == "of":
            counts = ", ".join(p.python() for p in self.parts)
            return f"(np.sum([{counts}], axis=0) >= {self.m})"
        words = NUMPY[self.kind].join(p.python(self.kind) for p in self.parts)
        return f"({words})" if inside else words

    def variables(self) -> set[int]:
        if self.kind == "x":
            return {self.m}
        return set().union(*(part.variables() for part in self.parts))

    def literal(self) -> int | None:
        """±i if it is x_i or ¬x_i."""
        if self.kind == "x":
            return self.m
        inner = self.parts[0].literal() if self.kind == "not" else None
        return None if inner is None else -inner


@dataclass(frozen=True)
class FormulaTarget:
    """What gives the examples their labels."""

    n: int
    tree: FormulaNode

    def values(self, X: Bits) -> Bits:
        return self.tree.values(X)

    @property
    def variables(self) -> list[int]:
        return sorted(self.tree.variables())

    def concept(self) -> Concept | None:
        """The concept of the library that it is: a junction, at least m of k, a parity; or None."""
        tree = self.tree
        kind, m, parts = tree.kind, tree.m, tree.parts
        if tree.literal() is not None:
            kind, parts = "or", (tree,)
        if kind == "not":
            return None
        found = [part.literal() for part in parts]
        literals = [v for v in dict.fromkeys(found) if v is not None]
        if None in found or len({abs(v) for v in literals}) < len(literals):
            return None
        literals.sort(key=abs)
        if kind == "xor":
            fits = len(literals) == len(found) and min(literals) > 0
            return Parity(self.n, tuple(literals)) if fits else None
        if kind in ("and", "or"):
            m = len(literals) if kind == "and" else 1
        elif m == 1 or m == len(literals):
            kind = "or" if m == 1 else "and"
        return AtLeast(self.n, tuple(literals), m, kind)

    def text(self) -> str:
        return self.tree.text()


def read(text: str, n: int) -> FormulaTarget:
    """The target that a text describes, over x1 … xn.

    >>> print(read("x2 | x5 | !x9", 10).concept())
    x2 ∨ x5 ∨ ¬x9
    >>> read("x2 | y", 10)
    Traceback (most recent call last):
    thresher.errors.InvalidInput: target, column 6: found 'y'; expected a variable such as x3.
    """
    if len(text) > MOST_LETTERS:
        raise InvalidInput(
            f"target has {len(text):,} letters; expected at most {MOST_LETTERS:,}, such as "
            "x2 | x5 | x9."
        )
    return FormulaTarget(n, _Reader(text.translate(SUBSCRIPTS), n).whole())


class _Reader:
    """Recursive descent: or < xor < and < not < variable."""

    def __init__(self, text: str, n: int) -> None:
        self.n = n
        self.tokens: list[tuple[str, str, int]] = []  # kind, text, position
        for found in TOKEN.finditer(text):
            kind = found.lastgroup
            written = found[0].strip()
            at = found.end() - len(written) + 1
            if kind == "variable":
                self.tokens.append(("x", written, at))
            elif kind == "number":
                self.tokens.append(("number", written, at))
            else:
                meaning = MEANS.get(written.lower(), "?")
                self.tokens.append((meaning, written, at))
        self.end = len(text) + 1
        self.at = 0
        self.depth = 0

    def whole(self) -> FormulaNode:
        if not self.tokens:
            raise InvalidInput("target is empty; expected variables, such as x2 | x5 | x9.")
        tree = self.level(("or", "xor", "and"))
        if self.at < len(self.tokens):
            raise self.unexpected("one of | & ^, or the end")
        return tree

    def next(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def unexpected(self, expected: str) -> InvalidInput:
        if self.at >= len(self.tokens):
            found, at = "the end", self.end
        else:
            _, written, at = self.tokens[self.at]
            found = repr(written[:20])
        return InvalidInput(f"found {found}", expected=expected, where=Where("target", column=at))

    def level(self, kinds: Sequence[str]) -> FormulaNode:
        if not kinds:
            return self.unary()
        parts = [self.level(kinds[1:])]
        while self.next() == kinds[0]:
            self.at += 1
            parts.append(self.level(kinds[1:]))
        return parts[0] if len(parts) == 1 else FormulaNode(kinds[0], parts=tuple(parts))

    def unary(self) -> FormulaNode:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.unexpected(f"at most {MOST_NESTED} negations and parentheses in each other")
        try:
            return self.primary()
        finally:
            self.depth -= 1

    def primary(self) -> FormulaNode:
        kind = self.next()
        if kind == "not":
            self.at += 1
            return FormulaNode("not", parts=(self.unary(),))
        if kind == "(":
            self.at += 1
            inner = self.level(("or", "xor", "and"))
            self.take(")", "a closing parenthesis")
            return inner
        if kind == "x":
            return self.variable()
        if kind in ("true", "false"):
            self.at += 1
            return FormulaNode("and" if kind == "true" else "or")
        if kind in ("at", "number"):
            return self.at_least()
        raise self.unexpected("a variable such as x3")

    def take(self, kind: str, expected: str) -> str:
        if self.next() != kind:
            raise self.unexpected(expected)
        self.at += 1
        return self.tokens[self.at - 1][1]

    def variable(self) -> FormulaNode:
        digits = self.tokens[self.at][1].lstrip("xX_")
        index = int(digits) if len(digits) < 10 else 0
        if not 1 <= index <= self.n:
            raise self.unexpected(f"x1 to x{self.n}: n is {self.n}")
        self.at += 1
        return FormulaNode("x", index)

    def at_least(self) -> FormulaNode:
        """2 of x1 x3 x4, at least 2 of (x1, ¬x3, x4)."""
        if self.next() == "at":
            self.at += 1
            self.take("least", "'least', as in at least 2 of x1, x3, x4")
        start = self.at
        written = self.take("number", "a number, as in 2 of x1, x3, x4")
        self.take("of", "'of', as in 2 of x1, x3, x4")
        bracket = self.next() == "("
        self.at += bracket
        parts: list[FormulaNode] = []
        while self.next() in ("x", "not", ","):
            if self.next() == ",":
                self.at += 1
            parts.append(self.literal())
        if bracket:
            self.take(")", "a closing parenthesis")
        m = int(written) if len(written) < 10 else 0
        if len({abs(part.literal() or 0) for part in parts}) < len(parts):
            self.at = start
            raise self.unexpected("each variable once after 'of'")
        if not parts:
            raise self.unexpected("variables after 'of', as in 2 of x1, x3, x4")
        if not 1 <= m <= len(parts):
            self.at = start
            raise self.unexpected(f"a number from 1 to {len(parts)}, as many as variables follow")
        return FormulaNode("of", m, tuple(parts))

    def literal(self) -> FormulaNode:
        negated = 0
        while self.next() == "not" and negated < MOST_NESTED:
            negated += 1
            self.at += 1
        if self.next() != "x":
            raise self.unexpected("a variable such as x3")
        node = self.variable()
        return FormulaNode("not", parts=(node,)) if negated % 2 else node


def chosen(n: int, k: int, form: str, m: int, negated: bool, seed: int) -> str:
    """A random target, as text: k of n variables, drawn uniformly."""
    if k > n:
        raise InvalidInput(f"k is {k}, n is {n}; expected k of the n variables, so k ≤ n.")
    if m > k:
        raise InvalidInput(f"m is {m}, k is {k}; expected at least m of k variables, so m ≤ k.")
    random = np.random.default_rng(seed)
    variables = sorted(int(i) + 1 for i in random.choice(n, k, replace=False))
    signs = random.random(k) < 0.5 if negated else np.zeros(k, bool)
    words = [f"¬x{i}" if no else f"x{i}" for i, no in zip(variables, signs, strict=True)]
    if form == "of":
        return f"{m} of {', '.join(words)}"
    return SHOWN[form].join(words)


def draw(target: FormulaTarget, count: int, kind: str, density: float, seed: int) -> Bits:
    """Examples: every bit 1 with probability `density`; or half of them positive."""
    random = np.random.default_rng(seed)
    X: Bits = random.random((count, target.n)) < density
    if kind == "half":
        wanted = random.random(count) < 0.5
        _make(target, X, wanted, random)
    return X


MOST_IN_A_TABLE = 12


def _make(target: FormulaTarget, X: Bits, wanted: Bits, random: np.random.Generator) -> None:
    """Redraw the variables of the target, among the values that give the wanted label."""
    concept = target.concept()
    if isinstance(concept, AtLeast):
        _make_at_least(concept, X, wanted, random)
        return
    columns = np.array(target.variables, np.int64) - 1
    if len(columns) > MOST_IN_A_TABLE:
        raise InvalidInput(
            f"the target has {len(columns)} variables; half positive examples of such a formula "
            f"are drawn for at most {MOST_IN_A_TABLE}. Take uniform bits."
        )
    table = np.zeros((2 ** len(columns), target.n), bool)
    for j, column in enumerate(columns):
        table[:, column] = np.arange(len(table)) >> j & 1
    labels = target.values(table)
    for label in (False, True):
        rows, inputs = np.flatnonzero(wanted == label), np.flatnonzero(labels == label)
        if len(inputs):  # a formula that is always true has no others
            X[np.ix_(rows, columns)] = table[random.choice(inputs, len(rows))][:, columns]


def _make_at_least(c: AtLeast, X: Bits, wanted: Bits, random: np.random.Generator) -> None:
    from math import comb

    k = len(c.literals)
    columns = np.abs(np.array(c.literals, np.int64)) - 1
    signs = np.array([v > 0 for v in c.literals], bool)
    for label in (False, True):
        held = [j for j in range(k + 1) if (j >= c.m) == label]
        if not held or not k:
            continue
        weights = np.array([float(comb(k, j)) for j in held])
        rows = np.flatnonzero(wanted == label)
        for row, j in zip(rows, random.choice(held, len(rows), p=weights / weights.sum()),
                          strict=True):  # fmt: skip
            on = np.zeros(k, bool)
            on[random.permutation(k)[:j]] = True
            X[row, columns] = on == signs


def literals_of(target: FormulaTarget) -> list[int]:
    """±i for each variable of the target, as the page marks them."""
    concept: Any = target.concept()
    if isinstance(concept, AtLeast):
        return list(concept.literals)
    return target.variables
