"""Three classes and more in the plane: a prototype for each, the highest score wins."""

from thresher.lab.view import View

VIEW = View(
    questions={
        "learners": "catalog:listed",
        "run": "trace:run",
        "explain": "words:explain",
        "generate": "points:generate",
        "table": "points:table",
        "python": "as_python:python",
    },
    smaller="Take fewer points, epochs or learners",
    lesson_facts="lesson_facts:facts",
    recorded="recorded:recorded",
)
