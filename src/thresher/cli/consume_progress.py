"""What a run over a stream shows in progress: the same as one over files, and how far behind."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from thresher.cli.progress import Watcher, finite, memory
from thresher.cli.report import say

FIGURES_SECONDS = 1.0
RATE_SECONDS = 5.0


class StreamWatcher(Watcher):
    """Observes a `Consumption` after each piece."""

    def __init__(self, run: Any, *, quiet: bool) -> None:
        super().__init__(run, quiet=quiet)
        self.run = run
        self.dead_before = run.dead
        self._prometheus: dict[str, float | None] = {}
        self._taken_at = 0.0
        self._before = deque([(self.started, run.events)])

    def look(self) -> None:
        super().look()
        if time.monotonic() - self._taken_at >= FIGURES_SECONDS:
            self._taken_at = time.monotonic()
            self._prometheus = self._now()

    def tell(self, text: str) -> None:
        """Above the live line, if there is one."""
        if self.display:
            self.display.console.print(text, markup=False, highlight=False)
        else:
            say(text)

    def for_prometheus(self) -> dict[str, float | None]:
        """For another thread: as of the last look."""
        return self._prometheus

    def _now(self) -> dict[str, float | None]:
        run = self.run
        return {
            "events_total": run.events,
            "dead_letters_total": run.dead,
            "unlabelled_total": run.progress.unlabelled,
            "loss_mean": finite(self.loss.all),
            "features": run.learner.known_features,
            "saves_total": run.saves,
            "unsaved_events": run.events - run.saved_at,
            "up": float(not run.away),
            **self.lag(),
        }

    def lag(self) -> dict[str, float | None]:
        lag, seconds = self.run.lag()
        return {
            "lag_events": lag.events,
            "lag_bytes": lag.bytes,
            "lag_seconds": None if seconds is None else round(seconds, 3),
        }

    def told_lag(self) -> str:
        lag = self.lag()
        many = f"{lag['lag_events']:,}" if lag["lag_events"] is not None else (
            f"{lag['lag_bytes'] or 0:,} B")  # fmt: skip
        if not lag["lag_events"] and not lag["lag_bytes"]:
            return "0"
        return many if lag["lag_seconds"] is None else f"{many}, {lag['lag_seconds']:.0f} s"

    def row(self) -> None:
        if not self.has_head:
            self.has_head = True
            say(f"{'error' if self.classifies else 'sq.err':>8} {'recent':>8} {'events':>12} "
                f"{'features':>11} {'dead':>8} {'seconds':>8}  behind")  # fmt: skip
        say(f"{self.shown_loss(self.loss.all):>8} {self.shown_loss(self.loss.recent):>8} "
            f"{self.run.events:>12,} {self.run.learner.known_features:>11,} {self.run.dead:>8,} "
            f"{self.seconds():>8.1f}  {self.told_lag()}")  # fmt: skip

    def rate(self) -> float:
        return float(self.run.events - self.run.events_before) / max(self.seconds(), 1e-3)

    def _rate_now(self) -> float:
        """Over the last seconds: a stream that waits has none."""
        now = time.monotonic()
        self._before.append((now, self.run.events))
        while len(self._before) > 2 and now - self._before[0][0] > RATE_SECONDS:
            self._before.popleft()
        then, events = self._before[0]
        return float(self.run.events - events) / max(now - then, 1e-3)

    def line(self) -> str:
        parts = [
            f"{self.run.events:,} events",
            f"{self._rate_now():,.0f}/s",
            f"error {self.shown_loss(self.loss.all)}",
            f"recent {self.shown_loss(self.loss.recent)}",
            f"{self.run.dead:,} dead" if self.run.dead else "",
            "the stream is away" if self.run.away else f"behind {self.told_lag()}",
            f"{memory() / 1e6:.0f} MB",
        ]
        return "  ".join(filter(None, parts))

    def place(self) -> dict[str, Any]:
        run = self.run
        return {"pass": 1, "events": run.events, "dead_letters": run.dead, **self.lag()}

    def summary(self) -> dict[str, Any]:
        found = super().summary()
        return {
            "stream": self.run.stream.name,
            "events": self.run.events,
            "dead_letters": self.run.dead,
            **self.lag(),
            **found,
        }

    def summary_lines(self) -> list[str]:
        found, what = self.summary(), "error" if self.classifies else "squared error"
        here = self.run.events - self.run.events_before
        lines = [
            f"{found['learner']}: {found['events']:,} events, {here:,} of them in "
            f"{found['seconds']:.1f} s ({self.rate():,.0f}/s), {what} "
            f"{self.shown_loss(self.loss.all)} before learning each; behind: {self.told_lag()}",
            f"{found['features']:,} features, names {found['names_bytes'] / 1e6:.1f} MB, "
            f"process {found['memory_bytes'] / 1e6:.0f} MB",
        ]
        if found["unlabelled"]:
            lines.append(f"{found['unlabelled']:,} events without a label were not learned")
        if self.loss.held_out is not None:
            lines.insert(1, f"held out: {what} {self.shown_loss(self.loss.held_out)}")
        if "drift" in found:
            lines += self.drift_lines(found["drift"])
        return lines
