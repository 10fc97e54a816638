"""What is said of a question that has no answer, whatever the question was."""

import json
import signal
import sys

import pytest

from thresher.lab.serving.unanswered import ended, number_of, too_long
from thresher.lab.serving.worker import Worker


def test_what_was_asked_how_far_it_came_and_what_to_make_smaller():
    about = {"points": [[0, 0, 1]] * 3, "panels": [], "order": "worst", "epochs": 9, "seed": 4}
    text = json.dumps({"id": 3, "ask": "plane.field", "with": {"state": about, "t": 1}})
    assert too_long(text, 10.0, "the order, 1 of 27") == {
        "id": 3,
        "error": "plane.field (3 points, 0 panels, order 'worst', epochs 9) took longer than 10 s, "
        "and was stopped. It got as far as: the order, 1 of 27. Take fewer points, epochs or "
        "learners, or another order than worst first.",
        "late": True,
    }


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{", "7", '{"id": true, "ask": 3, "with": 4}', "[" * 100_000,
             '{"id": "x", "ask": [], "with": {"\\ud800": "\\ud800", "b": {}}}'],
)  # fmt: skip
def test_any_message_has_an_answer(text):
    for answer in (too_long(text, 0.5, ""), ended(text, -signal.SIGSEGV, "x"), ended(text, 1, "")):
        assert json.loads(json.dumps(answer))["id"] is None
        assert "the message" in answer["error"]
    assert number_of(text) is None


def test_the_end_of_its_process_is_said():
    said = ended('{"id": 1, "ask": "plane.learners"}', -signal.SIGKILL, "")["error"]
    assert said.startswith("plane.learners has no answer: the process that worked on it was ended ")
    assert "by SIGKILL" in said
    assert "signal 99" in ended('{"id": 1, "ask": "plane.learners"}', -99, "")["error"]


def test_a_process_that_cannot_be_started_is_said(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    worker = Worker()
    answer = json.loads(worker.answer('{"id": 1, "ask": "plane.learners"}'))
    assert answer["fault"]
    assert "has ended" in answer["error"]
    assert not worker.usable
    worker.end()


def test_a_process_that_has_ended_with_nothing_to_do_is_replaced():
    """Also if the system has not told yet: its last thread may still be about to end."""
    worker = Worker().ready()
    for _ in range(3):
        worker._process.kill()
        answer = json.loads(worker.answer('{"id": 1, "ask": "plane.learners"}'))
        assert "answer" in answer, answer
    worker.end()
