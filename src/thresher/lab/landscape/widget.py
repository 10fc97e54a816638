"""The loss landscape in a notebook."""

from __future__ import annotations

from thresher.lab.landscape.setup import LandscapeSetup
from thresher.lab.serving.widget import Widget


class LandscapeWidget(Widget):
    """J(w) and the ways down it.

    Parameters
    ----------
    task : "regress" or "classify".
    loss : "squared", or for "classify" also "perceptron", "hinge" or "0/1".
    eta : the rate.

    Examples
    --------
    >>> from thresher.lab import LandscapeWidget
    >>> LandscapeWidget("classify", loss="hinge").state["loss"]
    'hinge'
    """

    _view_name_of_lab = "landscape"

    def __init__(self, task: str = "regress", *, loss: str = "squared", eta: float = 0.6) -> None:
        state = {"task": task, "loss": loss, "eta": eta}
        LandscapeSetup({**state, "points": [[0, 0, 1], [1, 1, -1]]})
        super().__init__(state)
