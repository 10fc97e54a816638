"""What may go wrong with a stream: an error that says what to do, and nothing is skipped."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from consume.brokers import Kafka, Nats, Valkey, free_port
from consume.consuming import SETTINGS, Consumer, consume, digest, letters, lines_of, place_of
from thresher.consume.address import address_of


def learned(url: str, model: Path, *more: str) -> int:
    consume(url, "-m", str(model), *SETTINGS, "--until-end", "-q", *more)
    return int(place_of(model)["events"])


def refused(url: str, model: Path, *more: str) -> str:
    """The error; a model that is there stays as it was."""
    before = digest(model) if model.exists() else None
    said = consume(url, "-m", str(model), *SETTINGS, "--until-end", "-q", *more, code=1)
    assert said.startswith("error: ") and "Traceback" not in said, said
    assert (digest(model) if model.exists() else None) == before
    return said


def test_valkey_loses_nothing_silently(valkey: Valkey, tmp_path: Path) -> None:
    client, lines, url = valkey.client, lines_of(60, 1, bad=False), valkey.url("lost")
    model = tmp_path / "m.model"
    valkey.add(lines[:20], "lost")
    client.xdel("lost", client.xrange("lost")[12][0])
    client.xtrim("lost", maxlen=15, approximate=False)  # before anything was read: no loss
    assert learned(url, model) == 15
    client.xtrim("lost", maxlen=3, approximate=False)  # what is learned may go
    valkey.add(lines[20:40], "lost")
    assert learned(url, model) == 35
    valkey.add(lines[40:50], "lost")
    client.xtrim("lost", maxlen=4, approximate=False)
    assert "6 entries after" in refused(url, model)
    said = consume(url, "-m", str(model), *SETTINGS, "--until-end", "--accept-gap", code=0)
    assert "noted in the model" in said and place_of(model)["events"] == 39
    (gap,) = place_of(model)["gaps"]
    assert gap["events"] == 35 and "6 entries" in gap["lost"]
    assert learned(url, model) == 39
    valkey.add(lines[50:53], "lost")
    client.xdel("lost", client.xrevrange("lost", count=1)[0][0])
    assert "XDEL" in refused(url, model)
    assert learned(url, model, "--accept-gap") == 41
    client.delete("lost")
    assert "is gone" in refused(url, model)
    valkey.add(lines, "lost")
    assert "gone" in refused(url, model) or "made again" in refused(url, model)
    assert learned(url, model, "--accept-gap") == 41 + 60


def test_trimmed_while_it_is_read(valkey: Valkey, tmp_path: Path) -> None:
    """Trimming overtakes a reader that is connected."""
    from thresher.consume.events import StreamLost
    from thresher.consume.redis_stream import RedisStream

    valkey.add(lines_of(30, 1, bad=False), "overtaken")
    stream = RedisStream(address_of(valkey.url("overtaken")))
    stream.open(None, end=False, gap=False)
    stream.take(stream.fetch(10, 0.0))
    assert stream.lag().events == 20
    valkey.client.xtrim("overtaken", maxlen=5, approximate=False)
    with pytest.raises(StreamLost, match="15 entries"):
        stream.fetch(10, 0.0)
    stream.close()


def test_valkey_refuses(valkey: Valkey, tmp_path: Path) -> None:
    client, model = valkey.client, tmp_path / "m.model"
    client.set("text", "x")
    assert "is a string; expected a stream" in refused(valkey.url("text"), model)
    assert "no stream 'absent'" in refused(valkey.url("absent"), model)
    away = f"redis://127.0.0.1:{free_port()}/s"
    assert "no answer" in refused(away, model)
    client.execute_command("ACL SETUSER reader on >secret1 ~mine +@read")
    valkey.add(lines_of(20, 2, bad=False), "mine")
    secret = tmp_path / "secret"
    secret.write_text("# who we are\nusername=reader\npassword=secret1\n")
    host = f"127.0.0.1:{valkey.port}"
    told = [
        refused(f"redis://{host}/mine", model, "--broker-config", str(secret)),
        refused(f"redis://reader:secret1@{host}/mine", model),
        refused(f"redis://reader:wrong1@{host}/mine", model),
    ]
    assert "no permission" in told[0] and "+multi" in told[0]
    assert "not let in" in told[2] and "--broker-config" in told[2]
    client.execute_command("ACL SETUSER reader ~mine +xrange +xread +xinfo +multi +exec")
    log = tmp_path / "runs"
    url = f"redis://reader:secret1@{host}/mine"
    words = [sys.executable, "-m", "thresher", "consume", url, "-m", str(model), *SETTINGS]
    done = subprocess.run([*words, "--until-end", "--log", str(log)], capture_output=True)
    assert done.returncode == 0, done.stderr
    written = model.read_bytes() + b"".join(p.read_bytes() for p in log.iterdir())
    written += done.stdout + done.stderr + "".join(told).encode()
    assert b"secret1" not in written and b"wrong1" not in written
    client.execute_command("ACL DELUSER reader")


def test_nats_loses_nothing_silently(nats: Nats, tmp_path: Path) -> None:
    lines, model, url = lines_of(40, 3, bad=False), tmp_path / "m.model", nats.url("LOST")
    assert "no stream 'LOST'" in refused(url, model)
    nats.make("LOST", "lost.>")
    nats.add(lines[:10], "lost.a")
    assert learned(url, model) == 10
    nats.add(lines[10:20], "lost.a")
    nats.do(lambda js: js.delete_msg("LOST", 11))
    assert "messages 11 to 11 are gone" in refused(url, model)
    assert learned(url, model, "--accept-gap") == 19
    nats.add(lines[20:30], "lost.a")
    nats.do(lambda js: js.purge_stream("LOST", keep=4))
    assert "messages 21 to 26 are gone" in refused(url, model)
    assert learned(url, model, "--accept-gap") == 23
    nats.do(lambda js: js.delete_stream("LOST"))
    nats.make("LOST", "lost.>")
    nats.add(lines, "lost.a")
    assert "another stream of that name" in refused(url, model)
    assert learned(url, model, "--accept-gap") == 63
    nats.add(lines[:6], "lost.b")
    nats.add(lines[:4], "lost.c")
    other = tmp_path / "b.model"
    assert learned(f"{url}?subject=lost.b", other) == 6
    assert "no answer" in refused(f"nats://127.0.0.1:{free_port()}/S", tmp_path / "x.model")
    with warnings.catch_warnings(record=True) as caught:  # of a loop or a connection left open
        warnings.simplefilter("always", ResourceWarning)
        gc.collect()
        assert learned(url, model) == 63 + 10
        gc.collect()
    assert [str(c.message) for c in caught if c.category is ResourceWarning] == []


def test_nats_lets_nobody_in(tmp_path: Path) -> None:
    broker = Nats(tmp_path / "nats", 'authorization { user: me, password: "secret1" }')
    try:
        assert "not let in" in refused(broker.url(), tmp_path / "m.model")
        url = broker.url().replace("//", "//me:secret1@")
        assert "no stream" in refused(url, tmp_path / "m.model")
    finally:
        broker.kill()


def test_kafka_loses_nothing_silently(kafka: Kafka, tmp_path: Path) -> None:
    lines, model, url = lines_of(40, 4, bad=False), tmp_path / "m.model", kafka.url("lost")
    kafka.make("lost")
    kafka.add(lines[:20], "lost")
    kafka.ask("delete", "lost", 0, 5)
    assert learned(url, model) == 15
    kafka.add(lines[20:], "lost")
    kafka.ask("delete", "lost", 0, 26)
    assert "offsets 20 to 25 are gone" in refused(url, model)
    assert learned(url, model, "--accept-gap") == 29
    assert place_of(model)["place"]["offsets"] == {"0": 40}
    assert place_of(model)["place"]["cluster"].startswith("mockCluster")
    kafka.ask("error", "absent", 3)
    assert "no topic 'absent'" in refused(kafka.url("absent"), tmp_path / "x.model")
    kafka.ask("error", "closed", 29)
    assert "not let in" in refused(kafka.url("closed"), tmp_path / "x.model")
    assert "no answer" in refused(f"kafka://127.0.0.1:{free_port()}/t", tmp_path / "x.model")
    other = Kafka()
    try:
        other.make("lost")
        other.add(lines, "lost")
        assert "another cluster" in refused(other.url("lost"), model)
    finally:
        other.kill()


def test_a_kafka_broker_that_is_silent_for_a_while(kafka: Kafka, tmp_path: Path) -> None:
    broker, model = Kafka(), tmp_path / "m.model"
    try:
        broker.make("t", 2)
        lines = lines_of(400, 5, bad=False)
        broker.add(lines[:200], "t", 2)
        one = Consumer(broker.url(), model, "--save-every", "100")
        wait(lambda: model.exists() and place_of(model)["events"] == 200)
        broker.ask("down")
        time.sleep(1.0)
        broker.ask("up")
        broker.add(lines[200:], "t", 2)
        wait(lambda: place_of(model)["events"] == 400)
        code, said = one.stop()
        assert code == 0 and "trying again" in said and "back" in said, said
    finally:
        broker.kill()


def wait(until: Any) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and not until():
        time.sleep(0.05)
    assert until()


def test_too_many_bad_events(tmp_path: Path) -> None:
    """Each with its place, its reason and its bytes; and after a stop the run goes on."""
    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    good = lines_of(400, 6, bad=False)
    bad = [b'{"f1": 1}', b"{oops", b"\xff\xfe", b'{"f1": "x", "y": [1]}']
    path.write_bytes(b"\n".join([*good[:200], *(bad * 6), *good[200:]]) + b"\n")
    said = consume(str(path), "-m", str(model), *SETTINGS, "--until-end", "--max-bad", "0.05",
                   "--save-every", "10", code=1)  # fmt: skip
    assert (
        "of the last" in said
        and "The last of them, at e.jsonl, line 2" in said
        and "--max-bad" in said
        and "saved to" in said
    )
    assert learned(str(path), model, "--max-bad", "0.3") == 424
    rows = letters(model)
    assert len(rows) == 24
    assert rows[0] == {
        "at": "e.jsonl, line 201", "problem": "found no label; expected it under the key 'y'.",
        "event": '{"f1": 1}',
    }  # fmt: skip
    assert rows[2]["event_base64"] == "//4=" and "event" not in rows[2]


def test_one_owner(tmp_path: Path) -> None:
    """A second process is refused, or waits, and takes over from one that was killed."""
    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    path.write_bytes(b"\n".join(lines_of(50, 7, bad=False)) + b"\n")
    first = Consumer(str(path), model, "--save-every", "10")
    wait(model.exists)
    said = consume(str(path), "-m", str(model), *SETTINGS, "--until-end", code=1)
    assert f"process {first.process.pid} on " in said and "--standby" in said
    second = Consumer(str(path), model, "--standby", "--until-end")
    third = Consumer(str(path), model, "--standby")
    for waiting in (second, third):
        assert waiting.process.stdout is not None
        assert "waiting to take over" in waiting.process.stdout.readline()
    assert third.stop()[0] == 0
    assert second.process.poll() is None
    first.kill()
    code, said = second.end()
    assert code == 0 and "taking over" in said and "50 events" in said


def test_what_cannot_be_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    path.write_bytes(b"\n".join(lines_of(20, 8, bad=False)) + b"\n")
    assert learned(str(path), model) == 20
    other = tmp_path / "other.jsonl"
    other.write_bytes(path.read_bytes())
    assert "another stream" in refused(str(other), model)
    assert "another kind of stream" in refused(f"nats://127.0.0.1:{free_port()}/S", model)
    assert "no such kind of stream" in refused("amqp://me:pw@host/q", model)
    assert "expected redis://HOST" in refused("redis://localhost", model)
    assert "no such file" in refused(str(tmp_path / "absent"), tmp_path / "n.model")
    packed = tmp_path / "e.gz"
    packed.write_bytes(b"\x1f\x8b\x08....")
    assert "compressed" in refused(str(packed), tmp_path / "n.model")
    first = tmp_path / "first.txt"
    first.write_bytes(b"what is this\n")
    said = consume(str(first), "-m", str(tmp_path / "n.model"), "--until-end", code=1)
    assert "The first event is: what is this" in said and "--format" in said
    mine = tmp_path / "mine.txt"
    mine.write_bytes(b"not to be lost\n")
    assert "--dead-letters" in refused(str(path), tmp_path / "n.model", "--dead-letters", str(mine))
    assert mine.read_bytes() == b"not to be lost\n"
    made = tmp_path / "trained.model"
    from thresher import PassiveAggressive

    PassiveAggressive().fit_file(str(path), label="y").save(made)
    said = consume(str(path), "-m", str(made), "--until-end", code=1)
    assert "without a place in a stream" in said and "--resume" in said
    new = tmp_path / "new.model"
    consume(str(path), "-m", str(new), "--resume", str(made), "--until-end", "-q", code=0)
    assert json.loads(json.dumps(place_of(new)))["events"] == 20
    for package, url in (("redis", "redis://h/s"), ("nats", "nats://h/s"),
                         ("confluent_kafka", "kafka://h/t")):  # fmt: skip
        monkeypatch.setitem(sys.modules, package, None)
        assert "pip install 'thresher[stream]'" in refused(url, tmp_path / "n.model")


def test_nothing_is_imported_unless_used(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"\n".join(lines_of(20, 9, bad=False)) + b"\n")
    code = (
        "import sys; from thresher.cli import thresher as t; "
        f"t.main(['consume', {str(path)!r}, '-m', {str(tmp_path / 'm')!r}, '--label', 'y', "
        "'--until-end', '-q'], standalone_mode=False); "
        "print({'redis', 'nats', 'confluent_kafka', 'asyncio', 'http'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done
    assert os.path.exists(tmp_path / "m")


def test_a_place_that_makes_no_sense(tmp_path: Path) -> None:
    """Nothing in a model file is trusted."""
    import thresher

    path, model = tmp_path / "e.jsonl", tmp_path / "m.model"
    path.write_bytes(b"\n".join(lines_of(20, 9, bad=False)) + b"\n")
    assert learned(str(path), model) == 20
    good = place_of(model)
    for key, value in (
        ("version", 99), ("events", -1), ("bad", ["x"]), ("shape", {"format": 3}),
        ("state", {"scores": [[1, "x", "y"]]}), ("place", {"name": "e.jsonl", "file": "e.jsonl"}),
        ("place", {"name": "e.jsonl", "file": "e.jsonl", "inode": 1, "seen": {"bytes": "x"}}),
    ):  # fmt: skip
        broken = thresher.load(model)
        broken.provenance_ = {"stream": {**good, key: value}}
        broken.save(tmp_path / "broken.model")
        refused(str(path), tmp_path / "broken.model")
