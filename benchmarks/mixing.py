"""Models of shards, mixed: what it costs in accuracy and time.

    python benchmarks/mixing.py quality --data FOLDER        # held-out error by shards and passes
    python benchmarks/mixing.py quality --data FOLDER --shards 1 8 --sets imdb
    python benchmarks/mixing.py quality --data FOLDER --plain       # the same in plain NumPy
    python benchmarks/mixing.py scale                        # 64 models of a million names each
    python benchmarks/mixing.py shards --count 1000          # 1,000 shards of 10,000 examples
    python benchmarks/mixing.py speed                        # two workers or one process
    python benchmarks/mixing.py model                        # many machines, on paper

`quality` reads the data sets beside the repository; the others make their data themselves.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import hashlib
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import thresher
from thresher.cluster import tasks
from thresher.cluster.engine import connected
from thresher.cluster.manifest import shards_of
from thresher.cluster.tasks import Lesson
from thresher.cluster.training import ClusterTraining
from thresher.data.reading import ReadingOptions
from thresher.learners.table import by_short
from thresher.mixing import restarted
from thresher.training import Plan

SETS = {
    "imdb": ("imdb.train.svm.gz", "imdb.test.svm.gz"),
    "a9a": ("a9a.train.svm.gz", "a9a.test.svm.gz"),
    "news20": ("news20.svm.bz2", None),
}
# Each a learner, its settings, and how rows are made: features present or absent, of length 1 or
# not, or counted as in the file.
LEARNERS: dict[str, list[tuple[str, tuple[str, ...], str]]] = {
    "imdb": [("perceptron", (), "unit"), ("pa", (), "unit"), ("arow", (), "unit")],
    "a9a": [("arow", (), "unit"), ("arow", ("r=10",), "present")],
    "news20": [("pa", (), "counts")],
}
PASSES = (1, 3, 10)


class Here:
    """An engine in this process."""

    workers = 1

    def run(self, function: Any, given: Any, shared: Any) -> Any:
        for i, task in enumerate(given):
            yield i, function(*task, shared)


def lines_of(path: Path, rows: str) -> list[bytes]:
    """The examples of a file."""
    opener = bz2.open if path.suffix == ".bz2" else gzip.open
    with opener(path) as file:
        lines = [line for line in file.read().split(b"\n") if line.strip()]
    if rows == "counts":
        return lines
    found = []
    for label, *cells in map(bytes.split, lines):
        value = b":%.9f" % (len(cells) ** -0.5 if rows == "unit" else 1.0) if cells else b""
        found.append(b" ".join([label, *(cell.partition(b":")[0] + value for cell in cells)]))
    return found


def split(data: Path, name: str, rows: str, seed: int) -> tuple[list[bytes], list[bytes]]:
    """Training examples in a random order, and those to be judged on."""
    first, second = SETS[name]
    lines = lines_of(data / first, rows)
    random.Random(seed).shuffle(lines)
    if second is not None:
        return lines, lines_of(data / second, rows)
    held = len(lines) // 5
    return lines[held:], lines[:held]


def write(folder: Path, lines: list[bytes], shards: int) -> None:
    for i in range(shards):
        begin, end = len(lines) * i // shards, len(lines) * (i + 1) // shards
        (folder / f"{i:05}.svm").write_bytes(b"\n".join([*lines[begin:end], b""]))


def error(learner: Any, path: Path) -> float:
    wrong = seen = 0
    with thresher.read([path], model=learner) as reader:
        for batch in reader:
            found = learner.predict_batch(batch)
            wrong += sum(a != b for a, b in zip(found, batch.labels, strict=True))
            seen += len(batch)
    return 100.0 * wrong / seen


def quality(given: argparse.Namespace) -> None:
    for name in given.sets:
        for learner, settings, rows in LEARNERS[name]:
            if learner not in given.learners:
                continue
            settings = tuple(given.set or settings)
            train, test = split(given.data, name, rows, given.seed)
            shown = []
            for shards in given.shards:
                if given.plain:
                    shown.append(plain_curve(train, test, learner, settings, shards, given.how))
                    continue
                with tempfile.TemporaryDirectory() as temporary:
                    folder = Path(temporary)
                    (folder / "test").mkdir()
                    (folder / "test" / "test.svm").write_bytes(b"\n".join([*test, b""]))
                    lesson = Lesson(
                        learner, settings, ReadingOptions(), Plan(max(PASSES), threads=1)
                    )
                    shown.append(curve(folder, train, lesson, shards, given.how))
            cells = ["/".join(f"{e:.1f}" for e in errors) for errors in shown]
            print(f"| {' '.join([learner, *settings])} {name} ({rows}) | {' | '.join(cells)} |",
                  flush=True)  # fmt: skip


def curve(folder: Path, lines: list[bytes], lesson: Lesson, shards: int, how: str) -> list[float]:
    """The error after 1, 3 and 10 passes."""
    write(folder, lines, shards)
    found: list[float] = []
    test = folder / "test" / "test.svm"

    def look(number: int, model: Any) -> None:
        if number in PASSES:
            found.append(error(model, test))
            print(f"{lesson.learner}, {shards} shards, pass {number}: {found[-1]:.2f} %",
                  file=sys.stderr, flush=True)  # fmt: skip

    if shards == 1:  # an average of each pass alone, as on shards
        model: Any = None
        for number in range(1, max(PASSES) + 1):
            model = _one_pass(folder / "00000.svm", lesson, model)
            look(number, model)
        return found
    parts = shards_of([str(folder / "*.svm")], ReadingOptions(), None, 100_000)
    run = ClusterTraining(Here(), parts, lesson, how=how)
    run.run(lambda model: look(len(run.history), model))
    return found


def _one_pass(path: Path, lesson: Lesson, before: Any) -> Any:
    base = None if before is None else tasks.saved(restarted(before))
    (shard,) = shards_of([str(path)], ReadingOptions(), None)
    answer = tasks.train_shard(replace(lesson, plan=Plan(1)), shard, "", tasks.Teller(), base)
    assert answer.model is not None, answer.error
    return tasks.loaded(answer.model)


# ------------------------------------------------------------------ the same in plain NumPy


class PlainRows:
    """Examples as arrays: the class, the columns (0 is the constant), the values."""

    def __init__(self, lines: list[bytes], classes: list[float], columns: dict[bytes, int]) -> None:
        self.rows = []
        for label, *cells in map(bytes.split, lines):
            pairs = [cell.split(b":") for cell in cells]
            index = [columns.setdefault(name, len(columns) + 1) for name, _ in pairs]
            values = np.array([1.0, *(float(value) for _, value in pairs)])
            self.rows.append((classes.index(float(label)), np.array([0, *index]), values))


def plain_curve(
    train: list[bytes], test: list[bytes], learner: str, settings: tuple[str, ...], shards: int,
    how: str,
) -> list[float]:  # fmt: skip
    """The error after 1, 3 and 10 passes, by the formulas alone: nothing of the library is used. A
    shard knows the columns that it has, so that a thousand of them need neither disk nor time."""
    classes = sorted({float(line.split(None, 1)[0]) for line in train})
    names: dict[bytes, int] = {}
    rows, held = PlainRows(train, classes, names).rows, PlainRows(test, classes, names).rows
    parts = []
    for i in range(shards):
        part = rows[len(rows) * i // shards : len(rows) * (i + 1) // shards]
        own = np.unique(np.concatenate([index for _, index, _ in part]))
        parts.append((own, [(y, np.searchsorted(own, index), x) for y, index, x in part]))
    width, height = (len(classes) if len(classes) > 2 else 1), len(names) + 1
    w, precision = np.zeros((height, width)), np.ones((height, width))
    occurs = np.zeros((height, 1))
    for own, _ in parts:
        occurs[own] += 1.0
    divisor = np.maximum(occurs, 1.0) if how == "occurrence" else float(shards)
    found = []
    for number in range(1, max(PASSES) + 1):
        moves, means, gains = (np.zeros((height, width)) for _ in range(3))
        for own, part in parts:
            moved, mean, gain = plain_pass(w[own], precision[own], part, learner, settings)
            moves[own] += moved
            means[own] += mean
            gains[own] += gain
        shown = w + (moves if learner == "arow" else means) / divisor
        w, precision = w + moves / divisor, precision + gains / divisor
        if number in PASSES:
            found.append(plain_error(shown, held))
    return found


def plain_pass(
    start: Any, precision: Any, part: list[Any], learner: str, settings: tuple[str, ...]
) -> tuple[Any, Any, Any]:
    """How far the weights of a shard move, how far their mean over the pass does, and what its
    precisions gain."""
    given = {name: float(value) for name, _, value in (one.partition("=") for one in settings)}
    r, C = given.get("r", 1.0), given.get("C", 1.0)
    w, late, gain = start.copy(), np.zeros_like(start), np.zeros_like(start)
    many = w.shape[1] > 1
    # Rivals are the classes that came before, here or in an earlier pass; of the first class, the
    # one that comes next.
    met = np.full(w.shape[1], bool(start.any()))
    order = list(dict.fromkeys(y for y, _, _ in part))
    met[order[:2] if many else []] = True
    for number, (y, index, x) in enumerate(part):
        scores = x @ w[index]
        met[y if many else 0] = True
        rivals = np.where((np.arange(len(scores)) == y) | ~met, -np.inf, scores)
        columns = np.array([y, int(np.argmax(rivals))]) if many else np.array([0])
        signs = np.array([1.0, -1.0]) if many else np.array([1.0 if y else -1.0])
        margin = float(scores[columns] @ signs)
        if margin > 0.0 and (learner == "perceptron" or margin >= 1.0):
            continue
        cells = np.ix_(index, columns)
        change = x[:, None] * signs
        if learner == "arow":
            change = change / (precision[cells] + gain[cells])
            change *= (1.0 - margin) / (float((x[:, None] * signs * change).sum()) + r)
            gain[cells] += x[:, None] ** 2 / r
        elif learner == "pa":
            change = change * min(C, (1.0 - margin) / (len(columns) * float(x @ x)))
        w[cells] += change
        late[cells] += number * change
    return w - start, w - start - late / len(part), gain


def plain_error(w: Any, rows: list[Any]) -> float:
    wrong = 0
    for y, index, x in rows:
        scores = x @ w[index]
        wrong += y != (int(np.argmax(scores)) if len(scores) > 1 else int(scores[0] > 0.0))
    return 100.0 * wrong / len(rows)


# ------------------------------------------------------------------ scale


def scale(given: argparse.Namespace) -> None:
    """Models in a folder of their own, which may be there from an earlier call: making them takes
    longer than mixing them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        paths = [folder / f"{i}.model" for i in range(given.models)]
        for i, path in enumerate(paths):
            if not path.exists():
                _make_model(path, i, given.names)
        if given.only_make:
            return
        before = _peak()
        began, computed = time.monotonic(), time.process_time()
        made = thresher.mix(paths)
        mixed, computed = time.monotonic() - began, time.process_time() - computed
        made.save(folder / "out.model")
        total = time.monotonic() - began
        size = os.path.getsize(paths[0]) / 1e6
        print(f"{given.models} models of {given.names:,} names ({size:.0f} MB each) → "
              f"{made._learned().features:,} names: mixed in {mixed:.1f} s "
              f"({computed:.1f} s of processor time), saved in {total - mixed:.1f} s; "
              f"peak memory {_peak():.0f} MB (before {before:.0f} MB)")  # fmt: skip


