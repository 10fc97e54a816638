"""The plane in a browser: every control by hand, and the numbers compared with the library's."""

import math
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from playwright.sync_api import expect

from lab_pages import FOUR, PLAIN, Plane, learned, number
from lab_views import linked
from labs import unpacked
from thresher.lab.plane.catalog import listed
from thresher.lab.plane.words import explain
from thresher.theory import separability


@pytest.fixture
def plane(page, lab):
    return Plane(page, lab)


def close(found, expected):
    """Equal to the three digits that the page shows."""
    return found == pytest.approx(expected, rel=6e-3, abs=1e-6)


def check_figures(plane, t=None):
    """The table of the learners against the library."""

    def differences():
        state, out = plane.state(), []
        for row, panel in zip(plane.figures(), state["panels"], strict=True):
            expected = learned(state, panel, t)
            counts = all(row[name] == expected[name] for name in ("mistakes", "updates"))
            weights = not expected["weights"] or close(row["weights"], expected["weights"])
            if not (counts and weights):
                out.append((row, expected))
        return state, out

    until = time.monotonic() + 8
    while (found := differences())[1]:  # the answer to the last change may be on its way
        assert time.monotonic() < until, found[1]
    return found[0]


# -- what is seen first


def test_first_comes_the_middle_of_a_run_with_the_numbers_of_the_library(plane):
    plane.open()
    assert plane.find(".panel").count() == 2
    assert plane.time() == (43, 80)
    for name in ("▶ Play", "Step ▸"):
        expect(plane.button(name)).to_be_enabled()
    expect(plane.find(".brand")).to_have_text("Thresherlab")
    expect(plane.find("h1:visible")).to_have_count(1)
    expect(plane.find(".legend li")).to_have_count(7)
    expect(plane.panel().locator(".ring-name").first).to_have_text("mistake")
    expect(plane.panel().locator(".side-name[display=inline]")).to_have_count(2)
    expect(plane.find(".words")).to_contain_text("Example 43: ")
    state = check_figures(plane, 43)
    X, y = np.array(state["points"])[:, :2], np.array(state["points"])[:, 2]
    found, R = separability(X, y), math.sqrt((X**2).sum(1).max() + 1)
    shown = [number(cell.text_content()) for cell in plane.find(".facts dd").all()]
    assert close(shown, [R, found.margin, math.floor(R**2 / found.margin**2)])
    assert plane.figures()[0]["bound"] == math.floor(R**2 / found.margin**2)
    assert f"{len(found.support)} points decide it" in plane.text(".verdict")
    assert plane.find(".panel .boundary[display=inline]").count() == 2
    assert plane.find(".chart .line").count() == 2


def test_points_that_cannot_be_separated_are_said_so(plane):
    plane.show(points=[[0.3, 0.3, 1], [0.3, 0.3, -1], [0.6, 0.1, 1]])
    assert [cell.text_content() for cell in plane.find(".facts dd").all()][1:] == ["none", "–"]
    assert "Not separable: 2 of the points prove it" in plane.text(".verdict")
    check_figures(plane)


def test_all_of_one_class(plane):
    plane.show(points=[[0.3, 0.3, 1], [0.1, 0.3, 1], [0.6, 0.1, 1]])
    assert "Separable" in plane.text(".verdict")
    check_figures(plane)


# -- points by mouse


def test_points_are_placed_dragged_relabelled_and_deleted_by_mouse(plane):
    plane.show()
    plane.click(0.9, -0.9)
    plane.wait_for_points(5)
    plane.button("− point").click()
    expect(plane.button("− point")).to_have_attribute("aria-pressed", "true")
    plane.click(-0.9, 0.9)
    plane.wait_for_points(6)
    points = check_figures(plane)["points"]
    assert points[4] == pytest.approx([0.9, -0.9, 1], abs=0.01)
    assert points[5] == pytest.approx([-0.9, 0.9, -1], abs=0.01)

    plane.drag((0.9, -0.9), (0.4, -0.2))
    points = check_figures(plane)["points"]
    assert points[4] == pytest.approx([0.4, -0.2, 1], abs=0.01)

    plane.click(0.4, -0.2)  # a click relabels
    points = check_figures(plane)["points"]
    assert points[4] == pytest.approx([0.4, -0.2, -1], abs=0.01)
    assert len(points) == 6

    plane.click(0.4, -0.2, button="right")
    plane.wait_for_points(5)
    points = check_figures(plane)["points"]
    assert points[:4] == FOUR
    assert points[4] == pytest.approx([-0.9, 0.9, -1], abs=0.01)
    plane.click(0.0, -1.1, button="right")  # where there is nothing
    assert len(plane.state()["points"]) == 5


