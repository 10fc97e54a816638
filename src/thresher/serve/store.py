"""The models of a folder, as its log says they are: replay, checkpoints, earlier states.

`Store` reads: a follower has one, and so has the writer, which alone appends to the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInput
from thresher.serve.checkpoints import Checkpoints
from thresher.serve.history import Spans, counts, is_on_the_way, spans_at
from thresher.serve.log import Frame, Kind, LogDamaged, last_whole, read_log, segments
from thresher.serve.model import ServedModel
from thresher.serve.options import ModelOptions, options_from
from thresher.serve.pupil import Piece, Pupil

AT_ONCE = 1 << 20  # bytes that a replay learns at once,
REPLAYED = 4096  # in pieces of so many lines
EVENTS = (Kind.LEARN, Kind.KEEP, Kind.LABEL)
Waiting = dict[int, list[Frame]]  # events to be learned at once, by model
Parsed = dict[int, list[Piece]]


class Store:
    """All models, by number and by name."""

    def __init__(self, folder: Path, owner: bool = False) -> None:
        """The owner removes the checkpoints of models that were deleted; others change nothing."""
        self.folder, self.owner = folder, owner
        self.log_folder = folder / "log"
        self.checkpoints = Checkpoints(folder / "models")
        self.models: dict[int, ServedModel] = {}
        self.names: dict[str, ServedModel] = {}
        self.highest = 0  # number of a model
        self.unknown: set[int] = set()  # models of which only events were found
        self.seq = 0

    def frames(self, after: int, upto: int, joins: Sequence[int] | None = None) -> Iterator[Frame]:
        return read_log(self.log_folder, after, upto, joins)

    def recover(self, last: int, progress: Callable[[int], None] = lambda seq: None) -> None:
        """From the checkpoints and the log, up to its last frame."""
        self.refuse_less(last, self.checkpoints.last())
        for number in self.checkpoints.numbers():
            if seqs := self.checkpoints.seqs(number):
                self._put(self.checkpoints.load(number, seqs[-1]))
        found = segments(self.log_folder)
        before = found[0][0] - 1 if found else 0
        covered = self.checkpoints.covered()
        start = before
        if covered is not None and all(n in self.models for n in covered[1]):
            start = max(start, covered[0])
        saved = [model.seq for model in self.models.values()]
        self.replay(self.frames(start, last, saved), progress)
        self.seq = last
        if self.unknown:
            raise LogDamaged(
                f"{self.folder}: the log has events of model number {min(self.unknown)}, which has "
                "neither a beginning in the log nor a checkpoint.",
                advice="Restore the folder models/ from a backup.",
            )

    def last(self) -> int:
        """The last frame of the log, also while a process writes it."""
        known = self.checkpoints.last()  # asked first: the log is never behind its checkpoints
        last = last_whole(self.log_folder, known)
        self.refuse_less(last, known)
        return last

    def refuse_less(self, last: int, known: int) -> None:
        """A log that ends before what is known to have been in it has lost events."""
        if known > last:
            raise LogDamaged(
                f"{self.log_folder}: the log ends with seq {last:,}, but {self.folder}/models was "
                f"saved at seq {known:,}; expected the end of the log.",
                advice="Restore the log from a backup; to begin with nothing, serve another "
                "folder.",
            )

    # -- replay

    def replay(
        self, frames: Iterable[Frame], progress: Callable[[int], None] = lambda seq: None
    ) -> None:
        """Learn frames in order, many at once; a thread parses the next ones meanwhile."""
        with ThreadPoolExecutor(1, "thresher-replay") as aside:
            self._replay(frames, progress, aside)

    def _replay(
        self, frames: Iterable[Frame], progress: Callable[[int], None], aside: ThreadPoolExecutor
    ) -> None:
        waiting: Waiting = {}
        size = 0
        ahead: list[tuple[Waiting, Future[Parsed]]] = []  # at most one

        def learn_ahead() -> None:
            if ahead:
                events, parsed = ahead.pop()
                self._learn(events, parsed.result())

        for frame in frames:
            self.seq = frame.seq
            if frame.model > self.highest:
                self.highest = frame.model
            model = self.models.get(frame.model)
            if model is not None and frame.seq <= model.seq:
                continue  # its checkpoint is later
            if frame.kind in EVENTS:
                if model is None:
                    self.unknown.add(frame.model)
                else:
                    waiting.setdefault(frame.model, []).append(frame)
                    size += len(frame.raw) + 64
            else:
                learn_ahead()
                self._learn(waiting, self._parse(waiting))
                waiting, size = {}, 0
                self.control(frame)
            if size >= AT_ONCE:
                following = waiting, aside.submit(self._parse, waiting)
                learn_ahead()
                ahead.append(following)
                waiting, size = {}, 0
                progress(frame.seq)
        learn_ahead()
        self._learn(waiting, self._parse(waiting))
        progress(self.seq)

    def _parse(self, waiting: Waiting) -> Parsed:
        parsed: Parsed = {}
        for number, frames in waiting.items():
            texts = [frame.raw for frame in frames if frame.kind is not Kind.KEEP]
            text = texts[0] if len(texts) == 1 else b"\n".join(texts)
            parsed[number] = self.models[number].champion.parse(text, REPLAYED)
        return parsed

    def _learn(self, waiting: Waiting, parsed: Parsed) -> None:
        for number, frames in waiting.items():
            self.models[number].apply(frames, parsed[number])

    def control(self, frame: Frame) -> None:
        """A frame that is no event."""
        meta = json.loads(frame.meta)
        if frame.kind == Kind.CREATE:
            if frame.model not in self.models:
                options = options_from(meta["options"])
                self._put(ServedModel(frame.model, meta["name"], options, frame.seq))
            return
        if frame.kind == Kind.DELETE:
            self.unknown.discard(frame.model)
        model = self.models.get(frame.model)
        if model is None:
            return
        if frame.kind == Kind.DELETE:
            del self.models[frame.model]
            self.names = {name: m for name, m in self.names.items() if m is not model}
            if self.owner:
                self.checkpoints.remove_all(frame.model)
        elif frame.kind == Kind.ROLLBACK:
            self._put(self.rolled_back(model, meta["to"], frame.seq))
        else:
            self._race(model, frame, meta, spans_at(model.rollbacks, frame.seq))

    def _race(self, model: ServedModel, frame: Frame, meta: dict[str, Any], spans: Spans) -> None:
        if frame.kind == Kind.RACE:
            pupils = {
                name: Pupil(model.options.with_learner(one["learner"], one["settings"]))
                for name, one in meta["challengers"].items()
            }
            self.teach(pupils.values(), model, spans, frame.seq - 1)
            model.race(pupils, frame.seq)
        elif frame.kind == Kind.PROMOTE:
            model.promote(meta["name"], frame.seq)
        elif frame.kind == Kind.END_RACE:
            model.end_race(frame.seq)

    def _put(self, model: ServedModel) -> None:
        self.models[model.number] = self.names[model.name] = model
        self.highest = max(self.highest, model.number)

    # -- earlier states

    def teach(
        self, pupils: Iterable[Pupil], model: ServedModel, spans: Spans, upto: int, after: int = 0
    ) -> None:
        """Let new learners learn all that the model learned: the frames in these spans."""
        pupils = list(pupils)
        for texts in in_pieces(self.lessons(model, spans, upto, after)):
            for pupil in pupils:
                pupil.learn(texts)

    def lessons(
        self, model: ServedModel, spans: Spans, upto: int, after: int = 0
    ) -> Iterator[bytes]:
        """The events that a model learned, as texts."""
        for frame in self.frames(max(after, model.created - 1), upto):
            mine = frame.model == model.number and frame.kind in (Kind.LEARN, Kind.LABEL)
            if mine and counts(spans, frame.seq):
                yield frame.raw

    def at(self, model: ServedModel, seq: int) -> ServedModel:
        """The model as it was at an earlier seq: another one, learned again from the log."""
        if not model.created <= seq <= model.seq:
            raise InvalidInput(
                f"seq is {seq:,}; expected {model.created:,} (its creation) to {model.seq:,}."
            )
        rollbacks = [(at, to) for at, to in model.rollbacks if at <= seq]
        spans = spans_at(rollbacks, seq)
        usable = [
            c for c in self.checkpoints.seqs(model.number)
            if c <= seq and is_on_the_way(model.rollbacks, c, seq)
        ]  # fmt: skip
        if usable:
            past = self.checkpoints.load(model.number, usable[-1])
        else:
            first = segments(self.log_folder)[0][0]
            if first > model.created:
                raise InvalidInput(
                    f"seq {seq:,} cannot be reached: the log before {first:,} was dropped, and "
                    "there is no snapshot before it."
                )
            past = ServedModel(model.number, model.name, self._created_with(model), model.created)
        waiting: list[Frame] = []
        size = 0
        for frame in self.frames(past.seq, seq):
            if frame.model != model.number or not counts(spans, frame.seq):
                continue
            if frame.kind in EVENTS:
                waiting.append(frame)
                size += len(frame.raw) + 64
            if size >= AT_ONCE or (waiting and frame.kind not in EVENTS):
                past.apply(waiting)
                waiting, size = [], 0
            if frame.kind not in (*EVENTS, Kind.ROLLBACK):
                self._race(past, frame, json.loads(frame.meta), spans)
        if waiting:
            past.apply(waiting)
        past.rollbacks = rollbacks
        return past

    def _created_with(self, model: ServedModel) -> ModelOptions:
        """Its options at first: a promotion changes the learner."""
        for frame in self.frames(model.created - 1, model.created):
            return options_from(json.loads(frame.meta)["options"])
        raise LogDamaged(f"{self.log_folder}: the log does not reach seq {model.created:,}.")

    def rolled_back(self, model: ServedModel, to: int, at: int) -> ServedModel:
        """The model as a rollback at this seq leaves it."""
        past = self.at(model, to)
        past.rollbacks = [*model.rollbacks, (at, to)]
        past.seq = at
        past.saved_at = model.saved_at
        return past


def learned_lines(store: Store, model: ServedModel) -> Iterator[bytes]:
    """What a model has learned, as lines of a file: `thresher train` learns the same from them.

    Events that were written and could not be learned are left out; so all is learned again here.
    """
    first = segments(store.log_folder)[0][0]
    if first > model.created:
        raise InvalidInput(
            f"the log before seq {first:,} was dropped (--keep-log): what is left is not all that "
            f"{model.name} has learned."
        )
    pupil = Pupil(model.options)
    spans = spans_at(model.rollbacks, model.seq)
    for texts in in_pieces(store.lessons(model, spans, model.seq)):
        left_out = {(refusal.text, refusal.line) for refusal in pupil.learn(texts)}
        for i, text in enumerate(texts):
            for number, line in enumerate(text.split(b"\n"), 1):
                if line.strip() and (i, number) not in left_out:
                    yield line + b"\n"


def in_pieces(texts: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Texts that are learned at once."""
    piece: list[bytes] = []
    size = 0
    for text in texts:
        piece.append(text)
        size += len(text)
        if size >= AT_ONCE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece
