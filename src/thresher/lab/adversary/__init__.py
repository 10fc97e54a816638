"""A target that you change at a cost, and learners that follow it."""

from thresher.lab.view import View

VIEW = View(
    questions={
        "run": "game:run",
        "bury": "game:bury",
        "python": "game:python",
        "line": "line:run",
        "line.python": "line:python",
    },
    smaller="Begin a new game, or take fewer rounds",
    lesson_facts="lesson_facts:facts",
    recorded="recorded:recorded",
)
