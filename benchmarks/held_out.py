"""One pass over forty real data sets: our learners beside those of other libraries.

    python benchmarks/held_out.py                      # every set whose data is on this machine
    python benchmarks/held_out.py --only elec2 casp --seeds 1
    python benchmarks/held_out.py --no-peers           # ours anew, the others from the cache alone
    python benchmarks/held_out.py --markdown docs/on-real-data.md --json results.json
    python benchmarks/held_out.py --cost               # times, on a machine that does nothing else
    python benchmarks/held_out.py --bound              # the experts' losses beside their bound

Every library gets the same features in the same orders. Where order means something it is kept;
elsewhere there are several random ones, and the table gives mean and standard deviation. Two
figures: *progressive*, each example being answered before it is learned, and *held out*, on
examples that were never learned. Per cent wrong, or RMSE for numbers.

The results of other libraries are kept in a file outside the repository and are computed once for
each version of a library; a run that was stopped continues where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import dump_svmlight_file

from contenders import OURS, PEERS, Absent, Contender, Unable, kind_for_vw, write_vw
from real_data import BY_NAME, DataSet, Missing, Stream

CACHE = Path.home() / ".cache" / "thresher-benchmarks" / "peers.jsonl"
GROUPS = {each.name: each.group for each in (*OURS, *PEERS)}
JUDGED = ("auto", "experts")  # of ours: these should lose to nobody
MEASURES = {"progressive": "Progressive", "held_out": "Held out"}

Key = tuple[str, int, str]  # set, seed, contender
Result = dict[str, Any]


# -- running


def key_of(each: DataSet, seed: int, contender: Contender) -> str:
    """What a cached result depends on."""
    return f"{each.name} {each.most} | {seed} | {contender.name} {contender.version}"


def cached(path: Path) -> dict[str, Result]:
    if not path.exists():
        return {}
    lines = path.read_text().splitlines()
    return {line["key"]: line["result"] for line in map(json.loads, lines)}


def measured(contender: Contender, stream: Stream) -> Result:
    begun = time.perf_counter()
    try:
        found = contender.run(stream)
    except Unable as error:
        return {"unable": str(error)}
    return {
        "progressive": found.progressive,
        "held_out": found.held_out,
        "seconds": round(time.perf_counter() - begun, 3),
    }


def run_one(name: str, seed: int, contenders: list[Contender], cache: Path | None) -> list[Any]:
    """All contenders on one order of one set; each result is added to the cache as it comes."""
    warnings.simplefilter("ignore")  # of learners that have not converged: one pass is the task
    each = BY_NAME[name]
    try:
        stream = each.stream(seed)
    except Missing as error:
        print(f"\n{name} is left out: {error}", file=sys.stderr)
        return []
    results = []
    for contender in contenders:
        try:
            result = measured(contender, stream)
        except Absent as error:
            result = {"unable": str(error)}
        except Exception as error:  # of another library: said, tried again in the next run
            print(f"\n{name}: {contender.name} failed: {error!r}", file=sys.stderr)
            result = {"unable": f"failed: {error!r}"}
        else:
            if cache is not None:
                line = json.dumps({"key": key_of(each, seed, contender), "result": result})
                with cache.open("a") as out:
                    out.write(line + "\n")
        results.append(((name, seed, contender.name), result))
    return results


def run_all(sets: list[DataSet], seeds: int, peers: bool, ours: list[Contender], cache: Path,
            jobs: int) -> dict[Key, Result]:  # fmt: skip
    cache.parent.mkdir(parents=True, exist_ok=True)
    known = cached(cache)
    results: dict[Key, Result] = {}
    tasks: list[tuple[str, int, list[Contender], Path | None]] = []
    for seed in range(seeds):  # one order of everything first
        for each in sets:
            if each.ordered and seed:
                continue
            missing = []
            for contender in PEERS:
                if contender.group == "other" and seed:
                    continue  # for information: one order is enough
                result = known.get(key_of(each, seed, contender))
                if result is not None:
                    results[each.name, seed, contender.name] = result
                else:
                    missing.append(contender)
            if ours:
                tasks.append((each.name, seed, ours, None))
            if missing and peers:
                tasks.append((each.name, seed, missing, cache))
    with ProcessPoolExecutor(jobs) as pool:
        for done, found in enumerate(pool.map(run_one, *zip(*tasks, strict=True)) if tasks else ()):
            results.update(found)
            print(f"\r{done + 1} of {len(tasks)}: {tasks[done][0]}\033[K", end="", file=sys.stderr)
    print(file=sys.stderr)
    return results


# -- what was found


@dataclass(frozen=True)
class Cell:
    """The figures of one contender on one set, over the orders."""

    name: str
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    def shown(self, regress: bool) -> str:
        precise = "{:.4g}".format if regress else "{:.2f}".format
        if len(self.values) == 1:
            return precise(self.mean)
        return f"{precise(self.mean)} ± {precise(float(np.std(self.values, ddof=1)))}"

    def surely_worse(self, other: Cell) -> bool:
        """By more than two standard errors of the differences, order by order."""
        differences = np.subtract(self.values, other.values)
        if len(differences) == 1:
            return bool(differences[0] > 0)
        spread = np.std(differences, ddof=1) / len(differences) ** 0.5
        return bool(differences.mean() > 2 * spread)


@dataclass(frozen=True)
class Row:
    """All contenders on one set by one measure."""

    set: DataSet
    cells: dict[str, Cell]

    def best(self, group: str) -> Cell | None:
        cells = [cell for cell in self.cells.values() if GROUPS[cell.name] == group]
        return min(cells, key=lambda cell: cell.mean, default=None)

    def mark(self, name: str) -> str:
        """▼ worse than the best linear one-pass peer, ▽ within the spread; ! than a trivial one."""
        mine, peer, trivial = self.cells.get(name), self.best("linear"), self.best("trivial")
        if mine is None:
            return ""
        marks = ""
        if peer is not None and mine.mean > peer.mean:
            marks += "▼" if mine.surely_worse(peer) else "▽"
        if trivial is not None and mine.mean > trivial.mean:
            marks += "!"
        return marks


def rows_of(results: dict[Key, Result], sets: Iterable[DataSet], measure: str) -> list[Row]:
    rows = []
    for each in sets:
        orders = complete_orders(results, each)
        values: dict[str, list[float]] = {}
        for (name, order, contender), result in sorted(results.items()):
            figure = result.get(measure)
            if name == each.name and order in orders and figure is not None and np.isfinite(figure):
                values.setdefault(contender, []).append(figure)
        cells = {
            name: Cell(name, tuple(found))
            for name, found in values.items()
            if len(found) == len(orders) or GROUPS[name] == "other"
        }
        if cells:
            rows.append(Row(each, cells))
    return rows


def complete_orders(results: dict[Key, Result], each: DataSet) -> set[int]:
    """The orders of a set in which all have run that ran in any: a run may have been stopped."""
    ran = Counter(o for name, o, c in results if name == each.name and GROUPS[c] != "other")
    return {order for order, count in ran.items() if count == max(ran.values())}


def table_of(rows: list[Row], ours: list[str]) -> tuple[list[str], list[list[str]]]:
    header = ["set", "kind", "trivial", "best linear one-pass peer", *ours, "a tree, or batch"]
    lines = []
    for row in rows:
        regress = row.set.regress
        trivial, peer, other = (
            "–" if best is None else f"{best.shown(regress)} ({best.name})"
            for best in map(row.best, ("trivial", "linear", "other"))
        )
        figures = [
            f"{row.cells[name].shown(regress)} {row.mark(name)}".rstrip()
            if name in row.cells
            else "–"
            for name in ours
        ]
        lines.append([row.set.name, row.set.kind, trivial, peer, *figures, other])
    return header, lines


def summary(rows: list[Row], name: str) -> list[str]:
    """Wins and losses of one of ours, and every loss with its size."""
    raced = [row for row in rows if name in row.cells and row.best("linear") is not None]
    if not raced:
        return []
    marks = {row.set.name: row.mark(name) for row in raced}
    clear = sum("▼" in mark for mark in marks.values())
    near = sum("▽" in mark for mark in marks.values())
    trivial = [each for each, mark in marks.items() if "!" in mark]
    lines = [
        f"{name}: on {len(raced) - clear - near} of {len(raced)} sets not worse than the best "
        f"linear one-pass peer, worse within the spread on {near}, worse on {clear}; worse than a "
        f"trivial baseline on {len(trivial)}{': ' + ', '.join(trivial) if trivial else ''}."
    ]
    for row in raced:
        if marks[row.set.name]:
            lines.append(loss(row, name))
    return lines


# Why what is behind is behind, where it is known.
WHY = {
    "default": "on 8,000 examples with 3 % mistakes the vote pays a dozen mistakes to find the "
    "best members among forty",
    "fine-foods": "on 4,000 examples the vote pays some twenty mistakes to find the best member "
    "among twenty",
    "tagging": "VW's squared loss, one class against all others, is not in the portfolio",
    "phishing": "on 1,000 examples these are four mistakes, which the vote pays to find the best "
    "members among forty",
    "stocks": "ups and downs of a price: next to chance for everybody",
    "approval": "no change is nearly right, and weights that begin equal pay for that at the start",
    "loans": "nothing is better than the majority, and votes against it cost a little at the start",
    "crashes": "nothing is better than the majority; the difference is an example or two",
    "caravan": "nothing is better than the majority; the difference is an example or two",
    "grants": "the difference is an example or two in each order",
    "bananas": "no line divides the two curves, and votes against the majority cost a little",
}


def loss(row: Row, name: str) -> str:
    mine, text = row.cells[name], []
    for rival in (row.best("linear"), row.best("trivial")):
        if rival is not None and mine.mean > rival.mean:
            by = mine.mean - rival.mean
            size = f"{100 * by / rival.mean:.1f} %" if row.set.regress else f"{by:.2f} points"
            text.append(f"{rival.name} by {size}")
    why = f" ({WHY[row.set.name]})" if row.set.name in WHY else ""
    return f"{row.mark(name)} {row.set.name}: behind {' and '.join(text)}{why}"


def duels(rows: list[Row], name: str) -> tuple[list[str], list[list[str]]]:
    """One of ours against each single peer: on how many sets it is better, and worse."""
    found = []
    for peer, group in GROUPS.items():
        pairs = [(r.cells[name], r.cells[peer]) for r in rows if {name, peer} <= r.cells.keys()]
        if group in ("linear", "trivial") and pairs:
            better = sum(mine.mean < its.mean for mine, its in pairs)
            worse = sum(mine.mean > its.mean for mine, its in pairs)
            ratios = [its.mean / mine.mean for mine, its in pairs if mine.mean > 0]
            found.append((worse / len(pairs), peer, better, worse, len(pairs), np.median(ratios)))
    return (
        [f"{name} against", "sets", "better", "worse", "median of its error / ours"],
        [
            [peer, str(sets), str(better), str(worse), f"{ratio:.3g}"]
            for _, peer, better, worse, sets, ratio in sorted(found, reverse=True)
        ],
    )


def halves(results: dict[Key, Result], sets: list[DataSet], ours: list[str],
           table: Callable[[list[str], list[list[str]]], str], bullet: str) -> str:  # fmt: skip
    """Both tables of both halves, with wins and losses."""
    parts = []
    for half, purpose in (("first", "for choosing"), ("second", "for reporting")):
        for measure, title in MEASURES.items():
            rows = rows_of(results, (each for each in sets if each.half == half), measure)
            if not rows:
                continue
            parts.append(f"## {title}, the {half} half ({purpose})")
            parts.append(table(*table_of(rows, ours)))
            for name in ours:
                if name in JUDGED:
                    first, *losses = summary(rows, name) or [""]
                    parts += [first, "\n".join(f"{bullet}{each}" for each in losses)]
            if half == "second" and "auto" in ours:
                parts.append(table(*duels(rows, "auto")))
    return "\n\n".join(part for part in parts if part)


def plain_table(header: list[str], lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in (header, *lines)) for i in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (header, *lines)
    )


def markdown_table(header: list[str], lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *lines))


def versions() -> str:
    found = []
    for package in ("thresher", "scikit-learn", "vowpalwabbit", "river", "capymoa"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join([*found, f"Python {platform.python_version()}"])


LEGEND = (
    "▼ worse than the best linear one-pass peer, by more than two standard errors of the "
    "differences where there are several orders; ▽ worse, but within that; ! worse than a trivial "
    "baseline. The best of all peers is chosen afterwards, for each set and figure, so no single "
    "peer does as well everywhere: the last table of the second half has them one by one."
)


def page(results: dict[Key, Result], sets: list[DataSet], ours: list[str], seeds: int) -> str:
    """The page of the documentation."""
    told = markdown_table(
        ["set", "kind", "half", "examples", "columns", "what it is"], described(sets)
    )
    return f"""# On real data

