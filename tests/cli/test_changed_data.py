"""--resume knows its data by what was read of it: files that grow, change, come and go."""

import bz2
import gzip
import json
import lzma
import os

import pytest

from commands import Commands
from thresher import load


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


def lines(count, seed=0):
    """Of svmlight: no two of them alike."""
    return b"".join(
        b"%d %d:1 %d:0.%d\n" % (i % 3 % 2, 1 + i % 17, 20 + i * 7 % 90, 1 + seed + i)
        for i in range(count)
    )


BAD = b"1 1:x\n"
PACK = {
    "": lambda text: text,
    ".gz": lambda text: gzip.compress(text, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


class Place:
    """A folder with data and a model, and commands that train it."""

    def __init__(self, commands, folder):
        self.commands, self.folder, self.model = commands, folder, folder / "a.model"

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        return path

    def train(self, *data, stdin=os.devnull, more=()):
        known = ("--resume", self.model) if self.model.exists() else PA
        return self.commands.run(
            "train", *data, "-m", self.model, "--json", *known, *more, stdin=stdin,
            folder=self.folder,
        )  # fmt: skip

    def learns(self, *data, **options):
        """How many examples were learned by a run that went well."""
        before = self.count()
        done = self.train(*data, **options)
        assert done.code == 0, done.err
        assert ("this run is complete" in done.err) == (self.count() == before)
        return self.count() - before

    def refuses(self, *data, **options):
        """What was said of data that has changed; the model is as before."""
        before = self.model.read_bytes()
        done = self.train(*data, **options)
        assert done.code == 1 and done.out == "", done
        assert self.model.read_bytes() == before
        assert "leave out --resume" in done.err
        return done.err

    def stop(self, name, text, *data, **options):
        """Learn this text, and stop behind it: there is a line that cannot be used."""
        packed = next(suffix for suffix in reversed(PACK) if name.endswith(suffix))
        self.write(name, PACK[packed](text + BAD))
        done = self.train(*(data or (name,)), **options)
        assert done.code == 1 and "Correct the input" in done.err

    def count(self):
        return load(self.model).examples_ if self.model.exists() else 0


@pytest.fixture
def place(commands, tmp_path):
    return Place(commands, tmp_path)


@pytest.mark.parametrize("suffix", PACK)
def test_a_file_that_is_done(place, suffix):
    name, pack = f"a.svm{suffix}", PACK[suffix]
    place.write(name, pack(lines(50)))
    assert place.learns(name) == 50
    assert place.learns(name) == 0
    place.write(name, pack(lines(50)) + pack(lines(7, seed=100)))
    assert place.learns(name) == 7
    assert place.learns(name) == 0
    place.write(name, pack(lines(50)) + pack(lines(7, seed=100)) + pack(lines(2, seed=200)))
    assert place.learns(name) == 2
    for other in (lines(59, seed=1), lines(3), b"", lines(50)[:-1] + b"7\n" + lines(20, seed=99)):
        place.write(name, pack(other))
        told = place.refuses(name)
        assert told.startswith(f"error: {name}: changed since this model has learned from it (")
        assert "59 lines of it were read before" in told
    place.write(f"other{suffix}", pack(lines(50)))
    assert place.learns(f"other{suffix}", more=("--format", "svmlight")) == 50


@pytest.mark.parametrize("suffix", PACK)
def test_a_file_in_which_the_run_was_stopped(place, commands, suffix):
    """What lies behind may change: lines corrected, lines appended; it ends as if never stopped."""
    name, pack = f"a.svm{suffix}", PACK[suffix]
    place.stop(name, lines(40))
    for other in (lines(60, seed=1), lines(39), lines(40)[:-2] + b"7\n" + lines(20)):
        place.write(name, pack(other))
        assert "changed since" in place.refuses(name)
    place.write(name, pack(lines(40) + lines(30, seed=500)))
    assert place.learns(name) == 30
    done = commands.run("train", name, *PA, "-m", "whole", "-q", folder=place.folder)
    assert done.code == 0
    assert (place.folder / "whole").read_bytes() == place.model.read_bytes()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_last_line_without_an_end(place, end):
    text = lines(3) + b"1 5:0.5"
    place.write("a.svm", text)
    assert place.learns("a.svm") == 4
    place.write("a.svm", text + b"5\n1 1:1\n")
    assert "its last line, which had no line break, goes on now" in place.refuses("a.svm")
    place.write("a.svm", text + end)
    assert place.learns("a.svm") == 0
    place.write("a.svm", text + end + b"1 1:1\n" + BAD)
    done = place.train("a.svm")
    assert done.code == 1 and "a.svm, line 6, column 5: found 'x'" in done.err
    assert place.count() == 5


def test_lines_of_records_of_several_lines_are_counted(place):
    """After a stop, an error is told in the line where it stands."""
    text = b'label,t\n1,"a\n\nb"\n0,"c\nd"\n'
    place.write("a.csv", text + b"1\n")
    told = place.train("a.csv").err
    assert "a.csv, line 7, " in told
    place.write("a.csv", text + b'1,"e\nf"\n1\n')
    assert "a.csv, line 9, " in place.train("a.csv").err


def test_several_passes(place):
    place.write("a.svm", lines(20))
    place.write("b.svm", lines(10, seed=50))
    assert place.learns("a.svm", "b.svm", more=("--passes", "2")) == 60
    assert place.learns("a.svm", "b.svm", more=("--passes", "2")) == 0
    assert place.learns("a.svm", "b.svm", more=("--passes", "3")) == 30
    place.write("a.svm", lines(20, seed=1))
    assert "a.svm: changed" in place.refuses("a.svm", "b.svm", more=("--passes", "4"))
    place.write("a.svm", lines(20) + lines(3, seed=99))
    assert place.learns("a.svm", "b.svm", more=("--passes", "3")) == 9  # the new ones, thrice
    place.write("b.svm", b"")
    assert "b.svm: changed" in place.refuses("a.svm", "b.svm", more=("--passes", "4"))


def test_files_come_and_go(place):
    for number in (1, 2):
        place.write(f"days/{number}.svm", lines(10, seed=100 * number))
    assert place.learns("days") == 20
    assert place.learns("days") == 0
    place.write("days/3.svm", lines(5, seed=300))
    assert place.learns("days") == 5
    os.remove(place.folder / "days/1.svm")
    assert place.learns("days") == 0
    place.write("days/0.svm", b"")
    assert place.learns("days") == 0
    place.write("days/0.svm", lines(2, seed=400))
    place.write("days/2.svm", lines(10, seed=200) + lines(3, seed=500))
    assert place.learns("days/*.svm") == 5
    place.write("days/3.svm", lines(6, seed=600))
    assert "days/3.svm: changed" in place.refuses("days")
    place.write("new.svm", lines(4))
    assert place.learns("new.svm") == 4


def test_files_come_and_go_while_a_run_is_stopped(place, commands):
    place.write("days/1.svm", lines(10))
    place.write("days/3.svm", lines(10, seed=300))
    place.stop("days/2.svm", lines(5, seed=200), "days")
    place.write("days/0.svm", lines(1))
    told = place.refuses("days")
    assert "stopped in days/2.svm, line 6, among 3 files; found others (with days/0.svm)" in told
    os.remove(place.folder / "days/0.svm")
    os.rename(place.folder / "days/1.svm", place.folder / "1.svm")
    assert "found others (without days/1.svm)" in place.refuses("days")
    os.rename(place.folder / "1.svm", place.folder / "days/1.svm")
    names = [f"days/{number}.svm" for number in (2, 1, 3)]
    assert "the same in another order" in place.refuses(*names)
    place.write("days/2.svm", lines(5, seed=200))
    place.write("days/1.svm", lines(10, seed=1))
    assert "days/1.svm: changed" in place.refuses("days")
    place.write("days/1.svm", lines(10))
    os.remove(place.folder / "days/3.svm")  # not read yet
    place.write("days/4.svm", lines(7, seed=400))
    assert place.learns("days") == 7
    done = commands.run("train", "days", *PA, "-m", "whole", "-q", folder=place.folder)
    assert done.code == 0
    assert (place.folder / "whole").read_bytes() == place.model.read_bytes()


PA = ("--learner", "pa")  # what was read matters here, not who learns
READ = ("--format", "svmlight")


@pytest.mark.parametrize("suffix", PACK)
def test_pipes(place, suffix):
    """A text that came before is not learned again; another one is new once a run is done."""

    def sent(text):
        return {"stdin": place.write("sent", PACK[suffix](text)), "more": READ}

    assert place.learns("-", **sent(lines(50))) == 50
    assert place.learns("-", **sent(lines(50))) == 0
    assert place.learns("-", **sent(lines(50) + lines(4, seed=99))) == 4
    assert place.learns("-", **sent(lines(50))) == 50  # shorter than before: another text
    assert place.learns("-", **sent(lines(30, seed=7))) == 30
    done = place.train("-", **sent(lines(30, seed=8) + BAD))
    assert done.code == 1 and "(30 examples)" in done.err
    for other in (lines(60, seed=1), lines(20, seed=8), b""):
        told = place.refuses("-", **sent(other))
        assert told.startswith("error: standard input: not the text that this model has learned")
    assert place.learns("-", **sent(lines(30, seed=8) + lines(6))) == 6


def test_a_long_text_through_a_pipe(place):
    """Longer than what tells its beginning: it is compared while it goes by."""
    first = lines(200_000)
    changed = bytearray(first)
    changed[1_000_000] ^= 1
    assert place.learns("-", stdin=place.write("sent", first), more=READ) == 200_000
    told = place.refuses("-", stdin=place.write("sent", bytes(changed) + lines(9)), more=READ)
    assert "those bytes are not the same" in told
    assert place.learns("-", stdin=place.write("sent", first + lines(9)), more=READ) == 9


def test_a_named_pipe(place):
    """Its name says as little as that of standard input."""
    fifo = place.folder / "fifo"
    os.mkfifo(fifo)

    def through(text):
        known = ("--resume", place.model) if place.model.exists() else PA
        run = place.commands.start("train", fifo, "-m", place.model, "-q", *READ, *known)
        fifo.write_bytes(text)
        done = run.wait()
        assert done.code == 0, done.err
        return place.count()

    assert [through(lines(9)), through(lines(9)), through(lines(5, seed=3))] == [9, 9, 14]


def test_parquet(place):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def table(rows):
        return pyarrow.table({"label": [i % 2 for i in rows], "x": [float(i) for i in rows]})

    path = place.folder / "a.parquet"
    parquet.write_table(table(range(20)), path)
    assert place.learns(path) == 20
    assert place.learns(path) == 0
    parquet.write_table(table(range(25)), path)
    assert "changed since" in place.refuses(path)
    parquet.write_table(table(range(20, 25)), place.folder / "b.parquet")
    assert place.learns(place.folder / "b.parquet") == 5


def test_a_file_that_is_replaced_while_it_is_read(place):
    """What counts is what was read, not what has the name when the model is saved."""
    text, other = lines(300), lines(300, seed=1)
    fifo, path = place.folder / "fifo", place.write("a.svm", text)
    os.mkfifo(fifo)
    run = place.commands.start("train", path, fifo, *PA, "-m", place.model, "-q", *READ)
    writer = fifo.open("wb")  # once this opens, a.svm has been read
    os.rename(path, place.folder / "old")
    path.write_bytes(other)
    writer.close()
    assert run.wait().code == 0
    assert place.count() == 300
    assert "a.svm: changed" in place.refuses(path)
    os.rename(place.folder / "old", path)
    assert place.learns(path) == 0


def test_a_race_that_goes_on(place):
    name = place.write("a.svm", lines(60))
    assert place.commands.run("race", name, "-m", place.model, "-q").code == 0
    assert place.learns(name) == 0
    name.write_bytes(lines(60) + lines(5, seed=77))
    assert place.learns(name) == 5
    name.write_bytes(lines(66, seed=1))
    assert "changed since" in place.refuses(name)


def test_a_model_that_remembers_nonsense(place):
    """Whatever stands in the file of a model, it is refused with its name."""
    name = place.write("a.svm", lines(9))
    assert place.learns(name) == 9
    learner = load(place.model)
    good = json.dumps(learner.provenance_["run"])
    for key, odd in (
        ("files", 5), ("files", [1]), ("position", {"file": -1}), ("seen", []),
        ("seen", {"0": 7}), ("seen", {"x": {}}), ("seen", {"0": {"bytes": -1}}),
        ("starts", {"0": 3}), ("starts", {"0": ["a", "b"]}), ("scores", [[1]]), ("number", "1"),
        ("scores", [["a", "b", "c"]]), ("aside", [1, 2]), ("new", 1), ("examples", -4),
    ):  # fmt: skip
        learner.provenance_["run"] = json.loads(good) | {key: odd}
        learner.save(place.model)
        done = place.train(name)
        assert done.code == 1 and str(place.model) in done.err, (key, odd, done)
        assert "--debug" not in done.err
