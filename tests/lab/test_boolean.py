"""What the boolean view shows is what the library says."""

from __future__ import annotations

import contextlib
import io
import json

import numpy as np
import pytest

from thresher import BalancedWinnow, Elimination, Halving, Perceptron, Winnow, concepts
from thresher.errors import NotRealizable
from thresher.lab.boolean import formula
from thresher.lab.serving.dispatch import Dispatcher
from thresher.lab.texts import figure, told_apart
from thresher.theory import bounds

ALL = ["winnow", "balanced", "winnow-r", "elimination", "halving", "perceptron"]


def state(target="x2 | x5 | x9", **changes):
    panels = [{"learner": name, "options": {}} for name in ALL]
    return {"target": target, "n": 32, "examples": 120, "draw": "half", "density": 0.5, "seed": 3,
            "panels": panels} | changes  # fmt: skip


def ask(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    json.dumps(answer, allow_nan=False)
    assert "error" not in answer, answer
    return answer["answer"]


def refused(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    assert "fault" not in answer, answer
    return answer["error"]


def data_of(given):
    target = formula.read(given["target"], given["n"])
    X = formula.draw(target, given["examples"], given["draw"], given["density"], given["seed"])
    return X, target.values(X)


LEARNERS = {
    "winnow": lambda n: Winnow(theta=n),
    "winnow-r": lambda n: Winnow(theta=n, floor=0.5),
    "balanced": lambda n: BalancedWinnow(),
    "perceptron": lambda n: Perceptron(average=False),
}


def weights_at_the_end(panel):
    w = np.array(panel["moves"]["start"])
    for index, value in zip(panel["moves"]["index"], panel["moves"]["value"], strict=True):
        w[index] = value
    return w


@pytest.mark.parametrize("draw", ["half", "uniform"])
@pytest.mark.parametrize("target", ["x2 | x5 | x9", "x1 & x2", "2 of x1 x3 x4", "(x1|x2)&x3"])
def test_linear_learners_are_those_of_the_library(target, draw):
    given = state(target, draw=draw)
    X, y = data_of(given)
    trace = ask("boolean.run", given)
    assert [sorted(np.flatnonzero(x).tolist()) for x in X] == trace["examples"]
    assert y.astype(int).tolist() == trace["labels"]
    for name, make in LEARNERS.items():
        panel = trace["panels"][ALL.index(name)]
        model = make(32).partial_fit(X.astype(float), y, classes=[False, True])
        assert sum(panel["mistake"]) == model.mistakes_, name
        assert sum(panel["update"]) == model.updates_, name
        w = weights_at_the_end(panel)
        np.testing.assert_allclose(w[:32], model.coef_[0], rtol=1e-8)
        if panel["constant"]:
            np.testing.assert_allclose(w[32], model.intercept_[0], rtol=1e-8, atol=1e-12)


def test_the_predictions_before_each_step_are_those_of_the_weights():
    trace = ask("boolean.run", state())
    X, _ = data_of(state())
    panel = trace["panels"][0]
    w = np.array(panel["moves"]["start"])
    moves = dict(zip(panel["moves"]["at"], range(len(panel["moves"]["at"])), strict=True))
    for t, x in enumerate(X):
        assert panel["score"][t] == pytest.approx(w @ x)
        assert panel["said"][t] == (w @ x >= 32)
        assert panel["mistake"][t] == (panel["said"][t] != trace["labels"][t])
        if t + 1 in moves:
            k = moves[t + 1]
            w[panel["moves"]["index"][k]] = panel["moves"]["value"][k]


def test_negated_literals_give_winnow_the_2n_literals():
    given = state("x1 | !x3", n=10)
    X, y = data_of(given)
    trace = ask("boolean.run", given)
    assert trace["columns"] == 20
    model = Winnow(theta=20, negations=True).partial_fit(X.astype(float), y, classes=[False, True])
    assert sum(trace["panels"][0]["mistake"]) == model.mistakes_
    found = ask("boolean.bounds", given)["bounds"]
    assert found[0]["value"] == bounds.winnow_disjunction(2, 20).value


def test_halving_and_elimination_are_those_of_the_library():
    given = state()
    X, y = data_of(given)
    trace = ask("boolean.run", given)
    halving = Halving(concepts.disjunctions(32, monotone=True, k=3), positive=True)
    elimination = Elimination("disjunction", positive=True)
    sizes, left = [halving.concepts.size], [32]
    for x, label in zip(X, y, strict=True):
        for model in (halving, elimination):
            model.partial_fit(x[None, :], [label], classes=[False, True])
        sizes.append(halving.version_space_size_)
        left.append(len(elimination.literals_))
    assert trace["panels"][4]["size"] == sizes
    assert trace["panels"][3]["left"] == left
    assert sum(trace["panels"][4]["mistake"]) == halving.mistakes_
    assert sum(trace["panels"][3]["mistake"]) == elimination.mistakes_
    assert trace["panels"][4]["names"][-1][1] == ["x2 ∨ x5 ∨ x9"]


def test_bounds_are_named_and_kept():
    found = ask("boolean.bounds", state())["bounds"]
    by = dict(zip(ALL, found, strict=True))
    assert by["winnow"]["value"] == bounds.winnow_disjunction(3, 32).value == 56
    assert by["winnow-r"]["value"] == bounds.winnow_r(3, 32).value
    assert by["elimination"]["value"] == 32
    assert by["halving"]["value"] == bounds.halving(4960).value
    assert by["perceptron"]["theorem"] == "Novikoff"
    assert by["balanced"]["theorem"] == "Balanced Winnow"
    trace = ask("boolean.run", state())
    for panel, bound in zip(trace["panels"], found, strict=True):
        assert bound["value"] is None or sum(panel["mistake"]) <= bound["value"]


def test_no_bound_where_an_assumption_fails():
    found = dict(zip(ALL, ask("boolean.bounds", state("2 of x1 x3 x4"))["bounds"], strict=True))
    assert found["winnow-r"]["value"] is None
    assert found["winnow-r"]["why"].startswith("every label is that of one disjunction")
    assert found["elimination"]["value"] is None


def test_a_class_too_large_says_so_and_what_would_do():
    panel = ask("boolean.run", state("x1 ^ x2"))["panels"][4]
    assert "4,294,967,296 parities" in panel["error"]
    assert "n = 20 it would do" in panel["error"]
    smaller = ask("boolean.run", state("x1 ^ x2", n=20))["panels"][4]
    assert smaller["size"][0] == 2**20
    none = ask("boolean.run", state("(x1 | x2) & x3"))["panels"][4]
    assert "needs a class" in none["error"]
    nine = state(" | ".join(f"x{i}" for i in range(1, 10)), n=60)
    said = ask("boolean.run", nine)["panels"][4]["error"]
    n = int(said.split("With n = ")[1].split(" ")[0])
    assert "error" not in ask("boolean.run", nine | {"n": n})["panels"][4]
    assert "error" in ask("boolean.run", nine | {"n": n + 1})["panels"][4]


def test_what_contradicts_elimination_is_said_and_it_stays():
    given = state("2 of x1 x3 x4")
    panel = ask("boolean.run", given)["panels"][3]
    X, y = data_of(given)
    model = Elimination("disjunction", positive=True)
    with pytest.raises(NotRealizable) as raised:
        model.partial_fit(X, y, classes=[False, True])
    assert panel["note"].startswith(f"Example {raised.value.where.row + 1} contradicts it")


@pytest.mark.parametrize("draw", ["half", "uniform"])
@pytest.mark.parametrize("target", ["x2 | x5 | x9", "x1 & !x3", "2 of x1 x3 x4", "(x1 | x2) & x3"])
def test_copied_python_gives_the_same_numbers(target, draw):
    given = state(target, draw=draw)
    text = ask("boolean.python", given)["python"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "copied", "exec"), {})
    trace = ask("boolean.run", given)
    shown = [p for p in trace["panels"] if "error" not in p and not p.get("note")]
    counts = [line for line in printed.getvalue().splitlines() if " mistakes, " in line]
    assert counts == [
        f"{p['title']}: {sum(p['mistake'])} mistakes, {sum(p['update'])} updates" for p in shown
    ]


def test_each_step_can_be_told():
    for target in ("x2 | x5", "x1 & !x3"):
        given = state(target, n=8, examples=30)
        trace = ask("boolean.run", given)
        for i, panel in enumerate(trace["panels"]):
            for t in range(1, 31):
                told = ask("boolean.explain", {"state": given, "panel": i, "t": t})
                assert ("mistake" in told["words"]) == bool(panel["mistake"][t - 1])
                assert told["maths"]
                lines = told["python"].replace("…\n", "").splitlines()
                exec("\n".join(lines), {})


BAD = [
    ({"target": "x40"}, "n is 32"),
    ({"target": "__import__('os')"}, "column 1"),
    ({"target": "x1|" * 900}, "at most 2000 letters"),
    ({"target": None}, "expected a text"),
    ({"n": 0}, "n is 0"),
    ({"n": 10**9}, "from 1 to 1000"),
    ({"n": True}, "n is True"),
    ({"n": 32.5}, "n is 32.5"),
    ({"n": 1000, "examples": 5000}, "take 200 examples"),
    ({"examples": -1}, "examples is -1"),
    ({"draw": "sql"}, "draw is"),
    ({"density": 2}, "density is 2"),
    ({"density": float("nan")}, "density is nan"),
    ({"seed": -1}, "seed is -1"),
    ({"panels": [{"learner": "os"}]}, "panels[0].learner"),
    ({"panels": [{"learner": "winnow", "options": {"floor": 1}}]}, "has an entry"),
    ({"panels": [{"learner": "winnow", "options": {"alpha": "2"}}]}, "expected a number"),
    ({"panels": [{"learner": "winnow"}] * 9}, "at most 8"),
    ({"panels": None}, "expected a list"),
    ({"more": 1}, "has an entry"),
]


@pytest.mark.parametrize(("change", "why"), BAD)
def test_what_a_page_must_not_send_is_refused(change, why):
    for question in ("boolean.run", "boolean.bounds", "boolean.python"):
        assert why in refused(question, state(**change))


def test_a_bad_option_is_the_panel_s_own_error():
    panels = [{"learner": "winnow", "options": {"alpha": 0.5}}, {"learner": "perceptron"}]
    trace = ask("boolean.run", state(panels=panels))
    assert "alpha" in trace["panels"][0]["error"]
    assert "error" not in trace["panels"][1]


def test_targets_at_random():
    text = ask("boolean.target", {"n": 20, "k": 4, "form": "or", "seed": 2})["target"]
    assert text.count("∨") == 3
    assert "k ≤ n" in refused("boolean.target", {"n": 3, "k": 4})
    assert "k is 0" in refused("boolean.target", {"n": 3, "k": 0})


@pytest.mark.parametrize("target", ["false", "true", "x1", "!x1", "x1 & !x1"])
@pytest.mark.parametrize("n", [1, 2, 1000])
def test_small_and_large_and_constant(target, n):
    given = state(target, n=n, examples=20)
    assert len(ask("boolean.run", given)["panels"]) == 6
    assert len(ask("boolean.bounds", given)["bounds"]) == 6


def test_numbers_of_the_captions_are_written_in_python():
    trace = ask("boolean.run", state("x2 | x5", n=12, examples=20))
    for panel in trace["panels"]:
        if "votes" in panel:
            assert panel["kept"] == [f"{size:,}" for size in panel["size"]]
            assert panel["voted"][0] == [f"{n:,} say {k}" for k, n in enumerate(panel["votes"][0])]
            continue
        assert len(panel["sum"]) == 20
        if "left" in panel:
            assert panel["kept"] == [f"{size} literals" for size in panel["left"]]
            assert panel["sum"][0] == f"{panel['score'][0]:.0f} of {panel['left'][0]} true"
        else:
            for line, score, said in zip(panel["sum"], panel["score"], panel["said"], strict=True):
                sign = "≥" if said else "<"
                assert line == f"w·x = {told_apart(score, panel['theta'])} {sign} " \
                               f"{figure(panel['theta'])}"  # fmt: skip
