"""Mistake bounds of the perceptron: separable data, and two forms for data with noise.

In all of them w starts at 0, x has the constant feature if the learner has an intercept, u is any
vector of length 1, ‖x‖ ≤ R, and a mistake is y·(w·x) ≤ 0. One inequality carries them. On each
update w ← w + η·y·x, and y·(w·x) ≤ m, where m is the learner's own margin (0 by default), so

    ‖w'‖² = ‖w‖² + 2η·y·(w·x) + η²‖x‖² ≤ ‖w‖² + η²·(R² + 2m/η) = ‖w‖² + η²·ρ².

After k updates ‖w‖ ≤ η·ρ·√k, hence u·w ≤ η·ρ·√k. What differs is how fast u·w grows. The bounds
hold for updates, and every mistake is an update.
"""

from __future__ import annotations

import math

from thresher.errors import InvalidInput
from thresher.options import finite, whole
from thresher.theory.bounds import minimise
from thresher.theory.bounds.bound import Assumption, Bound
from thresher.theory.bounds.margins import Margins

STARTS = Assumption("w starts at 0; w += η·y·x exactly when y·(w·x) ≤ margin")
BOUNDED = Assumption("‖x‖ ≤ R for every example, the constant feature included")


def reach(R: float, margin: float, learning_rate: float) -> float:
    """ρ = √(R² + 2m/η); R for the plain perceptron."""
    R = finite("R", R, above=0.0)
    margin = finite("margin", margin, least=0.0)
    if margin == 0.0:
        return R
    return math.hypot(R, math.sqrt(2.0 * margin / finite("learning_rate", learning_rate, above=0)))


def novikoff(R: float, gamma: float, *, margin: float = 0.0, learning_rate: float = 1.0) -> Bound:
    """Novikoff (1962): mistakes ≤ R²/γ² if y·(u·x) ≥ γ > 0 for every example.

    However long the stream is, whatever its order, and in whatever dimension. With a learner's
    `margin` m and `learning_rate` η (any constant one, if m = 0): updates ≤ (R² + 2m/η)/γ².

    Proof idea: each update adds at least η·γ to u·w, so k·η·γ ≤ u·w ≤ ‖w‖ ≤ η·ρ·√k.

    >>> novikoff(R=1.0, gamma=0.1).value
    100.0
    """
    rho = reach(R, margin, learning_rate)
    gamma = finite("gamma", gamma, above=0.0)
    return Bound(
        "Novikoff",
        "mistakes ≤ R²/γ²" if margin == 0.0 else "updates ≤ (R² + 2·margin/η)/γ²",
        quotient(rho, gamma) ** 2,
        {"R": float(R), "gamma": gamma},
        (STARTS, BOUNDED, Assumption("y·(u·x) ≥ γ > 0 for every example, ‖u‖ = 1")),
    )


def noisy_squared(
    R: float, gamma: float, D2: float, *, margin: float = 0.0, learning_rate: float = 1.0
) -> Bound:
    """Freund & Schapire (1999): mistakes ≤ ((R + D2)/γ)² for any u, any γ > 0.

    D2 = √Σ ξ², ξ = max(0, γ − y·(u·x)): how far the stream is from being separable by γ.

    Proof idea: an update adds at least η·(γ − ξ) to u·w. By Cauchy and Schwarz the ξ of k updates
    sum to at most √k·D2, so k·γ − √k·D2 ≤ ρ·√k. Divide by √k.

    >>> round(noisy_squared(R=1.0, gamma=0.5, D2=1.0).value, 9)
    16.0
    """
    rho = reach(R, margin, learning_rate)
    gamma, D2 = finite("gamma", gamma, above=0.0), finite("D2", D2, least=0.0)
    return Bound(
        "perceptron with noise, squared",
        "mistakes ≤ ((R + D2)/γ)²" if margin == 0.0 else "updates ≤ ((√(R² + 2·margin/η) + D2)/γ)²",
        quotient(rho + D2, gamma) ** 2,
        {"R": float(R), "gamma": gamma, "D2": D2},
        (STARTS, BOUNDED, Assumption("D2² = Σ max(0, γ − y·(u·x))² over the stream, ‖u‖ = 1")),
    )


