"""Exports predict what their models predict; what they cannot hold is refused."""

import csv
import gzip
import json
import re
import shutil
import sqlite3
import subprocess
import warnings

import numpy as np
import pytest

import thresher
from thresher import (
    AROW,
    LMS,
    Experts,
    KernelPerceptron,
    LogisticRegression,
    NaiveBayes,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    Winnow,
)
from thresher.errors import InvalidInput
from thresher.export import export, from_liblinear, from_sklearn, from_vw
from thresher.export.portable import portable

ROWS = 300


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 6))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int) + (X[:, 2] > 1)
    return X, y


def models(X, y):
    """Learners with all that an export has to hold."""
    words = np.array(["a", 'it\'s "b"\\', "ç"])
    yield PassiveAggressive().fit(X, y)
    yield PassiveAggressive(prepare="standard").fit(X, words[y])
    yield Perceptron(prepare="minmax", average=True).fit(X, words[np.minimum(y, 1)])
    yield AROW(prepare="maxabs, unit").fit(X, y)
    yield LogisticRegression(prepare="unit").fit(X, np.minimum(y, 1))
    yield PassiveAggressive(threshold="f1").fit(X, np.minimum(y, 1))
    yield LMS().fit(X, y.astype(float))
    yield PassiveAggressiveRegressor(prepare="standard").fit(X, 5 * X[:, 0] - 100.0)


