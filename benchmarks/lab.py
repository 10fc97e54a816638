"""How fast the lab is in a real browser: python benchmarks/lab.py (Chromium and thresher[test]).

Prints targets and measurements; takes about a minute.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from lab_pages import PLAIN, Plane
from labs import Lab, command, started
from thresher.lab.plane.points import generate

PA = {"learner": "pa", "options": {}}
FOUR_PANELS = [
    PLAIN,
    PA,
    {"learner": "arow", "options": {}},
    {"learner": "logistic", "options": {}},
]

# From the event to the frame after the one that shows what it did, in milliseconds.
CLICK = """el => new Promise(done => {
  const points = el.querySelectorAll(".point").length, box = el.getBoundingClientRect();
  const lab = el.closest(".lab"), time = lab.querySelector(".time"), before = time.textContent;
  const dots = [...el.querySelectorAll(".point circle")].map(c => c.getBoundingClientRect());
  let x, y;  // where no point is, or it would be taken
  const place = () => 0.05 + 0.9 * Math.random();
  do { x = box.x + box.width * place(); y = box.y + box.height * place(); }
  while (dots.some(d => Math.hypot(d.x + d.width / 2 - x, d.y + d.height / 2 - y) < 24));
  const at = { clientX: x, clientY: y, bubbles: true, pointerId: 1, pointerType: "mouse" };
  const begun = performance.now();
  const look = () => {
    if (el.querySelectorAll(".point").length !== points && time.textContent !== before)
      requestAnimationFrame(() => done(performance.now() - begun));
    else requestAnimationFrame(look);
  };
  el.dispatchEvent(new PointerEvent("pointerdown", at));
  el.dispatchEvent(new PointerEvent("pointerup", at));
  requestAnimationFrame(look);
})"""
STEP = """el => new Promise(done => {
  const lab = el.closest(".lab"), begun = performance.now();
  const before = lab.querySelector(".words").textContent;
  lab.querySelector("button.step").click();
  const look = () => {
    if (lab.querySelector(".words").textContent !== before)
      requestAnimationFrame(() => done(performance.now() - begun));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
PLAY = """(el, seconds) => new Promise(done => {
  const times = [], button = el.closest(".lab").querySelector("button.play");
  const look = now => {
    times.push(now);
    if (now - times[0] < seconds * 1000) requestAnimationFrame(look);
    else { button.click(); done(times.slice(1).map((t, i) => t - times[i])); }
  };
  button.click();
  requestAnimationFrame(look);
})"""


# What came over the wire, and when something was to be seen: words first, then the run.
OPENED = """() => {
  const files = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  const bytes = files.reduce((sum, one) => sum + one.transferSize, 0);
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [bytes, paint.startTime, performance.now()];
}"""


def opened(browser: Any, lab: Lab, repeats: int = 7) -> list[list[float]]:
    """The page, with nothing of it in the browser's memory: bytes, first paint, the run drawn."""
    out = []
    for _ in range(repeats):
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        page = context.new_page()
        page.goto(lab.address)
        page.wait_for_selector(".lab[data-ready=plane]")
        out.append(page.evaluate(OPENED))
        context.close()
    return out


def serving(repeats: int = 5) -> float:
    """Seconds from the command to the first page that is served."""
    best = float("inf")
    for _ in range(repeats):
        begun = time.perf_counter()
        with started(command("--logs", tempfile.gettempdir())) as lab:
            with urllib.request.urlopen(lab.address) as page:
                page.read()
            best = min(best, time.perf_counter() - begun)
    return best


def measured(browser: Any, lab: Lab) -> dict[str, Any]:
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    plane = Plane(page, lab)
    out: dict[str, Any] = {}
    plane.open()
    out["click to redraw"] = [plane.drawing().evaluate(CLICK) for _ in range(30)]
    points = generate({"kind": "separable", "size": 40, "seed": 7})["points"]
    plane.show(points=points, panels=FOUR_PANELS, epochs=2, t=0)
    out["step, four panels"] = [plane.drawing().evaluate(STEP) for _ in range(40)]
    points = generate({"kind": "noisy", "size": 1000, "seed": 7})["points"]
    plane.show(points=points, panels=[PLAIN, PA], epochs=2, t=0)
    plane.find("input.pace").evaluate(
        "el => { el.value = 77; el.dispatchEvent(new Event('input')); }"
    )
    out["frames"] = plane.drawing().evaluate(PLAY, 5)
    page.close()
    return out


def main() -> None:
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    flags = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with started(command("--logs", tempfile.gettempdir())) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        pages = opened(browser, lab)
        found = measured(browser, lab)
        version = browser.version
        browser.close()
    frames = found.pop("frames")
    rows = [("`thresher lab` serves within", "1 s", f"{serving():.2f} s")]
    for name, times in found.items():
        most = sorted(times)[int(0.95 * len(times))]
        rows.append((name, "50 ms", f"{statistics.median(times):.0f} ms (95 %: {most:.0f} ms)"))
    rate = 1000 * len(frames) / sum(frames)
    late = sum(frame > 34 for frame in frames) / len(frames)
    rows.append(("playing 1,000 points", "60 fps", f"{rate:.0f} fps ({late:.0%} of frames late)"))
    size, paint, drawn = map(statistics.median, zip(*pages, strict=True))
    rows.append(("the page, on the wire", "250 kB", f"{size / 1000:.0f} kB"))
    rows.append(("first paint", "500 ms", f"{paint:.0f} ms (the run: {drawn:.0f} ms)"))
    for row in (("", "target", "measured"), *rows):
        print(f"{row[0]:<30} {row[1]:>8}   {row[2]}")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    print(json.dumps({"chromium": version, "cores": os.cpu_count(), "load": load}))


if __name__ == "__main__":
    try:
        main()
    except subprocess.SubprocessError as error:
        sys.exit(f"error: {error}")