def noisy_hinge(
    R: float, gamma: float, TD: float, *, margin: float = 0.0, learning_rate: float = 1.0
) -> Bound:
    """mistakes ≤ R²/γ² + (2/γ)·TD for any u, any γ > 0, TD = Σ max(0, γ − y·(u·x)).

    Proof idea: k updates bring u·w to at least η·(k·γ − TD), so k·γ − TD ≤ ρ·√k. And
    ρ·√k ≤ ρ²/(2γ) + k·γ/2, since 2ab ≤ a² + b².

    >>> noisy_hinge(R=1.0, gamma=0.5, TD=1.0).value
    8.0
    """
    rho = reach(R, margin, learning_rate)
    gamma, TD = finite("gamma", gamma, above=0.0), finite("TD", TD, least=0.0)
    return Bound(
        "perceptron with noise, hinge",
        "mistakes ≤ R²/γ² + (2/γ)·TD"
        if margin == 0.0
        else "updates ≤ (R² + 2·margin/η)/γ² + (2/γ)·TD",
        quotient(rho, gamma) ** 2 + quotient(2.0 * TD, gamma),
        {"R": float(R), "gamma": gamma, "TD": TD},
        (STARTS, BOUNDED, Assumption("TD = Σ max(0, γ − y·(u·x)) over the stream, ‖u‖ = 1")),
    )


def batch_perceptron(R: float, gamma: float, N: int) -> Bound:
    """The batch perceptron over N examples: mistakes of all passes ≤ N·R²/γ².

    Proof idea: a pass with k mistakes adds η·k·γ/N or more to u·w, and (η·k·R/N)² or less to ‖w‖².
    With M mistakes in all, and k ≤ N: (M·γ/N)² ≤ Σ (k·R/N)² ≤ M·R²/N.

    >>> batch_perceptron(R=1.0, gamma=0.5, N=10).value
    40.0
    """
    R, gamma = finite("R", R, above=0.0), finite("gamma", gamma, above=0.0)
    return Bound(
        "batch perceptron",
        "mistakes of all passes ≤ N·R²/γ²",
        whole("N", N, 1) * quotient(R, gamma) ** 2,
        {"R": R, "gamma": gamma, "N": float(N)},
        (
            Assumption("w starts at 0; each pass adds (η/N)·Σ y·x over its mistakes"),
            BOUNDED,
            Assumption("y·(u·x) ≥ γ > 0 for every example, ‖u‖ = 1"),
        ),
    )


# ------------------------------------------------------------------ from a comparator and a stream


def novikoff_on(margins: Margins, *, margin: float = 0.0, learning_rate: float = 1.0) -> Bound:
    """Novikoff's bound with R and γ as found; it does not apply if u separates nothing.

    >>> import numpy as np
    >>> print(novikoff_on(Margins(np.array([0.5, -0.1]), R=1.0)))
    Novikoff does not apply: fails: y·(u·x) ≥ γ > 0 for every example, ‖u‖ = 1
    (smallest margin -0.1)
    """
    refuse_empty(margins)
    gamma = margins.gamma
    found = f"smallest margin {gamma:.6g}"
    if gamma > 0.0:
        bound = novikoff(margins.R, gamma, margin=margin, learning_rate=learning_rate)
    else:
        bound = novikoff(margins.R, 1.0, margin=margin, learning_rate=learning_rate)
    return as_found(bound, margins, found, gamma=gamma, holds=gamma > 0.0)


def batch_perceptron_on(margins: Margins) -> Bound:
    """The same with R, γ and N as found; it does not apply if u separates nothing."""
    refuse_empty(margins)
    gamma, N = margins.gamma, len(margins.values)
    bound = batch_perceptron(margins.R, gamma if gamma > 0.0 else 1.0, N)
    found = f"smallest margin {gamma:.6g}"
    return as_found(bound, margins, found, gamma=gamma, holds=gamma > 0.0)


