"""thresher train: from files of any size to a model."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
import time
from typing import Any

import click

from thresher._core import Progress
from thresher.cli import clustered, options
from thresher.cli.config import complete_learner
from thresher.cli.doubts import (
    doubt_columns_of_a_pipe,
    doubt_constant,
    doubt_mixed_columns,
    doubt_options,
    told_missing,
)
from thresher.cli.progress import Watcher
from thresher.cli.report import complain, counted, put, put_json, say
from thresher.cli.stopping import stopping
from thresher.cli.task import are_files
from thresher.data.reader import BadLines
from thresher.data.reading import WORDS, ReadingOptions
from thresher.errors import InvalidInput, ModelFileError
from thresher.learners.unknown import shown

EARLY = 10_000  # examples, until which labels are looked at while they are learned
FEW = 10  # labels such as 1,5 or 9 %: fewer may be names
CLUSTER_PASSES = 3  # one is too few for shards that have not seen each other
COMMITTEES = ("experts", "experts-regressor")

EXAMPLES = """\b
Examples:
  thresher train reviews.svm.gz -m reviews.model
  thresher train clicks.csv --label clicked --cross site,ad -m clicks.model
  zcat log.vw.gz | thresher train - --format vw -m log.model
  thresher train mail.tsv --label 1 --text 2 --ngrams 2 -m mail.model
  thresher train a.csv --prepare standard --prepare "fourier(500)" -m a.model
  thresher train more.svm --resume reviews.model -m reviews.model
  thresher train 'days/*.svm' --learner pa --cluster local:4 -m days.model
