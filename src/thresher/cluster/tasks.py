"""What a worker does with a shard: functions of their arguments alone. Bytes in, bytes out."""

from __future__ import annotations

import hashlib
import os
import socket
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any

from thresher.cluster.engine import tell
from thresher.cluster.manifest import Shard, fingerprint_of, readable, size_of
from thresher.data.reader import BadLines
from thresher.data.reading import ReadingOptions
from thresher.errors import ThresherError
from thresher.training import Plan, Training

FEW_LABELS = 100  # whose shares are compared
TELL_SECONDS = 0.5  # at least between two words of a shard


@dataclass(frozen=True)
class Lesson:
    """What all shards of a pass have in common."""

    learner: str
    settings: tuple[str, ...]
    reading: ReadingOptions
    plan: Plan
    on_bad_line: str = "error"
    versions: str = ""


@dataclass
class Answer:
    """What a task found; an error as text, since not every exception can travel."""

    model: bytes | None = None
    content: Any = None
    error: str | None = None
    examples: int = 0
    mistakes: int = 0
    loss: float = 0.0
    weight: float = 0.0
    bad_lines: int = 0
    first_bad: list[str] = field(default_factory=list)
    fingerprint: str = ""
    worker: str = ""
    labels: dict[Any, int] = field(default_factory=dict)
    """How often each label came, if they are few."""

    def fail(self, shard: Shard, error: Exception) -> None:
        """What went wrong, and in which shard; what may be the worker's fault, such as a full
        disk, with its name."""
        if isinstance(error, OSError):
            other = error.filename not in (None, shard.path)
            place = f"{shard}: {error.filename}" if other else str(shard)
            self.error = f"{place}: {error.strerror or error} (on the worker {self.worker})"
            return
        if isinstance(error, ThresherError):
            error.where.file = error.where.file or str(shard)
        self.error = str(error)

    def mark(self) -> bytes:
        """Equal for answers to the same task."""
        digest = hashlib.blake2b(self.model or b"", digest_size=16)
        digest.update(repr((self.error, self.examples, self.mistakes, self.loss)).encode())
        return digest.digest()


def versions() -> str:
    """What has to be the same everywhere for results to be the same."""
    import sys

    import numpy

    from thresher.version import __version__

    python = ".".join(map(str, sys.version_info[:2]))
    return f"thresher {__version__}, Python {python}, NumPy {numpy.__version__}"


def refusal(lesson: Lesson, shard: Shard, fingerprint: str) -> str | None:
    """Why this worker cannot do it."""
    if lesson.versions and lesson.versions != versions():
        return (
            f"the worker {socket.gethostname()} has {versions()}; expected {lesson.versions}, as "
            "here. Install the same on all machines."
        )
    try:
        size = size_of(shard.path)
    except OSError as error:
        return (
            f"{shard.path}: {error.strerror or error} on the worker {socket.gethostname()}; "
            "expected the file on every machine, under the same name."
        )
    if size != shard.size:
        return f"{shard.path}: {size} bytes long; expected {shard.size}, as when the run began."
    if fingerprint and fingerprint_of(shard) != fingerprint:
        return f"{shard}: its content has changed since the first pass; start over."
    return None


@dataclass
class Teller:
    """Who is told now and then how far a shard is."""

    topic: str = ""
    shard: int = 0
    told: float = 0.0

    def look(self, training: Training, worker: str) -> None:
        now = time.monotonic()
        if self.topic and now - self.told >= TELL_SECONDS:
            self.told = now
            score = training.progress.learned
            tell(self.topic, {"shard": self.shard, "examples": score.examples, "loss": score.loss,
                              "weight": score.weight, "bytes": training.reader.bytes_read,
                              "by": worker})  # fmt: skip


