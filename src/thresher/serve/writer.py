"""The log and the models of a folder, and the one who may change them.

All that waits is taken at once, checked, written as frames, synced once, learned, and only then
answered: nobody sees what a crash could take back. Whoever holds the turn does this: the writer's
thread, or the event loop for what is quickly done (`desk.py`).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from thresher.errors import ThresherError
from thresher.serve.checkpoints import Described, described
from thresher.serve.log import ONE, Frame, Kind, Log, LogFailed, segments
from thresher.serve.model import Outcome, ServedModel
from thresher.serve.options import NAME, ModelOptions
from thresher.serve.planning import (
    Answer,
    Job,
    Lesson,
    Refused,
    answer,
    bad_name,
    failure,
    no_model,
    plan,
    told,
)
from thresher.serve.pupil import Piece, Pupil, plain
from thresher.serve.store import Store

LARGE = 1 << 16  # bytes of a group whose models are worth several threads
IDLE_SECONDS = 1.0  # between two looks at syncs and checkpoints that are due
COPYING = 0.005  # seconds for which models are copied for checkpoints before others have a turn


@dataclass(slots=True)
class Group:
    """Frames that were written at once, and have yet to be learned."""

    lessons: list[Lesson]
    later: list[Job]  # have to wait for these
    frames: list[Frame] = field(default_factory=list)

    def refuse(self, error: ThresherError) -> None:
        for lesson in self.lessons:
            for planned in lesson.planned:
                planned.job.reply(failure(error))


class Writer(threading.Thread):
    """`start` it; it is `ready` after the replay."""

    def __init__(
        self,
        folder: Path,
        *,
        sync: str = "always",
        segment_bytes: int = 64 << 20,
        queue_bytes: int = 64 << 20,
        checkpoint_seconds: float = 300.0,
        keep_log: int | None = None,
        max_models: int = 1000,
        tell: Callable[[str], None] = lambda text: None,
        log: Log | None = None,
    ) -> None:
        """`tell` is for what an operator should know, and no client gets to see."""
        super().__init__(name="thresher-writer", daemon=True)
        self.folder = folder
        self.store = Store(folder, owner=True)
        if not segments(self.store.log_folder):
            self.store.refuse_less(0, self.store.checkpoints.last())
        self.log = log or Log(
            folder / "log",
            sync=sync,
            segment_bytes=segment_bytes,
            vouched=self.store.checkpoints.last(),
        )
        self.queue_bytes = queue_bytes
        self.checkpoint_seconds = checkpoint_seconds
        self.keep_log = keep_log
        self.max_models = max_models
        self.tell = tell
        self.checkpoints_failed = 0
        self.ready = False
        self.broken: BaseException | None = None
        self.replayed = 0
        self.groups = self.jobs_done = 0
        self.wants_all_saved = False
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()  # None: no more will come
        self._gate = threading.Lock()
        self._came = self._taken = 0  # bytes
        self._stopping = self._ended = False
        self._turn = threading.Lock()
        self._wants_turn = False
        self._in_hand: Sequence[Job] = ()
        self._saver = ThreadPoolExecutor(1, "thresher-checkpoint")
        self._learners = ThreadPoolExecutor(thread_name_prefix="thresher-learner")
        self._saving: list[tuple[ServedModel, Described, Future[None]]] = []
        self._to_save: list[ServedModel] = []
        self._looked_at = time.monotonic()

    # -- for other threads

    @property
    def waiting_bytes(self) -> int:
        return self._came - self._taken

    def admit(self, job: Job) -> None:
        """Count it as waiting, unless there is a reason to refuse it."""
        with self._gate:
            if self._stopping:
                raise Refused(503, "the server is stopping; try again in a moment.")
            if self.broken is not None:
                raise Refused(503, f"the server cannot learn: {self.broken}")
            if not self.ready:
                raise Refused(503, "the log is being replayed; try again in a moment.")
            waiting = self.waiting_bytes
            if waiting and waiting + len(job.body) > self.queue_bytes:
                raise Refused(429, f"{waiting:,} bytes wait to be learned; try again in a moment.")
            self._came += len(job.body)

    def admit_again(self, job: Job) -> None:
        """It was taken, and waits again."""
        self._came += len(job.body)

    def put(self, job: Job) -> None:
        """Let the thread do what was admitted; it replies from there, or has ended."""
        with self._gate:
            if not self._ended:
                self._jobs.put(job)
                return
        job.reply(self._why_ended())

    def submit(self, job: Job) -> None:
        self.admit(job)
        self.put(job)

    def stop(self) -> None:
        """Do what waits, sync, checkpoint; then the thread ends."""
        with self._gate:
            self._stopping = True
            self._jobs.put(None)

    # -- the turn: who has it may write the log and change models

    def try_turn(self) -> bool:
        """Take it, if nobody has it, and nobody is to have it first."""
        if self._wants_turn or not self._jobs.empty() or self.log.is_full:
            return False
        return self._turn.acquire(blocking=False)

    def end_turn(self) -> None:
        self._turn.release()

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        """The thread waits for it: others give it up as soon as they can."""
        self._wants_turn = True
        with self._turn:
            self._wants_turn = False
            yield

    def begin(self, jobs: Sequence[Job]) -> Group | None:
        """Check and write: what is to be synced, then learned. None: nothing is."""
        self._taken += sum(len(job.body) for job in jobs)
        return self._begin(jobs)

    def _begin(self, jobs: Sequence[Job]) -> Group | None:
        while jobs:
            lessons, later = plan(self.store.names, jobs)
            if lessons:
                group = Group(lessons, later)
                group.frames = [p.frame(one.model.number) for one in lessons for p in one.planned]
                try:
                    self.log.write(group.frames)
                except ThresherError as error:
                    group.refuse(error)
                else:
                    return group
            jobs = later
        return None

    def finish(self, group: Group) -> list[Job]:
        """Learn and answer what is as safe as was promised; the jobs that waited for it."""
        self.groups += 1
        self.jobs_done += len(group.frames)
        begin, parts = 0, []
        for lesson in group.lessons:
            parts.append(group.frames[begin : begin + len(lesson.planned)])
            begin += len(lesson.planned)
        if len(parts) > 1 and sum(len(frame.raw) for frame in group.frames) > LARGE:
            list(self._learners.map(self._learn, group.lessons, parts))  # models side by side
        else:
            for lesson, frames in zip(group.lessons, parts, strict=True):
                self._learn(lesson, frames)
        self.store.seq = group.frames[-1].seq
        return group.later

    def learn_line(self, model: ServedModel, line: bytes) -> Outcome | None:
        """The short way for one event about which nothing is special, where nothing has to be
        synced: write it, learn it, with what was predicted before. None: nothing was done."""
        if model.failed or not self.ready or self._stopping or self.broken is not None:
            return None
        if model.challengers or model.kept or model.champion.has_sets:
            return None
        batch = model.champion.parse_line(line)
        if batch is None:
            return None
        began = time.perf_counter()
        frame = Frame(Kind.LEARN, model.number, ONE, line)
        try:
            self.log.write((frame,))
        except ThresherError:
            return None  # nothing of it was written, and the usual way will say why
        told: list[Any] = []
        model.note_first((line,))
        try:
            problem = model.champion.learn_batch(batch, told)
        except Exception as error:
            model.failed = f"{type(error).__name__}: {error}"
            return None
        model.seq = self.store.seq = frame.seq
        self.groups += 1
        self.jobs_done += 1
        model.pace += 0.1 * (time.perf_counter() - began - model.pace)
        if problem is not None:
            model.champion.refused += 1
            return Outcome(frame.seq, 0, [{"line": 1, "problem": problem[1]}], [])
        model.events += 1
        return Outcome(frame.seq, 1, (), [plain(told[0])])

    def break_down(self, error: BaseException, jobs: Sequence[Job]) -> None:
        """Something happened that must not: nothing is learned any more, and nobody waits for ever,
        neither those in hand (who has an answer keeps it) nor those that wait."""
        self.broken = error
        for job in jobs:
            job.reply(self._why_ended())
        self._refuse_waiting()
        if self.ready:  # else the server does not start, and says why
            self.tell(f"nothing is learned any more: {error}")
        self._jobs.put(None)

    def _why_ended(self) -> Answer:
        why = "it is stopping" if self.broken is None else str(self.broken)
        return failure(Refused(503, f"the server cannot learn: {why}"))

    def _refuse_waiting(self) -> None:
        """From now on nothing waits in vain."""
        with self._gate, suppress(Empty):
            self._ended = True
            while True:
                if (waiting := self._jobs.get_nowait()) is not None:
                    waiting.reply(self._why_ended())

    # -- the thread

    def run(self) -> None:
        try:
            self.store.checkpoints.tidy()
            self.store.recover(self.log.last, self._told)
            self._looked_at = time.monotonic()
            self.ready = True
            while self._do_what_waits():
                pass
        except BaseException as error:
            self.break_down(error, self._in_hand)
        finally:
            self.ready = False
            self._refuse_waiting()
            with self._own_turn():
                self._end()

    def _told(self, seq: int) -> None:
        self.replayed = seq

    def _do_what_waits(self) -> bool:
        """Whether more may come."""
        idle = 0.02 if self._to_save else max(0.02, min(IDLE_SECONDS, self.checkpoint_seconds))
        try:
            first = self._jobs.get(timeout=idle)
        except Empty:
            with self._own_turn():
                with suppress(LogFailed):
                    self.log.sync_if_due()
                self._look_after_checkpoints()
            return self.broken is None
        if first is None:
            return False
        with self._own_turn():
            self._in_hand = jobs = self._waiting(first)
            self._taken += sum(len(job.body) for job in jobs)
            self._work(jobs)
        return True

    def _waiting(self, job: Job | None) -> list[Job]:
        """This one and those behind it. The end is left for the next time."""
        jobs = []
        with suppress(Empty):
            while job is not None:
                jobs.append(job)
                job = self._jobs.get_nowait()
            self._jobs.put(None)
        return jobs

    def _work(self, jobs: Sequence[Job]) -> None:
        run: list[Job] = []
        for job in jobs:
            if job.do is None:
                run.append(job)
                continue
            self._commit(run)
            run = []
            try:
                job.reply(answer(200, job.do()))
            except Exception as error:
                job.reply(failure(error))
        self._commit(run)
        self._look_after_checkpoints()

    def _commit(self, jobs: Sequence[Job]) -> None:
        """Check, write, sync, learn, answer."""
        while (group := self._begin(jobs)) is not None:
            try:
                self.log.settle()
            except ThresherError as error:
                group.refuse(error)
                jobs = group.later
            else:
                jobs = self.finish(group)

    def _learn(self, lesson: Lesson, frames: Sequence[Frame]) -> None:
        model = lesson.model
        wanted = frozenset([i for i, p in enumerate(lesson.planned) if p.job.predictions])
        outcomes = self._apply(model, frames, lesson.parsed, wanted)
        if outcomes is None:
            for planned in lesson.planned:
                planned.job.reply(answer(500, {"error": model.failed}))
            return
        for planned, outcome in zip(lesson.planned, outcomes, strict=True):
            planned.job.reply(told(planned, outcome))

    def _apply(
        self,
        model: ServedModel,
        frames: Sequence[Frame],
        parsed: list[Piece] | None,
        wanted: frozenset[int],
    ) -> list[Outcome] | None:
        """Learn; None if something happened that must not: then the model learns no more."""
        began = time.perf_counter()
        try:
            outcomes = model.apply(frames, parsed, wanted)
        except Exception as error:
            model.failed = f"{type(error).__name__}: {error}"
            return None
        model.pace += 0.1 * ((time.perf_counter() - began) / len(frames) - model.pace)
        return outcomes

    # -- models

    def model(self, name: str) -> ServedModel:
        if (model := self.store.names.get(name)) is None:
            raise no_model(name)
        return model

    def _write(self, kind: Kind, model: int, meta: dict[str, Any]) -> Frame:
        frame = Frame(kind, model, json.dumps(meta).encode())
        self.store.seq = self.log.append([frame])
        return frame

    def create(self, name: str, options: ModelOptions) -> tuple[ServedModel, bool]:
        """A new model, or one that was created like this before."""
        if not NAME.fullmatch(name):
            raise bad_name(name)
        if (known := self.store.names.get(name)) is not None:
            if known.options != options:
                raise Refused(
                    409, f"there is a model {name!r} with other options; delete it first."
                )
            return known, False
        if len(self.store.names) >= self.max_models:
            raise Refused(
                409, f"there are {len(self.store.names):,} models, and the server takes no more "
                "(--max-models); delete one first."
            )  # fmt: skip
        number = self.store.highest + 1
        self.store.control(
            self._write(Kind.CREATE, number, {"name": name, "options": options.as_json()})
        )
        return self.store.models[number], True

    def delete(self, name: str) -> None:
        model = self.model(name)
        self._settle_saving()
        self.store.control(self._write(Kind.DELETE, model.number, {}))
        self.wants_all_saved = True

    def snapshot(self, name: str) -> int:
        """A checkpoint that stays; its seq."""
        model = self.model(name)
        if not model.champion.has_learned:
            raise Refused(409, "this model has learned nothing yet.")
        self._settle_saving()
        self.log.sync()  # no checkpoint is ahead of the log, whatever dies
        self.store.checkpoints.save(described(model, snapshot=True))
        model.saved_at = model.seq
        return model.seq

    def roll_back(self, name: str, to: int) -> ServedModel:
        model = self.model(name)
        self.store.at(model, to)  # an error comes before anything is written
        self.store.control(self._write(Kind.ROLLBACK, model.number, {"to": to}))
        return self.model(name)

    def race(self, name: str, challengers: dict[str, dict[str, Any]]) -> ServedModel:
        model = self.model(name)
        if model.challengers:
            raise Refused(409, "a race is on; end it, or promote one of its challengers, first.")
        if self.log.first > model.created:
            raise Refused(
                409, f"the log before seq {self.log.first:,} was dropped: challengers could not "
                "learn what this model has learned."
            )  # fmt: skip
        for label, one in challengers.items():
            pupil = Pupil(model.options.with_learner(one["learner"], one["settings"]))
            if pupil.learner.task != model.champion.learner.task:
                raise Refused(422, f"{label} predicts something else than the model.")
        frame = self._write(Kind.RACE, model.number, {"challengers": challengers})
        self.store.control(frame)
        self._checkpoint(model)
        return model

    def promote(self, name: str, challenger: str) -> ServedModel:
        model = self.model(name)
        if challenger not in model.challengers:
            raise Refused(404, f"no challenger {challenger!r} in this race.")
        self.store.control(self._write(Kind.PROMOTE, model.number, {"name": challenger}))
        self._checkpoint(model)
        return model

    def end_race(self, name: str) -> ServedModel:
        model = self.model(name)
        if not model.challengers:
            raise Refused(404, "there is no race.")
        self.store.control(self._write(Kind.END_RACE, model.number, {}))
        return model

    # -- checkpoints

    def _look_after_checkpoints(self) -> None:
        if self._saving and all(saving.done() for _, _, saving in self._saving):
            self._settle_saving()
        if self._saving:
            return
        now = time.monotonic()
        due = self.wants_all_saved or now - self._looked_at >= self.checkpoint_seconds
        if due and not self._to_save:
            self.wants_all_saved = False
            self._looked_at = now
            self._to_save = [m for m in self.store.models.values() if m.seq > m.saved_at]
            if not self._to_save:
                self._cover()
        while self._to_save:
            model = self._to_save.pop()
            if self.store.models.get(model.number) is model:
                self._checkpoint(model)
            if time.monotonic() - now > COPYING:
                break

    def _checkpoint(self, model: ServedModel) -> None:
        try:
            self.log.sync()
        except LogFailed:
            return  # no checkpoint is ahead of the log, whatever dies
        this = described(model, snapshot=False)
        saving = self._saver.submit(self.store.checkpoints.save, this)
        self._saving.append((model, this, saving))

    def _settle_saving(self) -> None:
        """Wait for checkpoints that are being written. One that fails costs time at the next start,
        and old ones that cannot be removed cost room, and nothing else."""
        for model, this, saving in self._saving:
            if (error := saving.exception()) is None:
                model.saved_at = this.seq
                with suppress(OSError, ThresherError):
                    self.store.checkpoints.prune(model.number)
                continue
            self.checkpoints_failed += 1
            self.tell(
                f"{model.name} was not saved at seq {this.seq:,}: {error}. Nothing is lost: the "
                "log has it, and the next start takes longer."
            )
        self._saving.clear()
        self._cover()

    def _cover(self) -> None:
        """Note from where a replay must begin, and drop what of the log is not kept."""
        models = self.store.models
        saved = [m.saved_at for m in models.values()]
        if all(saved):
            upto = min(saved, default=self.store.seq)
            with suppress(OSError):
                self.store.checkpoints.cover(upto, sorted(models))
                if self.keep_log is not None:
                    self.log.drop(upto, self.keep_log)

    def _end(self) -> None:
        try:
            if self.broken is None:
                self._settle_saving()
                for model in self.store.models.values():
                    if model.seq > model.saved_at:
                        self._checkpoint(model)
                self._settle_saving()
        finally:
            self._saver.shutdown()
            self._learners.shutdown()
            with suppress(LogFailed):
                self.log.close()
