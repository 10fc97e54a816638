"""thresher train --learner auto: many learners at once, and the best answer of them saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from thresher.cli.columns import take_columns, try_ways
from thresher.cli.report import counted, put, put_json, say
from thresher.cli.task import are_files, look_at_labels, refuse_targets
from thresher.cli.train import (
    TrainCommand,
    doubt_order,
    new_learner,
    prepare,
    report_bad_lines,
    settings_of,
    steps_of,
)
from thresher.errors import InvalidInput
from thresher.learners.criteria import is_counted

# By how many standard errors all together must be better than the leader alone to be worth keeping.
BETTER = 2.0
# How many learners the report shows.
SHOWN = 5
# What only one learner can do.
ONE_LEARNER = {"audit": "--audit"}
NAME_ONE = "needs one learner, and here are many: name one with --learner, such as pa."


def train_auto(data: tuple[str, ...], path: str, given: dict[str, Any]) -> int:
    """A portfolio of learners, and further passes only with the one that is best."""
    for name, option in ONE_LEARNER.items():
        if given[name]:
            raise click.UsageError(f"{option} {NAME_ONE}")
    take_columns(data, given)
    task = given["task"] or look_at_labels(data, given)
    if task == "classify":
        try_ways(data, given)
    committee = new_committee(task, given)
    training = prepare(data, given | {"passes": first_passes(data, given)}, committee)
    return go_on_auto(training, data, path, given)


def new_committee(task: str, given: dict[str, Any]) -> Any:
    """Many learners for a task, each with the preparation that is asked for."""
    from thresher.learners.portfolio import portfolio

    learner = {"classify": "experts", "regress": "experts-regressor"}[task]
    try:
        committee = new_learner(learner, settings_of(given | {"prepare": ()}))
    except InvalidInput as error:
        error.add_note(f"An option of a learner {NAME_ONE}")
        raise
    if steps := steps_of(given):
        committee.set_params(learners={c.name: c.learner for c in portfolio(task, steps)})
    return committee


def first_passes(data: tuple[str, ...], given: dict[str, Any]) -> int:
    """How many passes all learners make: one; over a pipe, which only one run can read, all."""
    return 1 if are_files(data) else int(given["passes"])


def go_on_auto(training: Any, data: tuple[str, ...], path: str, given: dict[str, Any]) -> int:
    """From where the run is in its first pass."""
    from thresher.checkpoint import Checkpoint
    from thresher.training import Training

    passes, first = given["passes"], first_passes(data, given)
    training.plan = replace(training.plan, passes=first)
    run = AutoRun(training, path, given | {"passes": first}, alone=passes > 1)
    code = run.go()
    if code == 130 or passes == first:
        return code
    best = run.chosen
    plan = replace(training.plan, passes=passes)
    more = Training(best, data, reading=training.reading, plan=plan, bad=training.bad,
                    resume=Checkpoint.from_dict(best.provenance_["run"]))  # fmt: skip
    return TrainCommand(more, path, given).go()


class AutoRun(TrainCommand):
    """A run of a committee, of which in the end only the leader is kept, unless all together are
    surely better."""

    for_numbers = "--task regress"

    def __init__(self, training: Any, path: str, given: dict[str, Any], alone: bool) -> None:
        super().__init__(training, path, given)
        self.alone = alone  # keep a single learner in any case
        files = training.at.files
        self.task_is_open = not given["task"] and not given["resume"] and not are_files(files)
        self.chosen: Any = None

    def look(self) -> None:
        super().look()
        if self.task_is_open:
            refuse_targets(self.training.learner.learned_labels())

    def provenance(self) -> dict[str, Any]:
        return super().provenance() | {"auto": True}

    def save(self) -> None:
        """On the way the whole committee; in the end what is chosen of it."""
        training = self.training
        if not training.at.done or training.nothing_learned:
            return super().save()
        committee = training.learner
        committee.provenance_ = training.provenance()
        found = committee._learned().committee()
        plain = not is_counted(committee.metric)  # all together have no other figures
        together = not self.alone and plain and found["above_leader"] > BETTER
        self.chosen = committee if together else committee.best_
        self.chosen.save(self.path)
        self.saved_at = training.examples
        return None

    def summary(self) -> int:
        from thresher.cli.race import as_plain, figure, show

        committee, bad = self.training.learner, self.training.bad
        rows = committee.standings_
        error = committee._learned().committee()["committee"]["error"]
        regress = committee.task == "regress"
        saved = "experts" if self.chosen is committee else rows[0].name
        if self.given["as_json"]:
            put_json(self.watcher.summary() | {
                "model": self.path, "bad_lines": bad.count, "missing": self.training.missing,
                "saved": saved,
                "together": error, "standings": [as_plain(row) for row in rows],
            })  # fmt: skip
        elif not self.given["quiet"]:
            left = [row for row in rows if not row.baseline and row.dropped_at is None]
            baselines = [row for row in rows if row.baseline]
            show(left[:SHOWN] + baselines, self.training.examples, regress)
            if more := left[SHOWN:]:
                put(f"{counted(len(more), 'more learner')} ({figure(more[0].error, regress)} and "
                    "above): --json has all.")  # fmt: skip
            if gone := sum(row.dropped_at is not None for row in rows):
                put(f"{counted(gone, 'learner')} left on the way; --json says when and why.")
            put(f"all together, by weight: {figure(error, regress)}")
            self._tell_missing()
            if self.training.drift:
                for line in self.watcher.drift_lines(self.watcher.summary()["drift"]):
                    put(line)
            self._say_what_is_saved(rows, error, regress)
            self._doubt_columns(self.chosen)
            self._doubt_labels(self.chosen)
            self._doubt_words()
            doubt_order(self.training.progress)
        return report_bad_lines(bad)

    def _say_what_is_saved(self, rows: list[Any], error: float, regress: bool) -> None:
        from thresher.cli.race import doubt_baselines

        best = rows[0]
        if self.chosen is self.training.learner:
            say(f"All together are surely better than {best.name} alone: saved in {self.path}, "
                f"{sum(row.weight > 0 for row in rows if not row.baseline)} learners and their "
                "weights.")  # fmt: skip
        else:
            say(f"{best.name} is saved in {self.path}.")
        if not is_counted(self.training.learner.metric):
            doubt_baselines(rows, regress, error)
        say(f"Use it:\n  thresher predict NEW -m {self.path}")