"""


@click.command(epilog=EXAMPLES)
@options.data_argument
@click.option("-m", "--model", "path", required=True, type=click.Path(), help="Where to save.")
@click.option(
    "--learner", metavar="NAME", help="auto (default): many at once, and in the end the best of "
    "them, or all if they are better together; experts or experts-regressor: all in any case; or "
    "one: pa, perceptron, truncated, p-norm, label-efficient, banditron, shifting, mira, arow, cw, "
    "logistic, naive-bayes, lda, winnow, balanced-winnow, snow, lms, rls, pa-regressor, "
    "kernel-perceptron, voted-perceptron, elimination.", shell_complete=complete_learner,
)  # fmt: skip
@click.option("--task", type=click.Choice(["classify", "regress"]), help="What --learner auto "
              "predicts, labels or numbers; by default the first labels decide.")  # fmt: skip
@options.metric
@options.settings
@click.option("--passes", type=click.IntRange(1), default=1, show_default=True, help="Passes "
              "over the data; with --cluster 3 by default.")  # fmt: skip
@click.option("--shuffle-buffer", type=click.IntRange(0), default=0, metavar="N", help="Shuffle "
              "within blocks of N examples.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the shuffling.")
@click.option("--delay", metavar="N|TIME", help="Labels come late: one is learned when N more "
              "examples have been predicted or, with --time, when so much time has passed: 45s, "
              "30m, 12h, 7d, 2w, or a number in the unit of the column.")  # fmt: skip
@click.option("--time", metavar="COLUMN", help="Of --delay: the column of the examples' times, "
              "dates or numbers, which never decrease.")  # fmt: skip
@options.observing
@click.option("--resume", type=click.Path(exists=True), metavar="MODEL", help="Continue a model: "
              "where its run was stopped, or with new data.")  # fmt: skip
@click.option("--save-every", type=click.IntRange(1), metavar="N", help="Save after every N "
              "examples.")  # fmt: skip
@click.option("--save-every-seconds", type=click.FloatRange(0, min_open=True), metavar="S",
              help="Save every S seconds.")  # fmt: skip
@options.run_log
@click.option("--mix", type=click.Choice(["occurrence", "mean"]), help="On a cluster: how the "
              "models of the shards become one; by default by occurrence.")  # fmt: skip
@click.option("--scratch", type=click.Path(file_okay=False), metavar="DIR", help="On a cluster: "
              "where the models of a pass are kept until they are mixed.")  # fmt: skip
@clustered.shared
@options.reading
@options.features
@options.speaking
def command(data: tuple[str, ...], path: str, **given: Any) -> int:
    """Learn a model from DATA: files, globs, folders, or - for a pipe.

    Every example is predicted before it is learned: the error shown is that of predictions.
    """
    options.check_place(path)
    options.check_observing(given)
    many = given["learner"] in (None, "auto")
    if given["task"] and not many:
        raise click.UsageError("--task is for --learner auto; other learners have one task.")
    if given["metric"] and not many and given["learner"] not in COMMITTEES:
        raise click.UsageError("--metric is for --learner auto and experts, which choose.")
    if given["cluster"]:
        from thresher.cli.cluster_train import train_on_cluster

        source = click.get_current_context().get_parameter_source("passes")
        usual = source is click.core.ParameterSource.DEFAULT
        passes = CLUSTER_PASSES if usual else given["passes"]
        return train_on_cluster(data, path, given, passes)
    clustered.refuse_without_cluster(given)
    if many and not given["resume"]:
        from thresher.cli.auto import train_auto

        return train_auto(data, path, given)
    if not given["resume"] and not given["quiet"]:
        from thresher.cli.columns import propose_columns

        propose_columns(data, given)
    training = prepare(data, given)
    if many and training.learner.provenance_.get("auto"):
        from thresher.cli.auto import go_on_auto

        return go_on_auto(training, data, path, given)
    return TrainCommand(training, path, given).go()


def prepare(data: tuple[str, ...], given: dict[str, Any], learner: Any = None) -> Any:
    """The run of a learner: of this one, of a new one, or of one to resume."""
    from thresher.late import delay_of
    from thresher.training import Plan, Training

    reading = options.reading_of(given)
    if not given["resume"]:
        if reading.missing == "mean":
            from thresher.data.sniffing import with_means

            reading = with_means(data, reading)
        doubt_options(data, reading, given["quiet"])
    plan = Plan(given["passes"], given["shuffle_buffer"], given["seed"], given["holdout"],
                given["threads"], delay=delay_of(given["delay"], given["time"]),
                on_drift=given["on_drift"],
                drift_detector=given["drift_detector"] or "adwin")  # fmt: skip
    resume = None
    bad = bad_lines(given)
    if given["resume"]:
        learner, resume = load_to_resume(data, given)
        reading = reading.as_model(learner.reading_, learner.provenance_)
    else:
        learner = learner or new_learner(given["learner"], settings_of(given))
        learner.begin_reading(reading)
    learner.keep_audit(given["audit"])
    training = Training(learner, data, reading=reading, plan=plan, bad=bad, resume=resume)
    if resume and resume.examples:
        bad.count = int(learner.provenance_.get("bad_lines", 0))
        training.formats.update(map(str, learner.provenance_.get("formats", ())))
        training.decimal_comma = reading.decimal_comma
    return training


def steps_of(given: dict[str, Any]) -> str:
    """What --prepare says, as the option of a learner."""
    if not all(step.strip() for step in given["prepare"]):
        raise click.UsageError("--prepare has no step; expected one such as standard.")
    return ", ".join(given["prepare"])


def settings_of(given: dict[str, Any]) -> tuple[str, ...]:
    """What --set and --prepare say."""
    steps = steps_of(given)
    found = (*given["settings"], f"prepare={steps}") if steps else tuple(given["settings"])
    metric = given.get("metric")  # not every command has it
    return (*found, f"metric={metric}") if metric else found


def bad_lines(given: dict[str, Any]) -> BadLines:
    if given["on_bad_line"] == "quarantine" and not given["quarantine"]:
        raise click.UsageError("--on-bad-line quarantine needs --quarantine FILE.")
    return BadLines(given["on_bad_line"], given["quarantine"])


def new_learner(name: str, settings: tuple[str, ...]) -> Any:
    from thresher.learners.table import by_short, parse_settings

    cls = by_short(name, races=False).cls
    return cls(**parse_settings(cls, list(settings)))


def load_to_resume(data: tuple[str, ...], given: dict[str, Any]) -> tuple[Any, Any]:
    """The learner of a model file, and its unfinished run if it was over these data."""
    from thresher.data.sources import expand
    from thresher.resuming import go_on

    learner = load_learner(given)
    run = learner.provenance_.get("run")
    try:
        return learner, go_on(run, expand(data), given["passes"]) if run else None
    except ModelFileError as error:
        raise ModelFileError(f"{given['resume']}: {error}") from None


def load_learner(given: dict[str, Any]) -> Any:
    """The learner of a model file, if the options do not contradict what it is."""
    from thresher.data.reading import FEATURES
    from thresher.learners.table import parse_settings
    from thresher.model_file import load_for_files

    learner = load_for_files(given["resume"])
    if not learner.reads_names:
        raise InvalidInput(
            f"{given['resume']}: this model has not learned from named features; expected a model "
            "that `thresher train` or learn_one made."
        )
    if given["learner"] not in (None, "auto"):
        from thresher.learners.table import by_short

        if by_short(given["learner"], races=False).cls is not type(learner):
            raise click.UsageError(
                f"{given['resume']} is a {type(learner).__name__}; leave --learner out, or start "
                "over."
            )
    if settings := settings_of(given):
        learner.set_params(**parse_settings(type(learner), list(settings)))
    learner.reading_ = made = learner.reading_ or ReadingOptions()
    asked, usual = options.reading_of(given), ReadingOptions()
    chosen = [name for name in FEATURES if getattr(asked, name) != getattr(usual, name)]
    if chosen and any(getattr(asked, name) != getattr(made, name) for name in FEATURES):
        kept = made.as_kept().items()
        stored = {k: v for k, v in kept if k in FEATURES and v != usual.as_kept()[k]}
        raise click.UsageError(
            "--resume reads features as the model does "
            f"({stored or 'as they are'}); leave the options of features out."
        )
    return learner


def resume_command(given: dict[str, Any], path: str) -> str:
    """What goes on where this call was stopped."""
    words = sys.argv[1:]
    if not given["resume"]:
        words = [*words, "--resume", path]
    return shlex.join(["thresher", *words])


class TrainCommand:
    """One call of the command: learning, reporting, saving, handling interruptions."""

    for_numbers = "--learner lms or pa-regressor, or leave --learner out"

    def __init__(self, training: Any, path: str, given: dict[str, Any]) -> None:
        self.training = training
        self.path = path
        self.given = given
        self.saved_at = self.tried_at = training.examples
        self.tried_when = time.monotonic()
        self.save_failed = False  # and that was said
        self.watcher = Watcher(training, quiet=given["quiet"])
        self.labels_doubted = given["quiet"] or given["as_json"]
        if not (given["quiet"] or given["resume"] or are_files(training.at.files)):
            doubt_columns_of_a_pipe(training)
        importlib.import_module("thresher.model_file")  # while the first examples are parsed

    def go(self) -> int:
        training = self.training
        if training.at.done and training.at.number >= training.plan.passes:
            training.close()
            self._say_complete()
            return 0
        training.at.done = False
        with stopping(training.stop), training, self._log() as log:
            try:
                with self.watcher:
                    self._learn()
                    if log:
                        log.learned(training.examples)
            except click.UsageError:  # nothing that was learned is of use
                raise
            except Exception as error:
                if training.is_torn:
                    error.add_note(f"What came since the last save is lost: {self._as_it_was()}.")
                elif training.examples > self.saved_at and not training.nothing_learned:
                    self._save_what_there_is(error)
                raise
            training.learner.settle()
            if training.nothing_learned and not training.stopped:
                if training.goes_on:
                    self._say_complete()
                    return report_bad_lines(training.bad)
                raise self._nothing_learned()
            self.save()
            if log:
                found = training.drift.report(training.progress) if training.drift else None
                log.end(
                    "stopped" if training.stopped else "done",
                    **({} if found is None else {"drift": found}),
                )
        if training.stopped and training.nothing_learned:
            say("Stopped before anything was learned; nothing was saved.")
            return 130
        if training.stopped:
            say(f"Stopped after {training.examples:,} examples; saved to {self.path}.")
            say(f"Go on with: {self.resume_command()}")
            return 130
        return self.summary()

    def _log(self) -> Any:
        folder, training = self.given["log"], self.training
        if not folder:
            from contextlib import nullcontext

            return nullcontext()
        from thresher.cli.run_log import RunLog, about_run, described, run_before, stem

        about = about_run(
            "train", stem(self.path), training.learner, described(training.at.files),
            model=self.path, passes=training.plan.passes, total_bytes=training.reader.size,
            examples_before=training.examples,
            before=run_before(folder, self.given["resume"]) if self.given["resume"] else None,
        )  # fmt: skip
        self.watcher.log = RunLog(folder, about, self.watcher.figures, lambda: training.learner)
        return self.watcher.log

    def _learn(self) -> None:
        self._set_stop()
        for _ in self.training:
            self.look()
            if self._is_time_to_save():
                self._save_on_the_way()
            self._set_stop()

    def look(self) -> None:
        """After each piece of the run."""
        self.watcher.look()
        if not self.labels_doubted and self.training.examples <= EARLY:
            self.labels_doubted = doubt_targets(self.training.learner, self.for_numbers)

    def _set_stop(self) -> None:
        """The next piece ends where something is to be shown or saved."""
        stops = [self.watcher.next_report]
        if every := self.given["save_every"]:
            stops.append((self.training.examples // every + 1) * every)
        self.training.stop_at = min(stops)

    def _is_time_to_save(self) -> bool:
        every, seconds = self.given["save_every"], self.given["save_every_seconds"]
        if every and self.training.examples // every > self.tried_at // every:
            return True
        return bool(seconds) and time.monotonic() - self.tried_when >= seconds

    def _save_on_the_way(self) -> None:
        """A disk may be full for a while: that must not cost hours of learning."""
        try:
            self.save()
        except OSError as error:
            if not self.save_failed:
                say(f"{self.path}: {error.strerror}. The run goes on, and saves again when it is "
                    "due.")  # fmt: skip
            self.save_failed = True
        else:
            self.save_failed = False
        self.tried_at, self.tried_when = self.training.examples, time.monotonic()

    def _say_complete(self) -> None:
        say(f"{self.path}: this run is complete. Give new data, or more --passes, to go on.")

    def _nothing_learned(self) -> InvalidInput:
        error: InvalidInput = self.training.why_nothing_learned()
        error.add_note(f"{self._as_it_was()}.")
        return error

    def _as_it_was(self) -> str:
        stays = "stays as it was" if os.path.exists(self.path) else "was not made"
        return f"{self.path} {stays}"

    def save(self) -> None:
        """A model that has learned nothing never replaces another."""
        if self.training.nothing_learned:
            return
        learner = self.training.learner
        learner.provenance_ = self.provenance()
        learner.save(self.path)
        self.saved_at = self.training.examples

    def provenance(self) -> dict[str, Any]:
        """Where the model comes from, as it is saved with it."""
        return dict(self.training.provenance())

    def _save_what_there_is(self, error: Exception) -> None:
        self.training.learner.settle()
        try:
            self.save()
        except OSError as other:
            complain(other)
            return
        then = "Correct the input, then go" if isinstance(error, InvalidInput) else "Go"
        error.add_note(
            f"What came before it ({counted(self.training.examples, 'example')}) is learned and "
            f"saved to {self.path}.\n{then} on with: {self.resume_command()}"
        )

    def resume_command(self) -> str:
        return resume_command(self.given, self.path)

    def _doubt_words(self) -> None:
        """Options about words were given, and there were none."""
        training = self.training
        reading, usual = training.reading, ReadingOptions()
        chosen = [name for name in WORDS if getattr(reading, name) != getattr(usual, name)]
        without = {"svmlight"} | (set() if reading.text else {"csv", "tsv"})
        if chosen and set(training.formats) <= without:
            words = ", ".join(f"--{name.replace('_', '-')}" for name in chosen)
            say(f"{words}: there were no words. In tables, name the columns of text with --text.")

    def _doubt_columns(self, learner: Any) -> None:
        doubt_mixed_columns(learner, self.training.formats)

    def _doubt_labels(self, learner: Any) -> None:
        doubt_one_label(learner)
        if not self.labels_doubted:
            doubt_targets(learner, self.for_numbers)

    def _tell_missing(self) -> None:
        if self.training.missing:
            put(told_missing(self.training.missing, self.training.reading.missing))

    def summary(self) -> int:
        bad = self.training.bad
        if self.given["as_json"]:
            put_json(self.watcher.summary() | {"model": self.path, "bad_lines": bad.count,
                                               "missing": self.training.missing})  # fmt: skip
        elif not self.given["quiet"]:
            for line in self.watcher.summary_lines():
                put(line)
            self._tell_missing()
            put(f"saved to {self.path}")
            self._doubt_columns(self.training.learner)
            doubt_constant(self.training.progress)
            self._doubt_labels(self.training.learner)
            self._doubt_words()
            doubt_order(self.training.progress)
        return report_bad_lines(bad)


def doubt_one_label(learner: Any) -> None:
    if learner.task != "classify" or learner.multi_label:
        return
    labels = learner.learned_labels()
    if len(labels) == 1:
        say(f"warning: all examples have the same label, {labels[0]}: there is nothing to tell "
            "apart. Is this the column of the label (--label)?")  # fmt: skip


def doubt_targets(learner: Any, instead: str) -> bool:
    """Many numbers as labels are usually meant as targets of a regression; whether it was said."""
    from thresher.data.sniffing import are_numbers, are_targets

    if learner.task != "classify" or learner.multi_label:
        return False
    labels = learner.learned_labels()
    if len(labels) > FEW and are_numbers(map(str, labels)):
        say(f"warning: labels such as {labels[0]} are learned as names of classes. If they are "
            "numbers to predict, write them with a point, and without separators of thousands "
            "and signs such as % and €.")  # fmt: skip
        return True
    if not are_targets(labels, 50):
        return False
    say(f"warning: each different number ({shown(map(str, labels))}) is learned as a class of its "
        f"own. If they are numbers to predict, choose {instead}.")  # fmt: skip
    return True


def doubt_order(progress: Progress) -> None:
    from thresher.training import doubt_of_order

    say_order(doubt_of_order(progress))


def say_order(doubt: str | None) -> None:
    if doubt:
        say(f"{doubt}; shuffle it, or let --shuffle-buffer hold a large part of it.")


def report_bad_lines(bad: BadLines) -> int:
    """What was left out, and the exit code that says so."""
    if not bad.count:
        return 0
    where = f", written to {bad.quarantine}" if bad.quarantine else ""
    some = "; the first of them" if bad.count > len(bad.first) else ""
    say(f"{counted(bad.count, 'bad line')} left out{where}{some}:")
    for message in bad.first:
        say(message)
    return 3
