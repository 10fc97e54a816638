"""thresher audit: a model's mistakes compared with every bound that applies."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli import clustered, options


@click.command(short_help="mistakes compared with the theorems that bound them")
@options.data_argument
@click.option("-m", "--model", required=True, metavar="MODEL", type=click.Path(),
              help="The model whose run is audited.")  # fmt: skip
@click.option("--passes", type=click.IntRange(1), help="Over DATA; by default as many as the model "
              "made.")  # fmt: skip
@click.option("--exact", is_flag=True, help="Keep all of DATA in memory and find the separator of "
              "largest margin, or a proof that there is none, however long it takes. Not needed "
              "for small data.")  # fmt: skip
@options.plot("Draw mistakes against the bounds over time")
@click.option("--certificate", metavar="FILE", type=click.Path(), help="Write the proof that no "
              "separator exists, as JSON: examples, from 0, and their weights.")  # fmt: skip
@clustered.whole_files
@options.reading
@options.speaking
def command(
    data: tuple[str, ...], model: str, passes: int | None, exact: bool, plot: str | None,
    certificate: str | None, as_json: bool, quiet: bool, debug: bool, cluster: str | None,
    insecure_cluster: bool, **reading: Any,
) -> int:  # fmt: skip
    """Compare the mistakes of MODEL on DATA with every theorem that bounds them.

    A fresh copy of MODEL learns DATA again; then DATA is read once more to measure it with the
    weights found, and each assumption is checked. MODEL itself stays as it is. A bound whose
    assumptions fail is shown with the reason, never as met.

    A MODEL of `thresher train --cluster` is replayed with --cluster, on the same shards, and
    compared with the bound of mixed runs.

    \b
    thresher audit train.svm -m reviews.model
    thresher audit train.csv --label mood -m reviews.model --plot bounds.png
    """
    from thresher.cli.counting import progress
    from thresher.cli.report import put_json, say
    from thresher.cli.train import report_bad_lines
    from thresher.data.reader import BadLines
    from thresher.errors import InvalidInput
    from thresher.model_file import load_for_files
    from thresher.theory.audit import audit_files

    learner = load_for_files(model)
    clustered.refuse_without_cluster({"cluster": cluster, "insecure_cluster": insecure_cluster})
    if cluster:
        for name, value in (("passes", passes), ("exact", exact), ("plot", plot),
                            ("certificate", certificate)):  # fmt: skip
            if value:
                raise click.UsageError(f"--{name} is not for --cluster.")
        return audit_on_cluster(
            learner,
            data,
            model,
            as_json,
            reading | {"cluster": cluster} | {"insecure_cluster": insecure_cluster},
        )
    if plot and learner.task != "classify":
        raise InvalidInput(
            f"{model}: {type(learner).__name__} counts no mistakes, and --plot draws them."
        )
    bad = BadLines(reading.pop("on_bad_line"), reading.pop("quarantine"))
    with progress(None, quiet) as done:
        found = audit_files(
            learner, data, passes=passes, exact=exact, bad=bad, on_examples=done, **reading
        )
    proof = found.as_dict()["certificate"]
    if certificate and proof is not None:  # files first: a reader of the rest may stop early
        write_certificate(proof, certificate)
        if not quiet:
            say(f"certificate in {certificate}")
    if plot:
        draw(found, plot)
        if not quiet:
            say(f"drawn in {plot}")
    if as_json:
        put_json({"model": model, "data": list(data), "bad_lines": bad.count, **found.as_dict()})
    else:
        show(found, model, data)
    if certificate and proof is None:
        raise InvalidInput("--certificate: there is none, as no proof of inseparability was found.")
    check_holds(found)
    return report_bad_lines(bad)


def audit_on_cluster(
    learner: Any, data: tuple[str, ...], model: str, as_json: bool, given: dict[str, Any]
) -> int:
    """By the theorems about mixed runs."""
    from thresher.cli.report import put_json
    from thresher.theory.audit.over_cluster import audit_cluster

    with clustered.engine_of(given) as engine:
        found = audit_cluster(learner, list(data), engine, on_bad_line=given["on_bad_line"],
                              threads=clustered.threads_of(given))  # fmt: skip
    if as_json:
        put_json({"model": model, "data": list(data), **found.as_dict()})
    else:
        show(found, model, data)
    check_holds(found)
    return 0


def check_holds(found: Any) -> None:
    from thresher.errors import InvalidInput

    if not found.holds:
        raise InvalidInput(
            "a bound that applies was exceeded. This is a bug in Thresher: please report it with "
            "the model and the data."
        )


def show(found: Any, model: str, data: tuple[str, ...]) -> None:
    from thresher.cli.report import put
    from thresher.cli.tables import clean, table, title

    shown = data[0] if len(data) == 1 else f"{len(data)} files"
    put(clean(f"{model} on {shown}"))
    for name, text in found.facts():
        put(clean(f"  {name.ljust(10)}  {text}"))
    if applied := found.applied():
        title("Bounds")
        table(applied, head=("theorem", "bound", "the run", "ratio", "comparator"), left=(0, 2, 4))
    if failing := found.failing():
        title("Does not apply, because this fails")
        for theorem, reason in failing:
            put(clean(f"  {theorem}: {reason}"))
    if found.elsewhere():
        put("")
        put(found.elsewhere())


def write_certificate(proof: dict[str, Any], path: str) -> None:
    import json

    from thresher.data.output import whole_file

    with whole_file(path) as file:
        file.write((json.dumps(proof) + "\n").encode())


def draw(found: Any, path: str) -> None:
    from thresher.plots import MistakesDisplay
    from thresher.plots.style import write_page

    examples, mistakes = zip(*found.history, strict=True)
    rows = [r for r in found.rows if not r.about and r.compared != "demotions"]
    bounds = [r.bound for r in rows]
    display = MistakesDisplay(examples, mistakes, bounds, found.learner.partition("(")[0])
    write_page(path, found.learner, [display])
