"""The experiments of the documentation, on sizes that take no time: what the page says is seen."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "theory" / "games.md").read_text()


def experiment(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "experiments" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def growth(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return experiment("growth", monkeypatch)


@pytest.fixture
def drift(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return experiment("drift", monkeypatch)


def missing(table: str) -> list[str]:
    """The rows of a table that are not in the page as they are."""
    return [line for line in table.splitlines() if f"{line}\n" not in PAGE]


def test_the_page_shows_the_growth_that_is_measured(growth: ModuleType) -> None:
    for nature in (growth.frequent_and_rare, growth.root_at_random, growth.twenty_at_random):
        assert missing(growth.table([growth.measure(nature, n) for n in (100, 1000)])) == []


def test_winnow_grows_like_a_logarithm_and_the_perceptron_like_a_power(growth: ModuleType) -> None:
    rows = [growth.measure(growth.frequent_and_rare, n, 2, 32_768) for n in (100, 1600, 25_600)]
    for row in rows:
        assert row.winnow <= row.winnow_bound
        assert row.perceptron <= row.perceptron_bound
        assert row.late < 0.1  # the mistakes have settled
    first, middle, last = rows
    # Equal factors of n, 16 each: Winnow adds about the same, the Perceptron multiplies.
    added = (middle.winnow - first.winnow, last.winnow - middle.winnow)
    assert 0.6 < added[0] / added[1] < 1.6
    assert last.winnow / first.winnow < 3
    assert middle.perceptron / first.perceptron > 2.2
    assert last.perceptron / middle.perceptron > 2.2
    assert 0.3 < growth.exponent(rows) < 0.55
    assert 7 < growth.slope_per_doubling(rows) < 15


def test_with_a_fixed_number_of_active_features_the_perceptron_does_not_grow(
    growth: ModuleType,
) -> None:
    rows = [growth.measure(growth.twenty_at_random, n, 2, 32_768) for n in (1000, 100_000)]
    assert rows[1].perceptron < rows[0].perceptron <= rows[0].perceptron_bound == 21 * 21


def test_the_page_shows_the_drift_that_is_measured(drift: ModuleType) -> None:
    costs = drift.COSTS[:4]
    assert missing(drift.table(drift.buried, costs)) == []
    assert missing(drift.table(drift.moving, costs[::2])) == []


def test_winnow_r_grows_with_the_cost_and_winnow_with_its_square(drift: ModuleType) -> None:
    small, large = (drift.results(lambda cost=cost: drift.buried(cost)) for cost in (128, 512))
    assert all(result.consistent for made in (small, large) for result in made.values())
    assert large["Winnow-R"].mistakes == 4 * small["Winnow-R"].mistakes
    assert large["Winnow"].mistakes > 12 * small["Winnow"].mistakes
    bound = drift.bound(drift.additions(large["Winnow-R"]))
    assert large["Winnow-R"].mistakes < bound < large["Winnow"].mistakes


def test_all_winnows_recover_from_random_drift_and_the_perceptron_does_not(
    drift: ModuleType,
) -> None:
    made = drift.results(lambda: drift.random_drift(9), 8 * drift.EVERY)
    lately = {
        name: result.mistaken.reshape(-1, drift.EVERY)[:, -200:].mean()
        for name, result in made.items()
    }
    assert lately["Winnow-R"] < 0.03 > lately["Winnow"]
    assert lately["Perceptron"] > 0.1
    assert made["Winnow-R"].mistakes < made["Winnow"].mistakes < made["Perceptron"].mistakes / 2


def test_the_pictures_can_be_drawn(
    growth: ModuleType, drift: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    rows = [growth.measure(growth.frequent_and_rare, n, 1, 4096) for n in (100, 400)]
    growth.draw(rows, tmp_path / "growth.svg")
    monkeypatch.setattr(drift, "COSTS", (16, 32))
    drift.draw(drift.results(drift.random_drift, 500), tmp_path / "drift.svg")
    for name in ("growth", "drift"):
        assert (tmp_path / f"{name}.svg").stat().st_size > 10_000
        assert (DOCS / "images" / f"{name}.svg").exists()
