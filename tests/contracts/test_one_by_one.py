"""`predict_one` and `learn_one` take short cuts; none of them may show."""

import inspect
import json
import math
import pickle
import random
import warnings

import pytest

import thresher
from cases import looped
from thresher import LMS, Perceptron
from thresher.data.reading import reading_options
from thresher.errors import InvalidInput
from thresher.learners.base.learner import Learner
from thresher.learners.table import TABLE

A, B = {"a": 1.0, "b": 2.0, "c": 3.0}, {"b": 1.0, "d": -1.0}


def trained():
    model = Perceptron(average=False)
    for x, y in ((A, True), (B, False)) * 2:
        model.learn_one(x, y)
    return model


def change_value(x):
    x["a"] = 5.0


def change_type(x):
    x["a"] = "red"


def add(x):
    x["new"] = 1.0


def remove(x):
    del x["b"]


def rename(x):
    x["z"] = x.pop("c")


def reorder(x):
    x["a"] = x.pop("a")


@pytest.mark.parametrize("change", [change_value, change_type, add, remove, rename, reorder])
def test_a_dict_may_change_between_predict_one_and_learn_one(change):
    model, twin = trained(), trained()
    x = dict(A)
    model.predict_one(x)
    change(x)
    model.learn_one(x, False)
    twin.learn_one(dict(x), False)
    assert model.top_features(20) == twin.top_features(20)
    assert model.score_one(dict(x)) == twin.score_one(dict(x)) == model.score_one(x)


def test_another_dict_in_the_same_place_is_another_example():
    model = trained()
    weight = dict(model.top_features(20))["a"]
    rest = model.score_one({"a": 0.0, "b": 2.0, "c": 3.0})
    for i in range(200):
        x = {"a": float(i), "b": 2.0, "c": 3.0}
        assert model.score_one(x) == weight * i + rest
        del x


def test_dicts_of_any_make_are_read_alike():
    class Event:
        def __init__(self):
            self.a, self.b, self.c = 1.0, 2.0, 3.0

    with_gaps = {f"gone {i}": float(i) for i in range(300)} | A
    for i in range(300):
        del with_gaps[f"gone {i}"]
    texts_and_numbers = {7: 1.0, ("p", "q"): 2.0, **A}
    emptied = {"gone": 1.0}
    del emptied["gone"]
    events = [Event(), Event()]
    del events[1].b
    made = [with_gaps, texts_and_numbers, emptied, {}, *(vars(event) for event in events)]
    for x in made:
        model, twin = trained(), trained()
        plain = [("p q" if type(k) is tuple else str(k), v) for k, v in x.items()]
        assert model.score_one(x) == twin.score_one(dict(plain))
        model.learn_one(x, False)
        twin.learn_one(dict(plain), False)
        assert learned(model) == learned(twin)
        assert model._names() == twin._names()


def test_new_names_with_values_of_any_kind():
    values = {"one": 1, "no": False, "nan": math.nan, "none": None, "zero": 0.0, "n": "x"}
    model = trained()
    assert model.score_one(values) == model.score_one({})
    model.learn_one(values | {"é": -2.0}, False)
    assert model._names()[4:] == ["one", "no", "zero", "n=x", "é"]
    for value in (math.inf, 10**400):
        before = learned(model)
        for ask in (model.predict_one, lambda x: model.learn_one(x, True)):
            with pytest.raises(InvalidInput, match="'new'"):
                ask({"other": 1.0, "new": value})
        assert learned(model) == before
    many = ["new", *A, "new", "new"]
    model.learn_one(many, True)
    assert model.score_one(many) == model.score_one({**dict.fromkeys(A, 1.0), "new": 3.0})


def test_each_learner_has_its_own_model_whenever_it_is_replaced():
    plus, minus = trained(), trained()
    answer = plus.predict_one(A)
    minus._take(Perceptron().with_weights([[-100.0]], labels=[False, True], names=["a"]))
    for _ in range(3):
        assert plus.predict_one(A) is answer is True
        assert minus.predict_one(A) is False
    state = plus.__getstate__()
    for _ in range(3):
        plus._take(minus)
        assert plus.predict_one(A) is False
        plus.__setstate__(state)
        assert plus.predict_one(A) is True
        plus.note = "an attribute"
        assert plus.predict_one(A) is True
    plus._take(plus.fresh())
    assert plus.predict_one(A) is None
    for i in range(20):  # learners at the same address
        one = Perceptron().with_weights([[i % 2 - 0.5]], labels=[False, True], names=["a"])
        assert one.predict_one(A) is bool(i % 2)
        del one


