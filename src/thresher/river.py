"""Thresher's learners and transformers as River's own: ``from thresher.river import Perceptron``.

Each class is both the one of the same name in `thresher` (or `thresher.features`) and one of
River's classifiers, regressors or transformers. So River's pipelines, metrics, ensembles, drift
detectors and ``clone`` take it, and what is learned is the same. Its models are saved like those
of `thresher`, and `thresher.load` returns the class of `thresher`.

>>> from river import datasets, evaluate, metrics
>>> from thresher.river import AROW
>>> evaluate.progressive_val_score(datasets.Phishing(), AROW(), metrics.Accuracy())
Accuracy: 86.71%
"""

from __future__ import annotations

import functools
from typing import Any

from thresher.extras import missing

try:
    from river import base
except ImportError:
    raise missing("thresher.river", "river") from None

# Not here: what does not learn one example at a time, and learners of boolean concepts, which take
# only 0 and 1.


@functools.cache
def _offered() -> dict[str, tuple[type, Any]]:
    """By name: Thresher's class, and River's."""
    from thresher import features
    from thresher.learners.table import TABLE

    kinds = {"classify": base.Classifier, "regress": base.Regressor}
    offered: dict[str, tuple[type, Any]] = {
        entry.name: (entry.cls, kinds[entry.task])
        for entry in TABLE
        if entry.online and not entry.boolean
    }
    for name in features.__all__:
        offered[name] = getattr(features, name), base.Transformer
    return offered


NOT_NEGATIVE = ("NaiveBayes", "Snow", "Winnow")  # what they take, by default


def __getattr__(name: str) -> Any:
    if name not in _offered():
        raise AttributeError(
            f"module {__name__!r} has no {name!r}; it has {', '.join(sorted(_offered()))}."
        )
    ours, theirs = _offered()[name]
    body: dict[str, Any] = {"__module__": __name__, "__doc__": ours.__doc__}
    if theirs is base.Classifier:
        body["_multiclass"] = True
    if name in NOT_NEGATIVE:
        body["_more_tags"] = lambda self: {base.tags.POSITIVE_INPUT}
    made = globals()[name] = type(theirs)(name, (ours, theirs), body)
    return made


def __dir__() -> list[str]:
    return sorted(_offered())
