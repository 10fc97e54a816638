"""Many learners in one pass: each example is read once, and predicted and learned by all of them.

A learner in a race ends as it would have ended alone, bit for bit; the winner is the one with the
smallest progressive error, every example being predicted before it is learned. At 1,024, 2,048,
4,096 … examples, learners are dropped whose error is surely larger than the leader's: the lower end
of its confidence interval (99.9 %) lies above the upper end of the leader's.
"""

from thresher.learners.portfolio import name_of
from thresher.learners.standing import Standing
from thresher.race.files import FileRace
from thresher.race.portfolio import portfolio
from thresher.race.race import Race
from thresher.race.standing import SURE, interval, wilson

__all__ = [
    "SURE",
    "FileRace",
    "Race",
    "Standing",
    "interval",
    "name_of",
    "portfolio",
    "wilson",
]
