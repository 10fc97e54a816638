"""The one thread that writes the log and changes the models.

It takes all that waits, checks it, writes it as frames, syncs once, learns, and only then answers:
nobody sees what a crash could take back.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from thresher.errors import InvalidInput, ThresherError
from thresher.serve.checkpoints import Described, described
from thresher.serve.log import DiskFull, Entry, Frame, Kind, Log, LogFailed
from thresher.serve.model import ONE, Outcome, ServedModel
from thresher.serve.options import NAME, ModelOptions
from thresher.serve.pupil import Piece, Pupil, events_before, without_key
from thresher.serve.store import Store

Reply = Callable[["Answer"], None]


class Refused(ThresherError):
    """What a client asked for cannot be done; the status is that of HTTP."""

    def __init__(self, status: int, found: str, **more: Any) -> None:
        super().__init__(found)
        self.status, self.more = status, more


@dataclass(slots=True)
class Answer:
    status: int
    body: bytes


def answer(status: int, value: Any) -> Answer:
    return Answer(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def failure(error: BaseException) -> Answer:
    """An error as it is told to a client."""
    status, more = 500, {}
    if isinstance(error, Refused):
        status, more = error.status, error.more
    elif isinstance(error, DiskFull):
        status = 507
    elif isinstance(error, LogFailed):
        status = 503
    elif isinstance(error, InvalidInput):
        status = 422
    return answer(status, {"error": str(error) or type(error).__name__, **more})


@dataclass(slots=True)
class Job:
    """Events that wait for the writer, or something else that it is to do."""

    kind: Kind | None
    model: str
    body: bytes
    reply: Reply
    key: str | None = None  # of the request
    ids: list[str | None] | None = None  # of the events
    single: bool = False  # one event, and so one answer
    label: Any = None
    weight: Any = None
    predictions: bool = False
    do: Callable[[], Any] | None = None


@dataclass(slots=True)
class Planned:
    """A job that will be written."""

    job: Job
    kind: Kind
    raw: bytes
    meta: dict[str, Any] = field(default_factory=dict)
    answer: Any = None  # of a prediction that is kept

    def entry(self, model: int) -> Entry:
        meta = ONE if self.meta == {"n": 1} else json.dumps(self.meta).encode()
        return Entry(self.kind, model, meta, self.raw)


@dataclass(slots=True)
class Lesson:
    """What is planned for one model in one group."""

    model: ServedModel
    planned: list[Planned]
    parsed: list[Piece] | None = None


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
        log: Log | None = None,
    ) -> None:
        super().__init__(name="thresher-writer", daemon=True)
        self.folder = folder
        self.store = Store(folder, owner=True)
        self.log = log or Log(
            folder / "log",
            sync=sync,
            segment_bytes=segment_bytes,
            vouched=self.store.checkpoints.last(),
        )
        self.queue_bytes = queue_bytes
        self.checkpoint_seconds = checkpoint_seconds
        self.keep_log = keep_log
        self.ready = False
        self.broken: BaseException | None = None
        self.replayed = 0
        self.groups = self.jobs_done = 0
        self.wants_all_saved = False
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()  # None: no more will come
        self._gate = threading.Lock()
        self._came = self._taken = 0  # bytes
        self._stopping = False
        self._in_hand: list[Job] = []
        self._saver = ThreadPoolExecutor(1, "thresher-checkpoint")
        self._saving: list[tuple[ServedModel, Described, Future[None]]] = []
        self._looked_at = time.monotonic()

    # -- for other threads

    @property
    def waiting_bytes(self) -> int:
        return self._came - self._taken

    def submit(self, job: Job) -> None:
        """Let the writer do this; it replies from its own thread."""
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
            self._jobs.put(job)

    def do(self, what: Callable[[], Any], reply: Reply) -> None:
        """Something else than events, in its place among them."""
        self.submit(Job(None, "", b"", reply, do=what))

    def stop(self) -> None:
        """Do what waits, sync, checkpoint; then the thread ends."""
        with self._gate:
            self._stopping = True
            self._jobs.put(None)

    # -- the thread

    def run(self) -> None:
        try:
            self.store.recover(self.log.last, self._told)
            self._looked_at = time.monotonic()
            self.ready = True
            while jobs := self._take():
                self._in_hand = jobs
                self._work(jobs)
        except BaseException as error:
            self.broken = error
            self._refuse_all(error)
        finally:
            self.ready = False
            self._end()

    def _told(self, seq: int) -> None:
        self.replayed = seq

    def _take(self) -> list[Job]:
        """All that waits; nothing once all is done and the server stops."""
        while True:
            try:
                jobs = self._waiting(self._jobs.get(timeout=1.0))
            except Empty:
                with suppress(LogFailed):
                    self.log.sync_if_due()
                self._look_after_checkpoints()
                continue
            self._taken += sum(len(job.body) for job in jobs)
            return jobs

    def _waiting(self, job: Job | None) -> list[Job]:
        """This one and those behind it. The end is left for the next time."""
        jobs = []
        with suppress(Empty):
            while job is not None:
                jobs.append(job)
                job = self._jobs.get_nowait()
            if jobs:
                self._jobs.put(None)
        return jobs

    def _work(self, jobs: list[Job]) -> None:
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

    def _commit(self, jobs: list[Job]) -> None:
        """Check, write, sync, learn, answer."""
        while jobs:
            lessons, jobs = self._plan(jobs)
            if not lessons:
                continue
            entries = [p.entry(one.model.number) for one in lessons for p in one.planned]
            try:
                seq = self.log.append(entries)
            except ThresherError as error:
                for one in lessons:
                    for planned in one.planned:
                        planned.job.reply(failure(error))
                continue
            self.groups += 1
            self.jobs_done += len(entries)
            for lesson in lessons:
                here = entries[: len(lesson.planned)]
                del entries[: len(lesson.planned)]
                self._learn(lesson, here, seq)
                seq += len(here)
            self.store.seq = seq - 1

    def _learn(self, lesson: Lesson, entries: Sequence[Entry], seq: int) -> None:
        model, now, durable = lesson.model, self.log.time, self.log.durable
        frames = [
            Frame(e.kind, e.model, seq + i, durable, now, e.meta, e.raw)
            for i, e in enumerate(entries)
        ]
        wanted = frozenset(i for i, p in enumerate(lesson.planned) if p.job.predictions)
        try:
            outcomes = model.apply(frames, None if wanted else lesson.parsed, wanted)
        except Exception as error:
            model.failed = f"{type(error).__name__}: {error}"
            for planned in lesson.planned:
                planned.job.reply(failure(error))
            return
        for planned, outcome in zip(lesson.planned, outcomes, strict=True):
            planned.job.reply(told(planned, outcome))

    # -- checking

    def _plan(self, jobs: list[Job]) -> tuple[list[Lesson], list[Job]]:
        """What to write, by model; and the jobs that have to wait for others of this group."""
        by_model: dict[str, list[Job]] = {}
        for job in jobs:
            by_model.setdefault(job.model, []).append(job)
        lessons: list[Lesson] = []
        later: list[Job] = []
        for name, its_jobs in by_model.items():
            model = self.store.names.get(name)
            if model is None or model.failed:
                error = no_model(name) if model is None else Refused(503, f"{model.failed}")
                for job in its_jobs:
                    job.reply(failure(error))
                continue
            lesson = Lesson(model, [])
            claimed: set[str] = set()  # keys and ids
            for job in its_jobs:
                try:
                    claims = claims_of(job)
                    if claims & claimed:
                        later.append(job)
                        continue
                    if (planned := self._plan_job(model, job)) is not None:
                        claimed |= claims
                        lesson.planned.append(planned)
                except Exception as error:
                    job.reply(failure(error))
            self._check_lines(lesson)
            if lesson.planned:
                lessons.append(lesson)
        return lessons, later

    def _plan_job(self, model: ServedModel, job: Job) -> Planned | None:
        if job.key is not None and (known := model.keys.get(job.key)):
            if known[0] != digest(job.body):
                raise Refused(422, f"the key {job.key!r} was used with another body.")
            job.reply(told_again(known[1]))
            return None
        if job.kind == Kind.LEARN:
            return plan_learn(model, job)
        return plan_keep(model, job) if job.kind == Kind.KEEP else plan_label(model, job)

    def _check_lines(self, lesson: Lesson) -> None:
        """Parse all that is to be learned: what cannot be read is answered, and not written."""
        pupil = lesson.model.champion
        while True:
            lines = [p for p in lesson.planned if p.kind != Kind.KEEP]
            if not lines:
                return
            lesson.parsed = pieces = pupil.parse(b"\n".join(p.raw for p in lines))
            found_bad = [
                (p.line + bad["line"], bad["problem"]) for p in pieces for bad in p.batch.bad
            ]
            events = sum(len(piece.batch) for piece in pieces)
            if not found_bad and events == len(lines) and not any(b"\n" in p.raw for p in lines):
                for planned in lines:
                    planned.meta["n"] = 1
                return
            starts = [0]
            for planned in lines:
                starts.append(starts[-1] + planned.raw.count(b"\n") + 1)
            before = [events_before(pieces, start) for start in starts]
            bad: dict[int, list[dict[str, Any]]] = {}
            for line, problem in found_bad:
                place = bisect_right(starts, line) - 1
                where = {"line": line - starts[place] + 1, "problem": f"{problem}."}
                bad.setdefault(place, []).append(where)
            refused = set()
            for place, planned in enumerate(lines):
                planned.meta["n"] = n = before[place + 1] - before[place]
                found = bad.get(place, [])
                if not n:
                    refused.add(id(planned))
                    planned.job.reply(failure(all_bad(found)))
                elif found:
                    planned.raw = blanked(planned.raw, found)
                    planned.meta["bad"] = found
                    lines_left_out = {one["line"] for one in found}
                    if noted := planned.meta.get("events"):
                        planned.meta["events"] = [n for n in noted if n[0] not in lines_left_out]
            lesson.planned = [p for p in lesson.planned if id(p) not in refused]
            if not refused and not bad:
                return

    # -- models

    def model(self, name: str) -> ServedModel:
        if (model := self.store.names.get(name)) is None:
            raise no_model(name)
        return model

    def _write(self, kind: Kind, model: int, meta: dict[str, Any]) -> Frame:
        text = json.dumps(meta).encode()
        seq = self.log.append([Entry(kind, model, text)])
        self.store.seq = seq
        return Frame(kind, model, seq, self.log.durable, self.log.time, text, b"")

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
        if self.wants_all_saved or time.monotonic() - self._looked_at >= self.checkpoint_seconds:
            self.wants_all_saved = False
            self._looked_at = time.monotonic()
            for model in self.store.models.values():
                if model.seq > model.saved_at:
                    self._checkpoint(model)
            if not self._saving:
                self._cover()

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
        and nothing else."""
        for model, this, saving in self._saving:
            if saving.exception() is None:
                model.saved_at = this.seq
                self.store.checkpoints.prune(model.number)
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
            with suppress(LogFailed):
                self.log.close()

    def _refuse_all(self, error: BaseException) -> None:
        """Nobody waits for ever: neither those in hand (who has an answer keeps it) nor those that
        wait."""
        told = failure(Refused(503, f"the server cannot learn: {error}"))
        for job in self._in_hand:
            job.reply(told)
        with self._gate, suppress(Empty):
            while True:
                if (waiting := self._jobs.get_nowait()) is not None:
                    waiting.reply(told)


