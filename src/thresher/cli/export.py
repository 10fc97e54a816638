"""thresher export: a model for another place."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli import options

SUFFIXES = {".onnx": "onnx", ".sql": "sql", ".c": "c", ".h": "c", ".json": "json"}


@click.command(short_help="a model as ONNX, SQL, C or JSON")
@click.argument("model", type=click.Path())
@click.option("--to", type=click.Choice(["onnx", "sql", "c", "json"]), help="What to write; by "
              "default the suffix of OUT says it.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="OUT", type=click.Path(),
              help="Where to write.")  # fmt: skip
@click.option("--name", default="model", show_default=True, help="The table that the SQL reads; "
              "what the functions in C are called.")  # fmt: skip
@options.speaking
def command(model: str, to: str | None, output: str, name: str, **given: Any) -> None:
    """Write MODEL for another place. It is compared with the model before it is written; what
    cannot be exported is refused with the reason.

    \b
    thresher export spam.model -o spam.onnx
    thresher export clicks.model --name clicks -o clicks.sql
    """
    import os

    from thresher.cli.report import put_json, say
    from thresher.export import export
    from thresher.model_file import load

    to = to or SUFFIXES.get(os.path.splitext(output)[1].lower())
    if to is None:
        raise click.UsageError("--to onnx, sql, c or json: the suffix of OUT says none of them.")
    options.check_place(output)
    export(load(model), output, to, name=name)
    size = os.path.getsize(output)
    if given["as_json"]:
        put_json({"model": model, "output": output, "to": to, "bytes": size})
    elif not given["quiet"]:
        from thresher.cli.tables import size_of

        say(f"{model} is in {output} as {to}, {size_of(size)}")
