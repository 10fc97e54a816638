"""Readers of the real data sets: what to learn from and what to be judged on.

Each function takes the folder of the data sets (the fixture ``shared_data``) and an order: the
seed of the random order in which the training examples come.
"""

import csv
import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import normalize

Examples = tuple[Any, npt.NDArray[Any]]  # X, dense or sparse, and the labels


class HeldOut(NamedTuple):
    train: Examples
    test: Examples


def in_order(examples: Examples, seed: int) -> Examples:
    X, y = examples
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def table(path: Path, target: str) -> Examples:
    """The numbers of a table, rows with a gap left out, and its target."""
    with gzip.open(path, "rt") as lines:
        head, *rows = csv.reader(lines)
    columns = [i for i, name in enumerate(head) if name not in (target, "ocean_proximity")]
    rows = [row for row in rows if all(row[i] for i in columns)]
    X = np.array([[float(row[i]) for i in columns] for row in rows])
    return X, np.array([float(row[head.index(target)]) for row in rows])


@cache
def svmlight(path: Path, columns: int) -> Examples:
    X, y = load_svmlight_file(str(path), n_features=columns)  # opens .gz and .bz2 by itself
    return X, y.astype(int)


@cache
def binary_unit_rows(path: Path, columns: int) -> Examples:
    """Whether a word is there, not how often; each document of length 1."""
    X, y = svmlight(path, columns)
    return normalize(X.sign()), y


@cache
def idx(path: Path) -> npt.NDArray[np.uint8]:
    """The format of MNIST: the number of dimensions in byte 3, their sizes, then the bytes."""
    content = gzip.decompress(path.read_bytes())
    dimensions = content[3]
    shape = np.frombuffer(content, ">i4", dimensions, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


@cache
def digits(folder: Path, part: str) -> Examples:
    images = idx(folder / f"mnist-{part}-images-idx3-ubyte.gz")
    labels = idx(folder / f"mnist-{part}-labels-idx1-ubyte.gz")
    return images.reshape(len(images), -1) / 255.0, labels.astype(int)


def a9a(folder: Path, seed: int) -> HeldOut:
    train = svmlight(folder / "a9a.train.svm.gz", 123)
    return HeldOut(in_order(train, seed), svmlight(folder / "a9a.test.svm.gz", 123))


def imdb(folder: Path, seed: int) -> HeldOut:
    train = binary_unit_rows(folder / "imdb.train.svm.gz", 111_538)
    return HeldOut(in_order(train, seed), binary_unit_rows(folder / "imdb.test.svm.gz", 111_538))


def news20(folder: Path, seed: int) -> HeldOut:
    """Word counts, rows of length 1; no test file, so a fifth of the random order is held out."""
    X, y = svmlight(folder / "news20.svm.bz2", 62_061)
    X, y = in_order((normalize(X), y), seed)
    cut = len(y) * 4 // 5
    return HeldOut((X[:cut], y[:cut]), (X[cut:], y[cut:]))


def mnist(folder: Path, seed: int) -> HeldOut:
    return HeldOut(in_order(digits(folder, "train"), seed), digits(folder, "t10k"))


SETS: dict[str, Callable[[Path, int], HeldOut]] = {
    "a9a": a9a,
    "imdb": imdb,
    "news20": news20,
    "mnist": mnist,
}
