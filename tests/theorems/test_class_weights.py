"""`class_weight`: what it equals, what it is for, where it is kept, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_class_weight

import thresher
from commands import Commands
from streams import real_streams
from thresher import LDA, MIRA, NaiveBayes, PassiveAggressive, Perceptron, Race, Snow, Winnow
from thresher.errors import InvalidInput
from thresher.learners.table import LINEAR

CLASSIFIERS = [
    entry
    for entry in LINEAR
    if entry.online and entry.task == "classify" and "class_weight" in entry.cls.options
]
some = settings(max_examples=max(5, settings.default.max_examples // 5))


def balanced(labels, weights):
    """n/(K·n_k) of each example, from the ones so far."""
    out = []
    for i, label in enumerate(labels):
        so_far = slice(i + 1)
        same = [k == label for k in labels[so_far]]
        classes = len({k for k, w in zip(labels[so_far], weights[so_far], strict=True) if w})
        total, own = sum(weights[so_far]), sum(w for w, s in zip(weights, same, strict=False) if s)
        out.append(total / (classes * own) if weights[i] else 1.0)
    return np.array(out)


def everything(model):
    state = model._model.state()
    learned = {k: v for k, v in state["arrays"].items() if not k.startswith("class_weights.")}
    return learned, model._labels.values


@pytest.mark.parametrize("entry", CLASSIFIERS, ids=lambda entry: entry.name)
@some
@given(data=st.data())
def test_it_is_a_sample_weight(entry, data):
    """A dict and "balanced" are equivalent to explicit sample weights."""
    stream = data.draw(real_streams(entry))
    given = {stream.y[0]: 2.5, stream.y[-1]: 0.3}
    importance = np.array(stream.importance)
    for option, factors in (
        (given, np.array([given.get(label, 1.0) for label in stream.y])),
        ("balanced", balanced(stream.y, stream.importance)),
    ):
        weighed = entry.cls(class_weight=option)
        weighed.fit(stream.X, stream.labels, sample_weight=stream.weights)
        plain = entry.cls().fit(stream.X, stream.labels, sample_weight=importance * factors)
        found, expected = everything(weighed), everything(plain)
        assert found[0].keys() == expected[0].keys() and found[1] == expected[1]
        for name, cells in found[0].items():
            np.testing.assert_allclose(
                np.frombuffer(cells), np.frombuffer(expected[0][name]), rtol=1e-9, atol=1e-12
            )


@given(y=st.lists(st.sampled_from("abc"), min_size=1, max_size=40))
def test_the_last_example_of_an_array_has_the_weight_of_scikit_learn(y):
    """What naive Bayes counts of its class more than without it."""
    labels = np.unique(y)
    expected = compute_class_weight("balanced", classes=labels, y=y)[labels.tolist().index(y[-1])]
    model, counted = NaiveBayes(class_weight="balanced"), []
    for label in y[:-1], y:
        if label:
            model = NaiveBayes(class_weight="balanced").fit(np.ones((len(label), 1)), label)
            own = model.classes_ == y[-1]
            counted.append(model.class_count_[own].sum())
    assert counted[-1] - (counted[0] if len(y) > 1 else 0.0) == pytest.approx(expected)


def rare(n=4000, share=0.02, seed=5):
    """Two clouds that overlap, one of them with few examples."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return rng.normal(size=(n, 3)) + 1.2 * y[:, None], y


@pytest.mark.parametrize("cls", [PassiveAggressive, thresher.LogisticRegression, NaiveBayes, LDA])
def test_rare_classes_are_found(cls):
    """What it is for: the mean of the shares found in each class goes up."""
    X, y = rare()
    if cls is NaiveBayes:  # of features that are there or not
        X = np.hstack([X > 0.6, X <= 0.6]).astype(float)
    shares = []
    for option in (None, "balanced"):
        model = cls(class_weight=option).fit(X[:3000], y[:3000])
        found = model.predict(X[3000:])
        shares.append(np.mean([np.mean(found[y[3000:] == k] == k) for k in (False, True)]))
    assert shares[1] > shares[0] + 0.05


# ------------------------------------------------------------------ files


@pytest.fixture
def file(tmp_path):
    X, y = rare(600, 0.2)
    path = tmp_path / "rows.csv"
    labels = np.where(y, "spam", "ham")
    rows = [f"{k},{a},{b},{c}" for k, (a, b, c) in zip(labels, X.round(4), strict=True)]
    path.write_text("label,a,b,c\n" + "\n".join(rows) + "\n")
    return path


def examples_of(path):
    _, *lines = path.read_text().splitlines()
    for line in lines:
        label, *values = line.split(",")
        yield dict(zip("abc", map(float, values), strict=True)), label


@pytest.mark.parametrize("option", ["balanced", {"spam": 4.0}], ids=str)
def test_a_file_is_its_examples_one_by_one(file, option, tmp_path):
    """Over two passes, in a race, and from a model saved in between."""
    read = MIRA(class_weight=option).fit_file(file, passes=2)
    one = MIRA(class_weight=option)
    for _ in range(2):
        for x, y in examples_of(file):
            one.learn_one(x, y)
    assert everything(read) == everything(one)
    raced = Race([MIRA(class_weight=option), Perceptron()], keep_all=True).fit_file(file)
    name = next(name for name in raced.learners_ if name.startswith("mira"))
    assert everything(raced.learners_[name]) == everything(MIRA(class_weight=option).fit_file(file))
    half = MIRA(class_weight=option)
    for i, (x, y) in enumerate(examples_of(file)):
        if i == 300:
            half.save(tmp_path / "half")
            half = thresher.load(tmp_path / "half")
            assert half.class_weight == option
        half.learn_one(x, y)
    once = MIRA(class_weight=option).fit_file(file)
    assert everything(half) == everything(once)
    assert half._model.state()["reals"] == once._model.state()["reals"]