def _make_model(path: Path, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    model = thresher.PassiveAggressive()
    ids = np.sort(rng.choice(int(n * 1.2), n, replace=False))
    model.learn_one({f"feature{j}": 1.0 for j in ids[: n // 2]}, "a")
    model.learn_one({f"feature{j}": 0.5 for j in ids[n // 2 :]}, "b")
    model.save(path)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


class Timed:
    """An engine that keeps when it gave its last answer."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.answered = engine, 0.0

    def run(self, function: Any, given: Any, shared: Any) -> Any:
        for found in self.engine.run(function, given, shared):
            self.answered = time.monotonic()
            yield found


def shards(given: argparse.Namespace) -> None:
    """Text-like examples, as many shards as asked for, and a file to be judged on; then one
    machine over the same files."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        test = folder / "test" / "test.vw"
        test.parent.mkdir(parents=True, exist_ok=True)
        for i, path in enumerate([*(folder / f"{i:05}.vw" for i in range(given.count)), test]):
            if not path.exists():
                _generate(path, i, given.examples, given.words, given.margin)
        if given.only_make:
            return
        files = sorted(folder.glob("*.vw"))
        size = sum(path.stat().st_size for path in files)
        print(f"{len(files):,} shards of {given.examples:,} examples ({size / 1e9:.2f} GB), "
              f"{given.learner}, {given.cluster}")  # fmt: skip
        on_shards(given, files, test)
        began = time.monotonic()
        one = by_short(given.learner).cls().fit_file(files, passes=given.passes)
        print(f"one process, {given.passes} passes: {time.monotonic() - began:.0f} s; "
              f"held-out error {error(one, test):.2f} %")  # fmt: skip


def on_shards(given: argparse.Namespace, files: list[Path], test: Path) -> None:
    parts = shards_of(map(str, files), ReadingOptions(), None, 100_000)
    lesson = Lesson(given.learner, (), ReadingOptions(), Plan(given.passes, threads=1))
    began = time.monotonic()
    with connected(given.cluster) as engine:
        print(f"workers after {time.monotonic() - began:.1f} s")
        timed = Timed(engine)
        run = ClusterTraining(timed, parts, lesson, how=given.how)

        def look(made: Any) -> None:
            nonlocal began
            mixed = time.monotonic() - timed.answered
            found, names = run.history[-1], made._learned().features
            print(f"pass {found['pass']}: {found['examples']:,} examples in "
                  f"{timed.answered - began:.0f} s, mixed in {mixed:.1f} s; {names:,} names, "
                  f"loss {found['loss']:.4f}, held-out error {error(made, test):.2f} %",
                  flush=True)  # fmt: skip
            began = time.monotonic()

        began = time.monotonic()
        run.run(look)
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    print(f"peak memory: driver {_peak():.0f} MB, largest worker {worker:.0f} MB")


TYPICAL = 2.66  # the sum of the weights of a row's words, above which half of the rows are


def _generate(path: Path, seed: int, examples: int, most: int, margin: float | None) -> None:
    """Words by Zipf's law, labels from weights of the words: with noise, or with a margin and
    without noise."""
    rng = np.random.default_rng(seed)
    words = np.sort(np.minimum(rng.zipf(1.3, size=(examples, 20)), most), axis=1)
    first = np.diff(words, axis=1, prepend=0) != 0
    sides = (np.sin(words * 12.9898) * first).sum(axis=1) - TYPICAL
    if margin is None:
        sides += rng.normal(size=examples)
    clear = np.abs(sides) >= (margin or 0.0)
    with open(path, "w") as file:
        for row, side in zip(words[clear].tolist(), sides[clear].tolist(), strict=True):
            file.write(f"{'+1' if side > 0 else '-1'} | {' '.join(f'w{w}' for w in set(row))}\n")


# ------------------------------------------------------------------ two workers or one process


def speed(given: argparse.Namespace) -> None:
    """`predict` and `evaluate` on workers with a core each, by one process with one core, and by
    one with as many as the workers have together; in turn, on a file that takes one core about a
    minute. What they answer must be the same."""
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(dir=given.folder) as temporary:
        folder = Path(temporary)
        block, data, model = folder / "block.vw", folder / "data.vw", folder / "pa.model"
        _generate(block, 0, 200_000, 200_000, None)
        by_short("pa").cls().fit_file([block]).save(model)
        for command in ("predict", "evaluate"):
            _repeat(block, data, 10)
            took = _timed(command, data, model, [], cores[:1])[0]
            copies = max(1, round(10 * given.seconds / took))
            _repeat(block, data, copies)
            size = data.stat().st_size / 1e9
            print(f"{command}, {copies * 200_000:,} examples ({size:.1f} GB):", flush=True)
            own, many = cores[: given.workers], ["--cluster", f"local:{given.workers}"]
            ways: dict[str, tuple[list[str], list[int]]] = {
                "one process on one core": ([], cores[:1]),
                f"one process on {len(own)} cores": ([], own),
                f"local:{given.workers} on {len(own)} cores": (many, own),
            }
            found: dict[str, list[float]] = {way: [] for way in ways}
            answers = set()
            for _ in range(given.repeats):
                for way, (more, on) in ways.items():
                    wall, computed, answer = _timed(command, data, model, more, on)
                    found[way].append(wall)
                    answers.add(answer)
                    print(f"  {way}: {wall:.1f} s, {computed:.1f} s of processor time", flush=True)
            assert len(answers) == 1, "other answers"
            alone, one, together = (float(np.median(times)) for times in found.values())
            print(f"  local:{given.workers} is {alone / together:.2f} times as fast as one core, "
                  f"{one / together:.2f} times as one process on all", flush=True)  # fmt: skip


def _repeat(block: Path, data: Path, copies: int) -> None:
    with open(data, "wb") as file:
        for _ in range(copies):
            file.write(block.read_bytes())


def _timed(
    command: str, data: Path, model: Path, more: list[str], cores: list[int]
) -> tuple[float, float, str]:
    """Seconds, seconds of processor time, and a digest of the answer."""
    words = [sys.executable, "-m", "thresher", command, str(data), "-m", str(model), *more]
    words += ["--json"] if command == "evaluate" else []
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    on = ["taskset", "--cpu-list", ",".join(map(str, cores))]
    with subprocess.Popen([*on, *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        answer = hashlib.file_digest(process.stdout, "blake2b").hexdigest()
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == 0, words
    computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, computed, answer


# ------------------------------------------------------------------ on paper


def alone(size: float, given: argparse.Namespace) -> float:
    """Seconds of one machine: it parses once, later passes read parsed examples."""
    return size / given.rate * (1.0 + (given.passes - 1) * given.later)


def together(size: float, machines: int, given: argparse.Namespace) -> float:
    """A shard for each machine; the driver sends the base, gets the models and mixes them."""
    transport = 2.0 * given.model / given.network
    one = size / given.rate / machines + machines * (given.mix + transport)
    return given.start + given.passes * one


def model(given: argparse.Namespace) -> None:
    """Costs as measured, for other machines and sizes: computed, not run."""
    machines = (10, 100, 1000)
    print(f"| data | one machine | {' | '.join(f'{m:,} machines' for m in machines)} |")
    print("|---|---|" + "---|" * len(machines))
    for size in (1e9, 1e10, 1e11, 1e12, 1e13):
        cells = [alone(size, given), *(together(size, m, given) for m in machines)]
        print(f"| {size / 1e9:,.0f} GB | {' | '.join(map(spoken, cells))} |")
    pays = []
    for m in machines:
        size = 1e7
        while together(size, m, given) > alone(size, given) and size < 1e16:
            size *= 1.05
        pays.append(f"{size / 1e9:,.0f} GB")
    print(f"| pays from | | {' | '.join(pays)} |")


def spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def keep_made(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, help="of what is made, if it is not there")
    parser.add_argument("--only-make", action="store_true")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(required=True)
    one = parts.add_parser("quality")
    one.add_argument("--data", type=Path, required=True)
    one.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    one.add_argument("--shards", nargs="+", type=int, default=[1, 2, 8, 64, 1000])
    one.add_argument("--learners", nargs="+", default=["perceptron", "pa", "arow"])
    one.add_argument("--how", choices=["occurrence", "mean"], default="occurrence")
    one.add_argument("--set", nargs="+", metavar="KEY=VALUE", help="other settings of the learner")
    one.add_argument("--plain", action="store_true", help="by a NumPy program that uses nothing of "
                     "the library")  # fmt: skip
    one.add_argument("--seed", type=int, default=0, help="of the order, and of what is held out")
    one.set_defaults(run=quality)
    one = parts.add_parser("scale")
    one.add_argument("--models", type=int, default=64)
    one.add_argument("--names", type=int, default=1_000_000)
    keep_made(one)
    one.set_defaults(run=scale)
    one = parts.add_parser("shards")
    one.add_argument("--count", type=int, default=1000)
    one.add_argument("--examples", type=int, default=10_000)
    one.add_argument("--passes", type=int, default=1)
    one.add_argument("--learner", default="pa")
    one.add_argument("--how", choices=["occurrence", "mean"], default="occurrence")
    one.add_argument("--words", type=int, default=200_000, help="different ones, at most")
    one.add_argument("--margin", type=float, help="of all examples, which then have no noise")
    one.add_argument("--cluster", default="local:2")
    keep_made(one)
    one.set_defaults(run=shards)
    one = parts.add_parser("speed")
    one.add_argument("--seconds", type=float, default=60.0, help="of one core")
    one.add_argument("--repeats", type=int, default=3)
    one.add_argument("--workers", type=int, default=2)
    one.add_argument("--folder", type=Path, help="in which the data are made, several GB")
    one.set_defaults(run=speed)
    one = parts.add_parser("model")
    one.add_argument(
        "--rate", type=float, default=0.2e9, help="bytes a second that a process learns"
    )
    one.add_argument("--later", type=float, default=1 / 6, help="cost of a later pass, parsed")
    one.add_argument("--mix", type=float, default=0.19, help="seconds to mix in a model")
    one.add_argument("--model", type=float, default=37e6, help="bytes of a model")
    one.add_argument("--network", type=float, default=1e9, help="bytes a second of the driver")
    one.add_argument("--start", type=float, default=3.0, help="seconds until workers are there")
    one.add_argument("--passes", type=int, default=3)
    one.set_defaults(run=model)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
