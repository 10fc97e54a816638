"""A training run in passes: each shard starts from the mix of the pass before."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from thresher.cluster.engine import Engine
from thresher.cluster.manifest import Shard, digest_of
from thresher.cluster.tasks import Answer, Lesson, Teller, saved, train_shard, versions
from thresher.errors import ClusterError, InvalidInput
from thresher.mixing import mix, restarted, unmixable
from thresher.mixing.parts import COUNTING

FEW_EXAMPLES = 5_000  # of a shard: with fewer, mixing costs accuracy
UNLIKE = 0.1  # by how much the share of a label may differ from that in all the data


@dataclass
class Pass:
    """What the shards of a pass have reported."""

    number: int
    answers: dict[int, Answer] = field(default_factory=dict)
    told: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Of shards that are under way, what they told last."""

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

    def doubts(self, shards: Sequence[Shard]) -> list[str]:
        """What makes models of shards a poor mix."""
        if len(self.answers) < 2:
            return []
        found = []
        often = Counter(map(str, shards))
        if twice := [f"{name} ({count} times)" for name, count in often.items() if count > 1]:
            more = f" and {len(twice) - 3:,} more" if len(twice) > 3 else ""
            found.append(f"Given, and so learned, more than once: {', '.join(twice[:3])}{more}.")
        small = [a.examples for a in self.answers.values() if a.examples < FEW_EXAMPLES]
        if small:
            found.append(
                f"{len(small):,} shard{'s' * (len(small) > 1)} with fewer than {FEW_EXAMPLES:,} "
                f"examples (the smallest has {min(small):,}): one machine would learn more from "
                "them."
            )
        return found + self._unlike_labels()

    def _unlike_labels(self) -> list[str]:
        """A shard that is surely not a random part of the data."""
        every: dict[Any, int] = {}
        for answer in self.answers.values():
            for label, count in answer.labels.items():
                every[label] = every.get(label, 0) + count
        total = sum(every.values())
        farthest, words = UNLIKE, ""
        for i, answer in sorted(self.answers.items()):
            n = sum(answer.labels.values())
            for label, count in every.items() if n else ():
                share, own = count / total, answer.labels.get(label, 0) / n
                sure = 4.0 * (share * (1.0 - share) / n) ** 0.5
                if abs(own - share) > max(farthest, sure):
                    farthest = abs(own - share)
                    words = (
                        f"The labels' shares differ between shards: {label!r} is {100 * own:.0f} % "
                        f"of shard {i}, and {100 * share:.0f} % of all. Shards that are random "
                        "parts of the data mix better."
                    )
        return [words] if words else []


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
        watch: Watch | None = None,
    ) -> None:
        """`watch` is called whenever something is known, also on threads of the engine."""
        self.engine, self.shards, self.how = engine, shards, how
        self.watches = watch is not None
        self.watch: Watch = watch or (lambda _: None)
        self.passes = lesson.plan.passes
        self.scratch = scratch
        self.wanted: int | None = None  # into how many parts the files were to be cut
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
            "wanted": self.wanted,
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
        if run.get("manifest") != self.manifest["manifest"]:
            raise InvalidInput(
                f"this model is of a run over {run.get('shards')} other shards: the files, their "
                f"sizes or parts are not those of the {len(self.shards)} found here; expected the "
                "same data and --shards."
            )
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
        try:
            if self.scratch is not None:
                os.makedirs(self.scratch, exist_ok=True)
            made = tempfile.TemporaryDirectory(prefix="thresher-", dir=self.scratch)
        except OSError as error:
            raise self._no_room(self.scratch or tempfile.gettempdir(), error) from error
        with made as folder:
            yield folder

    def _no_room(self, path: str, error: OSError) -> ClusterError:
        given = "the folder of --scratch" if self.scratch else "--scratch DIR, a folder"
        return ClusterError(
            f"{path}: {error.strerror or error}. The models of a pass are kept there; expected "
            f"{given} with room for one of each shard."
        )

    def _one_pass(self, base: bytes | None, folder: str) -> Any:
        found = self.last = Pass(len(self.history) + 1)
        topic = f"thresher-{uuid.uuid4().hex}" if self.watches else ""
        tasks = [
            (self.lesson, shard, self._fingerprints[i], Teller(topic, i))
            for i, shard in enumerate(self.shards)
        ]

        def hear(told: dict[str, Any]) -> None:
            if told["shard"] not in found.answers:
                found.told[told["shard"]] = told
                self.watch(found)

        self.watch(found)
        with self.engine.listening(topic, hear) if topic else nullcontext():
            self._collect(found, tasks, base, folder)
        parts = {
            os.path.join(folder, f"{i}.model"): str(shard)
            for i, shard in enumerate(self.shards)
            if found.answers[i].model is not None
        }
        if not parts:
            raise InvalidInput(
                f"none of the {len(self.shards):,} shards has an example to learn from; expected "
                f"some. The first is {self.shards[0]}."
            )
        self.history.append(found.summary())
        path = None
        if base is not None and not self._exact:
            path = os.path.join(folder, "base.model")
            self._keep(path, base)
        return mix(parts, base=path, how=self.how, names=list(parts.values()))

    def _keep(self, path: str, model: bytes) -> None:
        try:
            with open(path, "wb") as file:
                file.write(model)
        except OSError as error:
            raise self._no_room(path, error) from error

    def _collect(self, found: Pass, tasks: list[Any], base: bytes | None, folder: str) -> None:
        """Answers to disk, as they come: what is in memory does not grow with the shards."""
        for i, answer in self.engine.run(train_shard, tasks, base):
            if answer.error is not None:
                raise ClusterError(answer.error)
            if answer.model is not None:
                self._keep(os.path.join(folder, f"{i}.model"), answer.model)
                answer.model = b""
            found.answers[i] = answer
            found.told.pop(i, None)
            self.watch(found)
        for i, answer in found.answers.items():
            self._fingerprints[i] = answer.fingerprint
