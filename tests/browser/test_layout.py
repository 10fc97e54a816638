"""Nothing leaves the screen and no figure is cut, in any view, at any width, in a usual face and a
wide one. What a machine has of fonts does not matter: the browser sees those of `faces` alone."""

import pytest
from playwright.sync_api import expect

from commands import Commands
from faces import FOLDERS, WIDE
from lab_pages import FOUR, PLAIN
from labs import command, packed, started
from thresher.lab.plane.points import generate

AROW = {"learner": "arow", "options": {}}
WRONG = {"learner": "pa", "options": {"C": -1}}
KERNEL = {"learner": "kernel-perceptron", "options": {}}
FULL = {"points": FOUR, "panels": [PLAIN, KERNEL, WRONG, AROW], "order": "given", "epochs": 3}
TWO = [{"learner": name, "options": {}} for name in ("winnow", "balanced")]
MANY = {"target": "x7 | x999", "n": 1000, "panels": TWO}
EIGHT = {"kind": "blobs", "size": 80, "classes": 8, "noise": 0.1, "seed": 1}
WIDTHS = (360, 640, 768, 1280, 1920)  # 640: 1280 at 200 %
LINKS = {
    "plane": "#plane",
    "plane, four learners": f"#plane={packed(FULL)}",
    "lesson": "#lesson=step.1",
    "classes, eight": f"#classes={packed({'made': EIGHT})}",
    "landscape": "#landscape",
    "boolean": "#boolean",
    "boolean, 1000 variables": f"#boolean={packed(MANY)}",
    "protocol I": f"#boolean={packed({'mode': 'ask'})}",
    "protocol II": f"#boolean={packed({'mode': 'teach'})}",
    "growth": "#growth",
    "adversary": "#adversary",
    "adversary, line": f"#adversary={packed({'mode': 'line'})}",
    "runs": "#runs",
}

# What is seen beyond the edge of the page, unless something around it scrolls or cuts it by design;
# figures that are broken into lines or leave their place; letters of a drawing that its frame cuts.
FAULTS = """lab => {
  const page = document.documentElement, faults = [];
  const say = (what, el) => {
    const { left, right } = el.getBoundingClientRect();
    faults.push(`${what}: ${el.tagName} ${el.getAttribute("class")}, ${left} to ${right}: `
      + el.textContent.slice(0, 40));
  };
  const seen = (el) => el.checkVisibility() && el.getBoundingClientRect().width > 0;
  const cuts = (el) => getComputedStyle(el).overflowX !== "visible";
  const beyond = (el, room) => {
    const box = el.getBoundingClientRect();
    return box.left < room.left - 1 || box.right > room.right + 1;
  };
  for (const el of [page, lab]) if (el.scrollWidth > el.clientWidth) say("too wide", el);
  for (const el of lab.querySelectorAll(":not(svg *)")) {
    if (!seen(el) || !beyond(el, { left: 0, right: page.clientWidth })) continue;
    let around = el.parentElement;
    while (around !== lab && !cuts(around)) around = around.parentElement;
    if (around === lab) say("off the screen", el);
  }
  for (const cell of lab.querySelectorAll(".figures:not(.questions) td, .facts :is(dt, dd)")) {
    if (!seen(cell)) continue;
    const text = new Range();
    text.selectNodeContents(cell);
    const lines = text.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).fontSize);
    if (lines > 1.9) say("broken", cell);
    if (!cuts(cell) && cell.scrollWidth > cell.clientWidth + 1) say("out of its place", cell);
  }
  if (lab.matches(".presenting") && innerWidth > innerHeight)  // nobody scrolls there
    for (const table of lab.querySelectorAll(".scroller"))
      if (seen(table) && table.scrollWidth > table.clientWidth + 1) say("cut", table);
  for (const text of lab.querySelectorAll("svg.bars text"))
    if (seen(text) && beyond(text, text.ownerSVGElement.getBoundingClientRect())) say("cut", text);
  return faults;
}"""


