"""What is timed. Each part makes its data, checks that the contenders agree, and times them."""

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from river import linear_model

import data
from peers import LOGISTIC, PAIRS, Pair, Unequal, check_pair, check_river, check_weights
from table import Row
from thresher import LogisticRegression, PassiveAggressive, Perceptron, Winnow, rule
from timing import Run, best, fresh, import_seconds, seconds


@dataclass(frozen=True)
class Sizes:
    """How much data, and how often."""

    rows: int = 390_000
    dense_rows: int = 60_000
    examples: int = 20_000  # dicts of 10 names; a quarter as many of 70
    steps: int = 20_000  # of Winnow
    check_rows: int = 50_000  # of which equality is checked
    megabytes: tuple[int, ...] = (100, 800)  # of files; a race and memory take the first
    matrix_megabytes: int = 30  # of a file that is read into a matrix
    names: tuple[int, ...] = (1_000_000, 10_000_000)  # different ones in a file
    repeats: int = 5


QUICK = Sizes(4_000, 1_000, 1_000, 1_000, 1_000, megabytes=(1,), matrix_megabytes=1,
              names=(1_000,), repeats=2)  # fmt: skip

Section = tuple[str, list[Row]]


def passes(make: Callable[[], Any], X: Any, y: Any) -> Run:
    """A fresh model's first pass and second pass over the same rows."""
    classes = np.unique(y)

    def run() -> tuple[float, ...]:
        model = make()
        first = seconds(lambda: model.partial_fit(X, y, classes=classes))
        return first, seconds(lambda: model.partial_fit(X, y))

    return run


def after_one_row(make: Callable[[], Any], X: Any, y: Any) -> Run:
    """One pass of a model that has seen a row: memory is allocated, a rule is compiled."""
    classes = np.unique(y)

    def run() -> tuple[float, ...]:
        model = make().partial_fit(X[:1], y[:1], classes=classes)
        return (seconds(lambda: model.partial_fit(X, y)),)

    return run


def product(X: Any, dtype: Any) -> Run:
    """scipy's X @ w: the time to read the matrix and the weights once, without learning."""
    w = np.random.default_rng(0).normal(size=X.shape[1]).astype(dtype)
    return lambda: (seconds(lambda: X @ w),)


def csr(sizes: Sizes) -> Section:
    X, y = data.sparse_rows(sizes.rows)
    part = slice(min(sizes.check_rows, sizes.rows))
    rows: list[Row] = []
    for pair in PAIRS:
        checked = check_pair(pair, X[part], y[part])
        times = best(
            {
                "ours": passes(pair.ours, X, y),
                "theirs": passes(pair.theirs, X, y),
                "float32": product(X, np.float32),
                "float64": product(X, np.float64),
            },
            sizes.repeats,
        )
        first, second = times["ours"]
        faster = Row(
            pair.name, pair.peer, first, times["theirs"][0], "× faster", checked, at_least=2.0
        )
        longer = Row(
            pair.name,
            "scipy X @ w, w float32",
            first,
            times["float32"][0],
            "× the time",
            "",
            at_most=1.4,
        )
        again = f"{pair.name}, second pass"
        rows += [
            faster,
            replace(faster, work=again, ours=second, theirs=times["theirs"][1], at_least=None),
            longer,
            replace(longer, work=again, ours=second, at_most=None),
            # scipy first copies the values of X to float64 here.
            replace(longer, against="scipy X @ w, w float64", theirs=times["float64"][0]),
        ]
    title = f"One pass over CSR, {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz:,} nonzeros, float32"
    return title, [*rows, *logistic(X, y, part, sizes)]


def logistic(X: Any, y: Any, part: slice, sizes: Sizes) -> list[Row]:
    """With a constant step both compute the same; the default, AdaGrad, only we have."""
    checked = check_pair(LOGISTIC, X[part], y[part])
    times = best(
        {
            "ours": passes(LOGISTIC.ours, X, y),
            "adagrad": passes(lambda: LogisticRegression(fit_intercept=False), X, y),
            "theirs": passes(LOGISTIC.theirs, X, y),
        },
        sizes.repeats,
    )
    ours, theirs = times["ours"][0], times["theirs"][0]
    row = Row(LOGISTIC.name, LOGISTIC.peer, ours, theirs, "× faster", checked, at_least=1.0)
    other = "not the same algorithm"
    default = replace(
        row, work="LogisticRegression", ours=times["adagrad"][0], checked=other, at_least=None
    )
    return [row, default]


