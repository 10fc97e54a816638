"""Three classes and more: the view shows what the library learns, and its equations hold."""

import itertools

import numpy as np
import pytest

from printed_equations import check
from thresher.errors import InvalidInput
from thresher.lab.classes.as_python import python
from thresher.lab.classes.catalog import entries, model
from thresher.lab.classes.points import generate, table
from thresher.lab.classes.trace import ClassesSetup, run
from thresher.lab.classes.words import explain

MADE = {"kind": "wheel", "size": 24, "classes": 4, "noise": 0.15, "seed": 3}
CHOICES = {
    "perceptron": {"learning_rate": [1.0, 0.25], "margin": [0.0, 0.5]},
    "pa": {"C": [1.0, 0.1], "variant": ["PA", "PA-I", "PA-II"]},
    "mira": {"C": [1.0, 0.1], "constraints": ["all", "one"], "margin": [1.0, 0.5]},
}
PANELS = [
    {
        "learner": short,
        "options": {**dict(zip(options, chosen, strict=True)), "fit_intercept": bias},
    }
    for short, options in CHOICES.items()
    for chosen in itertools.product(*options.values())
    for bias in (True, False)
]


def state(panels, **more):
    return {"points": generate(MADE)["points"], "panels": panels, "epochs": 1, **more}


def test_the_run_is_that_of_the_library():
    for i in range(0, len(PANELS), 4):
        asked = state(PANELS[i : i + 4], epochs=2)
        trace, setup = run(asked), ClassesSetup(asked)
        for panel, (entry, options) in zip(trace["panels"], setup.panels, strict=True):
            learned = model(entry, options)
            X, y = setup.X[trace["sequence"]], np.take(setup.y, trace["sequence"])
            learned.partial_fit(X, y, classes=range(4))
            assert sum(panel["mistake"]) == learned.mistakes_
            assert sum(panel["update"]) == learned.updates_
            assert panel["moves"]["wrong"][-1] == np.sum(learned.predict(setup.X) != setup.y)
            last = np.array(list(panel["moves"]["W"][-1].values()))
            assert last[:, :2] == pytest.approx(learned.coef_, rel=1e-8)
            assert last[:, 2] == pytest.approx(learned.intercept_, rel=1e-8)


def test_every_equation_holds_and_the_python_of_a_step_gives_it():
    """From the first example, through the second and third class, to the end of an epoch."""
    capped = 0
    for panel in PANELS:
        asked = state([panel])
        trace = run(asked)
        moves = trace["panels"][0]["moves"]
        for t in (*range(1, 8), 12, 24):
            told = explain({"state": asked, "panel": 0, "sequence": trace["sequence"][:t]})
            said = check(told["maths"])
            capped += "C stops it" in told["maths"]
            now = moves["W"][np.searchsorted(moves["at"], t, side="right") - 1]
            for c in range(4):
                for p, v in zip(said.get(f"w{'₁₂₃₄'[c]}", ()), now.get(c, ()), strict=False):
                    assert p.low <= v <= p.high
            seen = {}
            exec(told["python"].replace("print(w)", "out = w"), seen)
            for c, w in seen["out"].items():
                assert now[c - 1][: len(w)] == pytest.approx(w, rel=1e-7, abs=1e-9)
    assert capped


def test_the_python_of_the_page_gives_its_numbers(capsys):
    asked = state([{"learner": "mira"}, {"learner": "perceptron"}], order="shuffled", epochs=2)
    exec(python(asked)["python"], {})
    told = capsys.readouterr().out
    for panel in run(asked)["panels"]:
        counts = f"{sum(panel['mistake'])} mistakes, {sum(panel['update'])} updates"
        assert f"{panel['name']}: {counts}" in told


def test_two_classes_only_and_none():
    points = [[0.5, 0.5, 1], [-0.5, 0.1, 0], [0.2, -0.3, 1]]
    for short in entries():
        trace = run(state([{"learner": short}], points=points))
        W = trace["panels"][0]["moves"]["W"][-1]
        assert sorted(W) == [0, 1]
        assert W[0] == [-v for v in W[1]]
    assert run(state([{"learner": "mira"}], points=[]))["sequence"] == []


def test_a_table_of_three_classes():
    rows = [f"{i % 3}.5,{i},{-i},{'abc'[i % 3]}" for i in range(12)]
    text = "\n".join(["one,two,three,kind", *rows])
    found = table({"text": text, "columns": [1, 2], "scaled": False})
    assert found["names"] == ["a", "b", "c"]
    assert found["choices"] == ["one", "two", "three"]
    assert sorted(found["points"]) == [[float(i), -float(i), i % 3] for i in range(12)]
    scaled = np.array(table({"text": text})["points"])
    assert scaled[:, :2].mean(axis=0) == pytest.approx([0, 0], abs=1e-5)
    assert scaled[:, :2].std(axis=0) == pytest.approx([1, 1], abs=1e-5)
    with pytest.raises(InvalidInput, match=r"the label has 12 values .*expected at most 8"):
        table({"text": "\n".join(f"1,2,k{i}" for i in range(12))})
    with pytest.raises(InvalidInput, match="two different columns"):
        table({"text": text, "columns": [1, 1]})
