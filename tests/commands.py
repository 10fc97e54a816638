"""The command line in processes of its own, started fast.

A process that has imported all that is needed waits for orders, and forks for each of them: what
runs is the real command with its own signals and exit code, without the time that imports take.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, NamedTuple

from faults import Fault

WAITING = r"""
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # as the command does first of all
import thresher.cli.evaluate, thresher.cli.predict, thresher.cli.report, thresher.cli.train
import thresher.evaluate, thresher.model_file, thresher.theory.audit
import thresher.training, thresher.data, thresher.learners.table, numpy.random
from thresher.cli import main

def become(order):
    os.chdir(order["folder"])
    files = [os.open(order["stdin"], os.O_RDONLY)]
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files += [os.open(order[name], new) for name in ("stdout", "stderr")]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", closefd=False)
    sys.stderr = open(2, "w", closefd=False)
    if order["largest_file"]:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["largest_file"],) * 2)
    sys.argv = ["thresher", *order["arguments"]]
    if order["fault"]:
        import ctypes
        under, kinds, at, error, told = order["fault"]
        ctypes.CDLL(None).arm_fault(under.encode(), kinds.encode(), at, error, told.encode())
    main()

for line in sys.stdin:
    order = json.loads(line)
    if "wait" in order:
        answer = os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])
    else:
        answer = os.fork()
        if answer == 0:
            become(order)
    print(answer, flush=True)
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Started:
    """A command that runs."""

    def __init__(self, commands: Commands, process: int, out: Path, err: Path) -> None:
        self._commands, self.process, self._out, self._err = commands, process, out, err

    def send(self, number: signal.Signals) -> None:
        os.kill(self.process, number)  # no other process has this number until `wait`

    def wait(self) -> Done:
        code = self._commands._ask({"wait": self.process})
        text = [file.read_text("utf-8", "backslashreplace") for file in (self._out, self._err)]
        return Done(code, *text)


class Commands:
    """`preload` is the library of `faults.py`, for faults; `more` goes to the environment."""

    def __init__(self, preload: Path | None = None, more: dict[str, str] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="commands-")
        self._count = 0
        more = (more or {}) | ({"LD_PRELOAD": os.fspath(preload)} if preload else {})
        self._waiting = subprocess.Popen(
            [sys.executable, "-c", WAITING], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | more,
        )  # fmt: skip

    def _ask(self, order: dict[str, Any]) -> int:
        assert self._waiting.stdin and self._waiting.stdout
        self._waiting.stdin.write(json.dumps(order) + "\n")
        self._waiting.stdin.flush()
        return int(self._waiting.stdout.readline())

    def start(
        self,
        *arguments: Any,
        stdin: Any = os.devnull,
        folder: Any = "/",
        largest_file: int = 0,
        fault: Fault | None = None,
    ) -> Started:
        self._count += 1
        out, err = (Path(self._folder.name, f"{self._count}.{name}") for name in ("out", "err"))
        for file in (out, err):
            file.touch()  # a process may be killed before it opens them
        process = self._ask(
            {
                "arguments": [os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments],
                "stdin": os.fspath(stdin),
                "stdout": os.fspath(out),
                "stderr": os.fspath(err),
                "folder": os.fspath(folder),
                "largest_file": largest_file,
                "fault": [*map(str, fault[:2]), *fault[2:4], str(fault[4])] if fault else None,
            }
        )
        return Started(self, process, out, err)

    def run(self, *arguments: Any, **options: Any) -> Done:
        return self.start(*arguments, **options).wait()

    def __enter__(self) -> Commands:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._waiting.stdin
        self._waiting.stdin.close()
        self._waiting.wait()
        self._folder.cleanup()


@functools.cache
def _shared() -> Commands:
    commands = Commands()
    atexit.register(commands.__exit__)
    return commands


def run(
    *arguments: Any, input: str | None = None, cwd: Any = None
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` of the command, with what it printed as text; `input` comes by a pipe."""
    if input is None:
        done = _shared().run(*arguments, folder=cwd or "/")
        return subprocess.CompletedProcess(arguments, *done)
    reads, writes = os.pipe()
    with open(writes, "w", encoding="utf-8") as pipe:
        feeding = threading.Thread(target=_feed, args=(pipe, input))
        started = _shared().start(
            *arguments, stdin=f"/proc/{os.getpid()}/fd/{reads}", folder=cwd or "/"
        )
        feeding.start()
        done = started.wait()
        os.close(reads)  # if not all was read, the thread ends
        feeding.join()
    return subprocess.CompletedProcess(arguments, *done)


def _feed(pipe: Any, text: str) -> None:
    try:
        pipe.write(text)
        pipe.close()
    except BrokenPipeError:
        pass
