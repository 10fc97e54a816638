"""thresher predict: a prediction for each example, in order."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from thresher.cli import options
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
@click.option("-o", "--output", default="-", metavar="OUT", type=click.Path(allow_dash=True),
              help="Where to write; by default standard output.")  # fmt: skip
@options.reading
@options.speaking
def command(data: tuple[str, ...], path: str, output: str, **given: Any) -> int:
    """Predictions for the examples of DATA, one per line and in their order: CSV with a header, or
    JSON lines with --json. Labels in DATA are not needed and are ignored."""
    from thresher.cli.train import report_bad_lines
    from thresher.data import read
    from thresher.model_file import load_for_files

    model = load_for_files(path)
    columns = Columns(model, scores=given["scores"], proba=given["proba"])
    reader = read(
        data, model=model, labels="optional", threads=given["threads"],
        on_bad_line=given["on_bad_line"], quarantine=given["quarantine"],
        **{name: given[name] for name in ("format", "label", "weight", "header")},
    )  # fmt: skip
    with reader, stopping(reader.stop), opened(output) as out:
        write = columns.json_lines if given["as_json"] else columns.csv_lines
        head = "" if given["as_json"] else columns.header()
        for batch in (batch for batch in reader if len(batch)):
            out.write(head + write(batch))
            out.flush()
            head = ""
        if reader.stopped:
            raise click.Abort
        out.write(head)  # even without any predictions
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


class Columns:
    """What is written for each example: the prediction, then what else was requested."""

    def __init__(self, model: Any, *, scores: bool, proba: bool) -> None:
        self.model = model
        self.classifies = model.task == "classify"
        self.sets = bool(getattr(model, "multi_label", False))
        if proba and not (self.classifies and (model.gives_probabilities or model.calibrate)):
            raise InvalidInput(
                "this model has learned no probabilities: train it with --set calibrate=true."
            )
        if scores and proba:
            raise click.UsageError("--scores or --proba, not both.")
        self.kind = "p" if proba else "score" if scores and self.classifies else ""
        self.names = ["prediction"]
        if self.kind:
            met = [model._labels.values[code] for code in model._model.order()]
            self.labels = sorted(met)
            if self.kind == "score" and len(met) <= 2 and not self.sets:
                self.names.append("score")
            else:
                self.names += [f"{self.kind}_{label}" for label in self.labels]

    def header(self) -> str:
        return ",".join(map(_quoted, self.names)) + "\n"

    def rows(self, batch: Any) -> Iterator[list[Any]]:
        model = self.model
        if self.sets:
            yield from self._set_rows(model._scores_of(batch, targets=True))
            return
        scores = model._scores_of(batch)
        if not self.classifies:
            yield from ([s] for s in scores[:, 0].tolist())
            return
        values = model._labels.values
        answers = [values[code] for code in model._model.decisions(scores).tolist()]
        if not self.kind:
            yield from ([a] for a in answers)
            return
        for answer, numbers in zip(answers, self._numbers(scores), strict=True):
            yield [answer, *numbers]

    def _set_rows(self, scores: Any) -> Iterator[list[Any]]:
        """The labels of the set, in their order; then a number for each label, if requested."""
        model = self.model
        numbers = model._model.target_probabilities(scores) if self.kind == "p" else scores
        met = [model._labels.values[code] for code in model._model.order()]
        by_label = sorted(range(len(met)), key=met.__getitem__)
        for row, shown in zip(scores, numbers[:, by_label].tolist(), strict=True):
            yield [sorted(model._chosen(row)), *(shown if self.kind else ())]

    def _numbers(self, scores: Any) -> list[list[float]]:
        core = self.model._model
        met = [self.model._labels.values[code] for code in core.order()]
        if self.kind == "score" and len(met) <= 2:
            rows: list[list[float]] = scores[:, :1].tolist()
            return rows
        if len(met) == 1:
            return [[1.0]] * len(scores)
        numbers = core.probabilities(scores) if self.kind == "p" else scores
        if len(met) == 2:
            positive = met[core.positive()]
            return [
                [p if label == positive else 1 - p for label in self.labels]
                for p in numbers[:, 0].tolist()
            ]
        rows = numbers[:, sorted(range(len(met)), key=met.__getitem__)].tolist()
        return rows

    def csv_lines(self, batch: Any) -> str:
        lines = [",".join(map(_quoted, row)) for row in self.rows(batch)]
        return "\n".join([*lines, ""])

    def json_lines(self, batch: Any) -> str:
        import json

        lines = [
            json.dumps(dict(zip(self.names, row, strict=True)), ensure_ascii=False)
            for row in self.rows(batch)
        ]
        return "\n".join([*lines, ""])


def _quoted(value: Any) -> str:
    if isinstance(value, list):  # a set of labels
        value = ",".join(v if isinstance(v, str) else repr(v) for v in value)
    text = value if isinstance(value, str) else repr(value)
    if not text or any(c in text for c in ',"\n\r') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
