"""What an evaluation found, as text."""

from __future__ import annotations

from typing import Any

from thresher.cli.report import put
from thresher.cli.tables import bar, clean, table, text_of, title, weight_of
from thresher.evaluate import Auc, Metrics, RegressionMetrics, SetMetrics

MOST_LABELS = 30  # rows of the table of labels
MOST_COLUMNS = 12  # up to which the confusion is shown as a matrix
MOST_CONFUSIONS = 10


def show(metrics: Metrics | SetMetrics | RegressionMetrics, heading: str) -> None:
    """Every figure, with its baseline."""
    found = f"{heading}: {metrics.examples:,} examples"
    if metrics.weight != metrics.examples:
        found += f", weight {weight_of(metrics.weight)}"
    if metrics.unlabelled:
        found += f" ({metrics.unlabelled:,} without label left out)"
    put(clean(found))
    if isinstance(metrics, RegressionMetrics):
        _show_regression(metrics)
        return
    if isinstance(metrics, SetMetrics):
        _show_sets(metrics)
        _show_labels(metrics)
        return
    _show_figures(metrics)
    _show_labels(metrics)
    if len(metrics.labels) <= MOST_COLUMNS:
        _show_confusion(metrics)
    else:
        _show_confusions(metrics)
    if metrics.calibration:
        _show_calibration(metrics)


def _show_regression(metrics: RegressionMetrics) -> None:
    table(
        [
            ("RMSE", metrics.rmse, ""),
            ("MAE", metrics.mae, ""),
            ("MSE", metrics.mse, f"the best constant: {text_of(metrics.baseline_mse)}"),
            ("R²", metrics.r2, "" if metrics.r2 is not None else "the truth does not vary"),
        ],
        left=(0, 2),
    )


def _show_sets(metrics: SetMetrics) -> None:
    found = text_of(metrics.labels_per_example)
    table(
        [
            ("error", metrics.error, f"{weight_of(metrics.wrong)} sets not right as a whole"),
            ("subset accuracy", metrics.accuracy, ""),
            ("Hamming loss", metrics.hamming_loss, f"{found} labels an example"),
            ("F1, micro", metrics.micro.f1, ""),
            ("F1, macro", metrics.macro.f1, ""),
        ],
        left=(0, 2),
    )


def _show_figures(metrics: Metrics) -> None:
    by_support = max(metrics.by_label, key=lambda s: s.support, default=None)
    most = "" if by_support is None else f"always {by_support.label}: "
    rows: list[tuple[str, Any, str]] = [
        ("error", metrics.error, f"{weight_of(metrics.wrong)} wrong; "
         f"{most}{text_of(metrics.baseline_error)}"),
        ("accuracy", metrics.accuracy, ""),
        ("F1, macro", metrics.macro.f1, ""),
    ]  # fmt: skip
    if metrics.auc_by_label:
        auc = metrics.auc
        rows.append(("AUC", None if auc is None else auc.value, _how(auc, len(metrics.columns))))
    rows.append(("balanced", metrics.balanced_error, "error, as the mean of the labels"))
    if metrics.log_loss is not None:
        rows += [
            ("log-loss", metrics.log_loss, ""),
            ("Brier score", metrics.brier, ""),
            ("calibration error", metrics.calibration_error, ""),
        ]
    table(rows, left=(0, 2))


def _how(auc: Auc | None, labels: int) -> str:
    if auc is None:
        return "needs examples of at least two labels"
    how = "exact" if auc.exact else f"from bins of scores, off by at most {auc.within:.1g}"
    return how if labels == 2 else f"mean of each label against the rest; {how}"


def _show_labels(metrics: Metrics | SetMetrics) -> None:
    scores = metrics.by_label
    left_out = len(scores) - MOST_LABELS
    if left_out > 0:
        scores = sorted(scores, key=lambda s: (s.f1 is None, s.f1))[:MOST_LABELS]
        title(f"the {MOST_LABELS} labels of the lowest F1 ({left_out:,} more; --json has all)")
    else:
        title("by label")
    rows = [
        (str(s.label), s.precision, s.recall, s.f1, weight_of(s.support), weight_of(s.predicted))
        for s in scores
    ]
    for name, means in (("macro", metrics.macro), ("micro", metrics.micro)):
        rows.append((f"({name})", means.precision, means.recall, means.f1, "", ""))
    table(rows, ("", "precision", "recall", "F1", "true", "predicted"))


def _show_confusion(metrics: Metrics) -> None:
    title("confusion: a row a true label, a column a predicted one")
    labels = [str(label) for label in metrics.labels]
    table(
        [
            (label, *(weight_of(cell) for cell in row))
            for label, row in zip(labels, metrics.confusion.tolist(), strict=True)
        ],
        ("", *(clean(label) for label in labels)),
    )


def _show_confusions(metrics: Metrics) -> None:
    """With many labels, only the most frequent confusions."""
    rows = [
        (str(truth), str(predicted), weight_of(weight))
        for truth, predicted, weight in metrics.most_confused(MOST_CONFUSIONS)
    ]
    if rows:
        title("most frequent confusions")
        table(rows, ("truth", "predicted", "examples"), left=(0, 1))


def _show_calibration(metrics: Metrics) -> None:
    two = len(metrics.columns) == 2
    title(f"calibration: probability of {metrics.columns[1] if two else 'the predicted label'}")
    most = max(row.weight for row in metrics.calibration)
    table(
        [
            (f"{row.low:.2g} – {row.high:.2g}", row.predicted, row.observed, weight_of(row.weight),
             bar(row.weight, most, 16))
            for row in metrics.calibration
        ],
        ("range", "predicted", "observed", "examples", ""),
        left=(0, 4),
    )  # fmt: skip
