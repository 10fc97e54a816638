"""thresher consume: a model that learns from a stream."""

from __future__ import annotations

import os
import shlex
import sys
import time
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import click

from thresher.cli import options
from thresher.cli.auto import NAME_ONE, new_committee
from thresher.cli.config import complete_learner
from thresher.cli.consume_progress import StreamWatcher
from thresher.cli.report import complain, counted, put, put_json, say
from thresher.cli.stopping import stopping
from thresher.cli.train import COMMITTEES, load_learner, new_learner, settings_of
from thresher.errors import InvalidInput, ModelFileError

EXAMPLES = """\b
Examples:
  thresher consume redis://localhost/clicks --label clicked -m m
  thresher consume kafka://broker:9092/clicks --label clicked -m m --standby
  thresher consume nats://localhost/CLICKS --format vw --learner arow -m m
  thresher consume /var/log/clicks.jsonl --label clicked -m m --log runs
  thresher consume days/ --label clicked -m m --until-end
"""


@click.command(epilog=EXAMPLES)
@click.argument("source", metavar="STREAM")
@click.option("-m", "--model", "path", required=True, type=click.Path(dir_okay=False),
              help="The model, and its place in the stream: made if it is not there, else "
              "continued.")  # fmt: skip
@click.option("--learner", metavar="NAME", shell_complete=complete_learner, help="By default many "
              "at once, weighted by how well they do (experts, or experts-regressor for numbers); "
              "or any of `thresher train` but auto, which chooses in the end.")  # fmt: skip
@click.option("--task", type=click.Choice(["classify", "regress"]), help="Without --learner: "
              "whether labels or numbers are predicted; labels by default.")  # fmt: skip
@options.metric
@options.settings
@click.option("--resume", type=click.Path(exists=True, dir_okay=False), metavar="MODEL",
              help="Begin with what this model has learned, say from files; it stays as it "
              "is.")  # fmt: skip
@click.option("--from", "start", type=click.Choice(["beginning", "end"]), default="beginning",
              show_default=True, help="Where a new model begins; others go on where they "
              "were.")  # fmt: skip
