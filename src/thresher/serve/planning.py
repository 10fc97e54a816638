"""What clients ask of the writer, checked: what will be written, and what they are told.

Nothing here changes a model or the log.
"""

from __future__ import annotations

import hashlib
import json
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.data.reader import Batch
from thresher.errors import InvalidInput, ThresherError
from thresher.serve.log import FULL, ONE, DiskFull, Frame, Kind, LogFailed
from thresher.serve.model import Outcome, ServedModel
from thresher.serve.options import ModelOptions
from thresher.serve.pupil import Piece, Pupil, events_before, has_key, without_key

LONGEST_ID = 200
JUST_ONE = {"n": 1}  # what is said about most jobs: one event, and nothing else
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
    outcome: Outcome | None = None  # instead of a body, for those who asked for it


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
    elif isinstance(error, OSError):
        status = 507 if error.errno in FULL else 503
        return answer(status, {"error": f"{error.strerror}: look at the disk, and try again."})
    return answer(status, {"error": str(error) or type(error).__name__, **more})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be told besides a prediction."""

    scores: bool = False
    probabilities: bool = False
    explain: bool = False


JUST_PREDICTIONS = Asked()


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
    asked: Asked = JUST_PREDICTIONS
    plain: bool = False  # the outcome itself is wanted, not as JSON
    do: Callable[[], Any] | None = None


@dataclass(slots=True)
class Planned:
    """A job that will be written."""

    job: Job
    kind: Kind
    raw: bytes
    meta: dict[str, Any] = field(default_factory=dict)
    answer: Any = None  # of a prediction that is kept

    def frame(self, model: int) -> Frame:
        meta = ONE if self.meta is JUST_ONE else json.dumps(self.meta).encode()
        return Frame(self.kind, model, meta, self.raw)


@dataclass(slots=True)
class Lesson:
    """What is planned for one model in one group."""

    model: ServedModel
    planned: list[Planned]
    parsed: list[Piece] | None = None


def plan(models: Mapping[str, ServedModel], jobs: Sequence[Job]) -> tuple[list[Lesson], list[Job]]:
    """What to write, by model; and the jobs that have to wait for others of this group."""
    by_model: dict[str, list[Job]] = {}
    for job in jobs:
        if (its := by_model.get(job.model)) is None:
            by_model[job.model] = [job]
        else:
            its.append(job)
    lessons: list[Lesson] = []
    later: list[Job] = []
    for name, its_jobs in by_model.items():
        model = models.get(name)
        if model is None or model.failed:
            error = no_model(name) if model is None else Refused(503, f"{model.failed}")
            for job in its_jobs:
                job.reply(failure(error))
            continue
        lesson = Lesson(model, [])
        claimed: set[str] = set()  # keys and ids
        for job in its_jobs:
            try:
                if job.ids is None and job.key is None and job.kind is Kind.LEARN:
                    lesson.planned.append(Planned(job, Kind.LEARN, job.body.rstrip(b"\n")))
                    continue
                claims = claims_of(job)
                if claims & claimed:
                    later.append(job)
                    continue
                if (planned := plan_job(model, job)) is not None:
                    claimed |= claims
                    lesson.planned.append(planned)
            except Exception as error:
                job.reply(failure(error))
        check_lines(lesson)
        if lesson.planned:
            lessons.append(lesson)
    return lessons, later


def plan_job(model: ServedModel, job: Job) -> Planned | None:
    if job.key is not None and (known := model.keys.get(job.key)):
        mark = digest(job.body)
        if not known.startswith(mark):
            raise Refused(422, f"the key {job.key!r} was used with another body.")
        job.reply(told_again(json.loads(known[len(mark) :])))
        return None
    if job.kind == Kind.LEARN:
        return plan_learn(model, job)
    return plan_keep(model, job) if job.kind == Kind.KEEP else plan_label(model, job)


def check_lines(lesson: Lesson) -> None:
    """Parse all that is to be learned: what cannot be read is answered, and not written."""
    pupil = lesson.model.champion
    while True:
        lines = [p for p in lesson.planned if p.kind is not Kind.KEEP]
        if not lines:
            return
        text = b"\n".join([p.raw for p in lines]) if len(lines) > 1 else lines[0].raw
        lesson.parsed = pieces = pupil.parse(text)
        found_bad = [
            (p.line + bad["line"], bad["problem"]) for p in pieces for bad in p.batch.core.bad
        ]
        if not found_bad and text.count(b"\n") + 1 == len(lines) == count_events(pieces):
            for planned in lines:
                if planned.meta:
                    planned.meta["n"] = 1
                else:
                    planned.meta = JUST_ONE
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


def count_events(pieces: Sequence[Piece]) -> int:
    return len(pieces[0].batch) if len(pieces) == 1 else sum(len(one.batch) for one in pieces)


def no_model(name: str) -> Refused:
    return Refused(404, f"no model {name!r}.")


def bad_name(name: str) -> Refused:
    return Refused(
        422, f"the name {name[:120]!r}; expected up to 100 letters, digits, dots, dashes, _."
    )


def digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=12).hexdigest()


def claims_of(job: Job) -> set[str]:
    """What two jobs of one group may not both have."""
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
    if found := problems_of(batch):
        raise all_bad(found)
    answers = answers_to(model.champion, batch, job.body, job.asked, job.single)
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


def answers_to(
    pupil: Pupil, batch: Batch, body: bytes, asked: Asked, single: bool
) -> list[dict[str, Any]]:
    """An answer for each event of a batch, which is what was parsed of the body."""
    if asked.explain and not single:
        raise Refused(422, "explain is for one event of JSON at a time.")
    rows = pupil.predict(batch, scores=asked.scores, probabilities=asked.probabilities)
    if asked.explain:
        rows[0]["explanation"] = pupil.explain(json.loads(body))
    return rows


def plan_label(model: ServedModel, job: Job) -> Planned:
    assert job.ids is not None
    (kept_id,) = job.ids
    assert kept_id is not None
    kept = model.find_kept(kept_id, time.time())
    if kept == "unknown":
        raise Refused(
            404,
            f"no prediction with the id {kept_id!r} is kept; expected an id that a prediction was "
            "asked with (predict?id=…).",
        )
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
    if planned.job.plain:
        return Answer(200, b"", outcome)
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


def problems_of(batch: Batch) -> list[dict[str, Any]]:
    """What could not be read, and on which line."""
    return [{"line": b["line"] + 1, "problem": f"{b['problem']}."} for b in batch.bad]


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


def checked_id(given: Any, what: str = "the id") -> str:
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_ID:
        raise Refused(
            422,
            f"{what} is {json.dumps(given)[:300]}; expected a text of 1 to {LONGEST_ID} letters, "
            "or a whole number.",
        )
    return given


def ids_of(options: ModelOptions, body: bytes) -> tuple[list[str | None] | None, bytes]:
    """The ids of the events of a body, if any has one, and the body without them."""
    if options.id is None or (mark := options.id.encode()) not in body:
        return None, body
    ids: list[str | None] = []
    lines = body.split(b"\n")
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        value, lines[i] = without_key(line, options.id)
        if value is not None and mark in lines[i] and has_key(lines[i], options.id):
            raise Refused(422, f"line {i + 1}: a second {options.id!r}; expected one.")
        ids.append(None if value is None else checked_id(value, f"line {i + 1}: the id"))
    return (ids if any(one is not None for one in ids) else None), b"\n".join(lines)
