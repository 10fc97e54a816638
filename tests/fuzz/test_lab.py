"""A few seconds of `fuzz_lab.py`, and every question that it ever found, asked again."""

import json
import sys
from pathlib import Path

import pytest

from thresher.lab.serving.worker import Worker

FOLDER = Path(__file__).parent
KEPT = sorted((FOLDER / "questions").glob("*.json"))


@pytest.fixture(scope="module")
def campaign():
    sys.path.insert(0, str(FOLDER))
    try:
        import fuzz_lab
    finally:
        sys.path.remove(str(FOLDER))
    return fuzz_lab.campaign


def test_whatever_is_sent_is_answered_and_the_server_stays(campaign):
    found = campaign(60.0, seed=1, budget=2.0, large=0.01, pages=2, most=150)
    assert not found.failures
    assert found.counts["questions"] > 20
    assert found.counts["answer"]
    assert found.counts["error"]
    assert found.counts["strangers"]


@pytest.fixture(scope="module")
def worker():
    made = Worker()
    yield made
    made.end()


@pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.stem)
def test_kept_questions_are_answered(worker, kept):
    answer = json.loads(worker.answer(kept.read_text()))
    assert worker.usable, answer
    assert "fault" not in answer
    assert "late" not in answer
