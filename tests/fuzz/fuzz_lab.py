"""Looks for a question, or bytes, that the lab does not survive: see README.md in this folder.

    python tests/fuzz/fuzz_lab.py --seconds 600

A real server; pages that ask what is drawn at random, some of which leave in the middle; others
that send what is neither HTTP nor WebSocket. Every question must be answered, or refused in words,
within its budget, and the server must be as it was: no fault, nothing on stderr, no file and no
process too many. What fails is written to tests/fuzz/questions, where the suite asks it again.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import random
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from lab_questions import GARBAGE, Draw
from labs import Lab, command, started
from thresher.lab.serving.worker import BUSY
from thresher.lab.serving.workers import MOST_WORKERS
from waiting import wait_until

KEPT = Path(__file__).parent / "questions"
HTTP = [b"GET / HTTP/1.1\r\n", b"Host: a\r\n", b"\r\n", b"POST / HTTP/1.1\r\n",
        b"Content-Length: 9\r\n", b"Transfer-Encoding: chunked\r\n", b"Upgrade: websocket\r\n",
        b"Connection: Upgrade\r\n",
        b"Sec-WebSocket-Key: a\r\n", b"Sec-WebSocket-Version: 13\r\n", b"\x00", b"\xff" * 40,
        b"A" * 70_000, b": \r\n", b" ", b"HTTP/0.9", b"\x16\x03\x01\x02\x00"]  # fmt: skip


class Campaign:
    """Counts what was sent, and what came of it."""

    def __init__(self, lab: Lab, seed: int, budget: float, large: float) -> None:
        self.lab, self.seed, self.budget, self.large = lab, seed, budget, large
        self.counts: Counter[str] = Counter()
        self.slowest = (0.0, "")
        self.failures: list[str] = []
        self.lock = threading.Lock()

    # -- questions

    def page(self, number: int, enough: Any) -> None:
        """Asks and asks; now and then takes a question back, or leaves and comes again."""
        draw = Draw(self.seed + number, self.large)
        while not enough():
            with contextlib.suppress(ConnectionClosed), self.opened() as ws:
                while not enough() and draw.random.random() < 0.98:
                    self.ask(ws, draw)

    def opened(self) -> Any:
        return connect(self.lab.socket, origin=self.lab.origin, max_size=None, open_timeout=60)

    def ask(self, ws: Any, draw: Draw) -> None:
        if draw.random.random() < 0.02:
            ws.send(draw.random.choice(GARBAGE))
            self.judge("garbage", None, ws.recv(timeout=60), None, 0.0)
            return
        name, about = draw.question()
        text = json.dumps({"id": 5, "ask": name, "with": about})
        begun = time.monotonic()
        ws.send(text)
        fate = draw.random.random()
        if fate < 0.01:
            self.count("left")
            ws.socket.shutdown(socket.SHUT_RDWR)  # leaves in the middle
        elif fate < 0.02:
            ws.send('{"stop":5}')
            ws.send('{"id":6,"ask":"plane.learners","with":{}}')
            while json.loads(ws.recv(timeout=180))["id"] != 6:
                pass  # it may have been too late
            self.count("taken back")
        else:
            answer = ws.recv(timeout=180)
            self.judge(name, text, answer, 5, time.monotonic() - begun)

    def judge(self, name: str, text: str | None, answer: str, number: Any, took: float) -> None:
        found = json.loads(answer)
        kind = "late" if found.get("late") else "error" if "error" in found else "answer"
        self.count("questions", kind)
        with self.lock:
            self.slowest = max(self.slowest, (took, f"{name}: {kind}"))
        good = found["id"] == number and ("answer" in found) != ("error" in found)
        if not good or "fault" in found or "NaN" in answer or took > BUSY * self.budget + 60:
            self.fail(f"{name}: {answer[:500]} after {took:.1f} s", text)

    # -- bytes

    def stranger(self, number: int, enough: Any) -> None:
        """Sends bytes that are no request, or no message."""
        draw = random.Random(self.seed + number)
        while not enough():
            self.count("strangers")
            if draw.random() < 0.5:
                sent = b"".join(draw.choices(HTTP, k=draw.randint(0, 6)))
                self.send(sent, draw)
            else:
                with contextlib.suppress(OSError):
                    self.send_frames(draw)

    def send(self, data: bytes, draw: random.Random) -> None:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.lab.port), 20) as line,
        ):
            line.sendall(data)
            line.settimeout(0.05)
            line.recv(1000)

    def send_frames(self, draw: random.Random) -> None:
        with self.opened() as ws:
            for _ in range(draw.randint(1, 4)):
                first = draw.choice([0x81, 0x82, 0x80, 0x01, 0x88, 0x89, 0x8A, 0xC1, 0xFF, 0x83])
                size = draw.choice(
                    [b"\x80", b"\xfe\xff\xff", b"\xff" + b"\x7f" * 8, b"\x05", b"\x85"]
                )
                ws.socket.sendall(bytes([first]) + size + draw.randbytes(draw.randint(0, 40)))
            ws.socket.shutdown(socket.SHUT_RDWR)

    # -- the books

    def count(self, *names: str) -> None:
        with self.lock:
            self.counts.update(names)

    def fail(self, what: str, text: str | None = None) -> None:
        if text is not None:
            KEPT.mkdir(exist_ok=True)
            name = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:10]
            (KEPT / f"{name}.json").write_text(text)
            what += f" (kept as {name}.json)"
        with self.lock:
            self.failures.append(what)

    def run(self, seconds: float, most: int, pages: int) -> None:
        until = time.monotonic() + seconds
        whole = [self.guarded(self.page, i, until, most) for i in range(pages)]
        whole += [self.guarded(self.stranger, 1000, until, most)]
        for thread in whole:
            thread.start()
        for thread in whole:
            thread.join()
        self.look()

    def guarded(self, what: Any, number: int, until: float, most: int) -> threading.Thread:
        def enough() -> bool:
            return time.monotonic() > until or self.counts["questions"] >= most

        def go() -> None:
            try:
                what(number, enough)
            except Exception as error:
                self.fail(f"{what.__name__}: {type(error).__name__}: {error}")

        return threading.Thread(target=go)

    def look(self) -> None:
        """Whether the server is as it was."""
        with self.opened() as ws:
            ws.send('{"id":1,"ask":"plane.learners","with":{}}')
            if "answer" not in json.loads(ws.recv(timeout=60)):
                self.fail("the server does not answer any more")
        for word in ("Traceback", "xception", "Error"):
            if word in self.lab.stderr():
                self.fail(f"stderr: {self.lab.stderr()[-2000:]}")
        files = Path(f"/proc/{self.lab.process.pid}/fd")
        if files.exists():
            try:
                wait_until(lambda: len(list(files.iterdir())) < 40, 60)
            except AssertionError:
                self.fail(f"{len(list(files.iterdir()))} files are open")
            if len(self.lab.workers()) > MOST_WORKERS:
                self.fail(f"{len(self.lab.workers())} workers")


def campaign(
    seconds: float, seed: int, *, budget: float = 10.0, large: float = 0.1,
    pages: int = 3, most: int = sys.maxsize,
) -> Campaign:  # fmt: skip
    """For a number of seconds, or a number of questions."""
    with tempfile.TemporaryDirectory() as logs:
        start = command("--port", "0", "--logs", logs, "--budget", str(budget))
        with started(start) as lab:
            found = Campaign(lab, seed, budget, large)
            found.run(seconds, most, pages)
            return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--budget", type=float, default=10.0)
    given = parser.parse_args()
    found = campaign(given.seconds, given.seed, budget=given.budget)
    print(f"seed {given.seed}:", ", ".join(f"{n:,} {name}" for name, n in found.counts.items()))
    print(f"slowest: {found.slowest[0]:.1f} s, {found.slowest[1]}")
    print(f"failures: {len(found.failures)}", *found.failures, sep="\n")
    sys.exit(bool(found.failures))


if __name__ == "__main__":
    main()
