"""The loss landscape: points, the contours of J(w), and the ways down."""

from thresher.lab.view import View

VIEW = View(
    questions={
        "surface": "surface:surface",
        "run": "paths:run",
        "explain": "words:explain",
        "generate": "setup:generate",
        "python": "as_python:python",
    },
    smaller="Take fewer points or steps",
    lesson_facts="lesson_facts:facts",
    recorded="recorded:recorded",
)
