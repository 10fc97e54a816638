"""Steps that do not depend on the units of the columns (Ross, Mineiro and Langford 2013: NAG)."""

import math

from .average import Trajectory
from .geometry import Additive, Hypothesis
from .vectors import BIAS, Vector, Weights


class ScaleFree(Additive):
    """Normalised adaptive gradients: each weight has a rate of its own.

        s_i  the largest |x_i| so far,   N  the sum of all (x_i/s_i)² so far,   t  the examples
        w_i += η·√(t/N)·g_i/(s_i·√Σg_i²),   g_i = amount·x_i, counted in the sum

    When s_i grows, w_i shrinks by that factor, before the prediction: so v_i = s_i·w_i stays, and
    it is what a hypothesis holds, besides Σg² of each weight. A value beyond s_i counts as s_i. The
    constant feature is not scaled. With `lands`, the amount is a residual times the weight of the
    example, and no step goes beyond the target.

    Multiplying a column by any number from the start changes no prediction.

    >>> for unit in 1.0, 1024.0:
    ...     geometry = ScaleFree(bias=0.0)
    ...     h = geometry.start()
    ...     for value in 2.0, -3.0:
    ...         geometry.see({"a": value * unit})
    ...         _ = geometry.move(h, 0.5, {"a": value * unit}, gain=1.0)
    ...     print(round(geometry.score(h, {"a": unit}), 6))
    0.055983
    0.055983
    """

    def __init__(self, bias: float = 1.0, *, lands: bool = False) -> None:
        super().__init__(bias, split=0.5)
        self.lands = lands
        self.scales = Weights(0.0)
        self.norms, self.t = 0.0, 0

    def start(self) -> Hypothesis:
        return [Weights(0.0), Weights(0.0)]

    def see(self, x: Vector) -> None:
        super().see(x)
        for name, value in x.items():
            if name != BIAS:
                self.scales[name] = max(self.scales[name], abs(value))
        self.norms += self.sqnorm([], x)
        self.t += 1

    def scaled(self, name: str, value: float) -> float:
        """x_i/s_i."""
        return value if name == BIAS else value / max(self.scales[name], abs(value))

    def sqnorm(self, h: Hypothesis, x: Vector) -> float:
        total = 0.0
        for name, value in x.items():
            if value:
                total += self.scaled(name, value) ** 2
        return total

    def score(self, h: Hypothesis, x: Vector) -> float:
        total = 0.0
        for name, value in x.items():
            if value:
                total += h[0][name] * self.scaled(name, value)
        return total

    def move(self, h: Hypothesis, amount: float, x: Vector, gain: float = 0.0) -> int:
        return self.move_to(h, amount, x, gain, abs(amount))

    def move_to(self, h: Hypothesis, amount: float, x: Vector, gain: float, left: float) -> int:
        """`left` is how far the score may move where steps land."""
        v, past = h
        rate = gain * math.sqrt(self.t / self.norms) if self.norms else 0.0
        deltas, reached = Weights(0.0), 0.0
        for name, value in x.items():
            g = amount * value
            past[name] += g * g
            if past[name] > 0.0:
                deltas[name] = rate * (g / math.sqrt(past[name]))
                reached += deltas[name] * self.scaled(name, value)
        part = left / abs(reached) if self.lands and abs(reached) > left else 1.0
        for name, delta in deltas.items():
            v[name] += delta * part
        return 0

    def split(self, trajectory: Trajectory) -> tuple[Trajectory, Trajectory]:
        """±v/2; the prototypes keep the gradients of their common vector."""
        parts = super().split(trajectory)
        for part in parts:
            part.now[1] = trajectory.now[1].scaled(1.0)
        return parts

    def weights(self, h: Hypothesis, theta: float) -> Vector:
        shown = super().weights(h, theta)
        return {
            name: w if name == BIAS else w / self.scales[name] if self.scales[name] else 0.0
            for name, w in shown.items()
        }
