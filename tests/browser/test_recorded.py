"""Lessons as single files: from disk, without a network and without Python."""

import base64
import itertools
import re

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat
from playwright.sync_api import expect

from commands import Commands
from lab_pages import Plane, learned
from thresher.lab.boolean.words import explain
from thresher.lab.lessons.screens import screen
from thresher.lab.plane.points import generate
from thresher.lab.plane.trace import FIELDS, bounds
from thresher.lab.recording.lesson import html

MOST_BYTES = 400_000


class Recorded(Plane):
    """A lesson from disk; the only thing that it may load is itself."""

    def __init__(self, page, path, faults):
        super().__init__(page, None)
        self.address, self.faults = path.as_uri(), faults

    def open(self, link="", view="plane"):
        self.page.goto("about:blank")
        self.page.goto(self.address + link)
        self.ready(view)
        assert self.faults == [f"the page asks {self.address}"]
        self.faults.clear()
        return self


@pytest.fixture
def recorded(new_page, faults, tmp_path):
    def write(name):
        path = tmp_path / f"{name}.html"
        path.write_text(html(name), "utf-8")
        assert path.stat().st_size < MOST_BYTES
        return Recorded(new_page(offline=True), path, faults)

    return write


def test_the_numbers_of_a_recorded_lesson_are_those_of_the_library(new_page, faults, tmp_path):
    path = tmp_path / "lesson.html"
    with Commands() as commands:
        done = commands.run("lab", "--export", "passive-aggressive", "-o", path)
    assert done.code == 0 and f"{path}: " in done.err, done.err
    assert path.stat().st_size < MOST_BYTES
    plane = Recorded(new_page(offline=True), path, faults).open()
    shown = screen({"lesson": "passive-aggressive", "screen": 1})
    state = {**shown["state"], "points": generate(shown["state"]["made"])["points"], "exact": False}
    expect(plane.find(".step")).to_be_disabled()  # its question is open
    plane.find(".choice").nth(1).click()
    expect(plane.find(".reveal")).to_have_text(f"✓ {shown['question']['reveal']}")
    limits = bounds({name: state[name] for name in FIELDS})["panels"]
    for t in itertools.chain(range(1, 6), (32,)):
        if t == 32:
            plane.page.keyboard.press("End")
        elif t > 1:
            plane.button("Step ▸").click()
        plane.wait(lambda t=t: plane.time() == (t, 32))
        expect(plane.find(".words")).to_contain_text(f"Example {t}: x = (")
        for i, row in enumerate(plane.figures()):
            truth = learned(state, state["panels"][i], t)
            assert (row["mistakes"], row["updates"]) == (truth["mistakes"], truth["updates"])
            assert row["weights"] == pytest.approx(truth["weights"], rel=6e-3, abs=1e-9)
    novikoff = next(row["most"] for row in limits[0] if row["theorem"] == "Novikoff")
    assert plane.figures()[0]["bound"] == novikoff
    plane.button("maths").click()
    expect(plane.find(".maths")).to_contain_text("w ← w")
    plane.page.keyboard.press("Home")
    plane.button("▶ Play").click()
    plane.wait(lambda: plane.time()[0] > 2)
    plane.button("❚❚ Pause").click()
    # What would need the engine is greyed, and says why.
    for control in ("+ point", "CSV", "+ learner"):
        expect(plane.button(control)).to_be_disabled()
    expect(plane.find("[aria-label='Order of the examples']")).to_be_disabled()
    plane.find("summary").filter(has_text="Data").click()
    expect(plane.find("details[open]")).to_have_count(0)
    expect(plane.find(".recorded")).to_contain_text("thresher lab '#lesson=passive-aggressive.1'")
    before = plane.panel().locator(".point").count()
    plane.click(0.05, 0.9)
    assert plane.panel().locator(".point").count() == before
    plane.page.get_by_label("predict first?").check()  # voting needs no engine
    plane.page.keyboard.press("Home")
    plane.button("Step ▸").click()
    expect(plane.find(".vote")).to_contain_text("Will Perceptron be right?")