def train_shard(
    lesson: Lesson, shard: Shard, fingerprint: str, teller: Teller, base: bytes | None
) -> Answer:
    """The model of a shard, which starts from `base` or from nothing."""
    answer = Answer(worker=f"{socket.gethostname()}:{os.getpid()}")
    if (why := refusal(lesson, shard, fingerprint)) is not None:
        answer.error = why
        return answer
    try:
        _learn(lesson, shard, base, answer, teller)
    except (ThresherError, OSError) as error:
        answer.fail(shard, error)
    return answer


def _learn(
    lesson: Lesson, shard: Shard, base: bytes | None, answer: Answer, teller: Teller
) -> None:
    from dataclasses import replace

    from thresher.learners.table import by_short, parse_settings

    reading = lesson.reading
    bad = BadLines(lesson.on_bad_line)
    if base is None:
        cls = by_short(lesson.learner, races=False).cls
        learner: Any = cls(**parse_settings(cls, list(lesson.settings)))
        learner.begin_reading(reading)
    else:
        learner = loaded(base)
        reading = reading.as_model(learner.reading_, learner.provenance_)
        learner.provenance_ = {}
    before = learner.mistakes_ if base is not None and learner.task == "classify" else 0
    if shard.format is not None:
        reading = replace(reading, format=shard.format)
    with readable(shard) as path:
        with Training(learner, [path], reading=reading, plan=lesson.plan, bad=bad) as training:
            for _ in training:
                teller.look(training, answer.worker)
            counts = training.progress.label_counts
            if learner.task == "classify" and not learner.multi_label and len(counts) <= FEW_LABELS:
                labels = learner._labels.values
                answer.labels = {labels[k]: n for k, n in enumerate(counts) if n}
        learner.settle()
        score = training.progress.learned
        answer.examples, answer.loss, answer.weight = score.examples, score.loss, score.weight
        answer.bad_lines, answer.first_bad = bad.count, bad.first
        if not training.nothing_learned:
            if learner.task == "classify":
                answer.mistakes = int(getattr(learner, "mistakes_", 0)) - before
            learner.provenance_ = {}
            answer.model = saved(learner)
    answer.fingerprint = fingerprint_of(shard)


def answers_of_shard(lesson: Lesson, shard: Shard, model: bytes) -> Answer:
    """What metrics count: truth, predictions, scores, batch by batch."""
    from thresher.evaluate import evaluate_batches

    class Recorder:
        def __init__(self) -> None:
            self.calls: list[tuple[Any, ...]] = []

        def add(self, truth: Any, predicted: Any, *more: Any) -> None:
            self.calls.append((truth, predicted, *more))

    def answers(learner: Any, reader: Any) -> Any:
        recorder = Recorder()
        evaluate_batches(learner, reader, recorder)
        return recorder.calls

    return asked(lesson, shard, model, answers, "required")


def asked(lesson: Lesson, shard: Shard, model: bytes, ask: Any, labels: str) -> Answer:
    """`ask(learner, reader)` of a shard."""
    from thresher.data import read

    answer = Answer(worker=f"{socket.gethostname()}:{os.getpid()}")
    if (why := refusal(lesson, shard, "")) is not None:
        answer.error = why
        return answer
    try:
        learner = loaded(model)
        reading = lesson.reading
        with readable(shard) as path:
            reader = read(
                [path], model=learner, labels=labels, threads=lesson.plan.threads,
                on_bad_line=lesson.on_bad_line, format=shard.format or reading.format,
                label=reading.label, weight=reading.weight, header=reading.header,
                encoding=reading.encoding,
            )  # fmt: skip
            with reader:
                answer.content = ask(learner, reader)
            answer.bad_lines, answer.first_bad = reader.bad.count, reader.bad.first
    except (ThresherError, OSError) as error:
        answer.fail(shard, error)
    return answer


def loaded(model: bytes) -> Any:
    from thresher import model_file

    with tempfile.NamedTemporaryFile(prefix="thresher-", suffix=".model") as file:
        file.write(model)
        file.flush()
        return model_file.load_for_files(file.name)


def saved(learner: Any) -> bytes:
    from thresher import model_file

    return model_file.as_bytes(learner)