def test_undo_goes_back_one_by_one(plane):
    plane.show()
    plane.click(0.9, -0.9)
    plane.wait_for_points(5)
    plane.drag((0.9, -0.9), (0.4, -0.2))
    plane.click(0.5, 0.5)
    plane.click(-0.4, 0.1, button="right")
    plane.wait_for_points(4)
    for expected in (5, 5, 5, 4):
        plane.page.keyboard.press("Control+z")
        plane.wait_for_points(expected)
    assert plane.state()["points"] == FOUR
    plane.page.keyboard.press("Control+z")
    expect(plane.find(".toast")).to_contain_text("Nothing to undo")
    assert plane.state()["points"] == FOUR


def test_points_by_finger(new_page, lab):
    page = new_page(has_touch=True)
    plane = Plane(page, lab).show()
    page.touchscreen.tap(*plane.at(0.9, -0.9))
    plane.wait_for_points(5)
    page.touchscreen.tap(*plane.at(0.9, -0.9))  # relabels
    linked(page, lambda state: [label for *_, label in state.get("points", ())][4:] == [-1])
    finger = page.context.new_cdp_session(page)
    x, y = plane.at(0.9, -0.9)
    touch = {"touchPoints": [{"x": x, "y": y}]}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", **touch})
    page.wait_for_timeout(900)  # a long press deletes
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    plane.wait_for_points(4)
    linked(page, lambda state: state.get("points") == FOUR)


def test_a_long_press_that_opens_a_menu_deletes_one_point_alone(new_page, lab):
    """Phones send `contextmenu` for a long press, besides the finger."""
    page = new_page(has_touch=True)
    plane = Plane(page, lab).show()
    x, y = plane.at(0.5, 0.5)
    finger = page.context.new_cdp_session(page)
    touch = {"touchPoints": [{"x": x, "y": y}]}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", **touch})
    plane.drawing().evaluate(
        "(el, at) => el.dispatchEvent(new MouseEvent('contextmenu', at))",
        {"clientX": x, "clientY": y, "cancelable": True},
    )
    page.wait_for_timeout(900)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert plane.state()["points"] == FOUR[1:]


# -- points by keys


def test_keys_alone_reach_the_plane_and_all_that_can_be_done_there(plane):
    plane.show()
    press = plane.page.keyboard.press
    for _ in range(40):  # by Tab, as one who has no mouse
        if plane.page.evaluate(FOCUSED) == "application":
            break
        press("Tab")
    assert plane.page.evaluate(FOCUSED) == "application"
    assert plane.drawing().locator(".cursor").get_attribute("d")
    press("+")  # in the middle
    plane.wait_for_points(5)
    assert plane.state()["points"][4] == [0, 0, 1]
    for key in ("Shift+ArrowRight", "Shift+ArrowDown"):
        press(key)
    press("-")
    plane.wait_for_points(6)
    assert plane.state()["points"][5] == pytest.approx([0.24, -0.24, -1])
    press("x")
    assert plane.state()["points"][5][2] == 1
    press("Enter")  # picks up
    expect(plane.find(".words")).to_contain_text("Carrying + at (0.24, −0.24)")
    press("Shift+ArrowRight")
    press("ArrowUp")
    press("Enter")
    expect(plane.find(".words")).to_contain_text("Put down")
    assert plane.state()["points"][5] == pytest.approx([0.48, -0.192, 1])
    check_figures(plane)
    press("Delete")
    plane.wait_for_points(5)
    press("Enter")  # nothing is near: places one with the label that is set
    plane.wait_for_points(6)
    for _ in range(2):
        press("Control+z")
    plane.wait_for_points(6)
    press("Tab")
    assert not plane.drawing().locator(".cursor").get_attribute("d")


FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.getAttribute("role") ?? at?.tagName;
}"""


def test_time_goes_by_keys(plane):
    plane.show(epochs=3)
    press = plane.page.keyboard.press
    press("Home")
    assert plane.time() == (0, 12)
    press("ArrowRight")
    press("ArrowRight")
    assert plane.time() == (2, 12)
    press("ArrowLeft")
    assert plane.time() == (1, 12)
    press("End")
    assert plane.time() == (12, 12)
    press("Home")
    press(" ")  # plays
    expect(plane.find("button.play")).to_have_attribute("aria-pressed", "true")
    press(" ")
    expect(plane.find("button.play")).to_have_attribute("aria-pressed", "false")


def test_menus_open_and_close_by_keys(plane):
    plane.show()
    plane.find(
        "summary",
    ).filter(has_text="Data").focus()
    plane.page.keyboard.press("Enter")
    expect(plane.find("details[open] .sheet select")).to_be_visible()
    plane.page.keyboard.press("Tab")
    plane.page.keyboard.press("Escape")
    expect(plane.find("details[open]")).to_have_count(0)
    assert plane.page.evaluate(FOCUSED) == "SUMMARY"


def test_after_a_click_the_arrows_move_time(plane):
    """One who presents clicks a point, and goes on with the arrows."""
    plane.show(t=1)
    plane.click(0.5, 0.5)
    plane.page.keyboard.press("ArrowRight")
    plane.wait(lambda: plane.time()[0] == 2)
    assert not plane.drawing().locator(".cursor").get_attribute("d")


# -- data


@pytest.mark.parametrize("kind", ["separable", "noisy", "xor", "circles", "drifting"])
def test_sets_are_generated(plane, kind):
    plane.show()
    sheet = plane.menu("Data")
    sheet.get_by_label("points").fill("25")
    sheet.get_by_label("points").press("Enter")
    sheet.get_by_label("kind").select_option(kind)
    plane.wait_for_points(25)
    sheet.get_by_label("seed").fill("11")
    sheet.get_by_label("seed").press("Enter")
    sheet.get_by_label("margin γ").fill("0.2")
    sheet.get_by_label("margin γ").press("Enter")
    sheet.get_by_label("noise").fill("0.3")
    sheet.get_by_label("noise").press("Enter")
    made = {"kind": kind, "size": 25, "gamma": 0.2, "noise": 0.3, "seed": 11}
    plane.wait(lambda: plane.state().get("made") == made)
    state = check_figures(plane)
    before = state["points"]
    sheet.get_by_text("Another").click()
    plane.wait(lambda: plane.state()["points"] != before)
    assert plane.state()["made"]["seed"] == 12
    sheet.get_by_text("Clear all").click()
    plane.wait_for_points(0)
    expect(plane.find(".words")).to_contain_text("click in the plane")
    plane.page.keyboard.press("Escape")
    plane.click(0.3, 0.3)
    plane.wait_for_points(1)
    check_figures(plane)


def test_a_number_that_cannot_be_is_put_back(plane):
    plane.show()
    field = plane.menu("Data").get_by_label("points")
    for wrong in ("0", "2001", "1.5", ""):
        field.fill(wrong)
        field.press("Enter")
        expect(field).not_to_have_value(wrong)
    assert plane.state()["points"] == FOUR


CSV = "height,width,label\n0.5,0.5,yes\n-0.5,-0.5,no\n0.1,0.7,yes\n"


def drop(plane, text, name="points.csv"):
    files = plane.page.evaluate_handle(
        """([text, name]) => { const data = new DataTransfer();
           data.items.add(new File([text], name, {type: "text/csv"})); return data; }""",
        [text, name],
    )
    plane.find(".plane-view").dispatch_event("drop", {"dataTransfer": files})


def test_points_from_a_file(plane, tmp_path):
    (tmp_path / "points.csv").write_text(CSV)
    plane.show()
    with plane.page.expect_file_chooser() as chooser:
        plane.button("CSV").click()
    chooser.value.set_files(tmp_path / "points.csv")
    plane.wait_for_points(3)
    linked(plane.page, lambda state: len(state.get("points", ())) == 3)
    assert plane.text(".note") == "x1 is height, x2 is width, + is yes, − is no."
    assert check_figures(plane)["points"] == [[0.5, 0.5, 1], [-0.5, -0.5, -1], [0.1, 0.7, 1]]


def test_points_from_a_file_that_is_dropped(plane):
    plane.show()
    drop(plane, CSV.replace(",", ";"))
    plane.wait_for_points(3)
    check_figures(plane)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,label\n1,2,1\nx,2,0\n", "line 3, a: found 'x'; expected a number"),
        ("1\n2\n", "1 column; expected three"),
        ("1,2,1\nnan,2,0\n", "found nan"),
        ("", "empty"),
        ("\x00\x01\x02", "not text in UTF-8"),
        ("1,2,a\n1,2,b\n1,2,c\n", "3 values"),
    ],
)
def test_a_file_that_is_no_table_is_said_and_nothing_changes(plane, text, said):
    plane.show()
    drop(plane, text)
    expect(plane.find(".toast.bad")).to_contain_text(said)
    assert plane.state()["points"] == FOUR


def test_a_million_rows_are_sampled_and_said(plane, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(-9, 10, (1_000_000, 2))
    with (tmp_path / "big.csv").open("w") as file:
        file.write("a,b,y\n")
        for begin in range(0, len(x), 10_000):
            rows = x[begin : begin + 10_000].tolist()
            file.write("".join(f".{abs(a)},-.{abs(b)},{int(a > 0)}\n" for a, b in rows))
    plane.show()
    plane.find("input[type=file]").set_input_files(tmp_path / "big.csv")
    plane.wait(lambda: plane.panel().locator(".point").count() == 2000, 30)
    assert plane.text(".note").startswith("2,000 of 1,000,000 rows, drawn at random.")
    plane.wait(lambda: plane.time() == (2000, 2000), 30)


# -- panels


def test_panels_are_added_changed_and_removed(plane):
    plane.show()
    expect(plane.panel().get_by_label("Remove")).to_be_disabled()
    plane.button("+ learner").click()
    plane.wait(lambda: plane.find(".panel").count() == 2)
    plane.panel(1).get_by_label("Learner of panel 2").select_option("pa")
    plane.wait(lambda: len(plane.figures()) == 2)
    plane.wait(
        lambda: plane.find(".figures tbody th").nth(1).text_content().strip() == "PassiveAggressive"
    )
    assert check_figures(plane)["panels"][1]["learner"] == "pa"
    plane.panel(0).get_by_label("Remove").click()
    plane.wait(lambda: plane.find(".panel").count() == 1)
    plane.wait(lambda: plane.find(".figures tbody tr").count() == 1)
    assert [p["learner"] for p in check_figures(plane)["panels"]] == ["pa"]
    for _ in range(7):
        plane.button("+ learner").click()
    expect(plane.button("+ learner")).to_be_disabled()
    plane.wait(lambda: plane.find(".figures tbody tr").count() == 8)
    check_figures(plane)


def test_every_learner_can_stand_in_a_panel(plane):
    points = [[abs(a), abs(b), label] for a, b, label in FOUR]  # which all of them take
    plane.show(points=points, epochs=2)
    chooser = plane.panel().get_by_label("Learner of panel 1")
    for entry in listed()["learners"]:
        chooser.select_option(entry["short"])
        plane.wait(lambda name=entry["name"]: name in plane.text(".figures tbody th"))
        row = plane.figures()[0]
        state = {"points": points, "order": "given", "epochs": 2}
        expected = learned(state, {"learner": entry["short"], "options": {}})
        if expected["mistakes"] is not None:
            assert (row["mistakes"], row["updates"]) == (expected["mistakes"], expected["updates"])
        if entry["curved"]:
            plane.wait(lambda: plane.panel().locator("path.boundary").get_attribute("d"))
        else:
            assert close(row["weights"], expected["weights"])
        assert plane.find(".foot.failed").count() == 0


def test_the_boundary_of_a_kernel_is_a_curve_and_follows_time(plane):
    circle = [
        [math.cos(a) * r, math.sin(a) * r, s] for a in range(6) for r, s in ((0.3, 1), (1, -1))
    ]
    rbf = {"learner": "kernel-perceptron", "options": {"kernel": "rbf", "gamma": 2.0}}
    plane.show(points=circle, panels=[rbf], epochs=4)
    curve = plane.panel().locator("path.boundary")
    plane.wait(lambda: (curve.get_attribute("d") or "").count("L") > 20)
    whole = curve.get_attribute("d")
    plane.button("To the start").click()
    plane.wait(lambda: not curve.get_attribute("d"))
    for _ in range(8):
        plane.button("Step ▸").click()
    plane.wait(lambda: curve.get_attribute("d") not in ("", whole))


def test_options_are_edited_and_a_wrong_one_is_said_in_the_panel(plane):
    plane.show(panels=[{"learner": "pa", "options": {}}, PLAIN], epochs=2)
    sheet = plane.panel().locator(".sheet")

    def open_sheet():
        plane.panel().locator("summary").click()
        expect(sheet.get_by_label("C", exact=True)).to_be_visible()
        plane.page.wait_for_timeout(50)  # until it is filled

    open_sheet()
    sheet.get_by_label("C", exact=True).fill("0.25")
    sheet.get_by_label("C", exact=True).press("Enter")
    plane.wait(lambda: plane.state()["panels"][0]["options"] == {"C": 0.25})
    check_figures(plane)
    sheet.get_by_label("variant").select_option("PA-II")
    sheet.get_by_label("fit_intercept").uncheck()
    plane.wait(lambda: len(plane.state()["panels"][0]["options"]) == 3)
    check_figures(plane)
    for wrong in ("-1", "many", "1e999"):
        sheet.get_by_label("C", exact=True).fill(wrong)
        sheet.get_by_label("C", exact=True).press("Enter")
        expect(plane.panel(0).locator(".foot.failed")).to_contain_text("C")
        expect(plane.panel(1).locator(".foot")).to_contain_text("mistakes")
        assert plane.panel(0).locator(".boundary[display=inline]").count() == 0
        assert plane.figures()[0]["mistakes"] is None
        plane.button("To the start").click()
        plane.button("Step ▸").click()
        plane.page.keyboard.press("End")
        open_sheet()
    sheet.get_by_label("C", exact=True).fill("1.0")
    sheet.get_by_label("C", exact=True).press("Enter")
    expect(plane.find(".foot.failed")).to_have_count(0)
    plane.wait(lambda: "C" not in plane.state()["panels"][0]["options"])
    check_figures(plane)


def test_an_option_is_shown_as_it_is_when_the_sheet_opens_again(plane):
    plane.show(panels=[{"learner": "pa", "options": {}}])
    field = plane.panel().locator(".sheet").get_by_label("C", exact=True)
    for before, value in (("1", "0.25"), ("0.25", "0.5")):
        plane.panel().locator("summary").click()
        plane.page.wait_for_timeout(50)
        expect(field).to_have_value(before)
        field.fill(value)
        field.press("Enter")
        plane.panel().locator("summary").click()
        expect(field).to_be_hidden()


# -- order and time


def test_order_and_epochs(plane):
    plane.show(epochs=1)
    plane.find("[aria-label=epochs]").fill("5")
    plane.find("[aria-label=epochs]").press("Enter")
    plane.wait(lambda: plane.time() == (20, 20))
    check_figures(plane)
    order = plane.find("[aria-label='Order of the examples']")
    for name in ("shuffled", "worst"):
        order.select_option(name)
        plane.wait(lambda name=name: plane.state()["order"] == name)
        assert plane.time() == (20, 20)
    order.select_option("given")
    plane.wait(lambda: plane.state()["order"] == "given")
    check_figures(plane)


def test_every_moment_has_the_numbers_of_the_library(plane):
    plane.show(panels=[PLAIN, {"learner": "pa", "options": {}}], epochs=2)
    plane.button("To the start").click()
    state = plane.state()
    for t in range(1, 9):
        plane.button("Step ▸").click()
        plane.wait(lambda t=t: plane.time()[0] == t)
        plane.wait(lambda t=t: f"Example {t}:" in plane.text(".words"))
        for i, (row, panel) in enumerate(zip(plane.figures(), state["panels"], strict=True)):
            expected = learned(state, panel, t)
            assert row["mistakes"] == expected["mistakes"]
            assert close(row["weights"], expected["weights"])
            assert (
                plane.panel(i)
                .locator(".foot")
                .text_content()
                .startswith(f"{expected['mistakes']} mistake")
            )
        marks = plane.panel(0).locator(".count").all_text_contents()
        assert sum(int(m[1:]) for m in marks if m) == learned(state, PLAIN, t)["mistakes"]
    expect(plane.button("Step ▸")).to_be_disabled()
    plane.button("◀ Back").click()
    plane.wait(lambda: plane.time()[0] == 7)
    check_figures(plane, 7)


# Words of a panel that cover a point or other words, as pairs; a point has a border of its own.
COVERED = """el => {
  const box = (one) => one.getBoundingClientRect();
  const seen = (one) => one.textContent && box(one).width;
  const words = [...el.querySelectorAll(".over text")].filter(seen);
  const rest = [...el.querySelectorAll(".point circle")].map((one) => [one, 3]);
  const over = (a, b, by) => a.left + by < b.right && b.left + by < a.right
    && a.top + by < b.bottom && b.top + by < a.bottom;
  return words.flatMap((one, i) =>
    [...words.slice(0, i).map((two) => [two, 2]), ...rest]
      .filter(([two, by]) => over(box(one), box(two), by))
      .map(([two]) => `${one.textContent} on ${two.textContent || "a point"}`));
}"""


def test_words_cover_neither_points_nor_each_other(plane):
    """w, the ring's word and the counts of mistakes find free places, as long as there are some."""
    plane.open()
    for panel in plane.find(".panel .layers").all():
        assert panel.locator(".over .count").count() >= 5
        assert panel.evaluate(COVERED) == []


