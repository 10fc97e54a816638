"""`thresher convert`, as a user runs it."""

import gzip
import itertools
import json
import os
import sys

import pytest

import commands

MAIN = [sys.executable, "-c", "from thresher.cli import main; main()"]

VW = """\
1 2 'first|user age:30 |ad color=red
-1 |user age:41.5 |ad color=blue
1 |user age:7
"""
SVM = "1 3:0.5 7:1\n-1 2:1\n"


def run(*arguments, **options):
    return commands.run("convert", *arguments, **options)


def converted(tmp_path, text, name, to, *arguments):
    (tmp_path / name).write_text(text)
    got = run(tmp_path / name, tmp_path / to, *arguments)
    assert got.returncode == 0, got.stderr
    return (tmp_path / to).read_text()


def test_vw_to_csv(tmp_path):
    assert converted(tmp_path, VW, "a.vw", "a.csv") == (
        "label,weight,user^age,ad^color\n1,2,30,red\n-1,1,41.5,blue\n1,1,7,\n"
    )


def test_vw_to_jsonl(tmp_path):
    (tmp_path / "a.vw").write_text(VW)
    got = run(tmp_path / "a.vw", tmp_path / "a.jsonl")
    assert "1 tag left out: only vw holds tags\n" in got.stderr
    assert f"3 examples to {tmp_path / 'a.jsonl'} in " in got.stderr
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()] == [
        {"label": 1, "weight": 2, "user^age": 30, "ad^color": "red"},
        {"label": -1, "user^age": 41.5, "ad^color": "blue"},
        {"label": 1, "user^age": 7},
    ]


def test_csv_to_vw_keeps_what_columns_are_for(tmp_path):
    csv = "y,w,age,color,zip,note\nspam,2,30,dark red,12345,Win now\nham,1,,blue,,\n"
    arguments = ["--label", "y", "--weight", "w", "--categorical", "zip", "--text", "note"]
    assert converted(tmp_path, csv, "a.csv", "a.vw", "--escape", *arguments) == (
        "spam 2 | age:30 color=dark%20red zip=12345 note=win note=now\nham | color=blue\n"
    )


def test_names_that_do_not_fit(tmp_path):
    (tmp_path / "a.csv").write_text("label,color\n1,dark red\n")
    got = run(tmp_path / "a.csv", tmp_path / "a.vw")
    assert got.returncode == 1
    assert got.stderr == (
        f"error: {tmp_path}/a.vw: example 1: found ' ' in the feature 'color=dark red'; vw cannot "
        "hold it: use jsonl, or escape it\n"
    )
    assert os.listdir(tmp_path) == ["a.csv"]


def test_several_files_and_compression(tmp_path):
    (tmp_path / "a.svm").write_text(SVM)
    (tmp_path / "b.svm.gz").write_bytes(gzip.compress(b"1 9:2\n"))
    got = run(tmp_path / "a.svm", tmp_path / "b.svm.gz", tmp_path / "all.bag.gz")
    assert got.returncode == 1
    assert "found 3=0.5; bag holds the value 1" in got.stderr
    got = run(tmp_path / "a.svm", tmp_path / "b.svm.gz", tmp_path / "all.vw.gz")
    assert got.returncode == 0
    assert (
        gzip.decompress((tmp_path / "all.vw.gz").read_bytes()) == b"1 | 3:0.5 7\n-1 | 2\n1 | 9:2\n"
    )


def test_pipes():
    got = run("-", "-", "--format", "svmlight", "--to", "vw", "-q", input=SVM)
    assert (got.returncode, got.stdout, got.stderr) == (0, "1 | 3:0.5 7\n-1 | 2\n", "")


def test_a_pipe_to_a_table_needs_columns():
    got = run("-", "-", "--to", "csv", input=SVM)
    assert got.returncode == 2
    assert "standard input cannot be read twice: give --columns" in " ".join(got.stderr.split())
    got = run("-", "-", "--to", "csv", "--columns", "2,3,7", input=SVM)
    assert (got.returncode, got.stdout) == (0, "label,2,3,7\n1,,0.5,1\n-1,1,,\n")


