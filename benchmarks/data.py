"""Streams for the timings, generated from a seed.

All values are multiples of a power of two, and small. So the perceptron's sums have no rounding in
float32, float64 or any order of summation, and two libraries that follow the same rule must end
with the same weights, to the last bit.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

Labels = npt.NDArray[Any]

# How fast the frequency of words falls: the word of rank r has a probability ∝ 1/(r + FLAT).
FLAT = 5.0


def popular_columns(rng: np.random.Generator, size: Any, columns: int) -> npt.NDArray[Any]:
    """Column numbers distributed like words in text (Zipf–Mandelbrot), by inversion."""
    rank = FLAT * ((1 + columns / FLAT) ** rng.random(size) - 1)
    return np.minimum(rank.astype(np.int64), columns - 1)


def planted_labels(rng: np.random.Generator, scores: npt.NDArray[Any]) -> Labels:
    """Labels 0 and 1 of a linear function with noise: about a tenth are wrong."""
    noise = rng.normal(scale=0.3 * scores.std(), size=len(scores))
    return (scores - np.median(scores) + noise > 0).astype(np.int64)


def sparse_rows(
    rows: int, columns: int = 50_000, seed: int = 0
) -> tuple[scipy.sparse.csr_matrix, Labels]:
    """CSR, float32, about 70 different columns per row."""
    return next(sparse_chunks(rows, columns, seed))


def sparse_chunks(
    rows: int, columns: int, seed: int = 0
) -> Iterator[tuple[scipy.sparse.csr_matrix, Labels]]:
    """An endless stream, this many rows at a time; one linear function gives all labels."""
    rng = np.random.default_rng(seed)
    # Frequent columns are anywhere, as in a vocabulary in alphabetical order.
    place = rng.permutation(columns)
    planted = rng.normal(size=columns).astype(np.float32)
    while True:
        lengths = rng.integers(35, 118, rows)  # a column drawn twice in a row counts once
        row = np.repeat(np.arange(rows), lengths)
        column = place[popular_columns(rng, len(row), columns)]
        cell = np.sort(row * columns + column)
        cell = cell[np.insert(np.diff(cell) > 0, 0, True)]
        starts = np.insert(np.cumsum(np.bincount(cell // columns, minlength=rows)), 0, 0)
        values = rng.integers(1, 17, len(cell)).astype(np.float32) / 16
        parts = (values, (cell % columns).astype(np.int32), starts.astype(np.int32))
        X = scipy.sparse.csr_matrix(parts, shape=(rows, columns))
        yield X, planted_labels(rng, X @ planted)


def many_classes(
    rows: int, classes: int, columns: int = 50_000, seed: int = 0
) -> tuple[scipy.sparse.csr_matrix, Labels]:
    """The same rows; each class has a planted linear function, and the largest is the label."""
    X, _ = sparse_rows(rows, columns, seed)
    scores = X @ np.random.default_rng(seed + 1).normal(size=(columns, classes))
    return X, np.argmax(scores - np.median(scores, axis=0), axis=1)


def unsorted(X: scipy.sparse.csr_matrix, seed: int = 0) -> scipy.sparse.csr_matrix:
    """The same matrix, the cells of each row in random order, as products of matrices have them."""
    keys = np.random.default_rng(seed).random(X.nnz)
    order = np.lexsort((keys, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))))
    parts = (X.data[order], X.indices[order], X.indptr)
    return scipy.sparse.csr_matrix(parts, shape=X.shape)


def without_values(X: scipy.sparse.csr_matrix, dtype: Any) -> scipy.sparse.csr_matrix:
    """The same cells, each True or 1."""
    ones = np.ones(X.nnz, dtype)
    return scipy.sparse.csr_matrix((ones, X.indices, X.indptr), shape=X.shape)


def images(
    rows: int, columns: int = 784, classes: int = 10, seed: int = 0
) -> tuple[npt.NDArray[np.float32], Labels]:
    """Dense float32 rows in [0, 1], each a noisy copy of the prototype of its class."""
    rng = np.random.default_rng(seed)
    digits = rng.integers(0, classes, rows)
    prototypes = rng.random((classes, columns), dtype=np.float32) / 8
    X = rng.standard_normal((rows, columns), dtype=np.float32) / 4
    X += prototypes[digits]
    X = np.round(X.clip(0, 1) * 256) / 256
    return X.astype(np.float32), digits


def named_examples(
    examples: int, names: int, vocabulary: int, seed: int = 0
) -> list[tuple[dict[str, float], bool]]:
    """Dicts of this many different names, with their labels."""
    rng = np.random.default_rng(seed)
    drawn = popular_columns(rng, (examples, 8 * names), vocabulary)
    chosen = [list(dict.fromkeys(row))[:names] for row in drawn.tolist()]
    if any(len(row) < names for row in chosen):
        raise ValueError(f"{vocabulary} names are too few to draw {names} different ones")
    values = rng.integers(1, 17, (examples, names)) / 16
    planted = rng.normal(size=vocabulary)
    labels = planted_labels(rng, np.sum(planted[np.array(chosen)] * values, axis=1))
    words = [f"word{i}" for i in range(vocabulary)]
    return [
        (dict(zip((words[i] for i in row), value, strict=True)), bool(label))
        for row, value, label in zip(chosen, values.tolist(), labels, strict=True)
    ]


def fresh(
    examples: list[tuple[dict[str, float], bool]],
) -> list[tuple[dict[str, float], bool]]:
    """The same examples as a service gets them: each key is a new string, as in `json.loads`."""
    return [(json.loads(json.dumps(x)), y) for x, y in examples]


def boolean_rows(
    rows: int, columns: int, active: int, among: int, seed: int = 0
) -> tuple[scipy.sparse.csr_matrix, Labels]:
    """Rows of exactly `active` features out of the first `among`; labels are coin flips."""
    rng = np.random.default_rng(seed)
    stride = among // active
    # One column from each range of `stride`: distinct and in order, without sorting.
    index = np.arange(active) * stride + rng.integers(0, stride, (rows, active))
    starts = np.arange(0, rows * active + 1, active)
    parts = (np.ones(rows * active, bool), index.ravel().astype(np.int32), starts)
    return scipy.sparse.csr_matrix(parts, shape=(rows, columns)), rng.integers(0, 2, rows)


# -- the same rows as text

CHUNK = 2_000  # rows that are written at a time
STEPS = 16  # values are k/16


@dataclass(frozen=True)
class Text:
    """How a row is written: one of two labels, then a piece for each feature."""

    labels: npt.NDArray[np.bytes_]
    pieces: npt.NDArray[np.bytes_]
    with_values: bool  # a piece for each column and value; otherwise one for each column

    def lines(self, X: scipy.sparse.csr_matrix, y: Labels) -> bytes:
        """All pieces side by side, padded to one width with NULs, which are then removed."""
        which = X.indices.astype(np.int64)
        if self.with_values:
            which = which * STEPS + (X.data * STEPS).astype(np.int64) - 1
        starts = X.indptr[:-1]
        width = max(self.pieces.itemsize, self.labels.itemsize)
        cells = self.pieces.astype(f"S{width}", copy=False)[which]
        cells = np.insert(cells, starts, self.labels[y])
        flat = cells.view(np.uint8)
        return flat[flat != 0].tobytes()[1:] + b"\n"  # a label starts with the line break


def numbered(columns: int, before_features: str = "") -> Text:
    """Numbers from 1 on as names, with values: svmlight, or VW with `` |`` before the features."""
    values = [f"{(k + 1) / STEPS:g}" for k in range(STEPS)]
    pieces = [f" {column}:{value}" for column in range(1, columns + 1) for value in values]
    return Text(_labels(before_features), np.array(pieces, "S"), with_values=True)


def worded() -> Text:
    """Words as names, without values, in VW's format."""
    return Text(_labels(" |"), np.array([f" {word}" for word in words()], "S"), with_values=False)