# What only a lesson has, and what its pictures and charts do with their room.
CROWDED = """lab => {
  const faults = [], say = (what, el) => faults.push(`${what}: ${el.textContent.slice(0, 40)}`);
  const all = (place) => [...lab.querySelectorAll(place)].filter((el) => el.checkVisibility());
  const box = (el) => el.getBoundingClientRect();
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  for (const plane of all("svg.plane"))
    if (box(plane).height > innerHeight) say("higher than the screen", plane);
  const title = lab.querySelector(".lesson h2");
  for (const cross of all(".lesson .leave"))
    if (box(cross).top > box(title).bottom) say("a row of its own", cross);
  for (const time of all(".time")) {
    const text = new Range();
    text.selectNodeContents(time);
    if (meet(box(text), box(time.parentElement.querySelector(".track")))) say("in the track", time);
  }
  for (const bars of all("svg.bars")) {
    const texts = [...bars.querySelectorAll(".tick-label")].filter((text) => text.textContent);
    for (const [i, a] of texts.entries())
      for (const b of texts.slice(i + 1)) if (meet(box(a), box(b))) say("one on another", bars);
    const letters = parseFloat(getComputedStyle(texts[0]).fontSize) * bars.getScreenCTM().a;
    const around = parseFloat(getComputedStyle(bars).fontSize);
    if (letters < 0.8 * around || letters > 1.2 * around) say(`letters of ${letters}`, bars);
  }
  for (const chart of all(".side-column .chart:not(.wedge)")) {
    const names = chart.querySelectorAll(".line-name").length, grid = chart.querySelector(".grid");
    if (names < 3 && box(grid).width < 0.55 * box(chart).width) say("little room", chart);
  }
  for (const time of all(".presenting .timeline"))
    for (const el of all(".panel :is(.foot, .bound), .bars, .layers"))
      if (box(el).bottom > box(time).top + 1 && box(el).left < box(time).right) say("below", el);
  return faults;
}"""
LESSONS = {
    "passive-aggressive.1": "plane", "represent.2": "plane", "converges.3": "plane",
    "winnow.1": "boolean", "halving.1": "boolean", "adversary.1": "adversary",
}  # fmt: skip


@pytest.fixture(scope="module")
def lab_with_runs(tmp_path_factory):
    """A lab that shows a race and a run with a long name."""
    folder = tmp_path_factory.mktemp("runs")
    data, logs = folder / "mail.vw", folder / "logs"
    data.write_text("".join(f"{i % 2} | w{i % 7} v{i % 11}\n" for i in range(5_000)))
    model = folder / "a-model-that-has-a-long-name.model"
    with Commands() as commands:
        assert commands.run("train", data, "-m", model, "-q", "--log", logs).code == 0
        race = ("race", data, "--learners", "pa,perceptron,arow", "-q", "--log", logs)
        assert commands.run(*race).code == 0
    with started(command("--logs", str(logs))) as lab:
        yield lab


def show(page, lab, link):
    page.goto("about:blank")
    page.goto(lab.address + link)
    page.locator(".lab[data-ready]:not([data-ready=''])").wait_for()
    if link == "#runs":
        page.wait_for_selector(".standings tbody tr")


@pytest.mark.parametrize("face", FOLDERS, indirect=True)
def test_the_page_is_set_in_the_face_that_is_named(page, lab, face):
    show(page, lab, "#plane")
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.enable")
    tools.send("CSS.enable")
    whole = tools.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    text = next(node for node in nodes(whole) if node["nodeValue"] == "Share")
    fonts = tools.send("CSS.getPlatformFontsForNode", {"nodeId": text["nodeId"]})["fonts"]
    assert [font["familyName"] for font in fonts] == [face]


def nodes(root):
    yield root
    for child in [*root.get("children", []), *root.get("shadowRoots", [])]:
        yield from nodes(child)


