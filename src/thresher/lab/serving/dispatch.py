"""The questions of a page, and how they are answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.errors import ThresherError
from thresher.lab import check, lessons, recording
from thresher.lab.view import NAMES, function, view

# Folder and function by the name of a question, such as "plane.run". Each is a function of what the
# page sends, which it checks itself.
QUESTIONS = {
    f"{folder}.{name}": (folder, place)
    for folder, questions in [
        *((folder, view(folder).questions) for folder in NAMES),
        ("lessons", lessons.QUESTIONS),
        ("recording", recording.QUESTIONS),
    ]
    for name, place in questions.items()
}


class Dispatcher:
    """Answers the questions of a page; besides these it knows only the folder of logs."""

    def __init__(self, logs: str | None = None) -> None:
        self.logs = logs

    def __call__(self, message: Any) -> dict[str, Any]:
        """``{"id", "ask", "with"}`` in, ``{"id", "answer"}`` or ``{"id", "error"}`` out.

        `column` is the position of an error in a text."""
        number = message.get("id") if isinstance(message, Mapping) else None
        if isinstance(number, bool) or not isinstance(number, int):
            number = None
        try:
            return {"id": number, "answer": self._answer(message)}
        except ThresherError as error:
            return {"id": number, "error": str(error), "column": error.where.column}
        except RecursionError:
            return {"id": number, "error": "the message is nested too deeply."}
        except Exception as error:  # a page must never end the server; the error is reported
            return {"id": number, "error": f"{type(error).__name__}: {error}", "fault": True}

    def _answer(self, message: Any) -> Any:
        asked = check.fields("the message", message, ("id", "ask", "with"))
        name = check.word("ask", asked.get("ask"), tuple(QUESTIONS))
        folder, place = QUESTIONS[name]
        answer = function(folder, place)
        if folder in NAMES and view(folder).reads_logs:
            return answer(asked.get("with"), self.logs)
        return answer(asked.get("with"))