@pytest.mark.parametrize(
    "name", ["represent", "halving", "adversary", "classes", "landscape", "growth"]
)
def test_every_screen_of_a_recorded_lesson_can_be_walked_through(recorded, name):
    """A lesson of each view, with a curved boundary: every step has what it needs."""
    first = screen({"lesson": name, "screen": 1})
    plane = recorded(name).open(view=first["view"])
    for number in range(1, first["screens"] + 1):
        shown = screen({"lesson": name, "screen": number})
        expect(plane.find(".lesson-text")).to_have_text(shown["text"])
        plane.ready(shown["view"])
        plane.find(".choice").nth(shown["question"]["right"]).click()
        expect(plane.find(".reveal")).to_have_text(f"✓ {shown['question']['reveal']}")
        for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
            plane.page.keyboard.press(key)
            plane.page.wait_for_timeout(30)
        length = plane.time()[1]
        assert plane.time()[0] == length - 1
        if name == "represent" and number == 3:
            assert plane.panel(1).locator("path.boundary").get_attribute("d").count("M") > 20
        if name == "halving":
            state = {k: v for k, v in shown["state"].items() if k not in ("mode", "t")}
            told = explain({"state": state, "panel": 0, "t": length - 1})
            expect(plane.find(".words").first).to_have_text(told["words"])
        if name in ("classes", "landscape"):
            assert plane.find(".editing:disabled").count()
            told = re.compile(rf" {length - 1}\b|stopped after step")  # a descent may run away
            expect(plane.find(".words")).to_contain_text(told)
        assert plane.find(".toast.bad").count() == 0
        plane.find(".lesson-next").click()
    expect(plane.find(".lesson h2")).to_contain_text("1/")  # from the start


# How many frames a film has, and how many of them differ from the one before.
FRAMES = """async (data) => {
  const video = Object.assign(document.createElement("video"), { src: data, muted: true });
  const canvas = document.createElement("canvas");
  const ink = canvas.getContext("2d", { willReadFrequently: true });
  let [frames, changes, last] = [0, 0, ""];
  const look = () => {
    frames++;
    [canvas.width, canvas.height] = [320, 160];
    ink.drawImage(video, 0, 0, 320, 160);
    const now = canvas.toDataURL();
    if (now !== last) changes++;
    last = now;
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  const ended = new Promise((onended, onerror) => Object.assign(video, { onended, onerror }));
  await video.play();
  await ended;
  return { frames, changes, size: [video.videoWidth, video.videoHeight] };
}"""


def test_a_run_becomes_a_film(recorded, new_page, tmp_path):
    """In the browser alone, also from disk: the two steps of this run, in parts."""
    plane = recorded("step").open("#2")
    plane.find(".choice").first.click()
    plane.menu("Export")
    with plane.page.expect_download() as download:
        plane.find("details[open] .sheet button").filter(has_text="run (video)").click()
    assert download.value.suggested_filename == "plane.webm"
    film = tmp_path / "plane.webm"
    download.value.save_as(film)
    assert plane.time() == (2, 2)  # as before
    data = base64.b64encode(film.read_bytes()).decode()
    page = new_page()
    page.goto("about:blank")
    found = page.evaluate(FRAMES, f"data:video/webm;base64,{data}")
    assert found["frames"] >= found["changes"] >= 8, found
    assert found["size"][0] >= 800 and found["size"][0] % 2 == found["size"][1] % 2 == 0


