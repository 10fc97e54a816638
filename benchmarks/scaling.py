"""Time and memory of `thresher train` against the number of names and the size of the file.

python benchmarks/scaling.py          about five minutes; draws docs/images/scaling.svg
python benchmarks/scaling.py --quick  small files, and no picture

Processor time is what the process used on all cores. Other than wall-clock time it hardly depends
on what else the machine does.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
from files import MB, VECTORS, WABBIT, folder, train
from thresher.plots.style import BLUE, FONT, ORANGE, dress, matplotlib, new_figure, thousands
from timing import peak_memory, used

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "scaling.svg"
NAMES = (10_000, 100_000, 1_000_000, 10_000_000)
MEGABYTES = (25, 100, 400, 800)
BITS = 24


@dataclass(frozen=True)
class Point:
    """One run: of what, how much, and what it took."""

    x: float
    features: int
    ours: float  # seconds of processor time
    theirs: float
    memory: float  # MB, the peak
    kept: float  # MB of weights and names


def measured(x: float, path: Path, features: int) -> Point:
    command = train(path.with_name("ours.model"), path, options=("--json",))
    wabbit = [*WABBIT, "-d", str(path), "-b", str(BITS), "--quiet", "-f", str(path) + ".theirs"]
    printed, peak = peak_memory(command)
    found = json.loads(printed)
    kept = (found["features"] * 8 * VECTORS + found["names_bytes"]) / MB
    return Point(x, features, used(command), used(wabbit), peak / MB, kept)


def by_names(counts: tuple[int, ...]) -> list[Point]:
    points = []
    for count in counts:
        with folder(60 * count // MB + 1) as place:
            path = place / "names.vw"
            points.append(measured(count, path, data.write_many_names(path, count)))
    return points


def by_size(sizes: tuple[int, ...]) -> list[Point]:
    points = []
    for size in sizes:
        with folder(size) as place:
            path = place / "words.vw"
            features = data.write_text({path: data.worded()}, len(data.words()), size * MB)
            points.append(measured(size, path, features))
    return points


def table(what: str, points: list[Point]) -> str:
    head = f"{what} | features | thresher, s | vw -b {BITS}, s | peak, MB | weights and names, MB"
    lines = [f"| {head} |", "|" + "---:|" * 6]
    lines += [
        f"| {p.x:,.0f} | {p.features:,} | {p.ours:.2f} | {p.theirs:.2f} | {p.memory:,.0f} | "
        f"{p.kept:,.0f} |"
        for p in points
    ]
    return "\n".join(lines)


def draw(names: list[Point], sizes: list[Point], path: Path = IMAGE) -> None:
    with matplotlib().rc_context(FONT):
        figure = new_figure(9.6, 6.4)
        axes = figure.subplots(2, 2)
        for row, (what, points) in zip(
            axes, (("different names", names), ("MB of words", sizes)), strict=True
        ):
            _draw_one(row[0], f"Processor time against {what}", what, points, "seconds")
            _draw_one(row[1], f"Peak memory against {what}", what, points, "MB")
        figure.savefig(path, metadata={"Date": None})


def _draw_one(ax: Any, title: str, what: str, points: list[Point], y: str) -> None:
    dress(ax, title, what, y)
    x = [p.x for p in points]
    if y == "seconds":
        lines = (("thresher", BLUE, [p.ours for p in points]),
                 (f"vw -b {BITS}", ORANGE, [p.theirs for p in points]))  # fmt: skip
    else:
        lines = (("all", BLUE, [p.memory for p in points]),
                 ("weights and names", ORANGE, [p.kept for p in points]))  # fmt: skip
    for name, color, values in lines:
        ax.plot(x, values, color=color, linewidth=2.2, marker="o", markersize=4, label=name)
    ax.set(xscale="log", yscale="log")
    ax.legend(frameon=False)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(thousands())
    ax.minorticks_off()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small files, and no picture")
    quick = parser.parse_args().quick
    names = by_names((1_000,) if quick else NAMES)
    sizes = by_size((1,) if quick else MEGABYTES)
    print(table("names", names), table("MB", sizes), sep="\n\n")
    if not quick:
        draw(names, sizes)
        print(f"docs/images/{IMAGE.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
