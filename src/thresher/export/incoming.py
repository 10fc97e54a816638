"""Linear models of other libraries as learners that go on learning."""

from __future__ import annotations

import math
import os
import re
from typing import Any

from thresher.data.reading import reading_options
from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.learners.linear.passive_aggressive import (
    PassiveAggressive,
    PassiveAggressiveRegressor,
)


def from_sklearn(estimator: Any, learner: Any = None) -> Any:
    """A fitted linear model of scikit-learn, as a learner that goes on from its weights.

    `estimator` has ``coef_`` and ``intercept_``, and ``classes_`` if it predicts labels. `learner`
    is what to learn with from now on, by default Passive-Aggressive; it must add to
    its weights. Columns keep their names where the estimator has ``feature_names_in_``.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from thresher.export import from_sklearn
    >>> other = LogisticRegression().fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
    >>> model = from_sklearn(other)
    >>> model.predict([[2.0, 1.0]]).tolist()
    ['spam']
    >>> model.partial_fit([[0.0, 2.0]], ["ham"]).examples_
    1
    """
    coef = getattr(estimator, "coef_", None)
    if coef is None:
        raise InvalidInput(
            f"{type(estimator).__name__} has no coef_; expected a fitted linear model. Of a "
            "pipeline give the last step, for features that the others have made."
        )
    weights = np.atleast_2d(np.asarray(coef, np.float64))
    intercepts = np.broadcast_to(
        np.asarray(getattr(estimator, "intercept_", 0.0), np.float64), (len(weights),)
    )
    given = getattr(estimator, "classes_", None)
    classes = None if given is None else np.asarray(given).tolist()
    if classes is not None and len(weights) != (1 if len(classes) == 2 else len(classes)):
        raise InvalidInput(
            f"{type(estimator).__name__} has {len(weights)} rows of weights for {len(classes)} "
            "classes; expected one row for two classes, or one for each."
        )
    names = getattr(estimator, "feature_names_in_", None)
    named = None if names is None else [str(name) for name in names]
    return _begun(learner, classes, weights, intercepts, named, by_column=True)


def from_liblinear(path: str | os.PathLike[str], learner: Any = None) -> Any:
    """A model file of LIBLINEAR; its features are the numbers of svmlight files, from 1 on."""
    with open(path, encoding="ascii", errors="replace") as file:
        text = file.read()
    head, found, body = text.partition("\nw\n")
    lines = (line.partition(" ") for line in head.splitlines())
    known = {name: value.strip() for name, _, value in lines}
    if not found or "solver_type" not in known:
        raise InvalidInput(
            f"{path}: not a model of LIBLINEAR; expected lines such as 'solver_type L2R_LR', and "
            "the weights after a line with w."
        )
    try:
        features, bias = int(known["nr_feature"]), float(known["bias"])
        several = known["solver_type"].startswith("MCSVM")
        columns = int(known.get("nr_class", 1))
        if columns == 2 and not several:
            columns = 1
        rows = [[float(word) for word in line.split()] for line in body.splitlines() if line]
        values = np.array(rows, np.float64)
        labels = [_label(word) for word in known["label"].split()] if "label" in known else None
        rho = float(known.get("rho", 0.0))
    except (KeyError, ValueError) as error:
        raise InvalidInput(f"{path}: a damaged model of LIBLINEAR ({error}).") from None
    expected = (features + (bias >= 0), columns)
    if labels is not None and len(labels) == 1:
        raise InvalidInput(
            f"{path}: a model that knows one label, {labels[0]}; expected two or more."
        )
    if values.shape != expected:
        raise InvalidInput(f"{path}: found weights of shape {values.shape}; expected {expected}.")
    if not np.isfinite([*values.flat, bias, rho]).all():
        raise InvalidInput(f"{path}: found a NaN or an infinity; expected finite numbers.")
    weights = values[:features].T.copy()
    intercepts = values[features] * bias if bias >= 0 else np.zeros(columns)
    classes = labels
    if known["solver_type"].startswith("ONECLASS"):
        classes, intercepts = [-1, 1], intercepts - rho  # 1: as the examples it has learned
    elif labels is not None and "SVR" not in known["solver_type"]:
        order = sorted(range(len(labels)), key=lambda i: labels[i])
        classes = [labels[i] for i in order]
        if columns == 1 and order == [0, 1]:  # its weights are for the first label
            weights, intercepts = -weights, -intercepts
        elif columns > 1:
            weights, intercepts = weights[order], intercepts[order]
        if columns == 2:  # two classes, each with its own weights
            weights, intercepts = weights[1:] - weights[:1], intercepts[1:] - intercepts[:1]
    names = [str(i + 1) for i in range(features)]
    return _begun(learner, classes, weights, intercepts, names)


