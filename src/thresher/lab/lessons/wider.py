"""Lessons beyond two classes in the plane: several classes, the loss landscape, growth with n."""

from __future__ import annotations

from thresher.lab.lessons.screens import Lesson, Question, Screen

CLASSES = Lesson(
    "classes",
    "Three classes and more",
    (
        Screen(
            "Each class has a prototype, and x gets the class whose score w·x is highest. The next "
            "example is of class {pulled0}, and both other classes score too high on it. MIRA "
            "makes the smallest change after which class {pulled0} leads each of them by 1.",
            "classes",
            {"made": {"kind": "blobs", "size": 45, "classes": 3, "noise": 0.02, "seed": 9},
             "panels": [{"learner": "mira", "options": {}}, {"learner": "perceptron",
                                                             "options": {}}],
             "order": "given", "epochs": 1, "seed": 0, "t": 6},
            Question(
                "How many prototypes will it move?", ("one", "two", "all three"), 2,
                "All three: that of class {pulled0} is pulled towards x by {pull0}, the others are "
                "pushed away, {pushed0}, which adds up to as much. The perceptron moves two: the "
                "right one and its strongest rival.",
                ("Pulling only the right one would be a larger change than sharing it.",
                 "That is the perceptron: the right one and its strongest rival.", ""),
                {"t": 7},
            ),
        ),
        Screen(
            "Three classes in a row. No line has the middle one on one side and both others on "
            "the other.",
            "classes",
            {"made": {"kind": "row", "size": 45, "classes": 3, "noise": 0.0, "seed": 2},
             "panels": [{"learner": "mira", "options": {}}, {"learner": "perceptron",
                                                             "options": {}}],
             "order": "given", "epochs": 10, "seed": 0, "t": 0},
            Question(
                "Can three prototypes tell them apart?", ("yes", "no"), 0,
                "Yes. After ten epochs MIRA is wrong on {wrong0} of {points} points, after "
                "{mistakes0} mistakes, the perceptron on {wrong1} after {mistakes1}. The class "
                "in the middle has a short prototype: where the others cancel, its bias wins.",
                ("", "It only has to score highest somewhere, not to be positive there alone."),
                {"t": None},
            ),
        ),
    ),
)  # fmt: skip

WIDER = (CLASSES,)
