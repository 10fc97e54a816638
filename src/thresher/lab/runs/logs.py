"""Runs of `thresher train --log` and `thresher race --log`, as the page shows them."""

from __future__ import annotations

import math
import time
from typing import Any

from thresher.lab import check
from thresher.lab.runs.log_files import (
    LogFile,
    Opened,
    first_line,
    last_lines,
    log_files,
    new_lines,
)
from thresher.lab.runs.log_files import opened as opened_log

MOST_AT_ONCE = 8  # logs read in one answer
MOST_POINTS = 600  # of one log in one answer
MOST_RUNNERS = 64
MOST_MARKS = 200  # changes of drift of one log in one answer
SILENT_SECONDS = 10.0
FIGURES = ("examples", "seconds", "time", "bytes_read", "recent", "features", "memory_bytes",
           "lag_events", "lag_bytes", "lag_seconds")  # fmt: skip


def listed(given: Any, folder: str | None) -> dict[str, Any]:
    """All runs in the folder, the latest first."""
    check.fields("the question", given, ())
    found = log_files(folder)
    if found is None:
        return {"missing": True, "folder": _text(folder, 400), "runs": [], "left_out": 0}
    files, left_out = found
    runs = [run for file in files if (run := _described(str(folder), file)) is not None]
    runs.sort(key=lambda run: -run["started"])
    return {
        "missing": False,
        "folder": _text(folder, 400),
        "runs": runs,
        "left_out": left_out,
    }


def read(given: Any, folder: str | None) -> dict[str, Any]:
    """What the logs of some runs hold since the page read them last."""
    asked = check.fields("the question", given, ("logs",))
    wanted = check.items("logs", asked.get("logs"), MOST_AT_ONCE, _wanted)
    found = log_files(folder)
    by_id = {} if found is None else {file.id: file for file in found[0]}
    return {
        "logs": {
            one["id"]: _read(str(folder), by_id.get(one["id"]), one["from"], one["mark"])
            for one in wanted
        }
    }


def _wanted(name: str, value: Any) -> dict[str, Any]:
    one = check.fields(name, value, ("id", "from", "mark"))
    return {
        "id": check.word(f"{name}.id", one.get("id"), most=40),
        "from": check.whole(f"{name}.from", one.get("from", 0), 0, 2**53),
        "mark": check.word(f"{name}.mark", one.get("mark", ""), most=80),
    }


# -- one run in the list


def _described(folder: str, file: LogFile) -> dict[str, Any] | None:
    try:
        with opened_log(folder, file) as log:
            start = first_line(log)
            if start is None:
                return None
            end: dict[str, Any] | None = None
            last: dict[str, Any] = {}
            for line in last_lines(log):
                if line.get("event") == "end":
                    end = last = line
                    break
                if line.get("event") == "report":
                    last = line
                    break
    except OSError:
        return None
    state, silent = _state(start, last, end, log.changed)
    return {
        "id": file.id,
        "mark": _mark(log, start),
        "file": _text(f"{file.folder}/{file.name}" if file.folder else file.name, 300),
        **_start(start),
        "state": state,
        "silent": silent,
        "message": _text(end.get("message"), 2000) if end else "",
        "size": log.size,
        "changed": log.changed,
        **_figures(last),
    }


def _state(
    start: dict[str, Any], last: dict[str, Any], end: dict[str, Any] | None, changed: float
) -> tuple[str, float]:
    """The state of a run; one that is silent for long may be waiting, or have been killed."""
    if end is not None:
        state = end.get("state")
        return (state if state in ("done", "stopped", "failed") else "done"), 0.0
    age = max(0.0, time.time() - changed)
    seconds = _number(last.get("seconds")) or 0.0
    if age > max(SILENT_SECONDS, seconds / 400):  # a long run writes less often
        return "silent", round(age)
    return "running", 0.0


def _start(start: dict[str, Any]) -> dict[str, Any]:
    """What can be shown of the first line."""
    data, runners = start.get("data"), start.get("runners")
    return {
        "run": _text(start.get("id"), 40),
        "name": _text(start.get("name"), 80) or "run",
        "kind": kind if (kind := start.get("kind")) in ("race", "shards") else "train",
        "learner": _text(start.get("learner"), 80),
        "settings": _text(start.get("settings"), 400),
        "command": _text(start.get("command"), 2000),
        "version": _text(start.get("version"), 40),
        "data": [_text(d, 400) for d in data[:21]] if isinstance(data, list) else [],
        "before": _text(start.get("before"), 300),
        "started": _number(start.get("time")) or 0.0,
        "passes": _number(start.get("passes")) or 1,
        "total_bytes": _number(start.get("total_bytes")),
        "examples_before": _number(start.get("examples_before")) or 0,
        "runners": [_text(r, 120) for r in runners[:MOST_RUNNERS]]
        if isinstance(runners, list)
        else [],
    }


def _figures(line: dict[str, Any]) -> dict[str, Any]:
    """Of a report, or of the last line."""
    measure = "squared_error" if "squared_error" in line else "error"
    return {
        **{name: _number(line.get(name)) for name in FIGURES},
        "pass": _number(line.get("pass")),
        "measure": measure,
        "average": _number(line.get(measure)),
        "held_out": _number(line.get(f"held_out_{measure}")),
    }


