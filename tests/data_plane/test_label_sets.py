"""Sets of labels from files: the same model as from sets in Python, whatever the format."""

import csv
import io
import json
import random

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.preprocessing import MultiLabelBinarizer

import thresher
from commands import Commands
from thresher import Snow
from thresher.checkpoint import Checkpoint
from thresher.data.columns import TableColumns
from thresher.data.example import Example
from thresher.data.reader import BadLines
from thresher.data.reading import reading_options
from thresher.data.write import WRITERS, open_writer
from thresher.errors import BadLine, InvalidInput, SaturationWarning
from thresher.evaluate import SetMetrics, progressive
from thresher.training import Plan, Training

OPTIONS = {"multi_label": True, "calibrate": True, "rule": "perceptron"}


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


def examples(n=80, *, empty=True, words=False, seed=0):
    """Features that say which labels there are; labels come late, some sets are empty."""
    rng = random.Random(seed)
    made = []
    for i in range(n):
        some = rng.sample(range(1, 6), rng.randint(0 if empty and i > 3 else 1, 3))
        ids = sorted({*some, *rng.sample(range(10, 30), 4)})
        labels = [f"l{k}" for k in some] if words else some
        made.append(Example(frozenset(labels), features={str(k): 1.0 for k in ids}))
    return made


def write(path, format, made):
    columns = None
    if WRITERS[format].needs_columns:
        columns = TableColumns(tuple(sorted({name for e in made for name in e.features}, key=int)))
    with open_writer(path, format, columns=columns, label_sets=True) as out:
        for example in made:
            out.write(example)
    return path


def one_by_one(made, passes=1, **options):
    model = Snow(**OPTIONS, **options)
    for example in made * passes:
        model.learn_one(dict(example.features), set(example.label))
    return model


def essence(model):
    return model._model.state(), model._labels.values


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("words", [False, True])
def test_files_of_every_format_make_the_model_of_sets(format, words, tmp_path):
    made = examples(empty=format != "vw", words=words)
    path = write(tmp_path / f"data.{format}", format, made)
    kind = {"format": format}
    expected = one_by_one(made)
    model = Snow(**OPTIONS).fit_file(path, **kind)
    assert essence(model) == essence(expected)
    assert model.predict_file(path, **kind) == [model.predict_one(e.features) for e in made]
    read = [e for batch in thresher.read(path, label_sets=True, **kind) for e in batch.examples()]
    assert [e.label for e in read] == [e.label for e in made]
    assert [e.features for e in read] == [e.features for e in made]
    again = write(tmp_path / f"again.{format}", format, read)
    if format not in ("parquet", "arrow"):
        assert again.read_bytes() == path.read_bytes()
    for batch in thresher.read(path, model=model, **kind):
        assert batch.labels[0] == made[0].label


@pytest.mark.parametrize("reading", [{}, {"min_count": 2}, {"hash_bits": 12}], ids=str)
@pytest.mark.parametrize("plan", [{}, {"shuffle_buffer": 7}, {"holdout": 5}], ids=str)
def test_stopped_and_gone_on_with_it_ends_the_same(reading, plan, tmp_path):
    """Three passes, the later ones from what was parsed; stopped in each of them."""
    path = write(tmp_path / "data.jsonl", "jsonl", examples(60))
    how = reading_options(**reading)

    def training(learner, resume=None):
        options = Plan(passes=3, chunk=100, **plan)
        return Training(learner, [path], reading=how, plan=options, resume=resume)

    def fresh():
        learner = Snow(**OPTIONS)
        learner.begin_reading(how)
        return learner

    whole = fresh()
    with training(whole) as run:
        for _ in run:
            pass
        seen = run.progress.learned.loss, run.progress.learned.examples
    learner, resume = fresh(), None
    for stop in (3, 25, 61, 100, 140, 179, None):
        with training(learner, resume) as run:
            run.stop_at = stop
            for _ in run:
                if stop is not None and run.examples >= stop:
                    run.stop()
                    break
        learner.provenance_ = run.provenance()
        learner.save(tmp_path / "model")
        learner = thresher.load(tmp_path / "model")
        resume = Checkpoint.from_dict(learner.provenance_["run"])
    assert resume.done
    assert essence(learner) == essence(whole)
    assert (run.progress.learned.loss, run.progress.learned.examples) == seen
    if not reading and not plan:
        assert essence(whole) == essence(one_by_one(examples(60), 3))


