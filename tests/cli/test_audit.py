"""`thresher audit`: the real command in a process of its own, held to the audit of arrays."""

import json

import numpy as np
import pytest
from scipy import sparse

import thresher
from commands import run
from thresher import LMS, PassiveAggressive, Perceptron, Winnow
from thresher.theory import verify
from thresher.theory.audit import audit_files, comparators, files


def told(*arguments):
    done = run("audit", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write(path, X, y):
    with path.open("w") as file:
        for row, label in zip(np.asarray(X), y, strict=True):
            cells = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist()) if v)
            file.write(f"{label} {cells}\n")
    return path


def points(noise, rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5)).round(3)
    y = np.where(X @ rng.normal(size=5) > 0, 1, -1)
    return X, np.where(rng.random(rows) < noise, -y, y)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    for name, noise in (("clean", 0.0), ("noisy", 0.1)):
        write(folder / f"{name}.svm", *points(noise))
        Perceptron(max_epochs=1).fit_file(folder / f"{name}.svm").save(folder / f"{name}.model")
    return folder


@pytest.mark.parametrize("name", ["clean", "noisy"])
def test_files_as_arrays(folder, name):
    found = told(folder / f"{name}.svm", "-m", folder / f"{name}.model")
    X, y = points(0.0 if name == "clean" else 0.1)
    arrays = Perceptron().fit(X, y).audit(X, y).as_dict()
    assert found["mistakes"] == arrays["mistakes"]
    assert found["realizable"] is arrays["realizable"] is (name == "clean")
    assert found["R"] == pytest.approx(arrays["R"])
    assert found["R_inf"] == pytest.approx(arrays["R_inf"])
    assert found["holds"] is True
    for row, other in zip(found["rows"], arrays["rows"], strict=True):
        assert (row["theorem"], row["applies"]) == (other["theorem"], other["applies"])
        if row["applies"]:
            assert row["bound"] == pytest.approx(other["bound"], rel=1e-6)


def test_the_table(folder):
    done = run("audit", folder / "noisy.svm", "-m", folder / "noisy.model")
    assert done.returncode == 0
    assert "perceptron with noise, hinge" in done.stdout
    assert "Does not apply" in done.stdout
    assert "Novikoff" in done.stdout
    assert "verified" in done.stdout


def test_what_is_undecided_has_no_certificate(tmp_path):
    data = write(tmp_path / "two.svm", [[1.0, 1.0], [1.0, 1.0 + 1e-15]], [-1, 1])
    Perceptron().fit_file(data).save(tmp_path / "model")
    proof = tmp_path / "proof.json"
    done = run("audit", data, "-m", tmp_path / "model", "--certificate", proof)
    assert done.returncode == 1 and not proof.exists()
    assert "not decided" in done.stdout
    assert audit_files(Perceptron().fit_file(data), [data]).certificate is None


def test_certificate_and_plot(folder, tmp_path):
    proof, picture = tmp_path / "proof.json", tmp_path / "bounds.svg"
    done = run("audit", folder / "noisy.svm", "-m", folder / "noisy.model",
               "--certificate", proof, "--plot", picture, "-q")  # fmt: skip
    assert done.returncode == 0, done.stderr
    stored = json.loads(proof.read_text())
    certificate = thresher.theory.Certificate(
        tuple(stored["rows"]), tuple(stored["weights"]), stored["fit_intercept"]
    )
    assert verify(certificate, *points(0.1))
    assert "<svg" in picture.read_text()
    done = run("audit", folder / "clean.svm", "-m", folder / "clean.model", "--certificate", proof)
    assert done.returncode == 1
    assert "certificate" in done.stderr


def test_larger_than_memory(folder, monkeypatch):
    """With the limits lowered: margins alone, and a certificate among the examples kept."""
    small = audit_files(thresher.load(folder / "noisy.model"), [folder / "noisy.svm"])
    monkeypatch.setattr(comparators, "SMALL_CELLS", 50)
    large = audit_files(thresher.load(folder / "noisy.model"), [folder / "noisy.svm"])
    assert large.counts == small.counts
    assert large.comparators == ("the learner's averaged weights",)
    assert large.realizable is False
    assert verify(large.certificate, *points(0.1))
    assert "no exact separator" in large.notes[0]
    assert large.holds
    assert large["perceptron with noise, hinge"].applies
    X, y = points(0.1)
    averaged = Perceptron().fit(X, y)
    by_hand = averaged.audit(X, y, comparator=averaged)
    row = "perceptron with noise, hinge"
    assert large[row].value == pytest.approx(by_hand[row].value)
    exact = audit_files(thresher.load(folder / "clean.model"), [folder / "clean.svm"], exact=True)
    assert exact["Novikoff"].comparator == "the separator of largest margin"


