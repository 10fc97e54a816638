"""thresher import: a linear model of another library, to go on learning."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli import options
from thresher.cli.config import complete_learner, complete_setting


@click.command("import", short_help="a model of LIBLINEAR or Vowpal Wabbit")
@click.argument("file", type=click.Path())
@click.option("--from", "origin", type=click.Choice(["liblinear", "vw"]), help="What wrote it; by "
              "default its first line says it.")  # fmt: skip
@click.option("--task", type=click.Choice(["classify", "regress"]), help="What a model of Vowpal "
              "Wabbit is for, which it does not say; by default as its bounds look.")  # fmt: skip
@click.option("-m", "--model", "path", required=True, type=click.Path(), help="Where to save.")
@click.option("--learner", metavar="NAME", shell_complete=complete_learner, help="What to go on "
              "learning with: one that adds to its weights; by default pa, or "
              "pa-regressor.")  # fmt: skip
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True,
              shell_complete=complete_setting, help="An option of that learner.")  # fmt: skip
@options.speaking
def command(file: str, origin: str | None, path: str, **given: Any) -> None:
    """Make a model of a linear model that LIBLINEAR wrote, or Vowpal Wabbit with --invert_hash.

    Models of scikit-learn are pickles, which run code when they are read: load them yourself, and
    call thresher.export.from_sklearn.

    \b
    thresher import news.liblinear -m news.model
    thresher train more.svm --resume news.model -m news.model
    """
    from thresher.cli.report import counted, put_json, say
    from thresher.cli.train import new_learner
    from thresher.errors import InvalidInput
    from thresher.export import from_liblinear, from_vw

    options.check_place(path)
    if origin is None:
        with open(file, "rb") as opened:
            start = opened.read(16)
        if start.startswith((b"\x80", b"PK")):
            raise InvalidInput(
                f"{file}: a pickle, which runs code when it is read. Load it in Python, and call "
                "thresher.export.from_sklearn(estimator).save(…)."
            )
        origin = "vw" if start.startswith(b"Version") else "liblinear"
    if given["settings"] and not given["learner"]:
        raise click.UsageError("--set is for --learner; name the learner.")
    learner = new_learner(given["learner"], given["settings"]) if given["learner"] else None
    if given["task"] and origin != "vw":
        raise click.UsageError("--task is for models of Vowpal Wabbit; others say what they are.")
    model = (
        from_vw(file, learner, given["task"]) if origin == "vw" else from_liblinear(file, learner)
    )
    model.save(path)
    if given["as_json"]:
        put_json({"file": file, "from": origin, "model": path, "features": model.known_features})
    elif not given["quiet"]:
        say(f"{file}: {counted(model.known_features, 'feature')}, saved in {path}. Go on with:\n"
            f"  thresher train NEW --resume {path} -m {path}")  # fmt: skip
