"""Parts that read files: whole processes, their wall-clock time and their memory."""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.datasets import load_svmlight_file

import data
import thresher
from peers import Unequal
from table import Row
from timing import best, output, peak_memory, process, seconds
from workloads import Section, Sizes

MB = 1_000_000
THRESHER = [sys.executable, "-m", "thresher"]
WABBIT = [sys.executable, "-m", "vowpalwabbit"]
COLUMNS = 50_000


@contextmanager
def folder(megabytes: int) -> Iterator[Path]:
    """A temporary folder with room for this many megabytes of files, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="thresher-bench-") as name:
        free = shutil.disk_usage(name).free // MB
        if free < megabytes * 1.2:
            raise Unequal(
                f"{tempfile.gettempdir()} has {free:,} MB free; expected {megabytes:,} MB and a "
                "fifth more. Set TMPDIR to another place, or choose smaller files: --megabytes 100."
            )
        yield Path(name)


def svmlight_file(place: Path, megabytes: int) -> Path:
    path = place / "rows.svm"
    data.write_text({path: data.numbered(COLUMNS)}, COLUMNS, megabytes * MB)
    return path


LEARNER = "pa"  # one learner: by default `train` runs many at once


def train(
    model: Path, *data_files: Path, options: tuple[str, ...] = (), learner: str = LEARNER
) -> list[str]:
    words = [*THRESHER, "train", *map(str, data_files), "-m", str(model), "-q"]
    return [*words, "--learner", learner, *options]


def json_of(command: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output([*command, "--json"]).stdout)
    return found


# -- against Vowpal Wabbit


def files(sizes: Sizes) -> Section:
    rows: list[Row] = []
    for megabytes in sizes.megabytes:
        repeats = sizes.repeats if megabytes <= 100 else min(sizes.repeats, 3)
        with folder(2 * megabytes) as place:
            ids, ids_vw = place / "rows.svm", place / "rows.vw"
            texts = {ids: data.numbered(COLUMNS), ids_vw: data.numbered(COLUMNS, " |")}
            nonzeros = data.write_text(texts, COLUMNS, megabytes * MB)
            target = at_least(megabytes, 2.5, 4.0)
            rows += against_wabbit(
                {"ids, svmlight": ids, "ids, VW": ids_vw}, ids_vw, nonzeros, target, repeats
            )
        with folder(megabytes) as place:
            words = place / "words.vw"
            nonzeros = data.write_text({words: data.worded()}, len(data.words()), megabytes * MB)
            target = at_least(megabytes, 2.5, 4.0)
            rows += against_wabbit({"words, VW": words}, words, nonzeros, target, repeats)
    return "thresher train FILE, the whole process", rows


def at_least(megabytes: int, small: float, large: float) -> float | None:
    """The target depends on the size: in a small file the start of the process counts."""
    return large if megabytes >= 800 else small if megabytes >= 100 else None


def against_wabbit(
    ours: dict[str, Path], theirs: Path, nonzeros: int, target: float | None, repeats: int,
    bits: int = 18, auto: bool = True,
) -> list[Row]:  # fmt: skip
    """Our files, each with the same examples as the one that Vowpal Wabbit reads. With `auto` also
    what `train` does if no learner is named, on the last of them."""
    here, there = theirs.with_name("ours.model"), theirs.with_name("theirs.model")
    wabbit = [*WABBIT, "-d", str(theirs), "-b", str(bits), "-f", str(there)]
    said = output(wabbit).stderr
    examples = number_in(said, "number of examples")
    # Its constant is one more feature of each example.
    counts = (examples, number_in(said, "total feature number") - examples)
    if counts[1] != nonzeros:
        raise Unequal(f"Vowpal Wabbit read {counts[1]:,} features; {nonzeros:,} were written.")
    commands = {name: train(here, path) for name, path in ours.items()}
    for name, path in ours.items():
        found = (json_of(commands[name])["examples"], features_read(path))
        if found != counts:
            raise Unequal(f"{name}: we read {found} examples and features, they {counts}.")
    targets = dict.fromkeys(commands, target)
    if auto:
        name, path = list(ours.items())[-1]
        commands[f"{name}, auto"] = train(here, path, learner="auto")
        ours = ours | {f"{name}, auto": path}
        targets[f"{name}, auto"] = 1.0 if target else None
    contenders = {"theirs": process([*wabbit, "--quiet"])}
    contenders |= {name: process(command) for name, command in commands.items()}
    times = best(contenders, repeats)
    checked = f"{counts[0]:,} examples, {counts[1]:,} features read by both"
    return [
        Row(
            f"{name}, {path.stat().st_size / MB:,.0f} MB",
            f"Vowpal Wabbit, VW format, -b {bits}",
            times[name][0],
            times["theirs"][0],
            "× faster",
            checked,
            at_least=targets[name],
        )
        for name, path in ours.items()
    ]


def number_in(said: str, what: str) -> int:
    found = re.search(rf"^{what} = (\d+)$", said, re.MULTILINE)
    if found is None:
        raise Unequal(f"Vowpal Wabbit did not say its {what!r}.")
    return int(found[1])


def features_read(path: Path) -> int:
    """All features of all examples, as the reader passes them to the learner."""
    with thresher.read(path) as reader:
        return sum(int(batch.core.cells()[0][-1]) for batch in reader)


# -- many names


def names(sizes: Sizes) -> Section:
    """Files in which each of many names comes a few times: its cost in time and memory."""
    rows: list[Row] = []
    for count in sizes.names:
        with folder(5 * 12 * count // MB + 1) as place:
            path = place / "names.vw"
            nonzeros = data.write_many_names(path, count)
            large = count >= 1_000_000
            rows += against_wabbit(
                {f"{count:,} names": path}, path, nonzeros, 1.0 if large else None,
                min(sizes.repeats, 3), bits=24, auto=False,
            )  # fmt: skip
            printed, peak = peak_memory(train(place / "a.model", path, options=("--json",)))
            found = json.loads(printed)
            if found["features"] != count:
                raise Unequal(f"{found['features']:,} names were learned; {count:,} were written.")
            work, per_name = f"{count:,} names: memory of a name", found["names_bytes"] / count
            told = (
                f"text and slot; besides, {8 * VECTORS} bytes of weights. Peak {peak / MB:,.0f} MB"
            )
            rows.append(Row(work, "", per_name, None, "bytes", told))
    return "Many names", rows


# -- a file as a matrix


def svmlight(sizes: Sizes) -> Section:
    with folder(sizes.matrix_megabytes) as place:
        path = svmlight_file(place, sizes.matrix_megabytes)
        checked = check_matrix(path)
        times = best(
            {
                "ours": lambda: (seconds(lambda: thresher.read_svmlight(path)),),
                "theirs": lambda: (seconds(lambda: load_svmlight_file(str(path))),),
            },
            sizes.repeats,
        )
        work = f"read_svmlight, {path.stat().st_size / MB:,.0f} MB"
    row = Row(
        work,
        "sklearn load_svmlight_file",
        times["ours"][0],
        times["theirs"][0],
        "× faster",
        checked,
        at_least=15.0,
    )
    return "From svmlight to CSR", [row]


def check_matrix(path: Path) -> str:
    (X, y), (theirs, labels) = thresher.read_svmlight(path), load_svmlight_file(str(path))
    if X.shape != theirs.shape or not np.array_equal(y, labels):
        raise Unequal(f"read_svmlight: {X.shape} or the labels differ from scikit-learn's.")
    for part in ("indptr", "indices", "data"):
        if not np.array_equal(getattr(X, part), getattr(theirs, part)):
            raise Unequal(f"read_svmlight: {part} differs from scikit-learn's.")
    return f"{X.shape[0]:,} rows, {X.nnz:,} nonzeros equal"


# -- many learners in one pass

STRENGTHS = [f"{2.0**k:g}" for k in range(-10, 6)]  # C of 16 learners
MIDDLE = STRENGTHS[len(STRENGTHS) // 2 - 1]


def race(sizes: Sizes) -> Section:
    with folder(sizes.megabytes[0]) as place:
        path = svmlight_file(place, sizes.megabytes[0])
        model = place / "a.model"
        one = train(model, path, options=("--set", f"C={MIDDLE}"))
        grid = ["--grid", f"pa:C={','.join(STRENGTHS)}"]
        some = [*THRESHER, "race", str(path), "-m", str(model), "-q", *grid]
        every = [*some, "--keep-all"]
        alone, together = json_of(one)["error"], json_of(every)["standings"]
        error = next(row["error"] for row in together if row["name"] == f"pa C={MIDDLE}")
        if error != alone:
            raise Unequal(f"pa C={MIDDLE}: error {error} in the race, {alone} alone.")
        times = best(
            {"one": process(one), "some": process(some), "every": process(every)}, sizes.repeats
        )
        size = f"{path.stat().st_size / MB:,.0f} MB"
    checked = f"error of C={MIDDLE} equal: {error:.4f}"
    rows = [
        Row(
            f"race of {len(STRENGTHS)}{how}, {size}",
            f"train of one, C={MIDDLE}",
            times[name][0],
            times["one"][0],
            "× the time",
            checked,
            at_most=3.0 if sizes.megabytes[0] >= 100 else None,
        )
        for name, how in (("some", ""), ("every", " --keep-all"))
    ]
    return "thresher race, the whole process", rows


# -- memory

TIMES = 20  # the file is passed this often, for a longer stream
VECTORS = 2  # weights and averages of a learner of two classes, float64
MOST = 60.0  # MB besides them and the names


def memory(sizes: Sizes) -> Section:
    megabytes = sizes.megabytes[0]
    rows: list[Row] = []
    for kind, text, columns in (
        ("ids", data.numbered(COLUMNS), COLUMNS),
        ("words", data.worded(), len(data.words())),
    ):
        with folder(megabytes) as place:
            path = place / ("rows.vw" if kind == "words" else "rows.svm")
            data.write_text({path: text}, columns, megabytes * MB)
            size = path.stat().st_size
            examples: dict[int, int] = {}
            peaks: dict[int, float] = {}
            for times in (1, TIMES):
                command = train(place / "a.model", *[path] * times, options=("--json",))
                printed, peak = peak_memory(command)
                found = json.loads(printed)
                examples[times], peaks[times] = found["examples"], peak / MB
                kept = (found["features"] * 8 * VECTORS + found["names_bytes"]) / MB
                rows.append(
                    Row(
                        f"{kind}, {times * size / MB:,.0f} MB: besides weights and names",
                        f"(peak {peak / MB:.1f} MB)",
                        peak / MB - kept,
                        None,
                        "MB",
                        f"{found['features']:,} features: weights, names {kept:.1f} MB",
                        at_most=MOST,
                    )
                )
        if examples[TIMES] != TIMES * examples[1]:
            raise Unequal(f"{examples} examples were read from the file given once and more often.")
        rows.append(
            Row(
                f"{kind}, {TIMES * size / MB:,.0f} MB: peak",
                f"{size / MB:,.0f} MB: peak",
                peaks[TIMES],
                peaks[1],
                "× the memory",
                f"{examples[TIMES]:,} examples",
                at_most=1.1 if megabytes >= 100 else None,  # a small file fills no buffer
            )
        )
    return "Peak memory of thresher train", rows


# -- starting

STARTS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "vowpalwabbit --version": [*WABBIT, "--version"],
    "import sklearn.linear_model": [sys.executable, "-c", "import sklearn.linear_model"],
}


MOST_START = 0.06  # seconds that `thresher train` takes besides Python and the data


def start(sizes: Sizes) -> Section:
    command = [*THRESHER, "--version"]
    said = output(command).stdout.strip()
    if said != f"thresher {thresher.__version__}":
        raise Unequal(f"thresher --version said {said!r}.")
    with folder(1) as place:
        tiny = place / "tiny.svm"
        tiny.write_text("1 1:0.5 2:1\n-1 2:0.25\n")
        learned = json_of(train(place / "a.model", tiny))["examples"]
        commands = {"ours": command, "train": train(place / "a.model", tiny), **STARTS}
        commands["auto"] = train(place / "a.model", tiny, learner="auto")
        times = best({name: process(words) for name, words in commands.items()}, 2 * sizes.repeats)
    ours, alone = times["ours"][0], times["python -c pass"][0]
    rows = [Row("thresher --version", "", ours, None, "s", said, at_most=0.2)]
    for name, target in (("train", MOST_START), ("auto", None)):
        told = f"{learned} examples; more than python -c pass"
        learner = LEARNER if name == "train" else name
        rows.append(
            Row(f"thresher train --learner {learner}", "", times[name][0] - alone, None, "s", told,
                at_most=target)
        )  # fmt: skip
    rows += [
        Row("thresher --version", name, ours, times[name][0], "× the time", "") for name in STARTS
    ]
    return "A process from its start to its end", rows


# -- saving

SAVED = 1_400_000  # names of a model of about 45 MB
MOST_SAVE = 0.06  # seconds, besides those until it is on the disk


def saving(sizes: Sizes) -> Section:
    """A save without the two syncs, whose time is the disk's."""
    model = thresher.PassiveAggressive()
    count = SAVED if sizes.repeats > 2 else 1_000
    chunk = 10_000
    for begin in range(0, count, chunk):
        model.learn_one({f"name{i}": 1.0 for i in range(begin, begin + chunk)}, begin % 3 == 0)
    with folder(200) as place:
        path = place / "a.model"

        def save() -> tuple[float, ...]:
            with mock.patch("os.fsync"):
                return (seconds(lambda: model.save(path)),)

        took = best({"save": save}, sizes.repeats)["save"][0]
        if thresher.load(path).predict_one({"name0": 1.0}) != model.predict_one({"name0": 1.0}):
            raise Unequal("a model that was saved and loaded answers in another way.")
        size = path.stat().st_size / MB
    told = "without fsync; loaded, it answers as before"
    target = MOST_SAVE if size > 20 else None
    return "Saving", [Row(f"save, {size:,.0f} MB", "", took, None, "s", told, at_most=target)]


SECTIONS: dict[str, Callable[[Sizes], Section]] = {
    "files": files,
    "names": names,
    "saving": saving,
    "svmlight": svmlight,
    "race": race,
    "memory": memory,
    "start": start,
}
