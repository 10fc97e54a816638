"""The loss landscape, in a browser."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from lab_pages import number
from lab_views import figures, linked, opened
from thresher import LMS, PassiveAggressiveRegressor, lms_stability

POINTS = [[0.0, -0.3, 1], [0.3, 0.1, 1], [0.6, 0.1, 1], [0.9, 0.5, 1], [1.0, 0.4, 1]]
STATE = {"task": "regress", "points": POINTS, "eta": 0.5, "steps": 20, "t": 8}


def test_the_numbers_are_those_of_lms_and_the_slider_turns_red(page, lab):
    opened(page, lab, "landscape", STATE)
    X, y = np.array(POINTS)[:, :1], np.array(POINTS)[:, 1]
    order = np.arange(8) % 5
    model = LMS(learning_rate=0.5).partial_fit(X[order], y[order])
    shown = [number(v) for v in figures(page)["LMS"][0].split(", ")]
    assert np.allclose(shown, [model.coef_[0], model.intercept_], rtol=5e-3)
    expect(page.locator(".words")).to_contain_text("Step 8 of LMS: it sees example 3 alone.")
    top = lms_stability(X).eta_max
    expect(page.locator(".eta output")).to_have_text(f"0.5 ≤ 2/λ max = {top:.3g}")
    slider = page.get_by_label("η, the rate")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator(".eta")).to_have_class("eta too-large")
    linked(page, lambda state: state["eta"] > top)
    page.get_by_role("button", name="batch descent").click()
    page.locator(".stage").focus()
    page.keyboard.press("End")
    expect(page.locator(".time")).to_have_text("t = 20/20")
    linked(page, lambda state: state["subject"] == "batch" and state["t"] is None)
    expect(page.locator(".words")).to_contain_text("Step 20 of batch descent")
    J = [number(figures(page)[name][1]) for name in ("batch descent", "RecursiveLeastSquares")]
    assert J[0] > 10 * J[1]


def test_the_strip_of_a_passive_aggressive_step(page, lab):
    """Its sides are where the error of the example is ε, and w is on one of them after the step."""
    opened(page, lab, "landscape", {**STATE, "subject": "pa", "epsilon": 0.05, "t": 1})
    X, y = np.array(POINTS)[:, :1], np.array(POINTS)[:, 1]
    sides, end, tubes = (
        page.locator(".strip-side"),
        page.locator(".way-end.p3"),
        page.locator("line.tube"),
    )
    for t in (1, 2):
        expect(page.locator(".words")).to_contain_text(f"Step {t} of PassiveAggressiveRegressor")
        model = PassiveAggressiveRegressor(variant="PA", epsilon=0.05, average=False)
        model.partial_fit(X[:t], y[:t])
        shown = [number(v) for v in figures(page)["PassiveAggressiveRegressor"][0].split(", ")]
        assert np.allclose(shown, [model.coef_[0], model.intercept_], rtol=5e-3)
        ends = [
            [float(one.get_attribute(k)) for k in ("x1", "y1", "x2", "y2")] for one in sides.all()
        ]
        cx, cy = (float(end.get_attribute(k)) for k in ("cx", "cy"))
        far = [abs((c - a) * (cy - b) - (d - b) * (cx - a)) / np.hypot(c - a, d - b)
               for a, b, c, d in ends]  # fmt: skip
        assert len(far) == tubes.count() == 2 and min(far) < 0.05 < max(far)
        page.locator(".stage").focus()
        page.keyboard.press("ArrowRight")
    field = page.get_by_label("ε", exact=True)
    field.fill("0.5")
    field.press("Enter")
    linked(page, lambda state: state["epsilon"] == 0.5)
    page.get_by_role("button", name="LMS").click()
    expect(sides).to_have_count(0)
    page.get_by_role("button", name="classification").click()
    expect(field).to_be_hidden()


def test_points_by_keys_undo_and_another_task(page, lab):
    opened(page, lab, "landscape", STATE)
    page.locator("svg.plane").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("+")
    expect(page.locator(".point")).to_have_count(6)
    page.keyboard.press("Control+z")
    expect(page.locator(".point")).to_have_count(5)
    page.get_by_role("button", name="classification").click()
    expect(page.locator(".figures tbody th").first).to_contain_text("BatchPerceptron")
    page.get_by_label("Loss").select_option("0/1")
    expect(page.locator(".figures tbody tr")).to_have_count(1)


def test_a_link_that_cannot_be_shown_is_said(page, lab):
    opened(page, lab, "landscape", {**STATE, "points": [], "eta": -1})
    expect(page.locator(".toast.bad").first).to_contain_text("that the lab cannot show")
    assert page.locator(".point").count() == 16
