"""`thresher convert`: the same examples in another format."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.counting import progress
from thresher.cli.options import reading, recipe, speaking
from thresher.cli.report import counted, put_json, say, while_somebody_reads
from thresher.cli.stopping import stopping
from thresher.data.reading import WRITTEN

if TYPE_CHECKING:
    from thresher.data.columns import TableColumns
    from thresher.data.reader import Reader

LEFT_OUT = 3  # exit code: done, but bad lines were left out


@click.command("convert")
@click.argument("paths", nargs=-1, required=True, metavar="IN... OUT",
                type=click.Path(allow_dash=True))  # fmt: skip
@click.option("--to", type=click.Choice(WRITTEN), help="Format of OUT; by default from its "
              "suffix.")  # fmt: skip
@click.option("--columns", metavar="A,B=,...", help="Columns of a csv, tsv, parquet or arrow file, "
              "those of text with = at the end; by default the input is read twice to find "
              "them.")  # fmt: skip
@click.option("--vocabulary", metavar="FILE", type=click.Path(), help="Number the names, for "
              "svmlight, and write them to this file.")  # fmt: skip
@click.option("--escape", is_flag=True, help="In names for vw or bag, write %20 for a space and so "
              "on; otherwise such a name is an error.")  # fmt: skip
@click.option("--label-as", metavar="NAME", default="label", show_default=True,
              help="Column or key of the label in OUT.")  # fmt: skip
@click.option("--weight-as", metavar="NAME", default="weight", show_default=True,
              help="Column or key of the importance in OUT.")  # fmt: skip
@click.option("--label-sets", is_flag=True, help="Labels are sets of labels: 1,3 or an array.")
@reading
@recipe
@speaking
def command(
    paths: tuple[str, ...],
    to: str | None,
    columns: str | None,
    vocabulary: str | None,
    escape: bool,
    label_as: str,
    weight_as: str,
    label_sets: bool,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **options: Any,
) -> int:
    """Write the examples of IN, one file or more, to OUT.

    \b
    thresher convert spam.vw.gz spam.csv
    zcat *.svm.gz | thresher convert - all.jsonl --format svmlight
    """
    if len(paths) < 2:
        raise click.UsageError("found one file; expected IN... OUT.")
    *inputs, output = paths
    if as_json and output == "-":
        raise click.UsageError("--json needs standard output for itself: write to a file.")
    from thresher.data.columns import TableColumns
    from thresher.data.write import WRITERS, format_of, open_writer

    format = to or format_of(output)
    options["label_sets"] = label_sets
    begin = time.perf_counter()
    chosen: TableColumns | None = None
    if columns is not None:
        chosen = TableColumns.given(columns.split(",") if columns else [], weight_as)
    elif WRITERS[format].needs_columns:
        chosen = _find_columns(inputs, options, format, label_as, weight_as)
    with (
        _reader(inputs, options) as reader,
        stopping(reader.stop),
        open_writer(
            output, format, columns=chosen, vocabulary=vocabulary, escape=escape,
            label=label_as, weight=weight_as, label_sets=label_sets,
        ) as writer,
        progress(None, quiet or as_json) as advance,
        while_somebody_reads(sys.stdout),  # the vocabulary is written in any case
    ):  # fmt: skip
        for batch in reader:
            for example in batch.examples():
                writer.write(example)
            advance(len(batch))
        if reader.stopped:
            raise click.Abort
        writer.flush()
    seconds = time.perf_counter() - begin
    left_out = reader.bad.count
    if as_json:
        put_json(
            {
                "examples": writer.examples,
                "bad_lines": left_out,
                "tags_left_out": writer.tags_left_out,
                "seconds": seconds,
            }
        )
    else:
        if left_out:
            aside = f", written to {reader.bad.quarantine}" if reader.bad.quarantine else ""
            some = "; the first of them" if left_out > len(reader.bad.first) else ""
            say(f"{counted(left_out, 'bad line')} left out{aside}{some}:")
            say("\n".join(reader.bad.first))
        if writer.tags_left_out and not quiet:
            say(f"{counted(writer.tags_left_out, 'tag')} left out: only vw holds tags")
        if not quiet:
            where = "standard output" if output == "-" else output
            say(f"{writer.examples:,} examples to {where} in {seconds:.1f} s")
    return LEFT_OUT if left_out else 0


def _reader(inputs: list[str], options: dict[str, Any], first_of_two: bool = False) -> Reader:
    from thresher.data import read

    if first_of_two and options["quarantine"]:  # bad lines are quarantined only once
        options = options | {"quarantine": None, "on_bad_line": "skip"}
    return read(inputs, labels="optional", **options)


def _find_columns(
    inputs: list[str], options: dict[str, Any], format: str, label: str, weight: str
) -> TableColumns:
    """A first pass over the input, which must be readable a second time."""
    from thresher.data.columns import collect_columns
    from thresher.data.sources import expand

    for path in expand(inputs):
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
            what = "standard input" if path == "-" else path
            raise click.UsageError(
                f"{format} needs the names of all columns before the first row, and {what} cannot "
                "be read twice: give --columns, or write jsonl, vw or svmlight."
            )
    with _reader(inputs, options, first_of_two=True) as reader, stopping(reader.stop):
        examples = (example for batch in reader for example in batch.examples())
        columns = collect_columns(examples, label, weight)
        if reader.stopped:
            raise click.Abort
        return columns
