"""Wall-clock time: the best of several runs, with the contenders alternating."""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

# A run sets itself up and returns the seconds of one or more parts.
Run = Callable[[], tuple[float, ...]]


# As installed: with modules that were compiled before, not anew at each start.
INSTALLED = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


class Failed(Exception):
    """A process that should have been timed ended with an error."""


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()  # a collection during one contender's run is not its fault
    try:
        start = perf_counter()
        work()
        return perf_counter() - start
    finally:
        gc.enable()


def best(contenders: dict[str, Run], repeats: int) -> dict[str, tuple[float, ...]]:
    """The shortest time of each part. They alternate, so that all see the same load."""
    runs: dict[str, list[tuple[float, ...]]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            runs[name].append(run())
    return {name: tuple(map(min, zip(*times, strict=True))) for name, times in runs.items()}


def import_seconds(statement: str) -> float:
    """How long an import takes in a fresh interpreter, without the start of the interpreter."""
    return float(fresh(f"from time import perf_counter as t; a = t(); {statement}; print(t() - a)"))


def fresh(code: str) -> str:
    """What a fresh interpreter prints."""
    return output([sys.executable, "-c", code]).stdout


def process(command: list[str]) -> Run:
    """A whole process, from start to end. Its output is shown only if it fails."""
    return lambda: (seconds(lambda: output(command)),)


def output(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=INSTALLED)
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done


# Linux counts the memory of the parent at the start of a child in the child's peak, so a small
# process in between starts it.
PEAK = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True)
unit = 1 if sys.platform == "darwin" else 1024
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
print(json.dumps([done.stdout, peak]))
"""


def peak_memory(command: list[str]) -> tuple[str, int]:
    """What a process prints, and its peak memory in bytes."""
    printed, peak = json.loads(output([sys.executable, "-c", PEAK, *command]).stdout)
    return printed, peak


USED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
"""


def used(command: list[str]) -> float:
    """Seconds of processor time that a process used, on all cores."""
    return float(output([sys.executable, "-c", USED, *command]).stdout)
