"""What a notebook shows of learners, committees and races; and what `import thresher` offers."""

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import thresher
from thresher import Experts, PassiveAggressive, PassiveAggressiveRegressor, Perceptron, Race
from thresher.learners.table import TABLE


class Balanced(HTMLParser):
    """Every element is closed where it must be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text = [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def shown(thing):
    return " ".join(Balanced(thing._repr_html_()).text)


def test_what_a_notebook_shows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    assert "has learned nothing yet" in shown(Perceptron())
    text = shown(Perceptron().fit(X, y, audit="live"))
    assert "200 examples" in text and "x0" in text and "+ for 1, − for 0" in text
    assert "bound" in text or "≤" in text, text
    model = PassiveAggressive()
    for i in range(8):
        model.learn_one({"<b>&": 1.0, f"f{i}": 1.0}, f"l{i % 5}")
    text = shown(model)
    assert "<b>&" in text and "and 2 more labels" in text
    assert "largest weights" in shown(PassiveAggressiveRegressor().fit(X, X[:, 0]))
    for made in (Experts().fit(X, y), Race([Perceptron(), PassiveAggressive()]).fit(X, y)):
        assert "most frequent label" in shown(made) and "most frequent label" in shown(
            made.standings_
        )
        lines = str(made.standings_).splitlines()
        assert lines[0].split()[:2] == ["learner", "error"] and len(lines) > 3
        assert lines[1].split()[0] == "1" and "last label" in "".join(lines)
        assert isinstance(made.standings_, list)


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_every_learner_has_a_picture(entry):
    learner = entry.cls(**entry.variants[0])
    assert "has learned nothing yet" in shown(learner)
    rows, labels = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1]] * 5, [0, 1, 1, 0] * 5
    assert "examples" in shown(learner.fit(rows, labels))


def test_the_package_shows_what_is_public():
    names = dir(thresher)
    assert {"Perceptron", "evaluate", "export", "features", "plots", "theory"} <= set(names)
    assert not {"Any", "TYPE_CHECKING", "importlib", "annotations"} & set(names)
    code = "import thresher; thresher.evaluate.Metrics, thresher.features, thresher.export.export"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    for name in names:
        assert getattr(thresher, name) is not None
