"""Generated streams keep what they promise: truth, margin, noise, changes, seeds, prefixes."""

import inspect
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.data import generate
from thresher.data.generate import BLOCK
from thresher.data.kinds import KINDS
from thresher.errors import InvalidInput

N = 3 * BLOCK + 100

SMALL = {
    "disjunction": {"n": 60, "relevant": 4, "active": 7},
    "m-of-n": {"m": 3, "n_relevant": 7, "n": 60, "active": 12},
    "linear": {"n": 50, "active": 9, "margin": 0.1},
    "drift": {"n": 60, "every": 700, "relevant": 4, "active": 7},
    "text": {"vocabulary": 300, "length": 15},
}


def stream_of(kind, seed=0, /, **options):
    return KINDS[kind].stream(seed, **{**SMALL[kind], **options})


def test_every_kind_has_a_small_one_here():
    assert SMALL.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_table_says_what_the_functions_take(kind):
    parameters = dict(inspect.signature(getattr(generate, kind.function)).parameters)
    assert parameters.pop("seed").default == 0
    told = {option.name: option.default for option in kind.options}
    assert told == {name: parameter.default for name, parameter in parameters.items()}


def test_the_docs_list_every_kind():
    page = Path(__file__).parents[2] / "docs" / "howto" / "data-with-known-truth.md"
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", page.read_text(), re.MULTILINE)
    assert rows == [(kind.name, kind.summary) for kind in KINDS.values()]


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_examples(kind):
    assert stream_of(kind, 5).take(300) == stream_of(kind, 5).take(300)
    assert stream_of(kind, 5).take(300) != stream_of(kind, 6).take(300)
    assert stream_of(kind, 5).truth != stream_of(kind, 6).truth


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("few", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1])
def test_a_shorter_stream_is_the_beginning_of_a_longer_one(kind, few):
    stream = stream_of(kind, 3)
    long = [example for block in stream.blocks(2 * BLOCK) for example in block]
    short = [example for block in stream.blocks(few) for example in block]
    assert len(long) == 2 * BLOCK
    assert short == long[:few] == stream.take(few)


@pytest.mark.parametrize("kind", KINDS)
def test_truth_is_json(kind):
    stream = stream_of(kind)
    assert json.loads(stream.truth_json({"kind": kind})) == {"kind": kind, "truth": stream.truth}


@pytest.mark.parametrize("kind", KINDS)
def test_classes_are_balanced(kind):
    counts = Counter(example.label for example in stream_of(kind, 2).take(N))
    assert len(counts) == 2
    # Linear labels are those of symmetric x: fair as well. Six standard deviations of N coins.
    assert max(counts.values()) < N / 2 + 6 * math.sqrt(N) / 2


def check_boolean(examples, active, names):
    for example in examples:
        assert len(example.features) == active
        assert set(example.features.values()) == {1.0}
        assert example.features.keys() <= names
        assert list(example.features) == sorted(example.features, key=int)


@given(st.data())
def test_at_least_m_relevant_features_make_a_positive(data):
    n_relevant = data.draw(st.integers(1, 8))
    m = data.draw(st.integers(1, n_relevant))
    n = data.draw(st.integers(n_relevant + m, 40))
    active = data.draw(st.integers(m, n - n_relevant))
    stream = generate.m_of_n(m, n_relevant, n, active, seed=data.draw(st.integers(0, 2**64)))
    relevant = set(stream.truth["relevant"])
    assert len(relevant) == n_relevant
    examples = stream.take(200)
    check_boolean(examples, active, {str(i) for i in range(1, n + 1)})
    for example in examples:
        assert (example.label == "1") == (len(relevant & example.features.keys()) >= m)


def test_a_disjunction_needs_one():
    stream = stream_of("disjunction", 1)
    relevant = set(stream.truth["relevant"])
    assert len(relevant) == 4
    for example in stream.take(N):
        assert (example.label == "1") == bool(relevant & example.features.keys())


def test_irrelevant_features_say_nothing():
    """Each is as frequent in both classes, and as frequent as any other."""
    stream = stream_of("disjunction", 1)
    examples = stream.take(20 * BLOCK)
    counts = {label: Counter() for label in ("1", "-1")}
    for example in examples:
        counts[example.label].update(example.features.keys() - set(stream.truth["relevant"]))
    for each in counts.values():
        mean = sum(each.values()) / 56
        assert len(each) == 56
        # A count is a sum of independent draws of probability < 1/2: no more spread than Poisson.
        assert max(abs(count - mean) for count in each.values()) < 6 * math.sqrt(mean)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**32))
def test_linear_examples_keep_the_margin(n, active, seed):
    active = min(n, active)
    margin = 0.5 * math.sqrt(active / n)
    stream = generate.linear(n, active, margin, seed=seed)
    u = stream.truth["weights"]
    assert math.isclose(sum(w * w for w in u.values()), 1.0)
    for example in stream.take(100):
        y = int(example.label)
        assert len(example.features) == active
        assert y * math.fsum(u[name] * v for name, v in example.features.items()) >= margin
        length = math.sqrt(math.fsum(v * v for v in example.features.values()))
        assert 1 - 1e-6 * active <= length <= 1.0


