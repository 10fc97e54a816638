"""thresher mix: one model of several that were trained on parts of the data."""

from __future__ import annotations

import time
from typing import Any

import click

from thresher.cli import options
from thresher.cli.report import put, put_json

EXAMPLES = """\b
Examples:
  thresher train part1.svm --learner pa -m 1.model
  thresher train part2.svm --learner pa -m 2.model
  thresher mix 1.model 2.model -m all.model
\b
A second pass, each part perhaps on another machine:
  thresher train part1.svm --resume all.model -m 1.model
  thresher train part2.svm --resume all.model -m 2.model
  thresher mix 1.model 2.model --base all.model -m all.model
"""


@click.command(epilog=EXAMPLES)
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("-m", "--model", "path", required=True, type=click.Path(), help="Where to save.")
@click.option("--base", type=click.Path(), metavar="MODEL", help="What all of them started from; "
              "by default nothing.")  # fmt: skip
@click.option("--mix", "how", type=click.Choice(["occurrence", "mean"]), default="occurrence",
              show_default=True, help="Divide what the parts moved a weight by the number of "
              "those that contain its feature (occurrence), or of all (mean).")  # fmt: skip
@options.speaking
def command(models: tuple[str, ...], path: str, base: str | None, how: str, **given: Any) -> int:
    """One model of several MODELS that were trained alike, each on a part of the data.

    The order of MODELS is the order in which one machine would read the parts: it decides the order
    of names and classes, and the last bits of sums.
    """
    from thresher.mixing import mix

    options.check_place(path)
    began = time.monotonic()
    mixed = mix(models, base=base, how=how)
    mixed.provenance_ = {"mix": {"models": len(models), "how": how, "base": base is not None}}
    mixed.save(path)
    seconds = time.monotonic() - began
    facts = {
        "model": path, "models": len(models), "mix": how, "base": base,
        "learner": type(mixed).__name__, "examples": mixed.examples_,
        "features": mixed.known_features, "seconds": seconds,
    }  # fmt: skip
    if given["as_json"]:
        put_json(facts)
    elif not given["quiet"]:
        put(f"{len(models)} models of {facts['examples']:,} examples mixed in {seconds:.1f} s; "
            f"{facts['features']:,} features; saved to {path}.")  # fmt: skip
    return 0
