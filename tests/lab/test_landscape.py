"""The loss landscape: paths and heights are the library's, and the equations hold."""

import itertools
import re

import numpy as np
import pytest

from printed_equations import check
from thresher import (
    LMS,
    BatchPerceptron,
    PassiveAggressiveRegressor,
    Perceptron,
    RecursiveLeastSquares,
    lms_stability,
)
from thresher.errors import InvalidInput
from thresher.lab.landscape.as_python import python
from thresher.lab.landscape.paths import run
from thresher.lab.landscape.setup import generate
from thresher.lab.landscape.surface import surface
from thresher.lab.landscape.words import explain
from thresher.theory import SquaredError

KINDS = [("regress", "squared"), ("classify", "squared"), ("classify", "perceptron"),
         ("classify", "hinge"), ("classify", "0/1")]  # fmt: skip


def state(task="regress", loss="squared", **more):
    points = generate({"task": task, "size": 12, "noise": 0.1, "seed": 3})["points"]
    return {"task": task, "loss": loss, "points": points, "eta": 0.4, "steps": 30, **more}


def by_name(asked):
    return {path["name"]: path for path in run(asked)["paths"]}


def test_the_paths_are_those_of_the_learners():
    asked = state()
    points = np.array(asked["points"])
    X, y = points[:, :1], points[:, 1]
    order = np.arange(30) % 12
    found = by_name(asked)
    for name, model in (
        ("online", LMS(learning_rate=0.4, clip_predictions=False)),
        ("pa", PassiveAggressiveRegressor(variant="PA", epsilon=0.1, average=False,
                                          clip_predictions=False)),
        ("rls", RecursiveLeastSquares(clip_predictions=False)),
    ):  # fmt: skip
        model.partial_fit(X[order], y[order])
        w = [*np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])]
        assert found[name]["w"][-1] == pytest.approx(w, rel=1e-6)
        assert found[name]["J"][-1] == pytest.approx(np.mean((model.predict(X) - y) ** 2), rel=1e-6)
    asked = state("classify", "perceptron")
    points = np.array(asked["points"])
    found = by_name(asked)
    batch = BatchPerceptron(learning_rate=0.4, max_epochs=len(found["batch"]["w"]) - 1,
                            fit_intercept=False).fit(points[:, :2], points[:, 2])  # fmt: skip
    assert found["batch"]["w"][-1] == pytest.approx(np.ravel(batch.coef_), rel=1e-8)
    online = Perceptron(learning_rate=0.4, average=False, fit_intercept=False)
    online.partial_fit(points[order, :2], points[order, 2])
    assert found["online"]["w"][-1] == pytest.approx(np.ravel(online.coef_), rel=1e-8)


def test_a_passive_aggressive_step_goes_to_the_nearest_point_of_the_strip():
    asked = state(epsilon=0.15)
    path = np.array(by_name(asked)["pa"]["w"])
    stays = 0
    for t, (was, now) in enumerate(itertools.pairwise(path)):
        x, y = np.array([asked["points"][t % 12][0], 1.0]), asked["points"][t % 12][1]
        told = explain({"state": asked, "path": "pa", "t": t + 1})["words"]
        if np.array_equal(was, now):
            stays += 1
            assert abs(y - was @ x) <= 0.15 and "in the strip" in told
        else:
            assert abs(y - now @ x) == pytest.approx(0.15, abs=1e-7)
            assert (
                abs(np.cross(np.append(now - was, 0), np.append(x, 0))[2]) < 1e-7
            )  # at right angles
            assert abs(y - was @ x) > 0.15 and "nearest point of the strip" in told
    assert 0 < stays < 29
    assert "pa" not in by_name(state("classify"))


def test_batch_descent_runs_away_just_beyond_the_largest_rate():
    asked = state(steps=150)
    facts = lms_stability(np.array(asked["points"])[:, :1])
    assert surface(asked)["eta_max"] == facts.eta_max
    below, above = (by_name({**asked, "eta": f * facts.eta_max})["batch"]["J"] for f in (0.98, 1.1))
    assert below[-1] < below[0] < above[-1] > 100 * above[20]


def test_the_heights_are_those_of_j_and_the_lowest_point_is_lowest():
    found = surface(state())
    asked = np.array(state()["points"])
    J = SquaredError(asked[:, :1], asked[:, 1])
    v, n = found["window"], found["size"]
    for i, j in ((0, 0), (3, 50), (n - 1, n - 1)):
        w = [v["left"] + i * (v["right"] - v["left"]) / (n - 1),
             v["bottom"] + j * (v["top"] - v["bottom"]) / (n - 1)]  # fmt: skip
        assert found["values"][j * n + i] == pytest.approx(J.value(w), rel=1e-4)
    assert J.gradient(found["lowest"]) == pytest.approx([0, 0], abs=1e-12)
    assert found["least"] == pytest.approx(J.value(found["lowest"]))
    for axis in found["axes"]:  # J rises by λ along an axis
        w = np.add(found["lowest"], axis["direction"])
        assert J.value(w) - found["least"] == pytest.approx(axis["value"])


def test_every_equation_holds_and_the_python_gives_the_weights(capsys):
    for task, loss in KINDS:
        asked = state(task, loss)
        found = by_name(asked)
        for name, path in found.items():
            for t in (1, 2, 3, 14):
                told = explain({"state": asked, "path": name, "t": t})
                w = path["w"][min(t, len(path["w"]) - 1)]
                if t < len(path["w"]):
                    said = check(told["maths"]).get("w")
                    assert said is None or all(
                        p.low <= v <= p.high for p, v in zip(said, w, strict=True)
                    )
                exec(told["python"], {})
                text = capsys.readouterr().out.partition(":")[2]
                numbers = [float(v) for v in re.findall(r"-?\d[\d.e+-]*", text)]
                assert numbers[:2] == pytest.approx(w, rel=1e-5, abs=1e-7)
        exec(python(asked)["python"], {})
        assert len(capsys.readouterr().out.splitlines()) == len(found)


def test_points_without_a_loss_are_refused():
    for wrong in ({"points": []}, {"loss": "hinge"}):
        with pytest.raises(InvalidInput, match="expected"):
            run(state(**wrong))
    one_label = [[p[0], p[1], 1] for p in state("classify")["points"]]
    with pytest.raises(InvalidInput, match="same label"):
        run(state("classify", "hinge", points=one_label))
