"""The game of a target that changes, as the page replays it."""

from __future__ import annotations

import contextlib
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import AROW, BalancedWinnow, PassiveAggressive, Perceptron, Winnow
from thresher.lab.adversary import game as adversary
from thresher.lab.serving.dispatch import Dispatcher
from thresher.theory.games import BuriedTarget, play


def ask(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    json.dumps(answer, allow_nan=False)
    assert "error" not in answer, answer
    return answer["answer"]


def refused(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    assert "fault" not in answer, answer
    return answer["error"]


def game(moves, n=16, seed=0):
    return ask("adversary.run", {"n": n, "seed": seed, "moves": moves})


def panels(trace):
    return {panel["short"]: panel for panel in trace["panels"]}


@pytest.mark.parametrize(("n", "depth", "buried"), [(32, 14, 12), (64, 20, 12), (16, 3, 5)])
def test_bury_it_is_the_game_of_the_library(n, depth, buried):
    moves = ask("adversary.bury", {"n": n, "depth": depth, "buried": buried})["moves"]
    trace = game(moves, n)
    found = panels(trace)
    for short, floor in (("winnow", None), ("winnow-r", 0.5)):
        model = Winnow(theta=n, floor=floor)
        result = play(model, BuriedTarget(n, depth, buried))
        assert found[short]["mistakes"] == model.mistakes_
        assert trace["cost"][-1] == result.cost
    assert found["winnow-r"]["mistakes"] <= trace["bound"][-1]
    assert found["winnow"]["mistakes"] - found["winnow-r"]["mistakes"] == (depth - 1) * buried


MOVES = st.lists(
    st.one_of(
        st.integers(1, 16).map(lambda i: ("toggle", i)),
        st.integers(1, 15).map(lambda c: ("draw", c)),
        st.sampled_from(list(adversary.TITLES)).map(lambda who: ("hard", who)),
        st.sets(st.integers(1, 16)).map(lambda on: ("teach", sorted(on))),
    ),
    max_size=25,
)


@given(MOVES, st.integers(0, 100))
def test_the_bound_is_never_passed_and_all_numbers_are_the_learners(moves, seed):
    target, made = set(), []
    n = 16
    for does, what in moves:
        if does == "toggle":
            made.append({"do": "remove" if what in target else "add", "i": what})
            target ^= {what}
        elif does == "draw":
            made.append({"do": "draw", "count": what})
        elif does == "teach":
            made.append({"do": "teach", "on": what})
        else:
            tried = [*made, {"do": "hard", "against": what}]
            answer = Dispatcher()({"id": 1, "ask": "adversary.run",
                                "with": {"n": n, "seed": seed, "moves": tried}})  # fmt: skip
            if "answer" in answer:
                trace, made = answer["answer"], tried
                assert panels(trace)[what]["mistake"][-1] == 1  # it was wrong, as announced
            else:
                assert "knows the target" in answer["error"]
    trace = game(made, n, seed)
    found = panels(trace)
    assert trace["target"] == sorted(target)
    totals = np.concatenate([[0], np.cumsum(found["winnow-r"]["mistake"])])
    assert (totals <= np.array(trace["bound"])).all()
    X = np.zeros((len(trace["labels"]), n))
    for row, on in zip(X, trace["examples"], strict=True):
        row[on] = 1.0
    for short, model in adversary.learners(n).items():
        if len(X):
            model.partial_fit(X, np.array(trace["labels"], bool), classes=[False, True])
            assert model.mistakes_ == found[short]["mistakes"] == sum(found[short]["mistake"])


@given(st.sets(st.integers(1, 6)), st.integers(0, 1000))
def test_the_hardest_example_is_wrong_and_none_means_none(target, seed):
    n = 6
    random = np.random.default_rng(seed)
    every = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)
    labels = every[:, [i - 1 for i in target]].any(axis=1) if target else np.zeros(len(every), bool)
    for model in adversary.learners(n).values():
        rows = random.integers(0, 2**n, 30)
        model.partial_fit(every[rows], labels[rows], classes=[False, True])
        wrong = (model.decision_function(every) >= 0) != labels
        x = adversary.hardest(model, target)
        assert (x is None) == (not wrong.any())
        if x is not None:
            assert wrong[int(x.astype(int) @ (1 << np.arange(n)))]


def test_lines_are_followed_by_the_learners_of_the_library():
    moves = [
        {"do": "line", "angle": 30, "offset": 0.1}, {"do": "draw", "count": 30},
        {"do": "line", "angle": -140.5, "offset": -0.3}, {"do": "draw", "count": 30},
    ]  # fmt: skip
    trace = ask("adversary.line", {"seed": 4, "moves": moves})
    points = np.array(trace["points"])
    assert trace["cost"] == [0] * 31 + [1] * 30
    for (start, line), end in zip(trace["lines"], (30, 60), strict=True):
        part = points[start:end]
        np.testing.assert_array_equal(np.sign(part[:, :2] @ line[:2] + line[2]), part[:, 2])
    made = {
        "perceptron": Perceptron(average=False),
        "pa": PassiveAggressive(variant="PA", average=False),
        "balanced": BalancedWinnow(),
        "arow": AROW(average=False),
    }
    for short, model in made.items():
        model.partial_fit(points[:, :2], points[:, 2].astype(int), classes=[-1, 1])
        panel = panels(trace)[short]
        assert panel["mistakes"] == model.mistakes_
        np.testing.assert_allclose(panel["moves"]["w"][-1][:2], model.coef_[0], rtol=1e-8)


@pytest.mark.parametrize("kind", ["disjunction", "line"])
def test_copied_python_gives_the_same_mistakes(kind):
    if kind == "line":
        moves = [{"do": "line", "angle": 30}, {"do": "draw", "count": 50}]
        about, asked = {"seed": 1, "moves": moves}, "adversary.line"
    else:
        moves = [{"do": "add", "i": 3}, {"do": "draw", "count": 50}, {"do": "teach", "on": []}]
        about, asked = {"n": 12, "seed": 1, "moves": moves}, "adversary.run"
    text = ask("adversary.line.python" if kind == "line" else "adversary.python", about)["python"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "copied", "exec"), {})
    counts = [int(line.rsplit(" ", 1)[1]) for line in printed.getvalue().splitlines()]
    assert counts == [panel["mistakes"] for panel in ask(asked, about)["panels"]]


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ([{"do": "add", "i": 3}, {"do": "add", "i": 3}], "x3, which is in the target already"),
        ([{"do": "remove", "i": 3}], "x3, which is not in the target"),
        ([{"do": "add", "i": 17}], "from 1 to 16"),
        ([{"do": "add", "i": True}], "moves[0].i"),
        ([{"do": "draw", "count": 10**6}], "from 1 to 1000"),
        ([{"do": "draw", "count": 1000}] * 4, "more than 3,000 rounds"),
        ([{"do": "hard", "against": "god"}], "expected one of"),
        ([{"do": "hard", "against": "winnow-r"}, *[{"do": "hard", "against": "winnow-r"}] * 99],
         "knows the target"),
        ([{"do": "teach", "on": [0]}], "from 1 to 16"),
        ([{"do": "teach", "on": [1] * 17}], "at most 16"),
        ([{"do": "jump"}], "expected one of"),
        ([None], "expected an object"),
        ("x", "expected a list"),
        ([{"do": "draw", "count": 1}] * 3001, "at most 3,000"),
    ],
)  # fmt: skip
def test_moves_that_cannot_be_made_are_refused(moves, why):
    for question in ("adversary.run", "adversary.python"):
        assert why in refused(question, {"n": 16, "seed": 0, "moves": moves})


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ({"seed": 0, "moves": []}, "expected a line first"),
        ({"seed": 0, "moves": [{"do": "draw"}]}, "expected a line first"),
        ({"seed": 0, "moves": [{"do": "line", "angle": float("inf")}]}, "angle is inf"),
        ({"seed": 0, "moves": [{"do": "line", "angle": 0, "offset": 5}]}, "offset is 5"),
        ({"seed": 0, "moves": [{"do": "line", "angle": 0}, *[{"do": "draw", "count": 1000}] * 4]},
         "4,000 rounds"),
        ({"seed": -1, "moves": []}, "seed is -1"),
    ],
)  # fmt: skip
def test_lines_that_cannot_be_drawn_are_refused(about, why):
    for question in ("adversary.line", "adversary.line.python"):
        assert why in refused(question, about)


def test_what_cannot_be_buried_is_refused():
    assert "less than n = 4" in refused("adversary.bury", {"n": 4, "depth": 3, "buried": 4})
    assert "n is 1" in refused("adversary.run", {"n": 1, "seed": 0, "moves": []})
    assert "from 2 to 128" in refused("adversary.run", {"n": 129, "seed": 0, "moves": []})
