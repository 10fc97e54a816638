"""A view of the lab in a page: opened by its link, its table read."""

from __future__ import annotations

from typing import Any

from labs import packed


def opened(page: Any, lab: Any, view: str, state: dict[str, Any] | None = None) -> Any:
    page.goto(lab.address + (f"#{view}={packed(state)}" if state else f"#{view}"))
    page.locator(f".lab[data-ready='{view}']").wait_for()
    return page


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
