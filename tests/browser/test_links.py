"""Links that are old, cut or hostile; two pages at once; a server that goes away and comes back."""

import json
import signal
import sys

import pytest
from playwright.sync_api import expect

from lab_pages import FOUR, PLAIN, Plane
from labs import encoded, packed, started


@pytest.fixture
def plane(page, lab):
    return Plane(page, lab)


STATE = {"points": FOUR, "panels": [PLAIN], "order": "given", "epochs": 1, "seed": 0}
BOMB = encoded(bytes.fromhex("edc1010d000000c2a0f74f6d0e37a00000000000000000000000000000"))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (f"#plane={packed(STATE)[:-9]}", "cut or damaged"),
        (f"#plane={packed(STATE)[4:]}", "cut or damaged"),
        ("#plane=%%%", "cut or damaged"),
        ("#plane=AAAA", "cut or damaged"),
        (f"#plane={BOMB}", "cut or damaged"),
        (f"#plane={packed([1, 2])}", "cut or damaged"),
        (f"#plane={packed({'points': [[0, 0, 1]] * 500_000})}", "cut or damaged"),
        (f"#plane={packed(STATE, version=0)}", "another version"),
        (f"#plane={packed(STATE, version=99)}", "another version"),
        ("#palace=abc", "does not have: palace"),
        (f"#plane={packed({**STATE, 'points': 5})}", "points"),
        (f"#plane={packed({**STATE, 'points': [[0, 0, '<img onerror=alert(1)>']]})}", "points"),
        (f"#plane={packed({**STATE, 'points': [[0, 0, 7]]})}", "label 1 or -1"),
        (f"#plane={packed({**STATE, 'points': [[1e300, 0, 1]]})}", "points"),
        (f"#plane={packed({**STATE, 'panels': 'all'})}", "panels"),
        (f"#plane={packed({**STATE, 'panels': [{'learner': 'forest', 'options': {}}]})}", "forest"),
        (f"#plane={packed({**STATE, 'panels': [PLAIN] * 9})}", "at most 8"),
        (f"#plane={packed({**STATE, 'epochs': 0})}", "epochs"),
        (f"#plane={packed({**STATE, 'epochs': 'x'})}", "epochs"),
        (f"#plane={packed({**STATE, 'order': 'none'})}", "order"),
        (f"#plane={packed({**STATE, 'seed': -1})}", "seed"),
        (f"#plane={packed({**STATE, 't': 'x'})}", "“t”"),
        (f"#plane={packed({**STATE, 'label': 3})}", "“label”"),
        (f"#plane={packed({'made': {'kind': 'evil'}})}", "evil"),
        (f"#plane={packed({'made': 'evil'})}", "made"),
    ],
)  # fmt: skip
def test_a_bad_link_is_said_and_something_is_shown(plane, link, said):
    plane.open(link)
    expect(plane.find(".toast.bad").first).to_contain_text(said)
    assert plane.find(".panel .point").count() > 0
    plane.button("To the start").click()
    plane.button("Step ▸").click()
    plane.wait(lambda: "Example 1:" in plane.text(".words"))


@pytest.mark.parametrize("t", [-5, 10**9])
def test_a_link_to_a_time_that_is_none_shows_the_nearest(plane, t):
    plane.show(t=t)
    assert plane.time() == ((0, 4) if t < 0 else (4, 4))


def test_what_a_link_does_not_say_is_as_at_the_start(plane):
    plane.open(f"#plane={packed({'__proto__': {'points': 1}, 'colour': 'red'})}")
    assert plane.find(".panel").count() == 2


def test_texts_of_a_link_are_never_markup(plane):
    evil = "<img src=x onerror=alert(1)>"
    plane.show(panels=[{"learner": "pa", "options": {"variant": evil}}])
    expect(plane.find(".foot.failed")).to_contain_text("onerror")
    assert plane.find("img").count() == 0


def test_a_link_that_is_put_into_the_open_page_is_followed(plane):
    plane.show()
    plane.page.evaluate(
        "hash => { location.hash = hash; }", f"#plane={packed({**STATE, 'epochs': 3})}"
    )
    plane.wait(lambda: plane.time() == (12, 12))


def test_links_that_come_fast_end_with_the_last(plane):
    plane.open()
    for epochs in (2, 3, 4, 5):
        link = f"#plane={packed({**STATE, 'epochs': epochs})}"
        plane.page.evaluate("hash => { location.hash = hash; }", link)
    plane.wait(lambda: plane.find(".time").count() == 1 and plane.time() == (20, 20))
    plane.page.wait_for_timeout(300)
    assert plane.time() == (20, 20)
    assert plane.find(".panel").count() == 1


def test_two_pages_of_one_server_do_not_disturb_each_other(plane, new_page, lab):
    other = Plane(new_page(), lab).show(epochs=2)
    plane.show(epochs=3)
    for one, epochs in ((plane, 3), (other, 2), (plane, 3)):
        one.page.keyboard.press("Home")
        one.page.keyboard.press("ArrowRight")
        assert one.time() == (1, 4 * epochs)
        one.click(0.9, -0.9)
        one.page.keyboard.press("Control+z")
        one.wait(lambda one=one, epochs=epochs: one.time()[1] == 4 * epochs)
    assert plane.state()["epochs"] == 3
    assert other.state()["epochs"] == 2


SERVE = (
    "import sys; from thresher.lab import serve; "
    "serve(port=int(sys.argv[1]), token='t' * 20, logs='.', ready=lambda a: print(a, flush=True))"
)


def test_a_server_that_stops_is_said_and_one_that_comes_back_is_found(page, faults):
    serving = [sys.executable, "-c", SERVE]
    with started([*serving, "0"]) as first:
        plane = Plane(page, first).show()
        expect(plane.find(".away")).to_be_hidden()
        port = first.port
    expect(plane.find(".away")).to_be_visible()
    expect(plane.find(".away")).to_contain_text("stopped")
    plane.page.keyboard.press("Home")  # what is there can still be looked at
    plane.page.keyboard.press("ArrowRight")
    assert plane.time() == (1, 4)
    plane.click(0.9, -0.9)  # and what is asked now is answered later
    assert plane.panel().locator(".point").count() == 5
    with started([*serving, str(port)]):
        expect(plane.find(".away")).to_be_hidden()
        plane.wait(lambda: plane.time()[1] == 5, 20)
        page.goto("about:blank")  # before the server goes again
    assert faults
    assert all("ERR_CONNECTION" in fault for fault in faults), faults
    faults.clear()


def test_a_server_that_is_only_slow_is_waited_for(page, tmp_path):
    with started([sys.executable, "-c", SERVE, "0"]) as running:
        plane = Plane(page, running).show()
        running.process.send_signal(signal.SIGSTOP)
        try:
            plane.click(0.9, -0.9)
            plane.page.wait_for_timeout(300)
            # Nothing that is done in the meantime breaks what is shown.
            plane.click(0.9, -0.9, button="right")
            plane.click(-0.4, 0.1, button="right")
            plane.button("+ learner").click()
            plane.panel(0).get_by_label("Remove").click()
            plane.page.keyboard.press("Home")
            for _ in range(4):
                plane.page.keyboard.press("ArrowRight")
            plane.page.wait_for_timeout(100)
        finally:
            running.process.send_signal(signal.SIGCONT)
        plane.wait(lambda: plane.time()[1] == 3, 15)
        assert len(plane.figures()) == 1
        assert json.dumps(plane.state()["points"]) == json.dumps(FOUR[:3])
        page.goto("about:blank")  # before the server goes
