"""What is not an error and may still be wrong is said, once."""

import re
from warnings import catch_warnings

import numpy as np
import pytest

import thresher
from commands import Commands


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory, commands):
    folder = tmp_path_factory.mktemp("doubts")
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal():.3f},{rng.normal():.3f},{rng.choice(['u', 'v'])}" for _ in range(300)]
    rows = [f"{row},{'yes' if float(row.split(',')[0]) > 0 else 'no'}" for row in rows]
    (folder / "train.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")
    done = commands.run("train", folder / "train.csv", "--learner", "pa", "-m", folder / "model")
    assert done.code == 0 and "warning" not in done.err, done.err
    return folder


def warnings(done):
    assert done.code in (0, 3), done.err
    return [line for line in done.err.splitlines() if line.startswith("warning")]


def test_features_that_are_not_known(commands, folder):
    (folder / "other.csv").write_text("aa,bb,label\n1,2,yes\n3,4,no\n")
    (folder / "other.svm").write_text("yes 17:1\nno 23:1\n")
    for name, found in (("other.csv", "aa, bb"), ("other.svm", "17, 23")):
        for command in ("predict", "evaluate"):
            (told,) = warnings(commands.run(command, folder / name, "-m", folder / "model"))
            assert "knows none of the features" in told and found in told and "a, b, c=" in told
            quiet = commands.run(command, folder / name, "-m", folder / "model", "-q")
            assert not warnings(quiet)
    (folder / "some.csv").write_text("a,z,label\n1,2,yes\n3,4,no\n")
    (told,) = warnings(commands.run("evaluate", folder / "some.csv", "-m", folder / "model"))
    assert "learned from b, c, of which there is no column" in told


def test_labels_that_are_not_known(commands, folder):
    (folder / "labels.csv").write_text("a,b,c,label\n1,2,u,ja\n3,4,v,nein\n")
    (told,) = warnings(commands.run("evaluate", folder / "labels.csv", "-m", folder / "model"))
    assert "none of the labels" in told and "it knows no, yes" in told and "--label" in told


def test_namespaces_that_are_not_there(commands, folder):
    (folder / "a.vw").write_text("1 |user x |ad y\n-1 |user z |ad y\n" * 10)
    (folder / "a.jsonl").write_text('{"label": 1, "user": "x"}\n{"label": 0, "user": "z"}\n' * 10)
    train = ("train", "-m", folder / "m", "--learner", "pa")
    (told,) = warnings(commands.run(*train, folder / "a.vw", "--cross", "usr,ad"))
    assert "--cross names 'usr'" in told and "Did you mean 'user'" in told
    (told,) = warnings(commands.run(*train, folder / "a.jsonl", "--text", "usr"))
    assert "--text names 'usr'" in told
    assert not warnings(commands.run(*train, folder / "a.vw", "--cross", "user,ad"))
    race = commands.run("race", folder / "a.vw", "--cross", "usr,ad", "--learners", "pa")
    assert any("usr" in told for told in warnings(race))


def test_a_text_in_a_column_of_numbers(commands, folder):
    text = (folder / "train.csv").read_text().replace("\n", "\n?,x,u,no\n", 1)
    (folder / "mixed.csv").write_text(text)
    for more in (("--learner", "pa"), ("--learner", "pa", "--prepare", "standard"), ()):  # auto too
        done = commands.run("train", folder / "mixed.csv", "-m", folder / "m", *more)
        (told,) = warnings(done)
        assert "column 'b' holds numbers, and also x" in told and "--categorical b" in told
    assert "1 missing value, counted as 0; --missing" in done.out


def test_worse_than_a_constant(commands, folder):
    rng = np.random.default_rng(1)
    lines = [f"{'a' if rng.random() < 0.9 else 'b'} 1:{rng.normal():.3f}" for _ in range(500)]
    (folder / "noise.svm").write_text("\n".join(lines) + "\n")
    train = ("train", folder / "noise.svm", "-m", folder / "m", "--learner")
    (told,) = warnings(commands.run(*train, "perceptron", "--set", "average=false"))
    assert "above that of always saying the most frequent label" in told


def test_sorted_labels_and_numbers_as_labels_in_a_race(commands, folder):
    rng = np.random.default_rng(2)
    lines = [f"{i // 100} 1:{rng.normal():.3f}" for i in range(300)]
    (folder / "sorted.svm").write_text("\n".join(lines) + "\n")
    for command in (("train", "--learner", "pa"), ("train",), ("race",)):
        done = commands.run(*command, folder / "sorted.svm", "-m", folder / "m")
        assert "--shuffle-buffer" in done.err, done.err
    lines = [f"{rng.integers(0, 90)} 1:{rng.normal():.3f}" for _ in range(400)]
    (folder / "numbers.svm").write_text("\n".join(lines) + "\n")
    for command in (("train", "--learner", "pa"), ("train",), ("race",)):
        done = commands.run(*command, folder / "numbers.svm", "-m", folder / "m")
        assert done.err.count("is learned as a class of its own") == 1, done.err
    done = commands.run("train", folder / "numbers.svm", "-m", folder / "m", "--learner", "pa")
    said, end = done.err.index("a class of its own"), done.err.rindex("%")
    assert said < end  # before the last line of the table, not after a long run


