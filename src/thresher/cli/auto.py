"""thresher train --learner auto: many learners at once, and the best answer of them saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from thresher.cli import options
from thresher.cli.report import put, put_json, say
from thresher.cli.texts import take_texts
from thresher.cli.train import TrainCommand, doubt_labels, doubt_order, prepare, report_bad_lines

# By how many standard errors all together must be better than the leader alone to be worth keeping.
BETTER = 2.0
# If the first labels are more whole numbers than this, they are numbers to predict.
MANY = 100


def train_auto(data: tuple[str, ...], path: str, given: dict[str, Any]) -> int:
    """One pass with a portfolio of learners; further passes only with the one that is best."""
    for name in ("settings", "prepare", "audit"):
        if given[name]:
            option = "--set" if name == "settings" else f"--{name}"
            raise click.UsageError(f"{option} is for one learner; --learner auto tries many.")
    take_texts(data, given)
    passes = given["passes"]
    task = given["task"] or look_at_labels(data, given)
    learner = {"classify": "experts", "regress": "experts-regressor"}[task]
    once = given | {"passes": 1, "learner": learner}
    run = AutoRun(prepare(data, once), path, once, alone=passes > 1)
    code = run.go()
    if code == 130 or passes == 1:
        return code
    from thresher.training import Checkpoint, Training

    best = run.chosen
    plan = replace(run.training.plan, passes=passes)
    more = Training(best, data, reading=run.training.reading, plan=plan, bad=run.training.bad,
                    resume=Checkpoint.from_dict(best.provenance_["run"]))  # fmt: skip
    return TrainCommand(more, path, given).go()


def look_at_labels(data: tuple[str, ...], given: dict[str, Any]) -> str:
    """Labels or numbers: numbers are not whole, or there are many different ones. A pipe cannot be
    read twice: its labels are labels."""
    from thresher.data.reader import BadLines, Reader, label_of

    if "-" in data:
        return "classify"
    reading = options.reading_of(given)
    with Reader(data, reading, bad=BadLines("skip"), threads=1, chunk=1 << 16) as reader:
        batch = next(iter(reader), None)
    labels = [] if batch is None else [label_of(text) for text in batch.core.label_texts]
    numbers = bool(labels) and all(isinstance(label, int | float) for label in labels)
    if not numbers or (all(isinstance(label, int) for label in labels) and len(labels) <= MANY):
        return "classify"
    say(f"The labels are numbers ({labels[0]}, {labels[1] if len(labels) > 1 else '…'}, …), which "
        "it learns to predict. If they are names of classes, say --task classify.")  # fmt: skip
    return "regress"


class AutoRun(TrainCommand):
    """A run of a committee, of which in the end only the leader is kept, unless all together are
    surely better."""

    def __init__(self, training: Any, path: str, given: dict[str, Any], alone: bool) -> None:
        super().__init__(training, path, given)
        self.alone = alone  # keep a single learner in any case
        self.chosen: Any = None

    def save(self) -> None:
        """On the way the whole committee; in the end what is chosen of it."""
        training = self.training
        if not training.at.done or training.nothing_learned:
            return super().save()
        committee = training.learner
        committee.provenance_ = training.provenance()
        found = committee._learned().committee()
        together = not self.alone and found["above_leader"] > BETTER
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
                "model": self.path, "bad_lines": bad.count, "saved": saved,
                "together": error, "standings": [as_plain(row) for row in rows],
            })  # fmt: skip
        elif not self.given["quiet"]:
            show(rows, self.training.examples, regress)
            put(f"all together, by weight: {figure(error, regress)}")
            if self.training.drift:
                for line in self.watcher.drift_lines(self.watcher.summary()["drift"]):
                    put(line)
            self._say_what_is_saved(rows, error, regress)
            doubt_labels(self.chosen, "--task regress")
            doubt_order(self.training.progress)
        return report_bad_lines(bad)

    def _say_what_is_saved(self, rows: list[Any], error: float, regress: bool) -> None:
        from thresher.cli.race import doubt_baselines

        best = rows[0]
        if self.chosen is self.training.learner:
            say(f"All together are surely better than {best.name} alone: saved in {self.path}, "
                f"{sum(row.weight > 0 for row in rows)} learners and their weights.")  # fmt: skip
        else:
            say(f"{best.name} is saved in {self.path}.")
        doubt_baselines(rows, regress, error)
        say(f"Use it:\n  thresher predict NEW -m {self.path}")
