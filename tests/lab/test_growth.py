"""Growth with n: counts are the library's, bounds hold, the Python of the page gives the means."""

import numpy as np
import pytest

from thresher import Perceptron, PNormPerceptron, Winnow
from thresher.lab.growth.measure import examples, python, run

STATE = {"target": "few", "k": 2, "density": "tenth", "p": 4.0, "sizes": 6}


def test_the_counts_are_those_of_the_learners_and_below_the_bounds():
    trace = run(STATE)
    assert trace["sizes"] == [16, 32, 64] and trace["settled"]
    X, y = examples(32, 2, 0.1, seed=3)
    models = Winnow(), PNormPerceptron(p=4.0), Perceptron(average=False)
    for found, model in zip(trace["learners"], models, strict=True):
        for _ in range(10):
            model.partial_fit(X, y, classes=[False, True])
        assert found["mistakes"][1][3] == model.mistakes_
        assert np.array_equal(model.predict(X), y)
    for state in (STATE, {**STATE, "target": "half", "density": "two"}):
        for found in run(state)["learners"]:
            for row, bound in zip(found["mistakes"], found["bound"], strict=True):
                assert max(row) <= bound


def test_slopes_are_fits_of_the_means():
    found = run(STATE)["learners"][2]
    n = np.log2([16, 32, 64])
    assert found["power"][3] == pytest.approx(np.polyfit(n, np.log2(found["mean"]), 1)[0])
    assert found["doubling"][2] == pytest.approx(found["mean"][1] - found["mean"][0])
    assert found["power"][:2] == [None, None]


def test_the_python_of_the_page_gives_its_means(capsys):
    exec(python(STATE)["python"], {})
    lines = capsys.readouterr().out.splitlines()
    means = np.array([found["mean"] for found in run(STATE)["learners"]]).T
    for line, n, mean in zip(lines, (16, 32, 64), means, strict=True):
        number, _, values = line.partition(" ")
        assert int(number) == n
        assert np.allclose([float(v) for v in values.strip("[]").split()], mean)
