"""Three classes and more, in a browser."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from lab_views import figures, linked, opened
from thresher import MIRA

POINTS = [[0.5, 0.5, 0], [-0.5, 0.4, 1], [0.0, -0.6, 2], [0.6, 0.2, 0], [-0.4, 0.6, 1]]
STATE = {"points": POINTS, "panels": [{"learner": "mira", "options": {}}], "epochs": 1, "t": 3}


def test_a_step_pulls_one_prototype_and_pushes_the_others(page, lab):
    opened(page, lab, "classes", STATE)
    model = MIRA(average=False)
    X, y = np.array(POINTS)[:, :2], [p[2] for p in POINTS]
    model.partial_fit(X[:3], y[:3], classes=[0, 1, 2])
    assert figures(page)["MIRA"][:2] == [str(model.mistakes_), str(model.updates_)]
    assert page.locator(".region").count() == 3
    taus = page.locator(".tau").all_text_contents()
    assert [tau[0] for tau in taus] == ["−", "−", "+"]
    words = page.locator(".words")
    expect(words).to_contain_text("Prototype 3 is pulled towards x by ")
    page.get_by_role("button", name="maths").click()
    expect(page.locator(".maths")).to_contain_text("w₃ ← w₃ + T·x = (0, 0, 0) + ")
    page.keyboard.press("End")
    model.partial_fit(X[3:], y[3:])
    wrong = int(np.sum(model.predict(X) != y))
    expect(page.locator(".figures td").nth(2)).to_have_text(f"{wrong} of 5")
    assert figures(page)["MIRA"][:2] == [str(model.mistakes_), str(model.updates_)]


def test_points_by_keys_undo_and_the_link(page, lab):
    opened(page, lab, "classes", STATE)
    plane = page.locator("svg.plane").first
    page.get_by_role("button", name="class 4").focus()
    plane.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("4")  # the first of a new class
    expect(page.locator(".class-point.point")).to_have_count(6)
    expect(page.locator(".legend li:has(.class-icon)")).to_have_count(4)
    page.keyboard.press("x")  # the next class, which is the first again
    expect(page.locator(".legend li:has(.class-icon)")).to_have_count(3)
    linked(page, lambda state: state["points"][-1][2] == 0)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.locator(".class-point.point")).to_have_count(5)


def test_panels_of_the_same_learner_say_how_they_differ_now(page, lab):
    two = [{"learner": "pa", "options": {"C": c}} for c in (0.5, 0.1)]
    opened(page, lab, "classes", {**STATE, "panels": two})
    apart = page.locator(".panel > header .apart")
    expect(apart).to_have_text(["C=0.5", "C=0.1"])
    page.locator(".panel").first.locator("summary").click()
    page.get_by_label("C", exact=True).fill("2")
    page.keyboard.press("Enter")
    expect(apart).to_have_text(["C=2", "C=0.1"])


def test_a_table_is_dropped_and_its_columns_chosen(page, lab):
    opened(page, lab, "classes")
    lines = ["a,b,c,kind", *(f"{i},{i % 5},{i % 3},{'uvw'[i % 3]}" for i in range(30))]
    file = {"name": "t.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    page.locator("input[type=file]").set_input_files([file])
    expect(page.locator(".legend li:has(.class-icon)")).to_have_text(["1u", "2v", "3w"])
    page.get_by_label("scaled").uncheck()
    page.get_by_label("Column that goes up").select_option(label="c")
    expect(page.locator(".time")).to_have_text("t = 60/60")
    rows = [[i, i % 3, i % 3] for i in range(30)]
    found = linked(page, lambda state: sorted(state.get("points", [])) == rows)
    assert found["names"] == ["u", "v", "w"]


def test_a_link_that_cannot_be_shown_is_said(page, lab):
    opened(page, lab, "classes", {**STATE, "points": [[0, 0, 9]], "panels": []})
    expect(page.locator(".toast.bad").first).to_contain_text("that the lab cannot show")
    assert page.locator(".panel").count() == 2