WATCHED = """el => {
  window.changes = 0;
  const count = (records) => { window.changes += records.length; };
  new MutationObserver(count).observe(el, { attributes: true, childList: true, subtree: true });
}"""


def test_steps_leave_the_points_alone(plane):
    """They are a layer of their own, which a browser need not paint again while a run plays."""
    plane.show(epochs=3, t=0)
    plane.drawing().evaluate(WATCHED)
    for t in range(1, 5):
        plane.button("Step ▸").click()
        plane.wait(lambda t=t: plane.time()[0] == t)
    assert "".join(plane.panel().locator(".count").all_text_contents())  # mistakes were counted
    assert plane.page.evaluate("() => window.changes") == 0
    plane.click(0.9, 0.9)
    plane.wait(lambda: plane.page.evaluate("() => window.changes") > 0)


def test_scrubbing_and_playing(plane):
    plane.show(epochs=50)
    track = plane.find(".track input")
    box = track.bounding_box()
    plane.page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    plane.page.mouse.down()
    plane.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
    plane.page.mouse.up()
    plane.wait(lambda: 80 < plane.time()[0] < 120)
    plane.wait(
        lambda: (
            plane.figures()[0]["mistakes"]
            == learned({"points": FOUR, "order": "given", "epochs": 50}, PLAIN, plane.time()[0])[
                "mistakes"
            ]
        )
    )
    plane.button("To the start").click()
    pace = plane.find("input.pace")
    pace.focus()
    pace.press("End")  # 512 steps a second
    plane.button("▶ Play").click()
    plane.wait(lambda: plane.time()[0] == 200)
    expect(plane.button("▶ Play")).to_be_visible()
    pace.press("Home")
    plane.button("▶ Play").click()  # from the start again, one a second
    plane.button("❚❚ Pause").click()
    assert plane.time()[0] <= 2
    now = plane.time()
    plane.page.wait_for_timeout(1200)
    assert plane.time() == now


