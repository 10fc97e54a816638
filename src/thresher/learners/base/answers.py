"""A learner's predictions for a batch of examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class BatchAnswers:
    """Labels, sets of labels or numbers; of a classifier perhaps also scores and probabilities.

    Their columns are the learner's ``classes_``; for two classes a score is that of the second.
    """

    predicted: Sequence[Any]
    scores: npt.NDArray[np.float64] | None = None
    probabilities: npt.NDArray[np.float64] | None = None
