"""Consumers in processes of their own, to be killed, and what they must end with."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import thresher
from serve.serving import hash_of
from thresher.cli import thresher as commands

SETTINGS = ("--label", "y", "--learner", "arow")


def lines_of(n: int, seed: int, bad: bool = True) -> list[bytes]:
    """Events as JSON, some of them broken: no label, no JSON, no UTF-8, nothing at all."""
    rng, out = random.Random(seed), []
    for i in range(n):
        x: dict[str, Any] = {f"f{rng.randrange(40)}": round(rng.random(), 2) for _ in range(4)}
        x["color"] = rng.choice(["red", "green", "blue"])
        total = sum(v for v in x.values() if isinstance(v, float))
        line = json.dumps({**x, "y": "a" if total > 1.9 else "b"}).encode()
        if bad and i % 50 == 7:
            line = rng.choice([json.dumps(x).encode(), b'{"x": ', b"\xff\xfe{", b"   "])
        out.append(line)
    return out


def consume(*words: str, code: int | None = None) -> str:
    """The command in this process: what it said, its exit code checked."""
    from thresher.cli.report import complain

    runner = CliRunner()
    with runner.isolation() as (out, err, _):
        try:
            done: Any = commands.main(["consume", *words], standalone_mode=False)
        except Exception as error:
            complain(error)
            done = 1
        said = out.getvalue().decode() + err.getvalue().decode()
    assert code is None or done == code, said
    return said


class Consumer:
    """`thresher consume` in a process."""

    def __init__(self, url: str, model: Path, *more: str) -> None:
        words = [sys.executable, "-m", "thresher", "consume", url, "-m", str(model), *SETTINGS]
        self.process = subprocess.Popen(
            [*words, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        said, _ = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def end(self) -> tuple[int, str]:
        said, _ = self.process.communicate(timeout=120)
        return self.process.returncode, said


def kill_often(url: str, model: Path, kills: int, rng: random.Random, each: Any = None) -> int:
    """Kill a consumer at any moment, most of them soon after it has saved; how many had."""
    after_save = 0
    for number in range(kills):
        if each is not None:
            each(number)
        before = model.stat().st_mtime_ns if model.exists() else 0
        one = Consumer(url, model, "--save-every", "300", "-q")
        until = time.monotonic() + rng.choice([0.4, 3.0, 3.0])
        while time.monotonic() < until and one.process.poll() is None:
            if model.exists() and model.stat().st_mtime_ns != before:
                after_save += 1
                time.sleep(rng.uniform(0, 0.05))
                break
            time.sleep(0.002)
        assert one.process.poll() is None, one.end()
        one.kill()
    return after_save


def compare(url: str, model: Path, lines: list[bytes], folder: Path) -> None:
    """The model, and the dead letters: those of a run that was never stopped, to the last byte; and
    what `thresher train` learns from the same events."""
    consume(url, "-m", str(model), *SETTINGS, "--until-end", "-q")
    whole = folder / "whole" / model.name
    whole.parent.mkdir(exist_ok=True)
    consume(url, "-m", str(whole), *SETTINGS, "--until-end", "-q", code=3)
    assert digest(model) == digest(whole)
    dead = [Path(f"{m}.dead.jsonl") for m in (model, whole)]
    assert digest(dead[0]) == digest(dead[1])
    compare_with_train(model, lines, folder)


def compare_with_train(
    model: Path, lines: list[bytes], folder: Path, settings: Sequence[str] = SETTINGS
) -> None:
    data, trained = folder / "events.jsonl", folder / "trained.model"
    data.write_bytes(b"".join(line + b"\n" for line in lines))
    words = ["train", str(data), "-m", str(trained), *settings, "--on-bad-line", "skip", "-q"]
    assert CliRunner().invoke(commands, words, standalone_mode=False).exception is None
    assert hash_of(thresher.load(model), folder) == hash_of(thresher.load(trained), folder)


def place_of(model: Path) -> dict[str, Any]:
    return dict(thresher.load(model).provenance_["stream"])


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def letters(model: Path) -> list[dict[str, str]]:
    path = Path(f"{model}.dead.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def append(path: Path, text: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(handle, text)
    os.close(handle)
