"""Turns for threads that change more of a learner than its model in the core.

The core lets one thread at a time into a model. What spans several calls, such as adding a new
label and then learning its first example, is also done by one thread after the other.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

# Not kept in the learners themselves, which must be copied and pickled.
_turns: weakref.WeakKeyDictionary[Any, threading.RLock] = weakref.WeakKeyDictionary()
_taking_turns = threading.Lock()


def turn_of(learner: Any) -> threading.RLock:
    """To be held by a thread that changes more than the core."""
    with _taking_turns:
        return _turns.setdefault(learner, threading.RLock())


def _begin_anew() -> None:
    """In a forked process: the thread that had a turn is not there to release it.

    At most it leaves a label from which nothing was learned yet, and which is dropped with the next
    new label.
    """
    global _turns, _taking_turns
    _turns, _taking_turns = weakref.WeakKeyDictionary(), threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)