def test_a_run_becomes_a_gif(recorded, new_page, tmp_path):
    """Every moment is a picture of its own, in the colours of the figure as the page draws it."""
    plane = recorded("step").open("#2")
    plane.find(".choice").first.click()
    plane.page.evaluate("() => delete globalThis.MediaRecorder")  # as a browser without videos
    plane.menu("Export")
    plane.find("details[open] .sheet button").filter(has_text="run (video)").click()
    expect(plane.find(".toast.bad")).to_contain_text("as a GIF works everywhere")
    plane.page.keyboard.press("Escape")
    files = {}
    for item in ("run (GIF)", "figure (PNG)"):
        plane.menu("Export")
        with plane.page.expect_download() as download:
            plane.find("details[open] .sheet button").filter(has_text=item).click()
        files[item] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[item])
        plane.page.keyboard.press("Escape")
    with Image.open(files["run (GIF)"]) as film, Image.open(files["figure (PNG)"]) as figure:
        assert (film.format, film.n_frames) == ("GIF", 13)  # two steps of six parts, and the start
        frames = [frame.convert("RGB").tobytes() for frame in ImageSequence.all_frames(film)]
        assert sum(a != b for a, b in itertools.pairwise(frames)) >= 8
        whole = figure.convert("RGB").resize(film.size, Image.Resampling.LANCZOS)
        difference = ImageChops.difference(whole, Image.frombytes("RGB", film.size, frames[-1]))
        assert max(ImageStat.Stat(difference).mean) < 1.5  # of 255: only edges are drawn otherwise
        paper = figure.convert("RGB").getpixel((0, 0))
        assert all(tuple(frame[:3]) == paper for frame in frames)  # flat colours are exact
        film.seek(12)
        assert (film.info["duration"], film.info["loop"]) == (2000, 0)


def test_an_address_leads_to_a_screen_and_fits_a_slide(recorded):
    plane = recorded("step")
    plane.page.set_viewport_size({"width": 960, "height": 540})
    plane.open("#2.present")
    expect(plane.find(".lesson h2")).to_contain_text("2/3")
    assert plane.page.evaluate("() => document.documentElement.scrollHeight") <= 540
    for place in (".choice", ".timeline", ".panel", ".words"):
        box = plane.find(place).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 540, place
    plane.page.keyboard.press("PageDown")
    expect(plane.find(".reveal")).not_to_be_empty()
    plane.page.keyboard.press("PageDown")
    expect(plane.find(".lesson h2")).to_contain_text("3/3")


def test_in_a_low_frame_the_picture_is_beside_the_question(new_page, faults, tmp_path):
    (tmp_path / "step.html").write_text(html("step"), "utf-8")
    around = tmp_path / "slides.html"
    around.write_text('<iframe src="step.html" width="800" height="450"></iframe>', "utf-8")
    page = new_page(offline=True)
    page.goto(around.as_uri())
    page.frame_locator("iframe").locator(".lab[data-ready=plane]").wait_for()
    for place in (".choice", ".plane", ".words", ".timeline"):
        box = page.frame_locator("iframe").locator(place).first.bounding_box()
        assert box["y"] + box["height"] <= 450 + 16, place  # and the margin around the frame
    faults.clear()  # the two files


@pytest.mark.parametrize("name", ["classes", "landscape"])
def test_a_file_has_all_the_style_of_its_pictures(recorded, name):
    """Their layers lie upon each other, as in the lab, which has the styles of all views."""
    plane = recorded(name).open(view=name)
    for layers in plane.find(".layers").all():
        boxes = [layer.bounding_box() for layer in layers.locator("> svg").all()]
        assert all(box == boxes[0] for box in boxes), boxes


def test_the_lab_saves_the_lesson_that_it_shows(page, lab, tmp_path):
    plane = Plane(page, lab).open("#lesson=step.2")
    plane.menu("Export")
    with page.expect_download() as download:
        plane.find("details[open] .sheet button").filter(has_text="as a web page").click()
    assert download.value.suggested_filename == "step.html"
    download.value.save_as(tmp_path / "step.html")
    assert (tmp_path / "step.html").read_text("utf-8") == html("step")
