"""Averaging, the direct way: add up every hypothesis, divide at the end.

The mean of the hypotheses, each weighted by the examples it survived, is the averaged perceptron
of Freund and Schapire (1999). Where the target moves, a mean that forgets follows it: that of the
later hypotheses only ("tail"), or one in which a hypothesis counts β times less for each example
since (a number β).

A fast engine keeps a correction vector, so that a step costs O(nonzeros). Here each step adds the
whole hypothesis to a sum, O(n), or keeps it: what the engine must equal.
"""

from .vectors import Weights

Mean = bool | str | float


class Trajectory:
    """A hypothesis (a list of weight vectors), and the sum of all its values so far.

    >>> w = Weights()
    >>> path = Trajectory([w])
    >>> w["a"] = 1.0
    >>> path.count(1.0)
    >>> w["a"] = 4.0
    >>> path.count(2.0)
    >>> path.hypothesis(averaged=False), path.hypothesis(averaged=True)
    ([{'a': 4.0}], [{'a': 3.0}])

    A trajectory of the same length as another one, `before`, has been constant for that long.
    """

    def __init__(
        self, start: list[Weights], average: Mean = True, before: "Trajectory | None" = None
    ) -> None:
        self.now, self.average = start, average
        self.fades = 1.0 if isinstance(average, bool | str) else average  # β
        self.clock: float = before.clock if before else 0.0  # the weights of the examples counted
        self.total = [w.scaled(self.clock) for w in start]
        # For the tail: each hypothesis, with the weight of its example.
        lasted = before.points if before else []
        self.points: list[tuple[float, list[Weights]]] = [
            (weight, [w.scaled(1.0) for w in start]) for weight, _ in lasted
        ]

    def count(self, weight: float) -> None:
        """The hypothesis has survived (or was made by) an example of this weight."""
        self.clock = self.fades * self.clock + weight
        if self.average == "tail":
            self.points.append((weight, [w.scaled(1.0) for w in self.now]))
            return
        for total, w in zip(self.total, self.now, strict=True):
            for name in {**total, **w}:  # a new name: its past is the past of the unseen
                total[name] = self.fades * total[name] + weight * w[name]
            total.unseen = self.fades * total.unseen + weight * w.unseen

    def hypothesis(self, averaged: Mean) -> list[Weights]:
        """The mean of the trajectory, or its current point; the latter if nothing was counted."""
        if not averaged or self.clock == 0.0:
            return self.now
        if self.average == "tail":
            return self.tail()
        return [total.divided(self.clock) for total in self.total]

    def tail(self) -> list[Weights]:
        """The mean of the later points: with 2^k ≤ n < 2^(k+1), all after the first 2^(k−1)."""
        n = len(self.points)
        later = Trajectory([Weights() for _ in self.now])
        for weight, point in self.points[(1 << n.bit_length() - 1) // 2 :]:
            later.now = point
            later.count(weight)
        return later.hypothesis(averaged=True)

    def scaled(self, factor: float) -> "Trajectory":
        """The same path, factor times as long."""
        path = Trajectory([w.scaled(factor) for w in self.now], self.average)
        path.total = [total.scaled(factor) for total in self.total]
        path.points = [(weight, [w.scaled(factor) for w in h]) for weight, h in self.points]
        path.clock = self.clock
        return path

    def mirrored(self) -> "Trajectory":
        """The same path with the vectors of the hypothesis in reverse order."""
        path = self.scaled(1.0)
        for vectors in (path.now, path.total, *(h for _, h in path.points)):
            vectors.reverse()
        return path
