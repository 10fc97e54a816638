"""Weights to begin with, in place of 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher._core import Model
from thresher.errors import InvalidInput
from thresher.learners.base.examples import as_floats

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from thresher.learners.base.labels import Labels
    from thresher.learners.base.learner import FitOptions
else:
    from thresher.lazy import np


class Starting:
    """A learner of weights that are added to can begin with any."""

    if TYPE_CHECKING:  # of the learner
        prepare: Any
        _labels: Labels | None

        def _settled(self) -> dict[str, Any]: ...
        def _begin_from(self, state: dict[str, Any]) -> Model: ...

    _given_start: bool = False
    """Whether it began with weights that were given: no theorem speaks of such a run."""

    def _start_at(self, model: Model, options: FitOptions) -> Model:
        """The model, which has its columns and labels and has learned nothing, with the weights
        that ``fit`` was given, if any.

        A row for each label in sorted order; of two labels, or for numbers, a single one. All the
        labels count as met.
        """
        coef, intercept = options.get("coef_init"), options.get("intercept_init")
        if coef is None and intercept is None:
            return model
        if options.get("audit") is not None:
            raise InvalidInput(
                "audit='live' and coef_init contradict each other: the theorems are about runs "
                "that begin with 0."
            )
        if self._settled()["geometry"] != "additive" or self.prepare:
            raise InvalidInput(
                "coef_init is for learners that add to their weights, as Perceptron, "
                f"PassiveAggressive, MIRA and LMS do, without prepare; found {self!r}."
            )
        labels = [] if self._labels is None else self._labels.ranks
        rows = len(labels) if len(labels) > 2 else 1
        w, b = _shaped(coef, (rows, model.features), intercept)
        bias = float(getattr(self, "intercept_scaling", 1.0))
        if not getattr(self, "fit_intercept", True) and b.any():
            raise InvalidInput(
                f"intercept_init is {intercept!r} and fit_intercept is False; drop one of both."
            )
        by_place = labels if rows > 1 else [0]
        cells = np.vstack([b / bias, w.T])[:, by_place]
        shape = {"rows": len(cells), "columns": rows, "stride": rows}
        readings = 2 if len(labels) == 1 else 1
        state = model.state()
        counts, arrays = state["counts"], state["arrays"]
        counts["readings"], counts["classes"] = readings, len(labels)
        counts |= {f"class{code}": code for code in range(len(labels))}
        counts["positive"] = 0 if list(labels) == [1, 0] else 1
        for r in range(readings):
            matrices = {"geometry.w": cells}
            for past in ("average.past", "average.next"):
                if f"reading{r}.{past}.rows" in counts:
                    matrices[past] = np.zeros_like(cells)
            for name, matrix in matrices.items():
                counts |= {f"reading{r}.{name}.{k}": v for k, v in shape.items()}
                arrays[f"reading{r}.{name}.cells"] = np.ascontiguousarray(matrix).tobytes()
        self._given_start = True
        return self._begin_from(state)


def _shaped(
    coef: Any, shape: tuple[int, int], intercept: Any
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    rows, columns = shape
    w = np.zeros(shape) if coef is None else as_floats(np.asarray(coef), "coef_init")
    b = np.zeros(rows) if intercept is None else as_floats(np.asarray(intercept), "intercept_init")
    if w.shape != shape and not (rows == 1 and w.shape == (columns,)):
        raise InvalidInput(f"coef_init has shape {w.shape}; expected {shape}.")
    if b.shape != (rows,) and not (rows == 1 and b.shape == ()):
        raise InvalidInput(f"intercept_init has shape {b.shape}; expected {(rows,)}.")
    for name, values in (("coef_init", w), ("intercept_init", b)):
        if not np.isfinite(values).all():
            raise InvalidInput(f"{name} holds a NaN or an infinity; expected finite numbers.")
    return w.reshape(shape).astype(np.float64), b.reshape(rows).astype(np.float64)
