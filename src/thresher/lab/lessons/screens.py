"""Lessons: a class walked through the notes, a few sentences a screen, something to predict first.

A lesson is a link: its name and the number of a screen. A screen is a state of a view, a text, and
often a question. Numbers in a text are not written down here: ``{mistakes0}`` and the like are
filled in from the run that the screen shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.lab.view import function, view


@dataclass(frozen=True)
class Question:
    """What the class predicts before the answer; `right` counts the choices from 0."""

    ask: str
    choices: tuple[str, ...]
    right: int
    reveal: str
    replies: tuple[str, ...]
    """What each choice is told before the answer; nothing for the right one."""
    then: dict[str, Any] = field(default_factory=dict)
    """What changes in the state when the answer is shown."""


@dataclass(frozen=True)
class Screen:
    text: str
    view: str
    state: dict[str, Any]
    question: Question | None = None


@dataclass(frozen=True)
class Lesson:
    name: str
    title: str
    screens: tuple[Screen, ...]


def listed(_: Any = None) -> dict[str, Any]:
    """All lessons, in the order of a course."""
    return {
        "lessons": [
            {"name": lesson.name, "title": lesson.title, "screens": len(lesson.screens)}
            for lesson in lessons()
        ]
    }


def screen(given: Any) -> dict[str, Any]:
    """One screen of a lesson, its numbers filled in."""
    asked = check.fields("the request", given, ("lesson", "screen"))
    found = lesson_named(check.word("lesson", asked.get("lesson")))
    number = check.whole("screen", asked.get("screen", 1), 1, len(found.screens))
    shown = found.screens[number - 1]
    facts = facts_of(shown.view, shown.state)
    later = lessons()[lessons().index(found) + 1 :]
    question = shown.question
    return {
        "lesson": found.name,
        "title": found.title,
        "screen": number,
        "screens": len(found.screens),
        "next": {"name": later[0].name, "title": later[0].title} if later else None,
        "view": shown.view,
        "state": shown.state,
        "text": _whole(shown.text.format(**facts)),
        "question": question and {
            "ask": _whole(question.ask.format(**facts)),
            "choices": [choice.format(**facts) for choice in question.choices],
            "right": question.right,
            "reveal": _whole(question.reveal.format(**facts, **_facts_after(shown, question))),
            "replies": [_whole(reply.format(**facts)) for reply in question.replies],
            "then": question.then,
        },
    }  # fmt: skip


def lesson_named(name: str) -> Lesson:
    found = next((lesson for lesson in lessons() if lesson.name == name), None)
    if found is None:
        known = ", ".join(lesson.name for lesson in lessons())
        raise InvalidInput(f"there is no lesson {check.short(name)}; expected one of {known}.")
    return found


def facts_of(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """What a run shows, by names that a text can use."""
    place = view(name).lesson_facts
    return function(name, place)(state) if place else {}


def _facts_after(shown: Screen, question: Question) -> dict[str, Any]:
    """What the run shows that answers the question, where it is another one."""
    if "{after_" not in question.reveal:
        return {}
    found = facts_of(shown.view, {**shown.state, **question.then})
    return {f"after_{name}": value for name, value in found.items()}


def _whole(text: str) -> str:
    """No line ends within a bound, a short equation or a vector."""
    joined = re.sub(r"\b([\w·]+) ([=<>≤≥]) (?=\S)", "\\1\xa0\\2\xa0", text)  # n = 64
    joined = re.sub(r"\(([^\s(),]+), ([^\s(),]+)\)", "(\\1,\xa0\\2)", joined)  # (0.8, 0.6)
    joined = joined.replace("PA-I", "PA-\N{WORD JOINER}I").replace("1/(1 + ", "1/(1\xa0+\xa0")
    return joined.replace(" ≤ R²", "\xa0≤\xa0R²").replace("R²/γ²", "R²/\N{WORD JOINER}γ²")


def lessons() -> tuple[Lesson, ...]:
    from thresher.lab.lessons.course import COURSE

    return COURSE