def test_examples_that_are_held_out_do_not_count(file):
    """They are not learned. And those that count are judged by their own weight."""
    held = PassiveAggressive(class_weight="balanced").fit_file(file, holdout=3)
    by_hand = PassiveAggressive(class_weight="balanced")
    for i, (x, y) in enumerate(examples_of(file)):
        if (i + 1) % 3:
            by_hand.learn_one(x, y)
    assert everything(held) == everything(by_hand)


def test_on_the_command_line(file, tmp_path):
    typed = {"balanced": "balanced", "spam:4,ham:0.5": {"spam": 4.0, "ham": 0.5}, "none": None}
    for text, option in typed.items():
        model = tmp_path / "model"
        settings = ("--learner", "mira", "--set", f"class_weight={text}")
        with Commands() as commands:
            assert commands.run("train", file, "-m", model, *settings).code == 0
            refused = commands.run("train", file, "-m", "x", "--set", "class_weight=spam:much")
        assert "class_weight has 'spam:much'; expected LABEL:NUMBER" in refused.err
        loaded = thresher.load(model)
        assert loaded.class_weight == option
        assert everything(loaded) == everything(MIRA(class_weight=option).fit_file(file))
        model.unlink()


# ------------------------------------------------------------------ what is kept, what is refused


def test_a_refused_example_counts_for_nothing():
    model, other = Perceptron(class_weight="balanced"), Perceptron(class_weight="balanced")
    for x, y in [({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({"a": 2.0}, "x")]:
        for learner in (model, other):
            learner.learn_one(x, y)
        with pytest.raises(InvalidInput, match="finite"):
            model.learn_one({"a": float("inf")}, "y")
        with pytest.raises(InvalidInput, match="weight"):
            model.learn_one({"a": 1.0}, "y", float("inf"))
        model.learn_one({"a": 1.0}, "y", 0.0)
    assert model._model.state() == other._model.state()


def test_changes_once_something_is_learned():
    """Weights that are given may change at any time; what was not counted is not known later."""
    model = PassiveAggressive(class_weight={"a": 2.0}).fit([[1.0], [0.0]], ["a", "b"])
    model.set_params(class_weight={"b": 3.0})
    other = PassiveAggressive(class_weight={"a": 2.0}).fit([[1.0], [0.0]], ["a", "b"])
    other.set_params(class_weight=None)
    for learner, weight in ((model, 1.0), (other, 3.0)):
        learner.partial_fit([[0.5]], ["b"], sample_weight=[weight])
    np.testing.assert_array_equal(model.coef_, other.coef_)
    with pytest.raises(InvalidInput, match="cannot change once learning has begun"):
        model.set_params(class_weight="balanced")
    assert model.class_weight == {"b": 3.0}


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("even", "class_weight is 'even'; expected 'balanced', a dict of labels"),
        (3.0, "class_weight is 3.0; expected 'balanced'"),
        ({"a": 0.0}, r"class_weight\['a'\] is 0.0; expected a finite number > 0"),
        ({"a": -1.0}, r"class_weight\['a'\] is -1.0"),
        ({"a": float("inf")}, r"class_weight\['a'\] is inf"),
        ({"a": "b"}, r"class_weight\['a'\] is 'b'; expected a number"),
        ({0.5: 1.0}, "Unknown label type"),
        ({1: 2.0}, r"number for 1 \(int\), but labels are such as 'a' \(str\)"),
    ],
)
def test_what_cannot_be(option, words):
    for learn in (
        lambda model: model.fit([[1.0], [0.0]], ["a", "b"]),
        lambda model: model.learn_one({"x": 1.0}, "a"),
    ):
        model = Perceptron(class_weight=option)
        with pytest.raises(InvalidInput, match=words):
            learn(model)
        assert "_model" not in vars(model)


def test_what_it_does_not_go_with():
    with pytest.raises(InvalidInput, match="multi_label=True and class_weight='balanced'"):
        Snow(multi_label=True, class_weight="balanced").fit([[1.0]], [{"a"}])
    weighed = Perceptron(class_weight="balanced")
    with pytest.raises(InvalidInput, match="the bounds assume steps"):
        weighed.fit([[1.0], [0.0]], [1, 0], audit="live")
    weighed.fit([[1.0], [0.0]], [1, 0])
    with pytest.raises(InvalidInput, match="Audit a learner without class_weight"):
        weighed.audit([[1.0], [0.0]], [1, 0])
    assert Winnow(class_weight="balanced").fit([[1.0], [0.0]], [1, 0]).classes_.tolist() == [0, 1]


@pytest.mark.filterwarnings("ignore::thresher.errors.NotSeparableWarning")
def test_weights_that_go_on_changing_prove_no_cycle():
    """The perceptron's weights after an epoch say what follows only if its steps do."""
    X, y = [[0.0], [1.0], [0.0]], [0, 1, 1]
    assert Perceptron(average=False, max_epochs=50).fit(X, y).cycled_
    weighed = Perceptron(average=False, max_epochs=50, class_weight="balanced").fit(X, y)
    assert not weighed.cycled_ and weighed.epochs_ == 50
