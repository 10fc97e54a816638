"""Two games of learning a monotone conjunction: you ask an oracle, or you teach a pupil.

Both are replayed from what was asked or shown so far; no state is kept here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.concepts.concept import AtLeast
from thresher.errors import InvalidInput
from thresher.lab import check
from thresher.theory.protocols import MembershipQueries, Oracle, Pupil, Teaching, conjunction

MOST_VARIABLES = 64
MOST_STEPS = 200


def _variables(name: str, value: Any, n: int) -> list[int]:
    found = check.items(name, value, n, lambda where, v: check.whole(where, v, 1, n))
    if len(set(found)) < len(found):
        raise InvalidInput(f"{name} is {check.short(value)}; expected each variable once.")
    return sorted(found)


def _bits(on: list[int], n: int) -> Any:
    return np.isin(np.arange(1, n + 1), on).astype(np.uint8)


def hidden(n: int, k: int, seed: int) -> AtLeast:
    """The conjunction that an oracle hides."""
    if k > n:
        raise InvalidInput(f"k is {k}, n is {n}; expected k of the n variables, so k ≤ n.")
    chosen = np.random.default_rng(seed).choice(n, k, replace=False)
    return conjunction([int(i) + 1 for i in chosen], n)


# -- I: you ask


def ask(given: Any) -> dict[str, Any]:
    """Protocol I: the answers to all questions so far, what follows from them, and the guess."""
    asked = check.fields("the game", given, ("n", "k", "seed", "questions", "guess"))
    n = check.whole("n", asked.get("n"), 1, MOST_VARIABLES)
    k = check.whole("k", asked.get("k"), 0, MOST_VARIABLES)
    target = hidden(n, k, check.whole("seed", asked.get("seed", 0), 0, 2**32 - 1))
    questions = check.items("questions", asked.get("questions", []), MOST_STEPS,
                            lambda name, v: _variables(name, v, n))  # fmt: skip
    oracle, pupil = Oracle(target), Pupil(n)
    inputs = [_bits(on, n) for on in questions]
    answers = [oracle(x) for x in inputs]
    # Positive answers first: with what they rule out, the negative ones are most informative.
    for x, y in sorted(zip(inputs, answers, strict=True), key=lambda pair: not pair[1]):
        pupil.learn(x, y)
    out: dict[str, Any] = {
        "answers": answers,
        "count": oracle.questions,
        "needed": sorted(i + 1 for i in pupil.needed),
        "possible": sorted(i + 1 for i in pupil.possible),
        "certain": pupil.certain,
        "library": MembershipQueries(target).run().count,
        "guess": None,
    }
    guess = asked.get("guess")
    if guess is not None:
        said = conjunction(_variables("guess", guess, n), n)
        out["guess"] = {"exact": said == target, "said": str(said), "target": str(target)}
    return out


def watch(given: Any) -> dict[str, Any]:
    """The questions of the library's own learner, for the page to play."""
    asked = check.fields("the game", given, ("n",))
    n = check.whole("n", asked.get("n"), 1, MOST_VARIABLES)
    learner = MembershipQueries(conjunction([], n))
    queries = [learner.query(i) for i in range(n)]
    return {"questions": [(np.flatnonzero(x) + 1).tolist() for x in queries]}


# -- II: you teach


def teach(given: Any) -> dict[str, Any]:
    """Protocol II: what the pupil thinks after each example that you have shown it."""
    asked = check.fields("the game", given, ("n", "target", "examples"))
    n = check.whole("n", asked.get("n"), 1, MOST_VARIABLES)
    target = conjunction(_variables("target", asked.get("target"), n), n)
    examples = check.items("examples", asked.get("examples", []), MOST_STEPS,
                           lambda name, v: _variables(name, v, n))  # fmt: skip
    pupil = Pupil(n)
    steps = [_thinks(pupil, None, target)]
    for on in examples:
        x = _bits(on, n)
        label = target(x)
        pupil.learn(x, label)
        steps.append(_thinks(pupil, label, target))
    best = Teaching(target)
    return {
        "target": str(target),
        "steps": steps,
        "least": len(target.literals) + 1,
        "best": [(np.flatnonzero(x) + 1).tolist() for x, _ in best.examples()],
    }


def _thinks(pupil: Pupil, label: bool | None, target: AtLeast) -> dict[str, Any]:
    return {
        "label": label,
        "hypothesis": str(pupil.concept),
        "possible": sorted(i + 1 for i in pupil.possible),
        "needed": sorted(i + 1 for i in pupil.needed),
        "certain": pupil.certain,
        "exact": pupil.concept == target,
    }


# -- as Python


def python(given: Any) -> dict[str, str]:
    """The game so far as Python; it draws the hidden conjunction without revealing it."""
    mode = check.word("mode", given.get("mode") if isinstance(given, dict) else None,
                      ("ask", "teach"))  # fmt: skip
    game = {name: value for name, value in given.items() if name != "mode"}
    bits = "[int(i in on) for i in range(1, n + 1)]"
    if mode == "ask":
        ask(game)
        lines = [
            "import numpy as np",
            "from thresher.theory.protocols import MembershipQueries, Oracle, conjunction",
            "",
            f"n, k = {game['n']}, {game['k']}",
            f"chosen = np.random.default_rng({game.get('seed', 0)}).choice(n, k, replace=False)",
            "oracle = Oracle(conjunction([int(i) + 1 for i in chosen], n))",
            f"for on in {game.get('questions', [])}:",
            f"    print(on, oracle({bits}))",
            "print(MembershipQueries(oracle.target).run().count, 'questions of the library')",
        ]
    else:
        teach(game)
        lines = [
            "from thresher.theory.protocols import Pupil, Teaching, conjunction",
            "",
            f"n = {game['n']}",
            f"target = conjunction({game['target']}, n)",
            "pupil = Pupil(n)",
            f"for on in {game.get('examples', [])}:",
            f"    x = {bits}",
            "    pupil.learn(x, target(x))",
            "    print(on, target(x), pupil.concept, pupil.certain)",
            "print(Teaching(target).run().count, 'examples of the best teacher')",
        ]
    return {"python": "\n".join(lines) + "\n"}
