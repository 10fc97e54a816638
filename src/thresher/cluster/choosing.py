"""Which learner a run on shards takes if none was named: the best of a committee on one shard."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from typing import Any

from thresher.cluster.manifest import Shard, readable
from thresher.cluster.tasks import Answer, Lesson, refusal
from thresher.data.reader import BadLines
from thresher.errors import ThresherError
from thresher.learners.experts import Experts, ExpertsRegressor
from thresher.learners.portfolio import name_of, portfolio, written
from thresher.mixing import unmixable
from thresher.training import Plan, Training

MOST_EXAMPLES = 100_000  # of the first shard: more would hardly change the choice


def choose_on_shard(lesson: Lesson, shard: Shard, task: str, prepare: str, _: Any) -> Answer:
    """The name, the short name and the settings of the best that can be mixed, and its error."""
    answer = Answer(worker=f"{socket.gethostname()}:{os.getpid()}")
    if (why := refusal(lesson, shard, "")) is not None:
        answer.error = why
        return answer
    members = [m for m in portfolio(task, prepare) if unmixable(m.learner) is None]
    committee = (Experts if task == "classify" else ExpertsRegressor)(members)
    reading = lesson.reading
    if shard.format is not None:
        reading = replace(reading, format=shard.format)
    try:
        committee.begin_reading(reading)
        bad = BadLines(lesson.on_bad_line)
        plan = Plan(threads=lesson.plan.threads)
        with readable(shard) as path:
            with Training(committee, [path], reading=reading, plan=plan, bad=bad) as training:
                training.stop_at = MOST_EXAMPLES
                for _piece in training:
                    if training.examples >= MOST_EXAMPLES:
                        break
            if training.nothing_learned:
                raise training.why_nothing_learned()
        answer.examples = training.examples
        best = committee.best_
        answer.content = (name_of(best), *written(best), committee.standings_[0].error)
    except (ThresherError, OSError) as error:
        answer.fail(shard, error)
    return answer
