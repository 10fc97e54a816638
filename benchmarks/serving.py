"""CPU and latency of `thresher serve` against others: python benchmarks/serving.py [--events 20000]

Client and servers run on this machine, one server at a time; the CPU is that of the server's
process (user + system), so that a client on the other core does not count. Each
contender gets the same events: 20 features with names, about 340 bytes of JSON, over 32 connections
that stay open, each of which waits for its answer before it sends again. `vw` gets the same
examples in its format, over one connection.

Needs thresher[serve], and for the others fastapi, river, vowpalwabbit. Run it on an idle machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

CONNECTIONS = 32

EMPTY = """
async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [
        (b"content-type", b"application/json"), (b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})
"""
RIVER = """
from fastapi import FastAPI, Request
from river import linear_model, optim, preprocessing

app = FastAPI()
model = linear_model.LogisticRegression(optimizer=optim.SGD(0.1))


@app.post("/learn")
async def learn(request: Request):
    x = await request.json()
    y = x.pop("y")
    model.learn_one(x, y == "a")
    return {"learned": 1}
"""
STARLETTE = """
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


async def learn(request):
    await request.body()
    return JSONResponse({"learned": 1})

app = Starlette(routes=[Route("/learn", learn, methods=["POST"])])
"""

# The wheel has no program, but all that the program runs.
VW = "import sys, vowpalwabbit; vowpalwabbit.Workspace(arg_list=sys.argv[1:]).run_parser()"


@dataclass
class Result:
    name: str
    events: int
    cpu: float  # seconds of the server
    seconds: float
    latencies: list[float] = field(default_factory=list)

    @property
    def micros(self) -> float:
        return 1e6 * self.cpu / self.events

    def row(self) -> str:
        line = (
            f"{self.name:<44} {self.micros:8.1f} µs CPU/event {self.events / self.seconds:10,.0f}/s"
        )
        if self.latencies:
            ranked = sorted(self.latencies)
            p50, p99 = statistics.median(ranked), ranked[int(0.99 * (len(ranked) - 1))]
            line += f"   p50 {1e3 * p50:7.2f} ms   p99 {1e3 * p99:7.2f} ms"
        return line


def examples(n: int, seed: int = 0) -> list[dict[str, object]]:
    rng = random.Random(seed)
    weights = [rng.gauss(0, 1) for _ in range(200)]
    out = []
    for _ in range(n):
        ids = rng.sample(range(200), 20)
        x: dict[str, object] = {f"name{i}": round(rng.gauss(0, 1), 4) for i in ids}
        score = sum(weights[i] * x[f"name{i}"] for i in ids)  # type: ignore[operator]
        out.append({**x, "y": "a" if score > 0 else "b"})
    return out


def as_vw(event: dict[str, object]) -> bytes:
    names = " ".join(f"{k}:{v}" for k, v in event.items() if k != "y")
    return f"{1 if event['y'] == 'a' else -1} | {names}\n".encode()


def request(path: str, body: bytes, kind: str = "application/json") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Asker(asyncio.Protocol):
    """A connection that sends one request after the other."""

    def __init__(self, requests: list[bytes], latencies: list[float]) -> None:
        self.left, self.latencies = iter(requests), latencies
        self.done = asyncio.get_running_loop().create_future()
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        one = next(self.left, None)
        if one is None:
            self.transport.close()
            self.done.set_result(None)
            return
        self.sent = time.perf_counter()
        self.transport.write(one)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"found {self.buffer[:300]!r}; expected 200")
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) >= size:
            self.buffer = b""
            self.latencies.append(time.perf_counter() - self.sent)
            self.send()


async def ask_all(port: int, requests: list[bytes], connections: int) -> list[float]:
    latencies: list[float] = []
    loop = asyncio.get_running_loop()
    parts = [requests[i::connections] for i in range(connections)]
    made = [
        await loop.create_connection(lambda part=part: Asker(part, latencies), "127.0.0.1", port)
        for part in parts
    ]
    await asyncio.gather(*(protocol.done for _, protocol in made))
    return latencies


def pipelined(port: int, lines: list[bytes], window: int) -> float:
    """Lines for vw: many sent before the answers are read."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as talk:
        answers = talk.makefile("rb")
        for at in range(0, len(lines), window):
            part = lines[at : at + window]
            talk.sendall(b"".join(part))
            for _ in part:
                answers.readline()
    return time.perf_counter() - began