def test_onnx(arrays, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    X, y = arrays
    for model in models(X, y):
        export(model, tmp_path / "model.onnx", "onnx")
        session = runtime.InferenceSession(tmp_path / "model.onnx")
        answer, scores = session.run(None, {"features": X})
        same(model, answer, scores, X)
        named = session.get_modelmeta().custom_metadata_map["feature_names"]
        assert json.loads(named) == [f"x{i}" for i in range(6)]


def same(model, answer, scores, X):
    if model.task == "regress":
        np.testing.assert_allclose(answer, model.predict(X), rtol=1e-12, atol=1e-12)
        return
    assert list(answer) == model.predict(X).tolist()
    own = model.decision_function(X)
    np.testing.assert_allclose(np.squeeze(scores), own, rtol=1e-11, atol=1e-11)


def test_c(arrays, tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no compiler of C")
    X, y = arrays
    lines = "".join(
        "\t".join(f"x{i}\t{v!r}" for i, v in enumerate(row)) + "\n" for row in X.tolist()
    )
    for model in models(X, y):
        export(model, tmp_path / "m.c", "c", name="m")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-DM_MAIN"]
        build = [compiler, *flags, "m.c", "-o", "m", "-lm"]
        subprocess.run(build, cwd=tmp_path, check=True)
        out = subprocess.run([tmp_path / "m"], input=lines, capture_output=True, text=True,
                             check=True).stdout  # fmt: skip
        rows = [line.split("\t") for line in out.splitlines()]
        answers = [row[0] for row in rows]
        if model.task == "regress" or model.classes_.dtype.kind != "U":
            answers = [float(a) for a in answers]
        same(model, answers, np.array([row[1:] for row in rows], float), X)


def test_json_is_enough_to_predict(arrays, tmp_path):
    """Twelve lines, as the documentation has them."""
    X, y = arrays
    for model in models(X, y):
        export(model, tmp_path / "model.json", "json")
        m = json.loads((tmp_path / "model.json").read_text())
        scores = []
        for row in X.tolist():
            x = {f"x{i}": v for i, v in enumerate(row)}
            if m["unit_length"]:
                x = {n: v * (m["scale"] or {}).get(n, 1.0) for n, v in x.items()}
                length = sum(v * v for v in x.values()) ** 0.5
                x = {n: v / length for n, v in x.items()}
            score = list(m["intercepts"])
            for name, value in x.items():
                for k, w in enumerate(m["weights"].get(name, [])):
                    score[k] += w * value
            scores.append(score)
        if m["task"] == "regress":
            answers = np.clip(np.array(scores)[:, 0], *(m["bounds"] or (-np.inf, np.inf)))
        elif len(m["classes"]) > 2:
            answers = [m["classes"][int(np.argmax(s))] for s in scores]
        else:
            answers = [m["classes"][s[0] >= m["threshold"]] for s in scores]
        same(model, answers, np.array(scores), X)


def test_scikit_learn(arrays):
    X, y = arrays
    for model in models(X, y):
        other = model.to_sklearn()
        if model.task == "regress":
            np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
        else:
            assert other.predict(X).tolist() == model.predict(X).tolist()
    model = LogisticRegression().fit(X, np.minimum(y, 1))
    p = model.to_sklearn().predict_proba(X)
    np.testing.assert_allclose(p, model.predict_proba(X), atol=1e-12)
    # Of dicts: a pipeline that reads them.
    model = Perceptron()
    events = [{"color": "red", "n": 1.0}, {"color": "blue"}, {"n": 3.0, "color": "green"}]
    for x, label in zip(events * 5, "abc" * 5, strict=True):
        model.learn_one(x, label)
    assert model.to_sklearn().predict(events).tolist() == [model.predict_one(x) for x in events]


TABLE = "size,color,shape,weight,price,label\n"


def table(path, rows, classes):
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(rows):
        size, weight = rng.normal(), rng.normal()
        color, shape = rng.choice(["red", "blue's", ""]), rng.choice(["7", "8"])
        price = 3 * size + (color == "red") * 2 - (shape == "7") * weight
        cells = [repr(float(size)) if rng.random() > 0.1 else "", color, shape, repr(float(weight)),
                 repr(float(price)), f"c{int(np.clip(price, 0, classes - 1))}"]  # fmt: skip
        lines.append(",".join(map(str, cells)))
    path.write_text(TABLE + "\n".join(lines) + "\n")


@pytest.mark.parametrize("missing", ["zero", "mean", "indicator"])
def test_sql(tmp_path, missing):
    path = tmp_path / "table.csv"
    for classes in (2, 3):
        table(path, ROWS, classes)
        recipe = {"categorical": "shape", "cross": ["color,shape", "shape,weight"],
                  "missing": missing}  # fmt: skip
        found = [PassiveAggressive().fit_file(path, ignore="price", **recipe)]
        if classes == 2:
            found.append(PassiveAggressiveRegressor().fit_file(
                path, label="price", ignore="label", **recipe))  # fmt: skip
        for model in found:
            export(model, tmp_path / "model.sql", "sql", name="my table")
            query = (tmp_path / "model.sql").read_text()
            expected = model.predict_file(path)
            for answers in (in_sqlite(path, query), in_duckdb(path, query)):
                if model.task == "regress":
                    np.testing.assert_allclose(answers, expected, rtol=1e-9, atol=1e-9)
                else:
                    assert answers == expected


def rows_of(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            yield {
                name: None if cell == "" else float(cell)
                if name in ("size", "weight", "price") else cell
                for name, cell in row.items()
            }  # fmt: skip


def in_sqlite(path, query):
    rows = list(rows_of(path))
    with sqlite3.connect(":memory:") as base:
        kinds = {"size": "REAL", "weight": "REAL", "price": "REAL"}
        columns = ", ".join(f"{name} {kinds.get(name, 'TEXT')}" for name in rows[0])
        base.execute(f'CREATE TABLE "my table" ({columns})')
        marks = ", ".join("?" * len(rows[0]))
        base.executemany(
            f'INSERT INTO "my table" VALUES ({marks})', map(tuple, map(dict.values, rows))
        )
        return [row[-1] for row in base.execute(query)]


def in_duckdb(path, query):
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    base = duckdb.connect()
    frame = pandas.DataFrame(rows_of(path))
    base.register("frame", frame)
    base.execute('CREATE TABLE "my table" AS SELECT * FROM frame')
    return [row[-1] for row in base.execute(query).fetchall()]


def test_what_is_refused(arrays, tmp_path):
    X, y = arrays
    text = tmp_path / "a.tsv"
    text.write_text("label\ttext\na\tone two\nb\tthree\n")
    words = PassiveAggressive().fit_file(text, text="text")
    cases = [
        (words, "onnx", "by --text text"),
        (words, "sql", "by --text text"),
        (words, "c", "by --text text"),
        (PassiveAggressive().fit_file(text, hash_bits=4), "json", "hashed the names"),
        (Perceptron(prepare="polynomial(2)").fit(X, y), "c", "polynomial makes features"),
        (Perceptron(prepare="unit").fit(X, y), "sql", "divides by the length"),
        (KernelPerceptron().fit(X, y), "json", "has no weights"),
        (Experts().fit(X, y), "json", "model.best_"),
        (Winnow(clip=True).fit(np.abs(X), y > 0), "json", "clips values"),
        (Perceptron(), "json", "learned nothing"),
    ]
    for model, to, why in cases:
        with pytest.raises(InvalidInput, match=why):
            export(model, tmp_path / "out", to)
    export(Experts().fit(X, y).best_, tmp_path / "out", "json")
    assert json.loads((tmp_path / "out").read_text())["format"] == "thresher-linear"
    export(words, tmp_path / "words.json", "json")  # with its recipe
    assert json.loads((tmp_path / "words.json").read_text())["recipe"]["text"] == ["text"]


def test_real_data(shared_data, tmp_path):
    """Census income, svmlight: the features are numbers, which become names."""
    with gzip.open(shared_data / "a9a.train.svm.gz", "rt") as lines:
        part = tmp_path / "a9a.svm"
        part.write_text("".join(line for _, line in zip(range(4000), lines, strict=False)))
    for model in (AROW(), NaiveBayes(), Perceptron(average=True, prepare="idf, unit")):
        model.fit_file(part)
        expected = model.predict_file(part)
        found = portable(model)
        X = np.zeros((4000, len(found.names)))
        place = {name: i for i, name in enumerate(found.names)}
        with thresher.read(part) as reader:
            for i, row in enumerate(f for batch in reader for f in batch.features()):
                for name, value in row.items():
                    X[i, place[name]] = value
        assert found.predict(X) == expected
        runtime = pytest.importorskip("onnxruntime")
        export(model, tmp_path / "a.onnx", "onnx")
        session = runtime.InferenceSession(tmp_path / "a.onnx")
        assert session.run(None, {"features": X})[0].tolist() == expected


# -- and in


def test_from_scikit_learn(arrays):
    from sklearn.linear_model import LogisticRegression as Other
    from sklearn.linear_model import Ridge, SGDClassifier

    X, y = arrays
    for other in (Other().fit(X, y), SGDClassifier().fit(X, np.minimum(y, 1))):
        model = from_sklearn(other)
        assert (model.predict(X) == other.predict(X)).all()
        np.testing.assert_allclose(model.decision_function(X), other.decision_function(X))
        model.partial_fit(X, other.predict(X))
        assert model.examples_ == ROWS and model.average is True  # the last step alone is noise
    other = Ridge().fit(X, 3 * X[:, 0] + 1)
    np.testing.assert_allclose(from_sklearn(other).predict(X), other.predict(X))
    learner = Perceptron(average=True)
    assert type(from_sklearn(SGDClassifier().fit(X, y), learner)) is Perceptron
    with pytest.raises(InvalidInput, match="also has a variance of each weight"):
        from_sklearn(Other().fit(X, y), AROW())
    with pytest.raises(InvalidInput, match="has no coef_"):
        from_sklearn(object())


def test_from_liblinear(arrays, tmp_path):
    """In the format that LIBLINEAR's README describes, from weights that its own solver found."""
    from sklearn.svm import LinearSVC

    X, y = arrays
    lines = "".join(
        " ".join([str(label), *(f"{i + 1}:{v!r}" for i, v in enumerate(row))]) + "\n"
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    )
    (tmp_path / "data.svm").write_text(lines)
    for labels in (y, np.minimum(y, 1)):
        other = LinearSVC().fit(X, labels)
        order = [2, 0, 1] if labels is y else [1, 0]  # as the labels came in the file
        w = other.coef_[order] if labels is y else other.coef_
        b = other.intercept_[order] if labels is y else other.intercept_
        head = (
            f"solver_type L2R_L2LOSS_SVC_DUAL\nnr_class {len(order)}\n"
            f"label {' '.join(map(str, order))}\nnr_feature 6\nbias 1\nw\n"
        )
        rows = "".join(" ".join(map(repr, r)) + " \n" for r in np.vstack([w.T, b]).tolist())
        (tmp_path / "a.model").write_text(head + rows)
        model = from_liblinear(tmp_path / "a.model")
        assert model.predict_file(tmp_path / "data.svm") == other.predict(X).tolist()
        model.save(tmp_path / "saved")
        again = thresher.load(tmp_path / "saved")
        assert again.predict_file(tmp_path / "data.svm") == other.predict(X).tolist()
        again.learn_one({"1": 1.0, "new": 2.0}, 1)
        assert again.examples_ == 1
    (tmp_path / "a.model").write_text(head + rows[: len(rows) // 2])
    with pytest.raises(InvalidInput, match=r"damaged|of shape"):
        from_liblinear(tmp_path / "a.model")
    with pytest.raises(InvalidInput, match="not a model of LIBLINEAR"):
        from_liblinear(tmp_path / "data.svm")


def test_from_liblinear_of_one_class(tmp_path):
    """Solver 21 writes no labels, and a rho: 1 where w·x > rho, else -1."""
    path = tmp_path / "one.model"
    head = "solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 2\nbias -1\nrho 2.5\nw\n"
    path.write_text(head + "1 \n2 \n")
    model = from_liblinear(path)
    (tmp_path / "data.svm").write_text("1 1:1 2:1\n1 1:1\n-1 2:1.5\n-1 3:9\n")
    assert model.predict_file(tmp_path / "data.svm") == [1, -1, 1, -1]
    path.write_text(head.replace("2.5", "inf") + "1 \n2 \n")
    with pytest.raises(InvalidInput, match="finite"):
        from_liblinear(path)
    path.write_text("solver_type L2R_LR\nnr_class 1\nlabel 1\nnr_feature 1\nbias -1\nw\n1 \n")
    with pytest.raises(InvalidInput, match=r"one\.model: a model that knows one label, 1"):
        from_liblinear(path)
    path.write_text("notes \nof someone\n")
    with pytest.raises(InvalidInput, match="not a model of LIBLINEAR"):
        from_liblinear(path)


@pytest.mark.parametrize("loss", ["squared", "logistic", "hinge"])
def test_from_vowpal_wabbit(tmp_path, loss):
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    rng = np.random.default_rng(3)
    words = np.array(["|a win prize |b x:2", "|a home you |b x:0.5", "|a you win |b y", "| plain"])
    lines = [f"{'1' if i in (0, 2) else '-1'} {words[i]}" for i in rng.integers(0, 4, 500)]
    data = tmp_path / "data.vw"
    data.write_text("\n".join(lines) + "\n")
    readable = tmp_path / "readable.txt"
    vw = vowpalwabbit.Workspace(
        f"--quiet --loss_function {loss} -q ab --data {data} --invert_hash {readable}"
    )
    vw.finish()
    vw = vowpalwabbit.Workspace(f"--quiet --loss_function {loss} -q ab")
    for line in lines:
        vw.learn(line)
    expected = [vw.predict(f" {line.split(' ', 1)[1]}") for line in lines]
    vw.finish()
    model = from_vw(readable, task="classify" if loss == "hinge" else None)
    assert model.reading_.cross == (("a", "b"),)  # what it reads from now on is crossed, too
    with thresher.read(data, model=model, labels="optional") as reader:
        answers = [model.answers(batch) for batch in reader]
    kind = "predicted" if model.task == "regress" else "scores"
    scores = np.concatenate([getattr(answer, kind) for answer in answers])
    most = 50 if loss == "logistic" else 1  # Vowpal Wabbit clips to the range of the labels
    np.testing.assert_allclose(np.clip(scores, -most, most), expected, atol=1e-4)  # 6 digits each
    if loss == "squared":
        assert model.task == "regress"
    else:
        assert model.classes_.tolist() == [-1, 1]
    with pytest.raises(InvalidInput, match="expected what --invert_hash wrote"):
        from_vw(data)
    text = readable.read_text()
    readable.write_text(re.sub(r"(?m)^\S+:(\d+):(\S+).*$", r"\1:\2", text))
    with pytest.raises(InvalidInput, match="has no names"):
        from_vw(readable)
    for changed, reason in (
        (text.replace("0 ngram:", "1 ngram:2 "), r"a model of n-grams \(1 ngram:2\)"),
        (text.replace("*b^", "*a^"), "two features of one namespace"),
        (text.replace("a^win*", "win*"), "default namespace"),
    ):
        readable.write_text(changed)
        with pytest.raises(InvalidInput, match=reason):
            from_vw(readable)


def test_scikit_learn_keeps_the_names_of_columns(arrays):
    X, y = arrays
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    for model in (Perceptron(), Perceptron(prepare="unit"), LMS()):
        other = model.fit(table, y).to_sklearn()
        assert other.feature_names_in_.tolist() == list(table.columns)
        with warnings.catch_warnings(action="error"):
            other.predict(table)
        with pytest.raises(ValueError, match="same order"):
            other.predict(table[table.columns[::-1]])