def test_what_is_kept_of_a_long_stream(folder, monkeypatch):
    """The first examples and the hardest, whatever the batches."""
    monkeypatch.setattr(comparators, "SMALL_CELLS", 50)
    monkeypatch.setattr(comparators, "SUBSET", 30)
    monkeypatch.setattr(comparators, "OTHERS", 10)
    seen = []
    keep = files.KeptRows.examples

    def examples(self, *given):
        seen.append(self)
        return keep(self, *given)

    monkeypatch.setattr(files.KeptRows, "examples", examples)
    found = audit_files(thresher.load(folder / "noisy.model"), [folder / "noisy.svm"])
    X, y = points(0.1)
    margins = y * Perceptron().fit(X, y).decision_function(X)
    numbers = seen[0]._blocks[0].numbers
    rest = 10 + np.argsort(margins[10:], kind="stable")[:20]
    assert numbers.tolist() == sorted([*range(10), *rest.tolist()])
    kept = keep(seen[0], True, 1.0)
    assert found.holds
    assert np.allclose(np.sort(abs(kept.rows).sum(axis=1)),
                       np.sort(np.abs(X[numbers]).sum(axis=1) + 1.0))  # fmt: skip


def test_other_learners(folder):
    path = folder / "noisy.svm"
    for name, model in (
        ("PA with noise", PassiveAggressive(variant="PA")),
        ("PA-II", PassiveAggressive(variant="PA-II", C=0.3)),
        ("Winnow with noise", Winnow(theta=3.0, clip=True)),
        (None, Winnow(clip=True)),  # θ follows the names that have come
        (None, LMS()),
    ):
        found = audit_files(model.fit_file(path, passes=2), [path])
        assert found.holds
        assert found.passes == 2
        assert found.counts.mistakes == getattr(model, "mistakes_", None)
        assert [row.theorem for row in found.applying] == ([name] if name else [])


def test_three_classes(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4)).round(3)
    y = (X @ rng.normal(size=(4, 3))).argmax(axis=1)
    path = write(tmp_path / "three.svm", X, y)
    model = Perceptron().fit_file(path)
    found = audit_files(model, [path])
    assert found.counts.mistakes == model.mistakes_
    assert found.classes == (0, 1, 2)
    assert found["perceptron with noise, hinge"].applies
    assert found.holds


def test_weights_and_rare_names_are_not_covered(tmp_path):
    path = tmp_path / "weighted.vw"
    path.write_text("1 2.0 | a b\n-1 | b\n1 | a\n")
    found = audit_files(Perceptron().fit_file(path), [path])
    assert not found.applying
    assert "weight 1" in found["Novikoff"].reason
    path.write_text("1 | a b\n-1 | b\n1 | a\n")
    found = audit_files(Perceptron().fit_file(path, min_count=2), [path])
    assert not found.applying
    hashed = audit_files(Perceptron().fit_file(path, hash_bits=4), [path])
    assert hashed["perceptron with noise, hinge"].applies


def test_bad_lines_are_left_out(folder, tmp_path):
    text = (folder / "clean.svm").read_text()
    path = tmp_path / "bad.svm"
    path.write_text(text + "1 3:x\n")
    done = run("audit", path, "-m", folder / "clean.model")
    assert done.returncode == 1
    assert "line 301" in done.stderr
    aside = tmp_path / "aside"
    done = run("audit", path, "-m", folder / "clean.model", "--quarantine", aside, "--json")
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert (found["bad_lines"], found["examples"]) == (1, 300)
    assert aside.read_text() == "1 3:x\n"


def test_bad_usage(folder, tmp_path):
    assert run("audit", folder / "clean.svm").returncode == 2
    done = run("audit", "-", "-m", folder / "clean.model")
    assert done.returncode == 1
    assert "twice" in done.stderr
    empty = tmp_path / "empty.svm"
    empty.write_text("")
    done = run("audit", empty, "-m", folder / "clean.model", "--format", "svmlight")
    assert done.returncode == 1
    assert "no labelled example" in done.stderr
    X, y = points(0.0)
    Perceptron().fit(sparse.csr_array(X), y).save(tmp_path / "arrays.model")
    done = run("audit", folder / "clean.svm", "-m", tmp_path / "arrays.model")
    assert done.returncode == 1
    assert "arrays" in done.stderr
    Perceptron().save(tmp_path / "new.model")
    done = run("audit", folder / "clean.svm", "-m", tmp_path / "new.model")
    assert done.returncode == 1
    assert "not fitted" in done.stderr
