"""The boolean view and its games in a browser, by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from lab_views import barriers, figures, opened
from thresher import Halving, Winnow, concepts
from thresher.lab.boolean import formula
from thresher.lab.boolean.protocols import hidden
from thresher.theory import bounds
from thresher.theory.protocols import MembershipQueries, Teaching


def test_first_comes_the_middle_of_a_run_whose_end_has_the_numbers_of_the_library(page, lab):
    opened(page, lab, "boolean")
    expect(page.locator(".time")).to_have_text("t = 40/120")
    expect(page.get_by_role("button", name="Step ▸")).to_be_enabled()
    page.keyboard.press("End")
    expect(page.locator(".panel .bound").first).to_contain_text("≤ 56")
    target = formula.read("x2 | x5 | x9", 32)
    X = formula.draw(target, 120, "half", 0.5, 3)
    y = target.values(X)
    winnow = Winnow(theta=32).partial_fit(X.astype(float), y, classes=[False, True])
    halving = Halving(concepts.disjunctions(32, monotone=True, k=3), positive=True)
    halving.partial_fit(X, y, classes=[False, True])
    shown = figures(page)
    assert shown["Winnow"][:3] == [
        str(winnow.mistakes_), str(winnow.updates_), f"≤ {bounds.winnow_disjunction(3, 32).value:g}"
    ]  # fmt: skip
    assert shown["Halving"][0] == str(halving.mistakes_)
    assert shown["Halving"][3] == str(halving.version_space_size_)
    assert shown["Balanced Winnow"][2] == "≤ 121"
    assert page.locator(".panel .bar").count() == 32 + 33 + 32 + 32 + 33
    assert page.locator(".panel").first.locator(".theta").count() == 1


def test_promotions_and_demotions_are_marked(page, lab):
    opened(page, lab, "boolean")
    page.locator(".panel .bars").first.wait_for()
    page.keyboard.press("Home")
    expect(page.locator(".words:visible")).to_contain_text("Nothing learned yet")
    panel = page.locator(".panel").first
    for t in range(1, 121):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".words:visible")).to_contain_text(f"Example {t}:")  # it is drawn
        foot = panel.locator(".foot").text_content()
        up, down = re.search(r"▲ (\d+)", foot), re.search(r"▼ (\d+)", foot)
        assert panel.locator(".promoted").count() == (int(up[1]) if up else 0)
        assert panel.locator(".demoted").count() == (int(down[1]) if down else 0)
        if up:
            expect(page.locator(".words:visible")).to_contain_text(f"▲ {up[1]} weight")
            break
    else:
        raise AssertionError("no promotion in 120 steps")


def test_a_target_is_typed_and_a_bad_one_is_said_where_it_was_typed(page, lab):
    opened(page, lab, "boolean")
    text = page.get_by_label("Target concept")
    text.fill("x1 & !x3")
    text.press("Enter")
    expect(page.locator(".target-note")).to_contain_text("x1 ∧ ¬x3")
    assert page.locator(".panel").first.locator(".bar").count() == 64  # the literals
    for bad, why in (("x1 |", "column 5"), ("x99", "n is 32"), ("alert(1)", "column 1")):
        text.fill(bad)
        text.press("Enter")
        expect(page.locator(".target-note")).to_contain_text(why)
        expect(text).to_have_attribute("aria-invalid", "true")
    text.fill("(x1 or x2) and x3")
    text.press("Enter")
    expect(page.locator(".target-note")).to_contain_text("(x1 ∨ x2) ∧ x3")
    expect(text).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".panel[aria-label='Halving'] .foot")).to_contain_text("needs a class")


def test_random_targets_examples_and_learners_from_menus(page, lab):
    opened(page, lab, "boolean")
    page.get_by_text("Random", exact=True).click()
    page.get_by_label("k variables").fill("5")
    page.get_by_label("k variables").press("Enter")
    expect(page.get_by_label("Target concept")).to_have_value(re.compile(r"^(x\d+ ∨ ){4}x\d+$"))
    page.get_by_label("k variables").fill("60")
    page.get_by_label("k variables").press("Enter")
    expect(page.locator(".target-note")).to_contain_text("k ≤ n")
    page.get_by_text("Examples", exact=True).click()
    page.get_by_label("examples", exact=True).fill("30")
    page.get_by_label("examples", exact=True).press("Enter")
    expect(page.locator(".time")).to_have_text("t = 30/30")
    page.get_by_text("Learners", exact=True).click()
    page.get_by_role("checkbox", name="Perceptron").uncheck()
    expect(page.locator(".panel")).to_have_count(5)


def test_rewinding_while_other_learners_are_on_their_way(page, lab):
    opened(page, lab, "boolean")
    page.get_by_text("Learners", exact=True).click()
    page.get_by_role("checkbox", name="Perceptron").evaluate(
        "box => { box.click();"
        " box.getRootNode().querySelector('[aria-label=\"To the start\"]').click(); }"
    )  # in one turn of the page: no answer can arrive in between
    expect(page.locator(".panel")).to_have_count(5)
    expect(page.locator(".time")).to_have_text("t = 0/120")


@pytest.mark.parametrize(
    "state",
    [
        {"target": "x1", "n": 10**6},
        {"target": ["x1"]},
        {"panels": "winnow"},
        {"panels": [{"learner": "constructor"}]},
        {"mode": "ask", "ask": {"n": "many"}},
        {"mode": "ask", "ask": None},
        {"mode": "teach", "teach": {"n": 4, "target": [9], "examples": [], "draft": []}},
    ],
)
def test_a_link_that_cannot_be_read_begins_anew(page, lab, state):
    opened(page, lab, "boolean", state)
    expect(page.locator(".toast.bad").first).to_be_visible()
    expect(page.locator(".words:visible")).not_to_be_empty()


@pytest.mark.parametrize("state", [{"t": "soon", "subject": "me"}, {"t": 10**9, "subject": 99}])
def test_a_link_with_an_odd_time_shows_the_end(page, lab, state):
    opened(page, lab, "boolean", state)
    expect(page.locator(".time")).to_have_text("t = 120/120")


def test_a_thousand_variables_are_drawn(page, lab):
    state = {"target": "x7 | x500 | x999", "n": 1000, "examples": 100}
    opened(page, lab, "boolean", state)
    assert page.locator(".panel").first.locator(".bar").count() == 1000
    expect(page.locator(".panel[aria-label='Halving'] .foot")).to_contain_text("it would do")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", [{}, {"mode": "ask"}, {"mode": "teach"}])
def test_axe_finds_nothing(new_page, lab, scheme, state):
    page = new_page(color_scheme=scheme)
    opened(page, lab, "boolean", state)
    assert barriers(page) == ""


# -- protocols


def test_you_ask_by_keyboard_and_guess(page, lab):
    opened(page, lab, "boolean", {"mode": "ask"})
    target = hidden(10, 3, 1)
    tab_to(page, "x1")
    page.keyboard.press("Space")  # x1 is 1 now: all are
    tab_to(page, "Ask")
    page.keyboard.press("Enter")
    expect(page.locator(".questions tbody tr")).to_have_count(1)
    expect(page.locator(".protocols .words")).to_contain_text("The value is 1")
    page.get_by_role("button", name="Guess: all that are 1").press("Enter")
    expect(page.locator(".protocols .words")).to_contain_text(f"it was {target}")
    page.get_by_role("button", name="Watch the library ask").click()
    expect(page.locator(".questions tbody tr")).to_have_count(10)
    assert MembershipQueries(target).run().count == 10
    expect(page.locator(".protocols .words")).to_contain_text(f"Now you can know it: {target}")
    assert page.locator(".known-bit.needed").count() == 3
    for i in range(1, 11):
        bit = page.locator(".press-row:not([hidden])").get_by_role(
            "button", name=f"x{i}", exact=True
        )
        if (bit.get_attribute("aria-pressed") == "true") != (i in target.literals):
            bit.click()
    page.get_by_role("button", name="Guess: all that are 1").click()
    expect(page.locator(".protocols .words")).to_contain_text(f"Exact: it is {target}")


def tab_to(page, name, most=80):
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(
            "(name) => { const e = document.querySelector('div').shadowRoot.activeElement;"
            " return (e?.getAttribute('aria-label') ?? e?.textContent) === name; }", name
        ):  # fmt: skip
            return
    raise AssertionError(f"{name} is not reached by Tab")


def test_you_teach_a_pupil(page, lab):
    opened(page, lab, "boolean", {"mode": "teach"})
    words = page.locator(".protocols .words")
    expect(words).to_contain_text("The pupil thinks: x2 ∧ x5 ∧ x9")
    expect(words).to_contain_text("cannot know yet")
    for off in (2, 5, 9):
        row = page.get_by_role("group", name="input")
        for i in (2, 5, 9):
            bit = row.get_by_role("button", name=f"x{i}", exact=True)
            if (bit.get_attribute("aria-pressed") == "true") != (i != off):
                bit.click()
        page.get_by_role("button", name="Show it to the pupil").click()
    expect(words).to_contain_text("The pupil is certain: x2 ∧ x5 ∧ x9. 4 examples; no fewer")
    page.get_by_role("button", name="A new pupil").click()
    page.get_by_role("button", name="Show me how").click()
    expect(words).to_contain_text("certain")
    assert Teaching(hidden(10, 3, 1)).run().count == 4


def test_the_state_of_a_game_is_in_the_address(page, lab):
    opened(page, lab, "boolean", {"mode": "ask"})
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".questions tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"#boolean=.{200}"))
    page.wait_for_timeout(600)
    page.reload()
    page.locator(".lab[data-ready='boolean']").wait_for()
    expect(page.locator(".questions tbody tr")).to_have_count(1)
