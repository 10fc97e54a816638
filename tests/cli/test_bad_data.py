"""Bad data through the whole command: an error says where and what, and nothing is half done."""

import bz2
import gzip
import json
import lzma
import os
import pickle
import signal
import struct
import time

import pytest

from commands import Commands
from thresher import PassiveAggressive, Race, load
from thresher.errors import InvalidInput
from waiting import catches, wait_until


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


@pytest.fixture
def train(commands, tmp_path):
    """Train on some bytes in a file of this name; the model, if any, is `tmp_path / "model"`."""

    def run(name, content, *more, **options):
        path = tmp_path / name
        path.write_bytes(content)
        one = ("--learner", "pa", "-q")  # unless more names another
        return commands.run("train", path, "-m", tmp_path / "model", *one, *more, **options)

    return run


GOOD = b"1 1:1 2:0.5\n-1 2:1 3:1\n"


def learned(tmp_path):
    return load(tmp_path / "model").provenance_["run"]["examples"]


NOTHING = {
    "empty": (b"", (), "no examples"),
    "line": (b"\n", (), "no examples"),
    "blank": (b"  \n\n \n\r\n", (), "no examples"),
    "no label": (b"|a x\n|a y z\n", ("--format", "vw"), "2 examples without a label"),
    "weight 0": (b"1 0 |a x\n", ("--format", "vw"), "1 example of weight 0"),
    "bad lines": (b"1 x:1\n1 y:1\n", ("--on-bad-line", "skip"), "2 bad lines left out"),
    "held out": (GOOD, ("--holdout", "1"), "2 examples held out"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_learned_is_an_error_and_the_model_stays(train, commands, tmp_path, case):
    content, more, found = NOTHING[case]
    formats = ["svmlight", "vw", "csv", "tsv", "jsonl", "bag"] if not content.strip() else [""]
    assert train("good.svm", GOOD).code == 0
    model, data = tmp_path / "model", tmp_path / "data"
    before = model.read_bytes()
    data.write_bytes(content)
    one = ["train", "--learner", "pa"]
    commands_of_first = (
        ["train"], one, [*one, "--save-every", "1"], [*one, "--passes", "2"], ["race"],
        ["train", "--resume", model],
    )  # fmt: skip
    for format in formats:
        reading = [*more, *(("--format", format) if format else ())]
        reading += ["--format", "svmlight"] if "--format" not in reading else []
        for command in commands_of_first if format == formats[0] else (one,):
            done = commands.run(*command, data, "-m", model, "-q", *reading)
            assert done.code == 1, (command, done)
            assert done.err.startswith(f"error: {data}: nothing was learned; found ")
            assert f"found {found}, expected at least one" in done.err or "--passes" in command
            assert model.read_bytes() == before
        assert commands.run(*one, data, "-m", tmp_path / "new", "-q", *reading).code == 1
        assert not (tmp_path / "new").exists()


def test_nothing_learned_in_python(tmp_path):
    path = tmp_path / "data.svm"
    path.write_bytes(GOOD)
    model, race = PassiveAggressive().fit_file(path), Race([PassiveAggressive()]).fit_file(path)
    weights = model.coef_.tolist()
    for content in (b"", b"x:1 1\n2:\n"):
        path.write_bytes(content)
        for learner in (model, race):
            with pytest.raises(InvalidInput, match="nothing was learned") as raised:
                learner.fit_file(path, format="svmlight", on_bad_line="skip")
        assert len(raised.value.__notes__ if content else ()) == content.count(b"\n")
    assert model.coef_.tolist() == race.best_.coef_.tolist() == weights


def test_stopped_before_anything_was_learned(train, commands, tmp_path):
    """Ctrl-C while nothing has come from a pipe."""
    assert train("good.svm", GOOD).code == 0
    before = (tmp_path / "model").read_bytes()
    os.mkfifo(tmp_path / "fifo")
    writer = os.open(tmp_path / "fifo", os.O_RDWR)
    for command in (["train"], ["race"], ["train", "--resume", tmp_path / "model"]):
        run = commands.start(*command, "-", "-m", tmp_path / "model", "--format", "svmlight",
                             stdin=tmp_path / "fifo")  # fmt: skip
        wait_until(lambda run=run: catches(run.process, signal.SIGINT))
        run.send(signal.SIGINT)
        done = run.wait()
        assert done.code == 130, done
        assert done.err == "Stopped before anything was learned; nothing was saved.\n"
        assert (tmp_path / "model").read_bytes() == before
    os.close(writer)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r\n\r\n"])
def test_line_ends(train, tmp_path, end):
    text = GOOD.rstrip().replace(b"\n", b"\r\n" if b"\r" in end else b"\n") + end
    assert train("data.svm", text).code == 0
    learner = load(tmp_path / "model")
    assert learner.examples_ == 2 and set(learner._model.names()) == {"1", "2", "3"}


CASES = {
    # format: (first lines, a bad line, column, what is said)
    "NUL": ("svmlight", b"1 1:1\x00\n", 5, r"'1\x00' as a value"),
    "NUL for a label": ("svmlight", b"\x00\x00 1:1\n", 1, "NUL byte"),
    "NUL in a label, vw": ("vw", b"1\x00 |a x\n", 2, "NUL byte"),
    "NUL, csv": ("csv", b"1,a\x00b\n", 4, "NUL byte"),
    "no UTF-8": ("csv", b"1,caf\xe9\n", 6, "no UTF-8"),
    "no UTF-8, JSON": ("jsonl", b'{"label": 1, "x": "caf\xe9"}\n', 23, "no UTF-8"),
    "too large": ("svmlight", b"1 1:1e999\n", 5, "1e999"),
    "too large, vw": ("vw", b"1 |a x:1e999\n", 8, "1e999"),
    "not a number": ("svmlight", b"1 1:nan\n", 5, "nan"),
    "negative id": ("svmlight", b"1 -3:1\n", 3, "-3"),
    "huge id": ("svmlight", b"1 9223372036854775808:1\n", 3, "9223372036854775808"),
    "no value": ("svmlight", b"1 3\n", 3, "'3'"),
    "weight": ("vw", b"1 -2 |a x\n", 3, "-2"),
    "JSON": ("jsonl", b'{"label": 1, "x": }\n', 19, "expected"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_line_is_shown(train, tmp_path, case):
    format, bad, column, problem = CASES[case]
    good = {
        "svmlight": GOOD, "vw": b"1 |a x\n-1 |a y\n", "jsonl": b'{"label": 1, "x": 2}\n' * 2,
        "csv": b"1,2\n0,3\n",
    }[format]  # fmt: skip
    more = ["--format", format, *(["--label", "1"] if format == "csv" else [])]
    done = train("data", good + bad + good, *more)
    assert done.code == 1
    first, shown, mark = done.err.splitlines()[:3]
    assert first.startswith(f"error: {tmp_path / 'data'}, line 3, column {column}: ")
    assert problem in first
    assert mark.index("^") == 4 + len(bad[: column - 1].decode("utf-8", "backslashreplace"))
    assert shown.strip()
    assert "Traceback" not in done.err
    assert learned(tmp_path) == 2  # what came before
    skipped = train("data", good + bad + good, *more, "--on-bad-line", "skip")
    assert skipped.code == 3 and learned(tmp_path) == 4
    assert skipped.err.startswith("1 bad line left out:\n")


def test_what_is_shown_of_a_line_begins_and_ends_with_whole_characters(train):
    """A part of a long line: a cut character would be shown as \\xc3."""
    for pad in range(4):
        long = "a" * pad + "ü" * 80
        run = train("a.vw", f"1 |x {long} b:1.5x {long}\n".encode(), "--format", "vw")
        assert run.code == 1 and "ü b:1.5x " in run.err and "\\x" not in run.err


def test_feature_id_0_is_a_feature(train, tmp_path):
    assert train("data.svm", b"1 0:1 9223372036854775807:1\n").code == 0
    assert load(tmp_path / "model")._model.names() == ["0", "9223372036854775807"]


@pytest.mark.slow
@pytest.mark.parametrize(("format", "size"), [("svmlight", 100), ("csv", 10), ("vw", 10),
                                              ("jsonl", 10), ("bag", 10)])  # fmt: skip
def test_a_line_of_100_mb(commands, tmp_path, format, size):
    path = tmp_path / "data"
    word = {"svmlight": "7:1 ", "vw": "word ", "jsonl": '"word",', "csv": "word ", "bag": "word "}
    before, after = {
        "svmlight": ("1 ", "\n-1 2:1\n"), "vw": ("1 |a ", "\n-1 |a x\n"),
        "jsonl": ('{"label": 1, "l": [', '"x"]}\n{"label": -1, "l": ["x"]}\n'),
        "csv": ("label,t\n1,", "\n-1,x\n"), "bag": ("1\t", "\n-1\tx\n"),
    }[format]  # fmt: skip
    with path.open("w") as file:
        file.write(before)
        for _ in range(size):
            file.write(word[format] * (1_000_000 // len(word[format])))
        file.write(after)
    begin = time.monotonic()
    more = ["--text", "t"] if format == "csv" else []
    done = commands.run("train", path, "-m", tmp_path / "model", "--json", "--format", format,
                        *more)  # fmt: skip
    path.unlink()
    assert done.code == 0, done.err
    assert json.loads(done.out)["examples"] == 2
    assert time.monotonic() - begin < 600  # by the square of its length it would be hours
    assert json.loads(done.out)["memory_bytes"] < 4_000_000_000


def test_a_line_without_end_is_an_error(commands, tmp_path):
    path = tmp_path / "data.svm"
    with path.open("wb") as file:
        file.write(GOOD)
        file.truncate(400_000_000)  # a hole: nothing but NUL bytes
    done = commands.run("train", path, "-m", tmp_path / "model", "-q", "--format", "svmlight")
    assert done.code == 1
    assert done.err.startswith(f"error: {path}: a record longer than 256 MB.\n")
    assert learned(tmp_path) == 2


# -- compressed files that are damaged


def zstd(data):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


COMPRESSORS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}
MANY = b"".join(b"%d %d:1 %d:0.5\n" % (i % 2, 1 + i % 97, 100 + i * i % 89) for i in range(90_000))


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_cut_short(train, tmp_path, suffix):
    whole = COMPRESSORS[suffix](MANY)
    done = train(f"data.svm.{suffix}", whole[: len(whole) * 2 // 3])
    assert done.code == 1
    assert "ends in the middle" in done.err and f"data.svm.{suffix}: " in done.err
    before = learned(tmp_path)
    assert 0 < before < 90_000
    assert f"What came before it ({before:,} examples) is learned and saved" in done.err
    done = train(f"data.svm.{suffix}", whole, "--resume", tmp_path / "model")  # it was corrected
    assert done.code == 0, done.err
    parts = (tmp_path / "model").read_bytes()
    assert train(f"data.svm.{suffix}", whole).code == 0
    assert (tmp_path / "model").read_bytes() == parts


def test_a_small_file_cut_short(train, tmp_path):
    data = gzip.compress(MANY[:20_000])
    done = train("data.svm.gz", data[:-20])
    assert done.code == 1 and "ends in the middle of its gzip data" in done.err
    assert learned(tmp_path) > 1000


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_damaged(train, tmp_path, suffix):
    whole = bytearray(COMPRESSORS[suffix](MANY))
    middle = len(whole) // 2
    whole[middle : middle + 64] = bytes(64)
    done = train(f"data.svm.{suffix}", bytes(whole))
    assert done.code == 1 and "Traceback" not in done.err
    assert "damaged" in done.err or "line" in done.err
    assert f"data.svm.{suffix}" in done.err


# -- files that are not what they should be


def test_a_folder_or_glob_of_nothing(commands, tmp_path):
    (tmp_path / "folder").mkdir()
    for path, said in (("folder", "a folder without files"), ("*.svm", "no file has such a name"),
                       ("none.svm", "No such file")):  # fmt: skip
        done = commands.run("train", tmp_path / path, "-m", tmp_path / "model", "-q")
        assert done.code == 1 and f"{tmp_path / path}: {said}" in done.err, done.err
    assert not (tmp_path / "model").exists()


def test_standard_input_twice(commands, tmp_path):
    done = commands.run("train", "-", "-", "-m", tmp_path / "model")
    assert done.code == 1 and "given twice" in done.err


def test_another_format_half_way(train, tmp_path):
    first = b"".join(b"%d %d:1\n" % (i % 2, 1 + i % 7) for i in range(30_000))
    second = b"".join(b'{"label": %d, "x": 1}\n' % (i % 2) for i in range(100))
    done = train("data.svm", first + second)
    assert done.code == 1 and "line 30001, column " in done.err
    assert learned(tmp_path) == 30_000


def test_a_name_that_lies(train, tmp_path):
    done = train("data.csv", b'{"label": 1, "x": 2}\n{"label": 2, "x": 2}\n' * 10, "--label", "y")
    assert done.code == 1 and "data.csv" in done.err
    done = train("data.vw", GOOD * 10)
    assert done.code == 1 and "It looks like svmlight" in done.err


def test_a_json_array_and_old_line_ends(train):
    """Which no format here has."""
    for name in ("a.json", "a.jsonl"):
        run = train(name, b'[\n {"a": 1, "label": "x"},\n {"a": 2, "label": "y"}\n]')
        assert run.code == 1 and "a JSON array; expected an object on each line" in run.err
    run = train("a.csv", b"a,label\r1,x\r2,y\r")
    assert run.code == 1 and "lines end with CR alone; expected LF or CRLF" in run.err


def test_another_encoding(train):
    """Whether few lines or most are not UTF-8, the encoding is what is wrong, not the format."""
    plain, accent = b"good,a coffee\n", "bad,un café\n".encode("latin-1")
    for text, place in ((plain * 9 + accent, ", line 11, column 11: "), (plain + accent * 9, ": ")):
        done = train("data.csv", b"label,text\n" + text)
        assert done.code == 1 and f"data.csv{place}" in done.err
        assert "UTF-8" in done.err and "--encoding latin-1" in done.err
        assert train("data.csv", b"label,text\n" + text, "--encoding", "latin-1").code == 0


def test_a_column_that_is_not_there(train):
    done = train("data.csv", b"clicked,age\n1,30\n0,40\n", "--label", "clickd")
    assert done.code == 1 and "no column 'clickd'. Did you mean 'clicked'?" in done.err
    done = train("data.jsonl", b'{"clicked": 1, "age": 3}\n', "--label", "clickd")
    assert done.code == 1 and "Did you mean 'clicked'?" in done.err
    done = train("data.csv", b"clicked,age\n1,30\n0,40\n")
    assert done.code == 1 and "which column is the label?" in done.err


def test_a_column_that_the_model_reads_is_not_there(train, commands, tmp_path):
    assert train("data.csv", b"label,day\n1,2024-05-17\n0,2024-05-18\n", "--date", "day").code == 0
    (tmp_path / "new.csv").write_text("age\n30\n")
    done = commands.run("predict", tmp_path / "new.csv", "-m", tmp_path / "model")
    assert done.code == 1 and "there is no column 'day'" in done.err
    assert "asked for by --date, given here or to train the model" in done.err


def test_an_option_that_a_learner_needs(train):
    done = train("data.svm", GOOD, "--learner", "halving")
    assert done.code == 1 and "Halving needs the option 'concepts': --set concepts=…" in done.err
    assert "TypeError" not in done.err


def test_one_class_only(train, commands, tmp_path):
    assert train("data.svm", b"spam 1:1\nspam 2:1\n").code == 0
    done = commands.run("predict", tmp_path / "data.svm", "-m", tmp_path / "model")
    assert (done.code, done.out) == (0, "prediction\nspam\nspam\n")


def test_labels_of_mixed_type(train, tmp_path):
    done = train("data.svm", b"1 1:1\n-1 2:1\n\nspam 2:1\n1 3:1\n")
    assert done.code == 1
    assert f"{tmp_path / 'data.svm'}, line 4: labels of mixed type: found 'spam'" in done.err
    assert learned(tmp_path) == 2


def test_a_fraction_for_a_class(train, tmp_path):
    done = train("data.svm", b"1 1:1\n0.5 2:1\n", "--learner", "pa")
    assert done.code == 1 and "line 2: " in done.err and "LMS" in done.err


def test_a_word_for_a_number(train, tmp_path):
    done = train("data.svm", b"1 1:1\nspam 2:1\n", "--learner", "lms")
    assert done.code == 1 and "line 2, column 1: found 'spam' as the label" in done.err


# -- bad lines set aside


def test_exactly_the_bad_lines_are_set_aside(train, tmp_path):
    bad = [b"1 x:1", b"1 1:nan\xff\x00", b"-1 5", b"1 1:1e999"]
    lines = []
    for i in range(40_000):
        lines.append(b"%d %d:1" % (i % 2, 1 + i % 9))
        if i % 10_000 == 77:
            lines.append(bad[i // 10_000])
    aside = tmp_path / "aside"
    done = train("data.svm", b"\n".join(lines), "--quarantine", aside)
    assert done.code == 3
    assert aside.read_bytes() == b"\n".join(bad) + b"\n"
    assert done.err.startswith(f"4 bad lines left out, written to {aside}:\n")
    assert learned(tmp_path) == 40_000
    aside.unlink()
    done = train("data.svm", b"\n".join(lines), "--quarantine", aside, "--passes", "2")
    assert aside.read_bytes() == b"\n".join(bad) + b"\n"  # once, not in each pass
    assert done.err.startswith("4 bad lines")


def test_no_bad_lines_no_file(train, tmp_path):
    assert train("data.svm", GOOD, "--quarantine", tmp_path / "aside").code == 0
    assert not (tmp_path / "aside").exists()


# -- models that are none


def test_models_that_are_none(train, commands, tmp_path):
    assert train("data.svm", GOOD).code == 0
    good = (tmp_path / "model").read_bytes()
    head = struct.unpack("<Q", good[:8])[0]
    wrong = {
        "another version": good.replace(b'\\"format\\": 2', b'\\"format\\": 9'),
        "damaged": good[:-3] + b"???",
        "cut": good[: 8 + head + 4],
        "a pickle": pickle.dumps(PassiveAggressive()),
        "empty": b"",
        "text": GOOD,
    }
    for case, content in wrong.items():
        (tmp_path / "wrong").write_bytes(content)
        for command in (
            ["predict", tmp_path / "data.svm", "-m", tmp_path / "wrong"],
            ["train", tmp_path / "data.svm", "-m", tmp_path / "new", "--resume",
             tmp_path / "wrong"],
        ):  # fmt: skip
            done = commands.run(*command)
            assert done.code == 1, case
            assert str(tmp_path / "wrong") in done.err and "Traceback" not in done.err, case
            assert not (tmp_path / "new").exists()
    done = commands.run("predict", tmp_path / "data.svm", "-m", tmp_path / "none")
    assert done.code == 1 and f"{tmp_path / 'none'}: No such file" in done.err


def test_data_that_may_not_be_read(train, commands, tmp_path):
    assert train("data.svm", GOOD).code == 0
    (tmp_path / "data.svm").chmod(0)
    if os.access(tmp_path / "data.svm", os.R_OK):
        pytest.skip("the superuser may read everything")
    done = commands.run("predict", tmp_path / "data.svm", "-m", tmp_path / "model")
    assert done.code == 2 and f"'{tmp_path / 'data.svm'}' is not readable" in done.err


@pytest.mark.parametrize("learner", ["lms", "pa-regressor", "rls"])
def test_an_error_too_large_to_square_loses_nothing(train, commands, tmp_path, learner):
    """The loss before learning is infinite, and what was learned before is saved all the same."""
    content = b"y,a\n0,1\n1,2\n1,1e200\n"
    done = train("large.csv", content, "--label", "y", "--learner", learner)
    assert "JSON" not in done.err
    met = learned(tmp_path)
    assert met >= 2
    (tmp_path / "more.csv").write_text("y,a\n1,2\n")
    model = tmp_path / "model"
    again = commands.run("train", tmp_path / "more.csv", "--resume", model, "-m", model, "-q")
    assert again.code == 0, again.err
    assert load(model).examples_ > 2


def test_a_prediction_that_overflows_says_where(train, commands, tmp_path):
    prepared = "--learner", "perceptron", "--prepare", "polynomial(2)"
    assert train("good.csv", b"y,a\nu,1\nv,2\n", "--label", "y", *prepared).code == 0
    bad = tmp_path / "bad.csv"
    bad.write_text("y,a\nu,1\nv,1e200\n")
    for command in "predict", "evaluate":
        done = commands.run(command, bad, "-m", tmp_path / "model")
        assert done.code == 1
        assert "bad.csv, line 3: the score or the norm overflows" in done.err


def test_prepare_without_a_step(train):
    done = train("good.svm", GOOD, "--prepare", " ")
    assert done.code == 2
    assert "--prepare has no step" in done.err