def no_model(name: str) -> Refused:
    return Refused(404, f"no model {name!r}.")


def bad_name(name: str) -> Refused:
    return Refused(
        422, f"the name {name[:120]!r}; expected up to 100 letters, digits, dots, dashes, _."
    )


def digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=12).hexdigest()


NONE: set[str] = set()


def claims_of(job: Job) -> set[str]:
    """What two jobs of one group may not both have."""
    if job.ids is None and job.key is None:
        return NONE
    claims = {f"id {one}" for one in job.ids or () if one is not None}
    if job.key is not None:
        claims.add(f"key {job.key}")
    return claims


def plan_learn(model: ServedModel, job: Job) -> Planned | None:
    planned = Planned(job, Kind.LEARN, job.body.rstrip(b"\n"))
    if job.key is not None:
        planned.meta |= {"key": job.key, "digest": digest(job.body)}
    if job.ids is not None and not _leave_out_known(model, planned, job.ids):
        job.reply(answer(200, {"learned": 0, "seq": model.seq, "repeated": True}))
        return None
    return planned


def _leave_out_known(model: ServedModel, planned: Planned, ids: Sequence[str | None]) -> bool:
    """Events that were learned before become blank lines; whether any is left."""
    lines = planned.raw.split(b"\n")
    places = [i for i, line in enumerate(lines) if line.strip()]
    if len(places) != len(ids):
        raise Refused(422, f"{len(ids)} ids for {len(places)} events; expected one for each.")
    new: dict[str, str] = {}
    noted: list[tuple[int, str, str]] = []
    left = 0
    for place, one in zip(places, ids, strict=True):
        mark = digest(lines[place].strip())
        if one is None or (known := new.get(one) or model.ids.get(one)) is None:
            left += 1
            if one is not None:
                new[one] = mark
                noted.append((place + 1, one, mark))
        elif known == mark:
            lines[place] = b""
        else:
            raise Refused(422, f"the id {one!r} was used with another event.")
    planned.raw = b"\n".join(lines)
    if noted:
        planned.meta["events"] = noted
    return left > 0


