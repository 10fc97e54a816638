"""Class labels and their codes. Labels may appear at any time; while a run goes on, codes stay."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from thresher._core import encode
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.examples import contiguous, unread
from thresher.learners.base.protocol import sklearn_class
from thresher.learners.base.weights import sample_weights
from thresher.sparse import is_sparse


class Labels:
    """The labels seen, in order of their codes, and those that were announced in advance."""

    def __init__(self, values: Iterable[Any] = (), announced: Iterable[Any] = ()) -> None:
        self.values: list[Any] = []
        self.announced: list[Any] = []
        self.codes: dict[Any, int] = {}
        self.closed = False
        """Whether no label can be added."""
        self.announce(announced)
        self.add(values)

    def copy(self) -> Labels:
        labels = Labels(self.values, self.announced)
        labels.closed = self.closed
        return labels

    def add(self, values: Iterable[Any]) -> None:
        """Give each new label the next code."""
        for value in values:
            label = self._like_the_others(value)
            if label not in self.codes:
                if self.closed:
                    raise InvalidInput(
                        f"label {label!r} is not one of the given classes: {self.values!r}."
                    )
                self.codes[label] = len(self.values)
                self.values.append(label)

    def announce(self, values: Iterable[Any]) -> None:
        """Labels that may appear; they get a code when they do."""
        for value in values:
            label = self._like_the_others(value)
            if label not in self.announced:
                self.announced.append(label)

    def _like_the_others(self, value: Any) -> Any:
        label = plain_label(value)
        other = next(iter(self.values or self.announced), label)
        if isinstance(label, str) != isinstance(other, str):
            raise InvalidInput(
                f"labels of mixed type: found {label!r} ({type(label).__name__}) among labels "
                f"such as {other!r} ({type(other).__name__}); expected all numbers or all strings."
            )
        return label

    def encode(self, y: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Codes of an array of labels; new ones are added in order of appearance."""
        beyond = any(not isinstance(v, str) and abs(v) >= 2**53 for v in self.values)
        if y.dtype.kind not in "biuf" or y.dtype == np.uint64 or beyond:
            self.add(y.tolist())
            return np.fromiter((self.codes[plain_label(v)] for v in y.tolist()), np.int32, len(y))
        if any(isinstance(v, str) for v in self.values):
            self.add(y[:1])  # raises: numbers among strings
        if y.dtype.kind == "f":
            refuse_fractions(y)
            numbers = contiguous(y, np.float64)
        else:
            numbers = contiguous(y, np.int64)
        codes, values = encode(numbers, [numbers.dtype.type(v).item() for v in self.values])
        self.add(y.dtype.type(v) for v in values[len(self.values) :])
        return np.asarray(codes)

    def with_codes(
        self,
        y: npt.NDArray[Any],
        weights: npt.NDArray[np.float64] | None,
        announced: Iterable[Any] | None = None,
    ) -> tuple[npt.NDArray[np.int32], Labels]:
        """The codes of rows, and these labels with the new ones of rows that have a weight."""
        labels = self.copy()
        labels.announce(() if announced is None else announced)
        if weights is None:
            return labels.encode(y), labels
        codes = np.zeros(len(y), np.int32)
        codes[weights > 0] = labels.encode(y[weights > 0])
        return codes, labels

    @property
    def sorted(self) -> list[Any]:
        """All labels seen or announced."""
        return sorted({*self.values, *self.announced})

    @property
    def ranks(self) -> list[int]:
        """The place of each code's label among the sorted labels."""
        place = {label: i for i, label in enumerate(self.sorted)}
        return [place[label] for label in self.values]

    @property
    def looks_negative(self) -> list[bool]:
        """Whether a label, while it is the only one, is taken for the negative one: the smaller of
        two that were announced; a number such as 0 or −1."""
        known = self.sorted
        if len(known) == 2:
            return [v == known[0] for v in self.values]
        return [not isinstance(v, str) and v <= 0 for v in self.values]


class Labelling:
    """What scikit-learn expects of a classifier of arrays, whatever it learns."""

    _estimator_type = "classifier"

    def predict(self, X: Any) -> Any:
        """The label of each row."""
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of rows whose label is predicted correctly."""
        predicted = self.predict(X)
        right = predicted == column(y, len(predicted), type(self).__name__)
        return float(np.average(right, weights=sample_weights(sample_weight, len(predicted))))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True),
            classifier_tags=ClassifierTags(),
        )


def plain_label(value: Any) -> Any:
    """A label as plain Python: a string, a bool, an int, or a float that is a whole number."""
    if type(value) in (str, bool, int):
        return value
    if isinstance(value, np.generic):
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if value == value and value.is_integer():
            return value
        if value != value or value in (float("inf"), float("-inf")):
            raise InvalidInput(f"Input y contains NaN or inf: {value!r}; expected class labels.")
        raise InvalidInput(unknown_label_type(value))
    raise InvalidInput(
        f"Unknown label type: {type(value).__name__} ({value!r}); "
        "expected strings or whole numbers."
    )


def unknown_label_type(value: Any) -> str:
    return (
        f"Unknown label type: continuous (found {value!r}). A classifier needs class labels; "
        "for a number to predict use LMS or PassiveAggressiveRegressor."
    )


def refuse_fractions(y: npt.NDArray[Any]) -> None:
    if not np.isfinite(y).all():
        raise InvalidInput("Input y contains NaN or inf; expected class labels.")
    fractional = y != np.floor(y)
    if fractional.any():
        raise InvalidInput(unknown_label_type(float(y[fractional][0])))


def warn_of_one_label(learned: list[Any], stacklevel: int = 3) -> None:
    """After a whole run of a classifier: there was nothing to tell apart."""
    if len(learned) == 1:
        warnings.warn(
            f"all examples have the same label, {learned[0]!r}: there is nothing to tell apart, "
            "and it is all that the model predicts.",
            UserWarning,
            stacklevel=stacklevel,
        )


def column(y: Any, rows: int, owner: str) -> npt.NDArray[Any]:
    """y as a one-dimensional array of the right length."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None")
    if is_sparse(y):
        raise InvalidInput("y is a sparse matrix; expected a dense one-dimensional array.")
    if isinstance(y, (list, tuple)) and any(isinstance(v, str) for v in y):
        y = np.array(y, dtype=object)  # or NumPy would turn the 1 of [1, "a"] into "1"
    values = np.asarray(y)
    if values.ndim == 0 and values.dtype == object:
        raise InvalidInput(f"y is of the type {unread(y)}; expected an array, one for each row.")
    if values.ndim == 2 and values.shape[1] == 1:
        warning = sklearn_class("sklearn.exceptions", "DataConversionWarning", UserWarning)
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. "
            "Please change the shape of y to (n_samples,), for example using ravel().",
            warning,
            stacklevel=4,
        )
        values = values.ravel()
    if values.ndim != 1:
        raise InvalidInput(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    if values.dtype.kind == "c":
        raise InvalidInput("Complex data not supported: y holds complex numbers.")
    if len(values) != rows:
        raise InvalidInput(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, "
            f"y has {len(values)}."
        )
    return values
