"""Points in the plane, learners side by side."""

from thresher.lab.view import View

VIEW = View(
    questions={
        "learners": "catalog:listed",
        "run": "trace:run",
        "bounds": "trace:bounds",
        "field": "trace:field",
        "explain": "words:explain",
        "proof": "proof:proof",
        "generate": "points:generate",
        "table": "points:table",
        "python": "as_python:python",
    },
    smaller="Take fewer points, epochs or learners",
    lesson_facts="lesson_facts:facts",
    recorded="recorded:recorded",
)
