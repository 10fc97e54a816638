"""The audit of a run that `thresher train --cluster` made: replayed on shards, measured on shards.

A worker measures the shards that it reads; here only their largest norm, smallest margin and
mistakes are put together. The bound is that of mixed runs, theorem A or B: that of one run over all
the data does not apply.
"""

from __future__ import annotations

import math
import os
import socket
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.cluster.engine import Engine
from thresher.cluster.manifest import Shard, digest_of, readable, shards_of
from thresher.cluster.tasks import Answer, Lesson, loaded, refusal, saved, versions
from thresher.cluster.training import ClusterTraining
from thresher.data.reader import BadLines
from thresher.errors import ClusterError, InvalidInput, ThresherError
from thresher.learners.base.class_weights import refuse_weighed_classes
from thresher.mixing import restarted
from thresher.theory.audit.arrays import refuse_prepared
from thresher.theory.audit.files import FileAuditor
from thresher.theory.audit.result import Audit, RunCounts
from thresher.theory.audit.shards import mixed_row
from thresher.theory.audit.theorem import fails
from thresher.theory.bounds import Assumption


@dataclass
class Measured:
    """A shard, measured by each comparator in turn."""

    margins: list[float]
    longest: float
    largest: float
    weighted: bool


def measure_shard(lesson: Lesson, shard: Shard, comparators: list[bytes]) -> Answer:
    """The smallest margin of a shard by each of the comparators, and the size of its rows."""
    answer = Answer(worker=f"{socket.gethostname()}:{os.getpid()}")
    if (why := refusal(lesson, shard, "")) is not None:
        answer.error = why
        return answer
    try:
        margins: list[float] = []
        for model in comparators:
            learner = loaded(model)
            given = {"format": shard.format} if shard.format else {}
            with readable(shard) as path:
                bad = BadLines(lesson.on_bad_line)
                auditor = FileAuditor(learner, [path], 1, False, bad, lesson.plan.threads, given)
                found, _ = auditor.measure(learner)
            margins.append(min((float(m.min()) for m in found.margins if len(m)), default=math.inf))
        answer.content = Measured(margins, math.sqrt(found.longest), found.largest, found.weighted)
    except (ThresherError, OSError) as error:
        answer.fail(shard, error)
    return answer


def audit_cluster(
    model: Any, paths: list[str], engine: Engine, *, on_bad_line: str = "error",
    threads: int | None = None, scratch: str | None = None,
) -> Audit:  # fmt: skip
    """Replay the run of a model that was trained on a cluster, over the same shards, and compare
    the mistakes of all of them with the bound of its mix."""
    run = model.provenance_.get("cluster")
    if not isinstance(run, dict):
        raise InvalidInput(
            "this model is not of a run on a cluster; audit it without --cluster, which compares "
            "it with the bounds of one run."
        )
    refuse_prepared(model)
    refuse_weighed_classes(model)
    from thresher.training import Plan

    reading = model.reading_
    shards = shards_of(paths, reading, run.get("wanted"), most=100_000)
    if digest_of(shards) != run["manifest"]:
        raise InvalidInput(
            "these are not the shards of this model's run: other files, sizes or parts; expected "
            "the same data."
        )
    lesson = Lesson(
        run["learner"], tuple(run["settings"]), reading, Plan(int(run["passes"]), threads=threads),
        on_bad_line, versions(),
    )  # fmt: skip
    replay = ClusterTraining(engine, shards, lesson, how=run["mix"], scratch=scratch)
    made = replay.run(lambda _: None)
    same = made._learned().state() == model._learned().state()
    return MixedRunAudit(model, made, replay, same).audit(engine, lesson)


class MixedRunAudit:
    """What a replay and the measured shards say."""

    def __init__(self, model: Any, made: Any, replay: ClusterTraining, same: bool) -> None:
        self.model, self.made, self.replay, self.same = model, made, replay, same
        self.bias = bool(getattr(model, "fit_intercept", True))
        self.scaling = float(getattr(model, "intercept_scaling", 1.0))

    def audit(self, engine: Engine, lesson: Lesson) -> Audit:
        shards, classes = self.replay.shards, tuple(self.made.classes_.tolist())
        mistakes = sum(found["mistakes"] for found in self.replay.history)
        counts = RunCounts(
            sum(found["examples"] for found in self.replay.history), mistakes, self.made.updates_,
            "a replay over all shards" + ("" if self.same else ", which ended with other weights"),
        )  # fmt: skip
        comparators = {"the last weights": restarted(self.made)}
        if getattr(self.made, "average", False) is True:
            comparators["the averaged weights"] = self.made
        found = self._measure(engine, lesson, list(comparators.values()))
        R = max(one.longest for one in found)
        rows = []
        for k, (origin, learner) in enumerate(comparators.items()):
            gamma = min(one.margins[k] for one in found)
            row = mixed_row(self.model, counts, self.replay.how, R, gamma, self._spread(learner),
                            origin, len(classes), len(shards))  # fmt: skip
            lacks = tuple(self._lacks(found))
            bound = replace(row.bound, assumptions=(*row.bound.assumptions, *lacks))
            rows.append(replace(row, bound=bound))
        best = min(rows, key=lambda row: (not row.applies, row.value))
        u = next(name for name in comparators if name == best.comparator)
        return Audit(
            repr(self.model), counts, self.replay.passes, classes, R,
            max(max(one.largest for one in found), self.scaling if self.bias else 0.0), (u,),
            None, True if best.applies else None,
            f"{u} separate all shards" if best.applies else "no separator is known", (best,),
            notes=(f"{len(shards)} shards, mixed by {self.replay.how}: the bounds of one run over "
                   "all the data do not apply",),
        )  # fmt: skip

    def _measure(self, engine: Engine, lesson: Lesson, learners: list[Any]) -> list[Measured]:
        tasks = [(lesson, shard) for shard in self.replay.shards]
        found: dict[int, Measured] = {}
        for i, answer in engine.run(measure_shard, tasks, [saved(one) for one in learners]):
            if answer.error is not None:
                raise ClusterError(answer.error)
            found[i] = answer.content
        return [found[i] for i in sorted(found)]

    def _spread(self, learner: Any) -> float:
        """Σ_j n_j·u_j², the constant feature with n_j = S."""
        S = float(len(self.replay.shards))
        w = np.atleast_2d(learner.coef_)[0]
        b = float(np.atleast_1d(learner.intercept_)[0]) / self.scaling if self.bias else 0.0
        kept = self.made._occurrence
        n = np.full(len(w), S) if kept is None else np.asarray(kept.counts, float)
        length = float(w @ w) + b * b
        return float((n * w) @ w + S * b * b) / length if length else S

    def _lacks(self, found: list[Measured]) -> list[Assumption]:
        lacks = []
        if any(one.weighted for one in found):
            lacks.append(fails("every example has weight 1", "other weights came"))
        if not self.same:
            lacks.append(fails("the run was over these shards alone", "its replay ended otherwise"))
        made = self.model.reading_
        if made.min_count > 1 or made.max_features or made.hash_bits:
            lacks.append(
                fails("the learner saw each example as it was measured",
                      "names are counted, limited or hashed")
            )  # fmt: skip
        return lacks
