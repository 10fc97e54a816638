"""A step of a learner, told: in words, in equations whose every number is the engine's, as Python.

This is the only place that states a step. A view watches one (`watch`) and shows what is told of
it; `tests/lab/test_equations.py` evaluates every line.
"""

from thresher.lab.steps.telling import equations, python, words
from thresher.lab.steps.watched import Watched, constant_of, watch

__all__ = ["Watched", "constant_of", "equations", "python", "watch", "words"]
