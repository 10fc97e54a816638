"""Whatever a page sends to a view gets an answer or an error in words (the plane: test_answers)."""

from __future__ import annotations

import json

import pytest

from lab_questions import changed, places
from thresher.lab.serving.dispatch import QUESTIONS, Dispatcher

STATE = {
    "target": "x1 | !x3", "n": 5, "examples": 12, "draw": "half", "density": 0.5, "seed": 1,
    "panels": [{"learner": "winnow", "options": {"alpha": 2.0}}, {"learner": "halving"},
               {"learner": "elimination"}, {"learner": "perceptron", "options": {"margin": 0.1}}],
}  # fmt: skip
ASK = {"n": 5, "k": 2, "seed": 1, "questions": [[1, 2], []], "guess": [1]}
TEACH = {"n": 5, "target": [1, 2], "examples": [[1, 2], []]}
GAME = {
    "n": 5, "seed": 1,
    "moves": [{"do": "add", "i": 2}, {"do": "draw", "count": 3}, {"do": "teach", "on": [1, 2]},
              {"do": "remove", "i": 2}, {"do": "hard", "against": "winnow"}],
}  # fmt: skip
LINES = {
    "seed": 1,
    "moves": [{"do": "line", "angle": 30, "offset": 0.1}, {"do": "draw", "count": 3}],
}
CLASSES = {
    "points": [[0.5, 0.5, 0], [-0.5, 0.2, 1], [0.0, -0.6, 2]], "order": "shuffled", "epochs": 2,
    "panels": [{"learner": "mira", "options": {"C": 0.5, "constraints": "all"}},
               {"learner": "perceptron", "options": {"margin": 0.1}}], "seed": 1,
}  # fmt: skip
LANDSCAPE = {
    "task": "classify", "points": [[0.5, 0.5, 1], [-0.5, 0.2, -1], [0.0, -0.6, -1]],
    "loss": "squared", "eta": 0.5, "steps": 4,
}  # fmt: skip
GROWTH = {"target": "few", "k": 2, "density": "tenth", "p": 3.0, "sizes": 5}
GOOD = {
    "recording.page": {"lesson": "step"},
    "recording.part": {"lesson": "step", "part": 0},
    "growth.run": GROWTH,
    "growth.python": GROWTH,
    "landscape.surface": LANDSCAPE,
    "landscape.run": LANDSCAPE,
    "landscape.python": LANDSCAPE,
    "landscape.explain": {"state": LANDSCAPE, "path": "online", "t": 2},
    "landscape.generate": {"task": "classify", "size": 5, "noise": 0.1, "seed": 1},
    "classes.learners": {},
    "classes.run": CLASSES,
    "classes.python": CLASSES,
    "classes.explain": {"state": CLASSES, "panel": 0, "sequence": [0, 1, 2]},
    "classes.generate": {"kind": "row", "size": 9, "classes": 3, "noise": 0.1, "seed": 1},
    "classes.table": {
        "text": "a,b,c,kind\n1,2,3,u\n2,1,0,v",
        "rows": 2,
        "columns": [2, 0],
        "scaled": True,
    },
    "boolean.learners": {},
    "boolean.run": STATE,
    "boolean.bounds": STATE,
    "boolean.python": STATE,
    "boolean.target": {"n": 5, "k": 2, "form": "of", "m": 1, "negated": True, "seed": 1},
    "boolean.explain": {"state": STATE, "panel": 0, "t": 3},
    "boolean.proof": {"state": STATE, "panel": 0},
    "boolean.ask": ASK,
    "boolean.watch": {"n": 5},
    "boolean.teach": TEACH,
    "boolean.protocol": {"mode": "teach", **TEACH},
    "adversary.run": GAME,
    "adversary.python": GAME,
    "adversary.bury": {"n": 8, "depth": 2, "buried": 3},
    "adversary.line": LINES,
    "adversary.line.python": LINES,
}
WRONG = [None, True, -1, 10**400, 1e300, 1e-320, float("nan"), float("inf"), "x",
         "\ud800", "x1" * 3000, [], {}, [[]], [[1, 2, 3]] * 3,
         {"learner": "pa"}, {"do": "add"}]  # fmt: skip


def answered(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    json.dumps(answer, allow_nan=False)
    assert "fault" not in answer, (question, about, answer)
    return answer


def test_every_question_has_an_example_here():
    elsewhere = ("plane.", "lessons.", "runs.")  # test_answers.py, test_runs.py
    assert {name for name in QUESTIONS if not name.startswith(elsewhere)} == GOOD.keys()


@pytest.mark.parametrize("question", GOOD)
def test_a_good_question_is_answered(question):
    assert "answer" in answered(question, GOOD[question])


@pytest.mark.parametrize("question", GOOD)
def test_each_place_with_each_wrong_kind_is_answered(question):
    for where in places(GOOD[question]):
        for value in WRONG:
            answered(question, changed(GOOD[question], where, value))


@pytest.mark.parametrize("question", GOOD)
def test_what_is_missing_is_answered(question):
    about = GOOD[question]
    for name in about:
        answered(question, {key: value for key, value in about.items() if key != name})
    answered(question, {**about, "more": 1})
