"""Freund & Schapire (1999) on MNIST: the voted perceptron with polynomial kernels, degree 1 to 4.

    python benchmarks/freund_schapire.py --data FOLDER              # one epoch, a few minutes
    python benchmarks/freund_schapire.py --data FOLDER --rows 6000  # the paper's T = 0.1

As in the paper: K(x, z) = (1 + x·z)^d, ten two-class problems (a digit against the rest), the
highest of ten scores wins, and four ways to predict from one run. "random" predicts each test row
with a hypothesis drawn by its votes (the expected error, not that of one draw), "last" with the
last one, "averaged" with their mean, "voted" by their vote. The run fails where voted or averaged
is not better than last, or the highest degree not better than the lowest, which are the main
findings of the paper.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from real_data import mnist_arrays
from thresher import VotedPerceptron

DEGREES = (1, 2, 3, 4)
WAYS = ("random", "last", "averaged", "voted")
ROWS = 100  # test rows whose kernels are held at once

Floats = npt.NDArray[np.float64]


def learned(degree: int, X: Floats, y: npt.NDArray[np.int64]) -> VotedPerceptron:
    model = VotedPerceptron(
        kernel="polynomial", degree=degree, coef0=1.0, fit_intercept=False,
        multiclass="one-vs-rest",
    )  # fmt: skip
    return model.fit(X, y)


def random_wrong(model: VotedPerceptron, X: Floats, y: npt.NDArray[np.int64]) -> Floats:
    """The chance that each row is wrong by a hypothesis drawn with the votes as chances."""
    votes, a = model.survived_ / model.survived_.sum(), model.support_coef_
    chances = []
    for begin in range(0, len(X), ROWS):
        K = model.kernel_values(X[begin : begin + ROWS])
        best, winner = np.full(K.shape, -np.inf), np.zeros(K.shape, np.int8)
        for r in range(a.shape[1]):
            scores = np.cumsum(K * a[:, r], axis=1)  # of every hypothesis
            better = scores > best
            best[better] = scores[better]
            winner[better] = r
        wrong = model.classes_[winner] != y[begin : begin + ROWS, None]
        chances.append(wrong @ votes)
    return np.concatenate(chances)


def errors(model: VotedPerceptron, X: Floats, y: npt.NDArray[np.int64]) -> dict[str, float]:
    """Test errors in per cent."""
    wrong = {"random": random_wrong(model, X, y)}
    for way in WAYS[1:]:
        wrong[way] = model.set_params(prediction=way).predict(X) != y
    return {way: 100 * float(np.mean(wrong[way])) for way in WAYS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--rows", type=int, default=60_000, help="training rows, at most 60,000")
    parser.add_argument("--degrees", type=int, nargs="*", default=list(DEGREES))
    options = parser.parse_args()
    (X, y), (X_test, y_test) = mnist_arrays(options.data)
    order = np.random.default_rng(0).permutation(len(y))[: options.rows]
    X, y = X[order], y[order]
    print(f"{len(y):,} rows of MNIST, one epoch; test error in per cent on {len(y_test):,}")
    print("degree " + " ".join(f"{way:>9}" for way in WAYS) + "   support  mistakes  CPU seconds")
    found = {}
    for degree in options.degrees:
        begin = time.process_time()
        model = learned(degree, X, y)
        found[degree] = errors(model, X_test, y_test)
        figures = " ".join(f"{found[degree][way]:9.2f}" for way in WAYS)
        moves = np.count_nonzero(model.support_coef_)
        seconds = time.process_time() - begin
        print(f"{degree:6} {figures} {model.n_support_:9,} {moves:9,} {seconds:12.0f}", flush=True)
    for degree, e in found.items():
        assert max(e["voted"], e["averaged"]) < e["last"], f"degree {degree}: {e}"
    for way in WAYS:
        by_degree = [found[degree][way] for degree in options.degrees]
        assert len(by_degree) < 2 or by_degree[-1] < by_degree[0], f"{way}: {by_degree}"
    print("voted and averaged are better than last, the highest degree better than the lowest")


if __name__ == "__main__":
    main()
