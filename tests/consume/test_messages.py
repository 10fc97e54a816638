"""What brokers send as events, what others see of a run."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

from consume.brokers import Kafka, Valkey
from consume.consuming import SETTINGS, Consumer, consume, letters, lines_of, place_of
from consume.test_errors import learned, wait
from thresher.consume.student import as_lines
from thresher.data.formats import FileShape


def test_entries_of_a_stream(valkey: Valkey, tmp_path: Path) -> None:
    """One field is the event; several are an object; or a field is named."""
    client, model = valkey.client, tmp_path / "m.model"
    for i in range(10):
        client.xadd("fields", {"x": i, "color": "red" if i % 2 else 'b"lue', "y": "ab"[i % 2]})
    words = ["--label", "y", "--learner", "pa", "--until-end", "-q"]
    consume(valkey.url("fields"), "-m", str(model), *words, code=0)
    import thresher

    assert set(thresher.load(model).explain_one({"x": 1, "color": "red"})) >= {"x", "color=red"}
    for i in range(10):
        client.xadd("named", {"id": i, "payload": json.dumps({"x": i, "y": "ab"[i % 2]})})
    client.xadd("named", {"id": 10})
    named = tmp_path / "named.model"
    words = ["--label", "y", "--until-end", "-q", "--field", "payload"]
    consume(valkey.url("named"), "-m", str(named), *words, code=3)
    assert thresher.load(named).known_features == 1
    assert letters(named)[0]["problem"] == "the entry has no field 'payload'."


def test_an_event_is_a_line() -> None:
    json_lines, bad = as_lines([b'{"x":\n 1}\n', b"", b"{}"], FileShape("jsonl"))
    assert json_lines == [b'{"x":  1}', b"", b"{}"] and not bad
    _, bad = as_lines([b"1 | a\n", b"1 | a\n2 | b"], FileShape("vw"))
    assert bad == [(1, "2 lines; expected an event on one line.")]


def test_a_topic_that_gets_partitions(kafka: Kafka, tmp_path: Path) -> None:
    """The log that gives them one order is dropped up to the model."""
    model, lines = tmp_path / "m.model", lines_of(120, 1, bad=False)
    kafka.make("some", 2)
    kafka.add(lines, "some", 2)
    assert learned(kafka.url("some"), model) == 120
    assert place_of(model)["place"]["offsets"] == {"0": 60, "1": 60}
    kafka.add(lines, "some", 2)
    assert learned(kafka.url("some"), model) == 240
    assert place_of(model)["place"]["seq"] == 240


def test_lag_in_logs_and_metrics(valkey: Valkey, tmp_path: Path) -> None:
    """Of a run that is going on; SIGTERM saves."""
    model, logs = tmp_path / "m.model", tmp_path / "runs"
    valkey.add(lines_of(500, 2), "watched")
    one = Consumer(valkey.url("watched"), model, "--save-every", "100", "--log", str(logs),
                   "--metrics-port", "0")  # fmt: skip
    assert one.process.stdout is not None
    url = one.process.stdout.readline().split()[-1]
    wait(lambda: b"events_total 500" in urllib.request.urlopen(url).read())
    told = urllib.request.urlopen(url).read().decode()
    assert "thresher_consume_lag_events 0" in told and "thresher_consume_up 1" in told
    assert one.stop()[0] == 0
    assert place_of(model)["events"] == 500
    (log,) = logs.iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[-1]["event"] == "end" and lines[-1]["state"] == "stopped"
    assert lines[-1]["lag_events"] == 0 and lines[-1]["dead_letters"] == len(letters(model))
    from thresher.lab.runs.logs import listed

    (run,) = listed({}, str(logs))["runs"]
    assert run["lag_events"] == 0 and run["lag_seconds"] == 0
    assert SETTINGS[1] in run["command"]
