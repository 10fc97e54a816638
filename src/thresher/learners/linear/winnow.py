"""The Winnow family: multiplicative updates."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.groups import (
    Averaging,
    Calibration,
    ClassWeights,
    Intercept,
    Mean,
    Passes,
    Preparation,
)
from thresher.learners.base.learner import Engine
from thresher.options import Declared, but, choice, flag, real
from thresher.prepare import domain_for_unit


class _Multiplicative(OnlineClassifier):
    @property
    def clamped_(self) -> int:
        """Weight updates that left [1e-150, 1e150] and were clamped."""
        return int(self._learned().counters()["clamped"])


class Multiplying(Declared):
    alpha: float = real(default=2.0, above=1.0, doc="α, by whose powers weights are multiplied.")
    margin: float = real(
        default=0.0,
        least=0.0,
        doc="γ; update also when the score is closer than γ to the threshold.",
    )


class Winnow(
    Multiplying, Averaging, Passes, Calibration, Preparation, ClassWeights, _Multiplicative
):
    """Winnow (Littlestone 1988): positive weights, doubled or halved on a mistake.

    Predicts positive when w·x ≥ θ. On a false negative w_i *= α^{x_i}, on a false positive
    w_i /= α^{x_i}. It makes only O(k·log n) mistakes when k of n features matter. Values lie in
    [0, 1]; `BalancedWinnow` takes any.

    With `prepare`, only steps whose values are in [0, 1] can be used: "minmax" from any values,
    "maxabs" and "unit" from values of 0 or more, "conjunctions" and "polynomial" from values in
    [0, 1].

    Examples
    --------
    >>> from thresher import Winnow
    >>> model = Winnow(theta=2.0)
    >>> X = [[0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]
    >>> model.fit(X, [-1, +1, +1]).coef_.tolist()
    [[2.0, 2.0, 1.0, 1.0]]
    """

    engine = Engine("multiplicative", "winnow")

    theta: float | None = real(
        default=None,
        doc="θ; by default the number of features (2n with `negations`); with named features, "
        "those seen so far.",
    )
    demotion: str = choice(
        "divide", "eliminate",
        default="divide",
        doc='"divide" by α^{x_i}, or "eliminate": set to 0 (for disjunctions without noise).',
    )  # fmt: skip
    floor: float | None = real(
        default=None,
        above=0.0,
        doc="no demotion goes below it. 0.5 is Winnow-R, which follows a target that changes.",
    )
    negations: bool = flag(
        default=False,
        doc="learn over the 2n literals x_i and 1 − x_i, at O(active features) per step (together "
        "with `floor`, a demotion costs O(n)).",
    )
    clip: bool = flag(
        default=False, doc="take values outside [0, 1] as 0 or 1 instead of refusing them."
    )
    average: Mean = but(default=False)

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        if options["demotion"] == "eliminate" and options["floor"] is not None:
            raise InvalidInput("demotion='eliminate' sets weights to 0; it cannot have a floor.")
        domain = self._domain(options)
        if options["clip"] and domain != "unit":
            raise InvalidInput(
                f"clip=True cuts values to [0, 1] before prepare={self.prepare!r} could bring them "
                "there; expected one of the two."
            )
        if options.pop("negations"):
            if options["average"] == "tail":
                raise InvalidInput(
                    "average='tail' and negations=True: the literals ¬x share one past, which "
                    "cannot start over; expected True, False or a number between 0 and 1."
                )
            options["geometry"] = "negations"
        return options | {"domain": domain, "once": True}

    def _domain(self, options: dict[str, Any]) -> str:
        """Which values are allowed: "unit", which is [0, 1], unless steps produce them."""
        steps = options["prepare"]
        return domain_for_unit(steps, "Winnow") if steps else "unit"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_any = self.clip or self._domain(self.checked()) != "unit"
        tags.input_tags.positive_only = not takes_any
        return tags


class BalancedWinnow(Multiplying, Averaging, Passes, Intercept, Calibration, Preparation,
                     ClassWeights, _Multiplicative):  # fmt: skip
    """Balanced Winnow: two positive weights per feature, whose difference counts.

    Predicts positive when (w⁺ − w⁻)·x ≥ θ. On a mistake, of which a score of exactly θ is one for
    either label, w±_i *= α^{±y·x_i}. Takes any real x: where some |x_i| is above 1 the step is that
    of x/max|x_i|, so that no count, however large, multiplies a weight by more than α.

    Examples
    --------
    >>> from thresher import BalancedWinnow
    >>> model = BalancedWinnow(max_epochs=10)
    >>> model.fit([[1, -1], [-1, 1], [1, 1]], [1, 0, 0]).predict([[1, -1], [1, 1]]).tolist()
    [1, 0]
    """

    engine = Engine("balanced", "winnow")

    alpha: float = but(default=1.5)
    theta: float = real(default=0.0, doc="θ.")
    scaled: bool = flag(
        default=True,
        doc="an example with values beyond [−1, 1] moves the weights as x/max|x_i| would. False: "
        "by α^{±y·x_i}, whatever x_i is; a word that comes 30 times then multiplies its weight by "
        "α^30.",
    )
    average: Mean = but(default=False)
