"""The page of `thresher serve`: what is being served, live, and behind a token."""

from pathlib import Path
from typing import Any

from serve.processes import served
from thresher.client import Client


def test_models_are_shown_while_they_learn(page: Any, faults: list[str], tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret")
    with served(tmp_path / "dir", "--token-file", str(tmp_path / "token")) as server:
        client = Client(server.url, token="secret")
        client.create("fraud-b", learner="arow", label="y")
        client.learn("fraud-b", [{"x": i, "y": i % 2} for i in range(20)])
        page.goto(f"{server.url}/")
        page.get_by_label("Token").fill("secret")
        page.get_by_role("button", name="Show").click()
        card = page.get_by_role("article").filter(has_text="fraud-b")
        card.get_by_text("20", exact=True).wait_for()
        client.learn("fraud-b", [{"x": i, "y": i % 2} for i in range(5)])
        card.get_by_text("25", exact=True).wait_for()
        card.get_by_role("img", name="losses of fraud-b").locator("path.recent").wait_for()
    faults[:] = [fault for fault in faults if "401" not in fault]  # before the token was given
