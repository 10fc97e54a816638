"""Boolean concepts: learners side by side, and two games of asking for a concept or teaching it."""

from thresher.lab.view import View

VIEW = View(
    questions={
        "learners": "learners:listed",
        "run": "trace:run",
        "bounds": "trace:bounds",
        "target": "trace:target",
        "explain": "words:explain",
        "proof": "proof:proof",
        "python": "words:python",
        "ask": "protocols:ask",
        "watch": "protocols:watch",
        "teach": "protocols:teach",
        "protocol": "protocols:python",
    },
    smaller="Take fewer examples, variables or learners",
    lesson_facts="lesson_facts:facts",
    recorded="recorded:recorded",
)
