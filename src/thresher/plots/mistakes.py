"""Mistakes over time, and the theorem that bounds them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import InvalidInput
from thresher.plots.style import (
    FAINT,
    INK,
    SERIES,
    Display,
    count_axis,
    dress,
    legend,
    short,
)
from thresher.theory.replay import Replay, moments

MUCH = 3  # ratio from which a linear axis would flatten the smaller one
ROOM = 1.15  # height of the axis relative to the highest line
LONG = 1000  # examples from which their axis is logarithmic
DASHES = ((0, (5, 4)), (0, (2, 2)), (0, (7, 2, 1, 2)))


class Line(NamedTuple):
    """A bound as it is drawn, or only named."""

    theorem: str
    value: float
    applies: bool = True


class MistakesDisplay(Display):
    """The cumulative mistakes of a run, and bounds on them as dashed lines.

    A bound is a number, or anything with ``value`` and ``theorem``, such as those of
    `thresher.theory.bounds`; `bounds` is one of these, a list of them, or a dict from names to
    numbers. One whose ``applies`` is false is only named in the legend, not drawn. Several
    runs are combined by plotting into the same axes.
    """

    def __init__(
        self,
        examples: npt.ArrayLike,
        mistakes: npt.ArrayLike,
        bounds: Any = (),
        name: str = "mistakes",
    ) -> None:
        """`mistakes`: how many there were up to each of `examples`."""
        self.examples = np.asarray(examples, np.int64)
        self.mistakes = np.asarray(mistakes, np.int64)
        self.bounds = [_line(bound) for bound in _listed(bounds)]
        self.name = name
        if self.examples.ndim != 1 or self.examples.shape != self.mistakes.shape:
            raise InvalidInput(
                f"examples have shape {self.examples.shape}, mistakes {self.mistakes.shape}; "
                "expected two columns of one length."
            )
        if not len(self.examples):
            raise InvalidInput("there is no run to draw: 0 examples.")

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        bounds: Any = (),
        *,
        passes: int | None = None,
        name: str | None = None,
    ) -> Self:
        """Replay the run of a learner over rows X with labels y, from a fresh copy of it.

        `passes` is by default as many as its ``fit`` made.

        Examples
        --------
        >>> from thresher import Perceptron
        >>> model = Perceptron(fit_intercept=False)
        >>> display = MistakesDisplay.from_estimator(model, [[1, 0], [0, 1]], [1, 0], 2)
        >>> display.mistakes
        array([1, 2])
        """
        if not hasattr(type(model), "mistakes_") and not hasattr(model, "mistakes_"):
            raise InvalidInput(
                f"{type(model).__name__} counts no mistakes; expected an online classifier."
            )
        run = Replay(model, X, y, passes)
        times = moments(run.total)
        counts = [run.learner.mistakes_ for _ in run.at(times)]
        return cls(times, counts, bounds, type(model).__name__ if name is None else name)

    @classmethod
    def from_history(
        cls, mistaken: npt.ArrayLike, bounds: Any = (), *, name: str = "mistakes"
    ) -> Self:
        """From your own run: for each example whether it was a mistake."""
        each = np.asarray(mistaken)
        if each.ndim != 1 or not np.isin(each, (0, 1)).all():
            raise InvalidInput(
                f"mistaken has shape {each.shape} and type {each.dtype}; expected True or False "
                "for each example."
            )
        counts = np.cumsum(each.astype(np.int64))
        times = moments(len(counts)) if len(counts) else np.zeros(0, np.int64)
        return cls(times, counts[times - 1], bounds, name=name)

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        others = [line for line in ax.lines if line.get_gid() == "run"]
        color = SERIES[len(others) % len(SERIES)]
        last, made = int(self.examples[-1]), int(self.mistakes[-1])
        drawn = [bound for bound in self.bounds if bound.applies and math.isfinite(bound.value)]
        top = max([made, 1, *(bound.value for bound in drawn)])
        if others:
            drawn_before = [line.get_ydata()[-1] for line in ax.lines if len(line.get_ydata())]
            top, last = max(top, *drawn_before), max(last, round(ax.get_xlim()[1]))
        fewest = min([made, *(line.get_ydata()[-1] for line in others)])
        log = top > MUCH * max(fewest, 1)
        dress(ax, "Mistakes and their bound", "examples", "mistakes so far")
        look = {
            "color": color, "linewidth": 2.4, "solid_capstyle": "round", "drawstyle": "steps-post",
            "label": f"{self.name}  {made:,}", "gid": "run",
        }  # fmt: skip
        (run,) = ax.plot(np.r_[0, self.examples], np.r_[0, self.mistakes], **look | style)
        for place, bound in enumerate(drawn):
            exceeded = "" if made <= bound.value else ", exceeded"
            ax.axhline(
                bound.value, color=run.get_color(), linewidth=1.4, linestyle=DASHES[place % 3],
                label=f"{short(bound.theorem, 40)}  {_number(bound.value)}{exceeded}",
            )  # fmt: skip
        for bound in self.bounds:
            if bound not in drawn:
                why = "says nothing (∞)" if bound.applies else "does not apply"
                ax.plot([], [], color="none", label=f"{short(bound.theorem, 40)}: {why}")
        count_axis(ax.xaxis, log=last > LONG)
        count_axis(ax.yaxis, log=log)
        ax.set(
            xlim=(1 if last > LONG else 0, last), ylim=(0.8, top**ROOM) if log else (0, top * ROOM)
        )
        for text in legend(ax, loc="best").get_texts():
            undrawn = text.get_text().endswith(("does not apply", "(∞)"))
            text.set_color(FAINT if undrawn else INK)


def _listed(bounds: Any) -> list[Any]:
    if bounds is None:
        return []
    if isinstance(bounds, Mapping):
        return [Line(str(theorem), value) for theorem, value in bounds.items()]
    one = isinstance(bounds, numbers.Real) or hasattr(bounds, "value")
    return [bounds] if one or not isinstance(bounds, Iterable) else list(bounds)


def _line(bound: Any) -> Line:
    if isinstance(bound, numbers.Real):
        bound = Line("bound", float(bound))
    try:
        line = Line(str(bound.theorem), float(bound.value), bool(getattr(bound, "applies", True)))
    except (AttributeError, TypeError, ValueError):
        raise InvalidInput(
            f"bound is {bound!r}; expected a number, or an object with theorem and value."
        ) from None
    if line.applies and not line.value >= 0:
        raise InvalidInput(f"the bound of {line.theorem} is {line.value}; expected a number ≥ 0.")
    return line


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