# -- the lines of one run


def _read(folder: str, file: LogFile | None, begin: int, mark: str) -> dict[str, Any]:
    if file is None:
        return {"gone": True}
    try:
        with opened_log(folder, file) as log:
            start = first_line(log)
            now = _mark(log, start)
            restart = begin > 0 and (mark != now or begin > log.size)
            lines, position, damaged = new_lines(log, 0 if restart else begin)
    except OSError:
        return {"gone": True}
    return {
        "restart": restart,
        "mark": now,
        "from": position,
        "more": position < log.size and bool(lines or damaged),
        "damaged": damaged,
        **_sorted(lines),
    }


def _mark(log: Opened, start: dict[str, Any] | None) -> str:
    """Which file and which run it is: another one may get its name."""
    return f"{log.inode:x}-{_text(start.get('id'), 40) if start else ''}"


def _sorted(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The lines by kind; of what is drawn once, the last."""
    points: list[dict[str, Any]] = []
    out: dict[str, Any] = {"weights": None, "standings": None, "end": None, "drift": []}
    for line in lines:
        event = line.get("event")
        if event in ("report", "end") and _number(line.get("examples")) is not None:
            points.append(_figures(line) | {"errors": _numbers(line.get("errors"))})
        if event == "end":
            out["end"] = {"state": _text(line.get("state"), 20)}
        elif event == "weights":
            out["weights"] = _weights(line)
        elif event == "drift" and _number(line.get("example")) is not None:
            out["drift"].append(_drift(line))
        elif event == "standings":
            out["standings"] = _standings(line.get("standings"))
    out["drift"] = out["drift"][-MOST_MARKS:]
    columns = (*FIGURES, "average", "held_out", "errors")
    out["columns"] = list(columns)
    out["points"] = [[point[name] for name in columns] for point in thinned(points, MOST_POINTS)]
    return out


def thinned(points: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first, the last, and others evenly spaced where examples are counted by doublings."""
    if len(points) <= most:
        return points
    logs = [math.log1p(max(0.0, point["examples"])) for point in points]
    low, high = min(logs), max(logs)
    width = (high - low) / (most - 2) or 1.0
    kept, cell = [points[0]], -1
    for point, at in zip(points[1:-1], logs[1:-1], strict=True):
        if int((at - low) / width) != cell:
            cell = int((at - low) / width)
            kept.append(point)
    return [*kept[: most - 1], points[-1]]


def _drift(line: dict[str, Any]) -> dict[str, Any]:
    """A moment at which the error had risen."""
    action = line.get("action")
    return {
        "example": _number(line.get("example")),
        "action": action if action in ("report", "reset", "forget") else "report",
        "before": _number(line.get("before")),
        "at": _number(line.get("at")),
    }


def _weights(line: dict[str, Any]) -> dict[str, Any]:
    top, spread = line.get("top"), line.get("histogram")
    edges = _numbers(spread.get("edges")) if isinstance(spread, dict) else []
    counts = _numbers(spread.get("counts")) if isinstance(spread, dict) else []
    fits = len(edges) == len(counts) + 1 and None not in edges and None not in counts
    return {
        "examples": _number(line.get("examples")),
        "skipped": _text(line.get("skipped"), 200),
        "top": [_column(one) for one in top[:8]] if isinstance(top, list) else [],
        "labels": _number(line.get("labels")),
        "weights": _number(line.get("weights")),
        "zeros": _number(line.get("zeros")),
        "histogram": {"edges": edges, "counts": counts} if fits and counts else None,
    }


def _column(one: Any) -> dict[str, Any]:
    """The features of a label: [name, weight]."""
    one = one if isinstance(one, dict) else {}
    features = one.get("features")
    return {
        "for": _text(one.get("for"), 120),
        "against": _text(one.get("against"), 120),
        "features": [
            [_text(pair[0], 120), weight]
            for pair in (features[:40] if isinstance(features, list) else [])
            if isinstance(pair, list)
            and len(pair) == 2
            and (weight := _number(pair[1])) is not None
        ],
    }


def _standings(rows: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": _text(row.get("name"), 120),
            "error": _number(row.get("error")),
            "interval": _numbers(row.get("interval"))[:2],
            "examples": _number(row.get("examples")),
            "dropped_at": _number(row.get("dropped_at")),
            "reason": _text(row.get("reason"), 300),
            "rate": _number(row.get("rate")),
        }
        for row in (rows[:MOST_RUNNERS] if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]


# -- what a file holds may be anything


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if abs(value) <= 1e300 else None  # also NaN


def _numbers(values: Any) -> list[Any]:
    return [_number(v) for v in values[:256]] if isinstance(values, list) else []


def _text(value: Any, most: int) -> str:
    """Characters that UTF-8 cannot encode are replaced."""
    if not isinstance(value, str):
        return ""
    return value[:most].encode("utf-8", "replace").decode()
