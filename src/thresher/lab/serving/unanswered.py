"""The reply to a question without an answer: it took too long, or its process ended."""

from __future__ import annotations

import json
import signal
from typing import Any

from thresher.lab.check import short
from thresher.lab.view import NAMES, view

MOST_SAID = 8  # parts of a question that are named


def too_long(text: str, seconds: float, reached: str) -> dict[str, Any]:
    """The reply to a question that exceeded its budget."""
    number, name, about = _parts(text)
    came = f" It got as far as: {reached}." if reached else ""
    folder = name.split(".")[0]
    smaller = (
        view(folder).smaller if folder in NAMES else "Ask again when this machine is less busy"
    )
    asked = _of(about)
    if "'worst'" in asked:
        smaller += ", or another order than worst first"
    return {
        "id": number,
        "error": f"{name}{asked} took longer than {seconds:g} s, and was stopped.{came} {smaller}.",
        "late": True,
    }


def ended(text: str, code: int | None, reached: str) -> dict[str, Any]:
    """The reply to a question whose process ended unexpectedly."""
    number, name, about = _parts(text)
    how = f"was ended by {_signal(-code)}" if code is not None and code < 0 else "has ended"
    came = f" It got as far as: {reached}." if reached else ""
    return {
        "id": number,
        "error": f"{name}{_of(about)} has no answer: the process that worked on it {how}.{came} "
        "Another one takes its place; the question may have needed too much memory.",
        "fault": True,
    }


def number_of(text: str) -> int | None:
    """The number of a message."""
    return _parts(text)[0]


def _parts(text: str) -> tuple[int | None, str, Any]:
    """Number, question and subject of whatever was sent."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None, "the message", None
    if not isinstance(message, dict):
        return None, "the message", None
    number, name = message.get("id"), message.get("ask")
    number = number if isinstance(number, int) and not isinstance(number, bool) else None
    return number, name if isinstance(name, str) else "the message", message.get("with")


def _of(about: Any) -> str:
    """The sizes that decide how long a question takes, such as " (2,000 points, epochs 10)"."""
    if not isinstance(about, dict):
        return ""
    inner = about.get("state")
    said: list[str] = []
    for key, value in (inner if isinstance(inner, dict) else about).items():
        if isinstance(value, list):
            said.append(f"{len(value):,} {key}")
        elif isinstance(value, (int, float, str)) and key != "seed":
            said.append(f"{key} {short(value)}")
    return f" ({', '.join(said[:MOST_SAID])})" if said else ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