@click.option("--until-end", is_flag=True, help="End when all that is there is learned.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="End after N events.")
@click.option("--field", metavar="NAME", help="Redis, Valkey: the field of an entry that holds "
              "the event; by default the only one, or all of them as an object.")  # fmt: skip
@click.option("--broker-config", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="username=…, password=… and, for Kafka, any setting of its client, one a "
              "line.")  # fmt: skip
@click.option("--accept-gap", is_flag=True, help="Events were lost before they were learned: go "
              "on with what there is, and note the gap in the model.")  # fmt: skip
@click.option("--dead-letters", type=click.Path(dir_okay=False), metavar="FILE", help="Where "
              "events go that cannot be learned; by default MODEL.dead.jsonl.")  # fmt: skip
@click.option("--max-bad", type=click.FloatRange(0, 1), default=0.1, show_default=True,
              metavar="SHARE", help="Stop if more of the last 1,000 events cannot be "
              "learned.")  # fmt: skip
@click.option("--save-every", type=click.IntRange(1), metavar="N", help="Save after every N "
              "events.")  # fmt: skip
@click.option("--save-every-seconds", type=click.FloatRange(0, min_open=True), default=60.0,
              show_default=True, metavar="S", help="Save every S seconds.")  # fmt: skip
@click.option("--standby", is_flag=True, help="Wait until the process that learns this model "
              "ends, and take over.")  # fmt: skip
@click.option("--keep-log", is_flag=True, help="Kafka with several partitions: keep the log in "
              "MODEL.log also of what is learned.")  # fmt: skip
@options.observing
@options.run_log
@click.option("--metrics-port", type=click.IntRange(0, 65535), metavar="PORT", help="Figures for "
              "Prometheus on this port of this machine.")  # fmt: skip
@options.columns
@options.features
@options.speaking
def command(source: str, path: str, **given: Any) -> int:
    """Learn from STREAM: redis://, valkey://, kafka://, nats://, or a file or folder that grows.

    The place in the stream is in the model file, so each event counts once, whatever dies. Every
    example is predicted before it is learned. Ctrl-C and SIGTERM save.
    """
    options.check_place(path)
    options.check_observing(given)
    if given["encoding"] != "utf-8":
        raise click.UsageError("--encoding is for files; the events of a stream are UTF-8.")
    if given["missing"] == "mean":
        raise click.UsageError(
            "--missing mean takes the means of the first examples of a file, before it learns; a "
            "stream has none. Choose zero or indicator, or train on a file, and begin with that: "
            "--resume MODEL."
        )
    if given["learner"] == "auto":
        raise click.UsageError(
            "--learner auto chooses in the end, and a stream has none; expected one learner, or "
            "experts for many at once, which is the default."
        )
    if given["task"] and given["learner"]:
        raise click.UsageError("--task is for many learners at once; --learner names one.")
    if given["metric"] and given["learner"] not in (None, *COMMITTEES):
        raise click.UsageError("--metric is for learners that choose: leave --learner out.")
    from thresher.consume.owner import Ownership

    stream = _stream_of(source, path, given)
    command = ConsumeCommand(stream, path, given)
    owner = Ownership(path)
    try:
        with stopping(command.stop):
            if not owner.take() and not command.wait_for(owner):
                return 0
            return command.go()
    finally:
        owner.release()


def _stream_of(source: str, path: str, given: dict[str, Any]) -> Any:
    """Only the client of this stream is imported."""
    from thresher.consume.address import address_of, is_address, with_settings

    if not is_address(source):
        for name, option in (("field", "--field"), ("broker_config", "--broker-config")):
            if given[name]:
                raise click.UsageError(f"{option} is for brokers, and {source} is a file.")
        from thresher.consume.growing import Growing

        return Growing(source)
    address = with_settings(address_of(source), given["broker_config"])
    if address.scheme == "kafka":
        from thresher.consume.kafka_topic import KafkaTopic
        from thresher.consume.merged import MergedTopic

        if given["field"]:
            raise click.UsageError("--field is for Redis and Valkey; a message has no fields.")
        return MergedTopic(KafkaTopic(address), Path(f"{path}.log"), keep=given["keep_log"])
    if address.scheme in ("nats", "tls"):
        from thresher.consume.nats_stream import NatsStream

        if given["field"]:
            raise click.UsageError("--field is for Redis and Valkey; a message has no fields.")
        return NatsStream(address)
    from thresher.consume.redis_stream import RedisStream

    return RedisStream(address, given["field"])


class ConsumeCommand:
    """One call of the command."""

    def __init__(self, stream: Any, path: str, given: dict[str, Any]) -> None:
        self.stream, self.path, self.given = stream, path, given
        self.stopped = False
        self.run: Any = None

    def stop(self) -> None:
        """By a signal: what runs ends with the current piece."""
        self.stopped = True
        if self.run is not None:
            self.run.stop()

    def wait_for(self, owner: Any) -> bool:
        """As a standby: whether the model is ours in the end."""
        if not self.given["standby"]:
            raise owner.why_not()
        say(f"{self.path}: {owner.why_not().found}; waiting to take over.")
        while not self.stopped:
            if owner.take():
                say(f"{self.path}: taking over.")
                return True
            time.sleep(0.2)
        return False

    def go(self) -> int:
        from thresher.consume.consumption import TooManyBad

        run = self.run = self._prepare()
        if self.stopped:
            run.stop()
        self.watcher = StreamWatcher(run, quiet=self.given["quiet"])
        with ExitStack() as stack:
            stack.callback(run.close)
            run.open(end=self.given["start"] == "end", gap=self.given["accept_gap"])
            if (port := self.given["metrics_port"]) is not None:
                self._serve_metrics(stack, port)
            log = stack.enter_context(self._log())
            try:
                with self.watcher:
                    run.run(self.watcher.look)
            except Exception as error:
                if isinstance(error, TooManyBad) and not self.given["learner"]:
                    error.add_note("If the labels are numbers to predict, start over with --task "
                                   "regress.")  # fmt: skip
                self._save_what_there_is(error)
                raise
            if run.events > run.saved_at:
                run.save()
            if log:
                log.end("stopped" if run.stopped else "done")
            return self._summary()

    def _prepare(self) -> Any:
        from thresher.consume.consumption import Consumption, Limits
        from thresher.consume.student import Habits

        given = self.given
        learner, stored = self._learner()
        learner.keep_audit(given["audit"])
        asked, kept = options.reading_of(given), learner.reading_
        reading = asked.as_model(kept)
        label, weight = (
            getattr(asked, name) or (getattr(kept, name) if kept else None)
            for name in ("label", "weight")
        )
        from dataclasses import replace

        return Consumption(
            learner,
            self.stream,
            self.path,
            reading=replace(reading, label=label, weight=weight, needs=learner.needs()),
            habits=Habits(given["holdout"], given["on_drift"], given["drift_detector"] or "adwin"),
            limits=Limits(
                given["limit"], given["until_end"], given["max_bad"], given["save_every"],
                given["save_every_seconds"],
            ),
            dead_letters=self._letters(),
            stored=stored,
            told=self._tell,
        )  # fmt: skip

    def _learner(self) -> tuple[Any, Any]:
        """That of the model, with its place; of another model; or a new one."""
        from thresher.consume.consumption import Stored

        given = self.given
        if os.path.exists(self.path):
            learner = self._loaded(self.path)
            place = learner.provenance_.get("stream")
            if place is None:
                raise InvalidInput(
                    f"{self.path}: a model without a place in a stream. To continue what it has "
                    f"learned, give it another name: --resume {self.path} -m NEW."
                )
            try:
                return learner, self._checked(Stored.from_json(place))
            except ModelFileError as error:
                raise ModelFileError(f"{self.path}: {error}") from None
        if given["resume"]:
            learner = self._loaded(given["resume"])
            learner.provenance_ = {}
            return learner, None
        learner = self._new_learner()
        learner.begin_reading(options.reading_of(given))
        learner.epochs_ = 1  # a stream is one pass over itself
        return learner, None

    def _loaded(self, path: str) -> Any:
        learner, task = load_learner(self.given | {"resume": path}), self.given["task"]
        if task and learner.task != task:
            raise click.UsageError(f"{path} was made to {learner.task}, and --task is {task}.")
        return learner

    def _new_learner(self) -> Any:
        given = self.given
        if given["learner"]:
            return new_learner(given["learner"], settings_of(given))
        if given["audit"]:
            raise click.UsageError(f"--audit {NAME_ONE}")
        return new_committee(given["task"] or "classify", given)

    def _letters(self) -> Any:
        from thresher.consume.dead_letters import DeadLetters

        if given := self.given["dead_letters"]:
            return DeadLetters(given, os.path.basename(given))
        return DeadLetters(f"{self.path}.dead.jsonl")

    def _checked(self, stored: Any) -> Any:
        """It is the place in this kind of stream."""
        kinds = {"id": "a stream of Redis or Valkey", "offsets": "a topic of Kafka",
                 "seq": "a stream of NATS", "file": "a file or folder"}  # fmt: skip
        scheme = self.stream.kind
        if scheme not in stored.place:
            found = next((text for key, text in kinds.items() if key in stored.place), "none")
            raise InvalidInput(
                f"{self.path}: its place is in {found}, and {self.stream.name} is another kind of "
                f"stream. To begin there with what it has learned: --resume {self.path} -m NEW."
            )
        name = stored.place.get(self.stream.identity[0])
        if name != self.stream.identity[1]:
            raise InvalidInput(
                f"{self.path}: it learns from {name!r}, and {self.stream.name} is another stream. "
                f"To begin there with what it has learned: --resume {self.path} -m NEW."
            )
        return stored

    def _tell(self, text: str) -> None:
        if not self.given["quiet"]:
            self.watcher.tell(text)

    def _serve_metrics(self, stack: ExitStack, port: int) -> None:
        from thresher.consume.metrics import MetricsServer

        server = MetricsServer(port, self.watcher.for_prometheus)
        stack.callback(server.close)
        self._tell(f"Figures for Prometheus: http://127.0.0.1:{server.port}/metrics")

    def _log(self) -> Any:
        folder, run = self.given["log"], self.run
        if not folder:
            return nullcontext()
        from thresher.cli.run_log import RunLog, about_run, run_before, stem
        from thresher.consume.address import without_secrets

        about = about_run(
            "train", stem(self.path), run.learner, [self.stream.name], model=self.path,
            examples_before=run.examples,
            before=run_before(folder, self.path) if os.path.exists(self.path) else None,
            command=without_secrets(shlex.join(["thresher", *sys.argv[1:]]))[:4000],
        )  # fmt: skip
        self.watcher.log = RunLog(folder, about, self.watcher.figures, lambda: run.learner)
        return self.watcher.log

    def _save_what_there_is(self, error: Exception) -> None:
        run = self.run
        if run.nothing_learned:
            error.add_note(f"Nothing was learned; {self.path} was not made.")
            return
        if run.events > run.saved_at:
            try:
                run.save()
            except OSError as other:
                complain(other)
                return
        error.add_note(
            f"What came before ({counted(run.events, 'event')}) is learned and saved to "
            f"{self.path}. The same command goes on from there."
        )

    def _summary(self) -> int:
        run, given = self.run, self.given
        dead = run.dead - self.watcher.dead_before
        if given["as_json"]:
            put_json(self.watcher.summary() | {"model": self.path})
        elif not given["quiet"]:
            for line in self.watcher.summary_lines():
                put(line)
            saved = "nothing was learned, nothing saved" if run.nothing_learned else (
                f"saved to {self.path}")  # fmt: skip
            put(saved)
            if dead:
                say(f"{counted(dead, 'event')} set aside in {run.dead_letters}.")
        return 3 if dead and not run.stopped else 0
