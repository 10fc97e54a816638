"""Three ways to learn a hidden monotone conjunction, and what each of them costs.

I    the learner asks: the value of any input it likes (membership queries). n questions, exactly.
II   a teacher who knows the concept gives good examples. k + 1 of them, for k variables.
III  nature gives random, labelled examples. No number of them gives certainty; mistakes are few.

>>> hidden = conjunction([2, 3, 4, 5, 100], n=100)
>>> MembershipQueries(hidden).run().count, Teaching(hidden).run().count
(100, 6)
>>> print(MembershipQueries(hidden).run().concept)
x2 ∧ x3 ∧ x4 ∧ x5 ∧ x100
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from thresher.concepts.concept import AtLeast, Concept
from thresher.errors import InvalidInput
from thresher.lazy import np, npt
from thresher.learners.base.online import generator_from
from thresher.learners.boolean.elimination import Elimination
from thresher.ltu import check_literals, check_variables
from thresher.options import finite, whole


@dataclass(frozen=True)
class Outcome:
    """What a protocol cost, and what was learned by it."""

    protocol: str
    count: int
    """Questions asked (I), or examples given (II, III)."""
    concept: Concept | None
    """What was learned; None if the hypothesis is not a single concept."""
    exact: bool | None
    """Whether it is the hidden concept; None if that is a function known only by its values."""
    mistakes: int | None = None
    """Examples that were predicted wrong (III)."""
    learner: Any = None
    """The learner itself (III)."""


def conjunction(variables: Iterable[int], n: int) -> AtLeast:
    """The monotone conjunction of these variables, to be hidden.

    >>> print(conjunction([5, 2], n=9))
    x2 ∧ x5
    """
    literals = check_literals(variables, n)
    if any(v < 0 for v in literals):
        raise InvalidInput(
            f"literal {min(literals)} is negated; expected variables: these protocols are for "
            "monotone conjunctions."
        )
    return AtLeast(n, tuple(sorted(literals)), len(literals), "and")


class Oracle:
    """Answers what the value of an input is, and counts the questions.

    >>> oracle = Oracle(conjunction([1], n=2))
    >>> oracle([1, 0]), oracle([0, 1]), oracle.questions
    (True, False, 2)
    """

    def __init__(self, target: Callable[[Any], Any]) -> None:
        self.target = target
        self.questions = 0

    def __call__(self, x: Any) -> bool:
        self.questions += 1
        return bool(self.target(x))


class MembershipQueries:
    """Protocol I: for each variable, ask for the input in which only that one is 0.

    If that is negative the variable is needed. n questions, whatever the conjunction, and it is
    learned exactly. `target` is a concept, or any function of x with `n` variables.

    >>> MembershipQueries(lambda x: x[0] and x[2], n=4).run().concept.text()
    'x1 ∧ x3'
    """

    def __init__(self, target: Callable[[Any], Any], n: int | None = None) -> None:
        if n is None:
            n = getattr(target, "n", None)
            if n is None:
                raise InvalidInput("n is not given; expected the number of variables.")
        self.n = check_variables(n)
        self.oracle = Oracle(target)

    def run(self) -> Outcome:
        """Ask, and learn."""
        before = self.oracle.questions
        needed = [i + 1 for i in range(self.n) if not self.oracle(self.query(i))]
        learned = conjunction(needed, self.n)
        target = self.oracle.target
        exact = learned == target if isinstance(target, Concept) else None
        return Outcome("I", self.oracle.questions - before, learned, exact)

    def query(self, i: int) -> npt.NDArray[np.uint8]:
        """The input in which only x_{i+1} is 0."""
        x = np.ones(self.n, np.uint8)
        x[i] = 0
        return x


class Teaching:
    """Protocol II: the teacher shows what is needed, and that all of it is.

    The first example has the relevant variables 1 and all others 0: it is positive, so no other
    variable is needed. Each of the next k has one of them turned off: it is negative, so that one
    is. After these k + 1 examples one conjunction is left. No fewer would do if k < n. If k = n the
    first one says nothing new, as every monotone conjunction is true where all variables are 1.

    >>> for x, y in Teaching(conjunction([1, 3], n=3)).examples():
    ...     print(x, y)
    [1 0 1] True
    [0 0 1] False
    [1 0 0] False
    """

    def __init__(self, target: AtLeast) -> None:
        if not isinstance(target, AtLeast) or target.m != len(target.literals):
            raise InvalidInput(f"target is {target!r}; expected a conjunction: a teacher knows it.")
        self.target = conjunction(target.literals, target.n)

    def examples(self) -> Iterator[tuple[npt.NDArray[np.uint8], bool]]:
        """What the teacher shows, in order."""
        relevant = [v - 1 for v in self.target.literals]
        x = np.zeros(self.target.n, np.uint8)
        x[relevant] = 1
        yield x, True
        for i in relevant:
            off = x.copy()
            off[i] = 0
            yield off, False

    def run(self) -> Outcome:
        """Teach a learner until one conjunction is left."""
        pupil = Pupil(self.target.n)
        count = 0
        for x, y in self.examples():
            pupil.learn(x, y)
            count += 1
        if not pupil.certain:
            raise AssertionError("the teacher's examples leave a doubt")
        return Outcome("II", count, pupil.concept, exact=pupil.concept == self.target)


class Pupil:
    """The learner of protocol II: what may be needed, what must be, and when these are the same.

    >>> pupil = Pupil(3)
    >>> pupil.learn([1, 0, 1], True)
    >>> pupil.concept.text(), pupil.certain
    ('x1 ∧ x3', False)
    """

    def __init__(self, n: int) -> None:
        self.n = check_variables(n)
        self.possible = set(range(self.n))
        self.needed: set[int] = set()

    def learn(self, x: Any, y: bool) -> None:
        """A positive example rules out what is 0; a negative one proves what it lacks necessary."""
        off = {i for i in self.possible if not x[i]}
        if y:
            self.possible -= off
        elif len(off) == 1:  # a negative example proves most when only one candidate is missing
            self.needed |= off

    @property
    def certain(self) -> bool:
        return self.possible == self.needed

    @property
    def concept(self) -> AtLeast:
        return conjunction([i + 1 for i in self.possible], self.n)


class RandomExamples:
    """Protocol III: nature draws inputs, the hidden concept labels them, a learner predicts each.

    Every variable is 1 with probability `density`. The learner is `Elimination` unless you give
    another with `learn_one` and `mistakes_`.

    >>> outcome = RandomExamples(conjunction([2, 3], n=20), random_state=0).run(200)
    >>> outcome.count, outcome.mistakes <= 20, outcome.concept.text()
    (200, True, 'x2 ∧ x3')
    """

    def __init__(
        self, target: Concept, learner: Any = None, density: float = 0.5, random_state: Any = None
    ) -> None:
        if not isinstance(target, Concept):
            raise InvalidInput(
                f"target is {target!r}; expected a concept, such as conjunctions(10).concept(5)."
            )
        self.target = target
        self.learner = Elimination() if learner is None else learner
        self.density = finite("density", density, least=0.0)
        if self.density > 1:
            raise InvalidInput(f"density is {density!r}; expected a probability from 0 to 1.")
        self._generator = generator_from(random_state)

    def examples(self) -> Iterator[tuple[npt.NDArray[np.uint8], bool]]:
        """Without end."""
        while True:
            x = (self._generator.random(self.target.n) < self.density).astype(np.uint8)
            yield x, self.target(x)

    def run(self, examples: int = 1000, survive: int | None = None) -> Outcome:
        """`examples` examples; or fewer, if `survive` of them in a row were predicted right."""
        whole("examples", examples, 1)
        if survive is not None:
            whole("survive", survive, 1)
        count = mistakes = row = 0
        for x, y in self.examples():
            before = getattr(self.learner, "mistakes_", 0)
            self.learner.learn_one(x, y)
            wrong = self.learner.mistakes_ > before
            count, mistakes, row = count + 1, mistakes + wrong, 0 if wrong else row + 1
            if count == examples or row == survive:
                break
        learned = self._learned()
        exact = learned is not None and learned == self.target
        return Outcome("III", count, learned, exact, mistakes, self.learner)

    def _learned(self) -> Concept | None:
        if isinstance(self.learner, Elimination):
            literals = tuple(self.learner.literals_)
            return (
                AtLeast(self.target.n, literals, len(literals), "and")
                if self.learner.concept == "conjunction"
                else AtLeast(self.target.n, literals, 1, "or")
            )
        single = getattr(self.learner, "_single", None)
        return None if single is None else single()
