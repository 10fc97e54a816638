"""The long forms of the tests of streams, by hand: python tests/consume/long.py kills 200

kills N [K]     consumers killed, over each kind of stream in turn (from the K-th kill on)
brokers N [K]   brokers killed under a consumer, Valkey and NATS in turn
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

AT_ONCE = 10  # kills of one stream


def kills(n: int, first: int = 0) -> str:
    from consume.brokers import Kafka, Nats, Valkey
    from consume.consuming import append
    from consume.test_kills import survive, survive_with_log

    done = saved = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        valkey, nats, kafka = Valkey(Path(place, "valkey")), Nats(Path(place, "nats")), Kafka()
        try:
            while done < n:
                number = (first + done) // AT_ONCE
                kind = ("valkey", "nats", "kafka", "partitions", "file")[number % 5]
                folder = Path(place, f"run{number}")
                folder.mkdir()
                name, some = f"K{number}", min(AT_ONCE, n - done)
                events = 400 * some
                if kind == "partitions":
                    survive_with_log(kafka, name, folder, some, events, number)
                else:
                    url, add = stream_of(kind, name, valkey, nats, kafka, folder, append)
                    saved += survive(url, add, folder, some, events, number)
                done += some
                print(f"{done} kills ({kind})", flush=True)
        finally:
            for broker in (valkey, nats, kafka):
                broker.kill()
    return f"{done} kills, {saved} of them soon after a save: every model the same to the last byte"


def stream_of(
    kind: str, name: str, valkey: Any, nats: Any, kafka: Any, folder: Path, append: Any
) -> tuple[str, Any]:
    if kind == "valkey":
        return valkey.url(name), lambda lines: valkey.add(lines, name)
    if kind == "nats":
        nats.make(name, f"{name}.>")
        return nats.url(name), lambda lines: nats.add(lines, f"{name}.a")
    if kind == "kafka":
        kafka.make(name)
        return kafka.url(name), lambda lines: kafka.add(lines, name)
    path = folder / "events.jsonl"
    path.touch()
    return str(path), lambda lines: append(path, b"".join(line + b"\n" for line in lines))


def brokers(n: int, first: int = 0) -> str:
    from consume.brokers import Nats, Valkey
    from consume.test_kills import survive_broker

    done = 0
    while done < n:
        some = min(AT_ONCE, n - done)
        with tempfile.TemporaryDirectory() as folder:
            if (first + done) // AT_ONCE % 2:
                broker: Any = Nats(Path(folder, "broker"))
                broker.make()
            else:
                broker = Valkey(Path(folder, "broker"))
            try:
                survive_broker(broker, broker.url(), Path(folder), some, 300 * some, first + done)
            finally:
                broker.kill()
        done += some
        print(f"{done} brokers killed ({type(broker).__name__})", flush=True)
    return f"{done} brokers killed: nothing lost, nothing twice"


if __name__ == "__main__":
    long_forms = {"kills": kills, "brokers": brokers}
    print(long_forms[sys.argv[1]](*map(int, sys.argv[2:])))
