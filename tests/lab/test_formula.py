"""The text of a target: what it means, and where it is wrong."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.concepts.concept import AtLeast, Parity
from thresher.errors import InvalidInput
from thresher.lab.boolean import formula

N = 10


def every_input(n: int) -> np.ndarray:
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("x2 | x5 | x9", "x2 ∨ x5 ∨ x9"),
        ("x9 OR X5 or x_2", "x2 ∨ x5 ∨ x9"),
        ("x1 & !x3", "x1 ∧ ¬x3"),
        ("x₁ ∧ ¬x₃", "x1 ∧ ¬x3"),
        ("2 of x1 x3 x4", "at least 2 of x1, x3, x4"),
        ("at least 2 of (x1, ~x3, x4)", "at least 2 of x1, ¬x3, x4"),
        ("1 of x4, x3", "x3 ∨ x4"),
        ("3 of x1, x2, x3", "x1 ∧ x2 ∧ x3"),
        ("x1 ^ x2 xor x3", "x1 ⊕ x2 ⊕ x3"),
        ("!!x7", "x7"),
        ("false", "false"),
        ("true", "true"),
    ],
)
def test_what_the_library_has_a_class_for_is_a_concept_of_it(text, means):
    target = formula.read(text, N)
    concept = target.concept()
    assert str(concept) == means
    X = every_input(N)
    assert target.values(X).tolist() == [concept(x) for x in X]


@pytest.mark.parametrize(
    "text", ["(x1 | x2) & x3", "x1 & !x1", "!(x1 | x2)", "x1 ^ !x2", "x1 | x2 & x3"]
)
def test_other_formulas_have_values_and_no_class(text):
    target = formula.read(text, 4)
    assert target.concept() is None
    X = every_input(4)
    python = text.replace("!", " not ").replace("|", " or ").replace("&", " and ")
    for row, value in zip(X, target.values(X), strict=True):
        names = {f"x{i + 1}": bool(v) for i, v in enumerate(row)}
        said = python.replace("^  not x2", "!= (not x2)")
        assert bool(eval(said, {}, names)) == value


@given(st.text(alphabet="x123 |&!^()of,∨∧¬", max_size=40))
def test_what_is_read_is_written_and_read_again(text):
    try:
        target = formula.read(text, 9)
    except InvalidInput as error:
        assert str(error).startswith("target")
        return
    X = np.random.default_rng(0).random((50, 9)) < 0.5
    again = formula.read(target.text(), 9)
    np.testing.assert_array_equal(target.values(X), again.values(X))
    tree = ast.parse(target.tree.python(), mode="eval")
    assert all(
        node.id in ("X", "np", "len", "bool") for node in ast.walk(tree) if hasattr(node, "id")
    )
    np.testing.assert_array_equal(
        target.values(X), eval(target.tree.python(), {"X": X, "np": np, "len": len, "bool": bool})
    )


@pytest.mark.parametrize(
    ("text", "letter", "found"),
    [
        ("x1 |", 5, "the end"),
        ("x1 x2", 4, "'x2'"),
        ("x1 & (x2", 9, "the end"),
        ("x11", 1, "'x11'"),
        ("x1 | x0", 6, "'x0'"),
        ("x1; import os", 3, "';'"),
        ("__import__('os')", 1, "'_'"),
        ("x1.__class__", 3, "'.'"),
        ("3 of x1 x2", 1, "'3'"),
        ("2 of x1 x1", 1, "'2'"),
        ("2 of", 5, "the end"),
        ("!" * 100 + "x1", 41, "'!'"),
        ("(" * 1500, 41, "'('"),
        ("x1 \u202e", 4, repr("\u202e")),
        ("x" + "9" * 1000, 1, "'x999"),
    ],
)
def test_an_error_says_at_which_letter(text, letter, found):
    with pytest.raises(InvalidInput, match=rf"^target, column {letter}: found ") as raised:
        formula.read(text, N)
    assert f"found {found}" in str(raised.value)


@pytest.mark.parametrize(("text", "why"), [("", "is empty"), ("x1|" * 1000, "at most 2,000")])
def test_nothing_and_too_much_are_refused(text, why):
    with pytest.raises(InvalidInput, match=why):
        formula.read(text, N)


@pytest.mark.parametrize("text", ["x1 & x2 & x3 & x4 & x5", "x1 | !x2", "x1 ^ x2", "(x1|x2)&!x3"])
def test_half_of_the_examples_are_positive(text):
    target = formula.read(text, 8)
    X = formula.draw(target, 2000, "half", 0.3, seed=1)
    assert 0.46 < target.values(X).mean() < 0.54
    others = np.setdiff1d(np.arange(8), np.array(target.variables) - 1)
    assert 0.26 < X[:, others].mean() < 0.34


def test_a_target_at_random_has_k_of_n_variables():
    for form, kind in (("or", AtLeast), ("and", AtLeast), ("of", AtLeast), ("xor", Parity)):
        text = formula.chosen(20, 4, form, 2, negated=False, seed=5)
        concept = formula.read(text, 20).concept()
        assert isinstance(concept, kind)
        assert len(formula.literals_of(formula.read(text, 20))) == 4
    with pytest.raises(InvalidInput, match="k is 5, n is 4"):
        formula.chosen(4, 5, "or", 1, negated=False, seed=0)
    with pytest.raises(InvalidInput, match="m is 3, k is 2"):
        formula.chosen(4, 2, "of", 3, negated=False, seed=0)
