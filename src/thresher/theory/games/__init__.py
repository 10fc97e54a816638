"""Games between a learner and an adversary, or nature, with the target concept."""

from thresher.theory.games.adversaries import Chain, Disjunctions, Xor
from thresher.theory.games.drift import BuriedTarget, MovingTarget, TurningPlane
from thresher.theory.games.game import Game
from thresher.theory.games.nature import Nature
from thresher.theory.games.partial import Asked, HiddenLabels, SettledLabels
from thresher.theory.games.play import Result, play
from thresher.theory.games.targets import Assigned, AtLeast, Linear, Parity, Target

__all__ = [
    "Asked",
    "Assigned",
    "AtLeast",
    "BuriedTarget",
    "Chain",
    "Disjunctions",
    "Game",
    "HiddenLabels",
    "Linear",
    "MovingTarget",
    "Nature",
    "Parity",
    "Result",
    "SettledLabels",
    "Target",
    "TurningPlane",
    "Xor",
    "play",
]
