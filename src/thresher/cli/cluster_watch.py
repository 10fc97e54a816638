"""How far the shards of a run are: a table on the terminal, a log for the lab."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

from thresher.cli.progress import memory
from thresher.cli.run_log import RunLog, about_run, described, stem

MOST_ROWS = 20  # of the table
MOST_LOGGED = 64  # shards of which a log keeps the errors


class ShardWatch:
    """Told by a run what its shards have done; it may be told by several threads."""

    def __init__(self, shards: list[Any], passes: int, *, quiet: bool) -> None:
        self.shards, self.passes = shards, passes
        self.log: ShardLog | None = None
        self._lock = threading.Lock()
        self._live: Any = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)

    def __enter__(self) -> ShardWatch:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._live is not None:
            self._live.__exit__(*error)

    def show(self, found: Any) -> None:
        with self._lock:
            if self._live is not None:
                self._live.update(drawn(self.shards, found, self.passes))
            if self.log is not None:
                self.log.shards_are(found)


def rows_of(found: Any) -> dict[int, dict[str, Any]]:
    """Each shard that has begun: examples, loss, weight, by whom, whether it is done."""
    if found is None:
        return {}
    rows = {i: {**told, "done": False} for i, told in list(found.told.items())}
    for i, answer in list(found.answers.items()):
        rows[i] = {"examples": answer.examples, "loss": answer.loss, "weight": answer.weight,
                   "by": answer.worker, "done": True}  # fmt: skip
    return rows


def drawn(shards: list[Any], found: Any, passes: int) -> Any:
    """Those under way first, then those done last."""
    from rich.box import SIMPLE
    from rich.table import Table

    rows = rows_of(found)
    done = sum(row["done"] for row in rows.values())
    table = Table(title=f"pass {found.number} of {passes}: {done} of {len(shards)} shards done",
                  title_justify="left", box=SIMPLE)  # fmt: skip
    folders = {os.path.dirname(str(shard)) for shard in shards}
    hidden = len(folders.pop()) + 1 if len(folders) == 1 and "" not in folders else 0
    for name in ("shard", "examples", "%", "loss", "worker"):
        table.add_column(name, justify="left" if name in ("shard", "worker") else "right")
    order = sorted(rows, key=lambda i: (rows[i]["done"], i))[:MOST_ROWS]
    for i in order:
        row = rows[i]
        loss = f"{row['loss'] / row['weight']:.4f}" if row["weight"] else ""
        share = 1.0 if row["done"] else row["bytes"] / max(1, shards[i].bytes)
        table.add_row(str(shards[i])[hidden:], f"{row['examples']:,}",
                      f"{100 * min(1.0, share):.0f}", loss,
                      row["by"], style="dim" if row["done"] else "")  # fmt: skip
    return table


class ShardLog(RunLog):
    """The log of a run over shards: as that of a race, with shards in the place of learners."""

    def __init__(self, folder: str, path: str, lesson: Any, shards: list[Any], passes: int) -> None:
        self._shards = shards
        self._found: Any = None
        self._before = 0
        self._model: Any = None
        self._started = time.monotonic()
        about = about_run(
            "shards", stem(path), lesson.learner, described([str(shard) for shard in shards]),
            settings=" ".join([lesson.learner, *lesson.settings]), model=path, passes=passes,
            total_bytes=sum(shard.bytes for shard in shards),
            runners=[str(shard)[-100:] for shard in shards[:MOST_LOGGED]],
        )  # fmt: skip
        super().__init__(folder, about, self._now, lambda: self._model)

    def shards_are(self, found: Any) -> None:
        if self.ended:
            return
        if self._found is not None and found.number != self._found.number:
            self._before += int(self._found.total("examples"))
        milestone = self._found is None or len(found.answers) == len(self._shards)
        self._found = found
        self.look(milestone)

    def mixed(self, learner: Any) -> None:
        """A pass is over, and this is its model."""
        self._model = learner

    def _now(self) -> dict[str, Any]:
        rows = rows_of(self._found)
        loss, weight = (sum(row[name] for row in rows.values()) for name in ("loss", "weight"))
        regress = self._model is not None and self._model.task == "regress"
        measure = "squared_error" if regress else "error"
        done = sum(
            self._shards[i].bytes if row["done"] else row["bytes"] for i, row in rows.items()
        )
        logged = range(min(len(self._shards), MOST_LOGGED))
        return {
            "examples": self._before + sum(row["examples"] for row in rows.values()),
            "seconds": round(time.monotonic() - self._started, 3),
            "bytes_read": int(done),
            "pass": 1 if self._found is None else self._found.number,
            measure: loss / weight if weight else None,
            "recent": None,
            "held_out_" + measure: None,
            "features": None if self._model is None else self._model.known_features,
            "memory_bytes": memory(),
            "errors": [
                rows[i]["loss"] / rows[i]["weight"] if i in rows and rows[i]["weight"] else None
                for i in logged
            ],
        }

    def _write_weights(self) -> None:
        if self._model is not None:
            super()._write_weights()
        rows = rows_of(self._found)
        self._file.write(
            {
                "event": "standings",
                "time": time.time(),
                "examples": self._before,
                "standings": [
                    {
                        "name": str(self._shards[i])[-100:],
                        "error": row["loss"] / row["weight"] if row["weight"] else None,
                        "examples": row["examples"],
                        "reason": row["by"],
                    }
                    for i, row in sorted(rows.items())[:MOST_LOGGED]
                ],
            }
        )
