"""Questions that take long: the page says so where it belongs, stays usable, and can stop them."""

from __future__ import annotations

import contextlib
import sys

import pytest
from playwright.sync_api import expect

from lab_pages import PLAIN, Plane
from labs import command, runs, started
from thresher.lab.plane.points import generate
from waiting import wait_until

NOISY = generate({"kind": "noisy", "size": 2000, "noise": 0.5})["points"]
CURVED = [{"learner": "voted-perceptron", "options": {}}] * 7
LONG_ENOUGH = {"timeout": 60_000}  # on a machine that has other things to do
# Seconds on any machine.
LONG = {"points": NOISY[:500], "panels": [PLAIN, *CURVED], "order": "worst", "epochs": 12}


@pytest.fixture
def lab_of(tmp_path):
    """Starts labs in which a question may take the given number of seconds."""
    with contextlib.ExitStack() as stack:

        def start(budget):
            arguments = command("--port", "0", "--logs", str(tmp_path), "--budget", str(budget))
            return stack.enter_context(started(arguments))

        yield start


def test_bounds_that_take_too_long_are_said_beside_the_figures(lab_of, page):
    """The first bounds load more packages than a third of a second allows."""
    pytest.importorskip("sklearn")
    page.set_default_timeout(60_000)
    plane = Plane(page, lab_of(0.3)).show()
    expect(page.locator(".verdict")).to_contain_text(
        "No bounds: plane.bounds (4 points", **LONG_ENOUGH
    )
    expect(page.locator(".verdict")).to_contain_text("took longer than", **LONG_ENOUGH)
    expect(page.locator(".side-column.waiting")).to_have_count(0)
    assert plane.figures()[0]["mistakes"] is not None  # the run itself is there
    plane.button("To the start").click()
    plane.button("Step ▸").click()
    assert plane.time() == (1, 4)


def test_a_link_that_takes_too_long_is_said_and_the_lab_begins_as_usual(lab_of, page):
    page.set_default_timeout(60_000)
    plane = Plane(page, lab_of(1)).show(**LONG)
    expect(page.locator(".toast.bad")).to_contain_text(
        "plane.run (500 points, 8 panels", **LONG_ENOUGH
    )
    expect(page.locator(".toast.bad")).to_contain_text(
        "was stopped. It got as far as: ", **LONG_ENOUGH
    )
    plane.wait(lambda: plane.time()[1] == 80, 30)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_a_newer_question_or_another_view_stops_a_long_one(lab_of, page):
    page.set_default_timeout(60_000)
    lab = lab_of(600)
    plane = Plane(page, lab).show(points=NOISY[:500], panels=[PLAIN, *CURVED])
    stage = page.locator("main.stage")

    def ask_for(order, epochs):
        plane.find("[aria-label='Order of the examples']").select_option(order)
        page.get_by_label("epochs").fill(str(epochs))
        page.get_by_label("epochs").press("Enter")

    plane.wait(lambda: plane.time() == (500, 500), 60)
    ask_for("worst", 12)  # of many seconds
    expect(stage).to_have_attribute("aria-busy", "true", **LONG_ENOUGH)
    working = lab.working()
    ask_for("given", 1)
    plane.wait(lambda: plane.time() == (500, 500), 60)
    wait_until(lambda: not runs(working))
    expect(stage).to_have_attribute("aria-busy", "false", **LONG_ENOUGH)

    ask_for("worst", 12)
    working = lab.working()
    plane.button("Boolean").click()
    plane.ready("boolean")
    wait_until(lambda: not runs(working))
    expect(page.locator(".toast")).to_have_count(0)
