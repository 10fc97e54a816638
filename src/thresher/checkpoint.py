"""How far a run over files has got: saved with the model, checked when it is loaded."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from thresher.data.reader import Before, Position
from thresher.data.seen import Seen
from thresher.errors import ModelFileError


@dataclass
class Checkpoint:
    """How far a run has got; kept in the model, so that it can be resumed in another process."""

    files: list[str]
    before: Before = field(default_factory=Before)  # what was read of them, and where this began
    number: int = 0  # of the pass
    position: Position = field(default_factory=Position)
    behind: int = 0  # examples after that position: parsed ones do not know their own
    in_pass: int = 0  # examples in this pass so far
    examples: int = 0  # in all passes
    done: bool = False
    scores: list[list[float | None]] = field(default_factory=list)  # a loss of None is infinite
    aside: list[Any] = field(default_factory=list)  # where bad lines are written, and its size
    waiting: int = 0  # examples after that position that were predicted and wait for their labels
    drift: dict[str, Any] = field(default_factory=dict)  # of `Drift`, if the run watches for it

    def as_dict(self) -> dict[str, Any]:
        stored = asdict(self)
        del stored["before"]
        stored["seen"] = {str(i): seen.as_dict() for i, seen in sorted(self.before.seen.items())}
        if self.before.starts:
            stored["starts"] = {
                str(i): start and [start.offset, start.line]
                for i, start in sorted(self.before.starts.items())
            }
        return stored

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Checkpoint:
        """From a model file, in which nothing is trusted."""
        try:
            known = dict(stored)
            seen = {int(i): Seen.from_dict(s) for i, s in known.pop("seen", {}).items()}
            starts = {
                int(i): start and Position(int(i), *start)
                for i, start in known.pop("starts", {}).items()
            }
            position = Position(**known.pop("position"))
            run = cls(**known, position=position, before=Before(seen, starts))
            numbers = [run.number, run.behind, run.in_pass, run.examples, run.waiting]
            for place in (position, *filter(None, starts.values())):
                numbers += [place.file, place.offset, place.line]
            if not all(type(n) is int and 0 <= n < 2**63 for n in numbers):
                raise TypeError("a position or a count is invalid")
            if not all(type(name) is str for name in run.files):
                raise TypeError("a name is invalid")
            for examples, weight, loss in run.scores:
                if not all(type(n) in (int, float) for n in (examples, weight, loss or 0)):
                    raise TypeError("a score is invalid")
            if type(run.drift) is not dict:
                raise TypeError("what it found of drift is invalid")
            if run.aside and list(map(type, run.aside)) != [str, int]:
                raise TypeError("the file of bad lines is invalid")
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise ModelFileError(
                f"what the model remembers of its run cannot be used ({error})."
            ) from error
        return run
