"""Growth with n in a notebook."""

from __future__ import annotations

from thresher.lab.growth.measure import GrowthSetup
from thresher.lab.serving.widget import Widget


class GrowthWidget(Widget):
    """Mistakes of Winnow, the p-norm perceptron and the Perceptron as n grows.

    Parameters
    ----------
    target : "few" (k variables matter) or "half" (half of them do).
    k, density, p : how many matter; "half", "tenth" or "two"; p of the p-norm perceptron.

    Examples
    --------
    >>> from thresher.lab import GrowthWidget
    >>> GrowthWidget("half", density="two").state["target"]
    'half'
    """

    _view_name_of_lab = "growth"

    def __init__(
        self, target: str = "few", *, k: int = 3, density: str = "half", p: float = 6.0
    ) -> None:
        state = {"target": target, "k": k, "density": density, "p": p}
        GrowthSetup(state)
        super().__init__(state)
