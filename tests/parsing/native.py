"""The native parsers as the tests call them: by the program dump.cpp, built with sanitizers."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from parsing import plain

REPOSITORY = Path(__file__).resolve().parents[2]
# A test run may itself be under sanitizers; the compiler and these programs do without theirs.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}


def compiler() -> str:
    found = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if found is None:
        pytest.skip("no C++ compiler to build the native parts of the tests with")
    return found


CHECKED = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@cache
def build(source: str, flags: tuple[str, ...] = CHECKED) -> Path:
    """The program made of a source file of the tests, built again after a change in the sources."""
    file = REPOSITORY / "tests" / source
    state = hashlib.sha256()
    core = sorted((REPOSITORY / "src" / "core").rglob("*.hpp"))
    for part in [*sorted(file.parent.glob("*.?pp")), *core]:
        state.update(part.read_bytes())
    folder = REPOSITORY / "build" / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{file.stem}-{state.hexdigest()[:16]}"
    with (folder / f"{file.stem}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            for old in folder.glob(f"{file.stem}-*"):
                old.unlink()
            strict = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow"]
            include = f"-I{REPOSITORY / 'src'}"
            unfinished = program.with_suffix(".unfinished")
            command = [compiler(), *strict, *flags, include, str(file), "-o", str(unfinished)]
            subprocess.run(command, check=True, env=ENVIRONMENT)
            unfinished.rename(program)
    return program


def dump(text: bytes, /, **options: object) -> list[dict]:
    """What dump.cpp prints. Options: those it names; lists are joined by commas."""
    arguments = []
    for key, value in options.items():
        if isinstance(value, (list, tuple)):
            value = ",".join(value)
        arguments.append(f"{key}={int(value) if isinstance(value, bool) else value}")
    run = subprocess.run(
        [build("parsing/dump.cpp"), *arguments], input=text, capture_output=True, env=ENVIRONMENT
    )
    assert run.returncode == 0, run.stderr.decode(errors="replace")
    return [json.loads(line) for line in run.stdout.split(b"\n") if line]


def parse(text: bytes, /, **options: object) -> list[plain.Row | plain.Bad]:
    """The same as a plain parser gives."""
    return [row_of(line, bool(options.get("targets"))) for line in dump(text, **options)]


def row_of(line: dict, targets: bool) -> plain.Row | plain.Bad:
    if "bad" in line:
        return plain.Bad(line["bad"], line["column"])
    encoding = "latin-1" if "latin1" in line else "utf-8"
    label = line["label"]
    if label is not None:
        label = float.fromhex(label) if targets else label.encode(encoding)
    features = {}
    for name, value in line["features"]:
        assert name not in features, f"{name} twice in a row"
        features[name.encode(encoding)] = float.fromhex(value)
    return plain.Row(
        label=label,
        weight=float.fromhex(line["weight"]),
        tag=line["tag"].encode(encoding),
        features=features,
        line=line["line"],
    )
