"""Averaging, the direct way: add up every hypothesis, divide at the end.

The mean of the hypotheses, each weighted by the examples it survived, is the averaged perceptron
of Freund and Schapire (1999). A fast engine keeps a correction vector, so that a step costs
O(nonzeros). Here each step adds the whole hypothesis to a sum, O(n): what the engine must equal.
"""

from .vectors import Weights


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

    A trajectory that begins with clock > 0 has been constant for that long.
    """

    def __init__(self, start: list[Weights], clock: float = 0.0) -> None:
        self.now = start
        self.total = [w.scaled(clock) for w in start]
        self.clock = clock  # the sum of the weights of the examples counted

    def count(self, weight: float) -> None:
        """The hypothesis has survived (or was made by) an example of this weight."""
        self.clock += weight
        for total, w in zip(self.total, self.now, strict=True):
            for name in w:
                total[name] += weight * w[name]  # a new name: its past is the past of the unseen
            total.unseen += weight * w.unseen

    def hypothesis(self, averaged: bool) -> list[Weights]:
        """The mean of the trajectory, or its current point; the latter if nothing was counted."""
        if not averaged or self.clock == 0.0:
            return self.now
        return [total.divided(self.clock) for total in self.total]

    def scaled(self, factor: float) -> "Trajectory":
        """The same path, factor times as long."""
        path = Trajectory([w.scaled(factor) for w in self.now])
        path.total = [total.scaled(factor) for total in self.total]
        path.clock = self.clock
        return path

    def mirrored(self) -> "Trajectory":
        """The same path with the vectors of the hypothesis in reverse order."""
        path = self.scaled(1.0)
        path.now.reverse()
        path.total.reverse()
        return path
