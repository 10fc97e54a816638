"""thresher evaluate: how good a model's predictions are on labelled examples."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli import clustered, options


@click.command(short_help="error, confusion, F1, AUC, calibration of a model")
@options.data_argument
@click.option("-m", "--model", required=True, metavar="MODEL", type=click.Path(),
              help="The model to evaluate.")  # fmt: skip
@click.option("--bins", type=click.IntRange(1, 1000), default=10, show_default=True,
              help="Of the calibration table.")  # fmt: skip
@options.plot("Draw confusion, precision and recall, ROC, calibration on one page")
@clustered.shared
@options.reading
@options.speaking
def command(
    data: tuple[str, ...], model: str, bins: int, plot: str | None, as_json: bool, quiet: bool,
    debug: bool, **reading: Any,
) -> int:  # fmt: skip
    """How good MODEL is on the labelled examples of DATA, which it does not learn from.

    \b
    thresher evaluate test.svm -m reviews.model
    thresher evaluate test.csv --label mood -m reviews.model --plot report.png
    """
    from thresher.cli.doubts import doubt_truths, say_unknown
    from thresher.cli.report import put_json, say
    from thresher.cli.train import report_bad_lines
    from thresher.data import read
    from thresher.data.reader import BadLines
    from thresher.errors import InvalidInput
    from thresher.evaluate import Metrics, RegressionMetrics, evaluate_batches, metrics_for
    from thresher.learners.unknown import Unknown
    from thresher.model_file import load_for_files

    learner = load_for_files(model)
    metrics = metrics_for(learner, bins=bins)
    if plot and not isinstance(metrics, Metrics):
        kind = "a regressor" if isinstance(metrics, RegressionMetrics) else "it learns sets"
        raise InvalidInput(f"{model}: {kind}; --plot draws what classifiers of one label say.")
    given = {name: reading.pop(name) for name in ("cluster", "shards", "insecure_cluster")}
    bad, unknown = BadLines(), Unknown(learner)
    if given["cluster"]:
        bad.count, bad.first = clustered.evaluate_on_cluster(
            data, model, learner, given | reading, metrics
        )
    else:
        clustered.refuse_without_cluster(given)
        with read(data, model=learner, **reading) as reader:
            evaluate_batches(learner, unknown.watched(reader), metrics)
        bad = reader.bad
        if not quiet:
            say_unknown(unknown, reader)
            if isinstance(metrics, Metrics):
                truths = [score.label for score in metrics.by_label if score.support]
                doubt_truths(truths, learner.learned_labels())
    if metrics.examples == 0:
        raise InvalidInput(f"{', '.join(data)}: no labelled example to compare with.")
    shown = data[0] if len(data) == 1 else f"{len(data)} files"
    if plot and isinstance(metrics, Metrics):
        from thresher.plots import draw_report

        draw_report(metrics, plot, model)
        if not quiet:
            say(f"drawn in {plot}")
    if as_json:
        put_json({"model": model, "data": list(data), "bad_lines": bad.count,
                  **metrics.summary()})  # fmt: skip
    else:
        from thresher.cli.evaluation import show

        show(metrics, f"{model} on {'standard input' if shown == '-' else shown}")
    return report_bad_lines(bad)
