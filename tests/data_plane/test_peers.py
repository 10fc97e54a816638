"""Files and readers of other projects: what we write they read alike, what they read so do we."""

import random
import re

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file, load_svmlight_files

import thresher
from thresher.data.example import Example
from thresher.data.write import open_writer
from thresher.errors import InvalidInput

SVMLIGHT = (
    "a9a.train.svm.gz",
    "a9a.test.svm.gz",
    "heart_scale.svm.gz",
    "imdb.test.svm.gz",
    "imdb.train.svm.gz",
    "mushrooms.svm.gz",
    "news20.svm.bz2",
)


@pytest.mark.parametrize("name", SVMLIGHT)
def test_the_same_matrix_as_scikit_learn(shared_data, name):
    path = shared_data / name
    if not path.exists():
        pytest.skip(f"no {name}")
    X, y = thresher.read_svmlight(path)
    expected_X, expected_y = load_svmlight_file(str(path))
    assert X.shape == expected_X.shape and X.dtype == expected_X.dtype
    np.testing.assert_array_equal(X.indptr, expected_X.indptr)
    np.testing.assert_array_equal(X.indices, expected_X.indices)
    np.testing.assert_array_equal(X.data, expected_X.data)
    np.testing.assert_array_equal(y, expected_y)


def test_all_svmlight_files_are_in_the_list(shared_data):
    assert {path.name for path in shared_data.glob("*.svm*")} <= set(SVMLIGHT)


def examples(n=500, seed=3):
    rng = random.Random(seed)
    for i in range(n):
        features = {}
        for _ in range(rng.randint(0, 12)):
            group = rng.choice(["", "user^", "ad^"])
            name = rng.choice(
                ["age", "color=red", "größe", "x1", "7", f"word{rng.randint(0, 300)}"]
            )
            features[group + name] = rng.choice([1.0, 0.5, -2.0, 3e-5, 1234.5])
        tag = f"tag{i}" if rng.random() < 0.3 else ""
        yield Example(rng.choice([-1, 1]), rng.choice([1.0, 2.0, 0.5]), tag, features)


def test_vowpal_wabbit_reads_what_we_write(tmp_path):
    vw = pytest.importorskip("vowpalwabbit")
    path = tmp_path / "file.vw"
    made = list(examples())
    with open_writer(path) as out:
        for each in made:
            out.write(each)
    workspace = vw.Workspace(f"-d {path} --noconstant --loss_function logistic",
                             enable_logging=True)  # fmt: skip
    workspace.finish()
    log = "\n".join(workspace.get_log())

    def told(what):
        return float(re.search(rf"{what} = ([\d.]+)", log)[1])

    assert told("number of examples") == len(made)
    assert told("weighted example sum") == sum(e.weight for e in made)
    assert told("total feature number") == sum(len(e.features) for e in made)
    with thresher.read(path) as reader:
        back = [each for batch in reader for each in batch.examples()]
    assert back == made


def test_vowpal_wabbit_sees_the_same_values(tmp_path):
    vw = pytest.importorskip("vowpalwabbit")
    path = tmp_path / "file.vw"
    made = list(examples(60))
    with open_writer(path) as out:
        for each in made:
            out.write(each)
    workspace = vw.Workspace("--quiet --noconstant")
    for each, line in zip(made, path.read_text().splitlines(), strict=True):
        parsed = workspace.example(line)
        assert parsed.get_tag() == each.tag
        assert parsed.get_simplelabel_label() == each.label
        assert parsed.get_simplelabel_weight() == each.weight
        values = sorted(
            parsed.feature_weight(space, i)
            for space in (chr(parsed.namespace(k)) for k in range(parsed.num_namespaces()))
            for i in range(parsed.num_features_in(space))
        )
        # Its own reader of numbers is not exact to the last bit.
        assert values == pytest.approx(sorted(each.features.values()), rel=1e-6)
        workspace.finish_example(parsed)
    workspace.finish()


# ------------------------------------------------------------------ the first column of svmlight

ROWS = {"zero": "1 0:5 2:1\n-1 1:2\n", "one": "1 1:3 4:1\n-1 2:2\n", "none": "1\n-1\n"}


@pytest.mark.parametrize("zero_based", [True, False, "auto"])
@pytest.mark.parametrize(
    "names", [["zero"], ["one"], ["zero", "one"], ["one", "zero"], ["one", "one"]]
)
def test_the_first_column_is_that_of_scikit_learn(tmp_path, names, zero_based):
    """Alone and together; where theirs refuse the id 0, so do ours."""
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.write_text(ROWS[path.name])
    if zero_based is False and "zero" in names:
        with pytest.raises(InvalidInput, match="zero: has the id 0; zero_based=False says"):
            thresher.read_svmlight(paths, zero_based=zero_based)
        with pytest.raises(ValueError, match="Invalid index 0"):
            load_svmlight_files([str(path) for path in paths], zero_based=zero_based)
        return
    found = thresher.read_svmlight(paths, zero_based=zero_based)
    expected = load_svmlight_files([str(path) for path in paths], zero_based=zero_based)
    assert len(found) == len(expected) == 2 * len(paths)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(
            ours.toarray() if ours.ndim == 2 else ours,
            theirs.toarray() if theirs.ndim == 2 else theirs,
        )
    if len(paths) == 1:
        (X, _), (again, _) = found, thresher.read_svmlight(paths[0], zero_based=zero_based)
        assert abs(X - again).nnz == 0


def test_a_file_without_features_does_not_say_where_ids_begin(tmp_path):
    """scikit-learn takes it for one whose ids begin with 0, which moves those of the others."""
    for name, text in ROWS.items():
        (tmp_path / name).write_text(text)
    X, y, none, labels = thresher.read_svmlight([tmp_path / "one", tmp_path / "none"])
    assert X.shape == (2, 4) and none.shape == (2, 4)
    assert y.tolist() == labels.tolist() == [1.0, -1.0]
    with pytest.raises(InvalidInput, match="4 features; n_features says 3"):
        thresher.read_svmlight([tmp_path / "one", tmp_path / "none"], n_features=3)
    with pytest.raises(InvalidInput, match="expected True, False or 'auto'"):
        thresher.read_svmlight(tmp_path / "one", zero_based="yes")


def test_ids_are_names_where_files_are_learned_from(tmp_path):
    """No learner moves them: what one file calls 1 another calls 1, with a 0 in it or not."""
    for name, text in ROWS.items():
        (tmp_path / name).write_text(text)
    model = thresher.Perceptron().fit_file([tmp_path / "one", tmp_path / "zero"])
    assert model.feature_names_out_.tolist() == ["1", "4", "2", "0"]