def test_progressive_error_is_of_whole_sets(tmp_path):
    made = examples()
    path = write(tmp_path / "data.svm", "svmlight", made)
    reports = list(progressive(Snow(**OPTIONS), [(e.features, set(e.label)) for e in made]))
    learner = Snow(**OPTIONS)
    learner.begin_reading(reading_options())
    with Training(learner, [path]) as run:
        for _ in run:
            pass
    assert run.progress.learned.loss == reports[-1].metrics.wrong > 0
    assert isinstance(reports[-1].metrics, SetMetrics)


def test_sets_are_counted_as_scikit_learn_counts_them():
    rng = np.random.default_rng(0)
    truth = [set(np.flatnonzero(rng.random(6) < 0.4).tolist()) for _ in range(200)]
    said = [{k ^ (rng.random() < 0.1) for k in one} for one in truth]
    weights = rng.integers(0, 4, size=200).astype(float)
    metrics = SetMetrics(range(6))
    for part in (slice(0, 50), slice(50, None)):
        metrics.add([*truth[part], None], [*said[part], {0}], [*weights[part], 5.0])
    binary = MultiLabelBinarizer(classes=range(6))
    Y, P = binary.fit_transform(truth), binary.transform(said)
    options = {"sample_weight": weights}
    assert metrics.unlabelled == 2 and metrics.examples == 200
    assert metrics.accuracy == pytest.approx(accuracy_score(Y, P, **options))
    assert metrics.error == pytest.approx(1 - metrics.accuracy)
    assert metrics.hamming_loss == pytest.approx(hamming_loss(Y, P, **options))
    for average in ("micro", "macro"):
        expected = f1_score(Y, P, average=average, **options)
        assert getattr(metrics, average).f1 == pytest.approx(expected)
    with pytest.raises(InvalidInput, match="truth has 1 sets, predicted 2"):
        metrics.add([{1}], [{1}, {2}])
    with pytest.raises(InvalidInput, match="labels of mixed type"):
        metrics.add([{"a"}], [{1}])
    assert metrics.examples == 200
    assert SetMetrics().error is None and SetMetrics().hamming_loss is None


def test_commands(commands, tmp_path):
    made = examples()
    data, model = tmp_path / "data.svm", tmp_path / "model"
    write(data, "svmlight", made)

    def run(*words):
        done = commands.run(*words)
        assert done.code == 0, done.err
        return done.out

    settings = [x for k, v in OPTIONS.items() for x in ("--set", f"{k}={v}".lower())]
    run("train", data, "-m", model, "--learner", "snow", *settings, "--passes", "3")
    learner = thresher.load(model)
    assert essence(learner) == essence(one_by_one(made, 3))
    expected = [learner.predict_one(e.features) for e in made]
    lines = run("predict", data, "-m", model, "--json", "--proba").splitlines()
    answers = [json.loads(line) for line in lines]
    assert [set(a["prediction"]) for a in answers] == expected
    assert answers[0].keys() == {"prediction", "p_1", "p_2", "p_3", "p_4", "p_5"}
    p = learner.predict_proba_one(made[0].features)
    assert {k: pytest.approx(answers[0][f"p_{k}"]) for k in p} == p
    table = list(csv.DictReader(io.StringIO(run("predict", data, "-m", model, "--scores"))))
    assert [row["prediction"] for row in table] == [
        ",".join(map(str, sorted(one))) for one in expected
    ]
    scores = learner.score_one(made[0].features)
    assert {k: pytest.approx(float(table[0][f"score_{k}"])) for k in scores} == scores
    found = json.loads(run("evaluate", data, "-m", model, "--json"))
    metrics = SetMetrics()
    metrics.add([e.label for e in made], expected)
    assert found["accuracy"] == metrics.accuracy and found["micro"]["f1"] == metrics.micro.f1
    assert "subset accuracy" in run("evaluate", data, "-m", model)
    run("convert", data, tmp_path / "x.jsonl", "--label-sets")
    run("convert", tmp_path / "x.jsonl", tmp_path / "x.svm", "--label-sets")
    assert (tmp_path / "x.svm").read_bytes() == data.read_bytes()
    for words, message in (
        (["evaluate", data, "-m", model, "--plot", tmp_path / "x.png"], "it learns sets"),
        (["audit", data, "-m", model], "sets of labels"),
        (["train", data, "-m", tmp_path / "n"], "found several labels"),
        (["convert", data, tmp_path / "y.jsonl"], "--label-sets"),
    ):
        done = commands.run(*words)
        assert done.code and message in done.err, (words, done.err)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1,2 3:1\n1,,3 5:1\n", r"line 2, column 3: found an empty label in the set '1,,3'"),
        ("1,2 3:1\n4,2,4 5:1\n", r"line 2, column 5: found '4' twice in the set"),
        ("1,2 3:1\n1,1.0 5:1\n", r"line 2: the set of labels '1,1.0' has a label twice"),
        ("1,2 3:1\n1,a 5:1\n", r"line 2: labels of mixed type: found 'a'"),
        ("1,2 3:1\n1.5 5:1\n", r"line 2: Unknown label type"),
    ],
)
def test_bad_sets_say_where(lines, message, tmp_path):
    path = tmp_path / "data.svm"
    path.write_text(lines)
    model = Snow(multi_label=True)
    with pytest.raises((BadLine, InvalidInput), match=message):
        model.fit_file(path)
    assert not hasattr(model, "classes_")
    model.begin_reading(reading_options())
    with Training(model, [path], bad=BadLines("error")) as run, pytest.raises(InvalidInput):
        for _ in run:
            pass
    assert model.examples_ == 1 and model.classes_.tolist() == [1, 2]


