"""A generated stream of short messages, and several learners that read it once.

python -m thresher.demo [--examples 300000] [--seed 0]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from thresher import BalancedWinnow, PassiveAggressive, Perceptron, Winnow
from thresher.learners.base.classifier import OnlineClassifier

Message = tuple[list[str], str]

SPAM = ("free", "winner", "cash", "prize", "urgent", "pills", "click", "offer", "claim", "bonus")
HAM = (
    "lunch",
    "meeting",
    "thanks",
    "tomorrow",
    "report",
    "home",
    "kids",
    "train",
    "call",
    "monday",
)
OTHER_WORDS = 20_000
WORDS_PER_MESSAGE = 30
NOISE = 0.02  # messages with the wrong label: no learner can be better than this

LEARNERS: tuple[tuple[str, Callable[[], OnlineClassifier]], ...] = (
    ("Perceptron", lambda: Perceptron(average=False)),
    ("Perceptron, averaged", lambda: Perceptron()),
    ("Passive-Aggressive PA-I, averaged", lambda: PassiveAggressive(C=0.01)),
    ("Winnow, averaged, θ = 30", lambda: Winnow(theta=30.0, alpha=1.1, average=True)),
    (
        "Balanced Winnow, averaged, margin",
        lambda: BalancedWinnow(alpha=1.1, margin=1.0, average=True),
    ),
)


def messages(count: int, seed: int) -> list[Message]:
    """Bags of words, none twice, whose label depends on twenty words among twenty thousand."""
    rng = np.random.default_rng(seed)
    names = np.array([*SPAM, *HAM, *(f"word{i}" for i in range(OTHER_WORDS))], dtype=object)
    told = len(SPAM) + len(HAM)
    popularity = 1.0 / np.arange(1, OTHER_WORDS + 1) ** 0.8
    words = told + rng.choice(
        OTHER_WORDS, (count, WORDS_PER_MESSAGE), p=popularity / popularity.sum()
    )
    telling = np.argsort(rng.random((count, told)), axis=1)[:, :3]  # three different ones
    words[:, :3] = telling
    votes = np.where(telling < len(SPAM), 1, -1).sum(axis=1)
    spam = (votes > 0) != (rng.random(count) < NOISE)
    return [
        (list(dict.fromkeys(bag)), "spam" if label else "ham")
        for bag, label in zip(names[words], spam, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m thresher.demo", description=__doc__)
    parser.add_argument("--examples", type=int, default=300_000, help="length of the stream")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.examples < 100:
        parser.error("--examples: expected at least 100")

    print(f"Making {options.examples:,} messages of {WORDS_PER_MESSAGE} words …", flush=True)
    stream = messages(options.examples, options.seed)
    held_out = stream[-len(stream) // 10 :]
    stream = stream[: len(stream) - len(held_out)]
    print(
        f"Each learner reads {len(stream):,} of them once, predicting before it learns; "
        f"{len(held_out):,} are held out.\n{NOISE:.0%} of the labels are wrong on purpose.\n"
    )
    print(f"{'learner':<34} {'mistakes':>9} {'progressive':>12} {'held out':>9} {'examples/s':>11}")
    best, least = None, 1.0
    for name, make in LEARNERS:
        model = make()
        start = time.perf_counter()
        for words, label in stream:
            model.learn_one(words, label)
        seconds = time.perf_counter() - start
        error = sum(model.predict_one(words) != label for words, label in held_out) / len(held_out)
        print(
            f"{name:<34} {model.mistakes_:>9,} {model.mistakes_ / model.examples_:>11.2%} "
            f"{error:>9.2%} {len(stream) / seconds:>11,.0f}",
            flush=True,
        )
        if best is None or error < least:
            best, least = (name, model), error
    assert best is not None
    name, model = best
    print(f"\nThe strongest of {len(model.coef_[0]):,} features, {name} (+ spam, − ham):")
    top = model.top_features(20)
    for sign, title in ((1, "+"), (-1, "−")):
        print(f"  {title} " + "  ".join(f"{n} {w:+.2f}" for n, w in top if w * sign > 0))
    example = ["free", "lunch", "tomorrow", "with", "cash", "prize"]
    why = ", ".join(f"{n} {v:+.2f}" for n, v in model.explain_one(example).items() if v)
    print(f"\n{' '.join(example)!r} is {model.predict_one(example)}: {why}")


if __name__ == "__main__":
    main()
