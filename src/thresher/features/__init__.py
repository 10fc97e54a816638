"""Features derived from features, and scaling, one row at a time.

Each class is a scikit-learn transformer for arrays, sparse matrices and tables (``fit``,
``partial_fit``, ``transform``) and takes single examples by name as River's do (``learn_one``,
``transform_one``). The steps are the native ones that a learner's ``prepare`` runs:

>>> from thresher.features import Conjunctions
>>> Conjunctions(2).transform_one({"a": 2.0, "b": 3.0})
{'a': 2.0, 'a*b': 6.0, 'b': 3.0}
"""

from thresher.features.maps import Conjunctions, Polynomial, RandomFourier
from thresher.features.named import Crosses, Hashing
from thresher.features.scales import Idf, MaxAbs, MinMax, Standard, UnitNorm

__all__ = [
    "Conjunctions",
    "Crosses",
    "Hashing",
    "Idf",
    "MaxAbs",
    "MinMax",
    "Polynomial",
    "RandomFourier",
    "Standard",
    "UnitNorm",
]
