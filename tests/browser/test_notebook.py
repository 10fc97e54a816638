"""The widget in a page of JupyterLab, where thresher[test-notebook] is installed."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from playwright.sync_api import expect

FIRST = """\
from thresher import PassiveAggressive, Perceptron
from thresher.lab import PlaneWidget
X, y = [[0.5, 0.5], [-0.5, -0.5], [0.2, 0.6], [-0.4, 0.1]], [1, -1, 1, -1]
widget = PlaneWidget(X, y, learners=[Perceptron(average=False), PassiveAggressive()], epochs=1)
widget"""
SECOND = """\
model = Perceptron(average=False)
for i in range(widget.state["t"]):
    model.partial_fit([X[i]], [y[i]], classes=[-1, 1])
print("t is", widget.state["t"], "and w is", *model.coef_[0], *model.intercept_)"""


@pytest.fixture
def notebook(tmp_path):
    """The address of a notebook in a JupyterLab that knows nothing of the user's settings."""
    pytest.importorskip("jupyterlab")
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": [],
              "execution_count": None, "id": f"cell{i}"}
             for i, source in enumerate((FIRST, SECOND))]  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "plane.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {name: str(tmp_path / name) for name in names}
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
        f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=tested",
        f"--ServerApp.root_dir={tmp_path / 'work'}", "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]  # fmt: skip
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | own)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/api?token=tested", server, tmp_path / "log")
            yield f"{address}/lab/tree/plane.ipynb?token=tested"
        finally:
            server.terminate()
            server.wait(30)


def wait_for(address, server, log):
    until = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.2)


@pytest.mark.slow
def test_the_plane_in_jupyterlab(browser, notebook):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(90_000)
    page.goto(notebook)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    page.wait_for_selector(".jp-NotebookPanel-toolbar >> text=Python 3")
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")
    cells.nth(0).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".lab[data-ready=plane]")
    expect(page.locator(".panel")).to_have_count(2)
    expect(page.locator(".panel").first.locator(".point")).to_have_count(4)
    expect(page.locator(".panel .boundary[display=inline]")).to_have_count(2)
    page.get_by_role("button", name="To the start").click()
    page.get_by_role("button", name="Step ▸").click()
    expect(page.locator(".time")).to_have_text("t = 1/4")
    weights = page.locator(".figures .weights").first.text_content()
    page.wait_for_timeout(1000)  # the state follows a moment later
    if screenshot := os.environ.get("THRESHER_NOTEBOOK_SCREENSHOT"):
        page.screenshot(path=screenshot)
    cells.nth(1).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    printed = cells.nth(1).locator(".jp-OutputArea-output pre")
    expect(printed).to_contain_text("t is 1 and w is", timeout=60_000)
    found = [float(v) for v in re.findall(r"-?\d+\.\d+", printed.text_content())]
    assert [float(v.replace("−", "-")) for v in weights.split(",")] == pytest.approx(found)
    page.close()
