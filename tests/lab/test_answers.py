"""Whatever a page sends, it is answered: with what JSON can hold, or with what is wrong."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab_questions import changed, places
from thresher.lab.plane.catalog import entries, listed
from thresher.lab.serving.dispatch import QUESTIONS, Dispatcher

DISPATCH = Dispatcher()

POINTS = [[0.5, 0.5, 1], [-0.5, 0.2, -1], [0.1, -0.9, -1]]
STATE = {"points": POINTS, "panels": [{"learner": "perceptron", "options": {"margin": 0.5}},
                                      {"learner": "kernel-perceptron", "options": {}}],
         "order": "given", "epochs": 2, "seed": 0}  # fmt: skip
GOOD = {
    "plane.learners": {},
    "lessons.list": {},
    "lessons.screen": {"lesson": "step", "screen": 1},
    "plane.run": STATE,
    "plane.bounds": STATE,
    "plane.field": {"state": STATE, "panel": 1, "t": 3, "window": [-1.0, 1.0, -1.0, 1.0]},
    "plane.explain": {"state": STATE, "panel": 1, "sequence": [0, 1, 0]},
    "plane.generate": {"kind": "separable", "size": 9, "gamma": 0.1, "noise": 0.1, "seed": 3},
    "plane.table": {"text": "a,b,label\n1,2,x\n3,4,y\n", "rows": 2},
    "plane.python": STATE,
    "plane.proof": {"state": {**STATE, "panels": STATE["panels"][:1]}, "panel": 0},
}  # fmt: skip


def answered(question, about, number=7):
    answer = DISPATCH({"id": number, "ask": question, "with": about})
    text = json.dumps(answer, allow_nan=False)
    assert json.loads(text)["id"] == number
    assert "fault" not in answer, answer
    assert ("answer" in answer) != ("error" in answer)
    return answer


def test_every_question_of_the_plane_has_an_example_here():
    mine = ("lessons.", "plane.")
    assert {name for name in QUESTIONS if name.startswith(mine)} == GOOD.keys()


@pytest.mark.parametrize("question", GOOD)
def test_a_good_question_is_answered(question):
    assert "answer" in answered(question, GOOD[question])


# -- anything at all

WORDS = st.sampled_from(
    ["", "perceptron", "pa", "given", "worst", "xor", "nan", "1e999", "\x00", "\ud800", "é" * 300]
)
NUMBERS = st.one_of(
    st.integers(-3, 3), st.integers(), st.floats(),
    st.sampled_from([10**400, -(10**400), 2**63, 2**64, 1e308, 1e-320, -0.0]),
)  # fmt: skip
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, WORDS, st.text(max_size=8))
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | WORDS, inner, max_size=4)
    ),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=300)
def test_any_message_is_answered(message):
    answer = DISPATCH(message)
    assert json.loads(json.dumps(answer, allow_nan=False)).keys() >= {"id", "error"}
    assert "fault" not in answer, answer


@pytest.mark.parametrize("question", GOOD)
@given(data=st.data())
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_anything_in_any_place_is_answered(question, data):
    about = GOOD[question]
    for _ in range(data.draw(st.integers(1, 2))):
        where = data.draw(st.sampled_from(list(places(about))))
        about = changed(about, where, data.draw(JSON))
    answered(question, about)


@pytest.mark.parametrize("question", GOOD)
def test_each_place_with_each_wrong_kind_is_answered(question):
    wrong = [None, True, -1, 10**400, 1e300, float("nan"), float("inf"), "x", [], {}, [[]],
             [[1, 2, 3]] * 3, {"learner": "pa"}]  # fmt: skip
    for where in places(GOOD[question]):
        for value in wrong:
            answered(question, changed(GOOD[question], where, value))


def test_what_is_missing_is_answered():
    for question, about in GOOD.items():
        for name in about:
            answered(question, {key: value for key, value in about.items() if key != name})
        answered(question, {**about, "more": 1})


ODD = [None, True, False, -1, 0, 1, 2, 10**400, 1e300, 1e-300, -0.5, float("nan"), float("inf"),
       "x", "", "all", "rbf", "aggressive", "1/t", "\ud800"]  # fmt: skip


@pytest.mark.parametrize("short", list(entries()))
def test_each_option_with_any_value_is_answered(short):
    """Good, the panel runs; bad, the panel says what is wrong, in whatever order."""
    options = next(e for e in listed()["learners"] if e["short"] == short)["options"]
    for option in options:
        for value in ODD:
            panel = {"learner": short, "options": {option["name"]: value}}
            for order in ("given", "worst"):
                state = {**STATE, "panels": [panel], "order": order, "epochs": 1}
                shown = answered("plane.run", state)
                if "answer" in shown:
                    (found,) = shown["answer"]["panels"]
                    assert ("error" in found) != ("score" in found)
                answered("plane.python", state)
                answered("plane.field", {**GOOD["plane.field"], "state": state, "panel": 0, "t": 1})
            state = {**STATE, "panels": [panel]}
            answered("plane.explain", {**GOOD["plane.explain"], "state": state, "panel": 0})


@pytest.mark.parametrize("short", list(entries()))
def test_points_of_any_size_are_answered(short):
    far = [[1e6, -1e6, 1], [-1e6, 1e6, -1], [1e-300, 0, 1], [0, 0, -1], [5e-324, -1e6, 1]]
    state = {"points": far, "panels": [{"learner": short, "options": {}}], "epochs": 3}
    assert "answer" in answered("plane.run", state)


def test_a_fault_of_ours_is_said_and_told_apart(monkeypatch):
    monkeypatch.setitem(QUESTIONS, "plane.learners", ("plane", "catalog:no_such_function"))
    answer = DISPATCH({"id": 1, "ask": "plane.learners"})
    assert answer["fault"] is True
    assert "no_such_function" in answer["error"]


@pytest.mark.parametrize(("number", "kept"), [(3, 3), (True, None), ("3", None), (None, None)])
def test_an_answer_bears_the_number_of_its_question(number, kept):
    assert DISPATCH({"id": number, "ask": "plane.learners"})["id"] is kept
