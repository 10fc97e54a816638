"""Learners and standings as a notebook shows them: plain HTML in the colours of its page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from thresher.errors import NotLearned
from thresher.learners.standing import STANDING_HEAD, Standing, standing_cells

TOP = 8  # features
MOST_LABELS = 3  # whose features are shown
STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:90%"
CELL = "padding:1px 10px 1px 0;border:0;background:none;text-align:"


def learner_html(learner: Any) -> str:
    """Options, counts, the largest weights as bars, and the bound, where one is kept."""
    head = f"<b>{escape(repr(learner))}</b>"
    if learner._model is None:
        return f"<div>{head}<br>has learned nothing yet</div>"
    counts = [f"{learner.examples_:,} examples"]
    if learner.counts_mistakes:
        counts.append(f"{learner.mistakes_:,} mistakes")
    counts += [f"{learner.updates_:,} updates", f"{learner.known_features:,} features"]
    parts = [head, ", ".join(counts)]
    if learner.live_audit is not None:
        parts.append(escape(str(learner.live_audit)).replace("\n", "<br>"))
    return f"<div>{'<br>'.join(parts)}{_features(learner)}</div>"


def learner_without_weights_html(learner: Any) -> str:
    """Options, counts, and what it keeps in place of weights."""
    head = f"<b>{escape(repr(learner))}</b>"
    try:
        examples = learner.examples_
    except NotLearned:
        return f"<div>{head}<br>has learned nothing yet</div>"
    counts = (
        f"{examples:,} examples, {learner.mistakes_:,} mistakes, "
        f"{learner.known_features:,} features"
    )
    return f"<div>{head}<br>{counts}<br>{escape(learner.in_words())}</div>"


def _features(learner: Any) -> str:
    found = learner.top_features(TOP)
    if not isinstance(found, dict):
        found = {_meaning(learner): found}
    shown = list(found.items())[:MOST_LABELS]
    tables = [_bars(str(title), rows) for title, rows in shown if rows]
    more = len(found) - len(shown)
    return "".join(tables) + (f"<i>and {more:,} more labels</i>" if more else "")


def _meaning(learner: Any) -> str:
    if learner.task != "classify":
        return "largest weights"
    classes = learner.classes_.tolist()
    if len(classes) < 2:
        return "largest weights"
    return f"largest weights: + for {classes[1]}, − for {classes[0]}"


def _bars(title: str, rows: Sequence[tuple[str, float]]) -> str:
    most = max(abs(weight) for _, weight in rows)
    lines = [
        [escape(name), f"{weight:+.4g}", _bar(weight, most)] for name, weight in rows
    ]  # fmt: skip
    return f"<div><i>{escape(title)}</i></div>{table_html((), lines, left=(0, 2))}"


def _bar(weight: float, most: float) -> str:
    color = "#1b4f9c" if weight > 0 else "#e0731d"
    width = max(1, round(120 * abs(weight) / most))
    return (
        f'<span style="display:inline-block;height:.7em;width:{width}px;background:{color}"></span>'
    )


def standings_html(rows: Sequence[Standing]) -> str:
    """How learners among several have done, the best first."""
    lines = [[escape(cell) for cell in line] for line in standing_cells(rows)]
    for line, row in zip(lines, rows, strict=True):
        if row.baseline:
            line[1] = f"<i>{line[1]}</i>"
    return table_html(STANDING_HEAD, lines, (1, 5))


def table_html(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,)
) -> str:
    """A table of cells that are HTML already."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="{CELL}{"left" if i in left else "right"}">{cell}</{tag}>'
            for i, cell in enumerate(cells)
        )

    top = f"<tr>{line(head, 'th')}</tr>" if head else ""
    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f'<table style="{STYLE}">{top}{body}</table>'