def noisy_squared_on(
    margins: Margins,
    gamma: float | None = None,
    *,
    passes: int = 1,
    margin: float = 0.0,
    learning_rate: float = 1.0,
) -> Bound:
    """((R + D2)/γ)² at the γ where it is least, found exactly (see `minimise`), or at a given γ.

    `passes` over the same stream count its slacks that many times. γ may be infinite: the bound is
    then the number of examples, and the comparator does not matter.

    >>> import numpy as np
    >>> bound = noisy_squared_on(Margins(np.array([1.0] * 50 + [-0.5]), R=1.0))
    >>> round(bound.value, 3), bound.quantities["gamma"]
    (6.083, 1.047123215444325)
    """
    refuse_empty(margins)
    passes = whole("passes", passes, 1)
    rho = reach(margins.R, margin, learning_rate)
    if gamma is None:
        t = minimise.squared(margins.values, rho / math.sqrt(passes))
        gamma = math.inf if t == 0.0 else 1.0 / t
    if math.isinf(gamma):
        bound = trivial("perceptron with noise, squared", margins, passes)
    else:
        D2 = math.sqrt(passes) * margins.D2(finite("gamma", gamma, above=0.0))
        bound = noisy_squared(margins.R, gamma, D2, margin=margin, learning_rate=learning_rate)
    return as_found(bound, margins, slack_found(margins), gamma=gamma)


def noisy_hinge_on(
    margins: Margins,
    gamma: float | None = None,
    *,
    passes: int = 1,
    margin: float = 0.0,
    learning_rate: float = 1.0,
) -> Bound:
    """R²/γ² + (2/γ)·TD at the γ where it is least, found exactly, or at a given γ.

    >>> import numpy as np
    >>> bound = noisy_hinge_on(Margins(np.array([1.0] * 50 + [-0.5]), R=1.0))
    >>> round(bound.value, 3), bound.quantities["gamma"]
    (4.0, 1.0)
    """
    refuse_empty(margins)
    passes = whole("passes", passes, 1)
    rho = reach(margins.R, margin, learning_rate)
    if gamma is None:
        t = minimise.hinge(margins.values, rho * rho, passes)
        gamma = math.inf if t == 0.0 else 1.0 / t
    if math.isinf(gamma):
        bound = trivial("perceptron with noise, hinge", margins, 2 * passes)
    else:
        TD = passes * margins.TD(finite("gamma", gamma, above=0.0))
        bound = noisy_hinge(margins.R, gamma, TD, margin=margin, learning_rate=learning_rate)
    return as_found(bound, margins, slack_found(margins), gamma=gamma)


def quotient(a: float, b: float) -> float:
    """a/b, infinite where it is beyond what a float holds."""
    return a / b if b >= 1.0 or a < 1e150 * b else math.inf


def refuse_empty(margins: Margins) -> None:
    if len(margins.values) == 0:
        raise InvalidInput("there are no margins; expected at least one example.")
    if margins.R == 0.0:
        raise InvalidInput(
            "every example is zero (R = 0): its score is 0 whatever w is, so no bound exists."
        )


def slack_found(margins: Margins) -> str:
    below = int((margins.values <= 0.0).sum())
    return f"{below} of {len(margins.values)} margins ≤ 0, smallest {margins.gamma:.6g}"


def trivial(theorem: str, margins: Margins, times: int) -> Bound:
    """The limit γ → ∞, where ξ/γ → 1 for every example."""
    count = float(times * len(margins.values))
    factor = f"{times}·" if times > 1 else ""
    return Bound(
        theorem,
        f"mistakes ≤ {factor}examples, the limit γ → ∞",
        count,
        {"R": margins.R},
        (STARTS, BOUNDED, Assumption("nothing of u: it explains no label")),
    )


def as_found(
    bound: Bound, margins: Margins, found: str, *, gamma: float, holds: bool = True
) -> Bound:
    """The same bound with measured quantities instead of a caller's claims."""
    starts, bounded, of_u = bound.assumptions
    return Bound(
        bound.theorem,
        bound.statement,
        bound.value if holds else math.inf,
        {**bound.quantities, "gamma": gamma},
        (
            starts,
            Assumption(bounded.text, True, f"R = {margins.R:.6g}"),
            Assumption(of_u.text, holds, found),
        ),
    )
