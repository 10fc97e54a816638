"""The theory of online learning as code that runs: bounds, separability, representation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# The module of each name; imported at first use, so that nothing is loaded needlessly.
_HOMES = {
    "Audit": "audit",
    "Certificate": "certificate",
    "Descent": "objective",
    "FeatureUnit": "representation",
    "FewestMistakes": "fewest",
    "Guarantee": "online_to_batch",
    "Inseparable": "separation",
    "MarginDistribution": "geometry",
    "Objective": "objective",
    "NovikoffProof": "proof",
    "Plane": "geometry",
    "Repair": "fewest",
    "Representation": "representation",
    "Separable": "separation",
    "SmallestConjunction": "smallest",
    "SquaredError": "objective",
    "Survivor": "online_to_batch",
    "Verdict": "certificate",
    "WinnowProof": "proof",
    "WorstOrder": "worst_order",
    "audit": "",
    "boundary_segment": "geometry",
    "bounds": "",
    "conjunction_features": "representation",
    "descend": "objective",
    "fewest_mistakes": "fewest",
    "games": "",
    "is_threshold_function": "representation",
    "longest_survivor": "online_to_batch",
    "margin_distribution": "geometry",
    "novikoff_proof": "proof",
    "plane": "geometry",
    "protocols": "",
    "repair": "fewest",
    "run_length": "online_to_batch",
    "separability": "separation",
    "signed_distances": "geometry",
    "smallest_conjunction": "smallest",
    "threshold_degree": "representation",
    "verify": "certificate",
    "winnow_proof": "proof",
    "worst_order": "worst_order",
}

__all__ = [
    "Audit",
    "Certificate",
    "Descent",
    "FeatureUnit",
    "FewestMistakes",
    "Guarantee",
    "Inseparable",
    "MarginDistribution",
    "NovikoffProof",
    "Objective",
    "Plane",
    "Repair",
    "Representation",
    "Separable",
    "SmallestConjunction",
    "SquaredError",
    "Survivor",
    "Verdict",
    "WinnowProof",
    "WorstOrder",
    "audit",
    "boundary_segment",
    "bounds",
    "conjunction_features",
    "descend",
    "fewest_mistakes",
    "games",
    "is_threshold_function",
    "longest_survivor",
    "margin_distribution",
    "novikoff_proof",
    "plane",
    "protocols",
    "repair",
    "run_length",
    "separability",
    "signed_distances",
    "smallest_conjunction",
    "threshold_degree",
    "verify",
    "winnow_proof",
    "worst_order",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher.theory' has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(f"thresher.theory.{home or name}")
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from thresher.theory import audit, bounds, games, protocols
    from thresher.theory.audit import Audit
    from thresher.theory.certificate import Certificate, Verdict, verify
    from thresher.theory.fewest import FewestMistakes, Repair, fewest_mistakes, repair
    from thresher.theory.geometry import (
        MarginDistribution,
        Plane,
        boundary_segment,
        margin_distribution,
        plane,
        signed_distances,
    )
    from thresher.theory.objective import Descent, Objective, SquaredError, descend
    from thresher.theory.online_to_batch import Guarantee, Survivor, longest_survivor, run_length
    from thresher.theory.proof import NovikoffProof, WinnowProof, novikoff_proof, winnow_proof
    from thresher.theory.representation import (
        FeatureUnit,
        Representation,
        conjunction_features,
        is_threshold_function,
        threshold_degree,
    )
    from thresher.theory.separation import Inseparable, Separable, separability
    from thresher.theory.smallest import SmallestConjunction, smallest_conjunction
    from thresher.theory.worst_order import WorstOrder, worst_order
