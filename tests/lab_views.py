"""A view of the lab in a page: opened by its link, its table read."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from labs import packed, unpacked


def opened(page: Any, lab: Any, view: str, state: dict[str, Any] | None = None) -> Any:
    page.goto(lab.address + (f"#{view}={packed(state)}" if state else f"#{view}"))
    page.locator(f".lab[data-ready='{view}']").wait_for()
    return page


def linked(page: Any, when: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The state that the address holds, as soon as it is such a one."""
    until = time.monotonic() + 30.0
    while True:
        found = unpacked(page.url)[1] if "=" in page.url else {}
        if found and when(found):
            return found
        assert time.monotonic() < until, found
        page.wait_for_timeout(30)


def figures(page: Any) -> dict[str, list[str]]:
    """The table next to the panels: by learner, its cells."""
    rows = page.locator(".figures:not(.questions) tbody tr").all()
    cells = [[cell.text_content().strip() for cell in row.locator("th, td").all()] for row in rows]
    return {row[0]: row[1:] for row in cells}


def barriers(page: Any) -> str:
    """What axe finds against WCAG 2.1 A and AA; empty if nothing."""
    from axe_playwright_python.sync_playwright import Axe

    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}})
    return "\n".join(
        f"{rule['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    )
