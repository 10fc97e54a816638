"""thresher predict: a prediction for each example, in order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from thresher.cli import clustered, options
from thresher.cli.stopping import stopping
from thresher.errors import InvalidInput

EXAMPLES = """\b
Examples:
  thresher predict new.svm -m reviews.model
  thresher predict new.csv -m clicks.model --proba -o answers.csv
  tail -f log.vw | thresher predict - --format vw -m log.model --json
"""


@click.command(epilog=EXAMPLES)
@options.data_argument
@click.option("-m", "--model", "path", required=True, type=click.Path(), help="The model to use.")
@click.option("--scores", is_flag=True, help="Also the score, or one for each class.")
@click.option("--proba", is_flag=True, help="Also the probability of each class (a model trained "
              "with --set calibrate=true).")  # fmt: skip
@click.option("--keep", metavar="COLUMN", multiple=True, help="Copy this column or key of "
              "the input to the output, before the prediction; of vw the tag.")  # fmt: skip
@click.option("-o", "--output", default="-", metavar="OUT", type=click.Path(allow_dash=True),
              help="Where to write; by default standard output.")  # fmt: skip
@clustered.shared
@options.reading
@options.speaking
def command(data: tuple[str, ...], path: str, output: str, **given: Any) -> int:
    """Predictions for the examples of DATA, one per line and in their order: CSV with a header, or
    JSON lines with --json. Labels in DATA are not needed and are ignored."""
    from thresher.cli.doubts import say_unknown
    from thresher.cli.train import report_bad_lines
    from thresher.data import read
    from thresher.learners.unknown import Unknown
    from thresher.model_file import load_for_files

    if given["cluster"]:
        if given["keep"]:
            raise click.UsageError("--keep is not for --cluster.")
        return clustered.predict_on_cluster(data, path, output, given)
    clustered.refuse_without_cluster(given)
    model = load_for_files(path)
    table = PredictionTable(model, scores=given["scores"], proba=given["proba"], keep=given["keep"])
    reader = read(
        data, model=model, labels="optional", threads=given["threads"],
        on_bad_line=given["on_bad_line"], quarantine=given["quarantine"],
        keep=given["keep"], **{name: given[name] for name in options.INPUT},
    )  # fmt: skip
    unknown = Unknown(model)
    with reader, stopping(reader.stop), opened(output) as out:
        write = table.json_lines if given["as_json"] else table.csv_lines
        head = "" if given["as_json"] else table.header()
        for batch in (batch for batch in unknown.watched(reader) if len(batch)):
            out.write(head + write(batch))
            out.flush()
            head = ""
        if reader.stopped:
            raise click.Abort
        out.write(head)  # even without any predictions
    if not given["quiet"]:
        say_unknown(unknown, reader)
    return report_bad_lines(reader.bad)


@contextmanager
def opened(path: str) -> Iterator[IO[str]]:
    """Standard output, or a file that appears only when all of it is written."""
    if path == "-":
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
        yield sys.stdout
        return
    import io

    from thresher.data.output import whole_file

    with whole_file(path) as raw:
        text = io.TextIOWrapper(raw, "utf-8", errors="backslashreplace", newline="")
        yield text
        text.flush()
        text.detach()


class PredictionTable:
    """What is written for each example: the prediction, then what else was requested."""

    def __init__(
        self, model: Any, *, scores: bool, proba: bool, keep: tuple[str, ...] = ()
    ) -> None:
        self.model = model
        self.keep = keep
        classifies = model.task == "classify"
        if proba and not (classifies and (model.gives_probabilities or model.calibrate)):
            raise InvalidInput(
                "this model has learned no probabilities. Train one that does: with --metric "
                "log-loss, or one learner with --set calibrate=true."
            )
        if scores and proba:
            raise click.UsageError("--scores or --proba, not both.")
        if scores and classifies and not model.gives_scores:
            raise InvalidInput(f"{type(model).__name__} has no scores: it predicts true or false.")
        self.kind = "p" if proba else "score" if scores and classifies else ""
        self.names = [*keep, "prediction"]
        if self.kind:
            met = model.learned_labels()
            classes = model.classes_.tolist()
            self.places = [classes.index(label) for label in met]
            self.is_single = self.kind == "score" and len(met) <= 2 and not model.multi_label
            self.names += ["score"] if self.is_single else [f"{self.kind}_{v}" for v in met]
        if keep and len(set(self.names)) < len(self.names):
            raise click.UsageError(
                f"--keep: each column once, and none called {' or '.join(self.names[len(keep) :])}."
            )
        self._csv, self._json = Texts(_quoted), Texts(_as_json)
        keys = (_as_json(name).replace("%", "%%") for name in self.names)
        self._json_line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}"

    def header(self) -> str:
        return ",".join(map(_quoted, self.names)) + "\n"

    def csv_lines(self, batch: Any) -> str:
        columns = self._columns(batch, self._csv, lambda numbers: list(map(repr, numbers)))
        lines = columns[0] if len(columns) == 1 else map(",".join, zip(*columns, strict=True))
        return "\n".join([*lines, ""])

    def json_lines(self, batch: Any) -> str:
        rows = zip(*self._columns(batch, self._json, _json_numbers), strict=True)
        return "\n".join([*map(self._json_line.__mod__, rows), ""])

    def _columns(
        self, batch: Any, texts: Texts, of_numbers: Callable[[list[float]], list[str]]
    ) -> list[list[str]]:
        """The text of every cell, column by column."""
        kept = zip(*batch.kept(len(self.keep)), strict=True) if self.keep else ()
        columns = [list(map(texts.make, column)) for column in kept]
        if not self.kind:
            answers = self.model.predict_batch(batch)
            if self.model.task == "regress":
                return [*columns, of_numbers(answers)]
            return [*columns, self._labels(answers, texts)]
        found = self.model.answers(batch)
        labels = self._labels(found.predicted, texts)
        return [*columns, labels, *map(of_numbers, self._numbers(found))]

    def _labels(self, labels: Iterable[Any], texts: Texts) -> list[str]:
        sets = self.model.multi_label
        return [texts[label] for label in (map(frozenset, labels) if sets else labels)]

    def _numbers(self, found: Any) -> list[list[float]]:
        """Scores or probabilities, column by column."""
        numbers = found.probabilities if self.kind == "p" else found.scores
        if numbers.ndim == 1:
            numbers = numbers[:, None]
        elif self.is_single:  # of several classes, one or two were seen
            first, *second = self.places
            numbers = (numbers[:, second[0]] - numbers[:, first])[:, None]
        else:
            numbers = numbers[:, self.places]
        columns: list[list[float]] = numbers.T.tolist()
        return columns


MOST_TEXTS = 10_000


class Texts(dict[Any, str]):
    """What is written for each label: made once, unless there are very many sets of them."""

    def __init__(self, make: Callable[[Any], str]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, label: Any) -> str:
        if len(self) >= MOST_TEXTS:
            self.clear()
        listed = sorted(label) if isinstance(label, frozenset) else label
        text = self[label] = self.make(listed)
        return text


def _as_json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _json_numbers(numbers: list[float]) -> list[str]:
    return _as_json(numbers)[1:-1].split(", ") if numbers else []


SPECIAL = frozenset(',"\n\r')


def _quoted(value: Any) -> str:
    if isinstance(value, list):  # a set of labels
        value = ",".join(v if isinstance(v, str) else repr(v) for v in value)
    text = value if isinstance(value, str) else repr(value)
    if not text or not SPECIAL.isdisjoint(text) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