def test_names_are_known_by_their_text_not_by_their_object():
    rng = random.Random(0)
    ends = ["", " and more than sixteen bytes", " of a name of more than sixteen bytes", " é"]
    words = [f"{i}{end}{i}" for i in range(1_250) for end in ends]
    shared, fresh = Perceptron(average=False), Perceptron(average=False)
    for _ in range(2_000):
        x = {rng.choice(words): rng.randint(-4, 4) / 4 for _ in range(12)}
        y = rng.random() < 0.5
        copy = {name.encode().decode(): value for name, value in x.items()}
        assert shared.predict_one(x) == fresh.predict_one(copy)
        shared.learn_one(x, y)
        fresh.learn_one(copy, y)
    assert shared.top_features(5_000) == fresh.top_features(5_000)


def test_names_unseen_when_asked_about_are_learned_afterwards():
    model = trained()
    x = {"new": 1.0, "a": 1.0}
    before = model.score_one(x)
    model.predict_one(x)
    model.learn_one(x, before < 0)
    assert dict(model.top_features(20))["new"] != 0


@pytest.mark.parametrize("learner", [Perceptron, LMS])
@pytest.mark.parametrize("name", ["predict_one", "learn_one", "predict_learn_one"])
def test_methods_look_like_methods(learner, name):
    method = getattr(learner, name)
    assert method.__name__ == name
    assert method.__doc__ == inspect.unwrap(method).__doc__
    assert list(inspect.signature(method).parameters)[:2] == ["self", "x"]
    bound = getattr(learner(), name)
    assert next(iter(inspect.signature(bound).parameters)) == "x"
    assert inspect.isroutine(method) and inspect.ismethod(bound)


def test_methods_take_keywords_and_weights():
    model, twin = trained(), trained()
    model.learn_one(x=A, y=False, sample_weight=2.0)
    twin.learn_one(A, False, 2.0)
    assert model.top_features() == twin.top_features()
    assert model.predict_one(x=A) == twin.predict_one(A)
    with pytest.raises(TypeError):
        model.learn_one(A)
    with pytest.raises(TypeError):
        model.predict_one(A, B)


def test_methods_may_be_overridden_and_pickled():
    class Loud(Perceptron):
        def predict_one(self, x):
            return f"{super().predict_one(x)}!"

    model = Loud(average=False)
    model.learn_one(A, True)
    model.learn_one(B, False)
    assert model.predict_one(A) == model.predict_learn_one(A, True) == "True!"
    assert pickle.loads(pickle.dumps(trained().predict_one))(A) is True


def test_a_model_with_a_recipe_learns_names_that_come_one_by_one(tmp_path):
    """Crosses, n-grams and texts are read as lines of a file are, but for the label."""
    (tmp_path / "a.csv").write_text("y,a,b\n1,1,2\n0,2,1\n")
    model = Perceptron(average=False).fit_file(tmp_path / "a.csv", label="y", cross=[("a", "b")])
    model.learn_one({"a": -9.0, "c": 2.0}, 1)
    assert model.top_features(1)[0][0] == "a"
    assert {"a", "b", "a*b", "c"} == set(model.feature_names_out_)
    model.predict_one({"d": 1.0})
    assert "d" not in model.feature_names_out_


def test_words_are_weighed_and_cut_alike_in_files_and_dicts(tmp_path):
    (tmp_path / "a.csv").write_text("y,t\n1,ja ja nein\n0,so so so\n")
    reading = {"label": "y", "text": "t", "char_ngrams": "2-3", "weighting": "log", "ngrams": 2}
    learned = Perceptron(average=False).fit_file(tmp_path / "a.csv", **reading)
    model = Perceptron(average=False)
    model.begin_reading(reading_options(**reading))
    model.learn_one({"t": "ja ja nein"}, 1)
    model.learn_one({"t": "so so so"}, 0)
    assert model.top_features(99) == learned.top_features(99)
    assert dict(model.top_features(99))["t=~ja"] == 1 + math.log(2)
    learned.save(tmp_path / "a.model")
    again = thresher.load(tmp_path / "a.model")
    assert again.reading_ == learned.reading_ == model.reading_
    x = {"t": "So nein!"}
    assert again.score_one(x) == learned.score_one(x) == model.score_one(x)


