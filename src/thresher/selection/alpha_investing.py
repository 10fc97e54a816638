"""Alpha-investing (Zhou, Foster, Stine & Ungar 2006): features that come one by one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable
from typing import Any, Self

from thresher.errors import InvalidInput
from thresher.features.table_output import TableOutput
from thresher.lazy import np, npt
from thresher.learners.base.examples import as_floats, checked, compare_names, read_rows
from thresher.learners.base.labels import column as as_column
from thresher.learners.base.learner import Floats
from thresher.learners.base.protocol import not_learned
from thresher.options import Declared, real
from thresher.sparse import is_sparse
from thresher.theory.optional import scipy_part

NOTHING_NEW = 1e-9  # a share of a column this small is rounding
CAREFUL = 1e-3  # below this share a difference of squares is not good enough


class AlphaInvesting(TableOutput, Declared):
    """Streamwise feature selection: each feature is tested once, on arrival, and taken or left.

    The i-th feature is tested at the level α_i = wealth/(2i). A test costs its level; a feature
    that is taken, because its p-value is below the level, earns `delta`. So there may be any number
    of features, none of which has to be known before its turn, and still

        E[false selections] ≤ wealth + delta·E[selections]

    if p-values are valid: with the defaults mFDR = E[false]/(E[all] + 1) ≤ ½, and on pure noise
    at most 1 feature is expected. The order is the one given; put features that are
    likely to matter first, since wealth is highest there.

    The p-value is that of the F-test of one more column in a linear regression of y on those taken
    so far and a constant. It is exact where y, or the column, is normal about its mean. Two classes
    are coded 0 and 1: the same test, for whether the column changes their linear discriminant.
    Beware of columns with few nonzero values: their p-values are rough, and tend to be too small.

    Memory is that of y and of the columns taken: a column that is left is forgotten. A column
    costs O(its nonzeros · columns taken); one that is taken, O(rows · columns taken).

    Attributes
    ----------
    selected_ : the features taken, in their order: names, or numbers where none were given.
    p_values_, levels_ : of those taken, the p-value and the level that it was below.
    last_p_value_, last_level_ : of the last feature, taken or not.
    wealth_ : what is left; never below 0.
    considered_ : how many features were tested.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.selection import AlphaInvesting
    >>> rng = np.random.default_rng(2)
    >>> X = rng.normal(size=(200, 50))
    >>> y = 2 * X[:, 3] - X[:, 20] + rng.normal(size=200)
    >>> selector = AlphaInvesting(wealth=0.05, delta=0.05).fit(X, y)
    >>> selector.selected_, selector.transform(X).shape
    ([3, 20], (200, 2))

    One by one, from wherever features come:

    >>> selector = AlphaInvesting(wealth=0.05, delta=0.05).begin(y)
    >>> selector.consider(X[:, 1], "noise"), selector.consider(X[:, 3], "signal")
    (False, True)
    >>> selector.consider(2 * X[:, 3], "the same once more")
    False
    """

    wealth: float = real(default=0.5, above=0.0, most=1.0, doc="at the start.")
    delta: float = real(
        default=0.5,
        least=0.0,
        most=1.0,
        doc="what a selection earns. With 0 at most `wealth` false ones are expected.",
    )

    _begun = False
    _names: npt.NDArray[Any] | None = None  # of all features considered, where fit was given names

    # -- one by one

    def begin(self, y: npt.ArrayLike) -> Self:
        """Start over, with the numbers or the two labels that features are to explain."""
        options = self.checked()
        wealth, payout = options["wealth"], options["delta"]
        target = _target(y)
        n = len(target)
        scipy_part("special")  # if it is missing, fail now
        self._basis = np.full((n, 8), 1.0 / math.sqrt(n))  # orthonormal: the constant, then others
        self._rank = 1
        self._residual = target - target.mean()
        self._rss = self._tss = float(self._residual @ self._residual)
        self._payout = payout
        self._indices: list[int] = []
        self.wealth_ = wealth
        self.considered_ = 0
        self.selected_: list[Hashable] = []
        self._taken: set[Hashable] = set()
        self._tests: list[tuple[float, float]] = []
        self._names = None
        self._begun = True
        return self

    def consider(self, column: Any, name: Hashable | None = None) -> bool:
        """Test the next feature; returns whether it is taken.

        `column` has one finite number for each of y: an array, or a sparse matrix of one column. A
        feature without a name is identified by its number, from 0. A name that was taken cannot be
        repeated; one that was left may.
        """
        self._check_begun()
        if name is None:
            if self._names is not None:
                raise InvalidInput("a feature without a name; those of fit have names.")
            name = self.considered_
        if not isinstance(name, Hashable):
            raise InvalidInput(f"name is {name!r}; expected a string or a number.")
        if name in self._taken:
            raise InvalidInput(
                f"feature {name!r} has been selected already; expected each name once."
            )
        return self._judge(name, *self._entries(column, name))

    def _judge(self, name: Hashable, rows: Any, values: Floats) -> bool:
        """A feature given by where it is not 0, or by all rows, and its values there."""
        if self._names is not None:
            self._names = np.append(self._names, np.array([name], object))
        self.last_level_ = self.wealth_ / (2.0 * (self.considered_ + 1))
        self.last_p_value_ = self._p_value(rows, values)
        taken = bool(self.last_p_value_ < self.last_level_)
        self.wealth_ -= self.last_level_
        if taken:
            self._join(rows, values)
            self.wealth_ += self._payout
            self.selected_.append(name)
            self._taken.add(name)
            self._indices.append(self.considered_)
            self._tests.append((self.last_p_value_, self.last_level_))
        self.considered_ += 1
        return taken

    @property
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """The names of the columns that `fit` was given."""
        if self._names is None:
            raise AttributeError("feature_names_in_: fit was given no names.")
        return self._names

    @property
    def p_values_(self) -> Floats:
        self._check_begun()
        return np.array([p for p, _ in self._tests])

    @property
    def levels_(self) -> Floats:
        self._check_begun()
        return np.array([level for _, level in self._tests])

    # -- a table of features

    def fit(self, X: Any, y: Any = None) -> Self:
        """Start over and consider the columns of X from left to right.

        X is a NumPy array, a scipy sparse matrix, or a pandas, polars or Arrow table, whose columns
        have names.
        """
        rows = read_rows(X)
        target = as_column(y, rows.size, type(self).__name__)
        if rows.names is not None and len(set(rows.names)) != len(rows.names):
            raise InvalidInput("column names repeat; expected each name once.")
        fresh = type(self)(**self.get_params()).begin(target)
        if isinstance(rows.core, tuple):
            columns = checked(X).tocsc()
            columns.sum_duplicates()
            for j in range(rows.columns):
                part = slice(columns.indptr[j], columns.indptr[j + 1])
                values = _numbers(columns.data[part], f"column {j}")
                fresh._judge(j, columns.indices[part], values)
        else:
            for j in range(rows.columns):
                fresh.consider(rows.core[:, j], rows.names[j] if rows.names else None)
        if rows.names is not None:
            fresh._names = np.array(rows.names, dtype=object)
        vars(self).update(vars(fresh))
        return self

    def transform(self, X: Any) -> Any:
        """The columns that were selected, in the order of X; sparse where X is; or a table, see
        `set_output`."""
        return self._as_asked(self._chosen(X), X)

    def _chosen(self, X: Any) -> Any:
        self._check_begun()
        rows = read_rows(X)
        compare_names(type(self).__name__, self._names, rows.names)
        if rows.columns != self.n_features_in_:
            raise InvalidInput(
                f"X has {rows.columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        if not self._indices:
            warnings.warn("no feature was selected: transform gives no columns.", stacklevel=3)
        if isinstance(rows.core, tuple):
            matrix = X.tocsr()
            _refuse_bad(matrix.data, "X")
            return matrix[:, self._indices]
        _refuse_bad(rows.core, "X")
        return rows.core[:, self._indices]

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit(X, y).transform(X)``."""
        return self.fit(X, y).transform(X)

    @property
    def n_features_in_(self) -> int:
        """How many features were tested."""
        self._check_begun()
        return self.considered_

    def get_support(self, indices: bool = False) -> npt.NDArray[Any]:
        """Which features were selected: a mask over all that were tested, or their numbers."""
        self._check_begun()
        if indices:
            return np.array(self._indices, dtype=np.intp)
        mask = np.zeros(self.considered_, dtype=bool)
        mask[self._indices] = True
        return mask

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The names of the selected features; ``x0``, ``x1``, … where they have none."""
        self._check_begun()
        known = self._names
        if input_features is not None:
            names = np.asarray(input_features, dtype=object)
            if known is not None and names.tolist() != known.tolist():
                raise InvalidInput("input_features is not equal to feature_names_in_.")
            if len(names) != self.considered_:
                raise InvalidInput(
                    f"input_features should have length equal to number of features "
                    f"({self.considered_}), got {len(names)}."
                )
            return names[self._indices]
        named = (f"x{name}" if isinstance(name, int) else name for name in self.selected_)
        return np.array(list(named), dtype=object)

    # -- the test

    def _entries(self, column: Any, name: Hashable) -> tuple[Any, Floats]:
        """Where the column is not 0, and its values there; all rows if it is dense."""
        n, where = len(self._residual), f"column {name!r}"
        rows: Any = slice(None)
        if is_sparse(column):
            sparse = checked(column).tocoo()
            if sparse.ndim != 1 and sparse.shape[1] != 1:
                raise InvalidInput(f"{where} has shape {sparse.shape}; expected one column.")
            if sparse.shape[0] != n:
                raise InvalidInput(f"{where} has {sparse.shape[0]} values; expected {n}, as y has.")
            sparse.sum_duplicates()
            rows, values = sparse.coords[0] if sparse.ndim == 1 else sparse.row, sparse.data
        else:
            values = np.asarray(column)
            if values.shape != (n,):
                raise InvalidInput(
                    f"{where} has shape {values.shape}; expected ({n},): one value for each of y."
                )
        return rows, _numbers(values, where)

    def _p_value(self, rows: Any, values: Floats) -> float:
        """Of the F-test with 1 and df degrees of freedom: ρ² is the share of the unexplained
        variance that the new part of the column explains."""
        df = len(self._residual) - self._rank - 1
        scale = float(np.abs(values).max(initial=0.0))
        if scale == 0.0 or df < 1 or self._rss <= NOTHING_NEW**2 * self._tss:
            return 1.0
        x = values / scale
        square = float(x @ x)
        explained = x @ self._basis[rows, : self._rank]
        new, cross = square - float(explained @ explained), float(x @ self._residual[rows])
        if new <= CAREFUL * square:
            part = self._new_part(rows, x)
            new, cross = float(part @ part), float(part @ self._residual)
        if new <= NOTHING_NEW**2 * square:
            return 1.0
        rho2 = min(1.0, cross * cross / (new * self._rss))
        return float(scipy_part("special").betainc(df / 2.0, 0.5, 1.0 - rho2))

    def _new_part(self, rows: Any, x: Floats) -> Floats:
        """The part of a column orthogonal to those taken; computed twice, because of rounding."""
        part = np.zeros(len(self._residual))
        part[rows] = x
        basis = self._basis[:, : self._rank]
        for _ in range(2):
            part -= basis @ (part @ basis)
        return part

    def _join(self, rows: Any, values: Floats) -> None:
        part = self._new_part(rows, values / np.abs(values).max())
        part /= np.linalg.norm(part)
        if self._rank == self._basis.shape[1]:
            wider = np.zeros((len(part), 2 * self._rank))
            wider[:, : self._rank] = self._basis
            self._basis = wider
        self._basis[:, self._rank] = part
        self._rank += 1
        self._residual -= (part @ self._residual) * part
        self._rss = float(self._residual @ self._residual)

    def _check_begun(self) -> None:
        if not self._begun:
            raise not_learned(
                f"This {type(self).__name__} instance is not fitted yet. Call fit or begin first."
            )

    # -- scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return self._begun

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            transformer_tags=TransformerTags(preserves_dtype=["float64", "float32"]),
            input_tags=InputTags(sparse=True),
        )


def _target(y: npt.ArrayLike) -> Floats:
    """Numbers, scaled so that no square overflows; two labels become 0 and 1."""
    values = as_column(y, np.shape(y)[0] if np.ndim(y) else 0, "AlphaInvesting")
    if any(isinstance(value, str) for value in values.tolist()):
        labels = sorted(set(values.tolist()), key=str)
        if len(labels) > 2:
            raise InvalidInput(
                f"y has {len(labels)} labels; expected numbers, or two labels. Of more, take one "
                "against the rest: y == label."
            )
        values = values == labels[-1]
    target = _numbers(values, "y")
    if len(target) < 3:
        raise InvalidInput(f"y has n_samples={len(target)}; expected at least 3 rows to test with.")
    if target.min() == target.max():
        raise InvalidInput(f"y is {target[0]:g} in all rows; expected two values or more.")
    scaled: Floats = target / np.abs(target).max()
    return scaled


def _numbers(values: npt.NDArray[Any], where: str) -> Floats:
    numbers: Floats = as_floats(values, where).astype(np.float64)
    _refuse_bad(numbers, where)
    return numbers


def _refuse_bad(values: npt.NDArray[Any], where: str) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        found = "NaN" if np.isnan(values[tuple(bad[0])]) else "infinity"
        raise InvalidInput(f"{where} contains {found} (entry {bad[0].tolist()}); expected numbers.")
