"""thresher log: what a server has learned, from its log."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from thresher.cli.report import counted, put, put_json, say
from thresher.errors import InvalidInput

EXAMPLES = """\b
Examples:
  thresher log export DIR mail -o mail.jsonl
  thresher train mail.jsonl --label spam --learner arow -m mail.model
  thresher log verify DIR
  thresher log show DIR --after 1000
"""
EXAMPLES_OF = {
    "export": """\b
Examples:
  thresher log export DIR mail -o mail.jsonl
  thresher log export DIR mail | thresher train - --label spam -m mail.model
""",
    "verify": """\b
Examples:
  thresher log verify DIR
  thresher log verify backup --json
""",
    "show": """\b
Examples:
  thresher log show DIR --after 1000 --most 10
  thresher log show DIR | grep '"kind": "rollback"'
""",
}

folder_argument = click.argument(
    "folder", type=click.Path(exists=True, file_okay=False), metavar="DIR"
)


@click.group(epilog=EXAMPLES)
def command() -> None:
    """The log of `thresher serve` in DIR: as training data, checked, or as it is."""


@command.command(epilog=EXAMPLES_OF["export"], short_help="what MODEL learned, as data")
@folder_argument
@click.argument("model", metavar="MODEL")
@click.option("-o", "--output", default="-", metavar="OUT", type=click.Path(allow_dash=True),
              help="Where to write; by default standard output.")  # fmt: skip
def export(folder: str, model: str, output: str) -> int:
    """The events that MODEL has learned, in order: `thresher train` learns the same from them."""
    from thresher.data.output import whole_file
    from thresher.serve.store import Store, learned_lines

    store = Store(Path(folder))
    store.recover(store.last())
    if model not in store.names:
        known = ", ".join(store.names) or "none"
        raise InvalidInput(f"{folder}: no model {model!r}; there are: {known}.")
    lines = learned_lines(store, store.names[model])
    if output == "-":
        for line in lines:
            sys.stdout.buffer.write(line)
        return 0
    with whole_file(output) as file:
        for line in lines:
            file.write(line)
    return 0


@command.command(epilog=EXAMPLES_OF["verify"], short_help="check that all is whole")
@folder_argument
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
def verify(folder: str, as_json: bool) -> int:
    """Check every frame and every checkpoint. What is damaged is named by file and byte."""
    from thresher.serve.log import segments
    from thresher.serve.store import Store

    store = Store(Path(folder))
    last = store.last()
    found = segments(store.log_folder)
    first = found[0][0]
    frames = sum(1 for _ in store.frames(first - 1, last))
    checkpoints = store.checkpoints
    loaded = 0
    for number in checkpoints.numbers():
        for seq in checkpoints.seqs(number):
            checkpoints.load(number, seq)
            loaded += 1
    if as_json:
        put_json({"first": first, "last": last, "frames": frames, "segments": len(found),
                  "checkpoints": loaded})  # fmt: skip
    else:
        put(
            f"seq {first:,} to {last:,}: {counted(frames, 'frame')} in "
            f"{counted(len(found), 'segment')}, {counted(loaded, 'checkpoint')}; all are whole."
        )
    return 0


@command.command(epilog=EXAMPLES_OF["show"], short_help="the frames, as JSON")
@folder_argument
@click.option(
    "--after", type=click.IntRange(0), default=0, metavar="SEQ", help="Frames after this."
)
@click.option("--most", type=click.IntRange(1), metavar="N", help="No more than this many.")
def show(folder: str, after: int, most: int | None) -> int:
    """The frames, one JSON object a line."""
    from thresher.serve.log import last_whole, read_log, segments

    place = Path(folder) / "log"
    last = last_whole(place)
    first = segments(place)[0][0]
    if after < first - 1:
        if after:
            say(f"The log begins with seq {first:,}.")
        after = first - 1
    for shown, frame in enumerate(read_log(place, after, last)):
        if most is not None and shown >= most:
            break
        told: dict[str, Any] = {
            "seq": frame.seq,
            "time": frame.time,
            "kind": frame.kind.name.lower(),
            "model": frame.model,
            **json.loads(frame.meta),
        }
        if frame.raw:
            told["text"] = frame.raw.decode("utf-8", "backslashreplace")
        put(json.dumps(told, ensure_ascii=False))
    return 0