def plan_keep(model: ServedModel, job: Job) -> Planned | None:
    """The prediction is made now, and goes into the log with the event."""
    assert job.ids is not None
    batch = model.champion.parse_unlabelled(job.body)
    if batch.bad:
        found = [{"line": b["line"] + 1, "problem": f"{b['problem']}."} for b in batch.bad]
        raise all_bad(found)
    answers = model.champion.predict(batch)
    lines = [line for line in job.body.split(b"\n") if line.strip()]
    if not len(answers) == len(lines) == len(job.ids):
        raise Refused(422, f"{len(job.ids)} ids for {len(answers)} events; expected one for each.")
    for one, line in zip(job.ids, lines, strict=True):
        if one is None:
            raise Refused(422, "some events have an id and some have none; expected all or none.")
        if model.gone.get(one) == "labelled":
            raise Refused(409, f"the prediction with the id {one!r} has its label already.")
        if (kept := model.kept.get(one)) is not None and kept.line != line:
            raise Refused(422, f"the id {one!r} was used with another event.")
    meta = {"ids": job.ids, "predictions": [a["prediction"] for a in answers]}
    whole = {"predictions": answers, "seq": model.seq}
    if job.single:
        whole = {**answers[0], "seq": model.seq}
    return Planned(job, Kind.KEEP, b"\n".join(lines), meta, whole)


