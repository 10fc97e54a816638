"""Structured prediction: the tags of a whole sequence at once."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

from thresher._core import Sequences
from thresher.errors import InvalidInput, ModelFileError
from thresher.lazy import np, npt
from thresher.learners.base.groups import Epochs
from thresher.learners.base.labels import Labels
from thresher.learners.base.online import generator_from
from thresher.learners.base.protocol import Packed
from thresher.learners.base.turns import turn_of
from thresher.options import but, flag

Tags = Sequence[Any]


class SequenceLearner(Packed):
    """What was learned."""

    _known: tuple[Sequences, Labels] | None = None  # the model and its tags, replaced together
    epochs_: int
    converged_: bool


class SequencePerceptron(Epochs, SequenceLearner):
    """The averaged structured perceptron (Collins 2002): sequences of named features to tags.

    A sequence of positions, each a bag of named features, gets the tags with the highest total
    score: the weights of each position's features for its tag, and a weight for each pair of
    neighbouring tags. Viterbi's algorithm finds them. On a mistake the features are added to the
    weights of the right tags, and subtracted from those of the predicted ones.

    Examples
    --------
    >>> from thresher import SequencePerceptron
    >>> sentences = [["the", "can", "rusts"], ["I", "can", "see"], ["the", "see"]]
    >>> tags = [["DET", "NOUN", "VERB"], ["PRON", "AUX", "VERB"], ["DET", "NOUN"]]
    >>> X = [[{f"word={w}": 1, "bias": 1} for w in sentence] for sentence in sentences]
    >>> model = SequencePerceptron(max_epochs=10).fit(X, tags)
    >>> model.predict_one(X[1]), model.converged_
    (['PRON', 'AUX', 'VERB'], True)
    """

    without_files = "learns from sequences in Python and not from files"
    learned = ("_known", "epochs_", "converged_")

    average: bool = flag(
        default=True, doc="predict with the mean of the weights after each sequence."
    )
    max_epochs: int = but(
        default=5, none=False, doc="passes of ``fit``; it ends earlier if one has no mistake."
    )
    shuffle: bool = but(
        default=False, doc="take the sequences in a new random order in each epoch of ``fit``."
    )

    # -- learning

    def fit(self, X: Iterable[Any], y: Iterable[Tags]) -> Self:
        """Learn from scratch. X holds sequences: lists of examples, each a dict, a list or a set of
        names; y a list of tags for each."""
        self.checked()
        pairs = paired(X, y)
        fresh = self._begun()
        generator = generator_from(self.random_state) if self.shuffle else None
        for epoch in range(1, self.max_epochs + 1):
            before = fresh.mistakes_
            order = generator.permutation(len(pairs)) if generator else range(len(pairs))
            for i in order:
                fresh._learn(*pairs[i], i)
            fresh.epochs_ = epoch
            fresh.converged_ = fresh.mistakes_ == before
            if fresh.converged_:
                break
        self._take(fresh)
        return self

    def partial_fit(self, X: Iterable[Any], y: Iterable[Tags]) -> Self:
        """Continue learning: one pass over these sequences. Those before a bad one stay learned."""
        for i, (sequence, tags) in enumerate(paired(X, y)):
            self._learn_one(sequence, tags, i)
        return self

    def learn_one(self, sequence: Any, tags: Tags) -> None:
        """Learn from one sequence and its tags."""
        self._learn_one(sequence, tags)

    def _learn_one(self, sequence: Any, tags: Tags, number: int | None = None) -> None:
        with turn_of(self):
            if self._has_learned():
                self._learn(sequence, tags, number)
                return
            fresh = self._begun()
            fresh._learn(sequence, tags, number)
            self._take(fresh)

    def _learn(self, sequence: Any, tags: Tags, number: int | None) -> None:
        model, known = self._learned()
        labels = known.copy()
        try:
            if isinstance(tags, str) or tags is None:
                raise InvalidInput(f"found {tags!r} as tags", expected="a list of them")
            labels.add(tags)
            codes = [labels.codes[tag] for tag in tags]
            new = len(labels.values) - len(known.values)
            if new:
                model = self._with_tags(model, new)
            model.learn(sequence, codes)
        except InvalidInput as error:
            error.where.sequence = number
            raise
        self._known = model, labels

    def _with_tags(self, before: Sequences, new: int) -> Sequences:
        """A copy with the new tags added: if the sequence is refused, it is dropped."""
        model = Sequences(bool(self.average))
        model.set_state(before.state())
        for _ in range(new):
            model.add_tag()
        return model

    def _begun(self) -> Self:
        """The same options, ready to learn."""
        fresh = self.fresh()
        fresh._known = Sequences(bool(self.average)), Labels()
        fresh.epochs_, fresh.converged_ = 0, False
        return fresh

    def set_params(self, **params: Any) -> Self:
        if self._has_learned() and bool(params.get("average", self.average)) != self.average:
            raise InvalidInput("average cannot change once learning has begun; start over.")
        return super().set_params(**params)

    # -- prediction

    def predict_one(self, sequence: Any) -> list[Any]:
        """The tags of one sequence."""
        model, labels = self._learned()
        if not labels.values and list(sequence):
            raise InvalidInput("no tags are known: only empty sequences were learned from.")
        return [labels.values[code] for code in model.predict(sequence)]

    def predict(self, X: Iterable[Any]) -> list[list[Any]]:
        """The tags of each sequence."""
        return [self.predict_one(sequence) for sequence in X]

    def score(self, X: Iterable[Any], y: Iterable[Tags]) -> float:
        """The share of positions whose tag is right."""
        right = total = 0
        for sequence, tags in paired(X, y):
            found = self.predict_one(sequence)
            if len(found) != len(tags):
                raise InvalidInput(
                    f"{len(found)} positions have {len(tags)} tags; expected a tag for each."
                )
            right += sum(a == b for a, b in zip(found, tags, strict=True))
            total += len(found)
        return right / total if total else float("nan")

    # -- what was learned

    def _learned(self) -> tuple[Sequences, Labels]:
        if self._known is None:
            raise self._not_learned("sequence")
        return self._known

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The tags, sorted."""
        return np.array(sorted(self._learned()[1].values))

    @property
    def examples_(self) -> int:
        """Sequences learned from."""
        return self._learned()[0].counters()["sequences"]

    @property
    def tokens_(self) -> int:
        """Positions learned from."""
        return self._learned()[0].counters()["tokens"]

    @property
    def mistakes_(self) -> int:
        """Sequences that were predicted with a wrong tag: each moved the weights."""
        return self._learned()[0].counters()["mistakes"]

    updates_ = mistakes_

    @property
    def token_mistakes_(self) -> int:
        """Wrong tags predicted before learning."""
        return self._learned()[0].counters()["token_mistakes"]

    @property
    def transitions_(self) -> dict[tuple[Any, Any], float]:
        """The weight of each pair of neighbouring tags; None stands for the start."""
        model, labels = self._learned()
        values, weights = labels.values, model.pairs()
        return {
            (before, tag): float(weights[i, k])
            for i, before in enumerate([None, *values])
            for k, tag in enumerate(values)
        }

    # -- what `thresher inspect` says of a model without files

    task: ClassVar[str] = "classify"
    reading_: ClassVar[None] = None
    provenance_: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    @property
    def known_features(self) -> int:
        """How many features it knows."""
        return int(self._learned()[0].features)

    @property
    def names_bytes(self) -> int:
        """The memory of their names."""
        return sum(
            len(name.encode("utf-8", "surrogateescape")) for name in self._learned()[0].names()
        )

    def in_words(self) -> str:
        """What was learned, in one line."""
        core, labels = self._learned()
        return (
            f"weights of {core.features:,} features for {len(labels.values)} tags, and of "
            f"{len(self.transitions_):,} pairs of neighbouring tags"
        )

    def top_features(self, k: int = 10, label: Any = None) -> Any:
        """The k features with weights of largest magnitude of one tag, or of each in a dict."""
        model, labels = self._learned()
        values = labels.values
        if label is None:
            return {tag: self.top_features(k, tag) for tag in sorted(values)}
        if label not in values:
            raise InvalidInput(f"tag {label!r} is not one of those learned: {values!r}.")
        weights, names = model.words()[:, values.index(label)], model.names()
        best = np.argsort(-np.abs(weights), kind="stable")[:k]
        return [(names[i], float(weights[i])) for i in best if weights[i] != 0]

    # -- copies and files

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a copy learns independently

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "_known" in state:
            model, labels = state["_known"]
            state["_known"] = model.state(), labels
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name != "_known"})
        if "_known" in state:
            stored, labels = state["_known"]
            model = Sequences(bool(self.average))
            model.set_state(stored)
            self._known = model, labels

    def _has_learned(self) -> bool:
        return self._known is not None

    def _pack(self) -> tuple[dict[str, Any], dict[str, Any]]:
        model, labels = self._learned()
        state = model.state()
        arrays = {f"state.{name}": np.frombuffer(cells) for name, cells in state["arrays"].items()}
        arrays["names"] = np.frombuffer(state["names"], np.uint8)
        arrays["name_ends"] = np.frombuffer(state["name_ends"], np.uint64)
        facts = {
            "tags": labels.values,
            "counts": state["counts"],
            "reals": {name: value.hex() for name, value in state["reals"].items()},
            "epochs": self.epochs_,
            "converged": self.converged_,
        }
        return arrays, facts

    def _unpack(self, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
        labels = Labels(facts["tags"])
        counts, reals = facts["counts"], facts["reals"]
        if any(type(c) is not int or not 0 <= c < 2**63 for c in counts.values()):
            raise ModelFileError("the counts are not counts.")
        model = Sequences(bool(self.average))
        model.set_state(
            {
                "arrays": {
                    name.removeprefix("state."): cells.tobytes()
                    for name, cells in arrays.items()
                    if name.startswith("state.")
                },
                "counts": counts,
                "reals": {name: float.fromhex(text) for name, text in reals.items()},
                "names": arrays["names"].tobytes(),
                "name_ends": arrays["name_ends"].tobytes(),
            }
        )
        if model.tags != len(labels.values) or len(labels.values) != len(facts["tags"]):
            raise ModelFileError("the tags do not fit the weights.")
        self._known = model, labels
        self.epochs_, self.converged_ = int(facts["epochs"]), bool(facts["converged"])


def paired(X: Iterable[Any], y: Iterable[Tags]) -> list[tuple[Any, Tags]]:
    if X is None or y is None:
        raise InvalidInput("found None; expected a list of sequences and a list of tags for each.")
    sequences, tags = list(X), list(y)
    if len(sequences) != len(tags):
        raise InvalidInput(
            f"{len(sequences)} sequences and {len(tags)} lists of tags; expected one for each."
        )
    return list(zip(sequences, tags, strict=True))