def layouts(sizes: Sizes) -> Section:
    """The same matrix in the other forms in which matrices come."""
    X, y = data.sparse_rows(sizes.rows)
    part = slice(min(sizes.check_rows, sizes.rows))
    rows: list[Row] = []
    tangled = data.unsorted(X)
    for pair in PAIRS:
        checked = check_pair(pair, tangled[part], y[part])
        ours, theirs = against_peer(pair, tangled, y, sizes)
        work = f"{pair.name}, unsorted indices"
        rows.append(Row(work, pair.peer, ours, theirs, "× faster", checked, at_least=1.5))
    images, digits = data.images(sizes.dense_rows)
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    forms: dict[str, tuple[Any, Any]] = {
        "float64": (X.astype(np.float64), y),
        "int32": ((X * 16).astype(np.int32), y),
        "bool": (X.astype(bool), y),
        "CSC": (X.tocsc(), y),
        "dense in Fortran order": (np.asfortranarray(images), digits % 2),
    }
    pair = PAIRS[0]
    for name, (form, labels) in forms.items():
        some = form.tocsr()[part] if hasattr(form, "tocsr") else form[part]
        checked = check_pair(pair, some, labels[part])
        ours, theirs = against_peer(pair, form, labels, sizes)
        work = f"{pair.name}, {name}"
        rows.append(Row(work, pair.peer, ours, theirs, "× faster", checked, at_least=1.0))
    # scikit-learn refuses indices of 64 bits: it gets those of 32.
    contenders = {"ours": passes(pair.ours, wide, y), "theirs": passes(pair.theirs, X, y)}
    times = best(contenders, sizes.repeats)
    here, there = (pair.ours().partial_fit(form[part], y[part]) for form in (wide, X))
    checked = check_weights("indices of 64 bits", here, there, within=0.0)
    rows.append(
        Row(
            f"{pair.name}, indices of 64 bits",
            f"{pair.peer}, of 32 bits",
            times["ours"][0],
            times["theirs"][0],
            "× faster",
            checked,
            at_least=1.0,
        )
    )
    return "One pass over the same matrix in other forms", rows


def binary(sizes: Sizes) -> Section:
    """Features without values: there or not."""
    X, y = data.sparse_rows(sizes.rows)
    ones, flags = data.without_values(X, np.float32), data.without_values(X, bool)
    part = slice(min(sizes.check_rows, sizes.rows))
    rows: list[Row] = []
    for pair in PAIRS:
        checked = check_pair(pair, ones[part], y[part])
        here = pair.ours().partial_fit(flags[part], y[part])
        there = pair.ours().partial_fit(ones[part], y[part])
        same = check_weights(f"{pair.name} without values", here, there, within=1e-12)
        times = best(
            {
                "flags": passes(pair.ours, flags, y),
                "ones": passes(pair.ours, ones, y),
                "theirs": passes(pair.theirs, ones, y),
            },
            sizes.repeats,
        )
        ours = times["flags"][0]
        rows += [
            Row(
                f"{pair.name}, bool",
                f"{pair.peer}, float32",
                ours,
                times["theirs"][0],
                "× faster",
                checked,
            ),
            Row(
                f"{pair.name}, bool",
                "the same, values 1 in float32",
                ours,
                times["ones"][0],
                "× faster",
                same,
            ),
        ]
    return f"One pass over CSR without values, {X.nnz:,} nonzeros", rows


def dense(sizes: Sizes) -> Section:
    X, digits = data.images(sizes.dense_rows)
    y = digits % 2
    part = slice(min(sizes.check_rows, sizes.dense_rows))
    rows: list[Row] = []
    for dtype in (np.float32, np.float64):
        typed = X.astype(dtype)
        for pair in PAIRS:
            checked = check_pair(pair, typed[part], y[part])
            ours, theirs = against_peer(pair, typed, y, sizes)
            work = f"{pair.name}, {typed.dtype}"
            rows.append(Row(work, pair.peer, ours, theirs, "× faster", checked, at_least=2.0))
    for pair in PAIRS:
        ours, theirs = against_peer(pair, X, digits, sizes)
        # Nothing to check: we move two prototypes per mistake, scikit-learn learns one against all.
        other = "not the same algorithm"
        rows.append(Row(f"{pair.name}, 10 classes", pair.peer, ours, theirs, "× faster", other))
    return f"One pass over dense rows, {X.shape[0]:,} × {X.shape[1]:,}", rows


