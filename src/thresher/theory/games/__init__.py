"""Games between a learner and an adversary, or nature, with the concept they played for."""

from thresher.theory.games.adversaries import Chain, Disjunctions, Xor
from thresher.theory.games.concepts import AtLeast, Concept, Linear, Parity
from thresher.theory.games.drift import BuriedTarget, MovingTarget
from thresher.theory.games.game import Game
from thresher.theory.games.nature import Nature
from thresher.theory.games.play import Result, play

__all__ = [
    "AtLeast",
    "BuriedTarget",
    "Chain",
    "Concept",
    "Disjunctions",
    "Game",
    "Linear",
    "MovingTarget",
    "Nature",
    "Parity",
    "Result",
    "Xor",
    "play",
]
