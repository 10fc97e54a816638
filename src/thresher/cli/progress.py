"""What a run shows in progress: a live line on a terminal, else a table at doubling counts."""

from __future__ import annotations

import math
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from thresher.cli.report import say
from thresher.reporting import MeanLoss

if TYPE_CHECKING:
    from thresher.cli.run_log import RunLog

LIVE_SECONDS = 0.2


class Watcher:
    """Observes a run after each piece of it, and reports."""

    def __init__(self, training: Any, *, quiet: bool) -> None:
        self.training = training
        self.quiet = quiet
        self.live = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
        self.examples_before = training.examples
        self.next_report = 1
        while self.next_report <= training.examples:
            self.next_report *= 2
        self.loss = MeanLoss(training.progress)  # recent: since the last report
        self.logged = MeanLoss(training.progress)  # recent: since the last line of the log
        self.has_head = False
        self.shown = 0.0
        self.log: RunLog | None = None
        self.told = len(training.drift.changes) if training.drift else 0  # changes of drift
        self.display: Any = None

    def __enter__(self) -> Watcher:
        if self.live:
            from rich.console import Console
            from rich.live import Live

            self.display = Live(console=Console(stderr=True), refresh_per_second=5, transient=True)
            self.display.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        if self.display:
            self.display.__exit__(*details)

    @property
    def classifies(self) -> bool:
        return bool(self.training.learner.task == "classify")

    def look(self) -> None:
        if self.live and time.monotonic() - self.shown >= LIVE_SECONDS:
            self.shown = time.monotonic()
            self.display.update(self.line())
        self._tell_drift()
        doubled = self.training.examples >= self.next_report
        if self.log:
            self.log.look(doubled)
        if doubled:
            if not self.live and not self.quiet:
                self.row()
            self.loss.mark()
            while self.next_report <= self.training.examples:
                self.next_report *= 2

    def _tell_drift(self) -> None:
        drift = self.training.drift
        if drift is None or self.told == len(drift.changes):
            return
        for row in drift.report(self.training.progress)[self.told :]:
            if not self.quiet:
                say(self.told_change(row))
            if self.log:  # how it recovered is known at the end
                self.log.drift({name: value for name, value in row.items() if name != "after"})
        self.told = len(drift.changes)

    def told_change(self, row: dict[str, Any]) -> str:
        """A change in words."""
        seen = row["evidence"]
        at = "" if row["at"] is None else f" → {self.shown_loss(row['at'])}"
        found = f"{seen['detector']}: {seen['statistic']:.4g}, threshold {seen['threshold']:.4g}"
        then = {"report": "", "reset": "; the learner starts over", "forget": "; it forgets"}
        return (
            f"drift at example {row['example']:,}: "
            f"{'error' if self.classifies else 'squared error'} {self.shown_loss(row['before'])}"
            f"{at} ({found}){then[row['action']]}"
        )

    # -- figures

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def shown_loss(self, loss: float | None) -> str:
        if loss is None:
            return "–"
        return f"{100 * loss:.2f} %" if self.classifies else f"{loss:.4g}"

    def row(self) -> None:
        wide = 8 if self.classifies else 9  # 1.234e+09
        if not self.has_head:  # so that an error in the first line has no table above it
            self.has_head = True
            error = "error" if self.classifies else "sq.err"
            say(f"{error:>{wide}} {'recent':>{wide}} {'examples':>12} "
                f"{'features':>11} {'seconds':>8}")  # fmt: skip
        say(f"{self.shown_loss(self.loss.all):>{wide}} {self.shown_loss(self.loss.recent):>{wide}} "
            f"{self.training.examples:>12,} {self.training.learner.known_features:>11,} "
            f"{self.seconds():>8.1f}")  # fmt: skip

    def line(self) -> str:
        training, seconds = self.training, max(self.seconds(), 1e-9)
        rate = (training.examples - self.examples_before) / seconds
        done, size = training.reader.bytes_read, training.reader.size
        parts = [
            f"{training.examples:,} examples",
            f"{rate:,.0f}/s",
            f"{done / seconds / 1e6:.0f} MB/s",
            f"error {self.shown_loss(self.loss.all)}",
            f"recent {self.shown_loss(self.loss.recent)}",
            f"{memory() / 1e6:.0f} MB",
        ]
        if training.plan.passes > 1:
            parts.insert(0, f"pass {training.at.number + 1}/{training.plan.passes}")
        elif size and done:
            parts.append(
                f"{100 * done / size:.0f} %, {(size - done) / (done / seconds):.0f} s left"
            )
        return "  ".join(parts)

    def summary(self) -> dict[str, Any]:
        training = self.training
        name = "error" if self.classifies else "squared_error"
        learner = training.learner
        out = {
            "learner": repr(learner),
            "examples": training.examples,
            name: self.loss.all,
            "held_out_" + name: self.loss.held_out,
            "unlabelled": training.progress.unlabelled,
            "features": learner.known_features,
            "names_bytes": learner.names_bytes,
            "seconds": round(self.seconds(), 3),
            "memory_bytes": memory(),
        }
        if training.drift:
            out["drift"] = training.drift.report(training.progress)
        if self.classifies:
            changes, expected = training.progress.label_order
            out["label_changes"] = {"found": changes, "in_random_order": round(expected, 1)}
        if learner.reading_.hash_bits and learner.prepare is None:
            out["collisions"] = collisions(learner)
        if learner.live_audit is not None:
            out["audit"] = learner.live_audit.as_dict()
        return out

    def summary_lines(self) -> list[str]:
        found = self.summary()
        seconds = max(found["seconds"], 1e-3)
        rate = (self.training.examples - self.examples_before) / seconds
        what = "error" if self.classifies else "squared error"
        lines = [
            f"{found['learner']}: {found['examples']:,} examples in {seconds:.1f} s "
            f"({rate:,.0f}/s), {what} {self.shown_loss(self.loss.all)} before learning each",
            f"{found['features']:,} features, names {found['names_bytes'] / 1e6:.1f} MB, "
            f"process {found['memory_bytes'] / 1e6:.0f} MB",
        ]
        if self.loss.held_out is not None:
            lines.insert(1, f"held out: {what} {self.shown_loss(self.loss.held_out)}")
        if "drift" in found:
            lines += self.drift_lines(found["drift"])
        if "collisions" in found:
            c = found["collisions"]
            lines.append(
                f"hashed: {c['used']:,} of {c['buckets']:,} buckets used, about "
                f"{c['names']:,} names, {100 * c['share']:.1f} % of them share a bucket"
            )
        if "audit" in found:
            lines += str(self.training.learner.live_audit).splitlines()
        return lines

    def drift_lines(self, rows: list[dict[str, Any]]) -> list[str]:
        """The last changes, and how the learner recovered."""
        if not rows:
            return ["drift: none found"]
        more = [f"drift: {len(rows):,} changes, the last 10 of them:"] if len(rows) > 10 else []
        return more + [
            f"{self.told_change(row)}; {self.shown_loss(row['after'])} from there on"
            for row in rows[-10:]
        ]

    def figures(self) -> dict[str, Any]:
        """For a line of the log: what is known at no cost. `recent` is since the previous line."""
        name = "error" if self.classifies else "squared_error"
        recent = self.logged.recent
        self.logged.mark()
        return {
            "examples": self.training.examples,
            "seconds": round(self.seconds(), 3),
            **self.place(),
            name: finite(self.loss.all),
            "recent": finite(recent),
            "held_out_" + name: finite(self.loss.held_out),
            "features": self.training.learner.known_features,
            "memory_bytes": memory(),
        }

    def place(self) -> dict[str, Any]:
        """How far it is in its data."""
        training = self.training
        return {
            "bytes_read": training.reader.bytes_read,
            "pass": min(training.at.number + 1, training.plan.passes),
        }


def finite(value: float | None) -> float | None:
    """JSON has neither NaN nor infinity."""
    return value if value is not None and math.isfinite(value) else None


def collisions(learner: Any) -> dict[str, Any]:
    """Linear counting (Whang et al. 1990): how many names it takes to use `used` buckets."""
    buckets = 1 << learner.reading_.hash_bits
    used = learner.n_features_used_
    free = max(buckets - used, 1)
    names = round(-buckets * math.log(free / buckets))
    share = 1 - math.exp(-(names - 1) / buckets) if names > 1 else 0.0
    return {"buckets": buckets, "used": used, "names": names, "share": share}


def memory() -> int:
    """Resident memory of this process, in bytes."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
