"""The structured perceptron: against all sequences of tags, against its bound, and its promises."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher import Perceptron, SequencePerceptron, load
from thresher import reference as ref
from thresher.errors import InvalidInput, ModelFileError, NotLearned

NAMES = ["a", "b", "c", "d"]


@st.composite
def tagged(draw, most=12, longest=4, tags=("N", "V", "D")):
    """Sequences of small whole numbers, so that sums are exact and ties are many."""
    position = st.dictionaries(st.sampled_from(NAMES), st.integers(-2, 2), max_size=3)
    sequence = st.lists(st.tuples(position, st.sampled_from(tags)), min_size=1, max_size=longest)
    drawn = draw(st.lists(sequence, min_size=1, max_size=most))
    return [([x for x, _ in s], [tag for _, tag in s]) for s in drawn]


@given(data=tagged(), average=st.booleans())
@settings(max_examples=max(20, settings.default.max_examples // 2))
def test_it_equals_the_search_over_all_sequences(data, average):
    model, slow = SequencePerceptron(average=average), ref.SequencePerceptron(average=average)
    for x, tags in data:
        model.learn_one(x, tags)
        slow.learn([{k: float(v) for k, v in p.items()} for p in x], tags)
    assert (model.examples_, model.mistakes_) == (slow.sequences, slow.mistakes)
    assert model.token_mistakes_ == slow.token_mistakes
    expected = slow.weights(average)
    for (before, tag), weight in model.transitions_.items():
        start = "(start)" if before is None else before
        assert weight == pytest.approx(expected[start, tag, "pair"], abs=1e-12)
    for tag, top in model.top_features(100).items():
        assert {name for name, _ in top} <= set(NAMES)
        for name, weight in top:
            assert weight == pytest.approx(expected[name, tag], abs=1e-12)
    if not average:  # averages have ties up to rounding
        for x, _ in data:
            floats = [{k: float(v) for k, v in p.items()} for p in x]
            assert model.predict_one(x) == slow.predict(floats)


@given(data=tagged(longest=1, tags=("N", "V", "D", "A")))
def test_of_single_positions_it_is_the_perceptron_of_many_classes(data):
    """A sequence of one position is an example, the pair with the start its bias."""
    model = SequencePerceptron(average=False)
    plain = Perceptron(average=False)
    for tag in "NVDA":  # four classes from the start, in this order
        model.learn_one([{}], [tag])
        plain.learn_one({}, tag)
    if model.transitions_ != {(None, t): v for t, v in _biases(plain).items()}:
        return  # ties between classes that nothing is known of are decided otherwise
    for x, tags in data:
        scores = plain.score_one({k: float(v) for k, v in x[0].items()})
        if len(set(scores.values())) < 4:
            return
        model.learn_one(x, tags)
        plain.learn_one({k: float(v) for k, v in x[0].items()}, tags[0])
    for x, _ in data:
        scores = plain.score_one({k: float(v) for k, v in x[0].items()})
        if len(set(scores.values())) == 4:
            assert model.predict_one(x) == [max(scores, key=scores.get)]


def _biases(plain):
    return dict(zip(plain.classes_.tolist(), plain.intercept_.tolist(), strict=True))


def separable(seed, n=60):
    """Tags by a planted weight for each word and pair; the margin is what it comes to."""
    rng = np.random.default_rng(seed)
    words, tags = [f"w{i}" for i in range(8)], ["N", "V", "D"]
    sequences = []
    for _ in range(n):
        length = rng.integers(1, 6)
        picked = rng.integers(0, 8, length)
        x = [{words[i]: 1.0, "odd": float(i % 2)} for i in picked]
        sequences.append((x, [tags[i % 3] for i in picked]))
    return sequences


@pytest.mark.parametrize("seed", range(5))
def test_collins_bound(seed):
    """Separable with margin δ by a unit vector u, ‖Φ(x,y) − Φ(x,y′)‖ ≤ R: mistakes ≤ R²/δ²."""
    data = separable(seed)
    u = {(f"w{i}", "NVD"[i % 3]): 1.0 for i in range(8)}
    norm = len(u) ** 0.5
    R2, delta = 0.0, np.inf
    from itertools import product

    for x, tags in data:
        right = ref.sequence.features(x, tags)
        for other in product("NVD", repeat=len(tags)):
            if list(other) == tags:
                continue
            wrong = ref.sequence.features(x, other)
            keys = right.keys() | wrong.keys()
            change = {k: right.get(k, 0.0) - wrong.get(k, 0.0) for k in keys}
            R2 = max(R2, sum(v * v for v in change.values()))
            delta = min(delta, sum(u.get(k, 0.0) * v for k, v in change.items()) / norm)
    assert delta > 0
    model = SequencePerceptron(max_epochs=100).fit(*zip(*data, strict=True))
    assert model.converged_ and model.mistakes_ <= R2 / delta**2
    assert model.score(*zip(*data, strict=True)) > 0.9


def test_fit_is_learning_one_by_one():
    data = separable(1)
    X, y = map(list, zip(*data, strict=True))
    whole = SequencePerceptron(max_epochs=1).fit(X, y)
    one_by_one = SequencePerceptron()
    for x, tags in data:
        one_by_one.learn_one(x, tags)
    chunks = SequencePerceptron().partial_fit(X[:7], y[:7]).partial_fit(X[7:], y[7:])
    assert whole.transitions_ == one_by_one.transitions_ == chunks.transitions_
    assert whole.top_features(9) == one_by_one.top_features(9) == chunks.top_features(9)
    mixed = SequencePerceptron(max_epochs=3, shuffle=True, random_state=7)
    assert mixed.fit(X, y).transitions_ == mixed.fit(X, y).transitions_


def test_resumed_is_uninterrupted(tmp_path):
    X, y = map(list, zip(*separable(2), strict=True))
    half = SequencePerceptron().partial_fit(X[:20], y[:20])
    half.save(tmp_path / "half.model")
    whole = SequencePerceptron().partial_fit(X, y)
    for other in load(tmp_path / "half.model"), pickle.loads(pickle.dumps(half)), copy.copy(half):
        other.partial_fit(X[20:], y[20:])
        assert other.transitions_ == whole.transitions_
        assert other.predict(X) == whole.predict(X)
    assert half.examples_ == 20
    SequencePerceptron(average=False).save(tmp_path / "empty.model")
    with pytest.raises(NotLearned):
        load(tmp_path / "empty.model").predict_one([{"a": 1}])


def test_a_file_is_not_trusted(tmp_path):
    from thresher import model_file

    X, y = map(list, zip(*separable(3), strict=True))
    model = SequencePerceptron().fit(X, y)
    for spoil in (
        lambda facts: facts["tags"].pop(),
        lambda facts: facts["counts"].update(tags=2**40),
        lambda facts: facts["counts"].update({"words.rows": 3}),
        lambda facts: facts["counts"].update(sequences=-1),
    ):
        tensors, about = model_file.describe(model)
        spoil(about["packed"])
        with pytest.raises((ModelFileError, ValueError, MemoryError)):
            model_file._restore(tensors, about)


def test_bad_input():
    model = SequencePerceptron().fit([[{"a": 1}, {"b": 1}]], [["N", "V"]])
    before = model.transitions_, model.top_features(9), model.examples_
    cases = [
        (([{"a": 1}], ["N", "V"]), "1 positions have 2 tags"),
        (([{"a": float("-inf")}], ["N"]), "inf"),
        (([{"new": 1}, {"a": float("inf")}], ["N", "X"]), "inf"),
        (("ab", ["N", "V"]), "as a sequence"),
        (([{"a": 1}], "N"), "as tags"),
        (([{"a": 1}], None), "as tags"),
        (([{"a": 1}], [3]), "mixed type"),
    ]
    for (x, tags), said in cases:
        with pytest.raises(InvalidInput, match=said):
            model.learn_one(x, tags)
        assert (model.transitions_, model.top_features(9), model.examples_) == before
    with pytest.raises(InvalidInput, match="sequence 1: "):
        model.partial_fit([[{"a": 1}], [{"a": 1}]], [["N"], []])
    assert model.examples_ == before[2] + 1
    with pytest.raises(InvalidInput, match="found None"):
        model.fit([[{"a": 1}]], None)
    with pytest.raises(InvalidInput, match="2 sequences and 1 lists"):
        model.fit([[], []], [[]])
    assert model.predict_one([]) == [] and model.predict([[{"unheard": 1}]])[0][0] in "NV"
    with pytest.raises(InvalidInput, match="average cannot change"):
        model.set_params(average=False)
    with pytest.raises(NotLearned):
        SequencePerceptron().predict([[]])
    empty = SequencePerceptron().fit([[]], [[]])
    assert empty.predict_one([]) == [] and empty.converged_
    with pytest.raises(InvalidInput):
        SequencePerceptron(max_epochs=0).fit([], [])