def plan_label(model: ServedModel, job: Job) -> Planned:
    assert job.ids is not None
    (kept_id,) = job.ids
    assert kept_id is not None
    kept = model.find_kept(kept_id, time.time())
    if kept == "unknown":
        raise Refused(404, f"no prediction with the id {kept_id!r} is kept.")
    if kept == "expired":
        raise Refused(410, f"the prediction with the id {kept_id!r} is not kept any more.")
    if kept == "labelled":
        raise Refused(409, f"the prediction with the id {kept_id!r} has its label already.")
    assert not isinstance(kept, str)
    line = model.labelled_line(kept, job.label, job.weight)
    meta: dict[str, Any] = {"id": kept_id, "label": job.label}
    if job.key is not None:
        meta |= {"key": job.key, "digest": digest(job.body)}
    return Planned(job, Kind.LABEL, line, meta, {"prediction": kept.prediction})


def told(planned: Planned, outcome: Outcome) -> Answer:
    """What a client gets to know."""
    if planned.kind == Kind.LEARN:
        if not outcome.refused and outcome.predictions is None:
            return Answer(200, b'{"learned": %d, "seq": %d}' % (outcome.learned, outcome.seq))
        if not outcome.learned:
            return answer(422, {"error": outcome.refused[0]["problem"], **outcome.as_json()})
        return answer(200, outcome.as_json())
    if planned.kind == Kind.KEEP:
        return answer(200, planned.answer)
    status = 200 if outcome.learned else 422
    error = {} if outcome.learned else {"error": outcome.refused[0]["problem"]}
    return answer(status, {**error, **outcome.as_json(), **planned.answer})


def told_again(known: dict[str, Any]) -> Answer:
    """What a client was told under the same key."""
    if known["learned"]:
        return answer(200, {**known, "repeated": True})
    return answer(422, {"error": known["refused"][0]["problem"], **known, "repeated": True})


def all_bad(found: list[dict[str, Any]]) -> Refused:
    if not found:
        return Refused(422, "no event; expected at least one.")
    return Refused(422, found[0]["problem"], learned=0, refused=found)


def blanked(raw: bytes, bad: Iterable[dict[str, Any]]) -> bytes:
    """Without bad lines; the others keep their numbers."""
    lines = raw.split(b"\n")
    for one in bad:
        lines[one["line"] - 1] = b""
    return b"\n".join(lines)


def ids_of(options: ModelOptions, body: bytes) -> tuple[list[str | None] | None, bytes]:
    """The ids of the events of a body, if any has one, and the body without them."""
    if options.id is None or options.id.encode() not in body:
        return None, body
    ids: list[str | None] = []
    lines = body.split(b"\n")
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        value, lines[i] = without_key(line, options.id)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (str, int))):
            raise Refused(
                422, f"line {i + 1}: the id is {json.dumps(value)}; expected a text or a whole "
                "number."
            )  # fmt: skip
        ids.append(None if value is None else str(value))
    return (ids if any(one is not None for one in ids) else None), b"\n".join(lines)
