"""The run of SequencePerceptron in the docs, from disk: nothing is asked of a network."""

import runpy
from pathlib import Path

import pytest
from playwright.sync_api import expect

from lab_pages import violations

PAGE = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "tagging_page.py"))


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_its_steps_are_walked_by_keys(new_page, faults, tmp_path, width, scheme):
    file = tmp_path / "tagging.html"
    file.write_text(PAGE["html"](), "utf-8")
    page = new_page(viewport={"width": width, "height": 700}, color_scheme=scheme, offline=True)
    page.goto(file.as_uri())
    tags, steps = PAGE["run"]().values()
    for number, step in enumerate(steps):
        if number:
            page.keyboard.press("ArrowRight")
        expect(page.locator("#count")).to_have_text(step["count"])
        expect(page.locator("#told")).to_have_text(step["told"])
        expect(page.locator(".word")).to_have_text(step["words"])
        scores = [w for tag in range(step["known"]) for w in (row[tag] for row in step["w"])]
        expect(page.locator(".score")).to_have_text([f"{w:g}".replace("-", "−") for w in scores])
        wrong = step["predicted"] != step["right"]
        expect(page.locator("line.wrong")).to_have_count(len(step["words"]) * wrong)
        expect(page.locator("li")).to_have_count(len(step["changes"]))
        for path in ("predicted", "right"):
            named = page.locator(f"text.{path}:not(.halo):not(.side)")
            expect(named).to_have_text([tags[k] for k in step[path]])
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    expect(page.get_by_label("One sentence on")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#count")).to_have_text(steps[-2]["count"])
    page.get_by_label("Sentence", exact=True).focus()
    page.keyboard.press("Home")  # the slider's own key, and then each arrow is one step
    page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_have_text(steps[1]["count"])
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#count")).to_have_text(steps[2]["count"])
    page.get_by_role("button", name="Pause").click()
    assert violations(page) == []
    assert faults == [f"the page asks {file.as_uri()}"]
    faults.clear()
