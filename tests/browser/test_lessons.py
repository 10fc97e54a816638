"""The lessons in a browser: every screen opens, questions can be answered, links lead there."""

import re

import pytest
from playwright.sync_api import expect

from lab_pages import Plane
from thresher.lab.lessons.screens import lessons, screen

LESSONS = {lesson.name: lesson for lesson in lessons()}


@pytest.fixture
def plane(page, lab):
    return Plane(page, lab)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_can_be_walked_through(plane, name):
    """Screen by screen, each question answered wrongly or rightly in turn."""
    view = LESSONS[name].screens[0].view
    plane.open(f"#lesson={name}", view)
    screens = len(LESSONS[name].screens)
    for number in range(1, screens + 1):
        expected = screen({"lesson": name, "screen": number})
        expect(plane.find(".lesson h2")).to_have_text(f"{expected['title']} · {number}/{screens}")
        expect(plane.find(".lesson-text")).to_have_text(expected["text"])
        plane.ready(view)
        plane.wait(lambda number=number: plane.page.url.endswith(f"#lesson={name}.{number}"))
        panels = expected["state"].get("panels")
        assert panels is None or plane.find(".panel").count() == len(panels)
        t = expected["state"].get("t")
        plane.wait(lambda t=t: plane.time()[0] == (plane.time()[1] if t is None else t))
        question = expected["question"]
        if question:
            choices = plane.find(".choice")
            assert choices.all_text_contents() == question["choices"]
            pick = (question["right"] + number) % len(question["choices"])
            choices.nth(pick).click()
            wrong = f"✗ {question['replies'][pick]}"
            told = "✓" if pick == question["right"] else wrong
            expect(plane.find(".reveal")).to_have_text(f"{told} {question['reveal']}")
            expect(plane.find(".choice.right")).to_have_text(question["choices"][question["right"]])
            expect(choices.first).to_be_disabled()
            if "t" in question["then"]:
                then = question["then"]["t"]
                plane.wait(
                    lambda then=then: plane.time()[0] == (plane.time()[1] if then is None else then)
                )
        plane.find(".lesson-next").click()
    following = screen({"lesson": name, "screen": screens})["next"]
    if following:
        expect(plane.find(".lesson h2")).to_contain_text(f"{following['title']} · 1/")
    else:
        expect(plane.find(".lesson")).to_be_hidden()
        plane.wait(lambda: f"#{view}=" in plane.page.url)


def test_a_link_leads_to_its_screen(plane):
    plane.open("#lesson=order.2")
    expect(plane.find(".lesson h2")).to_have_text("One by one: the order matters · 2/3")
    expect(plane.find("[aria-label='Order of the examples']")).to_have_value("worst")
    plane.find(".lesson-back").click()
    expect(plane.find(".lesson h2")).to_contain_text("1/3")
    expect(plane.find(".lesson-back")).to_be_disabled()


def test_a_lesson_by_keys(plane):
    """An open question is answered before the next screen comes."""
    plane.open("#lesson=step")
    plane.page.keyboard.press("PageDown")
    expect(plane.find(".reveal")).to_contain_text("To the left: w ←")
    expect(plane.find(".lesson h2")).to_contain_text("1/3")
    plane.page.keyboard.press("PageDown")
    expect(plane.find(".lesson h2")).to_contain_text("2/3")
    plane.page.keyboard.press("PageUp")
    expect(plane.find(".lesson h2")).to_contain_text("1/3")


def test_a_key_pressed_twice_shows_a_screen_once(plane):
    """A second copy of the screen would take back the answer that the class has seen."""
    plane.open("#lesson=step")
    plane.page.keyboard.press("PageDown")
    expect(plane.find(".reveal")).not_to_be_empty()
    shown = plane.find(".lesson h2").evaluate("""async (title) => {
      let shown = 0;
      new MutationObserver((all) => (shown += all.length)).observe(title, { childList: true });
      const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
      press("PageDown");
      press("PageDown");
      while (!shown) await new Promise((soon) => setTimeout(soon, 10));
      await new Promise((soon) => setTimeout(soon, 300));
      return shown;
    }""")
    assert shown == 1
    expect(plane.find(".lesson h2")).to_contain_text("2/3")


