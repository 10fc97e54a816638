"""Servers killed while clients send events: what was acknowledged is learned, once, in order."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path

from click.testing import CliRunner

import thresher
from serve.processes import Served
from serve.serving import hash_of, trained
from thresher.cli import thresher as commands
from thresher.client import Client, NoAnswer, ServerError
from thresher.learners.table import by_short
from thresher.serve.options import model_options


class Load:
    """Clients that send events with ids, again where they got no answer."""

    def __init__(self, clients: int, seed: int, numbers: bool = False) -> None:
        self.acknowledged: dict[str, int] = {}
        self.url = ""
        self.stopping = threading.Event()
        self.problems: list[str] = []
        self._seed, self._numbers = seed, numbers
        self._threads = [threading.Thread(target=self._send, args=(i,)) for i in range(clients)]
        for thread in self._threads:
            thread.start()

    def _send(self, number: int) -> None:
        rng, sent = random.Random(self._seed * 1000 + number), 0
        while not self.stopping.is_set():
            many = rng.choice([1, 1, 1, 5])
            events = []
            for _ in range(many):
                x = {f"f{rng.randrange(20)}": round(rng.random(), 2) for _ in range(4)}
                total = sum(x.values())
                y = round(total, 2) if self._numbers else "a" if total > 2 else "b"
                events.append({"id": f"{number}-{sent}", **x, "y": y})
                sent += 1
            self._until_answered(events)

    def _until_answered(self, events: list[dict[str, object]]) -> None:
        while not self.stopping.is_set():
            client = Client(self.url or "http://127.0.0.1:1", retries=0, timeout=20)
            try:
                told = client.learn("m", events)
            except (NoAnswer, OSError):
                time.sleep(0.01)
                continue
            except ServerError as error:
                if error.status not in (429, 503):
                    self.problems.append(str(error))
                    return
                time.sleep(0.01)
                continue
            finally:
                client.close()
            for event in events:
                self.acknowledged[str(event["id"])] = told.seq
            return

    def stop(self) -> None:
        self.stopping.set()
        for thread in self._threads:
            thread.join()


def survive_kills(
    folder: Path, kills: int, *, learner: str = "arow", clients: int = 4, seed: int = 0,
    longest: float = 0.4, sync: str = "always", settings: tuple[str, ...] = (),
) -> int:  # fmt: skip
    """How many events were acknowledged; all of them are learned, each once."""
    rng = random.Random(seed)
    given = {"learner": learner, "label": "y", "id": "id"}
    load = None
    try:
        for kill in range(kills + 1):
            server = Served(
                folder / "dir", "--sync", sync, "--checkpoint-seconds", "0.15", *settings
            )
            if load is None:
                Client(server.url).create("m", **given)
                load = Load(clients, seed, by_short(learner, races=False).task == "regress")
            load.url = server.url
            time.sleep(rng.uniform(0.05, longest))
            if kill < kills:
                server.kill()
        load.stop()
        assert not load.problems, load.problems[:3]
        Client(server.url).snapshot("m")
        code, said = server.stop()
        assert code == 0, said
    finally:
        if load is not None:
            load.stop()
    return check(folder, load.acknowledged, given)


def check(folder: Path, acknowledged: dict[str, int], given: dict[str, str]) -> int:
    """The log, the export and the last checkpoint agree with what clients were told."""
    shown = run("log", "show", str(folder / "dir"))
    learned: dict[str, int] = {}
    for line in shown.splitlines():
        frame = json.loads(line)
        for _, one, _ in frame.get("events", ()):
            assert one not in learned, f"{one} was learned twice"
            learned[one] = frame["seq"]
    missing = set(acknowledged) - set(learned)
    assert not missing, f"acknowledged, but not learned: {sorted(missing)[:5]}"
    run("log", "verify", str(folder / "dir"))
    run("log", "export", str(folder / "dir"), "m", "-o", str(folder / "export.jsonl"))
    assert (folder / "export.jsonl").read_bytes().count(b"\n") == len(learned)
    files = sorted((folder / "dir" / "models" / "1").glob("*.0.model"))
    final = hash_of(thresher.load(files[-1]), folder)
    assert trained(model_options(given), folder / "export.jsonl", folder) == final
    return len(acknowledged)


def run(*words: str) -> str:
    """A command, in this process."""
    done = CliRunner().invoke(commands, words, standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.stdout
