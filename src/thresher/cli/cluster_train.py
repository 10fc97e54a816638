"""thresher train --cluster: passes over shards, mixed after each."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

from thresher.cli import clustered
from thresher.cli.report import counted, put, put_json, say

# What only one machine does, which sees its examples one after the other.
NOT_ON_CLUSTER = ("shuffle_buffer", "holdout", "delay", "time", "on_drift", "audit", "metric",
                  "save_every", "save_every_seconds")  # fmt: skip


def train_on_cluster(data: tuple[str, ...], path: str, given: dict[str, Any], passes: int) -> int:
    from thresher.cli.cluster_watch import ShardLog, ShardWatch
    from thresher.cli.train import load_learner, resume_command, settings_of
    from thresher.cluster.manifest import MOST_SHARDS, shards_of
    from thresher.cluster.training import ClusterTraining
    from thresher.training import Plan

    for name in NOT_ON_CLUSTER:
        if given[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} is not for --cluster.")
    plan = Plan(passes, threads=clustered.threads_of(given))
    resumed = load_learner(given) if given["resume"] else None
    many = given["learner"] in (None, "auto")
    learner, settings = "" if many else given["learner"], settings_of(given)
    if resumed is not None:
        asked = () if many else settings
        learner, settings = clustered.of_resumed(resumed, given["resume"], asked)
    lesson = clustered.lesson_of(given, learner, settings, plan)
    shards = shards_of(data, lesson.reading, given["shards"], given["shards"] or MOST_SHARDS)
    began = time.monotonic()
    with (
        clustered.engine_of(given) as engine,
        ShardWatch(shards, passes, quiet=given["quiet"]) as watch,
    ):
        if resumed is None and many:
            learner, settings = choose(engine, shards, lesson, given)
            lesson = replace(lesson, learner=learner, settings=settings)
        log = ShardLog(given["log"], path, lesson, shards, passes) if given["log"] else None
        watch.log = log
        run = ClusterTraining(engine, shards, lesson, how=given["mix"] or "occurrence",
                              scratch=given["scratch"], watch=watch.show)  # fmt: skip
        run.wanted = given["shards"]

        def save(made: Any) -> None:
            if log is not None:
                log.mixed(made)
            made.save(path)

        try:
            with log or nullcontext():
                model = run.run(save, resumed)
        except KeyboardInterrupt:
            if run.history:
                say(f"Stopped. {path} is the model after pass {run.history[-1]['pass']}; go on "
                    f"with: {resume_command(given, path)}")  # fmt: skip
            raise
    if run.last is None:
        model.save(path)
        say(f"{path}: this run is complete. Give more --passes to go on.")
        return 0
    facts = {
        "model": path, "learner": type(model).__name__, "settings": list(lesson.settings),
        "shards": len(shards), "workers": engine.workers, "mix": run.how,
        "examples": model.examples_, "passes": run.history, "seconds": time.monotonic() - began,
    }  # fmt: skip
    if given["as_json"]:
        put_json(facts)
    elif not given["quiet"]:
        for found in run.history:
            loss = "" if found["loss"] is None else f", progressive loss {found['loss']:.4f}"
            put(f"pass {found['pass']}: {counted(found['examples'], 'example')}{loss}")
        put(f"{path}: {type(model).__name__}, {counted(len(shards), 'shard')}, "
            f"{counted(engine.workers, 'worker')}, {facts['seconds']:.1f} s")  # fmt: skip
    if not given["quiet"]:
        for doubt in run.last.doubts(shards):
            say(doubt)
    first = [line for answer in run.last.answers.values() for line in answer.first_bad]
    return clustered.say_bad(run.history[-1]["bad_lines"], first)


def choose(engine: Any, shards: list[Any], lesson: Any, given: dict[str, Any]) -> Any:
    """Without --learner: the one of the portfolio that does best on the first shard, of those that
    can be mixed."""
    from thresher.cli.task import look_at_labels
    from thresher.cli.train import steps_of
    from thresher.cluster.choosing import choose_on_shard
    from thresher.cluster.manifest import is_remote
    from thresher.errors import ClusterError

    if given["settings"]:
        raise click.UsageError("--set needs one learner; name it with --learner.")
    task = given["task"]
    if task is None and not is_remote(shards[0].path):
        task = look_at_labels((shards[0].path,), given)
    tasks = [(lesson, shards[0], task or "classify", steps_of(given))]
    ((_, answer),) = engine.run(choose_on_shard, tasks, None)
    if answer.error is not None:
        raise ClusterError(answer.error)
    name, learner, settings, error = answer.content
    if not given["quiet"]:
        shown = f"{100 * error:.2f} %" if (task or "classify") == "classify" else f"{error:.4g}"
        say(f"{name} is learned on all shards: of the learners that can be mixed, it did best on "
            f"the first {counted(answer.examples, 'example')} of {shards[0]} (error {shown}). "
            "Another is named with --learner.")  # fmt: skip
    return learner, settings