def test_lessons_are_chosen_from_the_menu_and_left(plane):
    plane.open()
    plane.menu("Lessons")
    items = plane.find("details[open] .sheet .item")
    expect(items).to_have_count(len(LESSONS))
    items.nth(1).click()
    expect(plane.find(".lesson h2")).to_contain_text(list(LESSONS.values())[1].title)
    plane.button("Leave the lesson").click()
    expect(plane.find(".lesson")).to_be_hidden()


@pytest.mark.parametrize("link", ["#lesson=magic", "#lesson=step.99", "#lesson=step.0"])
def test_a_lesson_that_is_not_there_is_said_and_something_is_shown(plane, link):
    plane.open(link)
    expect(plane.find(".toast.bad").first).to_be_visible()
    assert plane.find(".panel").count() == 2


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900), (1920, 1080)])
def test_beside_a_lesson_the_whole_picture_is_seen(new_page, lab, width, height):
    plane = Plane(new_page(viewport={"width": width, "height": height}), lab)
    for link in ("represent.2", "margin.1"):
        plane.open(f"#lesson={link}")
        lesson, picture, time = (
            plane.find(place).first.bounding_box() for place in (".lesson", ".plane", ".timeline")
        )
        assert lesson["x"] + lesson["width"] <= picture["x"]
        assert picture["y"] + picture["height"] <= time["y"]
        assert picture["width"] >= 0.45 * height
        if link == "represent.2" and height >= 900:  # one picture has its words beside it
            words = plane.find(".words").bounding_box()
            assert words["x"] >= picture["x"] + picture["width"]
            assert words["y"] + words["height"] <= height


def test_on_a_phone_the_picture_follows_the_question(new_page, lab):
    plane = Plane(new_page(viewport={"width": 390, "height": 844}), lab).open("#lesson=step.2")
    lesson, picture = (plane.find(place).bounding_box() for place in (".lesson", ".plane"))
    assert picture["y"] - lesson["y"] - lesson["height"] < 100
    assert plane.page.evaluate("() => document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("link", ["margin.1", "classes.1", "landscape.2"])
def test_presented_beside_a_lesson_two_pictures_have_all_the_room(new_page, lab, link):
    plane = Plane(new_page(viewport={"width": 1280, "height": 720}), lab)
    plane.open(f"#lesson={link}", LESSONS[link[:-2]].screens[0].view)
    plane.button("Present").click()
    for panel in plane.find(".panel .layers").all():
        assert panel.bounding_box()["width"] > 0.5 * 720


def test_tab_leads_to_the_question_before_the_next_screen(plane):
    plane.open("#lesson=step.1")
    plane.find(".leave").focus()
    plane.page.keyboard.press("Tab")
    expect(plane.find(".choice").first).to_be_focused()
    for _ in range(3):
        plane.page.keyboard.press("Tab")
    expect(plane.find(".lesson-next")).to_be_focused()  # there is nothing to go back to


def test_no_bound_of_another_run_is_shown(plane):
    before, after = (screen({"lesson": "winnow", "screen": n}) for n in (1, 2))
    plane.open("#lesson=winnow.1", "boolean")
    plane.find(".choice").first.click()
    n = before["question"]["then"]["n"]
    assert after["state"]["n"] == n
    row = plane.find(".figures tbody tr").first.locator("td")
    mistakes = re.search(r"Winnow (\d+) mistakes \(at most (\d+)\)", after["text"])
    plane.wait(lambda: row.nth(0).text_content() == mistakes[1])
    assert row.nth(2).text_content() in ("…", f"≤ {mistakes[2]}")
    expect(row.nth(2)).to_have_text(f"≤ {mistakes[2]}")


def test_axes_have_few_numbers_and_a_plain_zero(plane):
    plane.open("#lesson=landscape.3", "landscape")
    plane.find(".choice").first.click()
    plane.wait(lambda: plane.time()[0] == 40)
    for layers in plane.find(".layers").all():
        numbers = layers.locator(".axis-number").all_text_contents()
        assert "0" in numbers and len(numbers) <= 10
        assert all(re.fullmatch(r"−?\d+(\.\d+)?", number) for number in numbers), numbers


def test_a_legend_has_only_what_is_drawn(plane):
    plane.open("#lesson=step.1")
    expect(plane.find("[data-sign=mean]")).to_be_hidden()
    plane.open("#lesson=average.1")
    expect(plane.find("[data-sign=mean]")).to_be_visible()
