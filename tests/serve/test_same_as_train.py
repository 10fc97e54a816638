"""What a server ends with is what `thresher train` makes of its exported log, to the last bit."""

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from serve.serving import Direct, direct, trained
from thresher.learners.table import TABLE
from thresher.serve.log import Kind
from thresher.serve.planning import Job

WORDS = ("one", "two", "three", "four", "five")
# One of each family and task; a concept class, which JSON cannot hold, is for Python alone.
LEARNERS = {
    (entry.family, entry.task): entry
    for entry in reversed(TABLE)
    if entry.online and (not entry.boolean or entry.short == "elimination")
}.values()


def events(task: str, n: int, seed: int, boolean: bool = False) -> list[str]:
    """Lines of JSON: numbers, texts and missing keys, some of weight 2 or 0."""
    rng = random.Random(seed)
    out = []
    for i in range(n):
        if boolean:
            x: dict[str, Any] = {f"b{j}": rng.random() < 0.5 for j in range(4)}
            y: Any = bool(x["b0"] and not x["b2"])
        else:
            x = {f"f{rng.randrange(12)}": round(rng.random(), 3) for _ in range(4)}
            x["color"] = rng.choice(["red", "green", "blue"])
            s = sum(v for k, v in x.items() if k in ("f1", "f3", "f5")) - 0.4
            y = round(s, 3) if task == "regress" else ("yes" if s > 0 else "no")
            if task == "classify" and i % 9 == 4:
                y = "maybe"
            x["w"] = rng.choice([1, 1, 2, 0.5])
        out.append(json.dumps({**x, "y": y}))
    return out


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda e: e.short)
def test_every_learner(tmp_path: Path, entry: Any) -> None:
    """In requests of all sizes, with bad lines, labels that come later, a kill and a restart."""
    lines = events(entry.task, 60, seed=1, boolean=entry.boolean)
    settings = {"settings": {"positive": "true"}} if entry.boolean else {"weight": "w"}
    server = Direct(tmp_path / "served")
    options = server.create("m", learner=entry.short, **settings)
    server.learn("m", lines[0])
    server.learn("m", "\n".join([*lines[1:20], "{bad", "", lines[20]]))
    waiting = [server.later(server.job(Kind.LEARN, "m", line)) for line in lines[21:40]]
    assert all(wait()[0] in (200, 422) for wait in waiting)
    event = json.loads(lines[40])
    label = event.pop("y")
    assert server.keep("m", json.dumps(event), "later")[0] == 200
    server.kill()
    with direct(tmp_path / "served") as again:
        assert again.label("m", "later", label)[0] in (200, 422)
        again.learn("m", "\n".join(lines[41:]))
        hashed = again.hash("m")
        again.export("m", tmp_path / "export.jsonl")
    assert trained(options, tmp_path / "export.jsonl", tmp_path) == hashed
    with direct(tmp_path / "served") as third:  # from the checkpoint
        assert third.hash("m") == hashed


@pytest.mark.parametrize(
    "options",
    [
        {"text": ["t"], "ngrams": 2, "min_count": 2},
        {"text": ["t"], "char_ngrams": "2-3", "weighting": "log"},
        {"cross": [["a", "b"]], "hash_bits": 8},
        {"max_features": 6, "categorical": ["a"]},
    ],
    ids=["text", "characters", "hashed", "bounded"],
)
def test_every_recipe(tmp_path: Path, options: dict[str, Any]) -> None:
    rng = random.Random(2)
    with direct(tmp_path / "served") as server:
        made = server.create("m", learner="arow", **options)
        for _ in range(40):
            words = " ".join(rng.choice(WORDS) for _ in range(5))
            event = {"t": words, "a": rng.randrange(4), "b": rng.random()}
            y = "one" in words
            status, told = server.learn("m", json.dumps({**event, "y": y}))
            assert status == 200, told
        hashed = server.hash("m")
        server.export("m", tmp_path / "export.jsonl")
    assert trained(made, tmp_path / "export.jsonl", tmp_path) == hashed


