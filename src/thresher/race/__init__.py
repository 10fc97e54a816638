"""Many learners in one pass: each example is read once, and predicted and learned by all of them.

A learner in a race ends as it would have ended alone, bit for bit; the winner is the one with the
smallest progressive error, every example being predicted before it is learned, or where another is
clearly better of late, that one. Learners that are surely worse are dropped, by the same statistics
as the members of a committee (`core/experts/standings.hpp`).
"""

from thresher.learners.portfolio import name_of
from thresher.learners.standing import Standing
from thresher.race.field import RaceField
from thresher.race.files import FileRace
from thresher.race.race import Race
from thresher.race.runners import portfolio, runners_of

__all__ = [
    "FileRace",
    "Race",
    "RaceField",
    "Standing",
    "name_of",
    "portfolio",
    "runners_of",
]
