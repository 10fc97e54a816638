"""Protocols I and II as the page replays them."""

from __future__ import annotations

import contextlib
import io
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.lab.boolean.protocols import hidden
from thresher.lab.serving.dispatch import Dispatcher
from thresher.theory.protocols import MembershipQueries, Teaching, conjunction


def ask(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    json.dumps(answer, allow_nan=False)
    assert "error" not in answer, answer
    return answer["answer"]


def refused(question, about):
    answer = Dispatcher()({"id": 1, "ask": question, "with": about})
    assert "fault" not in answer, answer
    return answer["error"]


def test_the_library_asks_n_questions_and_knows():
    questions = ask("boolean.watch", {"n": 9})["questions"]
    assert len(questions) == 9
    target = hidden(9, 4, 7)
    game = {"n": 9, "k": 4, "seed": 7, "questions": questions, "guess": list(target.literals)}
    answer = ask("boolean.ask", game)
    assert answer["count"] == answer["library"] == MembershipQueries(target).run().count == 9
    assert answer["certain"]
    assert answer["needed"] == list(target.literals)
    assert answer["guess"] == {"exact": True, "said": str(target), "target": str(target)}
    assert not ask("boolean.ask", game | {"guess": []})["guess"]["exact"]


def test_before_a_guess_the_target_is_not_told():
    answer = ask("boolean.ask", {"n": 9, "k": 4, "seed": 7, "questions": [[1]]})
    assert answer["guess"] is None
    assert str(hidden(9, 4, 7)) not in json.dumps(answer, ensure_ascii=False)


@given(
    st.integers(0, 5),
    st.integers(0, 50),
    st.lists(st.sets(st.integers(1, 5)).map(sorted), max_size=8),
)
def test_what_follows_from_the_answers_is_all_that_follows(k, seed, questions):
    n = 5
    answer = ask("boolean.ask", {"n": n, "k": k, "seed": seed, "questions": questions})
    target = hidden(n, k, seed)
    assert answer["answers"] == [set(target.literals) <= set(on) for on in questions]
    left = [
        set(chosen)
        for size in range(n + 1)
        for chosen in itertools.combinations(range(1, n + 1), size)
        if [set(chosen) <= set(on) for on in questions] == answer["answers"]
    ]
    assert set(answer["possible"]) == set().union(*left)
    assert set(answer["needed"]) <= set.intersection(*left)
    assert answer["certain"] == (len(left) == 1)


def test_the_best_teacher_needs_one_more_than_there_are_variables():
    first = ask("boolean.teach", {"n": 8, "target": [2, 5], "examples": []})
    assert first["least"] == 3
    assert first["steps"][0]["hypothesis"] == str(conjunction(range(1, 9), 8))
    taught = ask("boolean.teach", {"n": 8, "target": [2, 5], "examples": first["best"]})
    assert [step["certain"] for step in taught["steps"]] == [False, False, False, True]
    assert [step["label"] for step in taught["steps"]] == [None, True, False, False]
    assert taught["steps"][-1]["exact"]
    assert Teaching(conjunction([2, 5], 8)).run().count == len(first["best"])
    shown = [x.tolist() for x, _ in Teaching(conjunction([2, 5], 8)).examples()]
    assert [np.isin(np.arange(1, 9), on).astype(int).tolist() for on in first["best"]] == shown


def test_copied_python_gives_the_same_answers():
    game = {"n": 6, "k": 2, "seed": 3, "questions": [[1, 2, 3], [1, 2, 3, 4, 5, 6], []]}
    printed = run_of(ask("boolean.protocol", game | {"mode": "ask"})["python"])
    answers = ask("boolean.ask", game)["answers"]
    expected = [f"{on} {value}" for on, value in zip(game["questions"], answers, strict=True)]
    assert printed == [*expected, "6 questions of the library"]
    game = {"n": 6, "target": [2, 5], "examples": [[2, 5], [5]]}
    printed = run_of(ask("boolean.protocol", game | {"mode": "teach"})["python"])
    steps = ask("boolean.teach", game)["steps"][1:]
    expected = [
        f"{on} {step['label']} {step['hypothesis']} {step['certain']}"
        for on, step in zip(game["examples"], steps, strict=True)
    ]
    assert printed == [*expected, "3 examples of the best teacher"]


def run_of(text):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "copied", "exec"), {})
    return printed.getvalue().splitlines()


@pytest.mark.parametrize(
    ("question", "about", "why"),
    [
        ("boolean.protocol", None, "mode is None"),
        ("boolean.protocol", {"mode": "os"}, "expected one of"),
        ("boolean.protocol", {"mode": "ask", "n": 3, "k": 2, "questions": "x"}, "expected a list"),
        ("boolean.protocol", {"mode": "teach", "n": 3, "target": ["1"]}, "target[0]"),
        ("boolean.ask", {"n": 3, "k": 4}, "k ≤ n"),
        ("boolean.ask", {"n": 65, "k": 4}, "from 1 to 64"),
        ("boolean.ask", {"n": 5, "k": 2, "questions": [[6]]}, "from 1 to 5"),
        ("boolean.ask", {"n": 5, "k": 2, "questions": [[1, 1]]}, "each variable once"),
        ("boolean.ask", {"n": 5, "k": 2, "questions": [[1]] * 201}, "at most 200"),
        ("boolean.ask", {"n": 5, "k": 2, "guess": "x1"}, "expected a list"),
        ("boolean.ask", {"n": 5, "k": 2, "guess": [True]}, "guess[0] is True"),
        ("boolean.watch", {"n": 0}, "n is 0"),
        ("boolean.teach", {"n": 5, "target": None}, "expected a list"),
        ("boolean.teach", {"n": 5, "target": [9]}, "from 1 to 5"),
        ("boolean.teach", {"n": 5, "target": [1], "examples": [[0]]}, "from 1 to 5"),
        ("boolean.teach", {"n": 5, "target": [1], "seed": 1}, "has an entry"),
    ],
)
def test_what_cannot_be_asked_or_shown_is_refused(question, about, why):
    assert why in refused(question, about)
