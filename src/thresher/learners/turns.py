"""Whose turn it is: for threads that change more of a learner than its model in the core.

The core lets one thread at a time into a model. What spans several calls, such as to bring a new
label and then to learn its first example, is done by one thread after the other as well.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

from thresher.errors import ModelInUse

# Not kept in the learners themselves, which have to be copied and pickled.
_turns: weakref.WeakKeyDictionary[Any, threading.RLock] = weakref.WeakKeyDictionary()
_left_halfway: weakref.WeakSet[Any] = weakref.WeakSet()
_taking_turns = threading.Lock()


def turn_of(learner: Any) -> threading.RLock:
    """To be held by a thread that changes more than the core alone."""
    with _taking_turns:
        if learner in _left_halfway:
            raise ModelInUse(
                "another thread was changing this learner when the process forked: what is left of "
                "it here may be half of a change. Load it from a file, or fork while no thread "
                "learns."
            )
        return _turns.setdefault(learner, threading.RLock())


def _after_fork() -> None:
    """The threads that had a turn are gone: in the child nobody would ever give it back."""
    global _taking_turns
    _taking_turns = threading.Lock()
    for learner, turn in list(_turns.items()):
        if not turn.acquire(blocking=False):
            _left_halfway.add(learner)
    _turns.clear()


os.register_at_fork(after_in_child=_after_fork)
