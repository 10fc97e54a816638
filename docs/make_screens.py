"""Takes the pictures of the lab for README and docs: python docs/make_screens.py (thresher[test]).

It starts a lab and Debian's Chromium, and writes docs/images/lab-*.png.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from labs import Lab, command, packed, started

IMAGES = Path(__file__).parent / "images"
MOST_BYTES = 240_000

RBF = {"learner": "kernel-perceptron", "options": {"kernel": "rbf", "gamma": 2.0}}
CIRCLES: dict[str, Any] = {
    "made": {"kind": "circles", "size": 60, "gamma": 0.1, "noise": 0.1, "seed": 3},
    "panels": [{"learner": "perceptron", "options": {}}, RBF],
    "epochs": 3,
}

SPACE: dict[str, Any] = {
    "made": {"kind": "separable", "size": 30, "gamma": 0.1, "noise": 0, "seed": 4},
    "panels": [{"learner": "perceptron", "options": {"average": False}}],
    "epochs": 1,
    "tab": "space",
    "t": 14,
}

# Name, link, width, height, dark, and what is clicked before.
SCREENS: list[tuple[str, str, int, int, bool, tuple[str, ...]]] = [
    ("plane", "", 1440, 940, False, ()),
    ("plane-dark", "", 1440, 940, True, ()),
    ("plane-kernel", f"#plane={packed(CIRCLES)}", 1440, 1000, False, ()),
    ("plane-phone", "", 390, 844, False, ()),
    ("present", "", 1280, 720, False, ("button.present",)),
    ("space", f"#plane={packed(SPACE)}", 1440, 860, False, ()),
    ("lesson", "#lesson=converges.1", 1440, 1000, False, (".choice:nth-child(2)",)),
    ("classes", "#classes", 1440, 940, False, ()),
    ("landscape", "#landscape", 1440, 900, False, ()),
    ("boolean", "#boolean", 1440, 1000, False, ()),
    ("growth", f"#growth={packed({'guess': {'perceptron': 500}})}", 1440, 900, False, ()),
    ("adversary", "#adversary", 1440, 1000, False, ()),
    ("runs", "#runs", 1440, 1000, False, ()),
]


def views(page: Any, lab: Lab) -> set[str]:
    """The views that the lab has."""
    page.goto(lab.address)
    page.wait_for_selector(".lab[data-ready]:not([data-ready=''])")
    return {"plane", *(tab.get_attribute("data-view") for tab in page.locator("nav button").all())}


def take(browser: Any, lab: Lab, screen: tuple[str, str, int, int, bool, tuple[str, ...]]) -> None:
    name, link, width, height, dark, clicks = screen
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )  # fmt: skip
    context.set_default_timeout(120_000)  # ms
    page = context.new_page()
    page.goto(lab.address + link)
    page.wait_for_selector(".lab[data-ready]:not([data-ready=''])")
    for place in clicks:
        page.locator(place).click()
    # Bounds and curves come a moment later.
    page.locator(".figures", has_text="…").first.wait_for(state="detached")
    page.wait_for_timeout(600)
    path = IMAGES / f"lab-{name}.png"
    page.screenshot(path=path)
    context.close()
    size = path.stat().st_size
    print(f"{path.name}: {width} × {height}, {size / 1000:.0f} kB")
    if size > MOST_BYTES:
        sys.exit(f"error: {path.name} has {size:,} bytes; expected at most {MOST_BYTES:,}.")


def main() -> None:
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    flags = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with tempfile.TemporaryDirectory() as logs, sync_playwright() as playwright:
        runs_in(Path(logs))
        photograph(playwright, path, flags, logs)


def runs_in(logs: Path) -> None:
    """Two runs for the view of runs to show."""
    data = logs / "mail.vw"
    with data.open("w") as file:
        for i in range(40_000):
            label = "spam" if (i * 7919) % 5 < 2 else "ham"
            file.write(f"{label} | w{i % 7} v{i % 11} u{(i * 7919) % 5} t{(i * 31) % 97}\n")
    for learner in ("perceptron", "pa"):
        subprocess.run(
            [sys.executable, "-m", "thresher", "train", data, "-q", "--learner", learner,
             "-m", logs / f"{learner}.model", "--log", logs / learner], check=True,
        )  # fmt: skip


def photograph(playwright: Any, path: str, flags: list[str], logs: str) -> None:
    with started(command("--logs", logs)) as lab:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        known = views(browser.new_page(), lab)
        for screen in SCREENS:
            if screen[0] in known or not screen[1] or "=" in screen[1]:
                take(browser, lab, screen)
        browser.close()


if __name__ == "__main__":
    main()
