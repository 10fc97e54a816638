"""The lab: learners seen at work, in a page of this machine and in notebooks.

Every view is a function of its state: the page sends a state, Python runs the real engine and
answers with all that there is to draw. So the page can never disagree with the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["AdversaryWidget", "BooleanWidget", "PlaneWidget", "RunsWidget", "serve"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'thresher.lab' has no attribute {name!r}")
    if name == "serve":
        from thresher.lab.server import serve

        return serve
    from thresher.lab import widget

    return getattr(widget, name)


if TYPE_CHECKING:
    from thresher.lab.server import serve
    from thresher.lab.widget import AdversaryWidget, BooleanWidget, PlaneWidget, RunsWidget
