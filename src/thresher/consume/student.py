"""A pupil that learns from a stream: it also holds out, watches for drift, and reads tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Progress
from thresher.data.formats import FileShape, recognise
from thresher.data.reading import ReadingOptions
from thresher.drifting import Drift
from thresher.errors import InvalidInput, ThresherError
from thresher.serve.options import ModelOptions
from thresher.serve.pupil import Pupil

if TYPE_CHECKING:
    from thresher.learners.contract import Trainable

TABLES = ("csv", "tsv")


@dataclass(frozen=True)
class Habits:
    """What is done besides learning; as of `thresher train`."""

    holdout: int = 0
    on_drift: str | None = None
    drift_detector: str = "adwin"


class Student(Pupil):
    """`examples` counts what was read: learned, held out, or without a label."""

    def __init__(
        self,
        learner: Trainable,
        reading: ReadingOptions,
        shape: FileShape,
        habits: Habits,
        stored: dict[str, Any],
        progress: Progress,
    ) -> None:
        """`progress` is there before the first event tells the shape: others watch it."""
        options = ModelOptions(format=shape.format, reading=reading)
        super().__init__(options, learner, shape.for_core())
        self.progress = progress
        self.progress.hold_out_every = habits.holdout
        self.examples = int(stored.get("examples", 0))
        for score, kept in zip(self._scores(), stored.get("scores", ()), strict=False):
            score.examples = int(kept[0])
            score.weight, score.loss = float.fromhex(kept[1]), float.fromhex(kept[2])
        self.progress.unlabelled = int(stored.get("unlabelled", 0))
        self.drift: Drift | None = None
        if habits.on_drift:
            if not learner.reacts:
                raise InvalidInput(
                    "on_drift is for learners that learn one example after the other; "
                    f"{type(learner).__name__} does not."
                )
            self.drift = Drift(
                habits.on_drift, habits.drift_detector, learner, stored.get("drift", {})
            )
            self.progress.show(self.drift.watch)

    def _scores(self) -> tuple[Any, Any]:
        return self.progress.learned, self.progress.held_out

    def state(self) -> dict[str, Any]:
        """What a run that goes on has to know, besides the learner."""
        return {
            "examples": self.examples,
            "unlabelled": self.progress.unlabelled,
            "scores": [[s.examples, s.weight.hex(), s.loss.hex()] for s in self._scores()],
            **({"drift": self.drift.state()} if self.drift else {}),
        }

    def _learn_rows(self, examples: Examples, rows: int) -> None:
        """With drift in pieces that end where it was found."""
        begin = 0
        try:
            while begin < rows:
                self.progress.position = self.examples + begin
                if self.drift:
                    self.drift.react()
                self.learner.learn_examples(examples, begin, rows, self.progress)
                begin = self.progress.ended_at or rows
                if self.drift and self.progress.ended_at:
                    self.drift.found(self.examples + begin, self.progress)
        except ThresherError as error:
            self.examples += error.where.example or 0
            raise
        self.examples += rows


def shape_of(name: str, first: bytes, reading: ReadingOptions, *, header: bool) -> FileShape:
    """How the events of a stream are read, by the first of them alone: so that it does not depend
    on how many there were when somebody looked. A label that is named may be missing in it."""
    if reading.format == "jsonl" or (reading.format == "auto" and first.lstrip()[:1] == b"{"):
        if reading.label:
            return FileShape(
                "jsonl",
                {
                    "label": reading.label,
                    "weight": reading.weight or "",
                    **reading.columns_for_core(),
                },
            )
        reading = replace(reading, format="jsonl")
    if not header:
        if reading.header:
            raise InvalidInput(f"{name}: events of a broker have no header; leave out --header.")
        reading = replace(reading, header=False)
    try:
        shape = recognise(name, first + b"\n", True, reading)
    except InvalidInput as error:
        shown = first[:200].decode("utf-8", "backslashreplace")
        error.add_note(f"The first event is: {shown}")
        raise
    if shape.format in ("parquet", "arrow"):
        raise InvalidInput(f"{name}: {shape.format} has no lines; expected events as text.")
    return shape


def as_lines(
    events: Sequence[bytes], shape: FileShape
) -> tuple[Sequence[bytes], list[tuple[int, str]]]:
    """Events as lines of a file, and those that no line could be: their numbers, and why."""
    bad: list[tuple[int, str]] = []
    text = b"\n".join(events)
    tables = shape.format in TABLES
    if text.count(b"\n") == len(events) - 1 and not (tables and b'"' in text):
        return events, bad
    lines: list[bytes] = []
    for number, event in enumerate(events):
        line = event.strip(b"\r\n")
        if b"\n" in line and shape.format == "jsonl":
            line = line.replace(b"\n", b" ")  # between tokens: a text has it as \n
        elif b"\n" in line:
            count = line.count(b"\n") + 1
            bad.append((number, f"{count} lines; expected an event on one line."))
            line = b""
        elif tables and line.count(b'"') % 2:
            bad.append((number, "a quote is not closed; expected an event on one line."))
            line = b""
        lines.append(line)
    return lines, bad