def events(n, names=40, seed=0):
    """Dicts as `json.loads` makes them, whose names become known little by little."""
    rng = random.Random(seed)
    for i in range(n):
        some = rng.sample(range(2 + min(names, i)), k=rng.randint(1, 2 + min(5, i)))
        x = {f"name {k} é" if k % 7 == 3 else f"name {k}": rng.choice([0.5, 1, 0.25]) for k in some}
        if rng.random() < 0.3:
            x |= {"colour": rng.choice(["red", "blue"]), "night": True, "none": None}
        yield json.dumps(x), rng.choice("aab" if i < n // 2 else "abc")


def learned(model):
    return model._model.state()


def test_predict_learn_one_and_json_are_predict_one_and_learn_one():
    for entry in TABLE:
        if not entry.online or entry.boolean:
            continue
        three = [entry.cls() for _ in range(3)]
        for i, (text, label) in enumerate(events(60)):
            y = float(ord(label)) if entry.task == "regress" else label
            weight = () if i % 5 else (i % 3 * 1.0,)
            expected = three[0].predict_one(json.loads(text))
            three[0].learn_one(json.loads(text), y, *weight)
            assert three[1].predict_learn_one(json.loads(text), y, *weight) == expected, entry.name
            assert three[2].predict_json(text.encode()) == expected, entry.name
            if i % 2:
                three[2].learn_json(text, y, *weight)
            else:
                assert three[2].predict_learn_json(text, y, *weight) == expected
        if isinstance(three[0], Learner):
            assert learned(three[0]) == learned(three[1]), entry.name
            assert sorted(three[0]._names()) == sorted(three[2]._names()), entry.name
            scores = [[m.score_one(json.loads(text)) for text, _ in events(60)] for m in three[::2]]
            assert scores[0] == [pytest.approx(score, rel=1e-9) for score in scores[1]], entry.name


def test_json_of_a_model_of_arrays_or_with_a_recipe():
    model, twin = (LMS().fit([[1.0, 2.0], [0.0, 1.0]], [1.0, 0.5]) for _ in range(2))
    model.learn_json('{"x1": 0.5, "x0": 2}', 3.0)
    twin.learn_one({"x1": 0.5, "x0": 2}, 3.0)
    assert model.predict_json(b'{"x0": 1}') == twin.predict_one({"x0": 1})
    with pytest.raises(InvalidInput, match="trained on arrays without names"):
        model.predict_json(b'{"x2": 1}')

    reading = {"label": "y", "text": "t", "ngrams": 2, "hash_bits": 10, "cross": [("a", "b")]}
    pair = (Perceptron(), Perceptron())
    for one in pair:
        one.begin_reading(reading_options(**reading))
    for text, y in (('{"t": "ja nein", "a": 2, "b": 3}', 1), ('{"t": "so", "a": 1}', 0)) * 2:
        pair[0].learn_json(text, y)
        pair[1].learn_one(json.loads(text), y)
    assert learned(pair[0]) == learned(pair[1])
    x = '{"t": "so nein", "b": 1}'
    assert pair[0].predict_learn_json(x, 0) == pair[1].predict_learn_one(json.loads(x), 0)
    assert learned(pair[0]) == learned(pair[1])


@looped(
    "text, where, found",
    [
        (b"", (1, 1), "the end of the line"),
        (b"[1]", (1, 1), "expected a JSON object"),
        (b'{"a": 1,\n "\xc3\xa9": nan}', (2, 7), "'nan'"),
        (b'{"a": 1e999}', (1, 7), "expected a finite number"),
        (b'{"a": "\xff"}', (1, 8), "no UTF-8"),
        (b'{"a": 1} {"a": 2}', (1, 10), "the end of the line behind"),
        ('{"\ud800": 1}', (1, 3), "no UTF-8"),
    ],
)
def test_json_that_cannot_be_read_leaves_no_trace(text, where, found):
    model = trained()
    before = model._model.state()
    for call in (
        lambda: model.learn_json(text, True),
        lambda: model.predict_json(text),
        lambda: model.predict_learn_json(text, False),
        lambda: model.learn_json(text, 5),
    ):
        with pytest.raises(InvalidInput) as error:
            call()
        assert (error.value.where.line, error.value.where.column) == where
        assert found in str(error.value)
    assert model._model.state() == before
    with pytest.raises(InvalidInput, match="bytes or str"):
        model.learn_json({"a": 1}, True)


def test_numbers_left_as_texts_are_doubted():
    """As the module csv gives them; a text of digits may be a name."""
    for learner, y in ((thresher.PassiveAggressive(), "a"), (thresher.LMS(), 1.0)):
        with pytest.warns(UserWarning, match="'size' is the text '12.5'"):
            learner.learn_one({"zip": "01234", "size": "12.5"}, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            learner.learn_one({"size": "12.5"}, y)  # it was said
            learner.fresh().learn_one({"zip": "01234", "color": "red", "nan": "nan"}, y)
