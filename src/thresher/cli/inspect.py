"""thresher inspect: what a model file holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from thresher.cli import options

if TYPE_CHECKING:
    from thresher.cli.opened_model import OpenedModel

MOST_LABELS = 10  # whose features are listed when none is requested


@click.command(short_help="what a model file holds")
@click.argument("model", type=click.Path())
@click.option("--top", type=click.IntRange(0), default=20, show_default=True, metavar="N",
              help="How many features to list, largest weights first.")  # fmt: skip
@click.option("--label", metavar="L", help="Only the features of this label.")
@click.option("--all", "everything", is_flag=True, help="Every feature's name and weights, as tab-"
              "separated values; nothing else.")  # fmt: skip
@options.plot("Draw the weights")
@options.speaking
def command(
    model: str, top: int, label: str | None, everything: bool, plot: str | None,
    as_json: bool, quiet: bool, debug: bool,
) -> None:  # fmt: skip
    """What MODEL holds: learner and options, counts, the largest weights by name.

    \b
    thresher inspect reviews.model --top 5
    thresher inspect reviews.model --all | sort -t$'\\t' -k2 -g | head
    """
    from thresher.cli.opened_model import OpenedModel

    if everything and as_json:
        raise click.UsageError("--all writes tab-separated values; leave out --json.")
    opened = OpenedModel(model)
    chosen = None if label is None else opened.label_named(label)
    if plot:
        _draw(opened, chosen, plot)
        if not quiet:
            from thresher.cli.report import say

            say(f"the weights are drawn in {plot}")
    if everything:
        opened.write_all(chosen)
    elif as_json:
        from thresher.cli.report import put_json

        put_json(_facts(opened, top, chosen))
    else:
        _show(opened, top, chosen)


def _facts(opened: OpenedModel, top: int, label: Any) -> dict[str, Any]:
    counts, edges = opened.histogram(12, label)
    return {
        "file": opened.path,
        **opened.facts(),
        "top_features": [
            {"label": of, "features": [{"name": n, "weight": w} for n, w in features]}
            for of, features in opened.top(top, label)
        ],
        "histogram": {"edges": edges, "counts": counts},
    }


def _show(opened: OpenedModel, top: int, label: Any) -> None:
    from thresher.cli.report import put
    from thresher.cli.tables import bar, clean, size_of, table, title

    facts = opened.facts()
    put(clean(f"{opened.path}: {opened.learner!r}"))
    if not facts["learned"]:
        put("It has learned nothing yet.")
        return
    rows: list[tuple[str, str]] = [
        ("written by", f"Thresher {facts['library']}, format {facts['format']}"),
        ("size on disk", size_of(facts["bytes"])),
    ]
    rows += [
        (name, f"{facts[name]:,}")
        for name in ("examples", "mistakes", "updates", "epochs")
        if facts.get(name) is not None
    ]
    if facts["classes"] is not None:
        shown = ", ".join(str(c) for c in facts["classes"][:MOST_LABELS])
        more = ", …" if len(facts["classes"]) > MOST_LABELS else ""
        rows.append(("classes", f"{len(facts['classes']):,}: {shown}{more}"))
    names = f"; names take {size_of(facts['name_bytes'])}" if facts["name_bytes"] else ""
    used = f", {facts['nonzero']:,} not zero" if opened.has_weights else ""
    rows.append(("features", f"{facts['features']:,}{used}{names}"))
    if opened.has_weights:
        rows += [("intercept", ", ".join(f"{b:.6g}" for b in facts["intercept"][:MOST_LABELS]))]
    else:
        rows.append(("keeps", clean(facts["keeps"])))
    rows += _reading_rows(facts["recipe"], facts["provenance"])
    table(rows, left=(0, 1))
    for of, features in opened.top(top, label)[:MOST_LABELS]:
        if features:
            title(_heading(opened, of))
            most = abs(features[0][1])
            table([(name, f"{w:+.6g}", bar(w, most)) for name, w in features], left=(0, 2))
    if top and label is None and len(facts["classes"] or ()) > MOST_LABELS:
        title(f"(and {len(facts['classes']) - MOST_LABELS:,} more labels: --label L shows one)")
    counts, edges = opened.histogram(12, label)
    if counts:
        title("weights that are not zero")
        most = max(counts)
        table(
            [
                (f"{low:+.4g}", "…", f"{high:+.4g}", f"{count:,}", bar(count, most))
                for low, high, count in zip(edges, edges[1:], counts, strict=False)
            ],
            left=(4,),
        )


def _heading(opened: OpenedModel, label: Any) -> str:
    from thresher.cli.tables import clean

    if label is not None:
        return clean(f"largest weights of {label}")
    classes = opened.classes
    if classes is not None and len(classes) == 2:
        return clean(f"largest weights: + for {classes[1]}, − for {classes[0]}")
    return "largest weights"


def _reading_rows(recipe: dict[str, Any], provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """What the model learned from, and how its features were made."""
    rows = [(f"read with {key}", _listed(value)) for key, value in recipe.items() if key != "means"]
    if means := recipe.get("means"):
        rows.append(("means", _listed([f"{column} {mean:.6g}" for column, mean in means])))
    rest = dict(provenance)
    run, drift = rest.pop("run", None), rest.pop("drift", None)
    if isinstance(stream := rest.pop("stream", None), dict):
        rows += _stream_rows(stream)
    if isinstance(drift, list):
        found = [c for c in drift if isinstance(c, dict) and type(c.get("example")) is int]
        places = [f"at example {c['example']:,} ({c.get('action')})" for c in found]
        rows.append(("drift", _listed(places) if places else "none found"))
    if run is None and "files" in rest:
        run, rest = rest, {}
    if isinstance(run, dict):
        rows.append(("data", _listed(run.get("files"))))
        rows.append(("passes", _listed(run.get("number"))))
        position = run.get("position")
        if not run.get("done") and isinstance(position, dict):
            place = f"file {_place(position, 'file')}, line {_place(position, 'line')}"
            rows.append(("stopped before", place))
    return rows + [(str(key).replace("_", " "), _listed(value)) for key, value in rest.items()]


def _stream_rows(stream: dict[str, Any]) -> list[tuple[str, str]]:
    """The stream that `thresher consume` learned from, and how far."""
    place = stream.get("place")
    rows = [("stream", str(stream.get("name")))]
    if isinstance(place, dict):
        if isinstance(seen := place.get("seen"), dict):
            place = {"file": place.get("file"), "line": seen.get("lines", 0)}
        told = ", ".join(f"{key} {value}" for key, value in place.items())
        rows.append(("place", told))
    for key in ("events", "dead_letters"):
        if type(count := stream.get(key)) is int:
            rows.append((key.replace("_", " "), f"{count:,}"))
    if isinstance(gaps := stream.get("gaps"), list):
        rows += [("gap", _listed(g)) for g in gaps if isinstance(g, dict)]
    return rows


def _place(position: dict[str, Any], key: str) -> str:
    """Counted from 1, as people count."""
    number = position.get(key)
    return f"{number + 1:,}" if type(number) is int else str(number)


def _listed(value: Any) -> str:
    if isinstance(value, list):
        shown = ", ".join(str(v) for v in value[:MOST_LABELS])
        return shown + (f", … ({len(value)} in all)" if len(value) > MOST_LABELS else "")
    return f"{value:,}" if type(value) is int else str(value)


def _draw(opened: OpenedModel, label: Any, path: str) -> None:
    from thresher.plots.style import write_page
    from thresher.plots.weights import WeightsDisplay

    opened.require_weights()
    display = WeightsDisplay.from_estimator(opened.learner, label)
    write_page(path, os.path.basename(opened.path), [display])