def cpu_of(pid: int) -> float:
    """Of a process, its threads, and the processes that it started: vw has children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    its_clock = (~pid << 3) | 2  # as clock_getcpuclockid(3) has it: exact, where /proc counts ticks
    return time.clock_gettime(its_clock) + sum(map(cpu_of, map(int, children)))


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.03)
    raise SystemExit("a server did not start")


class Process:
    """A server, for as long as it is measured."""

    def __init__(self, words: list[str], port: int, cwd: str | None = None) -> None:
        self.process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)  # fmt: skip
        self.port = port
        wait_for(port)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def http(
        self, name: str, requests: list[bytes], events: int, connections: int = CONNECTIONS
    ) -> Result:
        asyncio.run(ask_all(self.port, requests[: connections * 4], connections))  # warm up
        before, began = cpu_of(self.process.pid), time.perf_counter()
        latencies = asyncio.run(ask_all(self.port, requests, connections))
        seconds = time.perf_counter() - began
        return Result(name, events, cpu_of(self.process.pid) - before, seconds, latencies)

    def vw(self, name: str, lines: list[bytes], window: int) -> Result:
        pipelined(self.port, lines[:64], 1)
        before = cpu_of(self.process.pid)
        seconds = pipelined(self.port, lines, window)
        return Result(name, len(lines), cpu_of(self.process.pid) - before, seconds)


def asgi(folder: str, name: str, code: str) -> Process:
    Path(folder, f"{name}.py").write_text(textwrap.dedent(code))
    port = free_port()
    words = [sys.executable, "-m", "uvicorn", f"{name}:app", "--port", str(port), "--http",
             "httptools", "--loop", "uvloop", "--log-level", "error", "--no-access-log"
             ]  # fmt: skip
    return Process(words, port, folder)


def thresher(folder: str, sync: str, *more: str) -> Process:
    port = free_port()
    words = [sys.executable, "-m", "thresher", "serve", folder, "--port", str(port), "--sync", sync]
    server = Process([*words, *more], port)
    url = f"http://127.0.0.1:{port}"
    for _ in range(500):
        try:
            urllib.request.urlopen(f"{url}/health/ready").close()
            break
        except OSError:
            time.sleep(0.02)
    made = json.dumps({"learner": "logistic", "label": "y"}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{url}/v1/models/m", made, method="PUT")).close()
    return server


def sync_p99(folder: str) -> float:
    """Of appending 340 bytes and bringing them to disk."""
    times = []
    with open(Path(folder, "sync"), "ab", 0) as file:
        for _ in range(300):
            file.write(b"x" * 340)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return sorted(times)[int(0.99 * len(times))]


def recovery(folder: str, n: int) -> tuple[float, float]:
    """Seconds to replay a log without a checkpoint, and to train on its export."""
    from thresher import LogisticRegression
    from thresher.serve.log import last_whole
    from thresher.serve.store import Store, learned_lines

    shutil.rmtree(Path(folder, "models"), ignore_errors=True)
    began = time.perf_counter()
    store = Store(Path(folder))
    store.recover(last_whole(store.log_folder))
    replayed = time.perf_counter() - began
    data = Path(folder, "export.jsonl")
    data.write_bytes(b"".join(learned_lines(store, store.names["m"])))
    began = time.perf_counter()
    LogisticRegression().fit_file(data, label="y")
    return replayed, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--folder", help="where the servers write: on the disk to be measured")
    given = parser.parse_args()
    n = given.events
    events = examples(n)
    bodies = [json.dumps(event).encode() for event in events]
    lines = [as_vw(event) for event in events]
    found: dict[str, Result] = {}

    def put(result: Result) -> None:
        found[result.name] = result
        print(result.row(), flush=True)

    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        learn = [request("/learn", body) for body in bodies]
        with asgi(folder, "empty_asgi", EMPTY) as server:
            put(server.http("an empty ASGI handler", learn, n))
        with asgi(folder, "empty_starlette", STARLETTE) as server:
            put(server.http("an empty Starlette handler", learn, n))
        with asgi(folder, "river_behind_fastapi", RIVER) as server:
            put(server.http("River behind FastAPI, nothing on disk", learn, n))
        ours = [request("/v1/models/m/learn", body) for body in bodies]
        for sync in ("always", "everysec", "no"):
            with thresher(f"{folder}/{sync}", sync) as server:
                put(server.http(f"thresher serve --sync {sync}", ours, n))
        groups = [b"\n".join(bodies[at : at + 256]) for at in range(0, n, 256)]
        batches = [request("/v1/models/m/learn", g, "application/x-ndjson") for g in groups]
        with thresher(f"{folder}/batches", "always") as server:
            put(server.http("thresher serve, batches of 256, always", 4 * batches, 4 * n, 4))
        port = free_port()
        with thresher(f"{folder}/vw", "no", "--vw-port", str(port)) as server:
            server.port = port
            put(server.vw("thresher serve --vw-port --sync no", lines, 1))
            put(server.vw("thresher serve --vw-port, pipelined", 4 * lines, 256))
        port = free_port()
        words = [sys.executable, "-c", VW, "--daemon", "--foreground", "--port", str(port),
                 "--num_children", "1", "--quiet", "--loss_function", "logistic"]  # fmt: skip
        with Process(words, port) as server:
            put(server.vw("vw --daemon", lines, 1))
            put(server.vw("vw --daemon, pipelined", 4 * lines, 256))
        disk = sync_p99(folder)
        replays = [recovery(f"{folder}/{name}", n) for name in ("always", "batches")]
    report(found, disk)
    for text, (replayed, trained) in zip(("single events", "batches of 256"), replays, strict=True):
        name = f"recovery of {text}, train on the export = 1"
        print(f"{name:<52} {trained / replayed:6.2f}   target ≥ 0.5")


def report(found: dict[str, Result], disk: float) -> None:
    def ratio(a: str, b: str) -> float:
        return found[a].micros / max(found[b].micros, 1e-9)

    def p99(name: str) -> float:
        ranked = sorted(found[name].latencies)
        return ranked[int(0.99 * (len(ranked) - 1))]

    always, empty = "thresher serve --sync always", "an empty ASGI handler"
    river, starlette = "River behind FastAPI, nothing on disk", "an empty Starlette handler"
    batches, piped = "thresher serve, batches of 256, always", "vw --daemon, pipelined"
    vw, daemon = "thresher serve --vw-port --sync no", "vw --daemon"
    slower = p99("thresher serve --sync everysec") / p99(starlette)
    later = (p99(always) - p99(starlette)) / disk
    rows = [
        ("events a CPU second, River behind FastAPI = 1", ratio(river, always), "≥ 4"),
        ("CPU, an empty ASGI handler = 1", ratio(always, empty), "≤ 1.7"),
        ("--vw-port --sync no, vw --daemon = 1", ratio(daemon, vw), "≥ 1"),
        ("batches of 256, vw --daemon pipelined = 1", ratio(piped, batches), "≥ 2"),
        ("p99 everysec, empty Starlette = 1", slower, "≤ 2"),
        ("p99 always − empty Starlette, p99 of a sync = 1", later, "≤ 2"),
    ]
    print()
    for text, value, target in rows:
        print(f"{text:<52} {value:6.2f}   target {target}")


if __name__ == "__main__":
    main()
