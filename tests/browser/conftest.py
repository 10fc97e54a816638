"""A lab that runs, and a page that fails its test when anything goes wrong in it."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


@contextmanager
def running_lab(*options):
    """The address of a lab of its own."""
    line = [sys.executable, "-m", "thresher", "lab", "--no-browser", *map(str, options)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def lab():
    with running_lab() as address:
        yield address


@pytest.fixture
def lab_with_logs():
    """A function: the address of a lab that looks at a folder of logs."""
    open_labs = []

    def start(folder):
        open_labs.append(running_lab("--logs", folder))
        return open_labs[-1].__enter__()

    yield start
    for one in open_labs:
        one.__exit__(None, None, None)


@pytest.fixture(scope="session")
def browser():
    if not os.path.exists(CHROMIUM):
        pytest.skip(f"no browser: {CHROMIUM} (set CHROMIUM)")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    opened = context.new_page()
    wrong = []
    opened.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda r: _is_ours(r.url) or wrong.append(f"a request to {r.url}"))
    yield opened
    context.close()
    assert not wrong


def _is_ours(url):
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))
