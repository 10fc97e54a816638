"""A user's own rule: the same weights as the built-in, in plain Python and compiled."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import thresher
from thresher import MIRA, PassiveAggressive, Winnow
from thresher.errors import InvalidInput, ModelFileError


@thresher.rule(jit=False)
def pa_python(margin, sqnorm, *, C=1.0):
    return min(C, max(0.0, 1.0 - margin) / sqnorm)


@thresher.rule(jit=True)
def pa_compiled(margin, sqnorm, *, C=1.0):
    return min(C, max(0.0, 1.0 - margin) / sqnorm)


@thresher.rule(geometry="multiplicative", jit=False)
def doubling(margin, y, score):
    wrong = (score >= 0) != (y > 0)
    return np.log(2.0) if wrong else 0.0


@thresher.rule(geometry="balanced", jit=False)
def exponentiated(margin, *, eta=0.1):
    return eta if margin <= 0 else 0.0


def data(classes: int = 2, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 7))
    y = np.argmax(X @ rng.standard_normal((7, classes)) + rng.standard_normal((300, classes)), 1)
    return X, y


COMPILED = pytest.param(pa_compiled, marks=pytest.mark.nosanitize, id="compiled")


@pytest.mark.parametrize("own", [pytest.param(pa_python, id="python"), COMPILED])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("average", [False, True])
def test_own_rule_equals_built_in(own, classes, average):
    X, y = data(classes)
    built_in = PassiveAggressive(C=0.3, average=average).fit(X, y)
    mine = own(C=0.3, average=average).fit(X, y)
    np.testing.assert_array_equal(mine.coef_, built_in.coef_)
    np.testing.assert_array_equal(mine.intercept_, built_in.intercept_)
    assert mine.mistakes_ == built_in.mistakes_
    assert mine.updates_ == built_in.updates_


def test_multiplicative_rule_equals_winnow():
    rng = np.random.default_rng(1)
    X = (rng.random((300, 10)) < 0.4).astype(float)
    y = (X[:, 2] + X[:, 5] > 0).astype(int)
    winnow = Winnow().fit(X, y)
    own = doubling().fit(X, y)
    np.testing.assert_allclose(own.coef_, winnow.coef_, rtol=1e-12)
    assert own.mistakes_ == winnow.mistakes_


def test_balanced_rule_learns():
    X, y = data()
    assert exponentiated(max_epochs=20).fit(X, y).score(X, y) > 0.6


def test_scikit_learn_protocol_of_a_rule():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    X, y = data()
    assert clone(pa_python(C=0.5)).get_params()["C"] == 0.5
    search = GridSearchCV(pa_python(), {"C": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["C"] in (0.01, 1.0)
    assert repr(pa_python(C=0.5)) == "pa_python(C=0.5)"


@pytest.mark.parametrize("own", [pytest.param(pa_python, id="python"), COMPILED])
def test_save_load_and_pickle(tmp_path, own):
    X, y = data(3)
    model = own(C=0.2, average=True).fit(X[:200], y[:200])
    model.save(tmp_path / "m")
    for again in (thresher.load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert type(again) is own
        assert again.C == 0.2
        again.partial_fit(X[200:], y[200:])
        whole = own(C=0.2, average=True).fit(X, y)
        np.testing.assert_array_equal(again.coef_, whole.coef_)


def test_loading_without_the_rule_names_it(tmp_path):
    X, y = data()
    path = tmp_path / "m"
    pa_python().fit(X, y).save(path)
    code = f"import thresher; thresher.load({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ModelFileError" in done.stderr
    assert "'pa_python'" in done.stderr
    assert "@thresher.rule" in done.stderr
    with pytest.raises(ModelFileError, match="not_there"):
        thresher.rules.registered("not_there")


def test_a_rule_that_cannot_be_compiled_runs_as_python():
    cache: dict[str, float] = {}

    @thresher.rule()
    def remembering(margin):
        cache["last"] = margin  # Numba cannot write to a global dict
        return 1.0 if margin <= 0 else 0.0

    X, y = data()
    with pytest.warns(UserWarning, match="runs as plain Python"):
        model = remembering().fit(X, y)
    assert cache
    np.testing.assert_array_equal(model.coef_, thresher.Perceptron(average=False).fit(X, y).coef_)


def test_bad_rules_are_refused():
    with pytest.raises(InvalidInput, match="'speed'"):
        thresher.rule()(lambda speed: 1.0)
    with pytest.raises(InvalidInput, match="geometry"):
        thresher.rule(geometry="hyperbolic")

    def clash(margin, *, average=1.0):
        return 0.0

    with pytest.raises(InvalidInput, match="'average'"):
        thresher.rule()(clash)
    with pytest.raises(TypeError, match="unexpected keyword argument 'D'"):
        pa_python(D=1)


def test_two_classes_equal_mira():
    X, y = data()
    np.testing.assert_array_equal(
        MIRA(C=0.3).fit(X, y).coef_, pa_python(C=0.3, average=True).fit(X, y).coef_
    )
