"""Steps that prepare the rows of a learner, as they are written: ``"standard, polynomial(2)"``."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.errors import InvalidInput

Written = str | Sequence[str] | None

SCALERS = ("standard", "minmax", "maxabs", "idf")  # by statistics of each feature
MAPS = ("conjunctions", "polynomial", "fourier")
# What may be in the brackets of a step, and the defaults.
ARGUMENTS: dict[str, dict[str, int | float]] = {
    "standard": {},
    "minmax": {},
    "maxabs": {},
    "idf": {},
    "unit": {},
    "conjunctions": {"degree": 2},
    "polynomial": {"degree": 2},
    "fourier": {"components": 100, "gamma": 1.0, "seed": 0},
}
MOST = {"degree": 64, "components": 2**20, "seed": 2**63 - 1}
LEAST = {"degree": 1, "components": 1, "seed": 0}


@dataclass(frozen=True)
class Step:
    """One step, its numbers checked."""

    kind: str
    size: int = 0
    """The degree of products, or the number of Fourier components."""
    gamma: float = 0.0
    seed: int = 0

    def for_core(self) -> tuple[str, int, float, int]:
        return self.kind, self.size, self.gamma, self.seed


def steps_of(written: Written) -> tuple[Step, ...]:
    """The steps that a text, or a list of texts, describes.

    Steps are separated by commas (or by +, where commas separate something else).

    >>> steps_of("standard, polynomial(2)")
    (Step(kind='standard', size=0, gamma=0.0, seed=0), Step(kind='polynomial', size=2, ...
    """
    if written is None:
        return ()
    if not isinstance(written, str):
        if not isinstance(written, Sequence) or not all(isinstance(w, str) for w in written):
            raise InvalidInput(
                f"prepare is {written!r}; expected a text such as 'standard', or a list of such."
            )
        written = ", ".join(written)
    texts = split(written, ",+")
    steps = tuple(_step(text.strip(), written) for text in texts)
    _check_order(steps, written)
    return steps


def split(text: str, separators: str) -> list[str]:
    """Cut at separators outside of brackets.

    >>> split("maxabs, fourier(5, seed=3)", ",")
    ['maxabs', ' fourier(5, seed=3)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character in separators and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _step(text: str, whole: str) -> Step:
    found = re.fullmatch(r"([\w-]*)\s*(?:\((.*)\))?", text, re.DOTALL)
    if found is None or not found[1]:
        raise InvalidInput(
            f"prepare is {whole!r}: found {text!r}; expected a step such as 'standard' or "
            "'fourier(500, gamma=0.1)', with a comma between steps."
        )
    kind = found[1]
    if kind not in ARGUMENTS:
        import difflib

        near = difflib.get_close_matches(kind.lower(), ARGUMENTS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(
            f"prepare is {whole!r}: no step {kind!r}; expected one of {', '.join(ARGUMENTS)}.{hint}"
        )
    given = _arguments(kind, found[2], whole)
    size = given.get("degree", given.get("components", 0))
    return Step(kind, int(size), float(given.get("gamma", 0.0)), int(given.get("seed", 0)))


def _arguments(kind: str, text: str | None, whole: str) -> dict[str, int | float]:
    known = ARGUMENTS[kind]
    values = dict(known)
    given: set[str] = set()
    for place, part in enumerate(text.split(",") if text and text.strip() else ()):
        name, equals, number = (word.strip() for word in part.rpartition("="))
        if not equals:
            name = list(known)[place] if place < len(known) else ""
        if name not in known or name in given:
            expected = ", ".join(f"{n}={v}" for n, v in known.items()) or "nothing in brackets"
            raise InvalidInput(
                f"prepare is {whole!r}: {kind} was given {part.strip()!r}; expected {expected}."
            )
        given.add(name)
        values[name] = _number(kind, name, number, whole)
    return values


def _number(kind: str, name: str, text: str, whole: str) -> int | float:
    try:
        number: int | float = float(text) if name == "gamma" else int(text)
    except ValueError:
        number = math.nan
    if name == "gamma":
        good, expected = 0.0 < number < math.inf, "a finite number > 0"
    else:
        good = LEAST[name] <= number <= MOST[name]
        expected = f"a whole number from {LEAST[name]} to {MOST[name]}"
    if not good:
        raise InvalidInput(
            f"prepare is {whole!r}: {name} of {kind} is {text}; expected {expected}."
        )
    return number


def _check_order(steps: tuple[Step, ...], whole: str) -> None:
    maps = [step.kind for step in steps if step.kind in MAPS]
    if len(maps) > 1:
        raise InvalidInput(
            f"prepare is {whole!r}: {maps[0]} and {maps[1]}; expected one map of features at most "
            "(a polynomial of a higher degree holds the products of products)."
        )
    for before, after in itertools.pairwise(steps):
        if before.kind in SCALERS and after.kind in SCALERS and after.kind != "idf":
            raise InvalidInput(
                f"prepare is {whole!r}: {after.kind} straight after {before.kind} undoes it; "
                "expected one of them."
            )
        if before.kind == after.kind:
            raise InvalidInput(f"prepare is {whole!r}: {after.kind} twice; expected it once.")


def domain_for_unit(steps: tuple[Step, ...], owner: str) -> str:
    """Which input values are allowed, if all results must lie in [0, 1].

    "any"; "not negative"; "unit", which is [0, 1]. Steps that do not guarantee this are refused.

    >>> [domain_for_unit(steps_of(s), "Winnow") for s in ("minmax", "maxabs", "conjunctions(2)")]
    ['any', 'not negative', 'unit']
    """
    for domain in ("any", "not negative", "unit"):
        now = domain
        for step in steps:
            now = _after(step.kind, now)
        if now == "unit":
            return domain
    shown = ", ".join(step.kind for step in steps)
    raise InvalidInput(
        f"prepare={shown!r}: {owner} takes values in [0, 1], which standard, idf and fourier "
        "leave; expected minmax for any values, maxabs or unit for values of 0 or more, "
        "conjunctions or polynomial for values in [0, 1] (or after one of those). "
        "BalancedWinnow takes any value."
    )


def _after(kind: str, domain: str) -> str:
    if kind == "minmax":
        return "unit"
    if kind in ("maxabs", "unit"):
        return "any" if domain == "any" else "unit"
    if kind == "idf":
        return "any" if domain == "any" else "not negative"
    if kind in ("conjunctions", "polynomial"):
        return domain
    return "any"


def are_bent(written: Written) -> bool:
    """Whether a line among prepared rows is not a line among the rows themselves."""
    steps = steps_of(written)
    return len(steps) > 1 or any(step.kind not in SCALERS for step in steps)
