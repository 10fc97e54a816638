"""The logs of a server's models, as of `thresher train --log`: the lab's Runs shows them live."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from thresher.cli.progress import memory
from thresher.cli.run_log import RunLog, about_run
from thresher.serve.model import ServedModel
from thresher.serve.store import Store

MOST = 200  # models that have a log at the same time: each is an open file
EVERY = 0.25  # seconds between two looks; a log writes as often as it likes


class ModelLog:
    """One model, from when it was created, or the server started, until either ends."""

    def __init__(self, folder: str, place: str, model: ServedModel) -> None:
        self.model = model
        self.began = time.monotonic()
        self._last = (0.0, 0.0)
        learner = model.champion.learner
        about = about_run("train", model.name, learner, [place], examples_before=model.events)
        self.log = RunLog(folder, about, self.figures, lambda: self.model.champion.learner)

    def figures(self) -> dict[str, Any]:
        """`recent` is since the previous line."""
        pupil = self.model.champion
        score = pupil.progress.learned
        weight, loss = score.weight - self._last[0], score.loss - self._last[1]
        self._last = (score.weight, score.loss)
        name = "error" if pupil.learner.task == "classify" else "squared_error"
        return {
            "examples": self.model.events,
            "seconds": round(time.monotonic() - self.began, 3),
            name: score.loss / score.weight if score.weight > 0 else None,
            "recent": loss / weight if weight > 0 else None,
            "features": pupil.learner.known_features,
            "memory_bytes": memory(),
        }

    def look(self) -> None:
        with self.model.champion.lock:
            self.log.look(milestone=False)

    def end(self, state: str) -> None:
        with self.model.champion.lock:
            self.log.end(state)


class ServedLogs(threading.Thread):
    """A log for each model of a store; one that was deleted, or rolled back, has ended."""

    def __init__(self, folder: str, place: str, store: Callable[[], Store]) -> None:
        super().__init__(name="thresher-runs", daemon=True)
        self.folder, self.place, self.store = folder, os.path.realpath(place), store
        self._logs: dict[int, ModelLog] = {}
        self._stopping = threading.Event()

    def run(self) -> None:
        while not self._stopping.wait(EVERY):
            self.look()
        for log in self._logs.values():
            log.end("done")

    def look(self) -> None:
        models = dict(self.store().models)
        for number, log in list(self._logs.items()):
            if models.get(number) is not log.model:
                log.end("stopped")
                del self._logs[number]
        for number, model in models.items():
            if number not in self._logs:
                if len(self._logs) >= MOST:
                    continue
                self._logs[number] = ModelLog(self.folder, self.place, model)
            self._logs[number].look()

    def stop(self) -> None:
        self._stopping.set()
        if self.is_alive():
            self.join()
