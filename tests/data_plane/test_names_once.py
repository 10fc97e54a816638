"""For Winnow and SNoW a feature is active or not: lists of names and texts are sets for them."""

import subprocess
import sys

import pytest

import thresher
from thresher import Perceptron, Snow, Winnow
from thresher.errors import InvalidInput

TEXTS = [
    ("the cat saw the dog and the cat ran", "pets"),
    ("the vote on the law on the tax", "news"),
    ("a dog a cat a dog", "pets"),
    ("tax tax tax and law", "news"),
] * 3
LEARNERS = [
    Winnow(theta=3.0),
    Winnow(theta=3.0, negations=True),
    Winnow(theta=3.0, clip=True),
    Winnow(prepare="minmax", theta=3.0),
    Snow(),
    Snow(rule="perceptron"),
    Snow(rule="naive-bayes"),
]


def same(one, other):
    assert one.top_features(99) == other.top_features(99)
    asked = ["the", "the", "cat", "unheard", "unheard", "of", "law"]
    assert one.score_one(asked) == other.score_one(dict.fromkeys(asked, 1.0))
    assert one.mistakes_ == other.mistakes_


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("kind", [list, tuple])
def test_a_list_of_names_is_a_set(learner, kind):
    once, listed = learner.fresh(), learner.fresh()
    for text, label in TEXTS:
        once.learn_one(dict.fromkeys(text.split(), 1.0), label)
        listed.learn_one(kind(text.split()), label)
    same(listed, once)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize(
    "reading", [{}, {"ngrams": 2}, {"hash_bits": 12}, {"min_count": 2}], ids=str
)
def test_a_line_of_a_file_is_a_set_of_names(learner, reading, tmp_path):
    """In files and by hand alike, whatever is made of the names."""
    first, path = tmp_path / "first.bag", tmp_path / "all.bag"
    lines = [f"{label}\t{text}\n" for text, label in TEXTS]
    first.write_text(lines[0])
    path.write_text("".join(lines))
    model = learner.fresh().fit_file(path, **reading)
    by_hand = learner.fresh().fit_file(first, **reading)
    for text, label in TEXTS[1:]:
        by_hand.learn_one(text.split(), label)
    assert model.top_features(99) == by_hand.top_features(99)
    if not reading:
        once = learner.fresh()
        for text, label in TEXTS:
            once.learn_one(dict.fromkeys(text.split(), 1.0), label)
        same(model, once)


@pytest.mark.parametrize("learner", ["snow", "winnow"])
def test_text_can_be_learned_from_the_command_line(learner, tmp_path):
    path, model = tmp_path / "texts.csv", str(tmp_path / "model")
    path.write_text("label,text\n" + "".join(f"{label},{text}\n" for text, label in TEXTS))
    words = ["train", path, "--label", "label", "--text", "text", "--learner", learner, "-m", model]
    subprocess.run([sys.executable, "-m", "thresher", *words, "-q"], check=True, timeout=120)
    assert thresher.load(model).examples_ == len(TEXTS)


def test_others_count_how_often_a_name_comes():
    for learner, value in ((Perceptron(), 2.0), (thresher.BalancedWinnow(scaled=False), 1.5**2)):
        learner.learn_one(["a", "a"], 1)
        learner.learn_one(["b"], 0)
        weight = dict(learner.top_features(9))["a"]
        assert weight in (value, value - 1 / value)


@pytest.mark.parametrize("learner", [Winnow(), Snow()], ids=repr)
def test_numbers_outside_the_unit_interval_are_still_refused(learner, tmp_path):
    with pytest.raises(InvalidInput, match=r"'the'.*found 2\.0; expected a value in \[0, 1\]"):
        learner.learn_one({"the": 2.0}, "a")
    path = tmp_path / "rows.vw"
    path.write_text("1 | the:2\n")
    with pytest.raises(InvalidInput, match=r"line 1.*outside \[0, 1\]"):
        learner.fit_file(path)


def test_of_values_given_twice_the_larger_counts(tmp_path):
    path = tmp_path / "rows.vw"
    path.write_text("1 | a:0.25 b a:0.5\n-1 | c\n")
    model = Winnow(theta=1.0, alpha=16.0).fit_file(path)
    again = Winnow(theta=1.0, alpha=16.0)
    again.learn_one({"a": 0.5, "b": 1.0}, 1)
    again.learn_one({"c": 1.0}, -1)
    assert model.top_features(9) == again.top_features(9)
