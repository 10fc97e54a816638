"""The boolean and adversary views in a notebook."""

from __future__ import annotations

import pytest

from thresher.errors import InvalidInput

pytest.importorskip("anywidget")


def test_a_widget_shows_its_view_and_answers_it():
    from thresher.lab import AdversaryWidget, BooleanWidget

    sent = []
    boolean = BooleanWidget("x1 & x2", n=6, examples=20)
    boolean.send = sent.append
    assert boolean.view == "boolean"
    question = {**boolean.state, "panels": [{"learner": "winnow"}]}
    boolean._asked(boolean, {"id": 4, "ask": "boolean.run", "with": question}, [])
    assert sent[0]["id"] == 4
    assert sent[0]["answer"]["text"] == "x1 ∧ x2"
    assert len(sent[0]["answer"]["labels"]) == 20
    assert AdversaryWidget().view == "adversary"
    assert AdversaryWidget(n=8, seed=2).state == {"n": 8, "seed": 2, "moves": []}


def test_what_the_page_would_refuse_is_refused_here():
    from thresher.lab import AdversaryWidget, BooleanWidget

    with pytest.raises(InvalidInput, match="column 6"):
        BooleanWidget("x1 | y", n=3)
    with pytest.raises(InvalidInput, match="n is 3"):
        BooleanWidget("x1 | x4", n=3)
    with pytest.raises(InvalidInput, match="from 2 to 128"):
        AdversaryWidget(n=1)
