"""A real browser: Debian's Chromium, driven by Playwright, in front of a real `thresher lab`."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from faces import USUAL, fontconfig
from labs import Lab, command, started

SLOW = 30_000  # ms: a page may wait for large packages to be imported, on a machine with other work
expect.set_options(timeout=SLOW)

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser cannot live with the sanitizers' libraries loaded into it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("nosanitize")


def browser_path() -> str | None:
    """Where Chromium is; where it is not, and may be installed, it is installed."""
    if not _found() and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        with open(Path(tempfile.gettempdir(), "chromium.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes: one installs it
            if not _found():
                _install()
    return _found()


def _found() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def _install() -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    wanted = ["install", "-qq", "-y", "--no-install-recommends", "chromium"]
    for arguments in (["update", "-qq"], wanted):
        done = subprocess.run(
            ["apt-get", *arguments], env=environment, capture_output=True, text=True
        )
        if done.returncode:
            print(f"apt-get {' '.join(arguments)}:\n{done.stdout}{done.stderr}", file=sys.stderr)


@pytest.fixture(scope="session")
def face(request: pytest.FixtureRequest) -> str:
    """What the pages are set in: the usual face, or another by `parametrize(…, indirect=True)`."""
    return str(getattr(request, "param", USUAL))


@pytest.fixture(scope="session")
def browser(face: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = browser_path()
    if path is None:
        text = f"no browser: none of {', '.join(NAMES)} is there or can be installed by apt-get"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(text)
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    fonts = fontconfig(face, tmp_path_factory.mktemp("fonts"))
    environment = os.environ | {"FONTCONFIG_FILE": str(fonts)}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags, env=environment)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """`thresher lab`, as a user starts it; it must have nothing to complain of at the end."""
    logs = tmp_path_factory.mktemp("logs")
    with started(command("--port", "0", "--logs", str(logs))) as running:
        yield running
        assert running.process.poll() is None, "the server has ended"
        assert "Traceback" not in running.stderr(), running.stderr()


@pytest.fixture
def faults() -> list[str]:
    """What a page has done that it should not: a test may take out what it expects."""
    return []


@pytest.fixture
def new_page(browser: Any, faults: list[str]) -> Iterator[Callable[..., Any]]:
    """Makes pages (options as of Playwright's `new_context`) that note their faults."""
    contexts = []

    def make(**options: Any) -> Any:
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        context.set_default_timeout(SLOW)
        contexts.append(context)
        return watched(context.new_page(), faults)

    yield make
    for context in contexts:
        context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    return new_page()


def watched(page: Any, faults: list[str]) -> Any:
    def seen(request: Any) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.hostname != "127.0.0.1":
            faults.append(f"the page asks {request.url}")

    page.on("console", lambda m: m.type == "error" and faults.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
    page.on("request", seen)
    page.on("websocket", lambda socket: seen(socket))
    return page