def against_peer(pair: Pair, X: Any, y: Any, sizes: Sizes) -> tuple[float, float]:
    """Seconds of the first pass, ours and theirs."""
    contenders = {"ours": passes(pair.ours, X, y), "theirs": passes(pair.theirs, X, y)}
    times = best(contenders, sizes.repeats)
    return times["ours"][0], times["theirs"][0]


def dicts(sizes: Sizes) -> Section:
    rows: list[Row] = []
    for names, vocabulary, count in (
        (10, 1_000, sizes.examples),
        (70, 50_000, sizes.examples // 4),
    ):
        same = data.named_examples(count, names, vocabulary)
        # Keys that are the same objects in all examples, and keys as `json.loads` makes them.
        for kind, examples in (("shared", same), ("fresh", data.fresh(same))):
            checked = check_river(examples)
            times = best(
                {
                    "ours": stream(lambda: Perceptron(average=False), examples),
                    "one call": in_one_call(lambda: Perceptron(average=False), examples),
                    "theirs": stream(linear_model.Perceptron, examples),
                },
                sizes.repeats,
            )
            shared = kind == "shared"
            row = Row(
                f"{names} {kind} names",
                "River Perceptron",
                times["ours"][0],
                times["theirs"][0],
                "× faster",
                checked,
                at_least=15.0 if shared or names == 10 else 10.0,
            )
            again = f"{row.work}, second pass"
            one = f"{row.work}, predict_learn_one"
            first, second = times["one call"]
            rows += [
                row,
                replace(
                    row,
                    work=again,
                    ours=times["ours"][1],
                    theirs=times["theirs"][1],
                    at_least=20.0 if shared else None,
                ),
                replace(row, work=one, ours=first),
                replace(
                    row, work=f"{one}, second pass", ours=second, theirs=times["theirs"][1],
                    at_least=None,
                ),
            ]  # fmt: skip
        rows.append(from_json(same, names, sizes))
    return "predict_one + learn_one on dicts (time of one example)", rows


Examples = list[tuple[dict[str, float], bool]]


def stream(make: Callable[[], Any], examples: Examples) -> Run:
    """A fresh model's first and second pass, call by call."""

    def run() -> tuple[float, ...]:
        model = make()

        def learn() -> None:
            for x, y in examples:
                model.predict_one(x)
                model.learn_one(x, y)

        return seconds(learn) / len(examples), seconds(learn) / len(examples)

    return run


def in_one_call(make: Callable[[], Any], examples: Examples) -> Run:
    def run() -> tuple[float, ...]:
        model = make()

        def learn() -> None:
            for x, y in examples:
                model.predict_learn_one(x, y)

        return seconds(learn) / len(examples), seconds(learn) / len(examples)

    return run


def from_json(examples: Examples, names: int, sizes: Sizes) -> Row:
    """An example that comes as text: with a dict in between, and without."""
    texts = [(json.dumps(x).encode(), y) for x, y in examples]
    models = Perceptron(average=False), Perceptron(average=False)

    def directly() -> None:
        for text, y in texts:
            models[0].learn_json(text, y)

    def by_dicts() -> None:
        for text, y in texts:
            models[1].learn_one(json.loads(text), y)

    directly(), by_dicts()
    checked = check_weights("learn_json", models[0], models[1], within=0.0)
    count = len(texts)
    times = best(
        {
            "ours": lambda: (seconds(directly) / count,),
            "theirs": lambda: (seconds(by_dicts) / count,),
        },
        sizes.repeats,
    )
    work, against = f"learn_json, {names} names", "json.loads + learn_one"
    return Row(work, against, times["ours"][0], times["theirs"][0], "× faster", checked)


def passive_aggressive(margin: float, sqnorm: float, *, C: float = 1.0) -> float:
    return min(C, max(0.0, 1.0 - margin) / sqnorm)


def rules(sizes: Sizes) -> Section:
    """A user's rule in the native loop, and the same rule built in."""
    X, y = data.sparse_rows(sizes.rows)
    part = slice(min(sizes.check_rows, sizes.rows))

    def built_in() -> Any:
        return PassiveAggressive(C=1.0, average=False, fit_intercept=False)

    kinds = {"plain Python": False}
    if importlib.util.find_spec("numba") is not None:
        kinds["Numba"] = True
    rows: list[Row] = []
    for kind, jit in kinds.items():
        learner: Any = rule(jit=jit)(passive_aggressive)

        def own(learner: Any = learner) -> Any:
            return learner(fit_intercept=False)

        here, there = (make().partial_fit(X[part], y[part]) for make in (own, built_in))
        checked = check_weights(f"@rule in {kind}", here, there, within=1e-9)
        contenders = {
            "own": after_one_row(own, X, y),
            "built in": after_one_row(built_in, X, y),
        }
        times = best(contenders, sizes.repeats)
        rows.append(
            Row(
                f"@rule in {kind}",
                "PassiveAggressive built in",
                times["own"][0],
                times["built in"][0],
                "× the time",
                checked,
            )
        )
    return f"A user's rule, {X.shape[0]:,} rows of CSR", rows


FEW, MANY, ACTIVE = 1_000, 1_000_000, 50


def winnow(**options: Any) -> Winnow:
    """A margin so large that every step updates: the most expensive step, the same at any n."""
    return Winnow(alpha=1.01, margin=1e100, **options)


def negations(sizes: Sizes) -> Section:
    checked = check_negations(min(sizes.steps, 500))
    few, labels = data.boolean_rows(sizes.steps, FEW, ACTIVE, among=FEW)
    rows: list[Row] = []
    for among, where, most in ((FEW, "the same cells", 1.5), (MANY, "cells anywhere", None)):
        many, _ = data.boolean_rows(sizes.steps, MANY, ACTIVE, among=among)
        times = best(
            {
                "many": after_one_row(lambda: winnow(negations=True), many, labels),
                "few": after_one_row(lambda: winnow(negations=True), few, labels),
            },
            sizes.repeats,
        )
        rows.append(
            Row(
                f"step at n = {MANY:,}, {where}",
                f"step at n = {FEW:,}",
                times["many"][0] / sizes.steps,
                times["few"][0] / sizes.steps,
                "× the time",
                checked,
                at_most=most,
            )
        )
    return f"Winnow(negations=True), {ACTIVE} active features (time of one step)", rows


def check_negations(steps: int) -> str:
    """Negations kept lazily, compared with 2n explicit columns."""
    X, y = data.boolean_rows(steps, FEW, ACTIVE, among=FEW)
    plain = X.toarray().astype(np.float64)
    literals = np.hstack([plain, 1.0 - plain])
    here = winnow(negations=True).partial_fit(X, y).decision_function(X)
    there = winnow().partial_fit(literals, y).decision_function(literals)
    far = float(np.abs(here - there).max() / np.abs(there).max())
    if far > 1e-9:
        raise Unequal(
            f"Winnow: scores with negations differ from those on 2n columns by {far:.1e}."
        )
    return f"scores to {far:.0e}"


IMPORTS = {
    "import numpy": "import numpy",
    "import sklearn.linear_model": "import sklearn.linear_model",
    "import river.linear_model": "from river import linear_model",
}

LOADED = """
import sys
before = set(sys.modules)
import thresher
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(new - set(sys.stdlib_module_names) - {"thresher"}))
"""


def importing(statement: str) -> Run:
    return lambda: (import_seconds(statement),)


def imports(sizes: Sizes) -> Section:
    extra = fresh(LOADED).split()
    if extra:
        raise Unequal(f"import thresher loads more than itself: {', '.join(extra)}.")
    statements = {"ours": "import thresher", **IMPORTS}
    contenders = {name: importing(statement) for name, statement in statements.items()}
    times = best(contenders, sizes.repeats)
    ours = times["ours"][0]
    checked = "loads nothing else"
    rows = [Row("import thresher", "", ours, None, "s", checked, at_most=0.15)]
    for name in IMPORTS:
        rows.append(Row("import thresher", name, ours, times[name][0], "× the time", ""))
    return "Imports in a fresh process", rows


SECTIONS: dict[str, Callable[[Sizes], Section]] = {
    "csr": csr,
    "layouts": layouts,
    "binary": binary,
    "dense": dense,
    "dicts": dicts,
    "rules": rules,
    "negations": negations,
    "imports": imports,
}
