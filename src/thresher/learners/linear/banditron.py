"""Many classes, where nobody tells the right one: the Banditron."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from thresher._core import Lexicon, Model
from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.examples import refuse_none
from thresher.learners.base.groups import Intercept, InterceptScaling, Passes
from thresher.learners.base.labels import Labels, plain_label
from thresher.learners.base.learner import Engine
from thresher.options import but, count, flag_of, real, special


def labels_to_play(classes: Any) -> list[Any]:
    """The option `classes`, checked."""
    if not isinstance(classes, (list, tuple)):
        raise InvalidInput(f"classes is {classes!r}; expected a list of labels, or None.")
    labels = Labels(classes).values
    if len(labels) < 2 or len(labels) < len(classes):
        raise InvalidInput(f"classes is {classes!r}; expected two labels or more, each once.")
    return labels


def labels_from(text: str) -> list[Any]:
    """The option as it is typed: ``a,b,c``."""
    from thresher.data.reader import label_of

    return [label_of(word.strip().encode()) for word in text.split(",")]


class Banditron(Passes, Intercept, InterceptScaling, OnlineClassifier):
    """The perceptron that is told only whether it was right (Kakade et al. 2008).

    For each example it plays a label: the best scored one, ŷ, or with probability γ any label at
    random. The answer is whether the label played, ỹ, is right, and the step of label r is
    x·(1[r = ỹ = y]/P(r) − 1[r = ŷ]), P(r) the probability that r is played. In the mean that is
    the step of the perceptron that is told y.

    `act_one` plays, `reward_one` takes the answer. In `fit`, `partial_fit` and `learn_one` the
    labels are given, and each only says whether what was played is right. `mistakes_` counts the
    labels played that were wrong; predictions are the best scored labels, without chance.

    What it plays depends on the seed, on how many examples came before, and on the scores: not on
    how a stream is cut into calls, nor on where a run was resumed.

    Examples
    --------
    >>> from thresher import Banditron
    >>> model = Banditron(gamma=0.2, classes=["cat", "dog", "owl"], fit_intercept=False)
    >>> truth = {"meows": "cat", "barks": "dog", "hoots": "owl"}
    >>> for noise in list(truth) * 20:
    ...     played = model.act_one([noise])
    ...     model.reward_one([noise], played, played == truth[noise])
    >>> [model.predict_one([noise]) for noise in truth]
    ['cat', 'dog', 'owl']
    """

    engine = Engine("additive", "perceptron")

    gamma: float = real(
        default=0.05,
        above=0.0,
        most=1.0,
        doc="γ, how often it plays any label at random. The more labels, and the fewer examples, "
        "the more there is to explore.",
    )
    classes: Sequence[Any] | None = special(
        default=None,
        check=labels_to_play,
        parse=labels_from,
        typed="labels with commas between them",
        core=False,
        doc="the labels that it plays. Without them a label can be played once an example of it "
        "was given to `fit`, `partial_fit` or `learn_one`: which tells more than right or wrong.",
    )
    seed: int = count(default=0, most=2**63 - 1, doc="of the numbers by which it plays.")

    max_epochs: int = but(
        default=1, none=False, doc="passes of ``fit``. As it explores, none is without an update."
    )

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options | {"margin": 0.0, "learning_rate": 1.0}

    def _begin(self, lexicon: Lexicon | None = None) -> Model:
        model = super()._begin(lexicon)
        if self.classes is not None:
            self._labels = Labels(self.classes)
            self._share_labels(model)
            model.meet_labels()
        return model

    def _share_labels(self, model: Model, by_order: bool = False) -> None:
        self._labels.closed = self.classes is not None
        super()._share_labels(model, by_order)

    def begin_reading(self, how: ReadingOptions, lexicon: Lexicon | None = None) -> None:
        if lexicon is not None and self.classes is not None:
            raise InvalidInput(
                f"classes is {self.classes!r}, but the learners of a race meet labels as they "
                "come; leave classes out."
            )
        super().begin_reading(how, lexicon)

    def set_params(self, **params: Any) -> Self:
        if self._model is not None and params.get("classes", self.classes) != self.classes:
            raise InvalidInput(
                f"classes cannot change once learning has begun: it is {self.classes!r}, found "
                f"{params['classes']!r}; start with a fresh learner."
            )
        return super().set_params(**params)

    # -- one example, and whether the label played was right

    def act_one(self, x: Any) -> Any:
        """The label to play for an example. It stays the same until the next one is learned."""
        refuse_none(x)
        if self.classes is None:
            raise InvalidInput(
                "act_one needs the labels in advance, as nobody will tell them; expected "
                "Banditron(classes=[...])."
            )
        if self._model is None:
            self._take(self._started())
        return self._learned().play_one(x)

    def reward_one(self, x: Any, played: Any, right: bool) -> None:
        """Learn whether the label that `act_one` played for this example is right.

        Nothing else may have been learned in between: a learner that changed would play
        something else, with another probability, and `played` is checked against that.
        """
        right = flag_of("right", right)
        with self._turn():
            now = self.act_one(x)
            if plain_label(played) != now:
                raise InvalidInput(
                    f"played is {played!r}, but for this example it plays {now!r}; expected what "
                    "act_one(x) returned, with nothing learned since."
                )
            # Of a label that is wrong it makes no difference which other one is right.
            self.learn_one(x, now if right else next(r for r in self._labels.values if r != now))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a few rows tell little if the labels are not told
        return tags
