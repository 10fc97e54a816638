"""What a class sees: one moment at a time, no answer before its question, a screen that fits."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from lab_pages import FOUR, PLAIN, Plane, learned, number
from thresher.lab.plane.proof import proof
from thresher.lab.view import NAMES
from waiting import wait_until

PA = {"learner": "pa", "options": {}}

# What the page says at every frame until a time: t, the words, the panel's foot, the table.
WATCH = """(end) => new Promise((done) => {
  const root = document.querySelector("div").shadowRoot, out = [];
  const text = (place) => root.querySelector(place).textContent;
  const look = () => {
    out.push([text(".time"), text(".words"), text(".foot"), text(".figures tbody b")]);
    if (text(".time").startsWith(`t = ${end}/`) || out.length > 900) done(out);
    else requestAnimationFrame(look);
  };
  look();
})"""


@pytest.fixture
def plane(page, lab):
    return Plane(page, lab)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_while_it_plays_everything_is_of_one_moment(new_page, lab, motion):
    plane = Plane(new_page(reduced_motion=motion), lab)
    plane.show(panels=[PLAIN, PA], epochs=6, t=0)
    state = plane.state()
    plane.find("input.pace").fill("45")  # some 16 steps a second
    plane.button("▶ Play").click()
    seen = plane.page.evaluate(WATCH, 24)
    moments = set()
    for time, words, foot, count in seen:
        t = int(re.match(r"t = (\d+)/24", time)[1])
        moments.add(t)
        assert t == 0 or words.startswith(f"Example {t}: "), (t, words)
        assert count == str(learned(state, PLAIN, t)["mistakes"] if t else 0)
        assert re.match(rf"{count} mistake", foot)
    assert len(moments) > 5


def test_playing_stops_at_a_question(plane):
    plane.show(t=0)
    plane.page.get_by_label("predict first?").check()
    assert not plane.find(".tick.p0").get_attribute("d")  # no mark of what is to come
    plane.button("▶ Play").click()
    expect(plane.find(".vote")).to_contain_text("Will Perceptron be right?")
    assert plane.time()[0] == 0
    plane.button("▶ Play").click()  # reveals, and asks about the next
    expect(plane.find(".vote")).to_contain_text("Next: (−0.5, −0.5), label −.")
    assert plane.time()[0] == 1


def test_what_answers_a_question_is_hidden_until_it_is_answered(plane):
    plane.open("#lesson=represent.2")
    facts = plane.find(".facts dd")
    assert [cell.text_content() for cell in facts.all()][1:] == ["?", "?"]
    assert plane.text(".verdict") == "Shown with the answer."
    assert plane.find(".level-label").count() == 0
    assert not plane.find(".tick.p0").get_attribute("d")
    for control in (".play", ".step"):
        expect(plane.find(control)).to_be_disabled()
    plane.page.keyboard.press("End")
    assert plane.time()[0] == 0
    plane.find(".choice").first.click()
    expect(plane.find(".reveal")).to_contain_text("✗ However a line lies, at least one corner")
    expect(plane.find(".verdict")).to_contain_text("Not separable: 4 of the points prove it")
    assert plane.find(".tick.p0").get_attribute("d")
    assert plane.time()[0] == 32


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160)])
def test_presented_the_picture_fills_the_screen(new_page, lab, size):
    width, height = size
    plane = Plane(new_page(viewport={"width": width, "height": height}), lab)
    for link, panels in (("", 2), ("#lesson=represent.2", 1)):
        plane.open(link)
        before = plane.drawing().bounding_box()["width"]
        plane.button("Present").click()
        plane.page.wait_for_timeout(100)
        box = plane.drawing().bounding_box()
        assert box["width"] >= min(before, 0.6 * height), (link, before, box)
        assert box["width"] * panels > 0.33 * width
        for place in (".words", ".timeline", ".foot", *((".choice",) if link else ())):
            seen = plane.find(place).first.bounding_box()
            assert seen["y"] >= 0, place
            assert seen["y"] + seen["height"] <= height, place
        letters = plane.find(".words").evaluate("el => parseFloat(getComputedStyle(el).fontSize)")
        assert letters >= 0.025 * height
        assert plane.find(".stage").evaluate("el => el.scrollHeight <= el.clientHeight + 1")
        plane.page.keyboard.press("Escape")
        expect(plane.find(".lab.presenting")).to_have_count(0)


def test_every_key_of_a_remote_control(plane):
    plane.show(t=0)
    plane.button("Present").click()
    expect(plane.find(".toolbar")).to_be_hidden()
    press = plane.page.keyboard.press
    for key, t in (("PageDown", 1), (" ", 2), ("ArrowRight", 3), ("PageUp", 2), ("ArrowLeft", 1)):
        press(key)
        assert plane.time()[0] == t, key
    press("b")
    expect(plane.find(".lab.blank")).to_have_count(1)
    press(".")
    expect(plane.find(".lab.blank")).to_have_count(0)
    press("F5")
    assert plane.time()[0] == 1  # the page has not begun anew
    press("Escape")
    expect(plane.find(".lab.presenting")).to_have_count(0)
    assert plane.page.evaluate("() => document.fullscreenElement === null")


def test_old_points_fade_where_the_truth_moves(plane):
    plane.open("#lesson=drift")
    plane.find(".choice").first.click()
    plane.wait(lambda: plane.time()[0] == 200)
    ages = [float(p.get_attribute("opacity")) for p in plane.panel().locator(".point").all()]
    assert ages[-1] == 1.0
    assert ages[-10] > ages[-35] > ages[0] < 0.1


def test_names_in_a_chart_do_not_cover_each_other_and_values_can_be_read(plane):
    plane.page.goto(f"{plane.lab.address}#boolean")
    plane.ready("boolean")
    names = plane.find(".side-column .chart").locator(".level-label, .line-name")
    plane.wait(lambda: names.count() == 12)  # six learners, a bound and a name for each
    boxes = [name.bounding_box() for name in names.all()]
    halo = 6  # of the paper around the letters
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a["y"] + a["height"] <= b["y"] + halo or b["y"] + b["height"] <= a["y"] + halo
            assert apart or a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    plane.find(".side-column .chart").hover()
    expect(plane.find(".reading text").first).to_contain_text("examples ")
    assert plane.find(".reading text").count() == 7


def test_a_learner_that_cannot_take_the_points_offers_some_that_it_can(plane):
    points = [[-0.5, 0.2, -1], [0.4, 0.3, 1]]
    plane.show(points=points, panels=[{"learner": "winnow", "options": {}}])
    expect(plane.find(".foot.failed")).to_contain_text("[0, 1]")
    plane.button("Take points that it can learn").click()
    expect(plane.find(".foot.failed")).to_have_count(0)
    assert plane.figures()[0]["mistakes"] > 0


def test_each_view_has_a_headline_and_colours_that_are_forced_leave_names(new_page, lab):
    page = new_page(forced_colors="active")
    for view in NAMES:
        page.goto("about:blank")
        page.goto(f"{lab.address}#{view}")
        page.wait_for_selector(f".lab[data-ready={view}]")
        expect(page.locator("h1")).to_have_count(1)
    page.goto("about:blank")
    page.goto(lab.address)
    expect(page.locator(".chart .line-name").first).to_have_text("Perceptron")
    colours = "els => new Set(els.map((el) => getComputedStyle(el).stroke)).size"
    wait_until(lambda: page.locator(".chart .line").evaluate_all(colours) == 2)


def test_a_finger_scrolls_the_page_and_moves_only_points(new_page, lab):
    plane = Plane(new_page(viewport={"width": 390, "height": 700}, has_touch=True), lab).show()
    tools = plane.page.context.new_cdp_session(plane.page)

    def swipe(x, y):
        for kind, by in (("touchStart", 0), ("touchMove", -60), ("touchMove", -180)):
            point = [{"x": x, "y": y + by}]
            tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": point})
        tools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        plane.page.wait_for_timeout(150)

    before = plane.state()["points"]
    swipe(*plane.at(0.0, -0.3))
    assert plane.page.evaluate("() => scrollY") > 50
    assert plane.state()["points"] == before


def test_the_whole_figure_has_its_title_legend_and_chart(plane, tmp_path):
    plane.show(panels=[PLAIN, PA])
    plane.menu("Export")
    with plane.page.expect_download() as download:
        plane.find("details[open] .sheet button").filter(has_text="Whole figure (SVG)").click()
    download.value.save_as(tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text("utf-8")
    for said in ("The same 4 points, 4 of 4 steps", "Perceptron", "PassiveAggressive",
                 "this example", "Novikoff: ", "examples"):  # fmt: skip
        assert said in text
    assert "class=" not in text


# -- the proof, and a step as it is made


def test_the_proof_has_the_numbers_of_the_library(plane):
    plane.show(panels=[PLAIN], epochs=2, t=1)
    plane.button("proof").click()
    expect(plane.find(".proof-said")).to_contain_text("After 1 mistake: ")
    plane.page.keyboard.press("End")
    state = plane.state()
    run = {key: state[key] for key in ("points", "panels", "order", "epochs", "seed", "exact")}
    told = proof({"state": run, "panel": 0})
    k = len(told["at"])
    plane.wait(lambda: f"After {k} mistake" in plane.text(".proof-said"))
    text = plane.text(".proof-said")
    shown = [number(v) for v in re.findall(r"= ([\d,]+(?:\.\d+)?)", text)]
    expected = [
        k * told["gamma"],
        told["along"][-1],
        told["norm"][-1],
        told["R"] * k**0.5,
        told["most"],
    ]
    assert shown == pytest.approx(expected, rel=6e-3)
    expect(plane.find(".dial")).to_have_attribute("aria-label", re.compile(r"cos θ = 0\.\d+"))
    plane.page.get_by_label("γ in the proof").fill("0.5")
    crossing = plane.find(".wedge .limit-name").filter(has_text="R²/γ²")
    expect(crossing).to_have_text(f"R²/γ² = {int(told['bound'] * 4)}")
    plane.button("Nearly the worst points").click()
    plane.wait(lambda: "After 32 mistakes" in plane.text(".proof-said"))
    expect(crossing).to_have_text("R²/γ² = 200")  # γ is still halved
    assert plane.state()["tab"] == "proof"


def test_a_learner_without_that_proof_says_so_and_winnow_has_its_lemmas(plane):
    plane.show(panels=[PA], tab="proof")
    expect(plane.find(".telling")).to_contain_text("Novikoff's theorem is about the perceptron")
    plane.page.goto(f"{plane.lab.address}#boolean")
    plane.ready("boolean")
    plane.button("proof").click()
    expect(plane.find(".proof-said")).to_contain_text("the lemmas together allow at most 56.")
    assert plane.find(".lemmas dd").count() == 4


def test_a_step_is_made_part_by_part(new_page, lab):
    plane = Plane(new_page(reduced_motion="no-preference"), lab)
    plane.show(points=[[0.5, 0.5, 1], [0.6, -0.5, -1]], panels=[PLAIN], t=1)
    over = plane.panel()
    drop, push = over.locator(".drop"), over.locator(".moved")

    def line():
        return [over.locator("line.boundary").get_attribute(name) for name in ("x1", "y1")]

    old = line()
    track = plane.find(".track input")
    for at, dropped, pushed in ((1.1, False, False), (1.46, True, True), (1.64, True, True)):
        track.evaluate("(el, at) => { el.value = at; el.dispatchEvent(new Event('input')); }", at)
        shown = {True: "inline", False: "none"}
        expect(drop).to_have_attribute("display", shown[dropped])
        expect(push).to_have_attribute("display", shown[pushed])
        assert line() == old
        assert plane.time()[0] == 2
    track.evaluate("(el) => { el.value = 1.9; el.dispatchEvent(new Event('input')); }")
    plane.wait(lambda: line() != old)
    half = line()
    plane.page.keyboard.press("End")
    plane.wait(lambda: line() not in (old, half))
    expect(drop).to_have_attribute("display", "none")
    plane.page.keyboard.press("ArrowLeft")
    plane.wait(lambda: line() == old)
    plane.page.keyboard.press("ArrowRight")  # made in 600 ms
    expect(drop).to_have_attribute("display", "inline")
    plane.wait(lambda: line() not in (old, half))


def test_c_is_a_rope(plane):
    plane.show(points=[[0.1, 0.1, 1]], panels=[{"learner": "pa", "options": {"C": 0.5}}], t=1)
    expect(plane.panel().locator(".rope")).to_have_text("C stops it at 0.51")


def test_the_space_of_weights_shows_what_is_left_of_it(plane):
    plane.show(panels=[PLAIN], epochs=2, tab="space", t=3)
    normals = np.array([[x1 * y, x2 * y, y] for x1, x2, y in FOUR[:3]])
    directions = np.random.default_rng(0).normal(size=(400_000, 3))
    share = (directions @ normals.T > 0).all(axis=1).mean()
    told = re.search(r"3 cuts: .* fill ([\d.]+) % of the sphere", plane.text(".telling"))
    assert float(told[1]) == pytest.approx(100 * share, rel=0.02)
    assert plane.find(".space .cut:not(.lit)").count() == 3
    plane.page.mouse.move(*plane.at(0.5, 0.5))
    expect(plane.find(".cut.lit")).to_have_attribute("d", re.compile("^M"))
    # Dragged, w takes its line with it; Escape puts it back.
    before = plane.panel().locator("line.boundary").get_attribute("x1")
    plane.find(".space").focus()
    for _ in range(4):
        plane.page.keyboard.press("ArrowRight")
    expect(plane.panel().locator(".foot")).to_contain_text("your w: wrong on ")
    assert plane.panel().locator("line.boundary").get_attribute("x1") != before
    plane.page.keyboard.press("Escape")
    expect(plane.panel().locator("line.boundary")).to_have_attribute("x1", before)
    corners = [[-0.6, -0.6, 1], [0.6, -0.6, -1], [-0.6, 0.6, -1], [0.6, 0.6, 1]]
    plane.show(points=corners, panels=[PLAIN], epochs=3, tab="space")
    expect(plane.find(".telling")).to_contain_text("no vector is right on all of them.")
    expect(plane.find(".telling")).to_contain_text("the orbit is closed")
