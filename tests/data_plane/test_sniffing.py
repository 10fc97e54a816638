"""Columns of text are found without being named, and nothing else is."""

import json
import random
import subprocess
import sys
import warnings

import pytest

import thresher
from commands import Commands
from thresher.data.reading import reading_options
from thresher.data.sniffing import (
    ClockColumn,
    ThousandsColumn,
    UnreadColumn,
    look_at,
    text_columns,
    wanting_columns,
)

GOOD = ["fine", "lovely", "wise", "funny", "warm"]
BAD = ["dull", "slow", "grim", "flat", "cold"]
OTHERS = ["the", "a", "book", "end", "of", "page", "and"]


def reviews(rows=60):
    rng = random.Random(1)
    for i in range(rows):
        label = "good" if i % 2 else "bad"
        kind = GOOD if i % 2 else BAD
        words = [rng.choice(kind), *rng.choices(OTHERS, k=6)]
        rng.shuffle(words)
        yield {
            "label": label,
            "review": " ".join(words) + f" {i}",
            "genre": rng.choice(["crime", "science fiction", "fairy tale"]),
            "isbn": f"{i:09d}-x",
            "when": f"2024-01-{i % 28 + 1:02d} {i % 24:02d}:{i % 60:02d}:00",
            "stars": rng.randint(1, 5),
        }


def write(path, rows):
    rows = list(rows)
    if path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        lines = [delimiter.join(map(str, row.values())) for row in rows]
        path.write_text("\n".join([delimiter.join(rows[0]), *lines]))
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_only_the_text_is_found(suffix, tmp_path):
    """Not names of two words that repeat, not ids, not times, not numbers."""
    path = write(tmp_path / f"reviews.{suffix}", reviews())
    (found,) = text_columns([path])
    assert (found.name, found.values, found.different) == ("review", 60, 60)
    assert found.words == 8.0
    assert text_columns([path], reading_options(text="review")) == []
    assert text_columns([path], reading_options(categorical="review", ngrams=2)) == []


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ("numbers", ["1.234,56", "567,83"]),
        ("numbers", ["1,234.50", "12.5", "7,000"]),
        ("numbers", ["1 234,5", "2\u202f000", "1'000.00"]),
        ("numbers", ["9 %", "12%", "0.5 %"]),
        ("numbers", ["1.234,00 €", "$3.50", "€ 1.000", "-5 EUR"]),
        ("dates", ["22.09.2024", "1.1.2024 13:30"]),
        ("dates", ["9/22/2024", "12/1/24", "9/22/2024 1:30 PM"]),
        ("dates", ["22 Sep 2024", "3. März 2024", "Sep 22, 2024"]),
        (None, ["192.168.100.200", "10.0.0.1"]),
        (None, ["1.2.10", "12.0.3"]),
        (None, ["12a", "2,5 kg", "030 1234"]),
        (None, ["12", "13"]),  # texts of JSON, perhaps names: as they were written
    ],
)
def test_numbers_and_dates_that_are_read_as_texts(what, values):
    found = look_at("a", values * 10)
    assert found == (what and UnreadColumn("a", values[0], what))


def test_points_that_separate_thousands(tmp_path):
    """1.079 is read as a number: only what else is in the file shows that it is not."""
    rows = [{"label": i % 2, "sold": f"{i}.{i:03d}", "price": f"{i},5"} for i in range(40)]
    path = tmp_path / "a.csv"
    for pointed in (False, True):
        rows[30]["price"] = "1.000,5" if pointed else "30,5"
        lines = [";".join(map(str, row.values())) for row in rows]
        path.write_text("\n".join(["label;sold;price", *lines]))
        found = [c for c in wanting_columns([path]) if isinstance(c, ThousandsColumn)]
        assert [column.name for column in found] == ["sold"] * pointed


def test_where_nothing_is_looked_at(tmp_path):
    few = write(tmp_path / "few.csv", reviews(9))
    assert text_columns([few]) == []  # too few to tell
    svm = tmp_path / "a.svm"
    svm.write_text("1 1:1\n" * 20)
    assert text_columns([svm]) == text_columns(["-"]) == text_columns([tmp_path / "none.csv"]) == []
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe\x00")
    assert text_columns([tmp_path / "odd.csv"]) == []


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


def test_train_says_which_option_to_add(commands, tmp_path):
    """Each review as one name teaches nothing: half of the answers are wrong, and it is said."""
    write(tmp_path / "reviews.tsv", reviews())
    line = ("train", "reviews.tsv", "-m", "a.model", "--learner", "pa")
    run = commands.run(*line, folder=tmp_path)
    assert run.code == 0 and "'review' looks like text" in run.err
    assert run.err.splitlines()[0].endswith("add: --text review")
    assert "review=the" not in thresher.load(tmp_path / "a.model").feature_names_out_
    run = commands.run(*line, "--text", "review", folder=tmp_path)
    assert "text" not in run.err.splitlines()[0]
    assert "review=the" in thresher.load(tmp_path / "a.model").feature_names_out_
    assert "looks like" not in commands.run(*line, "-q", folder=tmp_path).err


