"""Detectors of drift: they see a number for each example, usually its error, and say when it rises.

    from thresher.drift import ADWIN

    detector = ADWIN()
    for x, y in stream:
        wrong = model.predict_one(x) != y
        if detector.update(wrong):
            print(detector.evidence)
        model.learn_one(x, y)

`thresher train --on-drift` watches a run over files with one of them. Their state can be pickled,
and is saved with a run.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from thresher._core import Detector as CoreDetector
from thresher._core import detector as core_detector
from thresher.errors import InvalidInput
from thresher.options import Declared, count, near, real

__all__ = ["ADWIN", "DDM", "Detector", "Evidence", "PageHinkley", "by_name"]


@dataclass(frozen=True)
class Evidence:
    """What a detector compared when it found a change."""

    older_mean: float
    """Of the values before the change."""
    newer_mean: float
    """Of those since."""
    older_size: int
    newer_size: int
    statistic: float
    """What was compared with the threshold."""
    threshold: float

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


class Detector(Declared):
    """What all detectors share: values in, a change out."""

    kind: ClassVar[str]
    """Its name in `thresher train --drift-detector`."""
    takes: ClassVar[str]
    """The values that it is for, in words."""
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0

    _core: CoreDetector | None = None
    detected: bool = False
    """Whether the last value completed a change."""

    def _native(self) -> CoreDetector:
        if self._core is None:
            self._core = core_detector(self.kind, self.checked())
        return self._core

    def update(self, value: float) -> bool:
        """See one more value; whether a change is found with it."""
        number = float(value)
        if not self.lowest <= number <= self.highest or not math.isfinite(number):
            raise InvalidInput(
                f"the value is {value!r}; {type(self).__name__} expects {self.takes}."
            )
        self.detected = self._native().update(number)
        return self.detected

    @property
    def evidence(self) -> Evidence | None:
        """What was compared when a change was last found; None before the first."""
        found = self._native().found
        if found.older_size == 0:
            return None
        return Evidence(**{name: getattr(found, name) for name in Evidence.__annotations__})

    @property
    def mean(self) -> float:
        """Of the values that it still counts: since the last change."""
        return self._native().mean

    @property
    def width(self) -> int:
        """How many values these are."""
        return self._native().width

    def reset(self) -> None:
        """Forget all values."""
        self._native().reset()
        self.detected = False

    def __getstate__(self) -> dict[str, Any]:
        return {
            **{name: value for name, value in vars(self).items() if name != "_core"},
            "state": self._native().state(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        stored = state.pop("state")
        vars(self).update(state)
        self._native().set_state(stored)


class ADWIN(Detector):
    """ADWIN2 (Bifet & Gavaldà 2007): the longest window of recent values whose mean holds still.

    When two parts of the window have means further apart than chance explains,
    |μ₀ − μ₁| ≥ √(2/m·σ²·ln(2/δ')) + 2/(3m)·ln(2/δ') with 1/m = 1/n₀ + 1/n₁ and δ' = δ/ln n, its
    oldest part is dropped. It finds changes in both directions, and how long ago they were: `width`
    values. Values lie in [0, 1]; its memory is O(log n).

    River's ADWIN deviates from the paper: like MOA's it counts four values less on either side of a
    cut (1/m = 1/(n₀ − 4) + 1/(n₁ − 4)) and tries none with fewer than five on a side, and after a
    change it forgets the whole window. With ``min_window_length=1, grace_period=1`` there, and
    `reset` here after each change, both find the same.

    Examples
    --------
    >>> from thresher.drift import ADWIN
    >>> detector = ADWIN()
    >>> errors = [t % 10 == 0 for t in range(1000)] + [t % 2 == 0 for t in range(1000)]
    >>> [t for t, error in enumerate(errors) if detector.update(error)]
    [1055, 1087, 1119, 1439]
    >>> detector.width, round(detector.mean, 3)
    (1008, 0.496)

    The later ones are the same change: as more values come, it is surer which ones are old.
    """

    kind = "adwin"
    takes = "numbers from 0 to 1"

    delta: float = real(
        default=0.002, above=0.0, below=1.0, doc="δ: how likely a change is found where none is."
    )
    clock: int = count(default=32, least=1, doc="it looks for changes after this many values.")
    max_buckets: int = count(
        default=5, least=2, most=1000, doc="M: of each size of buckets; more make cuts finer."
    )


class DDM(Detector):
    """DDM (Gama, Medas, Castillo & Rodrigues 2004): the error rate against the best it has been.

    With p the share of errors among n examples and s = √(p(1 − p)/n): a change is found when
    p + s ≥ p_min + 3·s_min, where p_min and s_min belong to the least p + s so far; then it starts
    over. Where that least is 0, p + s must be above it: by the letter of the paper, a learner
    without any error would drift at once. River's DDM asks for > in place of ≥, and takes a later
    minimum among equal ones.

    Examples
    --------
    >>> from thresher.drift import DDM
    >>> detector = DDM()
    >>> [t for t in range(2000) if detector.update(t % 10 == 0 if t < 1000 else t % 2 == 0)]
    [1048]
    """

    kind = "ddm"
    takes = "0 or 1, an error or none"

    warning: float = real(
        default=2.0, above=0.0, doc="from this many deviations s_min on, `warns` is true."
    )
    drift: float = real(default=3.0, above=0.0, doc="a change: this many deviations s_min.")
    warm_start: int = count(default=30, doc="values before it looks for changes.")

    def update(self, value: float) -> bool:
        if value not in (0, 1):
            raise InvalidInput(f"the value is {value!r}; DDM expects {self.takes}.")
        return super().update(value)

    @property
    def warns(self) -> bool:
        """Whether the error rate is suspicious, and not yet a change."""
        return self._native().warns


class PageHinkley(Detector):
    """The test of Page (1954) and Hinkley (1971): a sum of deviations that rises.

    m_T = Σ_{t ≤ T} (x_t − x̄_t − δ), x̄_t being the mean of the first t values: a change is found
    when m_T − min m_t > λ; then it starts over. It finds means that rise. River's PageHinkley looks
    both ways and lets the sum fade by 0.9999; with ``mode="up", alpha=1.0`` it finds the same
    changes.

    Examples
    --------
    >>> from thresher.drift import PageHinkley
    >>> detector = PageHinkley(threshold=20.0)
    >>> [t for t in range(2000) if detector.update(t % 10 == 0 if t < 1000 else t % 2 == 0)]
    [1050]
    """

    kind = "page-hinkley"
    takes = "finite numbers"
    lowest, highest = -math.inf, math.inf

    delta: float = real(default=0.005, least=0.0, doc="δ: the rise that is tolerated.")
    threshold: float = real(default=50.0, least=0.0, doc="λ: how far the sum may rise.")
    warm_start: int = count(default=30, doc="values before it looks for changes.")


DETECTORS = (ADWIN, DDM, PageHinkley)


def by_name(kind: str) -> type[Detector]:
    """The detector of this name.

    >>> by_name("adwin").__name__
    'ADWIN'
    """
    for cls in DETECTORS:
        if cls.kind == kind:
            return cls
    names = [cls.kind for cls in DETECTORS]
    raise InvalidInput(
        f"{kind!r} is no detector of drift; expected {', '.join(names)}.{near(kind, names)}"
    )
