"""A proof while it runs: both sides of its inequalities at each mistake."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from thresher.errors import InvalidInput
from thresher.learners.linear.winnow import Winnow
from thresher.plots.style import FAINT, INK, SERIES, Display, count_axis, dress, legend, name_ends
from thresher.theory.proof import NovikoffProof, WinnowProof, novikoff_proof, winnow_proof

STYLES = ((0, (5, 4)), "-", "-", (0, (2, 2)))


class ProofDisplay(Display):
    """The sides of a proof's inequalities after each mistake, each line below the next.

    The area between two lines is what their inequality gives away; the legend says how much of the
    bound it keeps.
    """

    def __init__(self, proof: NovikoffProof | WinnowProof) -> None:
        if not isinstance(proof, (NovikoffProof, WinnowProof)):
            raise InvalidInput(
                f"proof is {proof!r}; expected what novikoff_proof or winnow_proof of "
                "thresher.theory return."
            )
        if not len(proof.at):
            raise InvalidInput("there is no proof to draw: the run has no mistakes.")
        self.proof = proof

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, comparator: Any = None) -> Self:
        """Follow the run of a Perceptron or of Winnow over X and y, from a fresh copy of it.

        Examples
        --------
        >>> from thresher import Perceptron
        >>> model = Perceptron(fit_intercept=False)
        >>> display = ProofDisplay.from_estimator(model, [[1, 0], [0, 1]], [1, 0])
        >>> display.proof.norm.round(3).tolist()
        [1.0, 1.414]
        """
        follow = winnow_proof if isinstance(model, Winnow) else novikoff_proof
        return cls(follow(model, X, y, comparator))

    def _draw(self, ax: Any, style: dict[str, Any]) -> None:
        proof = self.proof
        lines = proof.lines()
        k = np.arange(1, len(proof.at) + 1)
        if isinstance(proof, NovikoffProof):
            gaps = [f"keeps {kept:.0%} of the bound".replace("%", " %") for kept in proof.kept]
            title, what = "Novikoff's proof, running", "mistake k"
        else:
            gaps = [f"slack {slack:,.3g}" for slack in proof.slacks[-1][3:]]
            title, what = "Winnow's third lemma, running", "mistake"
        dress(ax, title, what, "")
        for (_, low), (_, high), color, gap in zip(lines, lines[1:], SERIES, gaps, strict=False):
            ax.fill_between(k, low, high, color=color, alpha=0.16, linewidth=0, label=gap)
        drawn = [STYLES[0], *STYLES[1 : len(lines) - 1], STYLES[-1]]
        for (_, values), dashes in zip(lines, drawn, strict=True):
            look = {"color": INK, "linewidth": 1.8, "linestyle": dashes}
            ax.plot(k, values, **look | style)
        count_axis(ax.xaxis, log=False)
        ax.margins(x=0.02)
        name_ends(ax, float(k[-1]), [(float(values[-1]), name, INK) for name, values in lines])
        ax.set_title(f"{len(k):,} of at most {proof.bound:,.0f}", loc="right", color=FAINT,
                     fontsize=9)  # fmt: skip
        legend(ax, loc="upper left", title=f"loosest: {proof.loosest}", title_fontsize=9)