@pytest.mark.parametrize("form", ["vw", "svmlight", "bag"])
def test_other_formats(tmp_path: Path, form: str) -> None:
    lines = {
        "vw": ["1 2.0 'tag| a b:2", "-1 |x c d:0.5", "oops |", "1 | a"],
        "svmlight": ["+1 1:0.5 7:1", "-1 2:1 # note", "what", "+1 7:2"],
        "bag": ["spam\tbuy now", "ham\thello you", "ham", "spam\tbuy"],
    }[form]
    with direct(tmp_path / "served") as server:
        made = server.create("m", learner="pa", format=form)
        told = [server.learn("m", line) for line in lines[:2]] + [
            server.learn("m", "\n".join(lines))
        ]
        assert [status for status, _ in told] == [200] * 3
        assert told[2][1]["refused"][0]["line"] == 3
        assert server.keep("m", {"vw": "| a", "svmlight": "0 7:1", "bag": "?\tbuy"}[form], "k")[0]
        hashed = server.hash("m")
        path = tmp_path / f"export.{form}"
        server.export("m", path)
    assert trained(made, path, tmp_path) == hashed


def test_faults_that_depend_on_the_state_are_refused_again(tmp_path: Path) -> None:
    """A number among labels, and a regressor that diverges: written, refused, left out of the
    export; names of refused events leave no trace."""
    with direct(tmp_path / "served") as server:
        made = server.create("m", learner="lms", settings={"learning_rate": 1.5})
        for i in range(200):
            status, told = server.learn("m", json.dumps({"x": 100.0 + i, f"n{i}": 1, "y": i}))
            assert status in (200, 422)
            if status == 422:
                break
        assert status == 422 and "diverge" in told["error"], told
        text = "\n".join(json.dumps({"x": 1e-3 * i, f"late{i}": 1, "y": 1}) for i in range(5))
        server.learn("m", text)
        hashed, refused = server.hash("m"), server.writer.store.names["m"].champion.refused
        server.export("m", tmp_path / "export.jsonl")
    assert refused >= 1
    assert trained(made, tmp_path / "export.jsonl", tmp_path) == hashed
    with direct(tmp_path / "served") as again:
        assert again.hash("m") == hashed
        assert again.writer.store.names["m"].champion.refused == refused


def test_several_models_at_once(tmp_path: Path) -> None:
    """Large requests for several models, in one group: they learn side by side."""
    with direct(tmp_path / "served") as server:
        made = {
            name: server.create(name, learner=name, weight="w") for name in ("arow", "cw", "pa")
        }
        together = threading.Event()
        server.later(Job(None, "", b"", lambda told: None, do=together.wait))
        waiting = []
        for seed, name in enumerate((*made, "arow")):
            text = "\n".join(events("classify", 400, seed=seed))
            waiting.append(server.later(server.job(Kind.LEARN, name, text)))
        before = server.writer.groups
        together.set()
        assert [wait()[1]["learned"] for wait in waiting] == [400] * 4
        assert server.writer.groups <= before + 2  # the one that held them up may count as well
        for name, options in made.items():
            server.export(name, tmp_path / "export.jsonl")
            assert trained(options, tmp_path / "export.jsonl", tmp_path) == server.hash(name)


def test_many_events_at_once(tmp_path: Path) -> None:
    """Several pieces, with bad lines and refused events in them, and several requests."""
    lines = events("classify", 700, seed=3)
    lines[300] = "{oops"
    lines[650] = ""
    with direct(tmp_path / "served") as server:
        made = server.create("m", learner="arow", weight="w")
        first = server.later(server.job(Kind.LEARN, "m", "\n".join(lines)))
        second = server.later(server.job(Kind.LEARN, "m", "\n".join(lines[:280])))
        assert first()[1]["learned"] == 698
        assert first()[1]["refused"][0]["line"] == 301
        assert second()[1]["learned"] == 280
        hashed = server.hash("m")
        server.export("m", tmp_path / "export.jsonl")
    assert trained(made, tmp_path / "export.jsonl", tmp_path) == hashed