def test_the_averaged_line_can_be_hidden(plane):
    plane.show(panels=[{"learner": "perceptron", "options": {}}], mean=True)
    mean = plane.panel().locator("line.mean")
    expect(mean).to_have_attribute("display", "inline")
    plane.menu("Show").get_by_label("averaged line").uncheck()
    expect(mean).to_have_attribute("display", "none")
    plane.wait(lambda: plane.state()["mean"] is False)
    plane.page.reload()
    plane.ready()
    expect(mean).to_have_attribute("display", "none")


# -- a step told


def test_predict_first_asks_before_it_shows(plane):
    plane.show()
    plane.button("To the start").click()
    plane.page.get_by_label("predict first?").check()
    plane.button("Step ▸").click()
    assert plane.time()[0] == 0
    expect(plane.find(".vote")).to_contain_text(
        "Next: (0.5, 0.5), label +. Will Perceptron be right?"
    )
    vote = plane.find(".vote").get_by_role("button", name="a mistake")
    vote.click()
    vote.click()
    expect(vote).to_have_text("a mistake · 2")
    plane.find(".vote").get_by_role("button", name="right").click()
    plane.button("Step ▸").click()
    assert plane.time()[0] == 1
    expect(plane.find(".vote")).to_contain_text("A mistake. 2 of 3 votes saw it coming.")
    plane.page.get_by_label("predict first?").uncheck()
    expect(plane.find(".vote")).to_be_hidden()
    plane.button("Step ▸").click()
    assert plane.time()[0] == 2


