"""The engine against thresher.reference: every learner, every variant, every form of input.

Besides the weights, scores and probabilities, the counts must be equal: they tell of each single
decision, so a tie that is decided the other way, or a step too many, cannot hide.
"""

import contextlib
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import thresher
from cases import about
from streams import (
    ARRAYS,
    BINARY,
    BITS,
    CASES,
    ONES,
    ONLINE,
    WHOLE,
    Stream,
    case_id,
    exact_options,
    exact_streams,
    labels,
    learn,
    real_streams,
)
from thresher import reference as ref
from thresher.errors import NotSeparableWarning
from thresher.learners.table import LINEAR
from thresher.prepare import steps_of
from thresher.reference import BIAS
from thresher.reference.calibration import Scale
from thresher.reference.multiclass import ManyClasses, TwoClasses
from thresher.reference.prepare import Idf, Scaler, Unit, Within, step_of

# A share of what the profile asks for: there are hundreds of such tests.
some = settings(max_examples=max(8, settings.default.max_examples // 5))
few = settings(max_examples=max(5, settings.default.max_examples // 8))

ENTRY = {entry.name: entry for entry in LINEAR}
# Where η itself is estimated, a residual of 0 is 0 only up to rounding: not a stream for counting.
# And where rows are scaled, a score of 0 is. A step of Confidence-Weighted ends just where none
# would be taken. The shifting perceptron divides by λ + k.
DECIDED = [
    (entry, options)
    for entry, options in ONLINE
    if (entry.name != "LMS" or options.keys() & {"learning_rate", "normalized"})
    and "prepare" not in options
    and entry.name not in ("ConfidenceWeighted", "ShiftingPerceptron")
]
EPOCHS = [
    (entry, options) for entry, options in DECIDED if "max_epochs" in entry.cls().get_params()
]
BATCH = [(entry, options) for entry, options in CASES if not entry.online]
CLOSE = 1e-9


def reference_for(entry, options, columns=None):
    """The learner in plain Python; who needs to know of the columns is told, if there are any."""
    extra = {}
    if "class_weight" in options:
        inside = {name: value for name, value in options.items() if name != "class_weight"}
        return ref.ClassWeighted(reference_for(entry, inside, columns), options["class_weight"])
    if "prepare" in options:
        return prepared_reference(entry, dict(options), columns)
    if entry.name in ("Winnow", "PNormPerceptron") and columns is not None:
        extra = {"n_features": columns}
    if (entry.quadratic or entry.name in ("NaiveBayes", "Snow")) and columns is not None:
        extra = {"names": [f"x{j}" for j in range(columns)]}
    return getattr(ref, entry.name)(**options, **extra)


def prepared_reference(entry, options, columns):
    """The same, with its rows prepared. Winnow's threshold is the number of its own features."""
    steps = [step_of(*step.for_core()) for step in steps_of(options.pop("prepare"))]
    if entry.name == "Winnow":
        steps = [
            Within(s) if isinstance(s, Scaler) and not isinstance(s, Idf) else s for s in steps
        ]
    same = all(isinstance(step, (Scaler, Within, Unit)) for step in steps)
    inside = reference_for(entry, options, columns if same else None)
    names = [f"x{j}" for j in range(columns or 0)]
    return ref.Prepared(inside, steps, names)


def learned(reference, stream):
    for example in stream.examples():
        reference.learn(*example)
    return reference


def close(found, expected, tolerance=CLOSE):
    """Up to rounding, measured by the largest number of the vector."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    finite = np.abs(expected[np.isfinite(expected)])
    size = max(1.0, finite.max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size)


def by_class(value):
    """One vector for two classes, one for each label, in sorted order, for more."""
    if isinstance(value, dict) and any(isinstance(v, dict) for v in value.values()):
        return [value[label] for label in sorted(value)]
    return [value]


def assert_same(model, reference, stream, form):
    classifies = hasattr(reference, "labels")
    assert model.examples_ == reference.examples
    assert model.updates_ == reference.updates
    if classifies:
        assert getattr(model, "mistakes_", None) == getattr(reference, "mistakes", None)
        assert model.classes_.tolist() == sorted(reference.labels)
    if hasattr(model, "clamped_"):
        assert model.clamped_ == reference.clamped
    assert_same_weights(model, reference, stream, form)
    assert_same_predictions(model, reference, stream, form, classifies)


def assert_same_weights(model, reference, stream, form):
    expected = by_class(reference.weights())
    close(np.ravel(model.intercept_), [w.get(BIAS, 0.0) for w in expected])
    if form in ARRAYS:
        assert model.n_features_in_ == stream.columns
        names = model.feature_names_out_.tolist()
        assert all(w.keys() - {BIAS} <= set(names) for w in expected)
        close(np.atleast_2d(model.coef_), [[w.get(name, 0.0) for name in names] for w in expected])
        return
    top = model.top_features(10**6)
    found = [top[label] for label in sorted(top)] if isinstance(top, dict) else [top]
    for weights, w in zip(map(dict, found), expected, strict=True):
        names = sorted(w.keys() - {BIAS})
        assert weights.keys() <= set(names)
        close([weights.get(name, 0.0) for name in names], [w[name] for name in names])


def assert_same_predictions(model, reference, stream, form, classifies):
    for row, x in zip(ARRAYS["dense"](stream), stream.dicts(), strict=True):
        if form in ARRAYS:
            row = ARRAYS[form](Stream(row[None, :], [0]))
            scores = (model.decision_function if classifies else model.predict)(row)
            predicted = model.predict(row)[0]
        else:
            scores, predicted = model.score_one(ONES[form](x)), model.predict_one(ONES[form](x))
        assert_same_scores(scores, predicted, reference, x, classifies)
    if form in ONES:  # a name never seen before
        x = {"x0": 1.0, "unheard of": 1.0}
        scores, predicted = model.score_one(ONES[form](x)), model.predict_one(ONES[form](x))
        assert_same_scores(scores, predicted, reference, x, classifies)


def assert_same_scores(scores, predicted, reference, x, classifies):
    expected = reference.score(x)
    if not isinstance(expected, dict):
        close(np.ravel(scores), [expected])
        clear = abs(expected) > 1e-6
    else:
        if isinstance(scores, dict):
            assert scores.keys() == expected.keys()
            scores = [scores[label] for label in sorted(scores)]
        close(np.ravel(scores), [expected[label] for label in sorted(expected)])
        first, second, *_ = sorted(expected.values(), reverse=True)
        clear = first - second > 1e-6 * max(1.0, abs(first))
    if classifies and clear:
        assert predicted == reference.predict(x)


def assert_same_probabilities(model, reference, stream, form):
    for row, x in zip(stream.X, stream.dicts(), strict=True):
        expected = reference.predict_proba(x)
        if form in ARRAYS:
            row = ARRAYS[form](Stream(row[None, :], [0]))
            found = dict(zip(model.classes_.tolist(), model.predict_proba(row)[0], strict=True))
        else:
            found = model.predict_proba_one(ONES[form](x))
        assert found.keys() == expected.keys()
        close([found[k] for k in expected], list(expected.values()), 1e-6)


@contextlib.contextmanager
def no_vanishing_scale():
    """Give up on a stream whose first scores are 0 up to rounding: divided by their own size they
    are 1 for one engine and 0 for another. Before anything was learned, 0 is 0 for both (and until
    a second label comes, two readings are kept)."""
    plain = Scale.learn
    scales = []

    def watched(self, square):
        plain(self, square)
        scales.append(self)
        untouched = len(scales) <= 2 and self.t == 1 and self.m2 == 0.0
        assume(self.m2 > 1e-12 or untouched)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scale, "learn", watched)
        yield


@contextlib.contextmanager
def no_near_ties():
    """Give up on a stream in which a score is 0 up to rounding: scaled values have a pattern (of
    two values one becomes −1, the other 1), so that sums of them may cancel. Equal weights give
    equal scores, which is no doubt."""

    def two(self, x, y, weight):
        assume(self.updates == 0 or abs(self.score(x, averaged=False)) > 1e-9)
        steps[0](self, x, y, weight)

    def many(self, x, y, weight):
        weights = [path.now for path in self.prototypes.values()]
        scores = list(self.score(x, averaged=False).values())
        for (w, s), (v, r) in itertools.combinations(zip(weights, scores, strict=True), 2):
            assume(w == v or abs(s - r) > 1e-9)
        steps[1](self, x, y, weight)

    steps = TwoClasses.step, ManyClasses.step
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwoClasses, "step", two)
        patch.setattr(ManyClasses, "step", many)
        yield


def check(entry, options, stream, forms, exact):
    """The stream in each of the forms. Of arrays the reference knows the columns, of examples not:
    one reference for either."""
    for columns, kind in ((stream.columns, ARRAYS), (None, ONES)):
        chosen = [form for form in forms if form in kind]
        if chosen:
            reference = reference_for(entry, options, columns)
            learned_clearly(reference, options, stream, exact)
        for form in chosen:
            with about(form):
                model = learn(entry.cls(**options), stream, form)
                assert_same(model, reference, stream, form)
                if hasattr(model, "predict_proba"):
                    assert_same_probabilities(model, reference, stream, form)


def learned_clearly(reference, options, stream, exact):
    with contextlib.ExitStack() as stack:
        if options.get("calibrate", False) and exact:
            stack.enter_context(no_vanishing_scale())
        if "prepare" in options:
            stack.enter_context(no_near_ties())
        learned(reference, stream)


NUMBERS = [form for form in (*ARRAYS, *ONES) if form not in BINARY]
BITS_ALONE = [form for form in BINARY if form != "set"]


@pytest.mark.parametrize(("entry", "options"), DECIDED, ids=case_id)
@some
@given(data=st.data())
def test_streams_full_of_ties(entry, options, data):
    options = exact_options(entry, options)
    for forms, kind in (
        (NUMBERS, {}),
        (BITS_ALONE, {"binary": True}),
        (["set"], {"binary": True, "unordered": True}),
    ):
        check(entry, options, data.draw(exact_streams(entry, options, **kind)), forms, exact=True)


@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
@few
@given(data=st.data())
def test_streams_of_real_numbers(entry, options, data):
    forms = ["dense", "csr", "csr float32", "dict"]
    check(entry, options, data.draw(real_streams(entry)), forms, exact=False)


# ------------------------------------------------------------------ epochs


def fitted(entry, options, stream, **epochs):
    """fit, with the warning that it proves data inseparable taken for what it is: an answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSeparableWarning)
        model = entry.cls(**options, **epochs)
        return model.fit(stream.X, stream.labels, sample_weight=stream.weights)


@pytest.mark.parametrize(("entry", "options"), EPOCHS, ids=case_id)
@some
@given(data=st.data())
def test_epochs(entry, options, data):
    options = exact_options(entry, options)
    stream = data.draw(exact_streams(entry, options, longest=8))
    max_epochs = data.draw(st.integers(1, 5))
    reference = reference_for(entry, options, stream.columns)
    reference.fit(stream.examples(), max_epochs)
    model = fitted(entry, options, stream, max_epochs=max_epochs)
    assert (model.epochs_, model.converged_) == (reference.epochs, reference.converged)
    if entry.name == "Perceptron":
        assert model.cycled_ == reference.cycled
    assert_same(model, reference, stream, "dense")


@pytest.mark.parametrize(
    "options", [{}, {"average": False}, {"margin": 0.7}, {"fit_intercept": False}], ids=case_id
)
@given(data=st.data())
def test_until_an_epoch_without_an_update_or_a_cycle(options, data):
    """No end is set: separable data converges, any other comes back to where it was."""
    width, length = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 6))
    row = st.lists(st.sampled_from(WHOLE), min_size=width, max_size=width)
    X = np.array(data.draw(st.lists(row, min_size=length, max_size=length)))
    stream = Stream(X, data.draw(labels(length)))
    reference = ref.Perceptron(**options).fit(stream.examples(), max_epochs=None)
    model = fitted(ENTRY["Perceptron"], options, stream, max_epochs=None)
    assert model.epochs_ == reference.epochs
    assert model.converged_ == reference.converged
    assert model.cycled_ == reference.cycled != reference.converged
    assert_same(model, reference, stream, "dense")


def test_exclusive_or_makes_the_weights_cycle():
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    with pytest.warns(NotSeparableWarning, match="not linearly separable"):
        model = thresher.Perceptron(max_epochs=None).fit(X, [0, 1, 1, 0])
    assert model.cycled_ and not model.converged_
    separable = thresher.Perceptron(max_epochs=None).fit(X, [0, 1, 1, 1])
    assert separable.converged_ and not separable.cycled_
    assert separable.predict(X).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(("entry", "options"), EPOCHS, ids=case_id)
@few
@given(data=st.data())
def test_shuffled_epochs(entry, options, data):
    """The order is NumPy's, anew in each epoch, from the seed given."""
    options = exact_options(entry, options) | {"calibrate": False}
    options = {k: v for k, v in options.items() if k in entry.cls().get_params()}
    stream = data.draw(exact_streams(entry, options, longest=8))
    seed = data.draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    reference = reference_for(entry, options, stream.columns)
    epochs, converged = 0, False
    while epochs < 3 and not converged:
        before = reference.restless()
        learned(reference, stream.part(generator.permutation(len(stream))))
        epochs, converged = epochs + 1, reference.restless() == before
    model = fitted(entry, options, stream, max_epochs=3, shuffle=True, random_state=seed)
    assert (model.epochs_, model.converged_) == (epochs, converged)
    assert_same(model, reference, stream, "dense")


@pytest.mark.parametrize("form", list(ARRAYS))
@pytest.mark.parametrize(("entry", "options"), BATCH, ids=case_id)
@some
@given(data=st.data())
def test_batch_perceptron(entry, options, form, data):
    options = options | {"epsilon": data.draw(st.sampled_from([1e-6, 0.25, 1.0]))}
    if "learning_rate" not in options:
        rates = [0.5, 1.0, lambda t: 0.5**t]  # sums of halves: no tie is broken by rounding
        options |= {"learning_rate": data.draw(st.sampled_from(rates))}
    stream = data.draw(exact_streams(entry, options, binary=form in BINARY))
    max_epochs = data.draw(st.sampled_from([1, 2, 7]))
    reference = ref.BatchPerceptron(**options).fit(stream.examples(), max_epochs)
    model = learn(thresher.BatchPerceptron(**options, max_epochs=max_epochs), stream, form)
    assert (model.epochs_, model.converged_) == (reference.epochs, reference.converged)
    assert_same(model, reference, stream, form)


# ------------------------------------------------------------------ the ends of the range


@few
@given(rate=st.sampled_from([0.5, 2.0, 30.0]), data=st.data())
def test_divergence_comes_at_the_same_example(rate, data):
    stream = data.draw(real_streams(ENTRY["LMS"]))
    model, reference = thresher.LMS(learning_rate=rate), ref.LMS(learning_rate=rate)
    for x, y, weight in stream.examples():
        try:
            reference.learn(x, y, weight)
        except ref.DivergenceError:
            with pytest.raises(thresher.errors.DivergenceError):
                model.learn_one(x, y, weight)
            break
        model.learn_one(x, y, weight)
    assert_same_weights(model, reference, stream, "dict")
    assert model.examples_ == reference.examples


@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
@pytest.mark.parametrize("y", [-1, 1])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Winnow", {}),
        ("Winnow", {"floor": 2.0**-40}),
        ("Winnow", {"average": True}),
        ("Winnow", {"negations": True}),
        ("Winnow", {"negations": True, "average": True}),
        ("Winnow", {"negations": True, "floor": 2.0**-40, "average": True}),
        ("BalancedWinnow", {}),
        ("BalancedWinnow", {"average": True}),
    ],
    ids=case_id,
)
@some
@given(data=st.data())
def test_weights_at_the_ends_of_their_range(name, options, y, data):
    """Factors of up to 2^2048: weights are held in [1e-150, 1e150], and each time is counted."""
    options = options | {"alpha": 2.0, "theta": 1e200 * y}  # always on the wrong side
    width, length = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 8))
    row = st.lists(st.sampled_from(BITS), min_size=width, max_size=width)
    X = np.array(data.draw(st.lists(row, min_size=length, max_size=length)))
    weights = st.lists(
        st.sampled_from([1.0, 90.0, 400.0, 2048.0]), min_size=length, max_size=length
    )
    stream = Stream(X, [y] * length, data.draw(weights))
    for form in ("dense", "csr", "dict"):
        with about(form):
            reference = reference_for(ENTRY[name], options, width if form in ARRAYS else None)
            learned(reference, stream)
            model = learn(ENTRY[name].cls(**options), stream, form)
            assert (model.updates_, model.clamped_) == (length, reference.clamped)
            assert_same_weights(model, reference, stream, form)


