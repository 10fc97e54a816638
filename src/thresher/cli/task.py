"""Classes or numbers: what is to be learned, where the user did not say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from thresher.cli import options
from thresher.cli.report import say
from thresher.learners.unknown import shown

# If labels are more whole numbers than this, they are numbers to predict.
MANY = 100


def look_at_labels(data: tuple[str, ...], given: dict[str, Any]) -> str:
    """Labels or numbers: numbers are not whole, or there are many different ones. A pipe cannot be
    read twice: its labels are labels."""
    from thresher.data.sniffing import are_targets, first_labels

    labels = first_labels(data, options.reading_of(given))
    if not are_targets(labels, MANY):
        return "classify"
    if not given["quiet"]:
        say(f"The labels are numbers ({shown(map(str, labels))}), which it learns to predict. If "
            "they are names of classes, say --task classify.")  # fmt: skip
    return "regress"


def refuse_targets(labels: Sequence[Any]) -> None:
    """Of a pipe, whose labels were taken for classes before any was seen."""
    from thresher.data.sniffing import are_targets

    if are_targets(labels, MANY):
        raise click.UsageError(
            f"The labels are numbers ({shown(map(str, labels))}), and a pipe cannot be looked at "
            "in advance. If they are to be predicted as numbers, say --task regress; if each is "
            "the name of a class, --task classify."
        )


def are_files(data: tuple[str, ...]) -> bool:
    """Whether they can be read more than once."""
    from thresher.data.sources import expand

    return all(map(os.path.isfile, expand(data)))