def test_a_step_in_words_symbols_and_python(plane):
    plane.show(t=1)
    expect(plane.find(".words")).to_contain_text("Example 1: x = (0.5, 0.5), y = +1.")
    plane.button("maths").click()
    expect(plane.find("pre.maths")).to_contain_text("(0, 0, 0) + 1·1·(0.5, 0.5, 1) = (0.5, 0.5, 1)")
    expect(plane.find(".words")).to_be_hidden()
    plane.button("Python").click()
    expect(plane.find("pre.python")).to_contain_text("x, y = [0.5, 0.5, 1.0], 1")
    expect(plane.find("pre.python")).to_be_visible()
    plane.button("words").click()
    expect(plane.find(".words")).to_be_visible()


def test_the_page_says_what_python_said(plane):
    panels = [
        {"learner": "pa", "options": {"variant": "PA", "intercept_scaling": 2}},
        {"learner": "kernel-perceptron", "options": {"prediction": "voted"}},
    ]
    plane.show(panels=panels, t=3)
    expect(plane.panel(1).locator(".foot")).to_contain_text("shown: the vote")
    for i in (1, 0):
        plane.panel(i).locator(".foot").click()
        about = {"state": {"points": FOUR, "panels": panels}, "panel": i, "sequence": [0, 1, 2]}
        told = explain(about)
        expect(plane.find(".words")).to_have_text(told["words"])
        for name in ("maths", "python"):
            assert plane.find(f"pre.{name}").text_content() == told[name]


