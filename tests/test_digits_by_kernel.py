"""Freund & Schapire (1999) on a part of MNIST: who beats whom. All of it: benchmarks/."""

from pathlib import Path

import pytest

from shared_sets import digits
from thresher import VotedPerceptron

pytestmark = [pytest.mark.slow, pytest.mark.nosanitize]


def test_votes_beat_the_last_hypothesis_and_degree_4_beats_degree_1(shared_data: Path) -> None:
    X, y = (part[::20] for part in digits(shared_data, "train"))
    X_test, y_test = (part[::5] for part in digits(shared_data, "t10k"))
    errors = {}
    for degree in (1, 4):
        model = VotedPerceptron(
            "polynomial", degree=degree, fit_intercept=False, multiclass="one-vs-rest"
        ).fit(X, y)
        for way in ("last", "averaged", "voted"):
            errors[degree, way] = 1 - model.set_params(prediction=way).score(X_test, y_test)
        assert max(errors[degree, "averaged"], errors[degree, "voted"]) < errors[degree, "last"]
    for way in ("last", "averaged", "voted"):
        assert errors[4, way] < errors[1, way]
    assert errors[4, "voted"] < 0.1 < errors[1, "voted"]
