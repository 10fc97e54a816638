"""Consumers and brokers killed: each event counts once, and the model is the same to the last
byte. The long form is tests/consume/long.py."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from consume.brokers import Kafka, Nats, Valkey
from consume.consuming import (
    SETTINGS,
    Consumer,
    append,
    compare,
    compare_with_train,
    consume,
    kill_often,
    letters,
    lines_of,
    place_of,
)
from thresher.serve.log import last_whole, read_log


def survive(url: str, add: Any, folder: Path, kills: int, n: int, seed: int) -> int:
    """Events are added while consumers come and go."""
    lines, model = lines_of(n, seed), folder / "m.model"
    step = -(-n // max(1, kills))

    def more(number: int) -> None:
        add(lines[number * step : (number + 1) * step])

    after_save = kill_often(url, model, kills, random.Random(seed), more)
    compare(url, model, lines, folder)
    return after_save


def survive_with_log(kafka: Kafka, topic: str, folder: Path, kills: int, n: int, seed: int) -> int:
    """Partitions come in any order; what is learned is the order of the log."""
    lines, model = lines_of(n, seed), folder / "m.model"
    kafka.make(topic, 3)
    kafka.add(lines, topic, 3)
    url = kafka.url(topic)
    rng = random.Random(seed)
    for _ in range(kills):
        one = Consumer(url, model, "--save-every", "300", "-q", "--keep-log")
        until = time.monotonic() + rng.choice([0.6, 3.0])
        while time.monotonic() < until and not (model.exists() and rng.random() < 0.05):
            time.sleep(0.005)
        one.kill()
    consume(url, "-m", str(model), *SETTINGS, "--until-end", "-q", "--keep-log")
    log = Path(f"{model}.log")
    learned = [frame.raw for frame in read_log(log, 0, last_whole(log))]
    assert sorted(learned) == sorted(lines)
    assert place_of(model)["events"] == n
    compare_with_train(model, learned, folder)
    return len(learned)


def survive_broker(broker: Any, url: str, folder: Path, kills: int, n: int, seed: int) -> None:
    """One consumer, and a broker that is killed again and again."""
    lines, model = lines_of(n, seed), folder / "m.model"
    rng, step = random.Random(seed), -(-n // (kills + 1))
    broker.add(lines[:step])
    one = Consumer(url, model, "--save-every", "300", "--save-every-seconds", "0.3")
    until = time.monotonic() + 60
    while time.monotonic() < until and not model.exists():
        time.sleep(0.02)
    for number in range(1, kills + 1):
        time.sleep(rng.uniform(0.0, 0.6))
        broker.kill()
        time.sleep(rng.uniform(0.0, 0.6))
        broker.start()
        broker.add(lines[number * step : (number + 1) * step])
    until = time.monotonic() + 60
    while time.monotonic() < until and not (model.exists() and place_of(model)["events"] == n):
        assert one.process.poll() is None, one.end()
        time.sleep(0.1)
    code, said = one.stop()
    assert code == 0 and "trying again" in said and "back" in said, said
    assert place_of(model)["events"] == n
    compare(url, model, lines, folder)


def test_valkey(valkey: Valkey, tmp_path: Path) -> None:
    add = lambda lines: valkey.add(lines, "kills")  # noqa: E731
    survive(valkey.url("kills"), add, tmp_path, 3, 3000, 1)


def test_nats(nats: Nats, tmp_path: Path) -> None:
    nats.make("KILLS", "kills.>")
    add = lambda lines: nats.add(lines, "kills.a")  # noqa: E731
    survive(nats.url("KILLS"), add, tmp_path, 2, 2000, 2)


def test_kafka(kafka: Kafka, tmp_path: Path) -> None:
    kafka.make("kills")
    add = lambda lines: kafka.add(lines, "kills")  # noqa: E731
    survive(kafka.url("kills"), add, tmp_path, 2, 2000, 3)


def test_kafka_with_partitions(kafka: Kafka, tmp_path: Path) -> None:
    survive_with_log(kafka, "kills3", tmp_path, 2, 2000, 4)


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.touch()
    add = lambda lines: append(path, b"".join(line + b"\n" for line in lines))  # noqa: E731
    survive(str(path), add, tmp_path, 2, 2000, 5)
    assert letters(tmp_path / "m.model")[0]["at"].startswith("events.jsonl, line ")


def test_a_broker_that_dies(tmp_path: Path) -> None:
    broker = Valkey(tmp_path / "valkey")
    try:
        survive_broker(broker, broker.url(), tmp_path, 2, 1000, 6)
    finally:
        broker.kill()
