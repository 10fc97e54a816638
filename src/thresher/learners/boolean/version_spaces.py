"""Learners that hold all concepts of a class: CON, Halving, SOA, and Weighted Majority."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher._core import Tally
from thresher.concepts import Concept, ConceptClass, VersionSpace, littlestone_dimension
from thresher.concepts.classes import class_from
from thresher.concepts.concept import row_number
from thresher.concepts.optimal import alive, small_class
from thresher.concepts.version_space import check_class, core_of, refuse_too_many
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.online import generator_from
from thresher.learners.boolean.learner import BooleanLearner, Positive
from thresher.options import REQUIRED, Declared, real, special

if TYPE_CHECKING:
    from thresher.ltu import ThresholdUnit

MOST_COUNTED = 2**28  # a gigabyte of counts


class GivenConcepts(Declared):
    concepts: ConceptClass = special(
        default=REQUIRED,
        check=check_class,
        parse=class_from,
        typed="a class such as conjunctions(10) or m_of_n(10, 3)",
        doc="a class of `thresher.concepts`.",
    )


class OfConcepts(BooleanLearner):
    """A learner of a class that it holds concept by concept."""

    settled = ("concepts", "positive")
    learned = (*BooleanLearner.learned, "_space", "_seed", "_tally")

    concepts: ConceptClass

    def _start(self, n: int | None) -> None:
        self.checked()
        if n is not None and n != self.concepts.n:
            raise InvalidInput(
                f"X has {n} features, but the concepts are of {self.concepts.n} variables, x1 … "
                f"x{self.concepts.n}; expected a column for each."
            )
        self._hold()

    def _hold(self) -> None:
        """All concepts, before anything is known."""
        raise NotImplementedError

    def _variables_of(self, x: Any) -> int:
        check_class(self.concepts)
        return self.concepts.n

    def _single(self) -> Concept | None:
        """The single concept that predicts, if there is one."""
        raise NotImplementedError

    @property
    def threshold_unit_(self) -> ThresholdUnit | None:
        """The hypothesis as a threshold unit; None if it is not one: see `no_unit_because_`."""
        self._learned()
        single = self._single()
        return None if single is None else single.threshold_unit()

    def _why_no_unit(self) -> str:
        single = self._single()
        return f"it is {self.hypothesis_}" if single is None else single.why_no_unit

    @property
    def version_space_size_(self) -> int:
        """How many concepts agree with all examples so far."""
        raise NotImplementedError


class _VersionSpaceLearner(OfConcepts):
    _space: VersionSpace

    def _hold(self) -> None:
        self._space = VersionSpace(self.concepts)

    def _told(self, x: Any, value: bool) -> bool | None:
        before = self._space.size
        left = self._space.keep(x, value)
        return None if left == 0 else left < before

    def _join(self, other: Self, base: Self | None) -> None:
        """What is left in both."""
        left = self._space._core.alive() & other._space._core.alive()
        if not left.any():
            raise InvalidInput(
                "no concept of the class agrees with the examples of all models; check their "
                "labels, take a larger class, or use WeightedMajority."
            )
        self._space._core.set_alive(left)

    def _contradiction(self, value: bool) -> str:
        size = self._space.size
        left = f"all {size} concepts left give" if size > 1 else "the one concept left gives"
        return f"{left} it the other label"

    @property
    def version_space_size_(self) -> int:
        """How many concepts agree with all examples so far."""
        self._learned()
        return self._space.size

    def _text(self, concept: Concept) -> str:
        return concept.text(self._variable_names())

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        arrays, facts = super()._pack()
        return arrays | {"alive": self._space._core.alive()}, facts

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        super()._unpack(arrays, facts)
        self._space._core.set_alive(arrays["alive"])


class Consistent(GivenConcepts, Positive, _VersionSpaceLearner):
    """CON: predict with a random concept of those that agree with all examples so far.

    A mistake rules out at least the concept that made it: there are at most |C| − 1.

    Examples
    --------
    >>> from thresher import Consistent, concepts
    >>> model = Consistent(concepts.parities(2), random_state=1)
    >>> model.fit([[1, 0], [0, 1]], [1, 1]).hypothesis_
    'x1 ⊕ x2'
    """

    random_state: Any = special(
        default=None,
        check=lambda seed: seed,
        doc="seed of the choice: None, a whole number, or a NumPy generator.",
    )

    def _hold(self) -> None:
        super()._hold()
        self._seed = int(generator_from(self.random_state).integers(2**63))

    def _single(self) -> Concept:
        """Redrawn at each stage, from the seed and the number of examples: so a model that was
        saved and loaded continues as it would have."""
        draw = np.random.default_rng([self._seed, self._counts["examples"]])
        return self._space.concept(int(draw.integers(self._space.size)))

    def _says(self, x: Any) -> bool:
        return self._single()._value(x)

    @property
    def hypothesis_(self) -> str:
        """The concept that predicts the next example."""
        self._learned()
        return self._text(self._single())

    @property
    def bound_(self) -> float:
        """|C| − 1 mistakes."""
        self._learned()
        return float(self.concepts.size - 1)

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        arrays, facts = super()._pack()
        return arrays, facts | {"seed": self._seed}

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        super()._unpack(arrays, facts)
        if type(facts["seed"]) is not int or not 0 <= facts["seed"] < 2**63:
            raise InvalidInput("the seed is not a seed.")
        self._seed = facts["seed"]


class _Vote(_VersionSpaceLearner):
    """A learner that predicts with all concepts that are left."""

    how: ClassVar[str]
    """What decides between them, in words."""

    def _single(self) -> Concept | None:
        return self._space.concept(0) if self._space.size == 1 else None

    @property
    def hypothesis_(self) -> str:
        """The concept if one is left, or how many decide."""
        self._learned()
        single = self._single()
        return (
            f"{self.how} of {self._space.size} concepts" if single is None else self._text(single)
        )


class Halving(GivenConcepts, Positive, _Vote):
    """Predict with the majority of the concepts that agree with all examples so far.

    Each mistake rules out at least half of them: there are at most log2 |C|. A tie means false.

    Examples
    --------
    >>> from thresher import Halving, concepts
    >>> model = Halving(concepts.conjunctions(100, k=2))
    >>> for on in ({"x3", "x7", "x8"}, {"x3", "x8", "x90"}):
    ...     model.learn_one(on, True)
    >>> model.version_space_size_, model.mistakes_, round(model.bound_, 1)
    (4753, 1, 14.3)
    """

    how = "the majority"

    def _says(self, x: Any) -> bool:
        zero, one = self._space.votes(x)
        return one > zero

    @property
    def bound_(self) -> float:
        """log2 |C| mistakes."""
        self._learned()
        return math.log2(self.concepts.size)


class StandardOptimal(GivenConcepts, Positive, _Vote):
    """SOA, the standard optimal algorithm (Littlestone 1988): no learner promises fewer mistakes.

    Of the two labels it predicts the one whose concepts, of those that agree with all examples so
    far, have the larger Littlestone dimension (a tie means false). If both dimensions were equal to
    that of the whole, it would be one larger; so each mistake lowers it, and it bounds the
    mistakes.
    Halving counts the concepts on each side, SOA measures how hard they are to tell apart.

    Small classes only (`thresher.concepts.littlestone_dimension` says how small).

    Examples
    --------
    >>> from thresher import StandardOptimal, concepts
    >>> singletons = concepts.truth_tables([[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    >>> model = StandardOptimal(singletons).fit([[1, 1], [1, 0], [0, 0]], [0, 0, 1])
    >>> model.mistakes_, model.bound_  # Halving promises log2 4
    (1, 1.0)
    """

    how = "the larger dimension"

    def _hold(self) -> None:
        littlestone_dimension(self.concepts)  # refuses a class that is too large
        super()._hold()

    def _says(self, x: Any) -> bool:
        small, left = small_class(self.concepts), alive(self._space)
        true = small.inputs[row_number(x)]
        return small.dimension(left & true) > small.dimension(left & ~true)

    @property
    def bound_(self) -> float:
        """The Littlestone dimension of the class."""
        self._learned()
        return float(littlestone_dimension(self.concepts))


class WeightedMajority(GivenConcepts, Positive, OfConcepts):
    """Halving that tolerates wrong labels: a concept that is wrong loses weight, but stays.

    Every concept begins with weight 1 and is multiplied by β at each of its mistakes; what has
    more than half of the weight wins (a tie means false). With m mistakes of the best concept,
    there are at most (m·ln(1/β) + ln |C|) / ln(2/(1 + β)) (Littlestone & Warmuth 1994).

    Examples
    --------
    >>> from thresher import WeightedMajority, concepts
    >>> X, y = [[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]], [1, 0, 1, 0, 0]  # x1, one label wrong
    >>> model = WeightedMajority(concepts.conjunctions(2)).fit(X, y)
    >>> model.hypothesis_
    'the weighted majority of 9 concepts; the best so far: x1, with 1 mistake'
    """

    beta: float = real(
        default=0.5,
        above=0.0,
        below=1.0,
        doc="β: what the weight of a concept is multiplied by when it is wrong.",
    )

    def _hold(self) -> None:
        refuse_too_many(self.concepts, MOST_COUNTED, "four bytes")
        self._tally = core_of(Tally, self.concepts)

    def _says(self, x: Any) -> bool:
        votes = self._tally.votes(self.concepts._column(x)).reshape(-1, 2)[self._tally.lowest :]
        return heavier([one - zero for zero, one in votes.tolist()], float(self.beta))

    def _told(self, x: Any, value: bool) -> bool:
        return bool(self._tally.learn(self.concepts._column(x), value))

    def _join(self, other: Self, base: Self | None) -> None:
        """The mistakes of both."""
        mistakes = self._tally.mistakes() + other._tally.mistakes()
        self._tally.set_mistakes(mistakes if base is None else mistakes - base._tally.mistakes())

    def _single(self) -> None:
        return None

    @property
    def best_mistakes_(self) -> int:
        """m: the number of mistakes of the best concept."""
        self._learned()
        return int(self._tally.lowest)

    @property
    def version_space_size_(self) -> int:
        """How many concepts agree with all examples so far; 0 when labels are wrong."""
        self._learned()
        return int((self._mistakes() == 0).sum())

    def _mistakes(self) -> npt.NDArray[np.uint32]:
        """For each concept; places without one are left out."""
        size, counts = self._tally.size, self._tally.mistakes()
        if size == len(counts):
            return np.asarray(counts)
        valid = VersionSpace(self.concepts)._core.alive().astype("<u8").view(np.uint8)
        held = np.unpackbits(valid, bitorder="little")[: len(counts)].astype(bool)
        return np.asarray(counts[held])

    @property
    def hypothesis_(self) -> str:
        """The number of concepts, and the best of them."""
        self._learned()
        best = self.concepts._at(self._tally.best).text(self._variable_names())
        m = self.best_mistakes_
        return (
            f"the weighted majority of {self._tally.size} concepts; the best so far: {best}, with "
            f"{m} mistake{'' if m == 1 else 's'}"
        )

    @property
    def bound_(self) -> float:
        """(m·ln(1/β) + ln |C|) / ln(2/(1 + β)) mistakes, for the m that the best concept made."""
        m, beta = self.best_mistakes_, float(self.beta)
        return (m * -math.log(beta) + math.log(self.concepts.size)) / math.log(2 / (1 + beta))

    def _contradiction(self, value: bool) -> str:
        raise AssertionError("no example contradicts a weighted majority")

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if "_tally" in state:
            state["_tally"] = self._tally.mistakes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_tally" in state:
            self._hold()
            self._tally.set_mistakes(state["_tally"])

    def _pack(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        arrays, facts = super()._pack()
        return arrays | {"mistakes": self._tally.mistakes().astype(np.uint64)}, facts

    def _unpack(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        super()._unpack(arrays, facts)
        counts = arrays["mistakes"]
        if len(counts) and counts.max() > self._counts["examples"]:
            raise InvalidInput("a concept has made more mistakes than there were examples.")
        self._tally.set_mistakes(counts.astype(np.uint32))


def heavier(surplus: list[int], beta: float) -> bool:
    """Whether Σ surplus[j]·β^j > 0: exactly, even where doubles cannot decide.

    >>> heavier([1, -2], 0.5), heavier([1, -2, 1], 0.5)
    (False, True)
    """
    total, size, power = 0.0, 0.0, 1.0
    for count in surplus:
        total += count * power
        size += abs(count) * power
        power *= beta
    if abs(total) > 1e-9 * size:
        return total > 0
    exact, factor = Fraction(0), Fraction(beta)
    for count in reversed(surplus):
        exact = exact * factor + count
    return exact > 0
