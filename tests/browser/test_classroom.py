"""A class with its phones, in real browsers; and phones that do what no phone should."""

import contextlib
import csv
import io
import json

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from lab_pages import Plane, violations
from labs import command, started
from thresher.lab.classroom.quiz import tasks
from thresher.lab.lessons.screens import screen
from thresher.lab.serving import classes

# A screen, its view, where it stands, and the length of the run that its answer plays.
REVEALED = [
    ("winnow.1", "boolean", 400, 400),
    ("adversary", "adversary", 40, 304),
    ("classes.2", "classes", 0, 450),
    ("landscape.2", "landscape", 5, 40),
    ("growth.1", "growth", 3, 7),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    logs = str(tmp_path_factory.mktemp("logs"))
    with started(command("--port", "0", "--host", "127.0.0.1", "--logs", logs)) as running:
        yield running
        assert running.process.poll() is None
        assert "Traceback" not in running.stderr(), running.stderr()


def results(plane):
    with plane.page.expect_download() as download:
        plane.find(".results").click()
    text = download.value.path().read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def test_presented_the_class_sees_where_to_join_and_the_lecturer_what_is_next(new_page, lab):
    """Beside the longest text of the course, on the smallest screen."""
    plane = Plane(new_page(viewport={"width": 1280, "height": 720}), lab).open("#lesson=converges")
    plane.button("Present").click()
    for place in (".qr", ".join", ".class-count", ".lesson-next"):
        box = plane.find(place).bounding_box()
        assert box["y"] + box["height"] <= 720, place
    plane.page.keyboard.press("PageDown")
    box = plane.find(".lesson-next").bounding_box()
    assert box["y"] + box["height"] <= 720


def test_a_class_votes_sees_the_answer_and_takes_a_quiz(new_page, lab):
    plane = Plane(new_page(), lab).open("#lesson=step")
    link = plane.find(".join").text_content()
    assert lab.token not in link  # a phone cannot open the lab with it
    modules = plane.find(".qr path").get_attribute("d").count("M")
    assert modules == sum(row.count("1") for row in classes.qr(link))
    phones = [new_page(viewport={"width": 390, "height": 700}) for _ in range(2)]
    question = screen({"lesson": "step", "screen": 1})["question"]
    for phone in phones:
        phone.goto(link)
        expect(phone.locator("h2")).to_have_text(question["ask"])
        assert phone.locator("button").all_text_contents() == question["choices"]
        assert phone.locator("svg, .lab").count() == 0
    expect(plane.find(".class-count")).to_have_text("0 of 2 have voted")
    assert violations(phones[0]) == violations(plane.page) == []
    phones[0].locator("#name").fill('=1+1 <b>"Ada"</b>')
    phones[0].locator("#name").blur()
    phones[0].locator("button").nth(0).click()
    expect(plane.find(".class-count")).to_have_text("1 of 2 have voted")
    phones[0].locator("button").nth(1).click()  # changed
    phones[1].locator("button").nth(2).click()
    expect(plane.find(".class-count")).to_have_text("2 of 2 have voted")
    phones[1].reload()  # the same student
    expect(phones[1].locator("[aria-pressed=true]")).to_have_text(question["choices"][2])
    expect(plane.find(".class-count")).to_have_text("2 of 2 have voted")
    assert plane.find("[data-votes]").count() == 0  # not before the answer
    plane.page.keyboard.press("PageDown")
    expect(plane.find("[data-votes='1']")).to_have_count(2)
    expect(phones[0].locator("#status")).to_have_text("✓ Right.")
    expect(phones[1].locator("#status")).to_have_text("✗ Not this time.")
    expect(phones[0].locator("button").first).to_be_disabled()
    # The third screen plays its run when its answer is shown.
    plane.find(".lesson-next").click()
    expect(plane.find(".lesson h2")).to_contain_text("2/3")
    plane.ready()
    plane.page.keyboard.press("PageDown")
    expect(plane.find(".reveal")).not_to_be_empty()
    plane.find(".lesson-next").click()
    expect(plane.find(".lesson h2")).to_contain_text("3/3")
    plane.ready()
    plane.find(".choice").first.click()
    expect(plane.find(".play")).to_have_text("❚❚ Pause")
    plane.wait(lambda: 0 < plane.time()[0] < 28)
    plane.page.keyboard.press("End")
    # So it is in every view, also where the answer is another run, which is asked for first.
    for link, view, start, length in REVEALED:
        plane.open(f"#lesson={link}", view)
        plane.wait(lambda start=start: plane.time()[0] == start)
        plane.page.keyboard.press("PageDown")
        expect(plane.find(".play")).to_have_text("❚❚ Pause")
        begun = (start if start < length else 0) + 1
        plane.wait(
            lambda least=begun, end=length: least <= plane.time()[0] < end == plane.time()[1]
        )
    plane.open("#lesson=step.3")
    # The quiz: each phone has its own numbers, which are those of its seed.
    plane.button("Quiz").click()
    for phone in phones:
        expect(phone.locator(".task")).to_have_count(3)
    rows = results(plane)
    assert [row["name"] for row in rows] == ['\'=1+1 <b>"Ada"</b>', ""]
    assert [row["step.1 choice"] for row in rows] == [question["choices"][k] for k in (1, 2)]
    assert [row["step.1 right"] for row in rows] == ["1", "0"]
    for phone, row in zip(phones, rows, strict=True):
        mine = tasks(int(row["seed"]))
        for k, task in enumerate(mine):
            shown = phone.locator(".task").nth(k)
            expect(shown.locator("h2")).to_have_text(f"{k + 1}. {task.ask}")
            shown.locator("button").nth(task.right).click()
            expect(shown.locator("[aria-pressed=true]")).to_have_text(task.choices[task.right])
    expect(plane.find(".class-count")).to_have_text("2 of 2 have finished the quiz")
    plane.button("Close the quiz").click()
    expect(plane.find(".class-count")).to_contain_text("2 × 3 right")
    expect(phones[0].locator("#status")).to_have_text("Quiz: 3 of 3 right.")
    assert [row["quiz right"] for row in results(plane)] == ["3", "3"]


@contextlib.contextmanager
def phone(lab, token, **options):
    address = f"ws://127.0.0.1:{lab.port}/{token}/class"
    with connect(address, origin=lab.origin, max_size=None, **options) as line:
        yield line


def told(line, message=None):
    if message is not None:
        line.send(message if isinstance(message, str) else json.dumps(message))
    return json.loads(line.recv(timeout=60))


def test_nothing_of_a_phone_is_trusted(lab):
    with phone(lab, lab.token) as lecturer:
        hello = told(lecturer)
        token = hello["link"].split("/")[-2]
        for wrong in ("wrong", token[:-1], token + "x", "%00"):
            with pytest.raises(InvalidStatus), phone(lab, wrong):
                pass
        with pytest.raises(InvalidStatus):  # it opens nothing of the lab
            connect(f"ws://127.0.0.1:{lab.port}/{token}/ask", origin=lab.origin)
        with pytest.raises(InvalidStatus):
            connect(f"ws://127.0.0.1:{lab.port}/{token}/class", origin="http://evil.example")
        ask = {"ask": {"id": "q", "ask": "Which?", "choices": ["a", "b"]}}
        lecturer.send(json.dumps(ask))
        with phone(lab, token) as line:
            me = told(line, {"join": "not-mine"})
            assert me["you"] != "not-mine"
            while me["question"] is None or me["question"]["id"] != "q":
                me = told(line)
            assert me["question"]["right"] is None
            for bad in ({"question": "unknown", "vote": 0}, {"question": "q", "vote": 2},
                        {"question": "q", "vote": "0"}, {"question": "q", "vote": True},
                        {"task": 0, "choice": 0}, {"name": "x" * 41},
                        {"reveal": {"id": "q", "right": 0}}):  # fmt: skip
                assert "error" in told(line, bad), bad
            assert told(line, {"question": "q", "vote": 1})["question"]["mine"] == 1
            lecturer.send(json.dumps({"reveal": {"id": "q", "right": 0}}))
            assert told(line)["question"]["right"] == 0
            assert told(line, {"question": "q", "vote": 0})["error"].endswith("closed.")
        for bad in ("x" * 3_000_000, "[1]", "{", '{"join": 5}'):
            with phone(lab, token) as line:
                assert "error" in told(line, bad)
                with pytest.raises(ConnectionClosed):
                    line.recv(timeout=60)
        with phone(lab, token) as line, pytest.raises(ConnectionClosed):  # too many messages
            told(line, {"join": ""})
            for _ in range(3 * classes.BURST):
                line.send(json.dumps({"name": "again"}))
            while True:
                told(line)
