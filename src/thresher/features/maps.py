"""Maps to more features, with which a linear learner can learn nonlinear functions."""

from __future__ import annotations

from thresher.features.transformer import OneStep
from thresher.options import Declared, count, real


class Degree(Declared):
    degree: int = count(default=2, least=1, doc="the most features of a product.")


class Conjunctions(Degree, OneStep):
    """All products of up to `degree` different features, the single ones included.

    For features that are 0 or 1 these are their conjunctions. An array of n columns gets one for
    each choice of columns, by their number and then from left to right; an example by name gets
    those of its features. With a learner, ``prepare="conjunctions(2)"`` keeps only products that
    occur, for any number of columns.

    Examples
    --------
    >>> from thresher.features import Conjunctions
    >>> map = Conjunctions(2).fit([[1, 1, 0]])
    >>> map.get_feature_names_out().tolist()
    ['x0', 'x1', 'x2', 'x0*x1', 'x0*x2', 'x1*x2']
    >>> map.transform([[1, 0, 1]]).tolist()
    [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]]
    """

    def _written(self) -> str:
        return f"conjunctions({self.checked()['degree']})"


class Polynomial(Degree, OneStep):
    """All products of up to `degree` features, powers included: a, b, a^2, a*b, b^2.

    In the order of scikit-learn's ``PolynomialFeatures``, without its constant column: learners
    have an intercept.

    Examples
    --------
    >>> from thresher.features import Polynomial
    >>> map = Polynomial(2).fit([[2, 3]])
    >>> dict(zip(map.get_feature_names_out(), map.transform([[2, 3]])[0].tolist()))
    {'x0': 2.0, 'x1': 3.0, 'x0^2': 4.0, 'x0*x1': 6.0, 'x1^2': 9.0}
    """

    def _written(self) -> str:
        return f"polynomial({self.checked()['degree']})"


class RandomFourier(Declared, OneStep):
    """√(2/D)·cos(ω_j·x + b_j), j = 0 … D − 1, whose products approximate exp(−γ·‖x − x'‖²).

    Rahimi and Recht (2007). So a linear learner on these features approximates one with a
    Gaussian kernel, in time that does not grow with the stream. ω is drawn from N(0, 2γ) by a hash
    of the name of a feature and the seed: names need not be known in advance.

    Examples
    --------
    >>> from thresher.features import RandomFourier
    >>> z = RandomFourier(2000, gamma=0.5).fit_transform([[0.0, 0.0], [1.0, 1.0]])
    >>> (z @ z.T).round(1).tolist()  # exp(−0.5·2) is 0.37
    [[1.0, 0.4], [0.4, 1.0]]
    """

    components: int = count(
        default=100,
        least=1,
        doc="D. The error of the approximation is of order 1/√D.",
    )
    gamma: float = real(
        default=1.0, above=0.0, doc="γ. Scale the features first: one γ serves them all."
    )
    random_state: int | None = count(
        default=0, none=True, doc="the seed, a whole number; None is 0."
    )

    def _written(self) -> str:
        o = self.checked()
        return f"fourier({o['components']}, gamma={o['gamma']!r}, seed={o['random_state'] or 0})"