def test_numbers_from_a_pipe_are_not_taken_for_classes(commands, folder):
    """Thousands of classes would take all memory; what a file shows in advance, a pipe does not."""
    rows = [f"{i % 7},{1000 + i}" for i in range(300)]
    table = folder / "numbers.csv"
    table.write_text("\n".join(["a,label", *rows]) + "\n")
    for command in (("train", "-m", folder / "numbers"), ("race",)):
        done = commands.run(*command, "-", stdin=table)
        assert done.code == 2 and "--task regress" in done.err and "--task classify" in done.err
    assert not (folder / "numbers").exists()
    done = commands.run("train", "-", "-m", folder / "numbers", "--task", "regress", stdin=table)
    assert done.code == 0, done.err
    done = commands.run("race", table)
    assert done.code == 0 and "which it learns to predict" in done.err


def test_columns_that_want_an_option(commands, folder):
    rows = [f"2024-01-{i % 28 + 1:02d},u{i},{i},{i % 3},{'ab'[i % 2]}" for i in range(150)]
    (folder / "ids.csv").write_text("\n".join(["day,user,row,x,label", *rows]))
    train = ("train", folder / "ids.csv", "-m", folder / "m")
    told = warnings(commands.run(*train, "--learner", "pa"))
    assert [line.rsplit("add: ")[-1] for line in told[:3]] == [
        "--date day", "--ignore user", "--ignore row",
    ]  # fmt: skip
    done = commands.run(*train)
    assert "as with --date day" in done.err and "--ignore row" in done.err
    shown = commands.run("inspect", folder / "m", "--json")
    assert '"date": ["day"]' in shown.out and '"ignore"' not in shown.out
    roles = ("--date", "day", "--ignore", "user", "--ignore", "row")
    assert not any("add:" in line for line in warnings(commands.run(*train, *roles)))


def test_texts_of_a_pipe(commands, folder):
    rows = [f'"{i} is a book, and a joy to read",{"ab"[i % 2]}' for i in range(50)]
    (folder / "reviews.csv").write_text("\n".join(["review,label", *rows]))
    pipe = {"stdin": folder / "reviews.csv"}
    train = ("train", "-", "-m", folder / "m", "--learner", "pa")
    told = warnings(commands.run(*train, **pipe))
    assert len(told) >= 1 and "--text review" in told[0]
    told = warnings(commands.run(*train, "--text", "review", **pipe))
    assert not any("--text" in line for line in told)


def test_one_label(commands, folder):
    (folder / "one.csv").write_text("a,label\n" + "1,yes\n2,yes\n" * 100)
    train = ("train", folder / "one.csv", "-m", folder / "m", "--learner", "pa")
    (told,) = warnings(commands.run(*train))
    assert "same label, yes" in told


def test_columns_that_were_renamed(commands, folder):
    """Half of the features are known; the other half would silently count as 0."""
    text = (folder / "train.csv").read_text()
    (folder / "renamed.csv").write_text(text.replace("a,b,c,label", "a,bb,c,label"))
    for command in ("predict", "evaluate"):
        done = commands.run(command, folder / "renamed.csv", "-m", folder / "model")
        (told,) = warnings(done)
        assert "learned from b, of which there is no column" in told and "mean 'bb'" in told


def test_keys_and_namespaces_that_were_renamed(commands, tmp_path):
    """The model still knows the others, so it answers, and worse than it did."""
    events = "".join(
        f'{{"amount": {i % 7}, "user": {{"device": "d{i % 2}"}}, "y": {i % 2}}}\n'
        for i in range(120)
    )
    lines = "".join(f"{i % 2} |user u{i % 5} |words w{i % 9} w{i % 4}\n" for i in range(120))
    for kind, text, old, new in (
        ("jsonl", events, '"amount"', '"betrag"'),
        ("jsonl", events, '"user"', '"usr"'),
        ("vw", lines, "|user", "|usr"),
    ):
        (tmp_path / f"a.{kind}").write_text(text)
        (tmp_path / f"b.{kind}").write_text(text.replace(old, new))
        learn = (tmp_path / f"a.{kind}", "--learner", "pa", "-q", "-m")
        trained = ("train", *learn, tmp_path / f"m.{kind}")
        streamed = ("consume", "--until-end", *learn, tmp_path / f"s.{kind}")
        label = ("--label", "y") if kind == "jsonl" else ()
        for made in (trained, streamed):
            done = commands.run(*made, *label)
            assert done.code == 0, done.err
            for command in ("predict", "evaluate"):
                ask = (command, "-m", made[-1])
                (told,) = warnings(commands.run(*ask, tmp_path / f"b.{kind}"))
                names = (name.strip('"|') for name in (new, old))
                assert all(re.search(rf"(about|from) {name}\b", told) for name in names)
                assert not warnings(commands.run(*ask, tmp_path / f"a.{kind}"))
                (tmp_path / f"few.{kind}").write_text("".join(text.splitlines(True)[:3]))
                assert not warnings(commands.run(*ask, tmp_path / f"few.{kind}"))