One pass over {len(sets)} real data sets of every kind: Thresher beside the one-pass linear learners
of scikit-learn, Vowpal Wabbit, River and MOA, and beside answers that need no learning. Made by
`python benchmarks/held_out.py --markdown docs/on-real-data.md` on {date.today():%Y-%m-%d}:
{versions()}.

Every library gets the same features. Where order means something it is kept; elsewhere there are
up to {seeds} random orders, and a figure is mean ± standard deviation over them. *Progressive*:
each example is answered before it is learned. *Held out*: examples that were never learned. In
per cent, or as root mean squared error. What `auto` runs may be chosen by looking at the
first half of the sets only; the second half is for reporting. Figures of the second half were on
screen while the portfolio was still being worked on, so it is not an untouched test.

`default` is a learner whose options nobody touched (passive-aggressive; LMS for numbers), `experts`
a committee of the whole portfolio, `auto` what `thresher train --learner auto` keeps of it in the
end (while it learns, the committee answers for both), `by hand` one learner for each kind of data,
chosen on the first half. A Hoeffding tree (MOA) and `LinearSVC` with the best C are beside them for
information, on one order. {LEGEND}

{halves(results, sets, ours, markdown_table, "- ")}

## The sets

{told}
"""


def kept_costs(path: Path) -> str:
    """The section about times, which `--cost` measures apart."""
    found = re.search(
        r"## What it costs.*?(?=## )", path.read_text() if path.exists() else "", re.S
    )
    return found[0] if found else ""


def described(sets: list[DataSet]) -> list[list[str]]:
    lines = []
    for each in sets:
        stream = each.stream(0)
        size = len(stream.y) + (0 if stream.y_test is None else len(stream.y_test))
        lines.append(
            [each.name, each.kind, each.half, f"{size:,}", f"{stream.X.shape[1]:,}", each.about]
        )
    return lines


# -- what it costs


COSTED = ("imdb", "a9a", "mnist", "elec2")  # sets of classes: words, flags, wide and narrow tables
REPEATS = 3  # the best counts
ALL = 10**9  # examples


def cost(each: DataSet) -> None:
    """Seconds of whole processes that read the same file of classes, all of it, taking turns."""
    stream = replace(each, most=ALL).stream(0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        train, train_vw = folder / "train.svm", folder / "train.vw"
        dump_svmlight_file(stream.X, stream.y, str(train), zero_based=False)
        write_vw((stream.X, stream.y), stream.classes, train_vw)
        ours = [sys.executable, "-m", "thresher", "train", str(train), "-q",
                "-m", str(folder / "model"), "--learner"]  # fmt: skip
        vw = [sys.executable, "-m", "vowpalwabbit", "--quiet", "-d", str(train_vw), "-b", "20",
              "-f", str(folder / "vw.model"), *kind_for_vw(stream.classes)]  # fmt: skip
        commands = {"one learner": [*ours, "pa"], "VW": vw}
        commands |= {name: [*ours, name] for name in JUDGED if name in GROUPS}
        times = dict.fromkeys(commands, float("inf"))
        for _ in range(REPEATS):
            for name, command in commands.items():
                begun = time.perf_counter()
                subprocess.run(command, check=True)
                times[name] = min(times[name], time.perf_counter() - begun)
    print(f"\n{each.name}: {stream.X.shape[0]:,} × {stream.X.shape[1]:,}")
    header = ["", "seconds", "× one learner", "× VW"]
    lines = [
        [name, f"{t:.2f}", f"{t / times['one learner']:.2f}", f"{t / times['VW']:.2f}"]
        for name, t in times.items()
    ]
    print(plain_table(header, lines))


# -- the theorem


def audited(each: DataSet, seed: int) -> list[str]:
    """What the committee lost on one order, its best member, and what the theorem allows."""
    import thresher

    warnings.simplefilter("ignore")
    try:
        stream = each.stream(seed)
    except Missing as error:
        print(f"{each.name} is left out: {error}", file=sys.stderr)
        return []
    cls: Any = thresher.ExpertsRegressor if each.regress else thresher.Experts
    model = cls(keep_all=True).fit(stream.X, stream.y)
    found = thresher.audit(model, stream.X, stream.y, replay=False)
    theorem, best = ("experts, squares", "S") if each.regress else ("experts", "m")
    row = next(row for row in found.rows if row.theorem == theorem)
    least = row.bound.quantities[best]
    figures = [f"{value:,.6g}" for value in (row.figure, least, row.value)]
    holds = "yes" if row.applies and row.holds else "NO"
    return [each.name, str(seed), *figures, row.comparator, holds]


def bounds(sets: list[DataSet], seeds: int, jobs: int) -> int:
    """Print them for every set and order; 1 if any is broken."""
    tasks = [(each, seed) for each in sets for seed in range(1 if each.ordered else seeds)]
    with ProcessPoolExecutor(jobs) as pool:
        lines = [line for line in pool.map(audited, *zip(*tasks, strict=True)) if line]
    header = ["set", "order", "lost", "best member lost", "bound", "best member", "holds"]
    print(plain_table(header, lines))
    broken = sum(line[-1] != "yes" for line in lines)
    print(f"\nThe bound holds in {len(lines) - broken} of {len(lines)} runs.")
    return int(broken > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data sets that no package brings")
    parser.add_argument("--only", nargs="*", choices=BY_NAME, help="only these sets")
    parser.add_argument("--half", choices=("first", "second"), help="one half of the sets")
    names = [each.name for each in OURS]
    parser.add_argument(
        "--ours", nargs="*", choices=names, default=names, help="of ours, only these"
    )
    parser.add_argument("--seeds", type=int, default=3, help="random orders")
    parser.add_argument("--no-peers", action="store_true", help="those that are cached, no others")
    parser.add_argument("--cache", type=Path, default=CACHE, help="results of other libraries")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path, help="all results go here")
    parser.add_argument("--markdown", type=Path, help="the page of the documentation goes here")
    parser.add_argument("--cost", action="store_true", help="times of whole processes instead")
    parser.add_argument("--bound", action="store_true", help="the experts' bound instead")
    options = parser.parse_args()
    if options.data:
        os.environ["THRESHER_DATA"] = str(options.data)
    if options.cost:
        for name in options.only or COSTED:
            cost(BY_NAME[name])
        return
    sets = [BY_NAME[name] for name in options.only or BY_NAME]
    sets = [each for each in sets if options.half in (None, each.half)]
    if options.bound:
        sys.exit(bounds(sets, options.seeds, options.jobs))
    ours = [each for each in OURS if each.name in options.ours]
    results = run_all(sets, options.seeds, not options.no_peers, ours, options.cache, options.jobs)
    there = {name for name, _, _ in results}
    sets = [each for each in sets if each.name in there]
    names = [each.name for each in ours]
    print(halves(results, sets, names, plain_table, "  "))
    print(f"\n{LEGEND}\n{versions()}")
    if options.json:
        found = [{"set": s, "order": o, "contender": c, **r} for (s, o, c), r in results.items()]
        options.json.write_text(json.dumps({"versions": versions(), "results": found}, indent=1))
    if options.markdown:
        text, costs = page(results, sets, names, options.seeds), kept_costs(options.markdown)
        options.markdown.write_text(text.replace("## The sets", f"{costs}## The sets", 1))


if __name__ == "__main__":
    main()
