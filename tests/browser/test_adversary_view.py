"""The game of a target that changes, in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from lab_views import barriers, figures, opened
from thresher import Winnow
from thresher.theory.games import BuriedTarget, play


def facts(page):
    return [cell.text_content() for cell in page.locator(".adversary-view .facts dd").all()]


def empty(page, lab, **state):
    return opened(page, lab, "adversary", {"n": 16, "seed": 0, "moves": [], **state})


def test_first_comes_the_buried_target_where_winnow_needs_its_floor(page, lab):
    opened(page, lab, "adversary")
    shown = figures(page)
    for name, floor in (("Winnow", None), ("Winnow-R", 0.5)):
        model = Winnow(theta=32, floor=floor)
        result = play(model, BuriedTarget(32, 14, 12))
        assert shown[name][0] == str(model.mistakes_)
        assert facts(page)[1] == str(result.cost)
    assert int(shown["Winnow"][0]) > 2 * int(shown["Winnow-R"][0])
    assert shown["Winnow-R"][2] == f"≤ {5 * 27 * (1 + 5) + 2}"


def test_variables_come_and_go_at_a_cost(page, lab):
    empty(page, lab)
    target = page.get_by_role("group", name="The target")
    target.get_by_role("button", name="x3", exact=True).click()
    expect(page.locator(".facts dd").nth(1)).to_have_text("1")
    page.get_by_role("button", name="Next 10 rounds").click()
    expect(page.locator(".time")).to_have_text("t = 10/10")
    target.get_by_role("button", name="x3", exact=True).click()
    expect(page.locator(".facts dd").nth(1)).to_have_text("2")
    expect(page.locator(".words")).to_contain_text("Now it is empty")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".facts dd").nth(1)).to_have_text("1")
    page.keyboard.press("Control+z")
    expect(page.locator(".time")).to_have_text("t = 0/0")


def test_a_hard_example_is_a_mistake_until_nobody_can_be_fooled(page, lab):
    empty(page, lab, against="winnow-r")
    page.get_by_role("button", name="x3", exact=True).press("Enter")
    expect(page.locator(".facts dd").nth(1)).to_have_text("1")
    panel = page.locator(".panel[aria-label='Winnow-R'] .foot")
    for count in range(1, 40):
        page.get_by_role("button", name="Hard example for").click()
        page.wait_for_timeout(150)
        if "knows the target" in panel.text_content():
            break
        expect(panel).to_contain_text(f"{count} mistakes")
    expect(panel).to_contain_text("knows the target ✓")
    before = panel.text_content()
    page.get_by_role("button", name="Hard example for").click()
    expect(page.locator(".toast.bad")).to_contain_text("no example that it is wrong about")
    assert panel.text_content() == before


def test_a_line_is_turned_by_keys_and_dragged_by_mouse(page, lab):
    opened(page, lab, "adversary")
    page.get_by_role("button", name="a line").click()
    board = page.locator(".board")
    expect(page.locator(".time")).to_have_text("t = 120/120")
    assert page.locator(".ghost").count() == 2
    assert page.locator(".follower").count() == 4
    names = ["Perceptron", "PA", "Balanced Winnow", "AROW"]  # in the table, the picture, the chart
    for place in (".figures tbody th", ".follower-name", ".chart .line-name"):
        shown = page.locator(place).all_text_contents()
        assert [name.strip() for name in shown] == names, place
    board.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    expect(page.locator(".facts dd").nth(1)).to_have_text("3")  # one move, as no round saw them
    page.keyboard.press("Enter")
    expect(page.locator(".time")).to_have_text("t = 130/130")
    expect(page.locator(".ghost")).to_have_count(3)
    handle = page.locator(".handle").first.bounding_box()
    page.mouse.move(handle["x"] + 8, handle["y"] + 8)
    page.mouse.down()
    page.mouse.move(handle["x"] - 120, handle["y"] + 40, steps=5)
    page.mouse.up()
    expect(page.locator(".facts dd").nth(1)).to_have_text("4")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".facts dd").nth(1)).to_have_text("3")


@pytest.mark.parametrize(
    "state",
    [
        {"moves": [{"do": "add", "i": 3}, {"do": "add", "i": 3}]},
        {"moves": [{"do": "remove", "i": 3}]},
        {"n": 10**9, "moves": []},
    ],
)
def test_a_link_with_moves_that_cannot_be_made_begins_anew(page, lab, state):
    opened(page, lab, "adversary", state)
    expect(page.locator(".toast.bad")).to_be_visible()
    assert facts(page)[1] == "41"


def test_it_goes_back_in_time(page, lab):
    opened(page, lab, "adversary")
    page.locator(".panel").first.wait_for()
    page.keyboard.press("Home")
    assert facts(page) == ["0", "0", "2"]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".words")).to_contain_text("Round 3: x1 is 1. The target was x1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("mode", ["disjunction", "line"])
def test_axe_finds_nothing(new_page, lab, scheme, mode):
    page = new_page(color_scheme=scheme)
    opened(page, lab, "adversary", {"mode": mode})
    assert barriers(page) == ""
