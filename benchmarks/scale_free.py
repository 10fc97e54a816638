"""Columns as they are: scale-free steps, standardised columns, plain steps, and Vowpal Wabbit.

    python benchmarks/scale_free.py --data FOLDER

Progressive errors, every example predicted before it is learned, in the order of the file: the
share of wrong labels, or the root of the mean squared error.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from thresher import LMS, LogisticRegression, Race, RecursiveLeastSquares

SETS = {
    "weather": "label",
    "elec2": "target",
    "california-housing": "median_house_value",
    "casp": "RMSD",
}
NUMBERS = ("california-housing", "casp")
LABELS = {
    "scale-free": LogisticRegression(step="scale-free"),
    "scale-free, η = 2": LogisticRegression(step="scale-free", learning_rate=2.0),
    "standardised, AdaGrad": LogisticRegression(prepare="standard"),
    "AdaGrad": LogisticRegression(),
}
TARGETS = {
    "scale-free": LMS(step="scale-free"),
    "scale-free, η = 2": LMS(step="scale-free", learning_rate=2.0),
    "scale-free, unclipped": LMS(step="scale-free", clip_predictions=False),
    "standardised LMS": LMS(prepare="standard"),
    "standardised LMS, unclipped": LMS(prepare="standard", clip_predictions=False),
    "LMS": LMS(),
    "least squares": RecursiveLeastSquares(),
    "least squares, unclipped": RecursiveLeastSquares(clip_predictions=False),
    "least squares, ridge": RecursiveLeastSquares(l2=1.0, standardized=True),
}


def table(path: Path, target: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a table, a column of 0 and 1 for each value of one of words; rows with a gap
    are left out."""
    with gzip.open(path, "rt") as lines:
        head, *rows = csv.reader(lines)
    at = head.index(target)
    rows = [row for row in rows if all(row)]
    columns = []
    for j in range(len(head)):
        values = [row[j] for row in rows]
        if j == at:
            continue
        if values[0].replace(".", "").replace("-", "").isdigit():
            columns.append([float(v) for v in values])
        else:
            columns += [[float(v == word) for v in values] for word in sorted(set(values))]
    return np.array(columns).T, np.array([float(row[at]) for row in rows])


def vowpal_wabbit(X: np.ndarray, y: np.ndarray, regress: bool) -> float:
    """Of its default settings, which normalise and adapt."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data.vw"), Path(folder, "out")
        with data.open("w") as lines:
            for row, target in zip(X, y, strict=True):
                label = target if regress else (1 if target > 0 else -1)
                cells = " ".join(f"{j}:{v!r}" for j, v in enumerate(row.tolist()) if v)
                lines.write(f"{label} | {cells}\n")
        loss = "squared" if regress else "logistic"
        command = [sys.executable, "-m", "vowpalwabbit", "--quiet", "--loss_function", loss]
        subprocess.run([*command, "-d", str(data), "-p", str(out)], check=True)
        said = np.array([float(line.split()[0]) for line in out.read_text().splitlines()])
    if regress:
        return float(np.sqrt(np.mean((said - y) ** 2)))
    return float(np.mean((said >= 0) != (y > 0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the tables")
    folder = parser.parse_args().data
    for name, target in SETS.items():
        X, y = table(folder / f"{name}.csv.gz", target)
        regress = name in NUMBERS
        race = Race(TARGETS if regress else LABELS, keep_all=True)
        race.fit(X, y if regress else y.astype(int))
        found = {row.name: row.error**0.5 if regress else row.error for row in race.standings_}
        found["Vowpal Wabbit"] = vowpal_wabbit(X, y, regress)
        found["mean" if regress else "majority"] = (
            float(y.std()) if regress else float(min(y.mean(), 1 - y.mean()))
        )
        print(f"{name}: {len(y):,} rows, {X.shape[1]} columns")
        for who, error in sorted(found.items(), key=lambda item: item[1]):
            print(f"  {who:30} {error:12,.2f}" if regress else f"  {who:30} {100 * error:10.2f} %")


if __name__ == "__main__":
    main()
