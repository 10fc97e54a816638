"""Whose turn it is: for threads that change more of a learner than its model in the core.

The core lets one thread at a time into a model. What spans several calls, such as to bring a new
label and then to learn its first example, is done by one thread after the other as well.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

# Not kept in the learners themselves, which have to be copied and pickled.
_turns: weakref.WeakKeyDictionary[Any, threading.RLock] = weakref.WeakKeyDictionary()
_taking_turns = threading.Lock()


def turn_of(learner: Any) -> threading.RLock:
    """To be held by a thread that changes more than the core alone."""
    with _taking_turns:
        return _turns.setdefault(learner, threading.RLock())


def _begin_anew() -> None:
    """In a process that forked off: whoever had a turn is not there to give it back.

    What it leaves is a label, at most, of which nothing was learned yet, and which goes with the
    next label that comes.
    """
    global _turns, _taking_turns
    _turns, _taking_turns = weakref.WeakKeyDictionary(), threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)
