"""Costs and gains of second moments: LMS and RLS, LDA and learners that take steps.

    python benchmarks/least_squares.py --data FOLDER                # errors, then times
    python benchmarks/least_squares.py --data FOLDER --only times

The weights of RecursiveLeastSquares are compared with those of numpy.linalg.lstsq before anything
is timed. The columns of california-housing are standardised here, by all of them, so that LMS is
not held up by units; RLS does not care. One pass each, in a random order of a fixed seed.
"""

import argparse
import csv
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file

from thresher import LDA, LMS, LogisticRegression, Perceptron, RecursiveLeastSquares
from timing import best, seconds

REPEATS = 15
FEATURES = (10, 100, 1000)
AFTER = (100, 1_000, 10_000)
ROWS = {10: 100_000, 100: 10_000, 1000: 1_000}  # of RLS in one timing; it takes p times as long
HELD_OUT = 4_000


# -- errors


def housing(data: Path) -> tuple[Any, Any]:
    """Standardised columns, the target in units of 100,000 dollars."""
    with gzip.open(data / "california-housing.csv.gz", "rt") as lines:
        head, *rows = csv.reader(lines)
    used = [i for i, name in enumerate(head) if name != "ocean_proximity"]
    table = np.array([[float(row[i]) for i in used] for row in rows if "" not in row])
    table = np.random.default_rng(0).permutation(table)
    X, y = table[:, :-1], table[:, -1] / 100_000
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def regression(data: Path) -> None:
    X, y = housing(data)
    test, target = X[-HELD_OUT:], y[-HELD_OUT:]
    X, y = X[:-HELD_OUT], y[:-HELD_OUT]
    models: dict[str, Any] = {
        "LMS()": LMS(),
        "LMS(average=True)": LMS(average=True),
        "LMS(normalized=True, learning_rate=0.1)": LMS(normalized=True, learning_rate=0.1),
        "RecursiveLeastSquares()": RecursiveLeastSquares(),
    }
    sizes = [*AFTER, len(X)]
    print(f"california-housing, {X.shape[1]} features: RMSE on {HELD_OUT:,} held out, after")
    row("", *(f"{size:,}" for size in sizes))
    for name, model in models.items():
        errors = []
        for begin, end in zip([0, *sizes], sizes, strict=False):
            model.partial_fit(X[begin:end], y[begin:end])
            errors.append(rmse(model.predict(test), target))
        row(name, *(f"{error:.3f}" for error in errors))
    row("numpy.linalg.lstsq of all so far", *(f"{e:.3f}" for e in batch(X, y, test, target, sizes)))
    check(models["RecursiveLeastSquares()"], X, y)


def batch(X: Any, y: Any, test: Any, target: Any, sizes: list[int]) -> Iterator[float]:
    for size in sizes:
        w = solution(X[:size], y[:size])
        yield rmse(test @ w[:-1] + w[-1], target)


def classification(data: Path) -> None:
    X, y = load_svmlight_file(str(data / "a9a.train.svm.gz"), n_features=123)
    test, truth = load_svmlight_file(str(data / "a9a.test.svm.gz"), n_features=123)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order].toarray(), y[order]
    test = test.toarray()
    models: dict[str, Any] = {
        "LDA()": LDA(),
        "LDA(shrinkage=0.1)": LDA(shrinkage=0.1),
        "LogisticRegression()": LogisticRegression(),
        "Perceptron(), averaged": Perceptron(),
    }
    sizes = [*AFTER, len(X)]
    print(f"\na9a, {X.shape[1]} features: % wrong (log loss) on {len(truth):,} held out, after")
    row("", *(f"{size:,}" for size in sizes))
    for name, model in models.items():
        cells = []
        for begin, end in zip([0, *sizes], sizes, strict=False):
            model.partial_fit(X[begin:end], y[begin:end])
            cells.append(judged(model, test, truth))
        row(name, *cells)


def judged(model: Any, X: Any, y: Any) -> str:
    wrong = f"{100 * (1 - model.score(X, y)):.2f}"
    if not hasattr(model, "predict_proba"):
        return wrong
    p = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return f"{wrong} ({-np.log(np.maximum(p, 1e-300)).mean():.3f})"


# -- times


def times() -> None:
    print("\nmicroseconds per step (one example learned from an array), best of fifteen")
    row("features", "LMS", "RLS", "RLS/LMS", "RLS/LMS/p")
    for p in FEATURES:
        rng = np.random.default_rng(p)
        X = rng.normal(size=(ROWS[p], p))
        y = X @ rng.normal(size=p) + rng.normal(size=len(X))
        check(RecursiveLeastSquares().fit(X, y), X, y)

        def run(model: Any, X: Any = X, y: Any = y) -> tuple[float, ...]:
            model.partial_fit(X[:1], y[:1])
            return (seconds(lambda: model.partial_fit(X, y)),)

        found = best({"lms": lambda: run(LMS()), "rls": lambda: run(RecursiveLeastSquares())},
                     REPEATS)  # fmt: skip
        lms, rls = (1e6 * found[name][0] / len(X) for name in ("lms", "rls"))
        row(f"{p:,}", f"{lms:.2f}", f"{rls:.2f}", f"{rls / lms:.1f}", f"{rls / lms / p:.2f}")


# -- shared by both


def solution(X: Any, y: Any) -> Any:
    return np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]


def check(model: RecursiveLeastSquares, X: Any, y: Any) -> None:
    """Equality first."""
    w = solution(X, y)
    found = np.append(model.coef_, model.intercept_)
    off = np.abs(found - w).max() / np.abs(w).max()
    if off > 1e-8 and len(X) > X.shape[1] + 1:
        raise SystemExit(f"RecursiveLeastSquares is not the batch solution: off by {off:.1e}")


def rmse(predicted: Any, target: Any) -> float:
    return float(np.sqrt(np.mean((predicted - target) ** 2)))


def row(name: str, *cells: str) -> None:
    print(f"  {name:<40}" + "".join(f"{cell:>16}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parts = ("errors", "times")
    parser.add_argument("--only", nargs="*", choices=parts, default=list(parts))
    options = parser.parse_args()
    if "errors" in options.only:
        regression(options.data)
        classification(options.data)
    if "times" in options.only:
        times()


if __name__ == "__main__":
    main()
