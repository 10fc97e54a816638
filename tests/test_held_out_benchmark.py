"""What benchmarks/held_out.py computes itself: answers of other libraries, marks, its cache."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCHMARKS)

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


def stream(module: Any, regress: bool, classes: int = 3) -> Any:
    rng = np.random.default_rng(0)
    X = 5.0 + rng.normal(size=(80, 4)) * [1.0, 10.0, 0.1, 1.0]
    y = X[:, 0] if regress else np.arange(80) % classes
    real = module("real_data")
    name, kind = ("casp", "numbers") if regress else ("cells", "table")
    each = real.DataSet(name, kind, "", lambda: ((X, y), None), regress=regress)
    return real.Stream(each, X[:60], y[:60], X[60:], y[60:])


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_scikit_learns_answers_are_those_after_each_row(module: Any, classes: int) -> None:
    contenders = module("contenders")
    given = stream(module, classes == 0, classes)
    for name, (cls, options) in contenders.SGD.items():
        if (cls is SGDRegressor) != (classes == 0):
            continue
        known = {} if classes == 0 else {"classes": np.arange(classes)}

        def learned(rows: int, cls: Any = cls, options: Any = options, known: Any = known) -> Any:
            model = cls(random_state=0, shuffle=False, **options)
            return model.partial_fit(given.X[:rows], given.y[:rows], **known)

        answers = [-1, *(learned(i).predict(given.X[i : i + 1])[0] for i in range(1, 60))]
        expected = contenders.figures(given, answers, learned(60).predict(given.X_test))
        found = contenders.one_pass(name, False, given)
        assert found.progressive == pytest.approx(expected.progressive, rel=1e-6), name
        assert found.held_out == expected.held_out, name


def test_rows_are_standardised_by_what_came_before(module: Any) -> None:
    given = stream(module, True)
    scaler = StandardScaler()
    rows = [scaler.partial_fit(row[None]).transform(row[None])[0] for row in given.X]
    X, X_test = module("contenders").standardised(given)
    np.testing.assert_allclose(X, rows, atol=1e-9)
    np.testing.assert_allclose(X_test, scaler.transform(given.X_test), atol=1e-9)


def test_a_loss_is_marked_whoever_it_is_against(module: Any) -> None:
    held_out, real = module("held_out"), module("real_data")
    cell = held_out.Cell

    def mark(ours: tuple[float, ...], peer: tuple[float, ...], trivial: tuple[float, ...]) -> str:
        cells = {"auto": ours, "VW": peer, "majority": trivial}
        row = held_out.Row(real.SETS[0], {name: cell(name, v) for name, v in cells.items()})
        return str(row.mark("auto"))

    assert mark((10.0, 10.2, 10.4), (10.0, 10.2, 10.4), (30.0,) * 3) == ""
    assert mark((10.5, 10.8, 10.9), (10.0, 10.2, 10.4), (30.0,) * 3) == "▼"
    assert mark((10.5, 9.9, 10.9), (10.0, 10.2, 10.4), (30.0,) * 3) == "▽"
    assert mark((40.0,), (41.0,), (30.0,)) == "!"


def test_other_libraries_are_asked_once(module: Any, tmp_path: Path, monkeypatch: Any) -> None:
    held_out, real = module("held_out"), module("real_data")
    monkeypatch.setattr(held_out, "PEERS", module("contenders").TRIVIAL)
    sets, cache = [real.BY_NAME["phishing"], real.BY_NAME["digits"]], tmp_path / "peers.jsonl"
    found = held_out.run_all(sets, 2, True, [], cache, 1)
    assert len(found) == 2 * 2 * 3
    lines = cache.read_text()
    assert held_out.run_all(sets, 2, True, [], cache, 1) == found
    assert cache.read_text() == lines


def test_each_half_has_every_kind(module: Any) -> None:
    sets = module("real_data").SETS
    first, second = ({s.kind for s in sets if s.half == half} for half in ("first", "second"))
    assert first == second
    assert len({s.name for s in sets}) == len(sets)
