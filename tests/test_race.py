"""Races: each learner ends as if it had run alone, and who is dropped is dropped by the rule."""

import math
import pickle

import numpy as np
import pytest

import thresher
from deviations import name_of, passes_unless, sklearn_checks
from thresher import (
    AROW,
    LMS,
    MIRA,
    BalancedWinnow,
    BatchPerceptron,
    Experts,
    ExpertsRegressor,
    LogisticRegression,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Race,
    Winnow,
)
from thresher.errors import InvalidInput, NotLearned
from thresher.race import portfolio

LEARNERS = {
    "plain": Perceptron(average=False),
    "averaged": Perceptron(margin=0.5),
    "pa": PassiveAggressive(C=0.1, calibrate=True),
    "one-vs-rest": PassiveAggressive(multiclass="one-vs-rest", burn_in=100),
    "mira": MIRA(C=0.05),
    "winnow": Winnow(negations=True, average=True),
    "balanced": BalancedWinnow(alpha=1.2),
}


def examples(n, classes=3, noise=0.5, seed=0, names=2000):
    """Features in [0, 1] as dicts, and a label that depends on them."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(classes, names))
    for _ in range(n):
        ids = rng.choice(names, rng.integers(5, 40), replace=False)
        values = rng.integers(1, 9, len(ids)) / 8
        scores = weights[:, ids] @ values + noise * rng.normal(size=classes)
        x = {str(j): float(v) for j, v in zip(ids, values, strict=True)}
        yield x, int(np.argmax(scores)), float(np.round(scores[0], 3))


def write(path, rows, regress=False):
    with path.open("w") as out:
        for x, label, number in rows:
            pairs = " ".join(f"{name}:{value}" for name, value in x.items())
            out.write(f"{number if regress else label} {pairs}\n")
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Several batches of a reader: more than 1 MB."""
    path = write(tmp_path_factory.mktemp("race") / "rows.svm", examples(6000))
    assert path.stat().st_size > 1.1 * 2**20
    return path


def runners_of(race):
    return [row for row in race.standings_ if not row.baseline]


def all_of(learner):
    """Everything that was learned, to the last bit."""
    state = learner._model.state()
    return state, learner._labels.values if learner._labels else None, learner.epochs_


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    "options", [{}, {"hash_bits": 8}, {"min_count": 3}, {"shuffle_buffer": 1000, "seed": 3}],
    ids=str,
)  # fmt: skip
def test_each_ends_as_if_alone(file, options, threads):
    race = Race(LEARNERS, keep_all=True, threads=threads)
    race.fit_file(file, **options)
    assert set(race.learners_) == set(LEARNERS) - ({"winnow"} if "hash_bits" in options else set())
    for name, learner in race.learners_.items():
        alone = LEARNERS[name].fresh().fit_file(file, **options)
        assert all_of(learner) == all_of(alone), name
        assert learner.examples_ == 6000


def test_holding_out_is_the_same_as_alone(file):
    race = Race(LEARNERS, keep_all=True, holdout=5).fit_file(file)
    for name, learner in race.learners_.items():
        assert all_of(learner) == all_of(LEARNERS[name].fresh().fit_file(file, holdout=5))
        assert learner.examples_ == 4800
    assert {row.examples for row in race.standings_} == {1200}  # baselines, too


def test_regressors_end_as_if_alone(tmp_path):
    path = write(tmp_path / "numbers.svm", examples(3000), regress=True)
    runners = {"lms": LMS(), "nlms": LMS(normalized=True), "pa": PassiveAggressiveRegressor(C=0.1)}
    race = Race(runners, keep_all=True).fit_file(path)
    for name, learner in race.learners_.items():
        assert all_of(learner) == all_of(runners[name].fresh().fit_file(path))


def test_the_error_is_progressive(file):
    race = Race(LEARNERS, keep_all=True).fit_file(file)
    errors = {row.name: row.error for row in race.standings_}
    for name, learner in LEARNERS.items():
        alone, wrong = learner.fresh(), 0
        for batch in thresher.read(file):
            for example in batch.examples():
                wrong += alone.predict_one(example.features) != example.label
                alone.learn_one(example.features, example.label)
        assert errors[name] == wrong / 6000, name
    assert [row.error for row in runners_of(race)] == sorted(errors[name] for name in LEARNERS)
    assert race.best_.get_params() == LEARNERS[race.standings_[0].name].get_params()


