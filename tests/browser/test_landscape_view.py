"""The loss landscape, in a browser."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from lab_pages import number
from lab_views import figures, opened
from labs import unpacked
from thresher import LMS, lms_stability

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
    page.get_by_role("button", name="batch descent").click()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(page.locator(".time")).to_have_text("t = 20/20")
    page.wait_for_timeout(350)
    found = unpacked(page.url)[1]
    assert found["eta"] > top and found["subject"] == "batch"
    J = [number(figures(page)[name][1]) for name in ("batch descent", "RecursiveLeastSquares")]
    assert J[0] > 10 * J[1]


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
