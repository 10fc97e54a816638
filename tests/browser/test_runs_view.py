"""The view of runs, with real runs of the command line. (The lab is asked for before the page, so
that it outlives it.)"""

import contextlib
import itertools
import json
import re
import subprocess
import sys
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from labs import command, started

PA = ("--learner", "pa")
ROWS = "".join(
    f"{'spam' if (i * 7919) % 5 < 2 else 'ham'} | w{i % 7} v{i % 11} u{(i * 7919) % 5}\n"
    for i in range(30_000)
)


def start(*arguments, **options):
    line = [sys.executable, "-m", "thresher", *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def run(*arguments):
    assert start(*arguments).wait() == 0


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "mail.vw"
    path.write_text(ROWS)
    return path


@pytest.fixture
def lab_with_logs():
    """A function: the address of a lab that looks at this folder."""
    with contextlib.ExitStack() as labs:
        yield (
            lambda folder: (
                labs.enter_context(started(command("--port", "0", "--logs", str(folder)))).address
            )
        )


def opened(page, address, state="#runs"):
    page.goto(address + state)
    page.wait_for_selector(".lab[data-ready=runs]")


def text(page, selector):
    return page.locator(selector).first.inner_text()


def test_no_logs_yet_says_what_to_type_and_then_follows_the_first_run(
    lab_with_logs, page, data, tmp_path
):
    (tmp_path / "runs").mkdir()
    opened(page, lab_with_logs(tmp_path / "runs"))
    welcome = text(page, ".welcome")
    assert "thresher train data.svm -m m.model --log" in welcome
    assert "thresher generate text" in welcome and str(tmp_path / "runs") in welcome
    assert not page.locator(".columns.runs").is_visible()
    run("train", data, "-m", tmp_path / "first.model", "-q", "--log", tmp_path / "runs")
    page.wait_for_selector(".run-list li")
    assert not page.locator(".welcome").is_visible()
    assert "first" in text(page, ".run-title")


def test_drift_is_marked_on_the_curve(lab_with_logs, page, data, tmp_path):
    turned = ROWS.replace("spam", "HAM").replace("ham", "spam").replace("HAM", "ham")
    data.write_text(ROWS[: len(ROWS) // 2] + "\n" + turned[len(turned) // 2 :].split("\n", 1)[1])
    run("train", data, "-m", tmp_path / "a.model", "-q", "--on-drift", "reset", "--log",
        tmp_path / "runs")  # fmt: skip
    opened(page, lab_with_logs(tmp_path / "runs"))
    expect(page.locator(".run-message")).to_contain_text("Drift at example 15,")
    expect(page.locator(".chart .drift-line").first).to_be_attached()
    expect(page.locator("body")).to_contain_text("❘ drift")


def test_the_demo_that_the_page_offers_works(lab_with_logs, page, tmp_path):
    opened(page, lab_with_logs(tmp_path))
    demo = page.locator(".command pre").first.inner_text()
    assert f"--log {tmp_path}" in demo
    demo = demo.replace("-n 2000000", "-n 300").replace("thresher", f"{sys.executable} -m thresher")
    subprocess.run(["sh", "-c", demo], cwd=tmp_path, check=True, capture_output=True)
    page.wait_for_selector(".run-list li")
    expect(page.locator(".run-title")).to_contain_text("demo")
    expect(page.locator(".run-facts")).to_contain_text("300")


def test_a_run_is_watched_while_it_learns(lab_with_logs, page, tmp_path):
    folder = tmp_path / "runs"
    process = start("train", "-", "--format", "vw", "-m", tmp_path / "mail.model", "-q", "--log",
                    folder, stdin=subprocess.PIPE, text=True)  # fmt: skip
    process.stdin.write(ROWS)
    process.stdin.flush()
    while not folder.is_dir():
        time.sleep(0.02)
    opened(page, lab_with_logs(folder))
    page.wait_for_selector(".run-head .dot-running")
    page.wait_for_selector(".average-line.p0")
    line = page.locator("path.average-line").first
    before = line.get_attribute("d")
    for _ in range(3):
        process.stdin.write(ROWS)
        process.stdin.flush()
        time.sleep(0.3)
    expect(line).not_to_have_attribute("d", before)
    process.stdin.close()
    assert process.wait() == 0
    page.wait_for_selector(".run-head .dot-done")
    expect(page.locator(".run-facts")).to_contain_text("120 k")
    expect(page.locator(".run-said")).to_contain_text("finished")
    expect(page.locator(".toast")).to_contain_text("mail finished after 120,000 examples")
    expect(page).to_have_title(re.compile("^✓ mail"))
    # The picture shows what the log holds.
    (log,) = folder.glob("*.jsonl")
    lines = [json.loads(one) for one in log.read_text().splitlines()]
    end = lines[-1]
    expect(page.locator(".run-facts")).to_contain_text(f"{100 * end['error']:.2f} %")
    weights = [one for one in lines if one["event"] == "weights"][-1]
    names = [name for name, _ in weights["top"][0]["features"]]
    expect(page.locator(".feature-name")).to_have_text(names)
    expect(page.locator(".feature-lists")).to_contain_text("+ for spam")
    bars = sum(1 for n in weights["histogram"]["counts"] if n)
    expect(page.locator(".histogram rect")).to_have_count(bars)


def test_runs_are_compared(lab_with_logs, page, data, tmp_path):
    for learner in ("pa", "perceptron", "naive-bayes"):
        run("train", data, "-m", tmp_path / f"{learner}.model", "-q", "--learner", learner,
            "--holdout", "10", "--log", tmp_path / "runs")  # fmt: skip
    opened(page, lab_with_logs(tmp_path / "runs"))
    expect(page.locator("path.average-line")).to_have_count(3)
    assert page.locator(".compared tbody tr").count() == 3
    expect(page.locator("path.held-line")).to_have_count(3)
    expect(page.locator("path.recent-line")).to_have_count(3)
    page.get_by_label("recent", exact=True).uncheck()
    expect(page.locator("path.recent-line")).to_have_count(0)
    page.get_by_label("Compare perceptron").uncheck()
    expect(page.locator("path.average-line")).to_have_count(2)
    before = page.locator("path.average-line").first.get_attribute("d")
    page.get_by_role("button", name="x: linear").click()
    page.get_by_role("button", name="y: log").click()
    expect(page.locator("path.average-line").first).not_to_have_attribute("d", before)
    # All of it stands in the link.
    page.wait_for_timeout(400)
    address = page.url
    other = page.context.new_page()
    other.goto(address)
    other.wait_for_selector(".lab[data-ready=runs]")
    expect(other.get_by_label("Compare perceptron")).not_to_be_checked()
    assert other.get_by_role("button", name="y: log").get_attribute("aria-pressed") == "true"
    other.close()


def test_a_race_shows_its_field(lab_with_logs, page, data, tmp_path):
    run("race", data, "--learners", "pa,perceptron,arow", "--log", tmp_path / "runs", "-q")
    opened(page, lab_with_logs(tmp_path / "runs"))
    page.wait_for_selector(".standings tbody tr")
    names = text(page, ".standings")
    assert all(name in names for name in ("pa", "perceptron", "arow"))
    expect(page.locator(".field-part path.line")).to_have_count(3)


def test_a_truncated_log_and_one_that_goes(lab_with_logs, page, data, tmp_path):
    folder = tmp_path / "runs"
    run("train", data, *PA, "-m", tmp_path / "a.model", "-q", "--log", folder)
    opened(page, lab_with_logs(folder))
    page.wait_for_selector("path.average-line")
    (log,) = folder.glob("*.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    start, first = map(json.loads, lines[:2])
    half = first | {"bytes_read": start["total_bytes"] // 2, "seconds": 60.0}
    log.write_bytes(lines[0] + json.dumps(half).encode() + b"\n")
    page.wait_for_selector(".run-head .dot-running")
    expect(page.locator(".run-facts")).to_contain_text("left≈ 1 min")
    expect(page).to_have_title(re.compile("^● (49|50) % a · Thresher lab$"))
    expect(page.locator(".run-facts dd").first).to_have_text("1")
    with log.open("ab") as file:
        file.write(b"\xff damaged\n" + lines[2])
    page.wait_for_selector(".run-message:not([hidden])")
    expect(page.locator(".run-message")).to_contain_text("1 damaged line")
    log.unlink()
    page.wait_for_selector(".welcome:not([hidden])")
    folder.rmdir()
    expect(page.locator(".welcome")).to_contain_text("no folder")


def test_a_hidden_page_does_not_ask(lab_with_logs, page, tmp_path):
    opened(page, lab_with_logs(tmp_path))
    asked = []
    page.evaluate(
        "() => { window.asked = 0; const send = WebSocket.prototype.send;"
        " WebSocket.prototype.send = function (m) { window.asked++; return send.call(this, m); };"
        " Object.defineProperty(document, 'hidden', { get: () => window.away ?? false }); }"
    )
    page.wait_for_function("() => window.asked >= 2")
    page.evaluate("() => { window.away = true; }")
    page.wait_for_timeout(1500)
    asked.append(page.evaluate("() => window.asked"))
    page.wait_for_timeout(2500)
    asked.append(page.evaluate("() => window.asked"))
    assert asked[0] == asked[1]
    page.evaluate(
        "() => { window.away = false; document.dispatchEvent(new Event('visibilitychange')); }"
    )
    page.wait_for_function(f"() => window.asked > {asked[1]}", timeout=3000)


def test_keys_choose_a_run(lab_with_logs, page, data, tmp_path):
    for name in ("one", "two"):
        run("train", data, *PA, "-m", tmp_path / f"{name}.model", "-q", "--log", tmp_path / "runs")
        time.sleep(0.05)
    opened(page, lab_with_logs(tmp_path / "runs"))
    expect(page.locator(".run-title")).to_contain_text("two")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".run-title")).to_contain_text("one")
    assert "one" in text(page, ".run-said")


def test_it_can_be_read_by_all(lab_with_logs, new_page, data, tmp_path):
    run("train", data, *PA, "-m", tmp_path / "a.model", "-q", "--log", tmp_path / "runs")
    run("race", data, "--learners", "pa,perceptron", "--log", tmp_path / "runs", "-q")
    address = lab_with_logs(tmp_path / "runs")
    for width, scheme in itertools.product((1440, 390), ("light", "dark")):
        page = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened(page, address)
        page.wait_for_selector(".standings tbody tr")
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa"]})
        assert found.violations_count == 0, (width, scheme, found.generate_report())
