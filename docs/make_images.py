"""Draws the pictures of the documentation: python docs/make_images.py (needs thresher[plot])."""

from __future__ import annotations

import fcntl
import math
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from thresher import BalancedWinnow, PassiveAggressive, Perceptron
from thresher.learners.base.classifier import OnlineClassifier
from thresher.theory.audit import audit_shards

IMAGES = Path(__file__).parent / "images"

BLUE, LIGHT_BLUE, ORANGE = "#1b4f9c", "#5b9bd8", "#e0731d"  # additive, additive, multiplicative
INK, FAINT = "#2b2b2b", "#8a8a8a"

# The stream: n coins a row, the label is what most of the first k coins say.
N, K, EXAMPLES, SEED = 1000, 5, 20_000, 0
ALPHA = 1.2


def learners() -> dict[str, OnlineClassifier]:
    return {
        "Perceptron": Perceptron(average=False, fit_intercept=False),
        "Passive-Aggressive": PassiveAggressive(variant="PA", average=False, fit_intercept=False),
        "Balanced Winnow": BalancedWinnow(alpha=ALPHA, fit_intercept=False),
    }


def planted_stream() -> tuple[np.ndarray, np.ndarray]:
    """Rows of ±1; the label is the majority of the first K columns (K is odd)."""
    X = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(EXAMPLES, N))
    return X, np.sign(X[:, :K].sum(axis=1)).astype(int)


def additive_bound() -> float:
    """R²/γ² for the comparator u with 1/√K on the K planted features: ‖x‖² = N, y·u·x ≥ 1/√K."""
    return N / (1 / K)


def balanced_bound() -> float:
    """ln(2N)/(γ·ln α − ln cosh ln α) for u with 1/K on the K planted features: y·u·x ≥ 1/K."""
    eta = math.log(ALPHA)
    return math.log(2 * N) / (eta / K - math.log(math.cosh(eta)))


def mistakes_over_time() -> tuple[np.ndarray, dict[str, list[int]]]:
    """Times, and for each learner its mistakes up to them."""
    X, y = planted_stream()
    times = np.unique(np.geomspace(10, EXAMPLES, 300).astype(int))
    mistakes: dict[str, list[int]] = {}
    for name, learner in learners().items():
        mistakes[name] = []
        for start, end in pairwise([0, *times]):
            learner.partial_fit(X[start:end], y[start:end])
            mistakes[name].append(learner.mistakes_)
    return times, mistakes


def draw_bound(path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "thresher", "font.family": "DejaVu Sans", "font.size": 11}
    times, mistakes = mistakes_over_time()
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    end = times[-1]

    def label(value: float, text: str, color: str, **how: object) -> None:
        axes.annotate(
            text, (end, value), (8, 0), textcoords="offset points", va="center", color=color, **how
        )

    colors = dict(zip(mistakes, (BLUE, LIGHT_BLUE, ORANGE), strict=True))
    for name, counts in mistakes.items():
        axes.plot(times, counts, color=colors[name], linewidth=2.4, solid_capstyle="round")
        label(counts[-1], f"{name}  {counts[-1]:,}", colors[name], weight="bold")
    for value, text, color in (
        (additive_bound(), "Perceptron, Passive-Aggressive: R²/γ²", BLUE),
        (balanced_bound(), "Balanced Winnow: ln 2n / (γ₁ ln α − ln cosh ln α)", ORANGE),
    ):
        axes.axhline(value, color=color, linewidth=1.4, linestyle=(0, (5, 4)))
        label(value, f"bound  {math.floor(value):,}", color)
        axes.annotate(
            text, (11, value), (0, 6), textcoords="offset points", color=color, fontsize=10
        )

    axes.set(xscale="log", yscale="log", xlim=(10, end), ylim=(3, 10_000))
    ticks = (10, 100, 1000, 10_000)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, colors=FAINT)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("examples read", color=INK)
    axes.set_ylabel("mistakes so far", color=INK)
    axes.set_title(
        "Every learner stays below the bound of its theorem", loc="left", color=INK,
        fontsize=14, weight="bold", pad=26,
    )  # fmt: skip
    axes.text(
        0, 1.035, f"{N:,} coins a row; the label is the majority of {K} of them. Both axes are "
        "logarithmic.", transform=axes.transAxes, color=FAINT,
    )  # fmt: skip
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


# -- shards that are mixed

FEATURES, SHARE, PASSES = 40, 0.25, 4


