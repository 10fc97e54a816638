"""What a page may ask, and the one way in which it is answered."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from thresher.errors import ThresherError
from thresher.lab import check

# Each is a function of what the page sends, checked by the function itself.
QUESTIONS = {
    "catalog": "catalog:listed",
    "lessons.list": "lessons:listed",
    "lessons.screen": "lessons:screen",
    "plane.run": "plane:run",
    "plane.bounds": "plane:bounds",
    "plane.field": "plane:field",
    "plane.explain": "words:explain",
    "plane.generate": "points:generate",
    "plane.table": "points:table",
    "plane.python": "python_code:plane",
    "runs.list": "runs:listed",
    "runs.read": "runs:read",
    "boolean.learners": "boolean_learners:listed",
    "boolean.run": "boolean:run",
    "boolean.bounds": "boolean:bounds",
    "boolean.target": "boolean:target",
    "boolean.explain": "boolean_words:explain",
    "boolean.python": "boolean_words:python",
    "boolean.ask": "protocols:ask",
    "boolean.watch": "protocols:watch",
    "boolean.teach": "protocols:teach",
    "boolean.protocol": "protocols:python",
    "adversary.run": "adversary:run",
    "adversary.bury": "adversary:bury",
    "adversary.python": "adversary:python",
    "adversary.line": "adversary_line:run",
    "adversary.line.python": "adversary_line:python",
}


class Answers:
    """Answers the questions of a page; the folder of logs is all that it knows besides them."""

    def __init__(self, logs: str | None = None) -> None:
        self.logs = logs

    def __call__(self, message: Any) -> dict[str, Any]:
        """``{"id", "ask", "with"}`` in, ``{"id", "answer"}`` or ``{"id", "error"}`` out.

        `column` is the place in a text at which an error is."""
        number = message.get("id") if isinstance(message, Mapping) else None
        if isinstance(number, bool) or not isinstance(number, int):
            number = None
        try:
            return {"id": number, "answer": self._answer(message)}
        except ThresherError as error:
            return {"id": number, "error": str(error), "column": error.where.column}
        except RecursionError:
            return {"id": number, "error": "the message is nested too deeply."}
        except Exception as error:  # a page must never end the server; what it is, is said
            return {"id": number, "error": f"{type(error).__name__}: {error}", "fault": True}

    def _answer(self, message: Any) -> Any:
        asked = check.fields("the message", message, ("id", "ask", "with"))
        name = check.word("ask", asked.get("ask"), tuple(QUESTIONS))
        module, function = QUESTIONS[name].split(":")
        home = importlib.import_module(f"thresher.lab.{module}")
        if name.startswith("runs."):
            return getattr(home, function)(asked.get("with"), self.logs)
        return getattr(home, function)(asked.get("with"))
