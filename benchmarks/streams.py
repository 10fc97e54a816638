"""What an event costs that `thresher consume` learns, from each kind of stream.

    python benchmarks/streams.py [EVENTS]

The events (20 features, some 300 bytes of JSON) are in the stream before the clock starts. Brokers
run on the same machine. `thresher train` on a file with the same events is the bound.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from consume.brokers import Kafka, Nats, Valkey


def made(n: int) -> list[bytes]:
    rng, out = random.Random(1), []
    for _ in range(n):
        x = {f"feature{rng.randrange(1000)}": round(rng.random(), 3) for _ in range(20)}
        out.append(json.dumps({**x, "y": "a" if sum(x.values()) > 10 else "b"}).encode())
    return out


def cost(command: str, source: str, folder: Path, *more: str) -> tuple[float, float]:
    """Events a second, and CPU µs of the learning process for each. The second run finds nothing
    new: what it takes is subtracted."""
    model = folder / f"{random.randrange(1 << 30)}.model"
    words = [sys.executable, "-m", "thresher", command, source, "-m", str(model), "--label", "y"]
    words += ["--learner", "arow", "-q", "--json", *more]
    told, first = used(words)
    _, second = used([*words, "--resume", str(model)] if command == "train" else words)
    found = json.loads(told)
    return found["examples"] / found["seconds"], 1e6 * (first - second) / found["examples"]


def used(words: list[str]) -> tuple[bytes, float]:
    """What a command prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(words, capture_output=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(n: int) -> None:
    lines = made(n)
    print(f"{n:,} events of {sum(map(len, lines)) // n} bytes")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        folder = Path(place)
        path = folder / "events.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        show("thresher train, a file", cost("train", str(path), folder))
        show("growing file", cost("consume", str(path), folder, "--until-end"))
        valkey = Valkey(folder / "valkey", "--appendfsync", "no")
        valkey.add(lines)
        show("Valkey", cost("consume", valkey.url(), folder, "--until-end"))
        valkey.kill()
        nats = Nats(folder / "nats")
        nats.make()
        nats.add(lines)
        show("NATS JetStream", cost("consume", nats.url(), folder, "--until-end"))
        nats.kill()
        kafka = Kafka()
        some = lines[:10_000]  # these brokers keep 5 MB of a partition
        kafka.make()
        kafka.add(some)
        show("Kafka, 1 partition", cost("consume", kafka.url(), folder, "--until-end"))
        kafka.make("three", 3)
        kafka.add(some, "three", 3)
        show("Kafka, 3 partitions", cost("consume", kafka.url("three"), folder, "--until-end"))
        kafka.kill()


def show(what: str, found: tuple[float, float]) -> None:
    print(f"{what:24} {found[0]:12,.0f} events/s {found[1]:8.1f} µs CPU an event", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