VW_LINE = re.compile(r"(?P<name>.*?):(?P<hash>\d+):(?P<weight>[-+.\de]+)(?: .*)?")
VW_STATE = re.compile(r"[a-z_0-9:. ]+ \S+")  # of --save_resume: "initial_t 0"


def from_vw(path: str | os.PathLike[str], learner: Any = None, task: str | None = None) -> Any:
    """A model that Vowpal Wabbit wrote with --invert_hash: names and weights in plain text.

    What --readable_model writes has no names, and cannot be used. The file does not name the loss:
    `task` says whether the model is to "classify" (labels −1 and 1) or to "regress"; by default it
    classifies if predictions are bounded by −50 and 50, as they are for the loss logistic.
    """
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = file.read().splitlines()
    start = next((i + 1 for i, line in enumerate(lines) if re.fullmatch(r":\d+", line)), 0)
    if not lines or not lines[0].startswith("Version") or not start:
        raise InvalidInput(
            f"{path}: not a readable model of Vowpal Wabbit; expected what --invert_hash wrote."
        )
    head = dict(line.split(":", 1) for line in lines[:start] if ":" in line)
    if reduction := re.search(
        r"--(oaa|csoaa|ect|cb|nn|lrq|interact|plt)\b", head.get("options", "")
    ):
        raise InvalidInput(
            f"{path}: a model of {reduction[0]}, which is more than one vector of weights."
        )
    if grams := next((g for g in lines[:start] if re.match(r"[1-9]\d* (ngram|skip):", g)), None):
        raise InvalidInput(
            f"{path}: a model of n-grams ({grams.strip()}), which have other names here. Train "
            "anew, with --ngrams."
        )
    cells = _vw_cells(path, lines[start:], start)
    constant = cells.pop("Constant", 0.0)
    crossed = re.search(r"--(quadratic|cubic|interactions)\b", head.get("options", ""))
    cross = _vw_crosses(path, cells) if crossed else []
    if task is None:
        wide = (head.get("Min label"), head.get("Max label")) == ("-50", "50")
        task = "classify" if wide else "regress"
    weights = np.array([list(cells.values())], np.float64).reshape(1, len(cells))
    classes = [-1, 1] if task == "classify" else None
    model = _begun(learner, classes, weights, np.array([constant]), list(cells))
    model.reading_ = reading_options(cross=cross)
    return model


def _vw_crosses(path: str | os.PathLike[str], cells: dict[str, float]) -> list[tuple[str, ...]]:
    """Which namespaces were crossed, by the names of the products: ``user^id=7*ad^shoes``."""
    found: dict[tuple[str, ...], None] = {}
    for name in cells:
        parts = name.split("*")
        if len(parts) > 1:
            groups = tuple(part.partition("^")[0] for part in parts)
            if not all("^" in part for part in parts):
                raise InvalidInput(
                    f"{path}: {name!r} is a product with a feature of the default namespace; "
                    "crosses are of namespaces with names."
                )
            if len(set(groups)) < len(groups):
                raise InvalidInput(
                    f"{path}: {name!r} is a product of two features of one namespace, of which "
                    "Vowpal Wabbit makes others than Thresher. Train anew, with --cross."
                )
            found[groups] = None
    return list(found)


def _vw_cells(path: str | os.PathLike[str], lines: list[str], before: int) -> dict[str, float]:
    cells: dict[str, float] = {}
    for number, line in enumerate(lines, before + 1):
        match = VW_LINE.fullmatch(line)
        if match and math.isfinite(weight := float(match["weight"])):
            cells[match["name"]] = weight
        elif line.strip() and (match or not VW_STATE.fullmatch(line)):
            raise InvalidInput(
                f"{path}: line {number} is {line[:60]!r}; expected name:hash:weight. What "
                "--readable_model writes has no names: use --invert_hash."
            )
    return cells


def _label(word: str) -> Any:
    number = float(word)
    return int(number) if number.is_integer() else number


def _begun(
    learner: Any, classes: list[Any] | None, weights: Any, intercepts: Any,
    names: list[str] | None, by_column: bool = False,
) -> Any:  # fmt: skip
    """A learner with these weights that has learned no example."""
    if learner is None:
        usual = PassiveAggressiveRegressor if classes is None else PassiveAggressive
        learner = usual()
    if (learner.task == "classify") != (classes is not None):
        raise InvalidInput(
            f"{type(learner).__name__} is to {learner.task}, and the model predicts "
            f"{'numbers' if classes is None else 'labels'}."
        )
    return learner.with_weights(
        weights, intercepts, labels=classes, names=names, by_column=by_column
    )
