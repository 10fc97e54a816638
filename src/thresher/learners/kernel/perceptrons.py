"""Perceptrons in the feature space of a kernel: the kernel perceptron and the voted perceptron."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base.groups import Epochs, Intercept, ManyClasses
from thresher.learners.kernel.functions import NAMED
from thresher.learners.kernel.learner import KernelLearner
from thresher.learners.kernel.model import KernelOption
from thresher.options import Declared, but, choice, count, real, special


class OfKernel(Declared):
    kernel: KernelOption = special(
        default="rbf",
        check=lambda kernel: kernel,
        parse=str,
        words=NAMED,
        doc='"linear" x·z; "polynomial" (γ·x·z + coef0)^degree; "rbf" exp(−γ‖x − z‖²); "sigmoid" '
        'tanh(γ·x·z + coef0); "precomputed": X is the Gram matrix; a function of two arrays, or '
        "the name under which one was registered (`register_kernel`).",
    )
    gamma: float | None = real(default=None, above=0.0, doc="γ, 1 if None.")
    coef0: float | None = real(
        default=None,
        doc='the constant of "polynomial" (1 if None) and of "sigmoid" (0 if None).',
    )
    degree: int | None = count(default=None, least=1, doc='of "polynomial", 3 if None.')
    prediction: str = choice(
        "averaged", "last", "voted",
        default="averaged",
        doc='by the "averaged" hypothesis, the "last" one, or "voted". It may be changed at any '
        "time: all three come from one run.",
    )  # fmt: skip
    burn_in: int = count(default=0, doc="examples left out of average and vote.")


class KernelPerceptron(OfKernel, Epochs, Intercept, ManyClasses, KernelLearner):
    """The perceptron in the feature space of a kernel: on a mistake, x becomes a support vector.

    Examples
    --------
    >>> from thresher import KernelPerceptron
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "differ", "differ", "same"]
    >>> model = KernelPerceptron(kernel="polynomial", degree=2, max_epochs=None).fit(*xor)
    >>> model.predict([[1, 0], [1, 1]]).tolist(), model.converged_
    (['differ', 'same'], True)
    """

    budget: int | None = count(
        default=None,
        least=1,
        doc="the most support vectors; None keeps them all. Average and vote are then over as many "
        "hypotheses, the newest ones, each exactly as it was.",
    )
    forget: str = choice(
        "oldest", "smallest", "random",
        default="oldest",
        doc='which one is dropped when the budget is full: the "oldest"; the one with the '
        '"smallest" effect |a|·√K(x, x); or a "random" one.',
    )  # fmt: skip
    random_state: Any = but(
        default=None, doc="the seed of that order, and of what is forgotten at random."
    )
    fit_intercept: bool = but(
        default=True, doc="a constant feature beside those of the kernel: K + 1."
    )

    def _check(self) -> None:
        if self.budget is None and self.forget != "oldest":
            raise InvalidInput(
                f"forget={self.forget!r} and budget=None contradict each other: without a budget "
                "nothing is forgotten. Set a budget, or leave forget alone."
            )


class VotedPerceptron(OfKernel, Epochs, Intercept, ManyClasses, KernelLearner):
    """The voted perceptron (Freund & Schapire 1999): every hypothesis votes, as often as it was
    right.

    sgn Σ c_i·sgn(v_i·x) over all hypotheses v_i, exactly; the mistakes are kept, not the vectors.

    Examples
    --------
    >>> from thresher import VotedPerceptron
    >>> model = VotedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> model.predict([[0, 2], [1, 1]]).tolist(), model.survived_.tolist()
    ([1, 1], [1.0, 1.0, 2.0])
    """

    kernel: KernelOption = but(default="linear")
    prediction: str = but(default="voted")
    max_hypotheses: int | None = count(
        default=None,
        least=1,
        doc="how many hypotheses vote, the newest ones; None: all. With 1 the last one decides.",
    )
    count_from: int = count(
        default=1,
        most=1,
        doc="where the count of a new hypothesis begins: 1, the example that made it included "
        "(Freund & Schapire), or 0: only the examples that it survived afterwards. All counts are "
        "then one less, so that a hypothesis that fails at once has no vote.",
    )
    fit_intercept: bool = but(
        default=True, doc="a constant feature beside those of the kernel: K + 1."
    )
    multiclass: str = but(
        default="ultraconservative",
        doc='from three classes on, "ultraconservative": a hypothesis is all prototypes and votes '
        'for one class; "one-vs-rest": a voted perceptron for each class, as in the paper.',
    )
