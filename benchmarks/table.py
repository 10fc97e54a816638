"""What was measured, as one table for readers and one file for machines."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("thresher", "numpy", "scipy", "scikit-learn", "river", "numba", "vowpalwabbit")


@dataclass(frozen=True)
class Row:
    """One figure: a ratio of times or of memory, or the amount itself where there is no peer."""

    work: str
    against: str
    ours: float  # seconds, MB or bytes
    theirs: float | None
    unit: str  # "× faster", "× the time" or "s"; "× the memory" or "MB"; "bytes"
    checked: str  # what was found equal before the clock started
    at_least: float | None = None
    at_most: float | None = None

    @property
    def figure(self) -> float:
        if self.theirs is None:
            return self.ours
        if self.unit == "× faster":
            return self.theirs / self.ours
        return self.ours / self.theirs

    @property
    def to_reach(self) -> str:
        if self.at_least is not None:
            return f"≥ {self.at_least:g}"
        if self.at_most is not None:
            return f"≤ {self.at_most:g}"
        return ""

    @property
    def reached(self) -> bool | None:
        if self.at_least is not None:
            return self.figure >= self.at_least
        if self.at_most is not None:
            return self.figure <= self.at_most
        return None

    def amount(self, of: float) -> str:
        unit = {"× the memory": "MB"}.get(self.unit, self.unit)
        return f"{of:.3g} {unit}" if unit in ("MB", "bytes") else duration(of)

    def cells(self) -> tuple[str, ...]:
        mark = {True: "yes", False: "NO", None: ""}[self.reached]
        figure = f"{self.figure:.2f} {self.unit}"
        return (
            self.work,
            self.against,
            self.amount(self.ours),
            "" if self.theirs is None else self.amount(self.theirs),
            figure,
            self.to_reach,
            mark,
            self.checked,
        )


HEAD = ("work", "compared with", "ours", "theirs", "figure", "target", "reached", "checked before")


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def as_text(sections: dict[str, list[Row]]) -> str:
    every = [HEAD, *(row.cells() for rows in sections.values() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]

    def line(cells: tuple[str, ...]) -> str:
        return "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()

    lines = [line(HEAD), line(tuple("-" * w for w in widths))]
    for title, rows in sections.items():
        lines += ["", title, *(line(row.cells()) for row in rows)]
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: installed(name) for name in PACKAGES},
    }


def cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def save(path: Path, run: dict[str, Any], sections: dict[str, list[Row]]) -> None:
    rows = [
        {"section": title, **asdict(row), "figure": row.figure, "reached": row.reached}
        for title, rows in sections.items()
        for row in rows
    ]
    content = {"machine": machine(), "run": run, "rows": rows}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
