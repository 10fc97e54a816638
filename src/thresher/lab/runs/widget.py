"""The runs in a notebook."""

from __future__ import annotations

from thresher.lab.serving.widget import Widget


class RunsWidget(Widget):
    """The logs that `thresher train --log` and `thresher race --log` write into a folder."""

    _view_name_of_lab = "runs"

    def __init__(self, logs: str = ".") -> None:
        super().__init__(logs=logs)