def wide(n, flips_at=None, noise=0.2, seed=0):
    """Many features, of which few matter: enough work for a race to drop losers."""
    rng = np.random.default_rng(seed)
    X = 0.01 * rng.normal(size=(n, 640))
    X[:, :10] *= 100.0
    y = np.where(X[:, :10].sum(axis=1) * (1 - 2 * (rng.random(n) < noise)) > 0, 1, -1)
    if flips_at is not None:
        y[flips_at:] *= -1
    return X, y


FIELD = {
    "averaged": Perceptron(margin=1.0),
    "last": PassiveAggressive(average=False),
    "good": PassiveAggressive(C=0.1),
    "large": PassiveAggressive(C=10.0),
    **{f"slow {i}": PassiveAggressive(C=0.01 / i) for i in range(1, 5)},
}


def losses_of(learner, X, y):
    """Of each row, before it is learned."""
    alone, found = learner.fresh(), []
    for row, label in zip(X, y, strict=True):
        found.append(not found or alone.predict(row[None])[0] != label)
        alone.partial_fit(row[None], [label], classes=[-1, 1])
    return np.array(found, dtype=float)


def excess(mine, best):
    """By how many standard errors the mean of 32 and 32 consecutive losses is larger."""
    more = (mine - best).reshape(-1, 32).mean(axis=1)
    return more.mean() / (more.std(ddof=1) / math.sqrt(len(more)))


@pytest.mark.parametrize("flips_at", [None, 3072])
def test_losers_leave_by_the_rule(flips_at):
    """By four standard errors over 4,096 examples, and over the last quarter of them."""
    X, y = wide(4096, flips_at)
    race = Race(FIELD).fit(X, y)
    losses = {name: losses_of(learner, X, y) for name, learner in FIELD.items()}
    best, *others = race.standings_
    surely = {
        name
        for name in FIELD
        if name != best.name
        and excess(losses[name], losses[best.name]) > 4
        and excess(losses[name][3072:], losses[best.name][3072:]) > 4
    }
    assert {row.name for row in others if row.dropped_at} == surely
    for row in race.standings_[: len(FIELD)]:
        assert row.error == losses[row.name].mean()
        if row.name in surely:
            assert (row.dropped_at, row.reason) == (4096, f"surely worse than {best.name}")
        else:
            assert row.recent == losses[row.name][3072:].mean()
    if flips_at is None:
        assert "last" in surely  # the noise makes it worse by a third, all the time
    else:  # the one that was surely worse until then follows the target, and leads
        assert best.name == "last" and "averaged" in surely | {row.name for row in others}
        assert excess(losses["last"][:3072], losses["averaged"][:3072]) > 4


def test_keep_all_keeps_all():
    X, y = wide(4096)
    race = Race(FIELD, keep_all=True).fit(X, y)
    assert {row.dropped_at for row in race.standings_} == {None}
    few = Race({"good": FIELD["good"], "last": FIELD["last"]}).fit(X[:, :20], y)
    assert few.standings_[1].dropped_at is None  # it costs next to nothing


def test_baselines_are_in_every_race():
    X = np.random.default_rng(0).normal(size=(400, 3))
    *_, usual, last = Race([Perceptron(), MIRA()]).fit(X, [0, 0, 0, 1] * 100).standings_
    assert usual.baseline and usual.name == "most frequent label" and last.name == "last label"
    assert usual.error == 101 / 400 and last.error == 200 / 400  # the first is not known
    *_, usual, last = Race([LMS(), LMS(normalized=True)]).fit(X, [0.0, 2.0] * 200).standings_
    assert usual.name == "mean so far" and last.name == "last target"
    assert last.error == 4.0 * 399 / 400 and 1.0 < usual.error < 1.1


def test_all_learners_answer_by_their_votes(file, tmp_path):
    learners = {name: LEARNERS[name] for name in ("plain", "pa", "mira", "balanced")}
    race = Race(learners, answer="experts").fit_file(file)
    alone = Experts(learners).fit_file(file)
    assert race.predict_file(file) == alone.predict_file(file)
    names = [(row.name, row.error, row.weight) for row in race.standings_]
    assert str(names) == str([(row.name, row.error, row.weight) for row in alone.standings_])
    assert set(race.learners_) == set(learners)
    assert race.best_.get_params() == learners[race.standings_[0].name].get_params()
    race.save(tmp_path / "race.model")
    again = thresher.load(tmp_path / "race.model")
    for x, label, _ in examples(50, seed=4):
        for model in (race, alone, again):
            model.learn_one(x, label)
        assert race.predict_one(x) == alone.predict_one(x) == again.predict_one(x)
    with pytest.raises(InvalidInput, match="answer is 'worst'"):
        Race(learners, answer="worst")