def test_what_learned_from_dicts_or_tables_is_asked_about_files(commands, tmp_path):
    """Such a model does not say how its examples are read."""
    model = thresher.Perceptron()
    for i in range(40):
        model.learn_one({"a": i % 2, "user": "x"}, i % 2)
    model.save(tmp_path / "m")
    (tmp_path / "a.jsonl").write_text('{"b": 1, "user": "x"}\n' * 30)
    done = commands.run("predict", tmp_path / "a.jsonl", "-m", tmp_path / "m")
    (told,) = warnings(done)
    assert done.code == 0 and "knows nothing about b" in told and "learned from a," in told


def test_predict_file_warns_of_what_predict_says(folder, tmp_path):
    model = thresher.load(folder / "model")
    text = (folder / "train.csv").read_text()
    for name, changed, said in (
        ("renamed", text.replace("a,b,c,label", "a,bb,c,label"), "from b, of which .* no column"),
        ("kinds", 'a,b,c,label\n1,"2,5",7,yes\n3,"4,5",8,no\n', "anew and give categorical='c'"),
        ("other", "x,label\n1,yes\n2,no\n", "none of the features that were found, such as x"),
    ):
        (tmp_path / f"{name}.csv").write_text(changed)
        with pytest.warns(UserWarning, match=said) as told:
            assert len(model.predict_file(tmp_path / f"{name}.csv")) > 1
        assert {warning.filename for warning in told} == {__file__}
    with catch_warnings(action="error"):
        model.predict_file(folder / "train.csv")


def test_a_word_among_prices_is_a_bad_line_and_no_class(commands, tmp_path):
    prices = [str(1000 + 37 * i) for i in range(300)]
    prices[200] = "on request"
    rows = [f"{i % 13},{price}" for i, price in enumerate(prices)]
    (tmp_path / "a.csv").write_text("\n".join(["size,price", *rows]) + "\n")
    train = ("train", tmp_path / "a.csv", "--label", "price", "-m", tmp_path / "m")
    done = commands.run(*train, "--on-bad-line", "skip")
    assert done.code == 3 and "The labels are numbers" in done.err
    assert "found 'on request' as the label; expected a finite number" in done.err


def test_numbers_with_a_comma(commands, tmp_path):
    rows = [f"{i % 7};{i % 11},{i % 10};{i % 7 + i % 11},5" for i in range(300)]
    (tmp_path / "a.csv").write_text("\n".join(["a;b;price", *rows]) + "\n")
    train = ("train", "-m", tmp_path / "m", "--label", "price")
    done = commands.run(*train, tmp_path / "a.csv")
    assert "numbers (0.5, 2.5, 4.5" in done.err and not warnings(done)
    assert commands.run("inspect", tmp_path / "m", "--all").out.count("\n") == 4  # a, b, constant
    quoted = [",".join(f'"{cell}"' for cell in row.split(";")) for row in rows]
    (tmp_path / "b.csv").write_text("\n".join(["a,b,price", *quoted]) + "\n")
    for more in ((), ("--learner", "pa")):
        told = warnings(commands.run(*train, tmp_path / "b.csv", *more))
        assert "column 'b' holds numbers that are read as texts (0,0, …)" in told[0]
        assert any("labels such as 0,5 are learned as names" in line for line in told)


def test_columns_of_a_pipe(commands, tmp_path):
    """Which are looked at when the first examples have come."""
    lines = [f'{{"id": {i}, "day": "2024-01-{i % 28 + 1:02}", "x": {i % 3}, "label": {i % 2}}}\n'
             for i in range(200)]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(lines))
    for command in (("train", "-m", tmp_path / "m"), ("race", "--learners", "pa,arow")):
        done = commands.run(*command, "-", stdin=tmp_path / "a.jsonl")
        told = [line.rsplit("add: ")[-1] for line in warnings(done) if "add: " in line]
        assert told == ["--date day", "--ignore id"]
    more = ("--date", "day", "--ignore", "id")
    done = commands.run("train", "-m", tmp_path / "m", "-", *more, stdin=tmp_path / "a.jsonl")
    assert "add: " not in done.err


def test_columns_of_another_kind(commands, folder):
    (folder / "kinds.csv").write_text('a,b,c,label\n1,"2,5",7,yes\n3,"4,5",8,no\n')
    for command in ("predict", "evaluate"):
        texts, numbers = warnings(
            commands.run(command, folder / "kinds.csv", "-m", folder / "model")
        )
        assert (
            "column 'b' held numbers where the model learned, and here texts, such as 2,5" in texts
        )
        assert "column 'c' held texts where the model learned, and here numbers" in numbers
    done = commands.run("predict", folder / "train.csv", "-m", folder / "model")
    assert not warnings(done)
