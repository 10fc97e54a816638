"""Growth with n, in a browser."""

from __future__ import annotations

from playwright.sync_api import expect

from lab_pages import number
from lab_views import figures, linked, opened
from thresher.lab.growth.measure import run

STATE = {"target": "few", "k": 2, "density": "tenth", "p": 4.0}


def test_a_guess_by_key_and_by_mouse_then_the_run(page, lab):
    opened(page, lab, "growth", {**STATE, "t": 3})
    learners = {one["title"]: one for one in run(STATE)["learners"]}
    assert set(figures(page)) == set(learners)
    for name, cells in figures(page).items():
        assert abs(number(cells[0]) - learners[name]["mean"][2]) <= 0.005 * number(cells[0])
        assert cells[2] == f"{learners[name]['power'][3]:.2f}"
    guess = page.get_by_label("Your guess for Perceptron")
    guess.fill("300")
    guess.press("Enter")
    expect(page.locator(".line.growth-guess")).to_have_count(1)
    page.locator("svg.chart").click(position={"x": 300, "y": 120})  # of the same learner
    linked(page, lambda state: state["guess"].get("perceptron", 300) != 300)
    page.keyboard.press("Control+z")
    expect(page.get_by_label("Your guess for Perceptron")).to_have_value("300")
    page.locator(".stage").focus()
    page.keyboard.press("End")
    last = learners["Perceptron"]["mean"][-1]
    expect(page.locator(".words")).to_contain_text("You guessed 300 for Perceptron: it is")
    assert abs(number(figures(page)["Perceptron"][0]) - last) <= 0.005 * last


def test_the_slider_of_p_and_a_dense_target(page, lab):
    opened(page, lab, "growth", {**STATE, "t": 3})
    page.get_by_label("p of the p-norm perceptron").focus()
    page.keyboard.press("Home")
    expect(page.locator(".figures tbody th").nth(1)).to_contain_text("p = 2")
    shown = figures(page)
    assert shown["p-norm (p = 2)"][0] == shown["Perceptron"][0]  # that is the perceptron
    page.get_by_label("How dense the examples are").select_option("two")
    page.get_by_role("button", name="half of them matter").click()
    expect(page.locator(".words")).to_contain_text("of which 32 matter")


def test_a_link_that_cannot_be_shown_is_said(page, lab):
    opened(page, lab, "growth", {**STATE, "k": 99, "guess": {"winnow": "x"}})
    expect(page.locator(".toast.bad").first).to_contain_text("that the lab cannot show")
    expect(page.get_by_label("k", exact=True)).to_have_value("3")
