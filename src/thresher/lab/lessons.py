"""Lessons: a class walked through the notes, a few sentences a screen, something to predict first.

A lesson is a link: its name and the number of a screen. A screen is a state of a view, a text, and
often a question. Numbers in a text are not written down here: ``{mistakes0}`` and the like are
filled in from the run that the screen shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab import check


@dataclass(frozen=True)
class Question:
    """What the class says before it sees; `right` counts the choices from 0."""

    ask: str
    choices: tuple[str, ...]
    right: int
    reveal: str
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
    name = check.word("lesson", asked.get("lesson"))
    found = next((lesson for lesson in lessons() if lesson.name == name), None)
    if found is None:
        known = ", ".join(lesson.name for lesson in lessons())
        raise InvalidInput(f"there is no lesson {check.short(name)}; expected one of {known}.")
    number = check.whole("screen", asked.get("screen", 1), 1, len(found.screens))
    shown = found.screens[number - 1]
    facts = facts_of(shown)
    question = shown.question
    return {
        "lesson": found.name,
        "title": found.title,
        "screen": number,
        "screens": len(found.screens),
        "view": shown.view,
        "state": shown.state,
        "text": shown.text.format(**facts),
        "question": question and {
            "ask": question.ask.format(**facts),
            "choices": [choice.format(**facts) for choice in question.choices],
            "right": question.right,
            "reveal": question.reveal.format(**facts),
            "then": question.then,
        },
    }  # fmt: skip


def facts_of(shown: Screen) -> dict[str, Any]:
    """What the run of a screen shows, as its text can name it."""
    return {"plane": _plane_facts, "boolean": _boolean_facts, "adversary": _adversary_facts}[
        shown.view
    ](shown.state)


def _plane_facts(state: dict[str, Any]) -> dict[str, Any]:
    from thresher.lab.plane import FIELDS, bounds, run
    from thresher.lab.points import generate

    state = dict(state)
    if "points" not in state:
        state["points"] = generate(state["made"])["points"]
    asked = {name: state[name] for name in FIELDS if name in state}
    trace = run(asked)
    data = trace["data"]
    out: dict[str, Any] = {
        "points": data["points"],
        "R": f"{data['R']:.3g}",
        "gamma": f"{data['gamma']:.3g}" if data["separable"] else "none",
        "bound": f"{int(data['bound']):,}" if data["separable"] else "none",
    }
    size = len(state["points"])
    for i, panel in enumerate(trace["panels"]):
        out[f"mistakes{i}"] = sum(panel["mistake"])
        out[f"updates{i}"] = sum(panel["update"])
        out[f"first{i}"] = sum(panel["mistake"][:size])
        out[f"last{i}"] = sum(panel["mistake"][-size:])
    for i, rows in enumerate(bounds(asked)["panels"]):
        for bound in rows:
            if bound["theorem"] == "perceptron with noise, squared" and bound["value"]:
                out[f"noisy{i}"] = f"{int(bound['value']):,}"
    return out


def _boolean_facts(state: dict[str, Any]) -> dict[str, Any]:
    from thresher.lab.boolean import FIELDS, bounds, run

    asked = {name: state[name] for name in FIELDS if name in state}
    out: dict[str, Any] = {"n": state["n"]}
    for i, panel in enumerate(run(asked)["panels"]):
        out[f"mistakes{i}"] = sum(panel["mistake"])
        if "size" in panel:
            out |= {"concepts": f"{panel['size'][0]:,}", "left": f"{panel['size'][-1]:,}"}
    for i, bound in enumerate(bounds(asked)["bounds"]):
        if bound.get("value"):
            out[f"bound{i}"] = f"{int(bound['value']):,}"
    return out


def _adversary_facts(state: dict[str, Any]) -> dict[str, Any]:
    from thresher.lab.adversary import bury, run

    moves = state.get("moves") or bury({"n": state["n"], **state["bury"]})["moves"]
    trace = run({"n": state["n"], "seed": state["seed"], "moves": moves})
    out: dict[str, Any] = {"cost": trace["cost"][-1], "bound": f"{trace['bound'][-1]:,.0f}"}
    return out | {f"mistakes{i}": p["mistakes"] for i, p in enumerate(trace["panels"])}


def lessons() -> tuple[Lesson, ...]:
    from thresher.lab.course import COURSE

    return COURSE
