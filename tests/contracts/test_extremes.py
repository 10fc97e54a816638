"""Whatever is learned, of the largest and the smallest numbers too: it can be saved and loaded, bit
for bit; and an example that is refused has left no trace.

Checked after each example, for every learner of the table and its options, by name, by row and from
files. `HYPOTHESIS_PROFILE=thorough pytest tests/contracts/test_extremes.py` is the long campaign.
"""

import copy
import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from streams import COUNTERS, ONLINE, case_id
from thresher.data.reading import reading_options
from thresher.errors import ThresherError
from thresher.training import Training

some = settings(max_examples=settings.default.max_examples // 20)

# Options that keep more numbers than the weights, for learners that have them.
MORE = (
    {"calibrate": True, "average": True},
    {"calibrate": True, "prepare": "standard"},
    {"prepare": "minmax, conjunctions(2)"},
    {"prepare": "fourier(8)", "average": True},
    {"multi_label": True, "calibrate": True},
)


def can_be(entry, options):
    try:
        entry.cls(**options)._settled()
    except (TypeError, ThresherError):
        return False
    return True


MANY = ONLINE + [
    (entry, options | more)
    for entry, options in ONLINE
    for more in MORE
    if options in ({}, {"negations": True}, {"rule": "naive-bayes", "smoothing": 0.5})
    and can_be(entry, options | more)
]


def sizes(least, most):
    """Numbers whose exponents are evenly spread."""
    exponents = st.floats(least, most).map(lambda e: 10.0**e)
    return st.one_of(exponents, st.sampled_from([1.0, 0.5, 3.0]))


SIZES = sizes(-323, 308.2)
VALUES = st.one_of(SIZES, SIZES.map(float.__neg__), st.just(0.0))
UNIT = st.one_of(sizes(-323, 0).map(lambda v: min(v, 1.0)), st.just(0.0))
COUNTS = st.one_of(SIZES, st.just(0.0))
WEIGHTS = st.one_of(st.just(1.0), st.just(1.0), sizes(-300, 300))
NAMES = [f"name {i}" for i in range(6)]


@st.composite
def examples(draw, entry, options):
    """Dicts of a few features, a label (or a target) and a weight for each."""
    value = VALUES
    if entry.name in COUNTERS:
        value = st.one_of(UNIT, UNIT, COUNTS)
    labels = draw(st.sampled_from(["a", "ab", "abc", "abcdef"]))
    truth = st.sampled_from(labels) if entry.task == "classify" else VALUES
    if options.get("multi_label"):
        truth = st.frozensets(st.sampled_from(labels))
    one = st.tuples(st.dictionaries(st.sampled_from(NAMES), value, max_size=4), truth, WEIGHTS)
    return draw(st.lists(one, min_size=1, max_size=14))


def kept(model):
    """All that a learner knows, to be compared."""
    known = model.__getstate__()
    core = known.pop("_model", None)
    labels = known.pop("_labels", None)
    for name in ("reading_", "provenance_", "_column_names"):
        known.pop(name, None)
    if core is not None:
        core["reals"] = {name: value.hex() for name, value in core["reals"].items()}
    return core, labels and (labels.values, labels.announced), known


def assert_can_be_loaded(model, folder):
    path = folder / "model"
    model.save(path)
    assert kept(thresher.load(path)) == kept(model)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.mark.parametrize(("entry", "options"), MANY, ids=case_id)
@some
@given(data=st.data())
def test_single_examples(entry, options, data, folder):
    model = entry.cls(**options)
    for x, y, weight in data.draw(examples(entry, options)):
        before = kept(model)
        try:
            model.learn_one(x, y, weight)
        except ThresherError:
            assert kept(model) == before
        else:
            assert kept(copy.copy(model)) == kept(model)  # it is loaded as from a file
    assert_can_be_loaded(model, folder)


@pytest.mark.parametrize(("entry", "options"), MANY, ids=case_id)
@some
@given(data=st.data())
def test_rows(entry, options, data, folder):
    """A row that is refused ends the pass: those before it are learned as if they came alone."""
    from scipy import sparse

    given = data.draw(examples(entry, options))
    X = np.array([[x.get(name, 0.0) for name in NAMES] for x, _, _ in given])
    X = X if data.draw(st.booleans()) else sparse.csr_array(X)
    y = [truth for _, truth, _ in given]
    weights = [weight for _, _, weight in given]
    model, one_by_one = entry.cls(**options), entry.cls(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", thresher.errors.SaturationWarning)
        try:
            model.partial_fit(X, y, sample_weight=weights)
        except ThresherError as error:
            assert "row " in str(error)
        for i in range(len(y)):
            before = kept(one_by_one)
            try:
                one_by_one.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weights[i : i + 1])
            except ThresherError:
                assert kept(one_by_one) == before
                break
    assert kept(model) == kept(one_by_one)
    assert_can_be_loaded(model, folder)


def trained(learner, path, **options):
    """A run as far as it goes."""
    how = reading_options(label="y", weight="w", **options)
    learner.begin_reading(how)
    with Training(learner, [path], reading=how) as training:
        try:
            for _ in training:
                pass
        except ThresherError:
            assert training.examples < len(path.read_text().splitlines())
        learner.provenance_ = training.provenance()
    return training


@pytest.mark.parametrize(
    ("entry", "options"), [case for case in MANY if not case[1].get("multi_label")], ids=case_id
)
@some
@given(data=st.data())
def test_files(entry, options, data, folder):
    """A run that ends at an example knows what one knows whose file ends before it."""
    lines = [
        json.dumps({"y": truth, "w": weight, **x})
        for x, truth, weight in data.draw(examples(entry, options))
    ]
    whole, cut = folder / "whole.jsonl", folder / "cut.jsonl"
    whole.write_text("\n".join(lines) + "\n")
    model, same = entry.cls(**options), entry.cls(**options)
    # Names that are counted before they count make a state of 4 MB: for one learner.
    counted = {"min_count": 2} if options == {"average": False} else {}
    run = trained(model, whole, **counted)
    assert_can_be_loaded(model, folder)
    if run.examples:
        cut.write_text("\n".join(lines[: run.examples]) + "\n")
        assert trained(same, cut, **counted).checkpoint().scores == run.checkpoint().scores
        assert same._model.state() == model._model.state()


def test_balanced_classes_keep_no_sum_of_weights_that_is_too_large():
    model = thresher.PassiveAggressive(class_weight="balanced", average=False)
    model.learn_one({"a": 1.0}, "p", 6e299)
    with pytest.raises(ThresherError, match="the sum of the sample weights"):
        model.learn_one({"b": 1.0}, "q", 6e299)
    assert model.classes_.tolist() == ["p"]