@pytest.mark.parametrize("metric", ["log-loss", "auc", "f1", "balanced", {True: 20, False: 1}])
def test_other_figures_decide(metric):
    """Few examples are positive, so that the most frequent label has a small error."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = X[:, 0] + rng.normal(size=2000) > 2.0
    learners = {
        "plain": LogisticRegression(),
        "balanced": LogisticRegression(class_weight="balanced"),
        "hardly": LogisticRegression(learning_rate=1e-4),
    }
    race = Race(learners, metric=metric).fit(X, y)
    found = {row.name: row.figure for row in race.standings_ if not row.baseline}
    assert list(found.values()) == sorted(found.values())
    for name, learner in learners.items():
        alone = Race({name: learner}, metric=metric).fit(X, y)
        assert alone.standings_[0].figure == found[name] and 0.0 < found[name] < 2.0
    if metric != "auc":  # which a weight of the classes hardly changes
        assert min(found, key=found.get) == ("plain" if metric == "log-loss" else "balanced")
    again = pickle.loads(pickle.dumps(race))
    assert str(again.standings_) == str(race.standings_)
    with pytest.raises(InvalidInput, match="metric is 'beauty'; expected one of error"):
        Race(learners, metric="beauty")
    with pytest.raises(InvalidInput, match=r"metric is .* expected one of error, rmse, mae"):
        Race([LMS()], metric=metric)


def test_costs_are_those_of_the_wrong_answers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0.5, "spam", "ham")
    race = Race([Perceptron()], metric={"spam": 3.0, "ham": 0.5}).fit(X, y)
    model, cost = Perceptron(), 0.0
    for x, label in zip(X, y, strict=True):
        if not hasattr(model, "classes_") or model.predict([x])[0] != label:
            cost += {"spam": 3.0, "ham": 0.5}[label]
        model.partial_fit([x], [label])
    assert race.standings_[0].figure == pytest.approx(cost / 300)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_figures_of_numbers(metric):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    y = X @ [1.0, 2.0, -1.0] + rng.standard_cauchy(size=500)  # outliers weigh less in mae
    learners = {"lms": LMS(learning_rate=0.01), "pa": PassiveAggressiveRegressor(C=0.1)}
    race = Race(learners, metric=metric).fit(X, y)
    committee = ExpertsRegressor(learners, metric=metric).fit(X, y)
    for row in race.standings_[:2]:
        model, errors = learners[row.name].fresh(), []
        for x, target in zip(X, y, strict=True):
            errors.append((model.predict([x])[0] if errors else 0.0) - target)
            model.partial_fit([x], [target])
        size = np.sqrt(np.mean(np.square(errors))) if metric == "rmse" else np.mean(np.abs(errors))
        assert row.figure == pytest.approx(size)
        (voting,) = [one for one in committee.standings_ if one.name == row.name]
        assert voting.figure == pytest.approx(size)
    assert race.standings_[0].name == committee.standings_[0].name


def test_a_committee_leads_by_another_figure(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = np.where(X[:, 0] + rng.normal(size=3000) > 2.0, "yes", "no")
    learners = {
        "cautious": LogisticRegression(learning_rate=0.01),
        "pa": PassiveAggressive(average=False),
        "arow": AROW(),
    }
    for metric in ("log-loss", "auc", "f1", "balanced", {"yes": 20, "no": 1}):
        race = Race(learners, metric=metric).fit(X, y)
        model = Experts(learners, metric=metric, threads=2)
        model.partial_fit(X[:1000], y[:1000])
        model.save(tmp_path / "model")
        model = thresher.load(tmp_path / "model").partial_fit(X[1000:], y[1000:])
        figures = {row.name: row.figure for row in model.standings_ if not row.baseline}
        assert figures == {r.name: r.figure for r in race.standings_ if not r.baseline}
        assert model.standings_[0].name == race.standings_[0].name
        assert model.best_.get_params() == race.best_.get_params()
        voting = Race(learners, metric=metric, answer="experts").fit(X, y)
        assert voting.standings_[0].figure == race.standings_[0].figure
        with pytest.raises(InvalidInput, match="metric cannot change"):
            model.set_params(metric="error")


def test_sorted_labels_are_told():
    X = np.random.default_rng(0).normal(size=(400, 3))
    with pytest.warns(UserWarning, match="The labels come in long runs: they changed 1 time"):
        Race([Perceptron(), MIRA()]).fit(X, np.repeat([0, 1], 200))


def test_who_cannot_use_the_data_is_out(tmp_path):
    rows = [({"1": 1.0, "2": i % 3 - 1.0 if i > 2 else 0.5}, i % 2, 0.0) for i in range(50)]
    path = write(tmp_path / "rows.svm", rows)
    race = Race([Winnow(), Perceptron(), BalancedWinnow()]).fit_file(path)
    out = runners_of(race)[-1]
    assert out.name == "winnow" and out.failed
    assert "rows.svm, line 4" in out.reason and "BalancedWinnow" in out.reason
    assert set(race.learners_) == {"perceptron", "balanced-winnow"}
    assert out.dropped_at == 3  # whole examples that it came past, however the file was cut


def test_if_nobody_can_use_the_data_it_is_an_error():
    with pytest.raises(InvalidInput, match=r"row 0, .* expected a value in"):
        Race([Winnow(), Winnow(negations=True)]).fit([[2.0], [1.0]], ["a", "b"])
    X = np.random.default_rng(0).normal(size=(500, 3))
    with pytest.raises(InvalidInput, match="no learner of the race can use this data") as caught:
        Race([LMS(learning_rate=5.0), LMS(learning_rate=0.9)]).fit(X, X.sum(axis=1))
    for name in ("lms learning_rate=5.0: row ", "lms learning_rate=0.9: row "):
        assert name in str(caught.value)


def test_a_bad_example_ends_nothing():
    race = Race({"a": Perceptron(), "b": PassiveAggressive()})
    race.learn_one({"x": 1.0}, "yes")
    for bad, error in (({"x": math.inf}, InvalidInput), (None, InvalidInput)):
        with pytest.raises(error):
            race.learn_one(bad, "no")
    race.learn_one({"x": -1.0}, "no")
    assert {row.examples for row in race.standings_} == {2}
    assert [learner.examples_ for learner in race.learners_.values()] == [2, 2]
    assert race.predict_one({"x": -2.0}) == "no"


def test_who_diverges_is_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    race = Race([LMS(learning_rate=5.0), LMS()]).fit(X, X @ [1.0, 2.0, 3.0])
    best, out = runners_of(race)
    assert (best.name, out.name) == ("lms", "lms learning_rate=5.0")
    assert "diverge" in out.reason and "row " in out.reason
    assert np.allclose(race.predict(X[:5]), race.best_.predict(X[:5]))


def test_races_over_arrays():
    rng = np.random.default_rng(1)
    X = rng.random((3000, 20))
    y = np.where(X @ rng.normal(size=20) > 0, "yes", "no")
    weights = rng.integers(0, 3, 3000).astype(float)
    race = Race(LEARNERS, keep_all=True, threads=2).fit(X, y, sample_weight=weights)
    for name, learner in race.learners_.items():
        alone = LEARNERS[name].fresh().partial_fit(X, y, sample_weight=weights)
        assert learner._model.state() == alone._model.state(), name
        assert np.array_equal(learner.predict(X), alone.predict(X))
    assert race.score(X, y) == race.best_.score(X, y)


def test_one_by_one_is_the_same_race(file):
    streamed = Race(LEARNERS, threads=2)
    for batch in thresher.read(file):
        for example in batch.examples():
            streamed.learn_one(example.features, example.label)
    read = Race(LEARNERS, threads=2).fit_file(file)
    for one, other in zip(streamed.standings_, read.standings_, strict=True):
        assert one.name == other.name
        assert (one.error, one.interval, one.dropped_at) == (
            other.error, other.interval, other.dropped_at,
        )  # fmt: skip


def test_a_race_goes_on_after_files(file, tmp_path):
    more = list(examples(200, seed=9, names=3000))
    race = Race({name: LEARNERS[name] for name in ("pa", "mira", "winnow")}, keep_all=True)
    race.fit_file(file)
    for x, label, _ in more:
        race.learn_one(x, label)
    for name, learner in race.learners_.items():
        alone = LEARNERS[name].fresh().fit_file(file)
        for x, label, _ in more:
            alone.learn_one(x, label)
        assert learner._model.state() == alone._model.state(), name
    assert race.standings_[0].examples == 6200


def test_the_best_is_free_to_learn_on(file):
    race = Race({"pa": PassiveAggressive(), "perceptron": Perceptron()}, keep_all=True)
    race.fit_file(file)
    best = race.best_
    for x, label, _ in examples(100, seed=5, names=4000):
        best.learn_one(x, label)
    other = race.learners_[race.standings_[1].name]
    assert race.best_ is best
    assert other.examples_ == 6000
    assert len(other._names()) < len(best._names())
    assert other.predict_file(file) == other.fresh().fit_file(file).predict_file(file)


def test_threads_change_nothing(file):
    tables = [Race(LEARNERS, threads=n).fit_file(file).standings_ for n in (1, 2)]
    for one, other in zip(*tables, strict=True):
        assert (one.name, one.error, one.dropped_at) == (other.name, other.error, other.dropped_at)


def test_the_best_answers_for_the_race(file, tmp_path):
    race = Race({"pa": PassiveAggressive(calibrate=True), "none": PassiveAggressive(C=1e-9)})
    race.fit_file(file)
    x, _, _ = next(examples(1, seed=3))
    assert race.predict_one(x) == race.best_.predict_one(x)
    assert race.predict_proba_one(x) == race.best_.predict_proba_one(x)
    assert race.predict_file(file) == race.best_.predict_file(file)
    race.save(tmp_path / "best.model")
    assert thresher.load(tmp_path / "best.model").predict_one(x) == race.predict_one(x)
    with pytest.raises(AttributeError, match="no attribute 'fly'"):
        race.fly()


def test_before_the_start_nobody_has_won():
    race = Race([Perceptron()])
    for ask in (lambda: race.best_, lambda: race.standings_, lambda: race.predict_one({"a": 1})):
        with pytest.raises(NotLearned, match="not fitted yet"):
            ask()


def test_what_was_given_stays_as_it_was(file):
    learner = Perceptron()
    Race([learner, PassiveAggressive()]).fit_file(file)
    assert learner._model is None


@pytest.mark.parametrize(
    "learners, message",
    [
        ([], "a race needs learners"),
        ([Perceptron(), LMS()], "perceptron predicts labels, lms numbers"),
        ([BatchPerceptron()], "expected online learners"),
        ([Perceptron(), Perceptron()], "perceptron runs twice"),
        ({"a": 3}, "expected online learners"),
    ],
)
def test_fields_that_cannot_start(learners, message):
    with pytest.raises(InvalidInput, match=message):
        Race(learners)


def test_who_clips_cannot_share_what_is_read(file):
    with pytest.raises(InvalidInput, match="winnow clip=True clips the values"):
        Race([Winnow(clip=True), Perceptron()]).fit_file(file)
    race = Race([Winnow(clip=True), Winnow(clip=True, alpha=1.5)]).fit_file(file)
    assert len(runners_of(race)) == 2


@pytest.mark.parametrize("task", ["classify", "regress"])
def test_portfolio(task):
    learners = portfolio(task)
    assert 10 <= len(learners) <= 24
    assert len(Race(learners).learners) == len(learners)
    for learner in learners:
        learner._settled()


def test_portfolio_of_no_task():
    with pytest.raises(InvalidInput, match="expected 'classify' or 'regress'"):
        portfolio("cluster")


# ------------------------------------------------------------------ as an estimator


REFUSED = "learners that cannot race are refused when the race is made, not when it begins"


@sklearn_checks(Race([Perceptron(), PassiveAggressive()]), Race([LMS(), LMS(normalized=True)]))
def test_check_estimator(estimator, check):
    refused = name_of(check) == "check_do_not_raise_errors_in_init_or_set_params"
    passes_unless(REFUSED if refused else None, lambda: check(estimator))


def test_a_race_has_the_methods_of_its_learners():
    race = Race([PassiveAggressive(calibrate=True), Perceptron()])
    assert hasattr(race, "predict") and hasattr(race, "decision_function")
    assert not hasattr(race, "predict_proba")  # any winner must have it
    assert hasattr(Race([PassiveAggressive(calibrate=True)]), "predict_proba")
    assert not hasattr(Race([LMS()]), "decision_function")
    assert race.predict.__name__ == "predict"


def test_a_pickled_race_goes_on(file):
    race = Race(LEARNERS, keep_all=True, threads=2).fit_file(file)
    other = pickle.loads(pickle.dumps(race))
    for part in (race, other):
        for i in range(50):
            part.learn_one({"a": i % 2, "b": i % 3}, i % 2)
    before, after = (
        [(row.name, row.error, row.interval) for row in r.standings_] for r in (race, other)
    )
    assert before == after
    assert race.best_.coef_.tolist() == other.best_.coef_.tolist()
