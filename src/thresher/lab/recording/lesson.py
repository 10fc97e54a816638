"""A lesson as a page of its own: its screens, and the answer to every question that they ask.

The page is written first, then its parts, each of them the answer to one question: an answer may be
a list over all steps of a run, so that the parts together take much longer than one question may.
"""

from __future__ import annotations

import base64
import functools
import json
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from thresher.errors import InvalidInput, ThresherError
from thresher.lab import check
from thresher.lab.lessons.screens import Lesson, lesson_named, lessons, screen
from thresher.lab.page.single import PARTS, single_page
from thresher.lab.view import Recorded, function, view


class Plan(NamedTuple):
    """What a page holds: its screens, and the questions that they ask, each once."""

    lesson: Lesson
    screens: list[dict[str, Any]]
    questions: list[Recorded]
    states: list[Any]  # what several questions are about, written once


def html(name: str, *, pages: bool = False) -> str:
    """The whole page of a lesson; with `pages` it leads to the next one's, in the same folder."""
    plan = _plan(name)
    parts = "\n".join(_part(plan, k) for k in range(len(plan.questions)))
    return _page(plan, pages).replace(PARTS, parts)


# -- for a page that saves a lesson


def page(given: Any) -> dict[str, Any]:
    """The page without its parts, how many there are, and the text that they replace."""
    asked = check.fields("the request", given, ("lesson",))
    plan = _plan(check.word("lesson", asked.get("lesson")))
    return {"page": _page(plan, False), "parts": len(plan.questions), "mark": PARTS}


def part(given: Any) -> dict[str, str]:
    """One part of it."""
    asked = check.fields("the request", given, ("lesson", "part"))
    plan = _plan(check.word("lesson", asked.get("lesson")))
    number = check.whole("part", asked.get("part"), 0, len(plan.questions) - 1)
    return {"part": _part(plan, number)}


# -- what there is to record


@functools.lru_cache(maxsize=4)  # a page asks for its parts one by one
def _plan(name: str) -> Plan:
    lesson = lesson_named(name)
    screens = [screen({"lesson": name, "screen": k + 1}) for k in range(len(lesson.screens))]
    found: dict[str, Recorded] = {}
    states: dict[str, Any] = {}
    for one in screens:
        for question in _asked_by(one):
            found.setdefault(_key([question.ask, question.about]), question)
            state = question.about.get("state", question.about)
            states.setdefault(_key(state), state)
    return Plan(lesson, screens, list(found.values()), list(states.values()))


def _asked_by(shown: dict[str, Any]) -> Iterator[Recorded]:
    """By a screen, also after its question is answered."""
    place = view(shown["view"]).recorded
    if place is None:
        raise InvalidInput(
            f"lesson {shown['lesson']}, screen {shown['screen']} shows the view {shown['view']}, "
            "which needs its server; expected a lesson of views that can be recorded."
        )
    recorded = function(shown["view"], place)
    yield from recorded(shown["state"])
    if shown["question"] and shown["question"]["then"]:
        yield from recorded({**shown["state"], **shown["question"]["then"]})


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# -- how it is written


def _page(plan: Plan, pages: bool) -> str:
    following = plan.screens[-1]["next"]
    leads = pages and following and following["name"] in names()
    screens = [shown if leads else {**shown, "next": None} for shown in plan.screens]
    head = {"lesson": plan.lesson.name, "screens": screens, "states": plan.states}
    views = {shown["view"] for shown in screens}
    return single_page(plan.lesson.title, views, _packed(head))


def _part(plan: Plan, number: int) -> str:
    question = plan.questions[number]
    try:
        told = {"answer": question.answer()}
    except ThresherError as error:
        told = {"error": str(error)}
    if question.by and "error" not in told:
        told["by"] = question.by
    return _packed({"ask": question.ask, "about": _about(plan, question.about), **told})


def _about(plan: Plan, about: dict[str, Any]) -> Any:
    """A state is written as its number."""
    if about in plan.states:
        return plan.states.index(about)
    if about.get("state") in plan.states:
        return {**about, "state": plan.states.index(about["state"])}
    return about


def _packed(value: Any) -> str:
    """As an element of the page."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    squeeze = zlib.compressobj(9, wbits=-15)
    data = squeeze.compress(text.encode()) + squeeze.flush()
    return f'<script type="text/plain" data-part>{base64.b64encode(data).decode()}</script>'


def names() -> list[str]:
    """The lessons that can be recorded."""
    return [
        lesson.name
        for lesson in lessons()
        if all(view(shown.view).recorded for shown in lesson.screens)
    ]