def test_a_screen_has_one_bound_that_of_the_panel_spoken_of(plane):
    through_0 = {"learner": "perceptron", "options": {"average": False, "fit_intercept": False}}
    plane.show(panels=[PLAIN, through_0])
    bounds = [row["bound"] for row in plane.figures()]
    assert bounds[0] != bounds[1]
    for i, bound in enumerate(bounds):
        plane.panel(i).locator(".foot").click()
        plane.wait(
            lambda bound=bound: number(plane.find(".facts dd").nth(2).text_content()) == bound
        )
        assert f"Novikoff: {bound:.0f}" in plane.find(".chart:not(.wedge)").text_content()
    assert "through the origin" in plane.text(".verdict")


def test_the_panel_that_is_touched_is_the_one_spoken_of(plane):
    plane.show(panels=[PLAIN, {"learner": "pa", "options": {}}])
    plane.panel(1).locator(".foot").click()
    expect(plane.find(".telling")).to_contain_text("PassiveAggressive")
    plane.panel(0).locator(".foot").click()
    expect(plane.find(".telling")).to_contain_text("Perceptron (average=False)")


# -- present, share, export, light and dark, phones


def test_leaving_the_full_screen_ends_presenting(plane):
    """A browser takes Escape for itself while a page fills the screen."""
    plane.show()
    plane.button("Present").click()
    plane.page.wait_for_function("() => document.fullscreenElement !== null")
    plane.page.evaluate("() => document.exitFullscreen()")
    expect(plane.find(".lab.presenting")).to_have_count(0)


def test_a_link_shows_the_same_in_another_page(plane, new_page, lab):
    plane.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    plane.open()
    plane.menu("Data").get_by_label("kind").select_option("circles")
    plane.page.keyboard.press("Escape")
    plane.wait(lambda: plane.time() == (80, 80))
    plane.panel(1).get_by_label("Learner").select_option("kernel-perceptron")
    plane.find("[aria-label='Order of the examples']").select_option("shuffled")
    plane.button("◀ Back").click()
    plane.wait(lambda: plane.state()["panels"][1]["learner"] == "kernel-perceptron")
    plane.wait(lambda: plane.time() == (79, 80))
    plane.button("Share").click()
    expect(plane.find(".toast")).to_contain_text("Copied.")
    link = plane.page.evaluate("() => navigator.clipboard.readText()")
    assert link.startswith(f"{lab.address}#plane=")
    assert unpacked(link)[1] == plane.state()
    other = Plane(new_page(), lab).open(link[len(lab.address) :])
    other.wait(lambda: other.time() == (79, 80))
    assert other.figures() == plane.figures()
    for place in (".facts", ".verdict"):
        assert other.text(place) == plane.text(place)
    glyphs = "g.point path"
    assert [d.get_attribute("d") for d in other.find(glyphs).all()] == [
        d.get_attribute("d") for d in plane.find(glyphs).all()
    ]