@pytest.mark.parametrize("face", FOLDERS, indirect=True)
@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_nothing_leaves_the_screen(lab_with_runs, page, face, link):
    show(page, lab_with_runs, link)
    found = {}

    def look(where):
        if faults := page.locator(".lab").evaluate(FAULTS):
            found[f"{where}, {width} px"] = faults

    for width in WIDTHS if face == WIDE else (390, 1280, 3840):  # the wide face is the hard one
        page.set_viewport_size({"width": width, "height": 900})
        look("as it opens")
        for menu in page.locator("summary:visible").all():
            menu.click()
            page.locator("details[open] > .sheet > *").first.wait_for()
            look(menu.text_content())
            page.keyboard.press("Escape")
        page.get_by_role("button", name="Present").click()
        look("presented")
        page.keyboard.press("Escape")
    assert found == {}


# Of every chart: names of bounds that a curve or another name goes through.
COVERED = """lab => {
  const faults = [], near = 1.5;
  const boxOf = (el) => el.getBBox();
  for (const chart of lab.querySelectorAll("svg.chart")) {
    if (!chart.checkVisibility()) continue;
    const curves = [...chart.querySelectorAll("path.line")].map((line) => {
      const long = line.getTotalLength();
      return Array.from({ length: 1000 }, (_, k) => line.getPointAtLength((long * k) / 999));
    });
    const rooms = [...chart.querySelectorAll(".level-room")].map(boxOf);
    const names = [...chart.querySelectorAll(".line-name:not(.reading *)")].map(boxOf);
    rooms.forEach((room, i) => {
      const inside = (p) => p.x > room.x + near && p.x < room.x + room.width - near
        && p.y > room.y + near && p.y < room.y + room.height - near;
      const over = (b) => b.x + near < room.x + room.width && room.x + near < b.x + b.width
        && b.y + 3 < room.y + room.height && room.y + 3 < b.y + b.height;
      if (curves.some((points) => points.some(inside))) faults.push(`curve through ${i}`);
      if (names.some(over) || rooms.some((b, k) => k > i && over(b))) faults.push(`name over ${i}`);
    });
  }
  return [faults, lab.querySelectorAll(".level-label").length];
}"""


def test_names_of_bounds_cover_no_curve(lab, page):
    """Of many learners, at any moment and width: a name goes elsewhere, or is not there."""
    learners = ["perceptron", "pa", "arow", "winnow", "logistic", "mira", "perceptron", "pa"]
    panels = [{"learner": name, "options": {"C": 0.01} if i == 7 else {}}
              for i, name in enumerate(learners)]  # fmt: skip
    points = generate({"kind": "shares", "size": 60, "seed": 3})["points"]
    named = 0
    for count in (2, 8):
        state = {"points": points, "panels": panels[:count], "order": "given", "epochs": 3}
        show(page, lab, f"#plane={packed(state)}")
        page.locator(".side-column:not(.waiting)").wait_for()
        for width in (360, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            for key in ("Home", "ArrowRight", "End"):
                page.locator(".time").evaluate("el => el.closest('.stage').focus()")
                page.keyboard.press(key)
                faults, labels = page.locator(".lab").evaluate(COVERED)
                assert faults == [], (count, width, key)
                named += labels
    assert named > 40  # most are there


@pytest.mark.parametrize("face", [WIDE], indirect=True)
def test_an_answered_lesson_uses_its_room_and_nothing_lies_on_another(lab, page, face):
    found = {}
    for link, view in LESSONS.items():
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto("about:blank")
        page.goto(f"{lab.address}#lesson={link}")
        page.locator(f".lab[data-ready={view}]").wait_for()
        page.locator(".choice").first.click()
        page.locator(".reveal", has_text=" ").wait_for()
        page.locator("button.play:enabled").wait_for()
        expect(page.locator("svg.bars:not(:has(.tick-label))")).to_have_count(0)  # a new run
        for width, height in ((390, 844), (720, 450), (1280, 720), (3840, 2160)):
            page.set_viewport_size({"width": width, "height": height})
            for what in ("open", "presented")[: 2 if width > 720 else 1]:
                if what == "presented":
                    page.get_by_role("button", name="Present").click()
                page.wait_for_timeout(60)  # drawings fit their new room
                faults = page.locator(".lab").evaluate(CROWDED)
                faults += page.locator(".lab").evaluate(FAULTS)
                if faults:
                    found[f"{link}, {what}, {width} px"] = faults
            if width > 720:
                page.keyboard.press("Escape")
    assert found == {}