def test_fit_file_warns_of_what_train_warns_of(tmp_path):
    path = write(tmp_path / "reviews.csv", reviews(120))
    roles = {"text": "review", "date": "when", "ignore": "isbn"}
    with pytest.warns(UserWarning) as told:
        thresher.PassiveAggressive().fit_file(path)
    texts = [str(warning.message) for warning in told]
    advice = {f"give {role}={name!r}." for role, name in roles.items()}
    assert {text.rpartition(", ")[2] for text in texts} == advice and len(texts) == 3
    assert {warning.filename for warning in told} == {__file__}
    with pytest.warns(UserWarning, match="give ignore='isbn'") as told:
        thresher.Race([thresher.Perceptron(), thresher.AROW()]).fit_file(path)
    assert {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings(action="error"):
        thresher.PassiveAggressive().fit_file(path, **roles)


def test_fit_file_warns_of_a_pipe_as_of_a_file(tmp_path):
    text = write(tmp_path / "reviews.csv", reviews(120)).read_text()
    program = """if True:
        import sys, thresher
        fit = thresher.PassiveAggressive().fit_file
        if sys.argv[2] == "race":
            fit = thresher.Race([thresher.Perceptron(), thresher.AROW()]).fit_file
        fit(sys.argv[1], format="csv")
        """
    for path, who in (("-", "one"), ("-", "race"), ("/dev/stdin", "one")):
        run = subprocess.run([sys.executable, "-c", program, path, who], input=text,
                             capture_output=True, text=True, check=True)  # fmt: skip
        told = [line for line in run.stderr.splitlines() if "Warning" in line]
        advice = [line.rpartition("give ")[2] for line in told]
        assert sorted(advice) == ["date='when'.", "ignore='isbn'.", "text='review'."]
        assert all(line.startswith("<string>:6:") for line in told)


@pytest.mark.parametrize(
    ("values", "is_clock"),
    [
        ([1_700_000_000 + 30 * i for i in range(200)], True),
        ([1_700_000_000_123 + 997 * (i % 13) for i in range(200)], True),  # milliseconds
        ([1_700_000_000.25 - i for i in range(200)], True),
        ([1_700_000_000 + i for i in range(200)], False),  # one more in each: a number of rows
        ([1_700_000_000] * 199 + [-1], False),
        ([17_000_000 + 7 * i for i in range(200)], False),
        ([1_700_000_000 + 30 * i for i in range(60)], False),  # too few to tell
    ],
)
def test_times_of_computers_are_doubted(tmp_path, values, is_clock):
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f'{{"ts": {ts}, "y": {i % 2}}}\n' for i, ts in enumerate(values)))
    found = wanting_columns([path], reading_options(label="y"))
    assert [type(column) is ClockColumn for column in found] == ([True] if is_clock else
           [False] if values[1] - values[0] == 1 else [])  # fmt: skip
    if is_clock:
        with pytest.warns(UserWarning, match=r"'ts' looks like a time .*, give ignore='ts'"):
            thresher.Perceptron().fit_file(path, label="y")


def test_fit_file_warns_of_sorted_labels(tmp_path):
    path = tmp_path / "sorted.svm"
    path.write_text("1 1:1\n" * 60 + "-1 2:1\n" * 60)
    with pytest.warns(UserWarning, match="changed 1 time.*shuffle_buffer") as told:
        thresher.Perceptron().fit_file(path)
    assert {warning.filename for warning in told} == {__file__}


def test_auto_takes_it_and_says_so(commands, tmp_path):
    write(tmp_path / "reviews.csv", reviews())
    run = commands.run("train", "reviews.csv", "-m", "a", folder=tmp_path)
    assert run.code == 0 and "its words are learned, as with --text review" in run.err
    model = thresher.load(tmp_path / "a")
    assert model.reading_.text == ("review",) and "review=the" in model.feature_names_out_


def test_options_of_words_without_words_are_doubted(commands, tmp_path):
    write(tmp_path / "few.csv", reviews(9))
    line = ("train", "few.csv", "-m", "a.model", "--char-ngrams", "3-5", "--weighting", "log")
    run = commands.run(*line, folder=tmp_path)
    assert "--char-ngrams, --weighting: there were no words" in run.err
    assert "no words" not in commands.run(*line, "--text", "review", folder=tmp_path).err
    for bad in ("5-3", "0", "x", "3-4-5", "11"):
        run = commands.run("train", "few.csv", "-m", "b", "--char-ngrams", bad, folder=tmp_path)
        assert run.code != 0 and "from 1 to 10" in run.err


def test_auto_tries_ways_to_make_features_of_texts(commands, tmp_path):
    """Words that never come again, but end as their label says."""
    rng = random.Random(0)

    def stem():
        return "".join(rng.choice("bdfglmnrst") + rng.choice("aeiou") for _ in range(4))

    rows = [("river", "aqua"), ("hill", "mont")] * 400
    lines = [f"{kind},{stem()}{end} {stem()} {stem()}" for kind, end in rows]
    (tmp_path / "names.csv").write_text("\n".join(["kind,name", *lines]))
    line = ("train", "names.csv", "--label", "kind", "-m", "a")
    run = commands.run(*line, folder=tmp_path)
    assert run.code == 0 and "With --char-ngrams 3-5 the error on the first 800 " in run.err
    model = thresher.load(tmp_path / "a")
    assert model.reading_.char_ngrams == (3, 5)
    assert model.predict_one({"name": "fogaaqua"}) in ("river", "hill")
    chosen = commands.run(*line, "--ngrams", "2", folder=tmp_path)
    assert chosen.code == 0 and "it is taken" not in chosen.err
