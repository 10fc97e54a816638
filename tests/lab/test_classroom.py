"""A class without its browsers: the tasks of a quiz are right, and a room has its limits."""

import re

import pytest

from thresher.errors import InvalidInput
from thresher.lab.classroom.quiz import tasks
from thresher.lab.classroom.room import MOST_STUDENTS, Room


def numbers(text):
    return [float(v) for v in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def test_the_answers_of_the_quiz_are_right_and_its_numbers_a_students_own():
    seen = set()
    for seed in range(300):
        step, aggressive, bound = tasks(seed)
        assert tasks(seed) == [step, aggressive, bound]
        for task in (step, aggressive, bound):
            assert len(set(task.choices)) == len(task.choices) >= 3
            seen.add(task.ask)
        w1, w2, x1, x2, y = numbers(step.ask)
        assert y * (w1 * x1 + w2 * x2) < 0  # a mistake
        assert numbers(step.choices[step.right]) == [w1 + y * x1, w2 + y * x2]
        score, x1, x2, _ = numbers(aggressive.ask)
        tau = numbers(aggressive.choices[aggressive.right])[0]
        assert score + tau * (x1**2 + x2**2) == pytest.approx(1.0, abs=0.01)
        R, gamma = numbers(bound.ask)
        assert numbers(bound.choices[bound.right])[0] == pytest.approx((R / gamma) ** 2, rel=1e-3)
    assert len(seen) > 100


def test_a_class_can_be_full_and_a_student_has_one_vote():
    room = Room()
    students = [room.join("") for _ in range(MOST_STUDENTS)]
    assert len(set(students)) == MOST_STUDENTS
    with pytest.raises(InvalidInput, match="full"):
        room.join("")
    assert room.join(students[3]) == students[3]
    room.lead({"ask": {"id": "a", "ask": "?", "choices": ["no", "yes"]}})
    for vote in (0, 1, 1):
        room.hear(students[3], {"question": "a", "vote": vote})
    assert room.overview()["counts"] == [0, 1]
    room.lead({"ask": {"id": "b", "ask": "?", "choices": ["no", "yes"]}})
    with pytest.raises(InvalidInput, match="closed"):  # it is no longer shown
        room.hear(students[3], {"question": "a", "vote": 0})
