"""A step of a learner explained: in words, in equations with the engine's own numbers, as Python.

This is the only place that states what a step did. A view watches a step (`watch`) and shows its
explanation; `tests/lab/test_equations.py` evaluates every equation.
"""

from thresher.lab.steps.telling import equations, python, words
from thresher.lab.steps.watched import Watched, constant_of, watch

__all__ = ["Watched", "constant_of", "equations", "python", "watch", "words"]
