"""The lab: learners at work, in a local page and in notebooks.

Every view is a function of its state: the page sends a state, Python runs the real engine and
answers with everything to draw. So the page can never disagree with the library.

A view is a folder: what it computes is in Python, what it draws in JavaScript next to it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["AdversaryWidget", "BooleanWidget", "ClassesWidget", "GrowthWidget", "LandscapeWidget",
           "PlaneWidget", "RunsWidget", "serve"]  # fmt: skip

_PLACES = {
    "AdversaryWidget": "adversary.widget",
    "BooleanWidget": "boolean.widget",
    "ClassesWidget": "classes.widget",
    "GrowthWidget": "growth.widget",
    "LandscapeWidget": "landscape.widget",
    "PlaneWidget": "plane.widget",
    "RunsWidget": "runs.widget",
    "serve": "serving.server",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'thresher.lab' has no attribute {name!r}")
    return getattr(importlib.import_module(f"thresher.lab.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from thresher.lab.adversary.widget import AdversaryWidget
    from thresher.lab.boolean.widget import BooleanWidget
    from thresher.lab.classes.widget import ClassesWidget
    from thresher.lab.growth.widget import GrowthWidget
    from thresher.lab.landscape.widget import LandscapeWidget
    from thresher.lab.plane.widget import PlaneWidget
    from thresher.lab.runs.widget import RunsWidget
    from thresher.lab.serving.server import serve
