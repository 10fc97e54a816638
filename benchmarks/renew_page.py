"""Our columns of docs/on-real-data.md anew; those of the other libraries as the page has them.

    python benchmarks/held_out.py --no-peers --ours auto experts --json ours.json
    python benchmarks/renew_page.py ours.json docs/on-real-data.md

For machines without the cache of `held_out.py`: the other libraries take hours. The page has only
mean and deviation of the best of them, so ▼ and ▽ are decided by the standard errors of both means,
as if the orders were not the same. The tables of one against one cannot be made anew and are left
out. Sets that are not in the results keep their figures.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from held_out import JUDGED, MEASURES, WHY, Cell
from real_data import BY_NAME
from thresher import __version__

HEAD = "| set | kind | trivial |"
FIGURE = re.compile(r"([-+.\de]+)(?: ± ([-+.\de]+))?(?: \((.*)\))?")


@dataclass(frozen=True)
class Told:
    """A figure as the page tells it: a mean, and a deviation over the orders if there are any."""

    mean: float
    deviation: float | None
    name: str

    @classmethod
    def of(cls, text: str) -> Told | None:
        found = FIGURE.match(text)
        if not found:
            return None
        return cls(float(found[1]), float(found[2]) if found[2] else None, found[3] or "")


def marks(mine: Cell, peer: Told | None, trivial: Told | None) -> str:
    found = ""
    if peer is not None and mine.mean > peer.mean:
        found += "▼" if surely_worse(mine, peer) else "▽"
    if trivial is not None and mine.mean > trivial.mean:
        found += "!"
    return found


def surely_worse(mine: Cell, peer: Told) -> bool:
    orders = len(mine.values)
    if orders == 1 or peer.deviation is None:
        return mine.mean > peer.mean
    spread = np.hypot(np.std(mine.values, ddof=1), peer.deviation) / orders**0.5
    return bool(mine.mean - peer.mean > 2 * spread)


def renewed(lines: list[str], cells: dict[tuple[str, str, str], Cell]) -> Iterator[str]:
    """The page with our cells, and what is said about them below each table."""
    measure, losses, at = "", dict[str, list[str]](), 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("## "):
            measure = next((m for m, title in MEASURES.items() if line[3:].startswith(title)), "")
        if line.startswith(HEAD):
            names = [cell.strip() for cell in line.strip("|").split("|")]
            losses, raced = {name: [] for name in JUDGED}, 0
            yield from lines[at : at + 2]
            at += 2
            while at < len(lines) and lines[at].startswith("|"):
                row = dict(zip(names, map(str.strip, lines[at].strip("|").split("|")), strict=True))
                raced += 1
                for name in JUDGED:
                    if cell := cells.get((row["set"], measure, name)):
                        row[name] = told(cell, row)
                    if loss := loss_of(row, name):
                        losses[name].append(loss)
                yield f"| {' | '.join(row.values())} |"
                at += 1
            for name in JUDGED:
                yield from ("", summary(name, raced, losses[name]), "", *losses[name])
            while at < len(lines) and not lines[at].startswith("## "):
                at += 1
            yield ""
            continue
        yield line
        at += 1


def told(cell: Cell, row: dict[str, str]) -> str:
    peer, trivial = Told.of(row["best linear one-pass peer"]), Told.of(row["trivial"])
    text = cell.shown(BY_NAME[row["set"]].regress)
    return f"{text} {marks(cell, peer, trivial)}".rstrip()


def loss_of(row: dict[str, str], name: str) -> str:
    """The line about a loss, if it is one."""
    found = re.search(r"[▼▽!]+$", row[name])
    mine = Told.of(row[name])
    if not found or mine is None:
        return ""
    text = []
    for column, mark in (("best linear one-pass peer", "▼▽"), ("trivial", "!")):
        rival = Told.of(row[column])
        if rival is not None and set(mark) & set(found[0]):
            by = mine.mean - rival.mean
            percent = BY_NAME[row["set"]].regress
            size = f"{100 * by / rival.mean:.1f} %" if percent else f"{by:.2f} points"
            text.append(f"{rival.name} by {size}")
    why = f" ({WHY[row['set']]})" if row["set"] in WHY else ""
    return f"- {found[0]} {row['set']}: behind {' and '.join(text)}{why}"


def summary(name: str, raced: int, losses: list[str]) -> str:
    clear, near = (sum(mark in line.split()[1] for line in losses) for mark in "▼▽")
    trivial = [line.split()[2].rstrip(":") for line in losses if "!" in line.split()[1]]
    return (
        f"{name}: on {raced - clear - near} of {raced} sets not worse than the best linear "
        f"one-pass peer, worse within the spread on {near}, worse on {clear}; worse than a trivial "
        f"baseline on {len(trivial)}{': ' + ', '.join(trivial) if trivial else ''}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="made by held_out.py --json")
    parser.add_argument("page", type=Path)
    options = parser.parse_args()
    values: dict[tuple[str, str, str], list[float]] = {}
    for found in json.loads(options.results.read_text())["results"]:
        for measure in MEASURES:
            if found["contender"] in JUDGED and found.get(measure) is not None:
                key = (found["set"], measure, found["contender"])
                values.setdefault(key, []).append(found[measure])
    cells = {key: Cell(key[2], tuple(of)) for key, of in values.items()}
    text = "\n".join(renewed(options.page.read_text().splitlines(), cells))
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
    options.page.write_text(with_note(text))


def with_note(text: str) -> str:
    """What of the page is new, and what that means for the marks."""
    when = f"{date.today():%Y-%m-%d} with thresher {__version__}"
    note = f"""`auto` and `experts` were run again on {when}
(`benchmarks/renew_page.py`); the figures of the others stand as they were. Their values order by
order are not kept, so ▼ and ▽ of these two columns go by the standard errors of both means.

"""
    text = re.sub(r"`auto` and `experts` were run again.*?\n\n", "", text, flags=re.DOTALL)
    text = text.replace(": the last table of the second half has them one by one.", ".")
    return text.replace(
        "Every library gets the same features.", note + "Every library gets the same features.", 1
    )


if __name__ == "__main__":
    main()
