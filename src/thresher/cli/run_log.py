"""The log of a run: JSON lines in its own file, for the lab and other observers.

The first line describes the run, the last one says how it ended; in between are reports, and less
often the largest weights. A run is never cut for the sake of its log, so what is learned is the
same with and without one; and a log that cannot be written never ends a run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from thresher.cli.report import say

FORMAT = 1  # of the lines
REPORT_SECONDS = 0.5  # at least between two reports
REPORTS = 2000  # enough lines for a run of any length
WEIGHTS_SECONDS = 5.0
WEIGHTS_SHARE = 0.01  # of the time, at most, is spent on reading weights
START_BYTES = 1 << 18  # a first line is shorter
COMMAND_LETTERS = 4000


class LogWriter:
    """Whole lines, appended at once to a file that no other process writes."""

    def __init__(self, folder: str, name: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self.id = os.urandom(4).hex()
        when = time.strftime("%Y%m%d-%H%M%S")
        short = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "run"
        self.path = os.path.join(folder, f"{when}-{short}-{self.id}.jsonl")
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
        self._warned = False
        self._torn = False

    def write(self, line: dict[str, Any]) -> None:
        text = json.dumps(line, allow_nan=False) + "\n"
        data = (b"\n" if self._torn else b"") + text.encode()
        try:
            if os.fstat(self._file).st_nlink == 0:
                self._warn("it was removed")
                return
            written = os.write(self._file, data)
            self._torn = written < len(data)
            if self._torn:
                self._warn("there is no room for a whole line")
        except OSError as error:
            self._warn(error.strerror or str(error))

    def _warn(self, why: str) -> None:
        if not self._warned:
            self._warned = True
            say(f"{self.path}: the log cannot be written ({why}); the run goes on without it.")

    def close(self) -> None:
        if self._file >= 0:
            with suppress(OSError):
                os.close(self._file)
            self._file = -1


def about_run(
    kind: str,
    name: str,
    learner: Any,
    data: list[str],
    *,
    settings: str | None = None,
    model: str | None = None,
    passes: int = 1,
    total_bytes: int | None = None,
    examples_before: int = 0,
    before: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """What the first line says about a run; `learner` is one, or what to call it."""
    return {
        "kind": kind,
        "name": name,
        "learner": learner if isinstance(learner, str) else type(learner).__name__,
        "settings": (repr(learner) if settings is None else settings)[:2000],
        "data": data,
        "model": None if model is None else os.path.realpath(model),
        "passes": passes,
        "total_bytes": total_bytes,
        "examples_before": examples_before,
        "before": before,
        **more,
    }


class RunLog:
    """When to write what; the figures come from the caller."""

    def __init__(
        self,
        folder: str,
        about: dict[str, Any],
        figures: Callable[[], dict[str, Any]],
        learner: Callable[[], Any],
    ) -> None:
        """`about` is the first line; `learner` is whose weights are shown."""
        self._file = LogWriter(folder, about["name"])
        self._figures, self._learner = figures, learner
        self._began = self._reported = time.monotonic()
        self._weighed, self._weighing = 0.0, 0.0  # when last, and how long it took
        self._skips = False
        self._told = about["examples_before"]
        self.ended = False
        self._file.write(
            {
                "event": "start",
                "log": FORMAT,
                "id": self._file.id,
                "time": time.time(),
                "version": _version(),
                "command": shlex.join(["thresher", *sys.argv[1:]])[:COMMAND_LETTERS],
                **about,
            }
        )

    @property
    def path(self) -> str:
        return self._file.path

    def look(self, milestone: bool) -> None:
        """After each piece of the run; a milestone is always written."""
        now = time.monotonic()
        gap = max(REPORT_SECONDS, (now - self._began) / REPORTS)
        if milestone or now - self._reported >= gap:
            self._reported = now
            self._report()
            self._look_at_weights(now, milestone)

    def _report(self) -> None:
        figures = self._figures()
        self._told = figures["examples"]
        self._file.write({"event": "report", "time": time.time(), **figures})

    def drift(self, change: dict[str, Any]) -> None:
        """The error has risen: a mark on the curve."""
        self._file.write({"event": "drift", "time": time.time(), **change})

    def learned(self, examples: int) -> None:
        """All is learned; what follows (saving) takes its own time."""
        if examples != self._told:
            self._report()

    def _look_at_weights(self, now: float, milestone: bool) -> None:
        elapsed = now - self._began
        gap = max(WEIGHTS_SECONDS, elapsed / 100)
        if milestone:
            gap = 1.0  # at first the counts double faster than anyone can follow
        gap = max(gap, self._weighing / WEIGHTS_SHARE)
        if elapsed - self._weighed >= gap:
            self._weighed = elapsed
            self._write_weights()
            self._weighing = time.monotonic() - now

    def _write_weights(self) -> None:
        from thresher.cli.weights_seen import weights_seen

        seen = weights_seen(self._learner())
        if seen is None or ("skipped" in seen and self._skips):
            return
        self._skips = "skipped" in seen
        self._file.write({"event": "weights", "time": time.time(), **seen})

    def end(self, state: str, **more: Any) -> None:
        """The last line: "done", "stopped", or "failed" with a message."""
        if self.ended:
            return
        self.ended = True
        try:
            if state != "failed":
                self._write_weights()
            self._file.write(
                {"event": "end", "time": time.time(), "state": state, **self._figures(), **more}
            )
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self.end("done")
        elif isinstance(error, KeyboardInterrupt):
            self.end("stopped")
        else:
            self.end("failed", message=f"{error or type(error).__name__}"[:2000])


def run_before(folder: str, model: str) -> str | None:
    """The last log in the folder of a run that saved this model."""
    place = os.path.realpath(model)
    for name in sorted(_logs(folder), reverse=True):
        start = first_line(os.path.join(folder, name))
        if start and start.get("model") == place:
            return name
    return None


def _logs(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(".jsonl")]
    except OSError:
        return []


def first_line(path: str) -> dict[str, Any] | None:
    """What a log says about its run; nothing if it is not a log."""
    try:
        with open(path, "rb") as file:
            line = json.loads(file.readline(START_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) and line.get("event") == "start" else None


def described(data: Any) -> list[str]:
    """Names of files, not more than a first line can hold."""
    names = [str(name)[:400].encode("utf-8", "replace").decode() for name in data[:20]]
    return names + ([f"… {len(data):,} in all"] if len(data) > 20 else [])


def stem(path: str) -> str:
    """The name of a file without folders and suffixes."""
    if path == "-":
        return "pipe"
    base = os.path.basename(path.rstrip("/"))
    return base.split(".", 1)[0] or base


def _version() -> str:
    import thresher

    return thresher.__version__
