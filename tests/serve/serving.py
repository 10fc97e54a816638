"""A writer without HTTP, and what files it and `thresher train` end with."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from thresher.serve.log import Kind
from thresher.serve.options import ModelOptions, model_options
from thresher.serve.planning import Answer, Job, ids_of
from thresher.serve.store import learned_lines
from thresher.serve.writer import Writer


class Direct:
    """Calls of a writer that wait for its answers."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.writer = Writer(folder, **settings)
        self.writer.start()
        while not self.writer.ready:
            if self.writer.broken:
                raise self.writer.broken
            threading.Event().wait(0.002)

    def later(self, job: Job) -> Any:
        """Give a job to the writer; the function returned waits for its answer."""
        done, box = threading.Event(), []

        def reply(told: Answer) -> None:
            box.append(told)
            done.set()

        job.reply = reply
        self.writer.submit(job)

        def wait() -> tuple[int, Any]:
            assert done.wait(60)
            return box[0].status, json.loads(box[0].body)

        return wait

    def job(self, kind: Kind, model: str, text: str | bytes, **more: Any) -> Job:
        body = text.encode() if isinstance(text, str) else text
        options = self.writer.store.names[model].options
        ids, body = ids_of(options, body)
        return Job(kind, model, body, lambda told: None, **{"ids": ids, **more})

    def learn(self, model: str, text: str | bytes, **more: Any) -> tuple[int, Any]:
        return self.later(self.job(Kind.LEARN, model, text, **more))()

    def keep(self, model: str, text: str, *ids: str) -> tuple[int, Any]:
        return self.later(self.job(Kind.KEEP, model, text, ids=list(ids)))()

    def label(self, model: str, kept: str, label: Any, **more: Any) -> tuple[int, Any]:
        job = Job(Kind.LABEL, model, b"", lambda told: None, ids=[kept], label=label, **more)
        return self.later(job)()

    def do(self, what: Any) -> tuple[int, Any]:
        return self.later(Job(None, "", b"", lambda told: None, do=what))()

    def create(self, name: str, **options: Any) -> ModelOptions:
        made = model_options({"label": "y", **options} if "format" not in options else options)
        status, told = self.do(lambda: self.writer.create(name, made)[1])
        assert status == 200, told
        return made

    def predict(self, model: str, text: str) -> list[Any]:
        pupil = self.writer.store.names[model].champion
        return [row["prediction"] for row in pupil.predict(pupil.parse_unlabelled(text.encode()))]

    def hash(self, model: str) -> str:
        pupil = self.writer.store.names[model].champion
        with pupil.lock:  # a checkpoint notes in the learner what made it
            return hash_of(pupil.learner, self.folder)

    def export(self, model: str, path: Path) -> None:
        served = self.writer.store.names[model]
        path.write_bytes(b"".join(learned_lines(self.writer.store, served)))

    def stop(self) -> None:
        self.writer.stop()
        self.writer.join()
        assert self.writer.broken is None

    def kill(self) -> None:
        """As after kill -9: nothing is synced, drained or saved."""
        self.writer._end = lambda: None  # type: ignore[method-assign]
        self.writer.stop()
        self.writer.join()
        self.writer._saver.shutdown(cancel_futures=True)  # its thread would outlive this kill
        import os

        os.close(self.writer.log._file)
        os.close(self.writer.log._lock)


@contextmanager
def direct(folder: Path, **settings: Any) -> Iterator[Direct]:
    server = Direct(folder, **settings)
    try:
        yield server
    finally:
        server.stop()


def hash_of(learner: Any, folder: Path) -> str:
    """SHA-256 of the model file, without the note of which run made it."""
    path = folder / "compared.model"
    learner.settle()
    learner.provenance_ = {}
    learner.save(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trained(options: ModelOptions, data: Path, folder: Path) -> str:
    """The same of what `thresher train` makes of a file."""
    from thresher.training import fit_files

    fresh = options.new_learner().fresh()
    reading = options.reading.as_kept()
    fit_files(fresh, data, format=options.format, **reading)
    return hash_of(fresh, folder)
