"""`thresher generate`: data with a known target, of any size."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.counting import progress
from thresher.cli.options import speaking
from thresher.cli.report import put_json, say, while_somebody_reads
from thresher.cli.stopping import stopping
from thresher.data.kinds import KINDS, KindOption, StreamKind
from thresher.data.reading import WRITTEN

if TYPE_CHECKING:
    from thresher.data.generate import Stream


def _epilog() -> str:
    lines = ["\b", "Kinds, and the options of each:"]
    for kind in KINDS.values():
        lines.append(f"  {kind.name:12}{kind.summary}")
        shown = [f"{option.flag} {option.default}" for option in kind.options]
        lines += [f"{'':14}{' '.join(shown[i : i + 4])}" for i in range(0, len(shown), 4)]
    return "\n".join(lines)


def _kind_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each flag in the table; its help is given once."""
    flags: dict[str, list[tuple[StreamKind, KindOption]]] = {}
    for kind in KINDS.values():
        for option in kind.options:
            flags.setdefault(option.flag, []).append((kind, option))
    for flag, users in reversed(flags.items()):
        option = users[0][1]
        names = [kind.name for kind, _ in users]
        of = "" if len(names) == len(KINDS) else f" ({', '.join(names)})"
        function = click.option(
            flag,
            type=click.Choice(option.choices) if option.choices else type(option.default),
            help=f"{option.help[0].upper()}{option.help[1:]}{of}.",
        )(function)
    return function


@click.command("generate", epilog=_epilog())
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.option("-o", "--output", required=True, metavar="OUT", type=click.Path(allow_dash=True),
              help="File to write; - for standard output.")  # fmt: skip
@click.option("-n", "--examples", type=click.IntRange(0), default=10_000, show_default=True,
              help="How many.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Another seed makes other data of the same kind.")  # fmt: skip
@click.option("--to", type=click.Choice(WRITTEN), help="Format; by default from the suffix "
              "of OUT.")  # fmt: skip
@click.option("--vocabulary", metavar="FILE", type=click.Path(), help="Number the names, for "
              "svmlight, and write them to this file.")  # fmt: skip
@click.option("--truth", metavar="FILE", type=click.Path(), help="Write what was planted "
              "(relevant features, weights, changes) to this file, as JSON.")  # fmt: skip
@_kind_options
@speaking
def command(
    kind: str,
    output: str,
    examples: int,
    seed: int,
    to: str | None,
    vocabulary: str | None,
    truth: str | None,
    as_json: bool,
    quiet: bool,
    debug: bool,
    **flags: Any,
) -> None:
    """Make data with a known target.

    \b
    thresher generate disjunction -o spam.svm --examples 1000000 --seed 7
    thresher generate text -o - --to bag --examples 5
    """
    chosen = KINDS[kind]
    if as_json and "-" in (output, truth):
        raise click.UsageError("--json needs standard output for itself: write to a file.")
    options = _options_of(chosen, flags)
    begin = time.perf_counter()
    stream = chosen.stream(seed, **options)
    _write(stream, output, to, vocabulary, examples, quiet or as_json)
    if truth is not None:
        about = {"kind": kind, "options": options, "seed": seed, "examples": examples}
        _write_truth(stream, about, truth)
    seconds = time.perf_counter() - begin
    if as_json:
        put_json({"examples": examples, "bytes": os.path.getsize(output), "seconds": seconds})
    elif not quiet:
        where = "standard output" if output == "-" else output
        say(f"{examples:,} examples to {where} in {seconds:.1f} s")


def _options_of(kind: StreamKind, flags: dict[str, Any]) -> dict[str, Any]:
    """Those of this kind, with its defaults; one that it does not have is an error."""
    given = {f"--{name.replace('_', '-')}": v for name, v in flags.items() if v is not None}
    for flag in given:
        if flag not in [option.flag for option in kind.options]:
            of = ", ".join(k.name for k in KINDS.values() if flag in [o.flag for o in k.options])
            raise click.UsageError(f"{flag} is for {of}; it says nothing about {kind.name}.")
    return {option.name: given.get(option.flag, option.default) for option in kind.options}


def _write(
    stream: Stream, output: str, to: str | None, vocabulary: str | None, examples: int, quiet: bool
) -> None:
    from thresher.data.columns import TableColumns
    from thresher.data.write import WRITERS, format_of, open_writer

    stop = threading.Event()
    format = to or format_of(output)
    columns = TableColumns(tuple(stream.names)) if WRITERS[format].needs_columns else None
    with (
        stopping(stop.set),
        open_writer(output, format, columns=columns, vocabulary=vocabulary) as writer,
        progress(examples, quiet) as advance,
        while_somebody_reads(sys.stdout),
    ):
        for block in stream.blocks(examples):
            writer.write_block(block)
            advance(len(block))
            if stop.is_set():
                raise click.Abort
        writer.flush()


def _write_truth(stream: Stream, about: dict[str, Any], path: str) -> None:
    from thresher.data.output import whole_file

    every = stream.truth.get("every")
    if every:
        about["change_points"] = list(range(every, about["examples"], every))
    with whole_file(path) as file:
        file.write(stream.truth_json(about).encode())
