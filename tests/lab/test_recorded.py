"""What is recorded of a run is what the server would answer."""

import numpy as np
import pytest

from thresher.errors import InvalidInput
from thresher.lab.plane.recorded import recorded
from thresher.lab.plane.trace import field
from thresher.lab.plane.words import explain
from thresher.lab.recording.lesson import html, part

MADE = {"kind": "separable", "size": 12, "gamma": 0.15, "noise": 0, "seed": 4}
PANELS = [
    {"learner": "perceptron", "options": {"average": False}},
    {"learner": "pa"},
    {"learner": "kernel-perceptron", "options": {"kernel": "rbf"}},
]


def test_steps_and_boundaries_are_those_of_the_server():
    found = list(recorded({"made": MADE, "panels": PANELS, "epochs": 4, "order": "shuffled"}))
    sequence = next(q for q in found if q.ask == "plane.run").answer()["sequence"]
    repeated = 0
    for question in (q for q in found if q.ask == "plane.explain"):
        steps = question.answer()
        for t in range(1, len(sequence) + 1):
            told = steps[t]
            if isinstance(told, int):  # as the page does it
                words = steps[told]["words"].replace(f"Example {told}:", f"Example {t}:")
                told = {**steps[told], "words": words}
                repeated += 1
            assert told == explain({**question.about, "sequence": sequence[:t]})
    assert repeated > 10
    (curved,) = (q for q in found if q.ask == "plane.field")
    for t, kept in enumerate(curved.answer()):
        if t % 12 == 0:
            truth = np.array(field({**curved.about, "t": t})["scores"])
            assert ((np.array(kept["scores"]) >= 0) == (truth >= 0)).all()


def test_a_lesson_that_is_not_there_and_a_part_that_is_not():
    with pytest.raises(InvalidInput, match="there is no lesson 'magic'"):
        html("magic")
    with pytest.raises(InvalidInput, match="part is 999"):
        part({"lesson": "step", "part": 999})
