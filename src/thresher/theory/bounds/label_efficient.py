"""How many mistakes the label-efficient perceptron makes, in the mean over its own coin."""

from __future__ import annotations

from thresher.options import finite
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.perceptron import BOUNDED, quotient


def label_efficient(R: float, gamma: float, b: float) -> Bound:
    """Cesa-Bianchi, Gentile & Zaniboni (2006): E[mistakes] ≤ (2b + R²)²/(8b·γ²).

    If y·(u·x) ≥ γ > 0 for every example and a unit vector u; the mean is over what the learner
    asks, for a stream that was settled beforehand. With b = R²/2 it is Novikoff's bound, whatever
    share of the labels was asked for.

    Proof idea: with c = (2b + R²)/(2γ), a mistake whose label is asked for makes ½‖c·u − w‖²
    smaller by at least c·γ + |s| − R²/2 = b + |s|. It starts at c²/2, so these sum to at most
    (2b + R²)²/(8γ²). And each label is asked for with probability b/(b + |s|).

    >>> label_efficient(R=1.0, gamma=0.1, b=0.5).value == 100.0
    True
    """
    R, gamma = finite("R", R, above=0.0), finite("gamma", gamma, above=0.0)
    b = finite("b", b, above=0.0)
    return Bound(
        "label-efficient perceptron",
        "E[mistakes] ≤ (2b + R²)²/(8b·γ²)",
        quotient(2.0 * b + R * R, gamma) ** 2 / (8.0 * b),
        {"R": R, "gamma": gamma, "b": b},
        (
            Assumption("w starts at 0; w += y·x when y·s ≤ 0 and the label is asked for"),
            BOUNDED,
            Assumption("y·(u·x) ≥ γ > 0 for every example, ‖u‖ = 1"),
            Assumption("a label is asked for with probability b/(b + |s|), the stream is given"),
        ),
    )
