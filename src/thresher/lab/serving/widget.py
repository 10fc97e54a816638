"""The views of the lab in a notebook: the same page, the same answers, another host (anywidget).

The messages of a widget are answered like those of the page, by a process that is ended when a
question takes too long. ``widget.state`` holds what is shown, and follows what is done with mouse
and keyboard.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from typing import Any, ClassVar

from thresher.extras import missing
from thresher.lab.page.files import joined
from thresher.lab.serving.worker import BUDGET, Worker

try:
    import anywidget
    import traitlets
except ImportError as error:  # pragma: no cover (only without the package)
    raise missing("a widget", error.name or "", "notebook") from None


class Widget(anywidget.AnyWidget):
    """A view of the lab."""

    _esm = joined()
    _view_name_of_lab: ClassVar[str]
    view = traitlets.Unicode("plane").tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, state: dict[str, Any] | None = None, *, logs: str | None = None) -> None:
        super().__init__(view=self._view_name_of_lab, state=dict(state or {}))
        self._logs = None if logs is None else os.path.abspath(logs)
        _worker()  # starts while the page loads
        self.on_msg(self._asked)

    def _asked(self, _: Any, message: Any, buffers: Any) -> None:
        if isinstance(message, dict) and "stop" in message:
            return  # it arrives after the answer to what it would stop
        with _one_at_a_time:
            answer = _worker().answer(json.dumps(message), self._logs, BUDGET)
        self.send(json.loads(answer))


_one_at_a_time = threading.Lock()
_workers: dict[int, Worker] = {}  # by process: a forked one has its own


def _worker() -> Worker:
    """The worker of all widgets of this process."""
    mine = _workers.get(os.getpid())
    if mine is None or not mine.is_alive():
        mine = _workers[os.getpid()] = Worker().start()
    return mine


@atexit.register
def _end() -> None:
    if mine := _workers.get(os.getpid()):
        mine.end()
