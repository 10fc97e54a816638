"""A training run in passes: each shard starts from the mix of the pass before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from thresher.cluster.engine import Engine
from thresher.cluster.manifest import Shard, digest_of
from thresher.cluster.tasks import Answer, Lesson, saved, train_shard, versions
from thresher.errors import ClusterError, InvalidInput
from thresher.mixing import mix, restarted, unmixable
from thresher.mixing.parts import COUNTING

FEW_EXAMPLES = 5_000  # of a shard: with fewer, mixing costs accuracy


@dataclass
class Pass:
    """What the shards of a pass have reported."""

    number: int
    answers: dict[int, Answer] = field(default_factory=dict)

    def total(self, what: str) -> float:
        return float(sum(getattr(self.answers[i], what) for i in sorted(self.answers)))

    def summary(self) -> dict[str, Any]:
        weight = self.total("weight")
        return {
            "pass": self.number,
            "examples": int(self.total("examples")),
            "mistakes": int(self.total("mistakes")),
            "mistakes_by_shard": [self.answers[i].mistakes for i in sorted(self.answers)],
            "loss": self.total("loss") / weight if weight else None,
            "bad_lines": int(self.total("bad_lines")),
        }


Watch = Callable[[Pass], None]


class ClusterTraining:
    """One run: passes, each with a task for every shard and a mix at the end."""

    def __init__(
        self,
        engine: Engine,
        shards: list[Shard],
        lesson: Lesson,
        *,
        how: str = "occurrence",
        scratch: str | None = None,
        watch: Watch = lambda _: None,
    ) -> None:
        self.engine, self.shards, self.how, self.watch = engine, shards, how, watch
        self.passes = lesson.plan.passes
        self.scratch = scratch
        self.history: list[dict[str, Any]] = []
        self.last: Pass | None = None
        self._fingerprints = [""] * len(shards)
        self._single = len(shards) == 1
        fresh = self._fresh(lesson)
        if not self._single and (why := unmixable(fresh)) is not None:
            raise InvalidInput(why)
        self._exact = not self._single and fresh.engine.geometry in COUNTING
        # One shard is an ordinary run; counts and moments need one mix, however many passes.
        inside = lesson.plan.passes if self._single or self._exact else 1
        self.lesson = replace(
            lesson, plan=replace(lesson.plan, passes=inside, cache=inside > 1), versions=versions()
        )
        self._turns = 1 if self._single or self._exact else self.passes

    @staticmethod
    def _fresh(lesson: Lesson) -> Any:
        from thresher.learners.table import by_short, parse_settings

        cls = by_short(lesson.learner, races=False).cls
        return cls(**parse_settings(cls, list(lesson.settings)))

    @property
    def manifest(self) -> dict[str, Any]:
        """What the result depends on, for the model's file."""
        return {
            "manifest": digest_of(self.shards),
            "shards": len(self.shards),
            "passes": self.passes,
            "mix": self.how,
            "learner": self.lesson.learner,
            "settings": list(self.lesson.settings),
        }

    def resume(self, learner: Any) -> bytes | None:
        """Go on after the last pass of the run that made this model."""
        run = learner.provenance_.get("cluster")
        if not isinstance(run, dict):
            raise InvalidInput("this model is not of a run on a cluster; expected one that is.")
        for name, value in self.manifest.items():
            if name != "passes" and run.get(name) != value:
                raise InvalidInput(
                    f"this model is of a run with {name}={run.get(name)!r}; expected {value!r}: "
                    "the same data, shards and options."
                )
        self.history = list(run["history"])
        self._fingerprints = list(run["fingerprints"])
        return saved(restarted(learner))

    def run(self, save: Callable[[Any], None], resumed: Any = None) -> Any:
        """The model of all passes; `save` gets that of each."""
        base = None if resumed is None else self.resume(resumed)
        learner = resumed
        while len(self.history) < self._turns:
            with self._folder() as folder:
                learner = self._one_pass(base, folder)
            learner.provenance_ = {
                "cluster": {
                    **self.manifest, "history": self.history, "fingerprints": self._fingerprints
                }
            }  # fmt: skip
            save(learner)
            if len(self.history) < self._turns:
                base = saved(restarted(learner))
        return learner

    @contextmanager
    def _folder(self) -> Iterator[str]:
        if self.scratch is not None:
            os.makedirs(self.scratch, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="thresher-", dir=self.scratch) as folder:
            yield folder

    def _one_pass(self, base: bytes | None, folder: str) -> Any:
        found = self.last = Pass(len(self.history) + 1)
        tasks = [(self.lesson, shard, self._fingerprints[i]) for i, shard in enumerate(self.shards)]
        self.watch(found)
        for i, answer in self.engine.run(train_shard, tasks, base):
            if answer.error is not None:
                raise ClusterError(answer.error)
            if answer.model is not None:
                with open(os.path.join(folder, f"{i}.model"), "wb") as file:
                    file.write(answer.model)
                answer.model = b""  # it is on disk: what is in memory does not grow with the shards
            found.answers[i] = answer
            self.watch(found)
        for i, answer in found.answers.items():
            self._fingerprints[i] = answer.fingerprint
        parts = [
            os.path.join(folder, f"{i}.model")
            for i in range(len(self.shards))
            if found.answers[i].model is not None
        ]
        if not parts:
            raise InvalidInput("no shard has an example to learn from.")
        self.history.append(found.summary())
        if base is None or self._exact:
            return mix(parts, how=self.how)
        path = os.path.join(folder, "base.model")
        with open(path, "wb") as file:
            file.write(base)
        return mix(parts, base=path, how=self.how)
