"""The picture of SequencePerceptron on its page shows the library's own numbers."""

from __future__ import annotations

import runpy
from pathlib import Path

from thresher import SequencePerceptron

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_numbers_are_those_of_the_library() -> None:
    page = runpy.run_path(str(DOCS / "tagging_page.py"))
    shown, example = page["run"](), page["example"]()
    X, y = example["X"], example["y"]
    tags, steps = shown["tags"], shown["steps"]
    assert len(steps) == example["model"].epochs_ * len(X) == 20
    assert steps[-1]["mistakes"] == example["model"].mistakes_ == 8
    model, held = SequencePerceptron(average=False), {}
    for number, step in enumerate(steps):
        x, right = X[number % len(X)], y[number % len(X)]
        assert step["words"] == [position["word"] for position in x]
        assert [tags[k] for k in step["right"]] == right
        predicted = [tags[k] for k in step["predicted"]]
        if number > 1:  # all tags are known
            assert predicted == model.predict_one(x)
        for path, score in zip(("predicted", "right"), step["scores"], strict=True):
            places = [-1, *step[path]]
            assert score == sum(
                step["w"][t][k] + step["v"][places[t] + 1][k] for t, k in enumerate(step[path])
            )
        assert step["scores"][0] >= step["scores"][1]
        assert bool(step["changes"]) == (predicted != right)
        for name, before, after in step["changes"]:
            assert held.get(name, 0) == before != after
            held[name] = after
        model.learn_one(x, right)
        assert step["mistakes"] == model.mistakes_
        assert {name: value for name, value in held.items() if value} == weights(model)


def weights(model: SequencePerceptron) -> dict[str, float]:
    words = {
        f"w[{tag}] {name}": w for tag, top in model.top_features(99).items() for name, w in top
    }
    pairs = {f"v[{before or 'start'}, {tag}]": v for (before, tag), v in model.transitions_.items()}
    return words | {name: v for name, v in pairs.items() if v}


def test_the_page_of_the_learner_has_its_place() -> None:
    mark = runpy.run_path(str(DOCS / "tagging_page.py"))["MARK"]
    assert (DOCS / "learners" / "sequence.md").read_text("utf-8").count(f"\n{mark}\n") == 1
    assert "- docs/tagging_page.py" in (DOCS.parent / "mkdocs.yml").read_text("utf-8")
