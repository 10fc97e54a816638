"""Classes of boolean concepts: their members, their sizes, and which members fit the examples.

    >>> from thresher import concepts
    >>> C = concepts.conjunctions(3)
    >>> C.size
    27
    >>> space = C.version_space()
    >>> space.keep([1, 0, 1], True)  # how many fit a positive example
    8
    >>> print(space.concept(7))
    x1 ∧ ¬x2 ∧ x3

A concept has n variables x1 … xn and is true or false for each x in {0,1}^n. Sizes are exact
integers, computed, not counted. A version space holds one bit for each concept of a class.
"""

from thresher.concepts.classes import (
    ConceptClass,
    conjunctions,
    decision_lists,
    disjunctions,
    m_of_n,
    parities,
)
from thresher.concepts.concept import Concept
from thresher.concepts.listed import predicates, truth_tables
from thresher.concepts.optimal import littlestone_dimension, teaching_dimension
from thresher.concepts.version_space import VersionSpace

__all__ = [
    "Concept",
    "ConceptClass",
    "VersionSpace",
    "conjunctions",
    "decision_lists",
    "disjunctions",
    "littlestone_dimension",
    "m_of_n",
    "parities",
    "predicates",
    "teaching_dimension",
    "truth_tables",
]
