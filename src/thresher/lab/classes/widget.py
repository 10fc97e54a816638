"""The view of several classes in a notebook."""

from __future__ import annotations

from typing import Any

from thresher.lab.classes.points import generate
from thresher.lab.serving.widget import Widget


class ClassesWidget(Widget):
    """Points of several classes, a prototype for each.

    Parameters
    ----------
    kind, classes, size, noise, seed : the set of points: "wheel", "blobs" or "row".

    Examples
    --------
    >>> from thresher.lab import ClassesWidget
    >>> ClassesWidget("row", classes=4).state["made"]["classes"]
    4
    """

    _view_name_of_lab = "classes"

    def __init__(
        self, kind: str = "wheel", *, classes: int = 3, size: int = 45, noise: float = 0.1,
        seed: int = 14,
    ) -> None:  # fmt: skip
        made: dict[str, Any] = {"kind": kind, "classes": classes, "size": size, "noise": noise,
                                "seed": seed}  # fmt: skip
        generate(made)  # refuses here what the page would refuse later
        super().__init__({"made": made})
