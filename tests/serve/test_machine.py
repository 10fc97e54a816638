"""Learn, predict, label, repeat, restart, kill, roll back, race, in any order, against a plain
model: the list of lines that count. In the end the server has what those lines teach."""

import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from serve.serving import Direct, hash_of
from thresher.serve.pupil import Pupil

__all__ = ["run_state_machine_as_test"]

SEGMENT = 600  # bytes: many changes of segments


def event(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    return {f"f{rng.randrange(5)}": rng.randrange(-3, 4), "c": rng.choice("xyz")}


class ServerMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self.folder = Path(tempfile.mkdtemp(dir=memory))
        self.open()
        self.options = self.server.create("m", learner="arow", id="id")
        self.lines: list[str] = []
        self.past = {self.server.writer.store.seq: self.state()}
        self.kept: dict[str, dict[str, Any]] = {}
        self.gone: set[str] = set()
        self.ids: dict[str, str] = {}
        self.racing = False

    def open(self) -> None:
        self.server = Direct(
            self.folder / "dir", sync="no", segment_bytes=SEGMENT, checkpoint_seconds=1e9
        )

    def state(self) -> Any:
        if not hasattr(self, "kept"):
            return [], {}, set(), {}
        return list(self.lines), dict(self.kept), set(self.gone), dict(self.ids)

    def note(self, seq: int) -> None:
        self.past[seq] = self.state()

    @rule(seed=st.integers(0, 50), label=st.sampled_from("ab"), bad=st.booleans())
    def learn(self, seed: int, label: str, bad: bool) -> None:
        lines = [json.dumps({**event(seed + i), "y": label}) for i in range(1 + seed % 3)]
        sent = [*lines, "{oops"] if bad else lines
        status, told = self.server.learn("m", "\n".join(sent))
        assert (status, told["learned"], "refused" in told) == (200, len(lines), bad)
        self.lines += lines
        self.note(told["seq"])

    @rule(seed=st.integers(0, 20), label=st.sampled_from("ab"))
    def learn_by_id(self, seed: int, label: str) -> None:
        line = json.dumps({**event(seed), "y": label})
        given = json.dumps({"id": f"e{seed}", **json.loads(line)})
        status, told = self.server.learn("m", given)
        known = self.ids.get(f"e{seed}")
        if known is None:
            assert (status, told["learned"]) == (200, 1)
            self.lines.append(line)
            self.ids[f"e{seed}"] = line
            self.note(told["seq"])
        else:
            assert status == (200 if known == line else 422)

    @rule(seed=st.integers(0, 12))
    def keep(self, seed: int) -> None:
        name = f"k{seed}"
        status, _ = self.server.keep("m", json.dumps(event(seed)), name)
        assert status == (409 if name in self.gone else 200)
        if status == 200:
            self.kept[name] = event(seed)
            self.note(self.server.writer.store.seq)

    @rule(seed=st.integers(0, 12), label=st.sampled_from("ab"))
    def label(self, seed: int, label: str) -> None:
        name = f"k{seed}"
        status, told = self.server.label("m", name, label)
        if name in self.kept:
            assert status == 200
            self.lines.append(json.dumps({"y": label, **self.kept.pop(name)}))
            self.gone.add(name)
            self.note(told["seq"])
        else:
            assert status == (409 if name in self.gone else 404)

    @precondition(lambda self: not self.racing)
    @rule()
    def race(self) -> None:
        challengers = {"pa": {"learner": "pa", "settings": {}}}
        assert self.server.do(lambda: self.server.writer.race("m", challengers).seq)[0] == 200
        self.racing = True
        self.past = {}  # an earlier state has no race: keep the plain model plain

    @precondition(lambda self: self.racing)
    @rule(promote=st.booleans())
    def end_race(self, promote: bool) -> None:
        writer = self.server.writer
        if promote:
            assert self.server.do(lambda: writer.promote("m", "pa").seq)[0] == 200
            self.options = writer.store.names["m"].options
        else:
            assert self.server.do(lambda: writer.end_race("m").seq)[0] == 200
        self.racing, self.past = False, {}

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def roll_back(self, data: Any) -> None:
        to = data.draw(st.sampled_from(sorted(self.past)))
        status, told = self.server.do(lambda: self.server.writer.roll_back("m", to).seq)
        assert status == 200, told
        self.lines, self.kept, self.gone, self.ids = (type(part)(part) for part in self.past[to])
        self.past = {seq: was for seq, was in self.past.items() if seq <= to}
        self.note(told)

    @rule()
    def snapshot(self) -> None:
        assert self.server.do(lambda: self.server.writer.snapshot("m"))[0] == 200

    @rule(kill=st.booleans())
    def restart(self, kill: bool) -> None:
        if kill:
            self.server.kill()
        else:
            self.server.stop()
        self.open()

    @invariant()
    def as_taught(self) -> None:
        model = self.server.writer.store.names["m"]
        assert model.events == len(self.lines)
        assert {name: json.loads(kept.line) for name, kept in model.kept.items()} == self.kept
        assert {n for n, why in model.gone.items() if why == "labelled"} == self.gone

    def teardown(self) -> None:
        plain = Pupil(self.options)
        for line in self.lines:
            plain.learn([line.encode()])
        if self.lines:
            assert self.server.hash("m") == hash_of(plain.learner, self.folder)
        self.server.stop()
        shutil.rmtree(self.folder)


TestServer = ServerMachine.TestCase
TestServer.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
