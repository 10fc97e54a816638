"""Progressive validation: every example is predicted first, then learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from thresher.evaluate.metrics import Metrics
from thresher.evaluate.regression import RegressionMetrics
from thresher.evaluate.sets import SetMetrics
from thresher.options import whole

BATCH = 4096  # examples that are counted together


@dataclass(frozen=True)
class Report:
    """The state of a stream of examples."""

    examples: int
    loss: float
    """The share of wrong labels (or sets of them) so far, or a regressor's mean squared error."""
    recent: float
    """The same, since the last report."""
    truth: Any
    predicted: Any
    """Of the last example; None before anything was learned."""
    metrics: Metrics | SetMetrics | RegressionMetrics
    """Everything counted so far; counting continues after this report."""


def progressive(
    model: Any,
    examples: Iterable[tuple[Any, Any]],
    *,
    regression: bool | None = None,
    delay: int = 0,
) -> Iterator[Report]:
    """Predict each example, then learn it; report after 1, 2, 4, 8 … examples and after the last.

    So every example is a test example before it is learned, and none needs to be held out (Blum,
    Kalai & Langford 1999). `model` is anything with ``predict_one`` and ``learn_one``; one that
    also has ``predict_proba_one`` is taken for a classifier unless `regression` says otherwise. A
    missing prediction is a mistake.

    Where labels come late, `delay` is how many more examples are predicted before the model learns
    one; those that are still waiting at the end are learned then.

    >>> from thresher import Perceptron
    >>> stream = [({"free"}, "spam"), ({"lunch"}, "ham"), ({"free", "cash"}, "spam")]
    >>> for report in progressive(Perceptron(), stream):
    ...     print(report.examples, report.loss, report.recent, report.predicted)
    1 1.0 1.0 None
    2 1.0 1.0 spam
    3 0.666... 0.0 spam
    """
    waiting: deque[tuple[Any, Any]] = deque()
    delay = whole("delay", delay, 0)
    if regression is None:
        regression = not hasattr(model, "predict_proba_one")
    metrics: Metrics | SetMetrics | RegressionMetrics
    if getattr(model, "multi_label", False):
        metrics = SetMetrics()
    else:
        metrics = RegressionMetrics() if regression else Metrics()
    truths: list[Any] = []
    answers: list[Any] = []
    count, due = 0, 1
    losses, weight = 0.0, 0.0  # at the last report

    def report() -> Report:
        nonlocal losses, weight
        truth, answer = truths[-1], answers[-1]
        _count(metrics, truths, answers)
        truths.clear()
        answers.clear()
        total = metrics.squares if isinstance(metrics, RegressionMetrics) else metrics.wrong
        recent = (total - losses) / (metrics.weight - weight)
        losses, weight = total, metrics.weight
        return Report(count, total / weight, recent, truth, answer, metrics)

    for x, y in examples:
        answers.append(model.predict_one(x))
        truths.append(y)
        waiting.append((x, y))
        if len(waiting) > delay:
            model.learn_one(*waiting.popleft())
        count += 1
        if count == due:
            yield report()
            due *= 2
        elif len(truths) == BATCH:
            _count(metrics, truths[:-1], answers[:-1])
            del truths[:-1], answers[:-1]
    for late in waiting:
        model.learn_one(*late)
    if truths:
        yield report()


def _count(
    metrics: Metrics | SetMetrics | RegressionMetrics, truths: list[Any], answers: list[Any]
) -> None:
    if isinstance(metrics, RegressionMetrics):
        answers = [0.0 if answer is None else answer for answer in answers]
    metrics.add(truths, answers)
