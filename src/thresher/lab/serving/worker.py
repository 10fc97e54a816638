"""A process that answers questions, so that one that takes too long can be stopped.

A thread cannot be stopped from outside, and a deadline would have to be checked in every loop of
the library. A process can be killed in the middle of anything, native code included, and its
replacement is equivalent: an answer is a function of its question.

It ends when its parent has ended, in whatever way: then the connection between them is closed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from thresher.lab import progress
from thresher.lab.serving.dispatch import Dispatcher
from thresher.lab.serving.unanswered import ended, too_long

BUDGET = 10.0  # seconds of computing for one question
BUSY = 3.0  # times as long, in wall-clock time, if the machine is busy
START_SECONDS = 60.0  # for a worker to be ready, on a machine that is very busy
LAST_RESORT = 2.0  # seconds later a worker that was not ended ends itself
TELLS = b"#"  # begins a line that reports progress; an answer begins with a brace


# -- our side


class Worker:
    """Answers one question at a time, each within a budget.

    Once a question has taken too long, or the process has ended while it worked on one, it is
    unusable: `usable` is False. A process that has ended while idle is replaced by another.
    """

    def __init__(self) -> None:
        self.usable = True
        self._process: subprocess.Popen[bytes] | None = None
        self._open = contextlib.ExitStack()  # our end of the connection
        self._ready = False

    def start(self) -> Worker:
        """Start the process, which gets ready meanwhile. If it cannot, it is unusable."""
        try:
            self._start()
        except OSError:
            self.usable = False
        if not self.usable:  # or ended meanwhile
            self.kill()
        return self

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair()
        self._open.enter_context(self._socket)
        self._line = self._open.enter_context(self._socket.makefile("rwb"))
        # The same modules as here; one thread each, as the questions are small; its own process
        # group, since Ctrl-C is for us: we end it.
        environment = {
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **os.environ,
            "PYTHONPATH": os.pathsep.join(place or os.getcwd() for place in sys.path),
        }  # fmt: skip
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "thresher.lab.serving.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], env=environment, process_group=0,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def ready(self) -> Worker:
        """Wait until it is ready, or unusable."""
        if self._process is None:
            self.start()
        if self.usable and not self._ready:
            with contextlib.suppress(OSError, ValueError):
                self._ready = self._next(time.monotonic() + START_SECONDS) != b""
            if not self._ready:
                self.end()
        return self

    def answer(self, text: str, logs: str | None = None, seconds: float = BUDGET) -> str:
        """The answer to a message, as JSON; or that it took too long, or what happened."""
        answer = self._ask(text, logs, seconds)
        if answer is None:
            self._forget()
            answer = self._ask(text, logs, seconds)
        return json.dumps(ended(text, None, "")) if answer is None else answer

    def _ask(self, text: str, logs: str | None, seconds: float) -> str | None:
        """The same; nothing if the process has ended, and not by us, before it began."""
        if not self.ready().usable:
            return json.dumps(ended(text, None, ""))
        body, reached, has_begun = text.encode("utf-8", "replace"), "", False
        head = json.dumps({"logs": logs, "seconds": seconds, "bytes": len(body)})
        until = time.monotonic() + BUSY * seconds
        try:
            self._socket.settimeout(BUSY * seconds)
            self._line.write(head.encode() + b"\n" + body)
            self._line.flush()
            while line := self._next(until):
                if not line.startswith(TELLS):
                    return line.decode()
                reached, has_begun = line[len(TELLS) :].decode().strip(), True
        except TimeoutError:
            self.end()
            return json.dumps(too_long(text, BUSY * seconds, reached))
        except (OSError, ValueError):  # it has ended, or was ended
            pass
        except BaseException:  # Ctrl-C in a notebook, while it waits
            self.end()
            raise
        if self.usable and not has_begun:
            return None
        code = self.end()
        if code == -signal.SIGPROF:
            return json.dumps(too_long(text, seconds, reached))
        return json.dumps(ended(text, code, reached))

    def is_alive(self) -> bool:
        """Not if it could not start, was ended, or has ended while idle."""
        return self.usable and self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """From any thread; a caller that waits for an answer gets one, that it was ended."""
        self.usable = False
        if self._process is not None:
            self._process.kill()

    def end(self) -> int | None:
        """Kill it and wait until it is gone; returns its exit code."""
        self.kill()
        code = None if self._process is None else self._process.wait()
        self._hang_up()
        return code

    def _forget(self) -> None:
        """The process that has ended; another one starts when it is needed."""
        self._hang_up()
        if self._process is not None:
            self._process.wait()
        self._process, self._ready = None, False

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):  # something may wait to be sent
            self._open.close()

    def _next(self, until: float) -> bytes:
        """The next line; nothing at the end."""
        self._socket.settimeout(max(until - time.monotonic(), 1e-3))
        return self._line.readline()


# -- the other side


def main(descriptor: int) -> None:
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rwb") as line:
        questions: queue.SimpleQueue[tuple[dict[str, Any], str]] = queue.SimpleQueue()
        threading.Thread(target=_receive, args=(line, questions), daemon=True).start()
        _warm_up()

        def tell(what: str) -> None:
            line.write(TELLS + what.replace("\n", " ").encode("utf-8", "replace") + b"\n")
            line.flush()

        progress.listen(tell)
        tell("ready")
        while True:
            head, text = questions.get()
            # The system ends it when its budget is spent, whatever runs then; also if it waits for
            # something, and its parent is gone.
            _alarms(head["seconds"], BUSY * head["seconds"] + LAST_RESORT)
            tell("")  # it has begun
            line.write(answered(Dispatcher(head["logs"]), text).encode() + b"\n")
            line.flush()
            _alarms(0, 0)


def _alarms(computing: float, clock: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, computing)
    signal.setitimer(signal.ITIMER_REAL, clock)


def _receive(line: Any, questions: queue.SimpleQueue[tuple[dict[str, Any], str]]) -> None:
    """Keep reading while a question is answered: when the connection ends, so does this process."""
    with contextlib.suppress(OSError, ValueError):
        while head := line.readline():
            asked = json.loads(head)
            questions.put((asked, line.read(asked["bytes"]).decode()))
    os._exit(0)


def answered(dispatch: Dispatcher, text: str) -> str:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        return json.dumps({"id": None, "error": f"the message is not JSON: {error}"})
    return json.dumps(dispatch(message), allow_nan=False, separators=(",", ":"))


def _warm_up() -> None:
    """What the first page needs."""
    points = [[0.5, 0.5, 1], [-0.5, -0.5, -1], [0.4, -0.1, 1]]
    about = {"points": points, "panels": [{"learner": "perceptron"}]}
    Dispatcher()({"id": 0, "ask": "plane.run", "with": about})


if __name__ == "__main__":
    main(int(sys.argv[1]))
