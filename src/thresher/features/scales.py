"""Scales learned from a stream, and rows of length 1."""

from __future__ import annotations

from thresher.features.transformer import OneStep


class Standard(OneStep):
    """(x − μ)/σ, by the mean and the standard deviation of each feature so far.

    An absent feature is 0 and counts as 0; a feature without spread becomes 0. Rows become dense:
    for text use `MaxAbs` or `UnitNorm`, which leave zeros alone.

    Examples
    --------
    >>> from thresher.features import Standard
    >>> Standard().fit_transform([[1.0], [3.0]]).tolist()
    [[-1.0], [1.0]]
    >>> scale = Standard()
    >>> for x in ({"a": 1.0}, {"a": 3.0}):
    ...     scale.learn_one(x)
    >>> scale.transform_one({"a": 4.0})
    {'a': 2.0}
    """

    def _written(self) -> str:
        return "standard"


class MinMax(OneStep):
    """(x − min)/(max − min), by the smallest and the largest value of each feature so far.

    Values beyond those seen lie beyond [0, 1]. Rows become dense, as with `Standard`.

    Examples
    --------
    >>> from thresher.features import MinMax
    >>> MinMax().fit_transform([[10.0], [20.0], [40.0]]).round(3).tolist()
    [[0.0], [0.333], [1.0]]
    """

    def _written(self) -> str:
        return "minmax"


class MaxAbs(OneStep):
    """x/max |x|, by the largest value of each feature so far. Zeros stay zeros.

    Examples
    --------
    >>> from thresher.features import MaxAbs
    >>> MaxAbs().fit_transform([[4.0, 0.0], [-2.0, 1.0]]).tolist()
    [[1.0, 0.0], [-0.5, 1.0]]
    """

    def _written(self) -> str:
        return "maxabs"


class Idf(OneStep):
    """x·(1 + ln((1 + n)/(1 + d))), where d of the n rows so far have the feature.

    The inverse document frequency of scikit-learn's ``TfidfTransformer`` (its defaults, without
    the norm). Zeros stay zeros.

    Examples
    --------
    >>> from thresher.features import Idf
    >>> Idf().fit_transform([[1.0, 0.0], [1.0, 2.0]]).round(3).tolist()
    [[1.0, 0.0], [1.0, 2.811]]
    """

    def _written(self) -> str:
        return "idf"


class UnitNorm(OneStep):
    """x/‖x‖: rows of length 1; a row of zeros stays zero.

    Examples
    --------
    >>> from thresher.features import UnitNorm
    >>> UnitNorm().transform_one({"a": 3.0, "b": 4.0})
    {'a': 0.6, 'b': 0.8}
    """

    def _written(self) -> str:
        return "unit"
