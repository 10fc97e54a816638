"""A kernel perceptron with a budget on MNIST: the last hypothesis, the average, and the vote.

    python benchmarks/kernel_budget.py --data FOLDER        # about a minute

6,000 digits in a random order, then the error in per cent on 1,000 test digits.
"""

import argparse
from pathlib import Path

import numpy as np

from real_data import mnist_arrays
from thresher import KernelPerceptron


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--budget", type=int, default=200)
    options = parser.parse_args()
    (X, y), (X_test, y_test) = mnist_arrays(options.data)
    rows = np.random.default_rng(0).permutation(len(y))[:6_000]
    print(f"{'forget':8} mistakes  last  averaged  voted")
    for forget in ("oldest", "smallest", "random"):
        model = KernelPerceptron(
            "polynomial", degree=3, budget=options.budget, forget=forget, random_state=0
        ).fit(X[rows], y[rows])
        last, averaged, voted = (
            100 - 100 * model.set_params(prediction=way).score(X_test[:1_000], y_test[:1_000])
            for way in ("last", "averaged", "voted")
        )
        print(f"{forget:8} {model.mistakes_:8} {last:5.1f} {averaged:9.1f} {voted:6.1f}")


if __name__ == "__main__":
    main()