def _labels(before_features: str) -> npt.NDArray[np.bytes_]:
    return np.array([f"\n{label}{before_features}" for label in (-1, 1)], "S")


def words() -> list[str]:
    """200,000 made-up words of 4 to 8 letters, like ``nabend``."""
    syllables = [c + v for c in "bcdfghjklmnpqrstvwxz" for v in "aeiou"]
    endings = ("", *"dfklmnprstx", "ck", "nd", "ng", "nt", "rd", "sh", "sts", "rtst")
    return [a + b + end for a in syllables for b in syllables for end in endings]


def write_text(paths: dict[Path, Text], columns: int, size: int, seed: int = 0) -> int:
    """The same rows to each path until the first one has `size` bytes; how many features."""
    nonzeros = 0
    files: list[tuple[IO[bytes], Text]] = [(path.open("wb"), text) for path, text in paths.items()]
    try:
        for X, y in sparse_chunks(min(CHUNK, size // 1000 + 1), columns, seed):
            for file, text in files:
                file.write(text.lines(X, y))
            nonzeros += X.nnz
            if files[0][0].tell() >= size:
                return nonzeros
    finally:
        for file, _ in files:
            file.close()
    raise AssertionError("the stream has no end")


MEETINGS = 5  # of each name, on average


def write_many_names(path: Path, names: int, seed: int = 0) -> int:
    """Rows of 50 different names without values in VW's format, until each of so many names has
    come once or more; how many features. The first part of the rows has each name once, in random
    order; in the others every name is equally likely, the worst case for a cache."""
    rng = np.random.default_rng(seed)
    per_row, chunk = 50, 50_000
    features = 0
    with path.open("wb") as file:
        order = rng.permutation(names)
        for begin in range(0, names, chunk):
            features += _write_names(file, order[begin : begin + chunk], per_row, rng)
        stride = max(1, names // per_row)
        for _ in range(0, (MEETINGS - 1) * names, chunk):
            # One name from each range of `stride`: they differ.
            rows = (
                rng.integers(0, stride, (chunk // per_row, per_row)) + np.arange(per_row) * stride
            )
            features += _write_names(file, np.minimum(rows, names - 1).ravel(), per_row, rng)
    return features


def _write_names(file: IO[bytes], chosen: Labels, per_row: int, rng: np.random.Generator) -> int:
    written = 0
    for begin in range(0, len(chosen), per_row):
        row = np.unique(chosen[begin : begin + per_row])
        label = b"1 |" if rng.random() < 0.5 else b"-1 |"
        file.write(label + b"".join(b" n%x" % name for name in row.tolist()) + b"\n")
        written += len(row)
    return written
