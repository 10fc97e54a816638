"""The plane of the lab as a test uses it: by mouse, by keys, and what it shows in numbers."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe

from labs import Lab, packed, unpacked
from thresher.lab.plane.catalog import entries

HALF = 1.2  # the window of a plane whose points lie within ±1.1
FOUR = [[0.5, 0.5, 1], [-0.5, -0.5, -1], [0.2, 0.6, 1], [-0.4, 0.1, -1]]
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
PLAIN = {"learner": "perceptron", "options": {"average": False}}


class Plane:
    def __init__(self, page: Any, lab: Lab) -> None:
        self.page, self.lab = page, lab

    def open(self, link: str = "", view: str = "plane") -> Plane:
        self.page.goto("about:blank")
        self.page.goto(self.lab.address + link)
        return self.ready(view)

    def show(self, **state: Any) -> Plane:
        """Opens a link to a state; what is not said is four points and a plain perceptron."""
        usual = {"points": FOUR, "panels": [PLAIN], "order": "given", "epochs": 1, "seed": 0}
        return self.open(f"#plane={packed({**usual, **state})}")

    def ready(self, view: str = "plane") -> Plane:
        self.page.wait_for_selector(f".lab[data-ready={view}]")
        return self

    # -- what stands on the page

    def find(self, selector: str) -> Any:
        return self.page.locator(selector)

    def button(self, name: str, exact: bool = True) -> Any:
        return self.page.get_by_role("button", name=name, exact=exact)

    def panel(self, i: int = 0) -> Any:
        return self.find(".panel").nth(i)

    def drawing(self, i: int = 0) -> Any:
        return self.panel(i).locator("svg.plane")

    def text(self, selector: str) -> str:
        return str(self.find(selector).text_content())

    def time(self) -> tuple[int, int]:
        """The step that is shown, and their number; (−1, −1) as long as there is no run."""
        found = re.fullmatch(r"t = (\d+)/(\d+)", self.text(".time"))
        return (int(found[1]), int(found[2])) if found else (-1, -1)

    def wait(self, what: Any, seconds: float = 30.0) -> Any:
        """Until `what()` is true, which is returned."""
        until = time.monotonic() + seconds
        while not (found := what()):
            assert time.monotonic() < until, "it did not come about"
            self.page.wait_for_timeout(20)
        return found

    def wait_for_points(self, count: int) -> None:
        self.wait(lambda: self.panel().locator(".point").count() == count)
        self.wait(
            lambda: self.time()[1] == count * int(self.find("[aria-label=epochs]").input_value())
        )

    def state(self) -> dict[str, Any]:
        """What the address of the page holds, as soon as it is written."""
        self.page.wait_for_timeout(330)
        return unpacked(self.page.url)[1]

    def figures(self) -> list[dict[str, Any]]:
        """The table of the learners: mistakes, bound, updates and weights."""
        self.wait(lambda: self.find(".figures tbody tr").count() == self.find(".panel").count())
        out = []
        for row in self.find(".figures tbody tr").all():
            mistakes, updates, weights = (cell.text_content() for cell in row.locator("td").all())
            count, _, bound = mistakes.partition(" ≤ ")
            out.append({
                "mistakes": number(count), "bound": number(bound), "updates": number(updates),
                "weights": None if weights == "–" else [number(w) for w in weights.split(", ")],
            })  # fmt: skip
        return out

    # -- what a hand does

    def at(self, x: float, y: float, i: int = 0) -> tuple[float, float]:
        """Where a point of the plane is on the screen."""
        box = self.drawing(i).bounding_box()
        return (
            box["x"] + box["width"] * (x + HALF) / (2 * HALF),
            box["y"] + box["height"] * (HALF - y) / (2 * HALF),
        )

    def click(self, x: float, y: float, **how: Any) -> None:
        self.page.mouse.click(*self.at(x, y), **how)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at(*end), steps=4)
        self.page.mouse.up()

    def menu(self, name: str) -> Any:
        self.find(
            "summary",
        ).filter(has_text=name).first.click()
        return self.find("details[open] .sheet")


def number(text: str) -> float | None:
    text = text.replace("−", "-").replace(",", "").replace("·10", "e").strip().translate(RAISED)
    return None if text in ("", "–") else float(text)


def learned(state: dict[str, Any], panel: dict[str, Any], t: int | None = None) -> dict[str, Any]:
    """What the library itself makes of the points of a state: mistakes, updates and weights."""
    entry = entries()[panel["learner"]]
    model = entry.cls(**panel["options"])
    options = {"average": False} if model.get_params().get("average") else {}
    model.set_params(**options)
    X, y = np.array([p[:2] for p in state["points"]]), [p[2] for p in state["points"]]
    assert state["order"] == "given"
    order = (list(range(len(X))) * state["epochs"])[:t]
    if order:
        model.partial_fit(X[order], [y[i] for i in order], classes=[-1, 1])
    counts = [getattr(model, name, None) for name in ("mistakes_", "updates_")]  # None: not counted
    out: dict[str, Any] = {"mistakes": counts[0], "updates": counts[1], "weights": None}
    if entry.linear:
        out["weights"] = [*np.ravel(model.coef_), np.ravel(model.intercept_)[0]]
    return out


def violations(page: Any) -> list[str]:
    """What axe-core finds serious in a page."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}: {node['html'][:160]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
