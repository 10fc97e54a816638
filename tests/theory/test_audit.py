"""Audits: each row against an independent computation, and what fails said as failing."""

import json
import math

import numpy as np
import pytest
from scipy import sparse

import thresher
from thresher import (
    AROW,
    LMS,
    MIRA,
    BalancedWinnow,
    Consistent,
    Elimination,
    Halving,
    PassiveAggressive,
    Perceptron,
    RecursiveLeastSquares,
    Snow,
    StandardOptimal,
    WeightedMajority,
    Winnow,
    concepts,
    read_svmlight,
)
from thresher.errors import InvalidInput, NotLearned
from thresher.theory import verify
from thresher.theory.audit.result import Row
from thresher.theory.audit.table import THEOREMS
from thresher.theory.bounds import novikoff

XOR = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])


def planted(rows=200, n=6, margin=0.1, seed=0):
    """Points on either side of a plane through 0, and none near it."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(4 * rows, n))
    X = X[np.abs(X @ u) > margin][:rows]
    return X, (X @ u > 0).astype(int), u


def disjunction(rows=300, n=30, k=3, seed=0, density=0.1):
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, n)) < density).astype(float)
    return X, X[:, :k].any(axis=1).astype(int)


# ------------------------------------------------------------------ the perceptron


def test_novikoff_on_a_planted_stream():
    X, y, u = planted()
    model = Perceptron(fit_intercept=False).fit(X, y)
    found = model.audit(X, y)
    row = found["Novikoff"]
    signs = 2 * y - 1
    R, gamma = np.linalg.norm(X, axis=1).max(), (signs * (X @ u)).min()
    assert found.realizable is True
    assert row.applies
    assert row.holds
    assert row.figure == model.mistakes_ == found.counts.mistakes
    assert row.value <= (R / gamma) ** 2 * (1 + 1e-9)  # no u has a larger margin than the best
    assert pytest.approx(R) == found.R
    assert found.holds
    assert "separator of largest margin" in row.comparator


def test_a_comparator_of_the_caller():
    X, y, u = planted()
    signs = 2 * y - 1
    model = Perceptron(fit_intercept=False).fit(X, y)
    row = model.audit(X, y, comparator=7.0 * u)["Novikoff"]
    R, gamma = np.linalg.norm(X, axis=1).max(), (signs * (X @ u)).min()
    assert row.value == pytest.approx((R / gamma) ** 2)
    assert row.comparator == "given by the caller"
    other = Perceptron(fit_intercept=False, max_epochs=None, average=False).fit(X, y)
    assert model.audit(X, y, comparator=other)["Novikoff"].applies
    for wrong in (u[:-1], np.zeros(6), "best", [np.nan] * 6):
        with pytest.raises(InvalidInput, match="comparator"):
            model.audit(X, y, comparator=wrong)


def test_xor_has_a_verified_certificate():
    model = Perceptron().fit(*XOR)
    found = thresher.audit(model, *XOR)
    row = found["Novikoff"]
    assert not row.applies
    assert row.ratio is None
    assert row.holds
    assert "certificate" in row.reason
    assert found.realizable is False
    assert verify(found.certificate, *XOR)
    assert "verified" in found.why_realizable
    noisy = found["perceptron with noise, hinge"]
    assert noisy.applies
    assert model.mistakes_ == noisy.figure <= noisy.value


def test_what_is_undecided_is_not_claimed():
    X, y = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]), [0, 1]
    found = Perceptron().fit(X, y).audit(X, y)
    assert found.realizable is None and found.certificate is None
    assert "not decided" in str(found)
    assert found.as_dict()["certificate"] is None
    assert not found["Novikoff"].applies and "certificate" not in found["Novikoff"].reason


def test_the_noisy_forms_by_brute_force():
    """For the comparator that the row took, no γ of a fine grid gives less."""
    rng = np.random.default_rng(3)
    X, y, u = planted(seed=3)
    y = np.where(rng.random(len(y)) < 0.1, 1 - y, y)
    model = Perceptron(fit_intercept=False, max_epochs=2).fit(X, y)
    found = model.audit(X, y, comparator=u)
    m, R = (2 * y - 1) * (X @ u), np.linalg.norm(X, axis=1).max()
    gammas = np.geomspace(1e-3, 1e3, 4000)
    slack = np.maximum(0.0, gammas[:, None] - m)
    hinge = (R / gammas) ** 2 + 2 * 2 * slack.sum(axis=1) / gammas  # two passes
    squared = ((R + np.sqrt(2 * (slack**2).sum(axis=1))) / gammas) ** 2
    assert found["perceptron with noise, hinge"].value == pytest.approx(hinge.min(), rel=1e-3)
    assert found["perceptron with noise, squared"].value == pytest.approx(squared.min(), rel=1e-3)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"learning_rate": "1/t"}, "1/t"),
        ({"learning_rate": lambda t: 1.0}, "function"),
        ({"step": "aggressive", "margin": 1.0}, "aggressive"),
    ],
)
def test_options_that_novikoff_does_not_cover(options, why):
    X, y, _ = planted()
    row = Perceptron(**options).fit(X, y).audit(X, y)["Novikoff"]
    assert not row.applies
    assert why in row.reason


def test_a_margin_bounds_updates():
    X, y, _ = planted()
    model = Perceptron(margin=2.0, learning_rate=0.5).fit(X, y)
    row = model.audit(X, y)["Novikoff"]
    assert (row.compared, row.figure) == ("updates", model.updates_)
    R2, gamma = model.audit(X, y).R ** 2, row.bound.quantities["gamma"]
    assert row.value == pytest.approx((R2 + 2 * 2.0 / 0.5) / gamma**2)


def test_the_constant_feature_counts():
    X, y, _ = planted()
    for scaling in (1.0, 3.0):
        found = Perceptron(intercept_scaling=scaling).fit(X, y).audit(X, y)
        expected = math.sqrt((X**2).sum(axis=1).max() + scaling**2)
        assert pytest.approx(expected) == found.R
    assert (
        pytest.approx(np.linalg.norm(X, axis=1).max())
        == Perceptron(fit_intercept=False).fit(X, y).audit(X, y).R
    )


def test_sparse_as_dense_and_shuffled_passes():
    X, y, _ = planted()
    model = Perceptron(max_epochs=4, shuffle=True, random_state=5).fit(X, y)
    dense, csr = model.audit(X, y), model.audit(sparse.csr_array(X), y)
    assert dense.passes == csr.passes == model.epochs_
    assert dense.counts.mistakes == csr.counts.mistakes == model.mistakes_
    assert dense["Novikoff"].value == pytest.approx(csr["Novikoff"].value)


# ------------------------------------------------------------------ passive-aggressive


def losses(X, y, variant, C):
    """Σ ℓ² by the definition, with the constant feature."""
    x, signs = np.hstack([X, np.ones((len(X), 1))]), 2 * y - 1
    w, total = np.zeros(x.shape[1]), 0.0
    for row, sign in zip(x, signs, strict=True):
        loss, q = max(0.0, 1.0 - sign * (w @ row)), row @ row
        total += loss**2
        tau = {"PA": loss / q, "PA-I": min(C, loss / q), "PA-II": loss / (q + 0.5 / C)}[variant]
        w += tau * sign * row
    return total


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@pytest.mark.parametrize("first", [0, 1])
def test_losses_are_those_of_the_definition(variant, first):
    """Also while only one label has come, and whichever it is."""
    X, y, _ = planted(seed=2)
    order = np.argsort(y != first, kind="stable")
    X, y = X[order], y[order]
    model = PassiveAggressive(variant=variant, C=0.3).fit(X, y)
    found = model.audit(X, y)
    assert found.counts.squared_loss == pytest.approx(losses(X, y, variant, 0.3))
    assert found.counts.mistakes == model.mistakes_
    assert found.counts.updates == model.updates_
    assert found[variant].applies
    assert found[variant].compared == ("mistakes" if variant == "PA-I" else "Σ ℓ²")


def test_aggressive_perceptron_is_covered_by_pa():
    X, y, _ = planted()
    for margin in (1.0, 0.2):
        found = Perceptron(step="aggressive", margin=margin).fit(X, y).audit(X, y)
        assert found["PA"].applies
        assert found.counts.squared_loss == pytest.approx(losses(X, y, "PA", 1.0))


def test_two_class_mira_is_pa_i():
    X, y, _ = planted()
    mira = MIRA(C=0.4).fit(X, y).audit(X, y)
    pa = PassiveAggressive(C=0.4).fit(X, y).audit(X, y)
    assert mira["PA-I"].figure == pa["PA-I"].figure
    assert mira["PA-I"].value == pytest.approx(pa["PA-I"].value)
    scaled = MIRA(C=0.8, margin=2.0).fit(X, y).audit(X, y)  # all scores twice as large
    assert scaled["PA-I"].value == pytest.approx(pa["PA-I"].value)
    assert MIRA(C=math.inf).fit(X, y).audit(X, y)["PA"].applies


# ------------------------------------------------------------------ Winnow


def test_winnow_finds_the_disjunction():
    X, y = disjunction()
    model = Winnow().fit(X, y)
    found = model.audit(X, y)
    row = found["Winnow, disjunctions"]
    assert row.applies
    assert row.bound.quantities["k"] <= 3
    k = row.bound.quantities["k"]
    assert row.value == pytest.approx(3 * k * (1 + math.log2(30)) + 2)
    assert found["Winnow"].applies
    assert found["Winnow with noise"].applies
    assert found.counts.promotions + found.counts.demotions == model.mistakes_ == row.figure


def test_winnow_with_a_wrong_label_says_which_row():
    X, y = disjunction()
    wrong = int(np.flatnonzero((y == 0) & (X.sum(axis=1) > 0))[0])
    y[wrong] = 1
    found = Winnow().fit(X, y).audit(X, y)
    row = found["Winnow, disjunctions"]
    assert not row.applies
    assert f"row {wrong}" in row.reason
    assert found["Winnow with noise"].applies


def test_winnow_over_literals():
    X, _ = disjunction(density=0.5)
    y = ((1 - X[:, 0]) + X[:, 1] > 0).astype(int)  # ¬x1 ∨ x2
    plain = Winnow().fit(X, y).audit(X, y)
    both = Winnow(negations=True).fit(X, y).audit(X, y)
    assert not plain["Winnow, disjunctions"].applies
    assert both["Winnow, disjunctions"].applies
    assert both["Winnow, disjunctions"].bound.quantities["n"] == 60
    assert both["Winnow"].applies


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"margin": 1.0}, "margin=1.0"),
        ({"floor": 0.5}, "floor=0.5"),
        ({"theta": 0.5}, "θ ≥ 1"),
    ],
)
def test_options_that_winnow_theorems_do_not_cover(options, why):
    X, y = disjunction()
    row = Winnow(**options).fit(X, y).audit(X, y)["Winnow, disjunctions"]
    assert not row.applies
    assert why in row.reason


def test_elimination_and_winnow_r():
    X, y = disjunction()
    found = Winnow(demotion="eliminate").fit(X, y).audit(X, y)
    assert found["Winnow, disjunctions"].applies
    assert "eliminate" in found["Winnow"].reason
    found = Winnow(floor=0.5).fit(X, y).audit(X, y)
    demotions = found["Winnow-R, demotions"]
    assert demotions.applies
    assert demotions.figure == found.counts.demotions <= 4 * (found.counts.promotions + 1)
    assert found["Winnow-R"].applies
    own = Winnow(floor=0.5).fit(X, y).audit(X, y, replay=False)
    assert not own["Winnow-R, demotions"].applies


def test_winnow_takes_values_between_0_and_1():
    X, y = disjunction()
    found = Winnow(alpha=1.2).fit(X * 0.5, y).audit(X * 0.5, y)
    assert not found["Winnow, disjunctions"].applies
    assert not found["Winnow"].applies
    assert found["Winnow with noise"].applies
    clipped = Winnow(clip=True).fit(X * 3.0, y).audit(X * 3.0, y)
    assert clipped["Winnow, disjunctions"].applies
    assert clipped.R_inf == 1.0


# ------------------------------------------------------------------ many classes, other learners


def test_three_classes_on_joint_vectors():
    rng = np.random.default_rng(1)
    U = rng.normal(size=(3, 5))
    X = rng.normal(size=(400, 4))
    scores = np.hstack([X, np.ones((400, 1))]) @ U.T
    ordered = np.sort(scores, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 0.3
    X, y = X[clear][:60], scores.argmax(axis=1)[clear][:60]
    model = Perceptron(max_epochs=3).fit(X, y)
    found = model.audit(X, y)
    row = found["Novikoff"]
    x = np.hstack([X, np.ones((len(X), 1))])
    own = (x @ U.T)[np.arange(len(y)), y]
    others = (x @ U.T).copy()
    others[np.arange(len(y)), y] = -np.inf
    gamma = (own - others.max(axis=1)).min() / np.linalg.norm(U)
    R = math.sqrt(2) * np.linalg.norm(x, axis=1).max()
    assert row.applies
    assert row.value <= (R / gamma) ** 2 * (1 + 1e-9)
    assert model.mistakes_ == row.figure <= row.value
    assert PassiveAggressive(variant="PA").fit(X, y).audit(X, y)["PA"].applies
    for model in (
        PassiveAggressive(), MIRA(), Perceptron(multiclass="one-vs-rest"), Winnow(clip=True),
    ):  # fmt: skip
        found = model.fit(X, y).audit(X, y)
        assert not found.applying
        assert found.classes == (0, 1, 2)


def test_learners_of_concepts():
    X = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 1]])
    y = [1, 1, 0, 0]
    class_ = concepts.conjunctions(3)
    for model, theorem, bound in (
        (Elimination(), "ELIM", 3),
        (Elimination(monotone=False), "ELIM", 4),
        (Halving(class_), "Halving", 3 * math.log2(3)),
        (StandardOptimal(class_), "SOA", 4),
        (Consistent(class_, random_state=1), "CON", 26),
        (WeightedMajority(class_), "Weighted Majority", math.log2(27) / math.log2(4 / 3)),
    ):
        found = model.fit(X, y).audit(X, y)
        row = found[theorem]
        assert [r.theorem for r in found.applying] == [theorem]
        assert row.value == pytest.approx(bound)
        assert row.figure == model.mistakes_
        assert row.value == pytest.approx(model.bound_)
        assert found.realizable is True


def test_concepts_that_do_not_fit():
    X, y = [[1, 1, 0], [1, 1, 0], [0, 1, 1]], [1, 0, 0]
    fitted = Halving(concepts.conjunctions(3)).fit(X[:1], y[:1])
    found = fitted.audit(X, y)
    assert found.realizable is False
    assert not found["Halving"].applies
    assert "row 1" in found["Halving"].reason
    model = WeightedMajority(concepts.conjunctions(3)).fit(X, y)
    found = model.audit(X, y)
    assert found["Weighted Majority"].applies
    assert found["Weighted Majority"].bound.quantities["best"] == 1
    late = Elimination().partial_fit([[1, 0]], [0]).audit([[1, 0], [1, 0]], [0, 1])
    assert not late["ELIM"].applies


def test_learners_without_a_theorem_say_so():
    X, y, _ = planted()
    for model, word in (
        (AROW(), "variance"),
        (RecursiveLeastSquares(), "regressor"),
        (Snow(clip=True), "links"),
    ):
        found = model.fit(X, y).audit(X, y)
        assert not found.applying
        assert word in found["Novikoff"].reason

    @thresher.rule(jit=False)
    def audited_rule(margin, *, eta=1.0):
        return eta if margin <= 0 else 0.0

    found = audited_rule().fit(X, y).audit(X, y)
    assert not found.applying
    assert "has a rule of its own; no theorem is offered" in found["Novikoff"].reason


# ------------------------------------------------------------------ whose counts


def test_own_counts_are_vouched_for():
    X, y, _ = planted()
    model = Perceptron(max_epochs=2).fit(X, y)
    own = model.audit(X, y, replay=False)
    assert own.counts.source == "the model's own run"
    assert own["Novikoff"].applies
    assert own.passes == 2
    model.partial_fit(X[:7], y[:7])
    assert not model.audit(X, y, replay=False).applying
    assert "407" in model.audit(X, y, replay=False)["Novikoff"].reason
    again = model.audit(X, y)
    assert again.counts.examples == 2 * len(X)
    assert model.examples_ == 2 * len(X) + 7  # an audit teaches nothing


# ------------------------------------------------------------------ what is shown


def test_every_theorem_has_a_row_and_json_is_json():
    X, y, _ = planted()
    for model in (Perceptron(), PassiveAggressive(), Winnow(clip=True), AROW(), LMS()):
        found = model.fit(X, y).audit(X, y)
        assert [row.theorem for row in found.rows] == [theorem.name for theorem in THEOREMS]
        told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
        assert len(told["rows"]) == len(THEOREMS)
        for row in told["rows"]:
            assert row["applies"] or (row["bound"] is None and row["reason"])
        text = str(found)
        assert type(model).__name__ in text
        for row in found.rows:
            assert row.theorem in text
        assert "<table>" in found._repr_html_()


def test_an_exceeded_bound_is_loud():
    X, y, _ = planted()
    from dataclasses import replace

    found = Perceptron().fit(X, y).audit(X, y)
    broken = replace(found, rows=(Row(novikoff(1.0, 1.0), "mistakes", 2),))
    assert not broken.holds
    assert "EXCEEDED" in str(broken)
    assert broken.as_dict()["holds"] is False


def mistakes_of(least, X, y):
    """Those of the learner whose bound it is."""
    family = {cls.__name__: cls for cls in (Perceptron, Winnow, BalancedWinnow)}
    return eval(least.learner, family).fit(X, y).mistakes_


def test_on_disjunctions_the_lower_bound_is_kept_and_foretells_fewer_mistakes():
    fewer = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(50, 300)), int(rng.integers(1, 5))
        X, y = disjunction(300, n, k, seed, density=rng.choice([0.03, 0.1, 0.3]))
        found = Perceptron().fit(X, y).audit(X, y)
        favour = found.favour
        says = [r.value for r in found.applying if math.isfinite(r.bound.quantities["gamma"])]
        assert favour.perceptron.value == min(says)
        if seed < 3:
            winnow = Winnow().fit(X, y).audit(X, y)
            assert favour.winnow.value <= winnow.best.value * (1 + 1e-9)
        assert (favour.learner == "Winnow") == (favour.winnow.value < favour.perceptron.value)
        made = {
            "Perceptron": mistakes_of(favour.perceptron, X, y),
            "Winnow": mistakes_of(favour.winnow, X, y),
        }
        assert made["Perceptron"] <= favour.perceptron.value
        assert made["Winnow"] <= favour.winnow.value
        fewer += made[favour.learner] == min(made.values())
    assert fewer >= 20


def test_on_dense_targets_the_perceptron_is_favoured():
    """A lower bound promises more. It need not come with fewer mistakes, and here it does not: the
    small steps of Balanced Winnow do as well."""
    for seed in range(5):
        X, y, _ = planted(400, n=20, seed=seed)
        favour = Perceptron().fit(X, y).audit(X, y).favour
        assert favour.learner == "Perceptron"
        assert "BalancedWinnow" in favour.winnow.learner  # Winnow itself takes no negative values
        for side in (favour.perceptron, favour.winnow):
            assert mistakes_of(side, X, y) <= side.value


def test_a_family_without_a_bound_says_so():
    X, y, _ = planted()
    found = Perceptron(intercept_scaling=2.0).fit(X, y).audit(X, y)  # no Winnow has that
    assert found.favour.winnow is None and found.favour.learner == "Perceptron"
    assert "no bound of the family of Winnow" in str(found.favour)
    assert found.as_dict()["favours"]["winnow"] is None


# ------------------------------------------------------------------ bad input


def test_bad_input():
    X, y, _ = planted()
    model = Perceptron().fit(X, y)
    with pytest.raises(NotLearned):
        Perceptron().audit(X, y)
    with pytest.raises(InvalidInput, match="0 sample"):
        model.audit(X[:0], y[:0])
    with pytest.raises(InvalidInput, match="features"):
        model.audit(X[:, :3], y)
    with pytest.raises(InvalidInput, match=r"nan in row 4, column 1|NaN"):
        model.audit(np.where(np.arange(X.size).reshape(X.shape) == 25, np.nan, X), y)
    with pytest.raises((InvalidInput, ValueError)):
        model.audit(X, y[:-1])
    with pytest.raises(InvalidInput, match="replay"):
        model.audit(X, y, replay="yes")
    with pytest.raises(InvalidInput, match="learner of Thresher"):
        thresher.audit(object(), X, y)


def test_one_label():
    X, _, _ = planted()
    for label in (0, 1):
        y = np.full(len(X), label)
        for model in (Perceptron(), PassiveAggressive(variant="PA"), Winnow(clip=True)):
            found = model.fit(X, y).audit(X, y)
            assert found.holds
            assert "one label" in found.notes[0]
            assert found.counts.mistakes == model.mistakes_


def test_zero_rows_without_intercept():
    X, y = np.zeros((3, 2)), [0, 1, 1]
    found = Perceptron(fit_intercept=False).fit(X, y).audit(X, y)
    assert found.holds
    assert not found.applying
    assert "every example zero" in found["Novikoff"].reason


def test_weights_that_come_to_nothing():
    X, y = [[-1.0], [-1.0]], [1, 0]
    found = Perceptron(step="aggressive", margin=0.5).fit(X, y).audit(X, y)
    assert found["PA with noise"].applies
    assert found.holds


# ------------------------------------------------------------------ real data


SETS = {
    "heart_scale": ("heart_scale.svm.gz", None),
    "mushrooms": ("mushrooms.svm.gz", None),
    "a9a": ("a9a.train.svm.gz", None),
    "imdb": ("imdb.train.svm.gz", 300),
}


@pytest.mark.parametrize("name", SETS)
def test_real_data_never_exceeds_a_bound(shared_data, name):
    file, rows = SETS[name]
    X, y = read_svmlight(shared_data / file)
    X = X.tocsr()
    if rows:
        order = np.random.default_rng(0).permutation(len(y))[:rows]
        X, y = X[order, :5000], y[order]
    models = [Perceptron(), PassiveAggressive(variant="PA"), PassiveAggressive(variant="PA-II")]
    models += [Winnow(alpha=1.1, clip=True), Winnow(floor=0.5, clip=True)]
    for model in models:
        found = model.fit(X, y).audit(X, y)
        assert found.holds
        assert found.applying or model.get_params().get("floor")  # Winnow-R is for 0 and 1 alone
        assert found.realizable is (name in ("mushrooms", "imdb"))
        if not found.realizable:
            read = X.maximum(0).minimum(1) if isinstance(model, Winnow) else X
            assert verify(found.certificate, read, y)
            assert not found["Novikoff"].applies
            assert not found["PA"].applies
    perceptron = Perceptron(max_epochs=3).fit(X, y).audit(X, y)
    assert perceptron["Novikoff"].applies is perceptron.realizable


def test_a_subset_of_a9a_is_certificate_enough(shared_data, monkeypatch):
    monkeypatch.setattr(thresher.theory.audit.comparators, "SMALL_SIDE", 10)
    X, y = read_svmlight(shared_data / "a9a.train.svm.gz")
    found = Perceptron().fit(X, y).audit(X, y)
    assert found.realizable is False
    assert verify(found.certificate, X, y)
