"""Each view for those who cannot see it well or use no mouse: axe-core finds nothing serious."""

import pytest
from playwright.sync_api import expect

from lab_pages import PLAIN, Plane, violations
from thresher.lab.lessons.screens import lessons
from thresher.lab.recording.lesson import html
from thresher.lab.view import NAMES

RBF = {"learner": "kernel-perceptron", "options": {}}


@pytest.fixture(params=["light", "dark"])
def plane(request, new_page, lab):
    return Plane(new_page(color_scheme=request.param), lab)


def test_axe_sees_what_is_wrong(page, lab):
    """Into the shadow root, where the whole page is: else all below would prove nothing."""
    plane = Plane(page, lab).show()
    plane.find(".toolbar").evaluate("el => el.append(document.createElement('select'))")
    assert any("select-name" in text for text in violations(plane.page))


@pytest.mark.parametrize("view", NAMES)
def test_each_view(plane, view):
    """As it opens, and as it is presented."""
    plane.page.goto(f"{plane.lab.address}#{view}")
    plane.page.wait_for_selector(f".lab[data-ready={view}]")
    assert violations(plane.page) == []
    plane.button("Present").click()
    assert violations(plane.page) == []


def test_the_plane_with_everything_open(plane):
    wrong = {"learner": "pa", "options": {"C": -1}}
    plane.show(panels=[PLAIN, RBF, wrong], epochs=3, t=2)
    plane.page.get_by_label("predict first?").check()
    plane.button("Step ▸").click()
    plane.page.keyboard.press("Control+z")  # says that there is nothing to undo
    for tab in ("proof", "space", "Python"):
        plane.button(tab).click()
        assert violations(plane.page) == []
    plane.menu("Data")
    assert violations(plane.page) == []
    plane.page.keyboard.press("Escape")
    plane.menu("Export")
    assert violations(plane.page) == []
    plane.page.keyboard.press("Escape")
    plane.panel(0).locator("summary").click()
    plane.page.wait_for_timeout(50)
    assert violations(plane.page) == []


def test_every_lesson(new_page, lab):
    """After a wrong answer, light and dark; one of them also before it."""
    plane = Plane(new_page(), lab)
    for lesson in lessons():
        shown = lesson.screens[0]
        plane.open(f"#lesson={lesson.name}", shown.view)
        if lesson.name == "converges":
            assert violations(plane.page) == []
        plane.find(".choice").nth(0 if shown.question.right else 1).click()
        expect(plane.find(".reveal")).to_contain_text("✗")
        for scheme in ("light", "dark"):
            plane.page.emulate_media(color_scheme=scheme)
            assert violations(plane.page) == [], (lesson.name, scheme)
        plane.page.emulate_media(color_scheme="light")


def test_on_a_phone(new_page, lab):
    plane = Plane(new_page(viewport={"width": 390, "height": 844}, has_touch=True), lab).open()
    assert violations(plane.page) == []


def test_what_happens_is_read_out(page, lab):
    plane = Plane(page, lab).show(t=0)
    region = plane.find("p.heard[aria-live=polite]")
    for key, said in (("ArrowRight", "Example 1: x = (0.5, 0.5), y = +1."), ("Home", "Nothing")):
        plane.page.keyboard.press(key)
        plane.wait(lambda said=said: region.text_content().startswith(said))


def test_a_recorded_lesson(plane, faults, tmp_path):
    path = tmp_path / "step.html"
    path.write_text(html("step"), "utf-8")
    plane.page.goto(path.as_uri())
    plane.ready()
    assert violations(plane.page) == []
    plane.page.goto("about:blank")
    plane.page.goto(path.as_uri() + "#3.present")
    plane.ready()
    assert violations(plane.page) == []
    faults.clear()  # it loads itself from disk