# ------------------------------------------------------------------ prepared rows

STEPS = (
    "minmax", "unit", "polynomial(3)", "fourier(7, gamma=0.3, seed=5)", "unit, conjunctions(3)",
    "standard, polynomial(2)", "polynomial(2), standard", "minmax, fourier(4), maxabs",
    "idf, unit",
)  # fmt: skip


@pytest.mark.parametrize("steps", STEPS)
@few
@given(data=st.data())
def test_prepared_rows(steps, data):
    """The perceptron on narrow streams, so that the products of the reference stay few."""
    stream = data.draw(real_streams(ENTRY["Perceptron"]))
    stream = Stream(stream.X[:, :6], stream.y, stream.weights)
    check(ENTRY["Perceptron"], {"prepare": steps}, stream, ["dense", "csr", "dict"], exact=False)


@pytest.mark.parametrize("steps", ["conjunctions(2)", "maxabs", "unit, polynomial(2)", "idf, unit"])
@few
@given(data=st.data())
def test_winnow_on_prepared_rows(steps, data):
    stream = data.draw(real_streams(ENTRY["Winnow"]))
    stream = Stream(stream.X[:, :6], stream.y, stream.weights)
    check(ENTRY["Winnow"], {"prepare": steps}, stream, ["dense", "dict"], exact=False)
