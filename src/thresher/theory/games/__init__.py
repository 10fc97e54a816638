"""Games between a learner and an adversary, or nature, with the target concept."""

from thresher.theory.games.adversaries import Chain, Disjunctions, Xor
from thresher.theory.games.drift import BuriedTarget, MovingTarget
from thresher.theory.games.game import Game
from thresher.theory.games.nature import Nature
from thresher.theory.games.play import Result, play
from thresher.theory.games.targets import AtLeast, Linear, Parity, Target

__all__ = [
    "AtLeast",
    "BuriedTarget",
    "Chain",
    "Disjunctions",
    "Game",
    "Linear",
    "MovingTarget",
    "Nature",
    "Parity",
    "Result",
    "Target",
    "Xor",
    "play",
]
