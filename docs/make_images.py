"""Draws the pictures of the documentation: python docs/make_images.py (needs thresher[plot])."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np

from thresher import BalancedWinnow, PassiveAggressive, Perceptron
from thresher.learners.classifier import OnlineClassifier

IMAGES = Path(__file__).parent / "images"

BLUE, LIGHT_BLUE, ORANGE = "#1b4f9c", "#5b9bd8", "#e0731d"  # additive, additive, multiplicative
INK, FAINT = "#2b2b2b", "#8a8a8a"

# The stream: n coins a row, the label is what most of the first k coins say.
N, K, EXAMPLES, SEED = 1000, 5, 20_000, 0
ALPHA = 1.2


def learners() -> dict[str, OnlineClassifier]:
    return {
        "Perceptron": Perceptron(average=False, fit_intercept=False),
        "Passive-Aggressive": PassiveAggressive(variant="PA", average=False, fit_intercept=False),
        "Balanced Winnow": BalancedWinnow(alpha=ALPHA, fit_intercept=False),
    }


def planted_stream() -> tuple[np.ndarray, np.ndarray]:
    """Rows of ±1; the label is the majority of the first K columns (K is odd)."""
    X = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(EXAMPLES, N))
    return X, np.sign(X[:, :K].sum(axis=1)).astype(int)


def additive_bound() -> float:
    """R²/γ² for the comparator u with 1/√K on the K planted features: ‖x‖² = N, y·u·x ≥ 1/√K."""
    return N / (1 / K)


def balanced_bound() -> float:
    """ln(2N)/(γ·ln α − ln cosh ln α) for u with 1/K on the K planted features: y·u·x ≥ 1/K."""
    eta = math.log(ALPHA)
    return math.log(2 * N) / (eta / K - math.log(math.cosh(eta)))


def mistakes_over_time() -> tuple[np.ndarray, dict[str, list[int]]]:
    """Times, and for each learner its mistakes up to them."""
    X, y = planted_stream()
    times = np.unique(np.geomspace(10, EXAMPLES, 300).astype(int))
    mistakes: dict[str, list[int]] = {}
    for name, learner in learners().items():
        mistakes[name] = []
        for start, end in pairwise([0, *times]):
            learner.partial_fit(X[start:end], y[start:end])
            mistakes[name].append(learner.mistakes_)
    return times, mistakes


def draw_bound(path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "thresher", "font.family": "DejaVu Sans", "font.size": 11}
    times, mistakes = mistakes_over_time()
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    end = times[-1]

    def label(value: float, text: str, color: str, **how: object) -> None:
        axes.annotate(
            text, (end, value), (8, 0), textcoords="offset points", va="center", color=color, **how
        )

    colors = dict(zip(mistakes, (BLUE, LIGHT_BLUE, ORANGE), strict=True))
    for name, counts in mistakes.items():
        axes.plot(times, counts, color=colors[name], linewidth=2.4, solid_capstyle="round")
        label(counts[-1], f"{name}  {counts[-1]:,}", colors[name], weight="bold")
    for value, text, color in (
        (additive_bound(), "Perceptron, Passive-Aggressive: R²/γ²", BLUE),
        (balanced_bound(), "Balanced Winnow: ln 2n / (γ₁ ln α − ln cosh ln α)", ORANGE),
    ):
        axes.axhline(value, color=color, linewidth=1.4, linestyle=(0, (5, 4)))
        label(value, f"bound  {math.floor(value):,}", color)
        axes.annotate(
            text, (11, value), (0, 6), textcoords="offset points", color=color, fontsize=10
        )

    axes.set(xscale="log", yscale="log", xlim=(10, end), ylim=(3, 10_000))
    ticks = (10, 100, 1000, 10_000)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, colors=FAINT)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("examples read", color=INK)
    axes.set_ylabel("mistakes so far", color=INK)
    axes.set_title(
        "Every learner stays below the bound of its theorem", loc="left", color=INK,
        fontsize=14, weight="bold", pad=26,
    )  # fmt: skip
    axes.text(
        0, 1.035, f"{N:,} coins a row; the label is the majority of {K} of them. Both axes are "
        "logarithmic.", transform=axes.transAxes, color=FAINT,
    )  # fmt: skip
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    draw_bound(IMAGES / "bound.svg")
    print("docs/images/bound.svg")


if __name__ == "__main__":
    main()