def test_values_are_short():
    for example in stream_of("linear").take(500):
        assert all(v == round(v, 6) for v in example.features.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_labels_are_wrong_as_often_as_asked(kind, noise):
    """Noise changes labels alone, and within what N draws allow."""
    clean, noisy = stream_of(kind, 4).take(N), stream_of(kind, 4, noise=noise).take(N)
    assert [e.features for e in clean] == [e.features for e in noisy]
    wrong = sum(a.label != b.label for a, b in zip(clean, noisy, strict=True))
    assert abs(wrong - noise * N) <= 6 * math.sqrt(noise * (1 - noise) * N)


@pytest.mark.parametrize("every", [1, 100, 700, BLOCK, 3000])
def test_abrupt_changes(every):
    stream = stream_of("drift", 1, every=every, targets=3)
    targets = [set(names) for names in stream.truth["relevant"]]
    assert len(targets) == 3
    for t, example in enumerate(stream.take(N)):
        target = targets[t // every % 3]
        assert (example.label == "1") == bool(target & example.features.keys()), t


def test_gradual_changes():
    every = 3000
    stream = stream_of("drift", 1, every=every, kind="gradual", n=1000, targets=2)
    targets = [set(names) for names in stream.truth["relevant"]]
    by_old, by_new = Counter(), Counter()  # examples that only one of both explains, by tenths
    examples = stream.take(20 * every)
    for t, example in enumerate(examples):
        old, new = targets[t // every % 2], targets[(t // every + 1) % 2]
        y = example.label == "1"
        explained = [bool(target & example.features.keys()) == y for target in (old, new)]
        assert any(explained), t
        if explained == [True, False]:
            by_old[10 * (t % every) // every] += 1
        elif explained == [False, True]:
            by_new[10 * (t % every) // every] += 1
    shares = [by_new[i] / (by_new[i] + by_old[i]) for i in range(10)]
    assert np.allclose(shares, (np.arange(10) + 0.5) / 10, atol=0.06)


def test_words_follow_zipf_and_the_class():
    stream = generate.text(vocabulary=500, zipf=1.0, length=1, telling=0.5, seed=1)
    words = [
        (next(iter(e.features)), e.label) for e in stream.take(200_000) if len(e.features) == 1
    ]
    counts = Counter(word for word, _ in words)
    names = stream.names
    assert len(set(names)) == 500
    assert all(name.isascii() and name.isalpha() and name.islower() for name in names)
    # log frequency falls by zipf for each log rank; classes tilt single words, not the whole.
    ranks = np.arange(1, 101)
    slope = np.polyfit(np.log(ranks), np.log([counts[names[k - 1]] for k in ranks]), 1)[0]
    assert abs(slope + 1.0) < 0.1
    spam = Counter(word for word, label in words if label == "spam")
    for word, log_odds in stream.truth["log_odds"].items():
        if counts[word] > 1000:
            seen = math.log(spam[word] / (counts[word] - spam[word]))
            # The two classes' totals differ a little, too.
            assert abs(seen - log_odds) < 0.5


def test_text_is_what_it_says():
    for example in stream_of("text").take(500):
        assert example.label in ("spam", "ham")
        assert set(example.features.values()) == {1.0}


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        ("disjunction", {"n": 0}, "n=0; expected at least 1"),
        ("disjunction", {"relevant": 61}, "relevant=61; expected 1 to 60"),
        ("disjunction", {"active": 57}, "active=57; expected 1 to 56"),
        ("disjunction", {"noise": 1.5}, "noise=1.5; expected 0 to 1"),
        ("disjunction", {"noise": math.nan}, "noise=nan; expected 0 to 1"),
        ("m-of-n", {"m": 8}, "m=8; expected 1 to 7"),
        ("linear", {"margin": 0.5}, "margin=0.5; expected 0 to 0.382, since x has 9 of 50"),
        ("linear", {"margin": -0.1}, "margin=-0.1; expected 0 to"),
        ("linear", {"active": 51}, "active=51; expected 1 to 50"),
        ("drift", {"every": 0}, "every=0; expected at least 1"),
        ("drift", {"targets": 1}, "targets=1; expected at least 2"),
        ("drift", {"kind": "slow"}, "kind='slow'; expected 'abrupt' or 'gradual'"),
        ("text", {"vocabulary": 1}, "vocabulary=1; expected at least 2"),
        ("text", {"zipf": -1.0}, "zipf=-1.0; expected 0 to 10"),
        ("text", {"telling": 2.0}, "telling=2.0; expected 0 to 1"),
        ("text", {"length": 0}, "length=0; expected at least 1"),
    ],
)
def test_wrong_options(kind, options, says):
    with pytest.raises(InvalidInput, match=says.replace("(", r"\(")):
        stream_of(kind, **options)


def test_wrong_seed():
    with pytest.raises(InvalidInput, match="seed=-1; expected a whole number, 0 or larger"):
        stream_of("text", -1)
