"""Perceptrons in the feature space of a kernel: the kernel perceptron and the voted perceptron."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.learners.base import one_of, whole
from thresher.learners.kernel_learner import KernelLearner
from thresher.learners.kernel_model import KernelOption

FORGET = ("oldest", "smallest", "random")


class KernelPerceptron(KernelLearner):
    """The perceptron in the feature space of a kernel: on a mistake, x becomes a support vector.

    Parameters
    ----------
    kernel : "linear" x·z; "polynomial" (γ·x·z + coef0)^degree; "rbf" exp(−γ‖x − z‖²); "sigmoid"
        tanh(γ·x·z + coef0); "precomputed": X is the Gram matrix; a function of two arrays, or the
        name under which one was registered (`register_kernel`).
    gamma : γ, 1 if None.
    coef0 : the constant of "polynomial" (1 if None) and of "sigmoid" (0 if None).
    degree : of "polynomial", 3 if None.
    prediction : with the "averaged" hypothesis, the "last" one, or "voted". It may be changed at
        any time: all three come from one run.
    burn_in : examples left out of average and vote.
    budget : support vectors at most; None keeps them all. Average and vote are then of as many
        hypotheses, the newest ones, each exactly as it was.
    forget : which one goes when the budget is full: the "oldest"; the one with the "smallest"
        effect, the least |a|·√K(x, x); or a "random" one.
    max_epochs : passes of ``fit``; None goes on until an epoch without a mistake.
    shuffle : take the rows in a new random order in each epoch of ``fit``.
    random_state : the seed of that order, and of what is forgotten at random.
    fit_intercept : a constant feature beside those of the kernel: K + 1.
    multiclass : from three classes on, "ultraconservative" moves the right class and its strongest
        rival; "one-vs-rest" keeps a two-class machine for each class.

    Examples
    --------
    >>> from thresher import KernelPerceptron
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "differ", "differ", "same"]
    >>> model = KernelPerceptron(kernel="polynomial", degree=2, max_epochs=None).fit(*xor)
    >>> model.predict([[1, 0], [1, 1]]).tolist(), model.converged_
    (['differ', 'same'], True)
    """

    def __init__(
        self,
        kernel: KernelOption = "rbf",
        gamma: float | None = None,
        coef0: float | None = None,
        degree: int | None = None,
        prediction: str = "averaged",
        burn_in: int = 0,
        budget: int | None = None,
        forget: str = "oldest",
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        multiclass: str = "ultraconservative",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.prediction = prediction
        self.burn_in = burn_in
        self.budget = budget
        self.forget = forget
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass

    def _budget(self) -> tuple[int | None, str]:
        forget = one_of("forget", self.forget, FORGET)
        if self.budget is None:
            if forget != "oldest":
                raise InvalidInput(
                    f"forget={forget!r} and budget=None contradict each other: without a budget "
                    "nothing is forgotten. Set a budget, or leave forget alone."
                )
            return None, forget
        return whole("budget", self.budget, 1), forget


class VotedPerceptron(KernelLearner):
    """The voted perceptron (Freund & Schapire 1999): every hypothesis votes, as often as it was
    right.

    sgn Σ c_i·sgn(v_i·x) over all hypotheses v_i, exactly; kept are the mistakes, not the vectors.

    Parameters
    ----------
    kernel : "linear" x·z; "polynomial" (γ·x·z + coef0)^degree; "rbf" exp(−γ‖x − z‖²); "sigmoid"
        tanh(γ·x·z + coef0); "precomputed": X is the Gram matrix; a function of two arrays, or the
        name under which one was registered (`register_kernel`).
    gamma : γ, 1 if None.
    coef0 : the constant of "polynomial" (1 if None) and of "sigmoid" (0 if None).
    degree : of "polynomial", 3 if None.
    prediction : "voted", "averaged" or "last". It may be changed at any time: all three come from
        one run.
    burn_in : examples left out of vote and average.
    max_hypotheses : only the newest so many vote; None: all. With 1 the vote is the last one's.
    max_epochs : passes of ``fit``; None goes on until an epoch without a mistake.
    shuffle : take the rows in a new random order in each epoch of ``fit``.
    random_state : the seed of that order.
    fit_intercept : a constant feature beside those of the kernel: K + 1.
    multiclass : from three classes on, "ultraconservative": a hypothesis is all prototypes and
        votes for one class; "one-vs-rest": a voted perceptron for each class, as in the paper.

    Examples
    --------
    >>> from thresher import VotedPerceptron
    >>> model = VotedPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> model.predict([[0, 2], [1, 1]]).tolist(), model.survived_.tolist()
    ([1, 1], [1.0, 1.0, 2.0])
    """

    def __init__(
        self,
        kernel: KernelOption = "linear",
        gamma: float | None = None,
        coef0: float | None = None,
        degree: int | None = None,
        prediction: str = "voted",
        burn_in: int = 0,
        max_hypotheses: int | None = None,
        max_epochs: int | None = 1,
        shuffle: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
        multiclass: str = "ultraconservative",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.prediction = prediction
        self.burn_in = burn_in
        self.max_hypotheses = max_hypotheses
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass

    def _voters(self) -> int | None:
        if self.max_hypotheses is None:
            return None
        return whole("max_hypotheses", self.max_hypotheses, 1)
