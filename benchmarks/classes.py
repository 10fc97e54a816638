"""Ten classes and more: arrays against scikit-learn, files against `vw --oaa`.

The generated data is part of `run.py`; real sets are timed by this program, if they are there:

python benchmarks/classes.py                  those in $THRESHER_DATA, or shared/data
python benchmarks/classes.py --only news20
"""

import argparse
import bz2
import gzip
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

import data
from files import WABBIT, folder, json_of, number_in, train
from peers import Unequal
from real_data import Missing
from real_data import file as real_file
from table import Row, as_text, machine
from thresher import LogisticRegression, PassiveAggressive, Perceptron
from timing import best, output, process
from workloads import Section, Sizes, passes

TARGET = 1.5


@dataclass(frozen=True)
class Kind:
    """One kind of learner in all three libraries; with three classes or more no two of them
    compute the same, so only the error is shown."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    command: tuple[str, ...]  # of `thresher train`: the learner, and options
    loss: str | None  # of `vw --oaa`


def sgd(**options: Any) -> Any:
    return SGDClassifier(penalty=None, shuffle=False, random_state=0, **options)


KINDS = (
    Kind(
        "Perceptron",
        lambda: Perceptron(average=False),
        lambda: SklearnPerceptron(shuffle=False),
        ("perceptron", "--set", "average=false"),
        None,
    ),
    Kind(
        "averaged Perceptron",
        Perceptron,
        lambda: sgd(loss="perceptron", learning_rate="constant", eta0=1.0, average=True),
        ("perceptron",),
        None,
    ),
    Kind(
        "PassiveAggressive",
        lambda: PassiveAggressive(average=False),
        lambda: sgd(loss="hinge", learning_rate="pa1", eta0=1.0),
        ("pa", "--set", "average=false"),
        "hinge",
    ),
    Kind(
        "LogisticRegression",
        LogisticRegression,
        lambda: sgd(loss="log_loss"),
        ("logistic",),
        "logistic",
    ),
    Kind(
        "LogisticRegression, constant step",
        lambda: LogisticRegression(step="constant", learning_rate=0.1),
        lambda: sgd(loss="log_loss", learning_rate="constant", eta0=0.1),
        ("logistic", "--set", "step=constant"),
        None,
    ),
)


def errors(kind: Kind, X: Any, y: Any) -> str:
    """Of the rows just learned: what learns nothing is no contender. The errors differ, since one
    class against the rest and prototypes are two algorithms; both are shown."""
    wrong = [
        np.mean(make().partial_fit(X, y, classes=np.unique(y)).predict(X) != y)
        for make in (kind.ours, kind.theirs)
    ]
    if wrong[0] > 1.5 * wrong[1] + 0.05:
        raise Unequal(f"{kind.name}: {wrong[0]:.1%} wrong, scikit-learn {wrong[1]:.1%}.")
    return f"{wrong[0]:.1%} and {wrong[1]:.1%} wrong"


def array_rows(what: str, X: Any, y: Any, repeats: int) -> Iterator[Row]:
    for kind in KINDS:
        checked = errors(kind, X, y)
        runs = {"ours": passes(kind.ours, X, y), "theirs": passes(kind.theirs, X, y)}
        times = best(runs, repeats)
        yield Row(
            f"{kind.name}, {what}",
            "scikit-learn",
            times["ours"][0],
            times["theirs"][0],
            "× faster",
            checked,
            at_least=TARGET,
        )


def file_rows(what: str, path: Path, classes: int, repeats: int) -> Iterator[Row]:
    """A file in VW's format, whose labels are 1 to `classes`; whole processes."""
    here, there = path.with_name("ours.model"), path.with_name("theirs.model")
    for kind in KINDS:
        if kind.loss is None:
            continue
        wabbit = [*WABBIT, "-d", str(path), "-b", "22", "-f", str(there)]
        wabbit += ["--oaa", str(classes), "--loss_function", kind.loss]
        examples = number_in(output(wabbit).stderr, "number of examples")
        learner, *options = kind.command
        ours = train(here, path, learner=learner, options=tuple(options))
        found = json_of(ours)["examples"]
        if found != examples:
            raise Unequal(f"{what}: we read {found} examples, Vowpal Wabbit {examples}.")
        times = best(
            {"ours": process(ours), "theirs": process([*wabbit, "--quiet"])}, min(3, repeats)
        )
        yield Row(
            f"{kind.name}, {what}",
            f"vw --oaa {classes} -b 22, {kind.loss}",
            times["ours"][0],
            times["theirs"][0],
            "× faster",
            f"{examples:,} examples read by both",
            at_least=TARGET,
        )


