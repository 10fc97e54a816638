"""The same examples make the same model: from every format, in chunks of any size, by any number of
threads, and one by one."""

import gzip
import random
from dataclasses import replace

import pytest

import thresher
from cases import about, looped
from streams import COUNTERS, ONLINE, case_id
from thresher._core import Progress
from thresher.data.columns import TableColumns
from thresher.data.example import Example
from thresher.data.reader import BadLines, Reader
from thresher.data.reading import ReadingOptions, reading_options
from thresher.data.write import WRITERS, open_writer
from thresher.learners.table import LINEAR
from thresher.training import Plan, Training

TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
ENTRIES = [entry for entry in LINEAR if entry.online]
HOLD_WEIGHTS = (*TABLES, "vw")


def essence(learner):
    """All that a learner has learned, to the last bit."""
    return learner._model.state(), getattr(learner, "_labels", None) and learner._labels.values


def examples_for(entry, *, ones=False, weights=False, n=60, seed=0):
    """Ids in rising order, so that a table has them in the order of its columns; labels come
    late."""
    rng = random.Random(f"{entry.name} {seed}")
    made = []
    for i in range(n):
        ids = sorted(rng.sample(range(1, 40), rng.randint(1, 9)))
        low = 0.0 if entry.name in COUNTERS else -1.0
        values = [1.0 if ones else round(rng.uniform(low, 1.0), 4) or 0.5 for _ in ids]
        if entry.task == "regress":
            label = round(rng.gauss(0.0, 1.0), 3)
        else:
            label = rng.choice([7, 3, 5, 11][: 1 + min(3, i // 8)])
        weight = rng.choice([1.0, 0.0, 2.5]) if weights else 1.0
        if entry.task == "classify" and all(each.label != label for each in made):
            weight = 1.0  # a label of weight 0 has not come to who learns one by one
        features = dict(zip(map(str, ids), values, strict=True))
        made.append(Example(label, weight, "", features))
    return made


def write(path, examples, format):
    columns = None
    if WRITERS[format].needs_columns:
        names = sorted({name for e in examples for name in e.features}, key=int)
        columns = TableColumns(tuple(names), weights=any(e.weight != 1 for e in examples))
    with open_writer(path, format, columns=columns) as out:
        for each in examples:
            out.write(each)
    return path


def file_options(format, weights):
    options = {"format": format, "on_bad_line": "error"}
    if format in TABLES:
        options["label"] = "label"
        if weights:
            options["weight"] = "weight"
    return options


def one_by_one(learner, examples):
    for each in examples:
        if each.label is not None:
            learner.learn_one(each.features, each.label, sample_weight=each.weight)
    return learner


@pytest.mark.parametrize("kind", ["any values", "ones", "weights"])
@pytest.mark.parametrize("entry", ENTRIES, ids=case_id)
def test_every_format_makes_the_same_model(tmp_path, entry, kind):
    weights = kind == "weights"
    examples = examples_for(entry, ones=kind == "ones", weights=weights)
    formats = HOLD_WEIGHTS if weights else [f for f in WRITERS if f != "bag" or kind == "ones"]
    for format in formats:
        path = write(tmp_path / f"file.{format}", examples, format)
        chosen = file_options(format, weights)
        with thresher.read(path, **chosen) as reader:
            read = [each for batch in reader for each in batch.examples()]
        for options in entry.variants:
            with about((format, options)):
                expected = essence(one_by_one(entry.cls(**options), examples))
                assert essence(entry.cls(**options).fit_file(path, **chosen)) == expected
                assert essence(one_by_one(entry.cls(**options), read)) == expected


def trained(entry, options, paths, plan, policy="error", **reading):
    learner = entry.cls(**options)
    how = reading_options(**reading)
    learner.begin_reading(how)
    bad = BadLines(policy)
    with Training(learner, paths, reading=how, plan=plan, bad=bad) as training:
        for _ in training:
            pass
    return learner, training


CUTS = [(1, 1), (1, 4), (2, 3), (97, 2), (4096, 4), (1 << 20, 3), (64 << 20, 2)]


@pytest.mark.parametrize("entry", ENTRIES, ids=case_id)
def test_chunks_and_threads_change_nothing(tmp_path, entry):
    examples = examples_for(entry)
    path = write(tmp_path / "file.svm", examples, "svmlight")
    for options in entry.variants:
        expected = essence(one_by_one(entry.cls(**options), examples))
        for chunk, threads in CUTS:
            with about((options, chunk, threads)):
                learner, _ = trained(entry, options, [path], Plan(threads=threads, chunk=chunk))
                assert essence(learner) == expected


# Lines that cannot be used, blank ones, foreign line ends, no label, no newline at the end.
ROUGH = {
    "svmlight": b"1 3:1 7:0.5 # why\r\n\n-1 2:1\nx:1\n1 3:nonsense\n0 9:1\n   \n2 1:0 3:1",
    "vw": b"1 2.5 'tag|a x y:2 |b z\n|a new\n\n-1 -5 |a x\n-1 |b z w\n| y\n3 |a x",
    "csv": b'label,a,"b c"\r\n1,2,red\r\n0,,"dark\nblue, or"\r\n\r\n1,2\r\n0,3,red',
    "tsv": b"label\ta\tb\n1\t2\tred\n0\t\tblue\n1\t2\n0\t3\tred\n",
    "jsonl": b'{"label": 1, "a": {"b": 2}}\n{"label": 0, "c": "red"}\n{"a"}\n\n'
    b'{"label": 2, "l": ["x"]}',
    "bag": b"spam\twin win now\nno tab\nham\thello now\n\nspam\twin",
}


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("name", ["Perceptron", "Winnow"])
@pytest.mark.parametrize("format", ROUGH)
def test_rough_files_in_any_chunks(tmp_path, format, name, compressed):
    entry = next(entry for entry, _ in ONLINE if entry.name == name)
    options = {"clip": True} if name == "Winnow" else {}
    path = tmp_path / f"rough.{format}{'.gz' if compressed else ''}"
    path.write_bytes(gzip.compress(ROUGH[format]) if compressed else ROUGH[format])
    found = []
    for chunk, threads in [*CUTS, (5, 2), (23, 4)]:
        plan = Plan(threads=threads, chunk=chunk)
        learner, training = trained(entry, options, [path, path], plan, "skip", format=format)
        found.append((essence(learner), training.bad, training.provenance()))
    assert all(each == found[0] for each in found)
    learned, bad, provenance = found[0]
    assert bad.count > 0 and bad.count % 2 == 0 and provenance["run"]["examples"] > 2
    again = entry.cls(**options)
    how = ReadingOptions(format=format)
    # A feature of value 0 is nothing but a name that has come.
    with Reader([path, path], how, bad=BadLines("skip"), keep_zeros=True) as reader:
        for batch in reader:
            for each in batch.examples():
                if name == "Winnow":
                    each.features = {k: min(1.0, max(0.0, v)) for k, v in each.features.items()}
                one_by_one(again, [each])
    assert essence(again) == learned


def test_the_recipe_does_not_depend_on_chunks(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{i % 3},{'red' if i % 2 else 'blue'},{i % 5},win {i % 7} now" for i in range(50)]
    path.write_text("\n".join(["label,color,size,note", *rows]))
    entry = ONLINE[0][0]
    reading = {
        "text": ["note"], "categorical": ["size"], "ngrams": 2, "cross": [("color", "size")],
        "char_ngrams": (2, 3), "weighting": "log",
    }  # fmt: skip
    for more in ({}, {"hash_bits": 6}, {"min_count": 3}, {"max_features": 4}):
        found = [
            essence(trained(entry, {}, [path], Plan(threads=t, chunk=c), **reading, **more)[0])
            for c, t in CUTS
        ]
        assert all(each == found[0] for each in found), more
    assert reading_options(**reading).only_kept() != ReadingOptions()


def test_winnow_clips_alike_everywhere(tmp_path):
    """Values beyond 1, in the file or by names that share a bucket; also to predict."""
    path = tmp_path / "data.svm"
    path.write_text("1 1:3 2:1\n-1 2:1 3:0.5\n" * 9)
    dicts = [{"1": 3, "2": 1}, {"2": 1, "3": 0.5}] * 9
    one = thresher.Winnow(clip=True)
    for x, y in zip(dicts, [1, -1] * 9, strict=True):
        one.learn_one(x, y)
    learner = thresher.Winnow(clip=True).fit_file(path)
    assert essence(learner) == essence(one)
    assert learner.predict_file(path) == [one.predict_one(x) for x in dicts]
    hashed = thresher.Winnow(clip=True).fit_file(path, hash_bits=1)
    assert set(hashed.predict_file(path)) <= {1, -1}
    with pytest.raises(thresher.errors.InvalidInput, match=r"line 1, .*outside"):
        thresher.Winnow().fit_file(path)


def test_no_more_names_than_asked_for(tmp_path):
    path = tmp_path / "words.bag"
    path.write_text("a\tone two\nb\tthree four two\na\tone five\nb\tfive six three\n")
    bounded = thresher.Perceptron().fit_file(path, max_features=3)
    assert bounded._names() == ["one", "two", "three"]
    dicts = thresher.Perceptron()
    for words, label in (("one two", "a"), ("three two", "b"), ("one", "a"), ("three", "b")):
        dicts.learn_one(words.split(), label)
    assert bounded.coef_.tolist() == dicts.coef_.tolist()
    assert bounded.predict_one(["six", "three"]) == dicts.predict_one(["three"])


@looped("hash_bits", [0, 8])
@pytest.mark.parametrize(("entry", "options"), ONLINE, ids=case_id)
def test_names_that_were_met_and_not_yet_learned_count_as_unseen(
    tmp_path, entry, options, hash_bits
):
    """As for a thread that predicts while another one reads a file."""
    asked = [{str(i): 0.5, str(i + 7): 0.25} for i in range(1, 33)]
    answers = []
    for rows in (60, 20):
        path = write(tmp_path / f"{rows}.svmlight", examples_for(entry)[:rows], "svmlight")
        learner = entry.cls(**options)
        how = reading_options(format="svmlight", hash_bits=hash_bits)
        learner.begin_reading(how)
        how = replace(how, needs=learner.needs())
        with Reader([path], how, bad=BadLines("error")) as reader:
            met = learner.resolver(next(iter(reader)))(0, rows)
            learner.learn_examples(met, 0, 20, Progress())
        answers.append([learner.predict_one(x) for x in asked])
    assert answers[0] == answers[1]
