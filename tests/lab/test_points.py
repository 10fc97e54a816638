"""Where points come from: generated sets keep what they promise, tables say what is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import NaiveBayes, Perceptron, Snow, Winnow
from thresher.errors import InvalidInput
from thresher.lab.plane.points import KINDS, MOST_POINTS, generate, table
from thresher.theory import separability


def made(kind, **about):
    rows = np.array(generate({"kind": kind, **about})["points"])
    return rows[:, :2], rows[:, 2].astype(int)


@pytest.mark.parametrize("kind", KINDS)
@given(size=st.integers(1, 60), gamma=st.floats(0, 0.9), seed=st.integers(0, 2**32 - 1))
def test_a_seed_gives_the_same_points_again(kind, size, gamma, seed):
    about = {"kind": kind, "size": size, "gamma": gamma, "seed": seed}
    points = generate(about)["points"]
    assert points == generate(about)["points"]
    assert len(points) == size or kind == "tight"  # which ends when all are learned
    assert {label for *_, label in points} <= {-1, 1}
    assert np.isfinite(points).all()


@given(size=st.integers(20, 60), gamma=st.floats(0.01, 0.4), seed=st.integers(0, 10**6))
def test_separable_points_have_the_margin_that_was_asked_for(size, gamma, seed):
    X, y = made("separable", size=size, gamma=gamma, seed=seed)
    assert separability(X, y).separable
    if len(set(y)) == 2:
        # The two classes are 2γ apart along the line's direction, and rounding moves them little.
        gaps = np.linalg.norm(X[y > 0][:, None] - X[y < 0][None], axis=2)
        assert gaps.min() >= 2 * gamma - 3e-4


@pytest.mark.parametrize("gamma", [0.15, 0.2, 0.3])
def test_tight_points_bring_a_perceptron_near_its_bound(gamma):
    X, y = made("tight", size=400, gamma=gamma, seed=3)
    model = Perceptron(average=False).partial_fit(X, y, classes=[-1, 1])
    found = separability(X, y)
    bound = (1.0 + (X**2).sum(axis=1).max()) / found.margin**2
    assert found.margin == pytest.approx(gamma, abs=1e-3)
    assert 0.6 * bound < model.mistakes_ == len(X) <= bound


def test_points_without_negative_features_can_be_learned_by_those_that_need_them():
    for kind, models in (("positive", [Winnow(max_epochs=20)]), ("shares", [NaiveBayes(), Snow()])):
        X, y = made(kind, size=40, gamma=0.1, seed=3)
        assert X.min() >= 0 and X.max() <= 1 and separability(X, y).separable
        for model in models:
            assert model.fit(X, y).score(X, y) >= 0.9


def test_the_other_kinds_are_not_separable():
    for kind in ("noisy", "xor", "circles", "drifting"):
        assert not separability(*made(kind, size=100, gamma=0.1, noise=0.2, seed=1)).separable


def test_noise_is_the_part_of_wrong_labels():
    right = made("separable", size=2000, seed=5)[1]
    assert (made("noisy", size=2000, noise=0.0, seed=5)[1] == right).all()
    wrong = (made("noisy", size=2000, noise=0.2, seed=5)[1] != right).mean()
    assert 0.17 < wrong < 0.23


# -- tables


def test_a_table_with_names_takes_its_label_by_name():
    found = table({"text": "class,height,width\nyes,1.5,2\nno,-3,4e0\n"})
    assert found["points"] == [[1.5, 2.0, 1], [-3.0, 4.0, -1]]
    assert found["note"] == "x1 is height, x2 is width, + is yes, − is no."


@pytest.mark.parametrize("last", ["label", "class", "kind"])
def test_beside_x_a_column_y_is_a_coordinate(last):
    found = table({"text": f"x,y,{last}\n1.5,2,1\n-3,4,-1\n0,1,1\n"})
    assert found["points"] == [[1.5, 2.0, 1], [-3.0, 4.0, -1], [0.0, 1.0, 1]]
    assert table({"text": "y,x1,x2\n1,2,3\n-1,4,5\n"})["points"] == [[2, 3, 1], [4, 5, -1]]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_ends_of_lines_and_byte_order_marks_do_not_matter(mark, end):
    lines = [mark.join(row) for row in (["a", "b", "label"], ["1", "2", "1"], ["3", "4", "0"])]
    text = "\ufeff" + end.join(lines) + end * 3
    assert table({"text": text})["points"] == [[1.0, 2.0, 1], [3.0, 4.0, -1]]


@pytest.mark.parametrize(
    ("labels", "positive"),
    [(("1", "-1"), "1"), (("0", "1"), "1"), (("2", "10"), "10"), (("b", "a"), "b"),
     (("+", "-"), "+"), (("+1", "-1"), "+1"), (("no", "yes"), "yes"), (("True", "False"), "True")],
)  # fmt: skip
def test_the_larger_label_is_positive(labels, positive):
    for pair in (labels, labels[::-1]):
        found = table({"text": "".join(f"0.1,0.2,{label}\n" for label in pair)})
        assert [p[2] for p in found["points"]] == [1 if label == positive else -1 for label in pair]
        assert f"+ is {positive}," in found["note"]


@pytest.mark.parametrize(("label", "sign"), [("1", 1), ("-1", -1), ("0", -1)])
def test_a_table_of_one_class(label, sign):
    found = table({"text": f"1,2,{label}\n3,4,{label}\n5,6,{label}\n"})
    assert [p[2] for p in found["points"]] == [sign] * 3
    assert f"{'+' if sign > 0 else '−'} is {label}" in found["note"]
    assert f"{'−' if sign > 0 else '+'} is (none)" in found["note"]


def test_equal_points_with_opposite_labels_are_taken_as_they_are():
    assert table({"text": "1,2,1\n1,2,-1\n"})["points"] == [[1.0, 2.0, 1], [1.0, 2.0, -1]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n\n , ,\n", "empty"),
        ("a,b,label\n", "no rows"),
        ("1\n2\n", "1 column; expected three"),
        ("1,2\n3,4\n", "2 columns; expected three"),
        ("a,b,label\n1,2,1\n3,x,0\n", "line 3, b: found 'x'; expected a number"),
        ("a,b,label\n1,2,1\n3,,0\n", "line 3, b: found ''; expected a number"),
        ("1,2,1\n3,nan,0\n", "line 2, column 2: found nan; expected a number between"),
        ("1,2,1\ninf,2,0\n", "line 2, column 1: found inf"),
        ("1,2,1\n1e7,2,0\n", "found 1e7"),
        ("1,2,1\n3,4\n", "line 2 has 2 columns; expected 3"),
        ("1,2,1\n3,4,0,5\n", "line 2 has 4 columns; expected 3"),
        ("1,2,a\n3,4,b\n5,6,c\n", "3 values (a, b, c"),
        ("once,upon,a\ntime,there,was\n", "expected two columns of numbers"),
        ("a,b\n1,2,3\n", "expected"),
        ("a,b,c,label\n1,2,3\n", "expected"),
        ("label\n1,2,3\n", "expected"),
        ('1,2,"1\n3,4,0\n', "cannot be read as CSV"),
        ("1,2,a\n3,4,b\n5,6,c\n", "(a, b, c); expected two. The view Classes"),
        ("a\x00,b\x00", "not text in UTF-8"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text, said):
    with pytest.raises(InvalidInput) as error:
        table({"text": text})
    assert said in str(error.value)


def test_decimal_commas_are_read_where_something_else_parts_the_cells():
    found = table({"text": '"a";"b";label\n0,5;-1,25;yes\n2;3,0;no\n'})
    assert found["points"] == [[0.5, -1.25, 1], [2.0, 3.0, -1]]
    assert found["note"].startswith("Commas are read as decimal points. x1 is a,")


def test_a_column_that_numbers_the_rows_is_not_drawn():
    found = table({"text": '"","a","b","label"\n1,0.5,0.25,yes\n2,3,4,no\n'})
    assert found["points"] == [[0.5, 0.25, 1], [3.0, 4.0, -1]]


def test_a_line_is_counted_as_an_editor_counts_it():
    with pytest.raises(InvalidInput, match="line 5"):
        table({"text": "a,b,label\n\n1,2,1\n\n3,x,0\n"})


def test_a_long_table_is_sampled_and_says_so():
    rows = "".join(f"{i},{-i},{i % 2}\n" for i in range(2 * MOST_POINTS))
    found = table({"text": rows})
    assert len(found["points"]) == MOST_POINTS
    assert found["note"].startswith("2,000 of 4,000 rows, drawn at random.")
    told = table({"text": "1,2,1\n3,4,0\n", "rows": 10**6})
    assert told["note"].startswith("2 of 1,000,000 rows, drawn at random.")


@given(st.text(st.sampled_from("0123456789.,;\t\n\r\"'abe-+ \x00\ufeff"), max_size=60))
def test_any_text_is_a_table_or_says_why_not(text):
    try:
        points = table({"text": text})["points"]
    except InvalidInput:
        return
    assert np.isfinite(points).all()
    assert points
