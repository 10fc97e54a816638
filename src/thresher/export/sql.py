"""A linear model as one SELECT over a table with the columns that it has learned from.

`age` is the column age, `color=red` is 1 where the column color holds red; what is NULL counts as
--missing said. Crosses are products. Sums are nested in pairs: some databases limit how deep the
left of an expression may go.
"""

from __future__ import annotations

import re
from typing import Any

from thresher.errors import InvalidInput
from thresher.export.portable import Portable, portable
from thresher.export.recipes import refuse_recipe

MOST = 100_000  # weights


def query(learner: Any, table: str = "model") -> str:
    """A SELECT of all columns of the table, the score of each class, and the prediction."""
    found = portable(learner)
    refuse_recipe(found.recipe, "SQL", "it has no words and no dates of the same kind", ())
    if found.unit:
        raise InvalidInput(
            "prepare has unit, which divides by the length of all features together, and an export "
            "to SQL cannot; C, ONNX and JSON can."
        )
    if found.weights.size > MOST:
        raise InvalidInput(
            f"{found.weights.size:,} weights are too many for one query; expected at most {MOST:,}."
        )
    several = found.classes is not None and len(found.classes) > 2
    names = [f"score_{c}" for c in found.classes or ()] if several else ["score"]
    scores = ",\n".join(f"    {_score(found, k)} AS {quoted(name)}" for k, name in enumerate(names))
    inner = f"  SELECT *,\n{scores}\n  FROM {quoted(table)}"
    head = f"-- {found.learner}\nSELECT *, {_prediction(found, names)} AS prediction"
    return f"{head} FROM (\n{inner}\n) AS scored\n"


def _prediction(found: Portable, names: list[str]) -> str:
    if found.classes is None:
        score = quoted(names[0])
        if found.bounds is None:
            return score
        low, high = found.bounds
        return (
            f"CASE WHEN {score} < {low!r} THEN {low!r} WHEN {score} > {high!r} THEN {high!r} "
            f"ELSE {score} END"
        )
    if len(found.classes) == 1:
        return constant(found.classes[0])
    if len(found.classes) == 2:
        no, yes = map(constant, found.classes)
        return f"CASE WHEN {quoted(names[0])} >= {found.threshold!r} THEN {yes} ELSE {no} END"
    cases = []
    for k, name in enumerate(names[:-1]):
        rest = " AND ".join(f"{quoted(name)} >= {quoted(other)}" for other in names[k + 1 :])
        cases.append(f"WHEN {rest} THEN {constant(found.classes[k])}")
    return f"CASE {' '.join(cases)} ELSE {constant(found.classes[-1])} END"


def _score(found: Portable, k: int) -> str:
    plain: list[str] = []
    by_column: dict[str, list[tuple[str, float]]] = {}
    means = dict(found.recipe.means)
    for name, weight in zip(found.names, found.weights[k].tolist(), strict=True):
        if not weight:
            continue
        parts = _parts(name, found)
        if len(parts) == 1 and parts[0][1] is not None and parts[0][1] != "missing":
            by_column.setdefault(parts[0][0], []).append((parts[0][1], weight))
        else:
            factors = [_factor(column, text, means) for column, text in parts]
            plain.append(f"{weight!r} * {' * '.join(factors)}")
    for column, texts in by_column.items():
        cases = " ".join(f"WHEN {constant(text)} THEN {weight!r}" for text, weight in texts)
        plain.append(f"CASE CAST({quoted(column)} AS TEXT) {cases} ELSE 0.0 END")
    return _sum([repr(float(found.intercepts[k])), *plain])


def _parts(name: str, found: Portable) -> list[tuple[str, str | None]]:
    """A feature, or those that a cross multiplies, as columns and their texts."""
    made = [name]
    if found.recipe.cross:
        for groups in found.recipe.cross:
            pattern = r"\*".join(rf"({re.escape(g)}(?:=.*?)?)" for g in groups)
            if match := re.fullmatch(pattern, name, re.DOTALL):
                made = list(match.groups())
                break
    return [(c, t if equals else None) for c, equals, t in (p.partition("=") for p in made)]


def _factor(column: str, text: str | None, means: dict[str, float]) -> str:
    if text == "missing":
        return f"CASE WHEN {quoted(column)} IS NULL THEN 1.0 ELSE 0.0 END"
    if text is not None:
        return f"CASE WHEN CAST({quoted(column)} AS TEXT) = {constant(text)} THEN 1.0 ELSE 0.0 END"
    return f"COALESCE({quoted(column)}, {means.get(column, 0.0)!r})"


def _sum(terms: list[str]) -> str:
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [f"({' + '.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
    return terms[0]


def quoted(name: str) -> str:
    """A name of a column or a table."""
    return '"' + name.replace('"', '""') + '"'


def constant(value: Any) -> str:
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"
