"""Clients that a server must endure: connections that drop, say nothing, or never end."""

from __future__ import annotations

import http.client
import json
import random
import resource
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from serve.processes import Served, served
from thresher.client import Client
from thresher.serve.model import REMEMBERED

HEAD = b"POST /v1/models/m/learn HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def request(event: dict[str, object]) -> bytes:
    body = json.dumps(event).encode()
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def memory_of(server: Served) -> float:
    """In MB."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise LookupError("VmRSS")


def files_of(server: Served) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def begin(server: Served) -> Client:
    client = Client(server.url, retries=0)
    client.create("m", learner="arow", label="y", id="id")
    return client


def drop(folder: Path, n: int, seed: int = 0) -> str:
    """Connections that end anywhere within a request, or before its answer: each event is learned
    at most once, and can be sent again."""
    rng = random.Random(seed)
    with served(folder, "--sync", "no") as server:
        client = begin(server)
        before, complete = files_of(server), 0
        for i in range(n):
            data = request({"id": f"e{i}", "x": i % 7, "y": i % 2})
            cut = rng.choice([len(data), rng.randrange(len(data))])
            complete += cut == len(data)
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as one:
                if rng.random() < 0.5:  # a reset, not a polite end
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                one.sendall(data[:cut])
        with Client(server.url) as last:  # answered once all before it were accepted
            last.models()
        deadline = time.monotonic() + 30
        while (files := files_of(server)) > before + 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert files <= before + 2
        events = client.model("m")["events"]
        assert events <= complete
        for i in range(n):  # those that were lost are learned now, the others are known
            client.learn("m", {"id": f"e{i}", "x": i % 7, "y": i % 2})
        assert client.model("m")["events"] == n
        assert server.stop()[0] == 0
    return f"{n:,} dropped, {events:,} of {complete:,} whole requests learned, the others later"


def stay_idle(folder: Path, n: int) -> str:
    """Connections that say nothing, or half a request, while others are served."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * n + 500)), hard))
    with served(folder, "--sync", "no") as server, ExitStack() as open_ones:
        begin(server)
        before = memory_of(server)
        for i in range(n):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            open_ones.enter_context(one)
            if i % 2:
                one.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        client, began = Client(server.url), time.perf_counter()
        for i in range(200):
            client.learn("m", {"x": i, "y": i % 2})
        each = (time.perf_counter() - began) / 200
        more = memory_of(server) - before
        open_ones.close()
        assert server.stop()[0] == 0
    return f"{n:,} idle connections: {more:.0f} MB, {1e3 * each:.1f} ms an event beside them"


def send_much(folder: Path, megabytes: int) -> str:
    """A body that is too large is refused, by its length or, without one, on its way."""
    with served(folder, "--sync", "no") as server:
        client = begin(server)
        before = memory_of(server)
        for head in (b"Content-Length: %d\r\n\r\n" % (megabytes << 20),
                     b"Transfer-Encoding: chunked\r\n\r\n"):  # fmt: skip
            part = b"x" * (1 << 20)
            if head.startswith(b"T"):
                part = b"%x\r\n" % len(part) + part + b"\r\n"
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as one:
                one.sendall(HEAD + head)
                with suppress(ConnectionError):  # it may be closed
                    for _ in range(megabytes):
                        one.sendall(part)
                    if head.startswith(b"T"):
                        one.sendall(b"0\r\n\r\n")
                assert b" 413 " in one.recv(100)
        more = memory_of(server) - before
        assert more < 60, more
        assert client.learn("m", {"x": 1, "y": 1}).learned == 1
        assert server.stop()[0] == 0
    return f"{megabytes:,} MB refused twice with 413; {more:.0f} MB of memory"


def soak(folder: Path, seconds: float) -> str:
    """Load of all kinds; the memory at the end is that after half the time, within 10 %, and half
    a kilobyte for each id more that is remembered.
    """
    rng = random.Random(0)
    settings = ("--sync", "everysec", "--checkpoint-seconds", "5", "--keep-log", "64")
    with served(folder, *settings) as server:
        client = begin(server)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def ask(what: str, body: bytes, kind: str = "application/json") -> None:
            connection.request("POST", f"/v1/models/m/{what}", body, {"Content-Type": kind})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()

        began, early, number, remembered = time.monotonic(), 0.0, 0, 0
        while (passed := time.monotonic() - began) < seconds:
            if not early and passed > seconds / 2:
                early, remembered = memory_of(server), min(number, REMEMBERED)
            events = []
            for _ in range(20):
                x = {f"f{rng.randrange(1000)}": rng.random() for _ in range(8)}
                events.append(json.dumps({**x, "y": sum(x.values()) > 4}))
            ask("learn", "\n".join(events).encode(), "application/x-ndjson")
            number += 1
            name = f"k{number % 5000}-{number // 5000}"
            ask(f"predict?id={name}", json.dumps(x).encode())
            ask("label", json.dumps({"id": name, "label": True}).encode())
            ask("predict?scores=1", json.dumps(x).encode())
            if number % 500 == 0:
                Client(server.url).snapshot("m")  # an idle connection is closed
        client = Client(server.url)
        late, done = memory_of(server), client.model("m")["events"]
        assert server.stop()[0] == 0
    more = min(number, REMEMBERED) - remembered
    assert late < 1.1 * early + 2 + more / 2048, (early, late, number)
    said = f"{seconds:.0f} s, {done:,} events, {number:,} labels by id"
    return f"{said}: {early:.0f} MB halfway, {late:.0f} MB at the end"
