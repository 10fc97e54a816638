"""Held-out error against the number of features kept, on film reviews.

    python benchmarks/feature_selection.py --data FOLDER

One pass over 25,000 reviews in one random order; the words that occur, each review scaled to
length 1 (Winnow and Balanced Winnow get bits). Learners that choose while they learn, learners cut
to their largest weights afterwards, and alpha-investing, which sees a word at a time. Nothing is
tuned on the test data: settings are those of `--learner auto`, the paper's, or found on the last
fifth of the training data. Prints tables in Markdown.
"""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

import thresher
from real_data import Examples, shuffled, svmlight
from thresher import (
    AROW,
    BalancedWinnow,
    LogisticRegression,
    Perceptron,
    TruncatedPerceptron,
    Winnow,
)
from thresher.selection import AlphaInvesting, keep_largest

COLUMNS = 111_538
KEPT = (10, 30, 100, 300, 1_000, 3_000, 10_000, None)  # None: all
SCALING = {"intercept_scaling": 0.1}  # rows have length 1
Cell = tuple[float, int]  # error in percent, features used


def reviews(path: Path) -> tuple[Examples, Examples]:
    """The rows of length 1, and the same as bits."""
    X, y = svmlight(path, COLUMNS)
    bits = X.sign()
    return (normalize(bits), y), (bits, y)


def measure(model: Any, test: Examples) -> Cell:
    X, y = test
    return 100 * float(np.mean(model.predict(X) != y)), model.n_features_used_


# -- while it learns


def truncated(train: Examples, test: Examples, **options: Any) -> Iterable[Cell]:
    for keep in KEPT:
        model = TruncatedPerceptron(keep=keep or COLUMNS, **SCALING, **options)
        yield measure(model.fit(*train), test)


def tuned_ofs(train: Examples) -> dict[str, float]:
    """η and l2 that do best at 1,000 features on the last fifth, learned from the rest."""
    X, y = train
    cut = len(y) * 4 // 5
    grid = [
        {"learning_rate": eta, "l2": l2} for eta in (0.2, 1.0, 5.0) for l2 in (1e-2, 1e-3, 1e-4)
    ]

    def error(options: dict[str, float]) -> float:
        model = TruncatedPerceptron(keep=1_000, margin=1.0, **SCALING, **options)
        return measure(model.fit(X[:cut], y[:cut]), (X[cut:], y[cut:]))[0]

    return min(grid, key=error)


def ftrl(train: Examples, test: Examples) -> Iterable[Cell]:
    """l1 by bisection, until about this many features are used."""
    for keep in KEPT:
        low, high = -3.0, 3.0  # exponents
        model = LogisticRegression(**SCALING).fit(*train)
        for _ in range(12 if keep else 0):
            middle = (low + high) / 2
            model = LogisticRegression(l1=10**middle, **SCALING).fit(*train)
            if model.n_features_used_ > keep:
                low = middle
            else:
                high = middle
            if 0.97 * keep <= model.n_features_used_ <= 1.03 * keep:
                break
        yield measure(model, test)


# -- afterwards


def cut(model: Any, train: Examples, test: Examples) -> Iterable[Cell]:
    model.fit(*train)
    for keep in KEPT:
        yield measure(keep_largest(model, keep) if keep else model, test)


def cut_and_relearned(train: Examples, test: Examples) -> Iterable[Cell]:
    """AROW chooses, then learns again in a second pass from the chosen words only."""
    (X, y), (X_test, y_test) = train, test
    whole = AROW(**SCALING).fit(X, y)
    for keep in KEPT:
        columns = np.flatnonzero(keep_largest(whole, keep or COLUMNS).coef_[0])
        again = AROW(**SCALING).fit(X[:, columns], y)
        error, _ = measure(again, (X_test[:, columns], y_test))
        yield error, len(columns)


# -- one feature at a time


def streamwise(train: Examples, test: Examples, wealth: float, frequent_first: bool) -> str:
    """Words in order of first occurrence in the reviews, or the most frequent first; AROW then
    learns from those that were selected."""
    (X, y), (X_test, y_test) = train, test
    order = np.arange(COLUMNS)
    if frequent_first:
        order = np.argsort(-X.getnnz(axis=0), kind="stable")
    selector = AlphaInvesting(wealth=wealth, delta=wealth).fit(X[:, order], y)
    places = selector.get_support(indices=True)
    kept = order[places]
    learned = AROW(**SCALING).fit(X[:, kept], y)
    error, _ = measure(learned, (X_test[:, kept], y_test))
    name = "most frequent first" if frequent_first else "as they appear"
    half = f"{places[len(places) // 2] + 1:,}"
    return (
        f"| {name} | {wealth:g} | {len(kept):,} | {half} | {selector.wealth_:.2g} | {error:.2f} |"
    )


def row(name: str, cells: Iterable[Cell]) -> str:
    shown = []
    for (error, used), keep in zip(cells, KEPT, strict=True):
        exact = keep is not None and used == keep
        shown.append(f"{error:.2f}" if exact else f"{error:.2f} ({used:,})")
    return f"| {name} | {' | '.join(shown)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    data = parser.parse_args().data
    learn, ask = (reviews(data / f"imdb.{part}.svm.gz") for part in ("train", "test"))
    train, bits = (shuffled(examples) for examples in learn)
    test, test_bits = ask
    ofs = tuned_ofs(train)
    print(f"thresher {thresher.__version__}, numpy {np.__version__}; error in percent\n")
    print(f"| learner | {' | '.join(f'{k:,}' if k else 'all' for k in KEPT)} |")
    print("|---" * (len(KEPT) + 1) + "|")
    rows: list[tuple[str, Callable[[], Iterable[Cell]]]] = [
        ("`TruncatedPerceptron` (PET)", lambda: truncated(train, test)),
        ("OFS, η = 0.2, l2 = 0.01", lambda: truncated(
            train, test, margin=1.0, learning_rate=0.2, l2=0.01)),
        (f"OFS, η = {ofs['learning_rate']:g}, l2 = {ofs['l2']:g}", lambda: truncated(
            train, test, margin=1.0, **ofs)),
        ("`LogisticRegression(l1=…)`", lambda: ftrl(train, test)),
        ("`Perceptron`, averaged, cut", lambda: cut(Perceptron(**SCALING), train, test)),
        ("`AROW`, cut", lambda: cut(AROW(**SCALING), train, test)),
        ("`AROW`, cut, learned again", lambda: cut_and_relearned(train, test)),
        ("`Winnow`, averaged, cut", lambda: cut(
            Winnow(alpha=1.2, average=True), bits, test_bits)),
        ("`BalancedWinnow`, averaged, cut", lambda: cut(
            BalancedWinnow(alpha=1.1, margin=1.0, average=True), bits, test_bits)),
    ]  # fmt: skip
    for name, cells in rows:
        print(row(name, cells()), flush=True)
    print("\n| order of the words | wealth, delta | taken | half of them by | left | error |")
    print("|---|---|---|---|---|---|")
    for frequent_first in (True, False):
        print(streamwise(train, test, 0.05, frequent_first), flush=True)


if __name__ == "__main__":
    main()
