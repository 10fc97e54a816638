"""A run that watches for drift: when its error rises, it reports, starts over, or forgets.

The detector sees the loss of every example that is learned, and the run reacts before the next
one: at an exact place, however the data is cut into pieces and wherever the run was resumed.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from thresher._core import Progress, Watch
from thresher.drift import DDM, Detector, Evidence, by_name
from thresher.errors import InvalidInput, ModelFileError

ACTIONS = ("report", "reset", "forget")


@dataclass
class Change:
    """A moment at which the error had risen."""

    example: int
    """The example with which it was noticed, counted from 1 in all passes."""
    action: str
    evidence: Evidence
    weight: float
    loss: float | None
    """What was learned until then, and its loss; None if that is infinite."""


class Drift:
    """The detector of a run, and what it has found."""

    def __init__(
        self, action: str, detector: str | Detector, learner: Any, stored: dict[str, Any]
    ) -> None:
        self.action, self.learner = action, learner
        given = by_name(detector)() if isinstance(detector, str) else detector
        self.detector = type(given)(**given.get_params())
        self.numbers = learner.task == "regress"
        if self.numbers and isinstance(self.detector, DDM):
            raise InvalidInput(
                "ddm counts errors, and a regressor makes none; expected adwin or page-hinkley."
            )
        if learner.multi_label:
            raise InvalidInput("drift is detected where an example has one label, not a set.")
        if action != "report" and learner._learned().ledger() is not None:
            raise InvalidInput(
                f"audit='live' and on_drift={action!r} contradict each other: the theorems are "
                "about a learner that keeps all that it has learned."
            )
        if action == "forget" and not learner.can_forget():
            raise InvalidInput(
                f"{learner!r} has nothing to forget: it keeps no average, and its steps do not "
                "become smaller with time; expected report or reset."
            )
        self.changes: list[Change] = []
        self._native = self.detector._native()
        self.watch = Watch(self._native, self.numbers)
        self._due = False
        if stored and stored.get("detector") == self.detector.kind:
            self._restore(stored)

    def react(self) -> None:
        """Before an example is learned: do what is due since the one before it."""
        if not self._due:
            return
        self._due = False
        if self.action == "reset":
            self.learner.start_over()
        elif self.action == "forget":
            self.learner.forget()

    def found(self, example: int, progress: Progress) -> None:
        """The watch has ended a pass after this example."""
        score, evidence = progress.learned, self.detector.evidence
        assert evidence is not None
        loss = score.loss if math.isfinite(score.loss) else None
        self.changes.append(Change(example, self.action, evidence, score.weight, loss))
        self._due = self.action != "report"
        self.detector.reset()  # it has seen what another learner, or another target, did

    def report(self, progress: Progress) -> list[dict[str, Any]]:
        """Each change with the error before it, at it, and from there to the next one."""
        score, rows = progress.learned, []
        ends = [(c.weight, c.loss) for c in self.changes[1:]] + [(score.weight, score.loss)]
        begin: tuple[float, float | None] = (0.0, 0.0)
        for change, end in zip(self.changes, ends, strict=False):  # without any there is no end
            here = (change.weight, change.loss)
            seen = change.evidence
            rows.append(
                {
                    "example": change.example,
                    "action": change.action,
                    "before": _mean(begin, here) if self.numbers else seen.older_mean,
                    "at": None if self.numbers else seen.newer_mean,
                    "after": _mean(here, end),
                    "evidence": {"detector": self.detector.kind, **seen.as_dict()},
                }
            )
            begin = here
        return rows

    # -- with the checkpoint of the run

    def state(self) -> dict[str, Any]:
        return {
            "detector": self.detector.kind,
            "state": self._native.state(),
            "losses": [self.watch.total, self.watch.count],
            "due": self._due,
            "changes": [asdict(change) for change in self.changes],
        }

    def _restore(self, stored: dict[str, Any]) -> None:
        """From a model file, in which nothing is trusted."""
        try:
            self._native.set_state(dict(stored["state"]))
            total, count = stored["losses"]
            self.watch.total, self.watch.count = float(total), int(count)
            self._due = bool(stored["due"])
            for change in stored["changes"]:
                known = dict(change)
                evidence = Evidence(**known.pop("evidence"))
                if known["action"] not in ACTIONS or type(known["example"]) is not int:
                    raise TypeError("a change is invalid")
                numbers = [known["weight"], known["loss"] or 0.0, *evidence.as_dict().values()]
                if not all(type(n) in (int, float) for n in numbers):
                    raise TypeError("a number is invalid")
                self.changes.append(Change(evidence=evidence, **known))
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise ModelFileError(
                f"what the model remembers of drift cannot be used ({error})."
            ) from error


def _mean(begin: tuple[float, float | None], end: tuple[float, float | None]) -> float | None:
    weight = end[0] - begin[0]
    if begin[1] is None or end[1] is None or not weight > 0.0:
        return None
    mean = (end[1] - begin[1]) / weight
    return mean if math.isfinite(mean) else None