def test_who_only_reads_is_told_where_a_set_is_bad(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1,2 3:1\n1,1.0 5:1\n")
    with pytest.raises(InvalidInput, match=r"data.svm, line 2: the set of labels '1,1.0' has a"):
        [batch.labels for batch in thresher.read(path, label_sets=True)]


def test_a_bad_set_can_be_left_out(tmp_path):
    path = tmp_path / "data.svm"
    path.write_text("1,2 3:1\n1,,3 5:1\n2,1 3:1\n")
    model = Snow(multi_label=True).fit_file(path, on_bad_line="skip")
    assert model.examples_ == 2 and model.provenance_["bad_lines"] == 1


def test_a_missing_label_is_not_learned_and_kept_apart_from_an_empty_set(tmp_path):
    path = tmp_path / "data.vw"
    path.write_text("1,2 | a\n| b\n3 | c\n")
    assert Snow(multi_label=True, rule="perceptron").fit_file(path).examples_ == 2
    some = [Example(None, features={"1": 1.0}), Example(frozenset(), features={"2": 1.0}),
            Example(frozenset({1, 2}), features={"1": 1.0})]  # fmt: skip
    for format in ("jsonl", "csv", "tsv", "bag", "parquet", "arrow"):
        path = write(tmp_path / f"some.{format}", format, some)
        reader = thresher.read(path, label_sets=True, labels="optional", format=format)
        read = [label for batch in reader for label in batch.labels]
        assert read == [None, frozenset(), frozenset({1, 2})], format
    with pytest.raises(InvalidInput, match="vw would show an example without a label"):
        write(tmp_path / "x.vw", "vw", some)
    with pytest.raises(InvalidInput, match="svmlight would show an empty set"):
        write(tmp_path / "x.svm", "svmlight", some)


def test_what_no_file_holds(tmp_path):
    for label, message in (
        ({"a,b"}, "found the label 'a,b' in a set; expected no comma"),
        ({" a"}, "found the label ' a' in a set"), ({""}, "found the label '' in a set"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=message):
            write(tmp_path / "x.jsonl", "jsonl", [Example(frozenset(label))])
    with pytest.raises(InvalidInput, match="label_sets says: a frozenset of labels"):
        write(tmp_path / "x.jsonl", "jsonl", [Example("a")])
    with (
        pytest.raises(InvalidInput, match="label_sets says: one label"),
        open_writer(tmp_path / "x.jsonl") as out,
    ):
        out.write(Example(frozenset({"a"})))


def test_a_race_of_sets_is_among_those_who_learn_them(tmp_path):
    path = write(tmp_path / "data.svm", "svmlight", examples())
    from thresher import Race

    race = Race([Snow(**OPTIONS), Snow(multi_label=True)]).fit_file(path)
    assert race.best_.multi_label
    with pytest.raises(InvalidInput, match="learns sets of labels, others in this race do not"):
        Race([Snow(**OPTIONS), Snow()]).fit_file(path)


def test_weights_that_were_clamped_are_told():
    model = Snow(multi_label=True, alpha=1e140)
    with pytest.warns(SaturationWarning, match="were clamped"):
        model.fit([[1.0]] * 20, [["a"], ["b"]] * 10)
    assert model.clamped_ > 0
