"""The core's own exp, log, …: how close they are, and that their bits depend on nothing."""

import os
import re
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thresher._core import elementary, power

CORE = Path(__file__).parents[2] / "src" / "core"
PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899863"
)


def of(name, x):
    return float(elementary(name, np.array([x]))[0])


def ulps(found, exact):
    """How many units in the last place of the exact value lie between."""
    if exact == 0:
        return 0.0 if found == 0 else np.inf
    with localcontext() as context:
        context.prec = 60
        # The exponent of the float nearest to it; subnormal numbers all have the same.
        unit = max(np.frexp(float(abs(exact)))[1] - 53, -1074)
        return float(abs(Decimal(found) - exact) / Decimal(2) ** int(unit))


def in_decimals(name, x):
    x = Decimal(x)
    if abs(x) < Decimal("1e-30") and name in ("log1p", "tanh", "sin"):
        return x
    with localcontext() as context:
        context.prec = 100
        if name == "exp":
            return x.exp()
        if name == "log":
            return x.ln()
        if name == "log1p":
            return (1 + x).ln()
        if name == "tanh":
            return 1 - 2 / ((2 * x).exp() + 1)
        quarter = 0 if name == "sin" else 1
        return sine(x + quarter * PI / 2)


def sine(x):
    x = x % (2 * PI)
    total = term = x
    for n in range(1, 60):
        term *= -x * x / ((2 * n) * (2 * n + 1))
        total += term
    return total


small = st.floats(-0.5, 0.5)
CASES = {
    "exp": (st.floats(-690.0, 709.0) | small, 0.52),
    "log": (st.floats(5e-324, 1.7e308) | st.floats(0.5, 2.0), 0.52),
    "log1p": (st.floats(-0.999, 1e6) | small, 0.8),
    "tanh": (st.floats(-10.0, 10.0), 2.0),
    "sin": (st.floats(-1e6, 1e6), 0.8),
    "cos": (st.floats(-1e6, 1e6), 0.8),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_is_below_its_bound(name):
    numbers, bound = CASES[name]

    @given(numbers)
    def check(x):
        assert ulps(of(name, x), in_decimals(name, x)) <= bound

    check()


@given(st.floats(1e-300, 1e300) | st.floats(0.5, 2.0), st.floats(-50.0, 50.0) | small)
@example(2.0, 0.5)
def test_powers_are_close(x, y):
    with localcontext() as context:
        context.prec = 80
        exact = (Decimal(y) * Decimal(x).ln()).exp()
    if Decimal("1e-300") < exact < Decimal("1e308"):
        assert ulps(power(x, y), exact) <= 0.52


@given(st.integers(1, 30), st.integers(0, 10))
def test_powers_that_are_numbers_are_exact(whole, n):
    for x in (Fraction(whole), Fraction(whole, 4)):
        if (exact := x**n) < 2**53:
            assert power(float(x), float(n)) == float(exact)


def test_at_the_ends():
    inf, nan = np.inf, np.nan
    for name, x, expected in (
        ("exp", inf, inf), ("exp", -inf, 0.0), ("exp", 710.0, inf), ("exp", -746.0, 0.0),
        ("exp", 0.0, 1.0), ("exp", -745.1, 5e-324), ("log", 0.0, -inf), ("log", inf, inf),
        ("log", 1.0, 0.0), ("log", -1.0, nan), ("log1p", -1.0, -inf), ("log1p", 1e-300, 1e-300),
        ("tanh", 1e5, 1.0), ("tanh", -1e5, -1.0), ("sin", 0.0, 0.0), ("cos", 0.0, 1.0),
        ("sin", inf, nan), ("cos", nan, nan), ("exp", nan, nan), ("log", nan, nan),
    ):  # fmt: skip
        assert of(name, x) == expected or (np.isnan(expected) and np.isnan(of(name, x))), (name, x)
    for x, y, expected in (
        (0.0, 2.0, 0.0), (0.0, -1.0, inf), (0.0, 0.0, 1.0), (1.0, nan, 1.0), (2.0, inf, inf),
        (2.0, -inf, 0.0), (0.5, inf, 0.0), (inf, 2.0, inf), (inf, -2.0, 0.0), (2.0, 1e4, inf),
        (2.0, -1e4, 0.0), (-1.0, 2.0, nan), (nan, 1.0, nan),
    ):  # fmt: skip
        found = power(x, y)
        assert found == expected or (np.isnan(expected) and np.isnan(found)), (x, y, found)


def test_the_tables_are_what_they_say():
    rows = re.findall(r"\{([^{}]+)\},", (CORE / "elementary_tables.hpp").read_text())
    rows = [[float.fromhex(cell) for cell in row.split(",")] for row in rows]
    powers, logs = rows[:128], rows[128:]
    assert len(logs) == 128
    with localcontext() as context:
        context.prec = 60
        for i, (value, rest) in enumerate(powers):
            exact = Decimal(2) ** (Decimal(i) / 128)
            assert value == float(exact)
            assert rest == float((exact - Decimal(value)) / Decimal(value))
        for inverse, high, low in logs:
            assert (inverse * 2**12).is_integer() and (high * 2**42).is_integer()
            assert low == float(-Decimal(inverse).ln() - Decimal(high))


def test_the_core_calls_no_function_of_a_mathematical_library():
    """sqrt, fmod, frexp and scalbn are exact; every other one may differ in its last bit."""
    called = re.compile(
        r"\b(?:std::)?(exp2?|expm1|log(?:2|10|1p)?|pow|a?tanh?|a?sinh?|a?cosh?|cbrt|hypot|erf|"
        r"[lt]gamma)\("
    )
    for file in sorted(CORE.rglob("*.hpp")):
        if file.name == "elementary.hpp":
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = line.partition("//")[0].replace("fixed::", "fixed_")
            assert not called.search(code), f"{file.name}:{number}: {line.strip()}"


LEARN = """
import hashlib, numpy as np, warnings
from thresher import *
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.random((2000, 20)), rng.integers(0, 3, 2000)
for learner in (
    Winnow(theta=10.0), BalancedWinnow(), LogisticRegression(), Perceptron(calibrate=True),
    PNormPerceptron(p=3.5), Perceptron(prepare="fourier(32, gamma=1.0)"), NaiveBayes(), LDA(),
):
    for labels in (y, y > 0):
        model = learner.fit(X, labels)
        shown = [model.coef_, model.decision_function(X)]
        if isinstance(model, LogisticRegression) or getattr(model, "calibrate", False):
            shown.append(model.predict_proba(X))
        found = b"".join(np.ascontiguousarray(v).tobytes() for v in shown)
        print(hashlib.sha256(found).hexdigest())
"""
OLDER = "-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX_Usable,-AVX512F"


def test_the_bits_do_not_depend_on_what_the_processor_can_do():
    """glibc without fused multiply-add rounds exp, log and pow differently."""
    seen = []
    for tunables in ("", f"glibc.cpu.hwcaps={OLDER}"):
        env = os.environ | {"GLIBC_TUNABLES": tunables, "NPY_DISABLE_CPU_FEATURES": ""}
        done = subprocess.run(
            [sys.executable, "-c", LEARN], capture_output=True, text=True, check=True, env=env
        )
        seen.append(done.stdout)
    assert len(seen[0].splitlines()) == 16
    assert seen[0] == seen[1]