def write_vw(path: Path, X: Any, y: Any) -> Path:
    """Labels from 1 on."""
    index, values = X.indices, X.data
    with path.open("w") as file:
        for i, label in enumerate(y):
            cells = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(index[cells].tolist(), values[cells].tolist(), strict=True)
            file.write(f"{label + 1} | {' '.join(f'{j}:{v:g}' for j, v in pairs)}\n")
    return path


def classes(sizes: Sizes) -> Section:
    rows: list[Row] = []
    for count in (10, 20):
        X, y = data.many_classes(sizes.rows // 10, count)
        rows += array_rows(f"{count} classes, CSR", X, y, sizes.repeats)
        with folder(200) as place:
            path = write_vw(place / "rows.vw", X, y)
            rows += file_rows(f"{count} classes, file", path, count, sizes.repeats)
    return f"Many classes, {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz:,} nonzeros", rows


SECTIONS: dict[str, Callable[[Sizes], Section]] = {"classes": classes}


# -- real sets


def news20() -> tuple[Any, Any]:
    with bz2.open(real_file("news20.svm.bz2")) as file:
        X, y = load_svmlight_file(file)
    return X.astype(np.float32), y.astype(int) - 1


def mnist() -> tuple[Any, Any]:
    with gzip.open(real_file("mnist-train-images-idx3-ubyte.gz")) as file:
        X = np.frombuffer(file.read(), np.uint8)[16:].reshape(-1, 784).astype(np.float32) / 255
    with gzip.open(real_file("mnist-train-labels-idx1-ubyte.gz")) as file:
        return X, np.frombuffer(file.read(), np.uint8)[8:].astype(int)


def ewt_upos() -> tuple[Any, Any]:
    columns: dict[str, int] = {}
    tags: dict[str, int] = {}
    labels, starts, index = [], [0], []
    with gzip.open(real_file("ewt-upos.train.feats.gz"), "rt", encoding="utf-8") as file:
        for line in file:
            tag, _, names = line.rstrip("\n").partition("\t")
            labels.append(tags.setdefault(tag, len(tags)))
            found = dict.fromkeys(names.split())
            index += [columns.setdefault(name, len(columns)) for name in found]
            starts.append(len(index))
    parts = (np.ones(len(index), np.float32), np.array(index, np.int32), np.array(starts, np.int32))
    shape = (len(labels), len(columns))
    return scipy.sparse.csr_matrix(parts, shape=shape), np.array(labels)


SETS = {"news20": news20, "mnist": mnist, "ewt-upos": ewt_upos}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=SETS, help="only these sets")
    parser.add_argument("--repeats", type=int, default=3, help="take the best of N runs")
    given = parser.parse_args()
    sections: dict[str, list[Row]] = {}
    for name in given.only or SETS:
        try:
            X, y = SETS[name]()
        except Missing as missing:
            print(f"Left out: {name}. {missing}.", file=sys.stderr)
            continue
        count = len(np.unique(y))
        rows = list(array_rows("arrays", X, y, given.repeats))
        with folder(500) as temporary:
            path = write_vw(temporary / "rows.vw", scipy.sparse.csr_matrix(X), y)
            rows += file_rows("file", path, count, given.repeats)
        sections[f"{name}, {X.shape[0]:,} × {X.shape[1]:,}, {count} classes"] = rows
    print(machine()["cpu"])
    print(as_text(sections))


if __name__ == "__main__":
    main()
