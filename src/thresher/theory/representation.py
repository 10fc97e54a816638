"""Which boolean functions are linear threshold units, and features over which the others are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.ltu import ThresholdUnit
from thresher.options import whole
from thresher.theory.certificate import Certificate
from thresher.theory.optional import scipy_part
from thresher.theory.separation import Inseparable, separability
from thresher.theory.signed import Floats

MOST_VARIABLES = 16  # 65,536 inputs; every one of them is checked
MOST_FEATURES = 100_000
LARGEST_DENOMINATOR = 5_040

Bits: TypeAlias = npt.NDArray[np.bool_]
Table: TypeAlias = npt.ArrayLike | Callable[[Sequence[int]], Any]


@dataclass(frozen=True)
class Representation:
    """The answer, with its proof: weights, or a certificate that there are none."""

    n: int
    unit: ThresholdUnit | None
    """Weights and threshold, whole numbers, checked on every input."""
    certificate: Certificate | None
    """λ ≥ 0 for rows of the truth table: as much weight on true inputs as on false ones, and both
    have the same mean, so that no hyperplane lies between them."""

    def __bool__(self) -> bool:
        return self.unit is not None

    def __str__(self) -> str:
        if self.unit is not None:
            return str(self.unit)
        assert self.certificate is not None
        inputs = ", ".join(word(row, self.n) for row in sorted(self.certificate.rows))
        return f"no threshold unit: the inputs {inputs} are in conflict"


def is_threshold_function(table: Table, n: int | None = None) -> Representation:
    """Decide whether a boolean function is a linear threshold unit w·x ≥ θ.

    `table` holds 2^n truth values, row r that of the input whose x_{i+1} is bit i of r, as
    `ThresholdUnit.truth_table` makes it; or it is a function of a list of n bits.

    Whether weights exist is decided by `separability`, in exact arithmetic. They are then found by
    linear programming (HiGHS): the least Σ|w_i| for which true and false inputs are at least 1
    apart, made whole numbers and checked on all inputs.

    >>> print(is_threshold_function(lambda x: x[0] and (x[1] or x[2]), n=3))
    2·x1 + x2 + x3 >= 3
    >>> xor = is_threshold_function([0, 1, 1, 0])
    >>> bool(xor), str(xor)
    (False, 'no threshold unit: the inputs 00, 10, 01, 11 are in conflict')
    """
    values = truth_values(table, n)
    bits = all_inputs(values)
    found = decide(bits, values)
    if isinstance(found, Certificate):
        return Representation(bits.shape[1], None, found)
    return Representation(bits.shape[1], found, None)


def decide(features: Floats, values: Bits) -> ThresholdUnit | Certificate:
    """A unit over these features that gives these values, or why there is none."""
    if values.all() or not values.any():
        return ThresholdUnit(np.zeros(features.shape[1]), 0.0 if values.all() else 1.0)
    found = separability(features, values)
    if isinstance(found, Inseparable):
        if not found.certificate.exact:
            raise InvalidInput(
                f"{len(values):,} inputs of {features.shape[1]} features: {found}. Expected fewer "
                "variables, or features of a lower degree."
            )
        return found.certificate
    least = in_whole_numbers(small_weights(features, values))
    # With true and false rows 2 apart, weights times d, rounded, still separate: each of the d is
    # off by at most a half.
    widest = np.rint(found.weights * (features.shape[1] / found.margin))
    for weights in (least, widest):
        sums = features @ weights
        threshold = sums[values].min()
        if sums[~values].max() < threshold:
            return ThresholdUnit(weights, float(threshold))
    raise AssertionError("rounded weights separate what they separated before")


def small_weights(features: Floats, values: Bits) -> Floats:
    """w with the least Σ|w_i| for which some θ has w·x ≥ θ on true rows, w·x ≤ θ − 1 on others.

    Rows enter the program as they turn out to be violated; few of the 2^n matter.
    """
    rows, d = features.shape
    sign = np.where(values, 1.0, -1.0)
    A = sign[:, None] * np.hstack([features, -features, -np.ones((rows, 1))])
    b = np.where(values, 0.0, 1.0)
    cost = np.append(np.ones(2 * d), 0.0)
    limits = [(0.0, None)] * (2 * d) + [(None, None)]
    used = np.unique(np.linspace(0, rows - 1, min(rows, 4 * d + 8)).astype(int))
    used = np.union1d(used, [int(np.argmax(values)), int(np.argmin(values))])
    linprog = scipy_part("optimize").linprog
    while True:
        program = linprog(cost, A_ub=-A[used], b_ub=-b[used], bounds=limits, method="highs-ds")
        short = b - A @ program.x
        violated = np.flatnonzero(short > 1e-7)
        if len(np.setdiff1d(violated, used)) == 0:
            return np.asarray(program.x[:d] - program.x[d : 2 * d])
        worst = violated[np.argsort(-short[violated], kind="stable")[: 4 * d + 8]]
        used = np.union1d(used, worst)


def in_whole_numbers(weights: Floats) -> Floats:
    """The weights times the factor that makes them integers, as fractions with small terms."""
    parts = [Fraction(v).limit_denominator(LARGEST_DENOMINATOR) for v in weights.tolist()]
    factor = math.lcm(*(p.denominator for p in parts))
    common = math.gcd(*(int(p * factor) for p in parts)) or 1
    return np.array([int(p * factor) // common for p in parts], dtype=float)


def truth_values(table: Table, n: int | None) -> Bits:
    if callable(table):
        if n is None:
            raise InvalidInput("a function needs n, the number of its variables; found None.")
        n = whole("n", n, 1)
        refuse_large(n)
        return np.array([bool(table([(r >> i) & 1 for i in range(n)])) for r in range(2**n)])
    values = np.asarray(table)
    size = values.size
    if values.ndim != 1 or size < 2 or size & (size - 1):
        raise InvalidInput(
            f"the truth table has shape {values.shape}; expected 2^n values for n ≥ 1 variables."
        )
    if not np.isin(values, (0, 1)).all():
        raise InvalidInput("the truth table has values other than 0 and 1, False and True.")
    if n is not None and size != 2 ** whole("n", n, 1):
        raise InvalidInput(f"the truth table has {size} values; expected 2^{n} for n = {n}.")
    refuse_large(size.bit_length() - 1)
    return values.astype(bool)


def refuse_large(n: int) -> None:
    if n > MOST_VARIABLES:
        raise InvalidInput(
            f"a truth table of {n} variables has 2^{n} rows; expected at most {MOST_VARIABLES} "
            "variables. For a sample of the inputs use separability(X, y)."
        )


def all_inputs(values: Bits) -> Floats:
    """The 2^n inputs, a row each."""
    n = len(values).bit_length() - 1
    return ((np.arange(len(values))[:, None] >> np.arange(n)) & 1).astype(float)


def word(row: int, n: int) -> str:
    """An input as its bits, x1 first."""
    return "".join(str((row >> i) & 1) for i in range(n))


# ------------------------------------------------------------------ features that make it linear


def conjunction_features(X: npt.ArrayLike, degree: int) -> tuple[Floats, list[str]]:
    """All conjunctions of 1 to `degree` variables, as columns, and their names.

    >>> values, names = conjunction_features([[1, 1, 0]], degree=2)
    >>> names
    ['x1', 'x2', 'x3', 'x1∧x2', 'x1∧x3', 'x2∧x3']
    >>> values.tolist()
    [[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]]
    """
    bits = np.asarray(X, dtype=np.float64)
    if bits.ndim != 2 or not np.isin(bits, (0.0, 1.0)).all():
        raise InvalidInput("conjunctions need a table of 0 and 1; make boolean features first.")
    n = bits.shape[1]
    degree = whole("degree", degree, 1)
    count = sum(math.comb(n, k) for k in range(1, degree + 1))
    if count > MOST_FEATURES:
        raise InvalidInput(
            f"{n} variables have {count} conjunctions of up to {degree}; expected at most "
            f"{MOST_FEATURES}. Take a lower degree, or fewer variables."
        )
    parts = [part for k in range(1, degree + 1) for part in combinations(range(n), k)]
    values = np.stack([bits[:, list(part)].all(axis=1) for part in parts], axis=1)
    return values.astype(float), ["∧".join(f"x{i + 1}" for i in part) for part in parts]


@dataclass(frozen=True)
class FeatureUnit:
    """A threshold unit over conjunctions of variables."""

    degree: int
    names: tuple[str, ...]
    unit: ThresholdUnit

    def __str__(self) -> str:
        terms = ""
        for name, w in zip(self.names, self.unit.weights.tolist(), strict=True):
            if w:
                size = "" if abs(w) == 1 else f"{abs(w):g}·"
                name = f"({name})" if "∧" in name else name
                sign = ("-" if w < 0 else "") if not terms else (" - " if w < 0 else " + ")
                terms += f"{sign}{size}{name}"
        return f"{terms or '0'} >= {self.unit.threshold:g}"


def threshold_degree(table: Table, n: int | None = None) -> FeatureUnit:
    """The smallest degree of conjunctions over which the function is a threshold unit.

    Degree n always suffices, as every boolean function is a polynomial of its variables.

    >>> print(threshold_degree([0, 1, 1, 0]))  # XOR
    x1 + x2 - 2·(x1∧x2) >= 1
    >>> print(threshold_degree(lambda x: (x[0] and x[1]) or (x[2] and x[3]), n=4))
    (x1∧x2) + (x3∧x4) >= 1
    """
    values = truth_values(table, n)
    bits = all_inputs(values)
    for degree in range(1, bits.shape[1] + 1):
        features, names = conjunction_features(bits, degree)
        found = decide(features, values)
        if isinstance(found, ThresholdUnit):
            return FeatureUnit(degree, tuple(names), found)
    raise AssertionError("every boolean function is a polynomial of degree n")