def test_unlabelled_examples(tmp_path):
    assert converted(tmp_path, "| a\n1 | b\n", "a.vw", "a.bag") == "\ta\n1\tb\n"


def test_other_names_of_label_and_weight(tmp_path):
    text = converted(tmp_path, VW, "a.vw", "a.tsv", "--label-as", "y", "--weight-as", "w")
    assert text.startswith("y\tw\tuser^age\tad^color\n1\t2\t30\tred\n")


def test_vocabulary(tmp_path):
    names = tmp_path / "names"
    assert (
        converted(tmp_path, "1 | a b:2\n", "a.vw", "a.svm", "--vocabulary", names) == "1 1:1 2:2\n"
    )
    assert names.read_text() == "a\nb\n"


def test_in_place(tmp_path):
    """The input is read to its end before the output takes its name."""
    assert converted(tmp_path, SVM * 1000, "a.svm", "a.svm") == SVM * 1000


def test_bad_lines(tmp_path):
    (tmp_path / "a.svm").write_text("1 3:0.5\n1 x\n-1 2:1\n")
    got = run(tmp_path / "a.svm", tmp_path / "a.csv")
    assert got.returncode == 1
    assert "a.svm, line 2, column 3: found 'x'" in got.stderr
    assert os.listdir(tmp_path) == ["a.svm"]
    got = run(tmp_path / "a.svm", tmp_path / "a.csv", "--on-bad-line", "skip")
    assert got.returncode == 3
    assert "1 bad line left out:\n" in got.stderr
    assert "a.svm, line 2, column 3: found 'x'" in got.stderr
    assert (tmp_path / "a.csv").read_text() == "label,3,2\n1,0.5,\n-1,,1\n"
    got = run(tmp_path / "a.svm", tmp_path / "b.csv", "--quarantine", tmp_path / "bad")
    assert got.returncode == 3
    assert (tmp_path / "bad").read_text() == "1 x\n"


def test_json(tmp_path):
    (tmp_path / "a.vw").write_text(VW)
    got = run(tmp_path / "a.vw", tmp_path / "a.jsonl", "--json")
    about = json.loads(got.stdout)
    assert about.pop("seconds") > 0
    assert about == {"examples": 3, "bad_lines": 0, "tags_left_out": 1}
    assert got.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["a.svm"], 2, "found one file; expected IN... OUT"),
        (["a.svm", "-", "--to", "vw", "--json"], 2, "--json needs standard output"),
        (["a.svm", "b"], 1, "b: the name does not tell a format"),
        (["none.svm", "b.vw"], 1, "none.svm: No such file or directory"),
        (["a.svm", "none/b.vw"], 1, "none/b.vw: No such file or directory"),
        (["a.svm", "b.svm", "--columns", "a"], 1, "columns is for csv, tsv, parquet, arrow"),
        (["a.svm", "b.csv", "--columns", "3"], 1, "example 1: found the feature '7' without"),
        (["a.svm", "b.svm", "--cross", "a"], 1, "cross takes two columns or more"),
    ],
)
def test_wrong_use(tmp_path, arguments, code, says):
    (tmp_path / "a.svm").write_text(SVM)
    got = run(*arguments, cwd=tmp_path)
    assert got.returncode == code
    assert says in " ".join(got.stderr.split())
    assert "Traceback" not in got.stderr
    assert os.listdir(tmp_path) == ["a.svm"]


@pytest.mark.parametrize(
    "chain", list(itertools.permutations(["vw", "csv", "jsonl"])), ids="-".join
)
def test_there_and_back(tmp_path, chain):
    """Through other formats and back: the same file, but for the tag that only vw holds."""
    text = VW.replace(" 'first", " ")
    first = tmp_path / "0.vw"
    first.write_text(text)
    assert run(first, tmp_path / "normal.vw").returncode == 0
    path = first
    for i, name in enumerate([*chain, "vw"], 1):
        arguments = ["--weight", "weight"] if path.suffix in (".csv", ".jsonl") else []
        got = run(path, tmp_path / f"{i}.{name}", *arguments)
        assert got.returncode == 0, got.stderr
        path = tmp_path / f"{i}.{name}"
    assert path.read_text() == (tmp_path / "normal.vw").read_text()