def export(plane, name):
    plane.menu("Export")
    with plane.page.expect_download() as download:
        plane.find("details[open] .sheet button").filter(has_text=name).click()
    return download.value


def test_pictures_are_real_files(plane, tmp_path):
    plane.show()
    svg = export(plane, "panel (SVG)")
    assert svg.suggested_filename == "plane.svg"
    svg.save_as(tmp_path / "plane.svg")
    root = ET.parse(tmp_path / "plane.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(root.findall(".//{*}circle[@r='9']")) == 4
    fills = {c.get("fill") for c in root.findall(".//{*}circle[@r='9']")}
    assert len(fills) == 2  # the colours of the page stand in the file
    assert not root.findall(".//*[@class]")
    assert root[0].get("width") == "100%"  # the paper: colours are chosen for it
    assert all(c.get("paint-order") == "stroke" for c in root.findall(".//{*}g/{*}text"))
    plane.page.keyboard.press("Escape")
    png = export(plane, "panel (PNG)")
    png.save_as(tmp_path / "plane.png")
    data = (tmp_path / "plane.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert [int.from_bytes(data[i : i + 4]) for i in (16, 20)] == [1200, 1200]
    pixels = plt_image(tmp_path / "plane.png")
    assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 20  # something is drawn


def plt_image(path):
    from matplotlib.image import imread

    return imread(path)


def test_what_is_copied_as_python_prints_what_the_page_shows(plane):
    plane.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panels = [{"learner": "perceptron", "options": {}}, {"learner": "pa", "options": {"C": 0.5}},
              {"learner": "kernel-perceptron", "options": {}}]  # fmt: skip
    plane.show(panels=panels, epochs=3)
    figures = plane.figures()
    plane.menu("Export")
    plane.find("details[open] .sheet button").filter(has_text="Python").click()
    expect(plane.find(".toast")).to_contain_text("Copied.")
    code = plane.page.evaluate("() => navigator.clipboard.readText()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    counts = re.findall(r"(\w+): (\d+) mistakes, (\d+) updates", done.stdout)
    assert [(int(m), int(u)) for _, m, u in counts] == [
        (row["mistakes"], row["updates"]) for row in figures
    ]
    weights = [[float(v) for v in re.findall(r"-?\d[\d.e+-]*", line)]
               for line in done.stdout.splitlines() if line.startswith("[")]  # fmt: skip
    for row, printed in zip(figures[:2], weights, strict=True):
        assert close(row["weights"], printed)


def test_light_and_dark(new_page, lab):
    for scheme in ("light", "dark"):
        plane = Plane(new_page(color_scheme=scheme), lab).show()

        def white(plane=plane):
            color = plane.find(".lab").evaluate("el => getComputedStyle(el).backgroundColor")
            return color == "rgb(255, 255, 255)"

        assert white() == (scheme == "light")
        plane.button("Light or dark").click()
        assert white() == (scheme == "dark")
        plane.button("Light or dark").click()
        assert white() == (scheme == "light")


# -- on fractions


def test_fractions_by_a_tick(plane):
    """Scores that are 0 on paper: the engine's rounding breaks the ties, the fractions do not."""
    ties = [[-3, 3, -1], [-3, 2, 1], [2, 3, -1], [1, 0, 1], [-2, 2, 1]]
    tenth = {"learner": "perceptron", "options": {"learning_rate": 0.1, "average": False}}
    plane.show(points=ties, panels=[tenth], epochs=6)
    assert plane.figures()[0]["mistakes"] == 16
    plane.menu("Show").get_by_label("exact").check()
    plane.wait(lambda: plane.figures()[0]["mistakes"] == 19)
    plane.wait(lambda: plane.state()["exact"] is True)
    plane.show(points=ties, panels=[tenth], epochs=6, exact=True, t=4)
    expect(plane.menu("Show").get_by_label("exact")).to_be_checked()
    expect(plane.find(".words")).to_contain_text("The score is exactly 0: no idea")
    expect(plane.find(".words")).to_contain_text("become (1/10, −1/10), b = 1/10.")