def mistakes_by_shards() -> dict[int, dict[str, float]]:
    """Rows with one feature each, of which a shard has a quarter: the worst case of theorem B."""
    rng = np.random.default_rng(SEED)
    found = {}
    for count in (1, 2, 4, 8, 16, 32, 64):
        labels = rng.choice([-1, 1], size=FEATURES)
        own = [np.flatnonzero(rng.random(FEATURES) < SHARE) for _ in range(count)]
        shards = [(np.eye(FEATURES)[rows], labels[rows]) for rows in own]
        learner = Perceptron(average=False, fit_intercept=False)
        audits = {
            how: audit_shards(learner, shards, passes=PASSES, how=how,
                              comparator=labels / math.sqrt(FEATURES))
            for how in ("occurrence", "mean")
        }  # fmt: skip
        found[count] = {"mistakes": audits["occurrence"].counts.mistakes} | {
            how: audit.rows[0].value for how, audit in audits.items()
        }
    return found


def draw_shards(path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "thresher", "font.family": "DejaVu Sans", "font.size": 11}
    found = mistakes_by_shards()
    shards = list(found)
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    for key, text, color, style in (
        ("mean", "theorem A: S·R²/γ²", LIGHT_BLUE, (0, (5, 4))),
        ("occurrence", "theorem B: (R²/γ²)·Σ nⱼ·uⱼ²", BLUE, "-"),
    ):
        values = [found[count][key] for count in shards]
        axes.plot(shards, values, color=color, linewidth=1.8, linestyle=style)
        axes.annotate(text, (shards[-1], values[-1]), (8, 0), textcoords="offset points",
                      va="center", color=color)  # fmt: skip
    axes.axhline(FEATURES, color=FAINT, linewidth=1.4, linestyle=(0, (1, 3)))
    axes.annotate("the bound of one run: R²/γ²", (1, FEATURES), (0, 6),
                  textcoords="offset points", color=FAINT)  # fmt: skip
    mistakes = [found[count]["mistakes"] for count in shards]
    axes.plot(shards, mistakes, "o", color=ORANGE, markersize=8)
    axes.annotate("mistakes of all shards", (shards[2], mistakes[2]), (12, -14),
                  textcoords="offset points", color=ORANGE, weight="bold")  # fmt: skip
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(shards, [str(count) for count in shards])
    ticks = (10, 100, 1000)
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(color="#ececec", linewidth=0.8)
    axes.tick_params(length=0, colors=FAINT)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("shards", color=INK)
    axes.set_title("Shards that are mixed: the mistakes and their bounds", loc="left", color=INK,
                   fontsize=14, weight="bold")  # fmt: skip
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


# -- a session on a terminal

COMMANDS = (
    "thresher train reviews.csv --label mood --text review --learner pa -m reviews.model -q",
    "thresher inspect reviews.model --top 8",
)
COLUMNS = 88


def on_terminal(command: str, folder: str) -> str:
    """What a command shows on a terminal of COLUMNS columns, colours included."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words, cwd=folder, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, check=True,
        env=os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 65536):
            shown += block
    except OSError:  # the terminal is gone when all was read
        pass
    os.close(ours)
    return (shown + done.stderr).decode().replace("\r\n", "\n")


def session() -> list[tuple[str, str]]:
    """The commands on the file that docs/command-line.md begins with, and what they show."""
    page = Path(__file__).with_name("command-line.md").read_text()
    data = page.partition('title="reviews.csv"\n')[2].partition("```")[0]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "reviews.csv").write_text(data)
        return [(command, on_terminal(command, folder)) for command in COMMANDS]


def draw_session(path: Path) -> None:
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere)
        for command, shown in session():
            console.print(Text(f"$ {command}", style="bold"))
            console.print(Text.from_ansi(shown.rstrip()), end="\n" if shown else "")
        # The reader's own fonts: a picture asks nothing of the network.
        form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
        form = form.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")
        console.save_svg(str(path), title="thresher", code_format=form, unique_id="session")


# -- the gallery

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n!\[[^\]]*\]\((?P<image>[^)]*)\))?",
    re.DOTALL | re.MULTILINE,
)


def pages() -> list[Path]:
    """The pages with pictures that the code above them draws."""
    folder = Path(__file__).resolve().parent
    return [page for page in sorted(folder.rglob("*.md")) if "images/plots-" in page.read_text()]


def gallery() -> Iterator[tuple[str, object]]:
    """Their pictures: each is the display that the code above it has drawn."""
    here = os.getcwd()
    for page in pages():
        names: dict[str, object] = {}
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # where the code writes its files
            try:
                for block in BLOCK.finditer(page.read_text()):
                    exec(block["code"], names)
                    if block["image"]:
                        yield Path(block["image"]).name, names["display"]
            finally:
                os.chdir(here)


def draw_gallery(folder: Path) -> None:
    import matplotlib

    from thresher.plots.style import FONT

    for name, display in gallery():
        with matplotlib.rc_context(FONT):
            display.figure_.savefig(folder / name, metadata={"Date": None}, dpi=100)
        print(f"docs/images/{name}")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name, draw in {"bound": draw_bound, "shards": draw_shards, "session": draw_session}.items():
        draw(IMAGES / f"{name}.svg")
        print(f"docs/images/{name}.svg")
    draw_gallery(IMAGES.resolve())


if __name__ == "__main__":
    main()
