"""Rows are prepared once in a race, and each learner ends as if it had prepared them alone."""

import numpy as np
import pytest

from thresher import (
    AROW,
    LMS,
    ExpertsRegressor,
    LogisticRegression,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Race,
    Winnow,
)
from thresher.errors import DivergenceError, InvalidInput
from thresher.race.runners import runners_of
from thresher.race.sharing import Sharing

STEPS = ["standard", "minmax", "maxabs, polynomial(2)", "unit", "standard, fourier(20, gamma=0.1)"]


def classifiers(prepare):
    return {
        "pa": PassiveAggressive(prepare=prepare, average=False),
        "arow": AROW(prepare=prepare, calibrate=True),
        "balanced": Perceptron(prepare=prepare, class_weight="balanced"),
        "logistic": LogisticRegression(prepare=prepare, step="1/sqrt(t)"),
        "given": Perceptron(prepare=prepare, class_weight={"a": 0.0}),
        "cut": Perceptron(prepare=prepare, threshold="f1"),
        "bare": PassiveAggressive(),
    }


def rows(n=300, seed=0):
    """Columns of different scale, zeros, a label of three that comes late, weights some of which
    are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1.0, 100.0, 0.01, 1.0, 1.0] + [0.0, 50.0, 0.0, 3.0, 0.0]
    X[rng.random(X.shape) < 0.3] = 0.0
    y = np.where(X[:, 1] > 50, "a", "b")
    y[n // 2 :][X[n // 2 :, 0] > 1] = "c"
    return X, y, rng.choice([0.0, 1.0, 2.5], n)


def state_of(model):
    model._drop_unmet()
    return model._model.state()


@pytest.mark.parametrize("holdout", [0, 7])
@pytest.mark.parametrize("prepare", STEPS)
def test_in_an_array(prepare, holdout):
    X, y, weights = rows()
    learners = classifiers(prepare)
    race = Race(learners, keep_all=True, holdout=holdout).fit(X, y, sample_weight=weights)
    for name, found in race.learners_.items():
        alone = Race([learners[name]], keep_all=True, holdout=holdout)
        alone.fit(X, y, sample_weight=weights)
        assert state_of(found) == state_of(alone.best_), name
        error = {row.name: row.error for row in race.standings_}[name]
        assert error == alone.standings_[0].error
        assert found.decision_function(X).tolist() == alone.decision_function(X).tolist()


@pytest.mark.parametrize("prepare", STEPS)
def test_in_a_file_with_names_that_come_late(prepare, tmp_path):
    X, _, _ = rows(3000)
    y = X @ [1.0, 0.02, 30.0, -1.0, 0.0]
    path = tmp_path / "rows.vw"
    with path.open("w") as lines:
        for i, (row, target) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
            names = ["a", "b", "c", "d", "late" if i > 1000 else "e"]
            cells = " ".join(f"{name}:{v!r}" for name, v in zip(names, row, strict=True) if v)
            lines.write(f"{target if i % 50 else ''} | {cells}\n")  # some without a label
    learners = {
        "lms": LMS(prepare=prepare, normalized=True),
        "pa": PassiveAggressiveRegressor(prepare=prepare),
        "free": LMS(prepare=prepare, step="scale-free"),
    }
    race = Race(learners, keep_all=True).fit_file(path)
    for name, found in race.learners_.items():
        alone = Race([learners[name]], keep_all=True).fit_file(path)
        assert state_of(found) == state_of(alone.best_), name
        assert alone.standings_[0].error == {r.name: r.error for r in race.standings_}[name]


def test_who_shares():
    def groups(*learners):
        return [[r.name for r in g] for g in Sharing(runners_of(learners))._groups]

    pa, arow = PassiveAggressive(prepare="standard"), AROW(prepare=["standard"])
    assert groups(pa, arow, Perceptron(), AROW(prepare="unit")) == [
        ["pa prepare=standard", "arow prepare=['standard']"]
    ]
    assert groups(pa, Perceptron(prepare="standard", class_weight={"a": 2.0})) == []
    # Winnow's are kept within [0, 1].
    assert groups(Winnow(prepare="minmax"), Perceptron(prepare="minmax")) == []


def test_a_winner_goes_on_alone():
    X, y, _ = rows()
    race = Race([PassiveAggressive(prepare="standard"), AROW(prepare="standard")], keep_all=True)
    race.fit(X[:200], y[:200])
    models = race.learners_
    for cls, found in zip((PassiveAggressive, AROW), models.values(), strict=True):
        found.partial_fit(X[200:], y[200:])
        alone = cls(prepare="standard").partial_fit(X, y)
        assert state_of(found) == state_of(alone)


def test_a_bad_value_is_told_as_for_one_learner():
    X, y, _ = rows()
    X[250, 2] = np.nan
    with pytest.raises(InvalidInput) as alone:
        PassiveAggressive(prepare="standard").fit(X, y)
    with pytest.raises(InvalidInput) as shared:
        Race([PassiveAggressive(prepare="standard"), AROW(prepare="standard")]).fit(X, y)
    assert str(shared.value) == str(alone.value)


def test_one_that_fails_leaves_and_the_others_share_on():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    wild = LMS(learning_rate=50.0, prepare="standard")
    race = Race([wild, LMS(prepare="standard"), LMS(prepare="standard", normalized=True)])
    race.fit(X, y)
    last = race.standings_[2]
    assert last.failed and "diverge" in last.reason
    alone = LMS(prepare="standard").partial_fit(X, y)
    assert state_of(race.learners_["lms prepare=standard"]) == state_of(alone)


def test_a_committee_of_which_no_member_can_go_on_has_learned_what_came_before():
    """Its rows were prepared to the end, but not learned."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    wild = {str(eta): LMS(learning_rate=eta, prepare="standard") for eta in (0.5, 0.55)}
    model = ExpertsRegressor(wild).partial_fit(X[:70], y[:70])
    with pytest.raises(DivergenceError) as stopped:
        model.partial_fit(X[70:], y[70:])
    row = stopped.value.where.row
    assert row > 64
    same = (
        ExpertsRegressor(wild)
        .partial_fit(X[:70], y[:70])
        .partial_fit(X[70 : 70 + row], y[70 : 70 + row])
    )
    assert state_of(model) == state_of(same)
