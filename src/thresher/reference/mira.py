"""MIRA, the margin-infused relaxed algorithm (Crammer and Singer 2003; Crammer et al. 2006)."""

from collections.abc import Callable

from . import rules
from .average import Mean
from .geometry import Additive
from .multiclass import Classifier, Label, Move

__all__ = ["MIRA"]


def waterline(demands: list[float], level: Callable[[float, int], float]) -> float:
    """The level at which the k largest demands stand out, for the largest such k.

    level(total, k) is the level if the k largest demands, which sum to total, are those that do.
    """
    found = total = 0.0
    for k, demand in enumerate(sorted(demands, reverse=True), start=1):
        total += demand
        if demand <= level(total, k):
            break
        found = level(total, k)
    return found


def smallest_change(losses: list[float], sqnorm: float, cap: float) -> list[float]:
    """All constraints at once: how much each rival r gives to the right class y.

        min ½ Σ‖Δw_r‖² + cap·ξ   s.t.   s′_y − s′_r ≥ m − ξ for all r ≠ y,   ξ ≥ 0

    The solution is Δw_y = T·x and Δw_r = −τ_r·x with T = Σ τ_r. With ξ = 0 the rivals that are
    moved end exactly on the margin, ℓ_r = (T + τ_r)·‖x‖², so that τ_r = max(0, ℓ_r/‖x‖² − T).
    Where that T is above the cap, T is the cap and ξ lowers all demands alike, by the same ν:
    τ_r = max(0, ℓ_r/‖x‖² − ν) with Σ τ_r = cap.

    >>> smallest_change([3.0, 3.0, 0.5], 1.0, cap=10.0)
    [1.0, 1.0, 0.0]
    >>> smallest_change([3.0, 3.0, 0.5], 1.0, cap=1.0)
    [0.5, 0.5, 0.0]
    """
    if sqnorm == 0.0:
        return [0.0 for _ in losses]
    demands = [loss / sqnorm for loss in losses]
    level = waterline(demands, lambda total, k: total / (k + 1))
    if level > cap:
        level = waterline(demands, lambda total, k: (total - cap) / k)
    return [max(0.0, demand - level) for demand in demands]


class MIRA(Classifier):
    """A prototype per class; the smallest change that ranks the right one first by a margin.

    C            how much one example may change
    constraints  "all": above every other class (the small quadratic programme, solved exactly);
                 "one": above the strongest rival
    margin       m, by which the right class is to lead
    The other options are those of the Perceptron. With two classes it is PA-I.

    >>> learner = MIRA(C=float("inf"), average=False, fit_intercept=False)
    >>> for word, label in [("moo", "cow"), ("oink", "pig"), ("baa", "sheep")]:
    ...     learner.learn({word: 1.0, "loud": 1.0}, label)
    >>> scores = learner.score({"baa": 1.0, "loud": 1.0})
    >>> [round(scores["sheep"] - scores[other], 12) for other in ("cow", "pig")]
    [1.0, 1.0]
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        constraints: str = "all",
        margin: float = 1.0,
        average: Mean = True,
        burn_in: int = 0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        calibrate: bool = False,
    ) -> None:
        if constraints not in ("all", "one"):
            raise ValueError(f'constraints is "all" or "one", not {constraints!r}')
        geometry = Additive(intercept_scaling if fit_intercept else 0.0)
        super().__init__(geometry, average=average, burn_in=burn_in, calibrate=calibrate)
        self.C = C
        self.constraints = constraints
        self.margin = margin

    def tau(self, margin: float, sqnorm: float, t: int, weight: float, mistake: bool) -> float:
        return rules.pa1(rules.hinge(margin, self.margin), sqnorm, C=self.C, weight=weight)

    def moves(
        self,
        scores: dict[Label, float],
        y: Label,
        sqnorms: dict[Label, float],
        t: int,
        weight: float,
    ) -> dict[Label, Move]:
        if self.constraints == "one":
            return super().moves(scores, y, sqnorms, t, weight)
        rivals = [r for r in scores if r != y]
        losses = [rules.hinge(scores[y] - scores[r], self.margin) for r in rivals]
        taus = smallest_change(losses, sqnorms[y], self.C * weight)
        total = 0.0
        for tau in taus:  # not sum(), which compensates for rounding: see vectors.dot
            total += tau
        return {y: (total, 0.0), **{r: (-tau, 0.0) for r, tau in zip(rivals, taus, strict=True)}}
