"""Killed, interrupted, out of disk: a model file is whole or not there, and training goes on."""

import errno
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time

import pytest

from commands import Commands
from faults import Fault, built
from thresher import load
from thresher.cli import thresher
from waiting import wait_until


@pytest.fixture(scope="module")
def commands():
    with Commands() as started:
        yield started


def write_svm(path, n, seed=0):
    rng = random.Random(seed)
    with path.open("w") as file:
        for i in range(n):
            ids = sorted(rng.sample(range(1, 3000), 12))
            label = rng.choice([1, 2, 3][: 1 + min(2, i // 50)])
            file.write(f"{label} {' '.join(f'{j}:{rng.random():.3f}' for j in ids)}\n")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_svm(tmp_path_factory.mktemp("data") / "data.svm", 6000)


def left_behind(folder):
    return [name for name in os.listdir(folder) if name.endswith(".part")]


def train(commands, data, model, *more):
    done = commands.run("train", data, "-m", model, "-q", *more)
    assert done.code == 0, done.err
    return model.read_bytes()


def resuming(model):
    return ("--resume", model) if model.exists() else ()


def same_until_killed(commands, data, folder, more, wanted, longest, seed):
    """Kill again and again, at any moment, until a file was found so often; its last bytes."""
    rng, model, found = random.Random(seed), folder / "killed.model", 0
    for _ in range(20 * wanted):
        if found == wanted:
            break
        run = commands.start("train", data, "-m", model, "-q", *more, *resuming(model))
        time.sleep(rng.uniform(0.0, longest))
        run.send(signal.SIGKILL)
        done = run.wait()
        assert done.code in (0, -signal.SIGKILL), done.err
        if model.exists():
            found += 1
            learner = load(model)
            if learner.provenance_["run"]["done"]:
                model.unlink()  # too fast: begin anew
        else:
            longest *= 1.1  # a slow machine: nothing was saved in this time
    assert found == wanted
    return train(commands, data, model, *more, *resuming(model))


@pytest.mark.slow
def test_killed_while_learning_and_while_saving(commands, data, tmp_path):
    more = ["--passes", "2", "--holdout", "7", "--save-every", "100"]
    whole = train(commands, data, tmp_path / "whole.model", *more)
    assert same_until_killed(commands, data, tmp_path, more, 30, 0.25, seed=1) == whole
    assert left_behind(tmp_path) == []


@pytest.mark.slow
def test_killed_while_mixing_and_counting(commands, data, tmp_path):
    more = ["--shuffle-buffer", "64", "--min-count", "3", "--save-every", "200",
            "--learner", "pa", "--set", "calibrate=true"]  # fmt: skip
    whole = train(commands, data, tmp_path / "whole.model", *more)
    assert same_until_killed(commands, data, tmp_path, more, 6, 0.3, seed=2) == whole
    assert left_behind(tmp_path) == []


@pytest.mark.slow
def test_killed_while_setting_lines_aside(commands, tmp_path):
    """In the end each bad line is there once."""
    path, model, aside = tmp_path / "a.svm", tmp_path / "a.model", tmp_path / "aside"
    lines, bad = [], []
    for i in range(4000):
        lines.append(f"{i % 2} {1 + i % 7}:1")
        if i % 9 == 0:
            bad.append(f"{i} bad:line")
            lines.append(bad[-1])
    path.write_text("\n".join(lines))
    rng = random.Random(3)
    for _ in range(12):
        run = commands.start("train", path, "-m", model, "-q", "--save-every", "100",
                             "--quarantine", aside, *resuming(model))  # fmt: skip
        time.sleep(rng.uniform(0.0, 0.1))
        run.send(signal.SIGKILL)
        run.wait()
        if not model.exists():
            aside.unlink(missing_ok=True)
    done = commands.run("train", path, "-m", model, "-q", "--quarantine", aside, *resuming(model))
    assert done.code in (0, 3), done.err  # 0: the last one was too fast to be killed
    assert aside.read_text().splitlines() == bad
    assert load(model).provenance_["bad_lines"] == len(bad)


WRITING = {
    "predict": ("predict", "data.svm", "-m", "known", "-o", "out.csv"),
    "predict, gz": ("predict", "data.svm", "-m", "known", "-o", "out.csv.gz"),
    "convert": ("convert", "data.svm", "out.vw", "-q"),
    "convert, parquet": ("convert", "data.svm", "out.parquet", "-q"),
    "generate": ("generate", "disjunction", "-n", "3000", "-o", "out.svm", "-q"),
    "race": ("race", "data.svm", "--learners", "pa,perceptron", "-m", "out.model", "-q"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda n: n.name)
def test_killed_while_writing(commands, data, tmp_path, name, number):
    """The old file or the new one; SIGKILL may leave a half-written one, for the next to remove."""
    command, rng = WRITING[name], random.Random(name)
    output = tmp_path / next(word for word in command if word.startswith("out"))
    lines = data.read_text().splitlines(keepends=True)
    (tmp_path / "data.svm").write_text("".join(lines[: 100 if "parquet" in name else 3000]))
    train(commands, data, tmp_path / "known")
    begin = time.monotonic()
    assert commands.run(*command, folder=tmp_path).code == 0
    seconds = time.monotonic() - begin
    new = output.read_bytes()
    for _ in range(int(os.environ.get("THRESHER_KILLS", 6))):
        output.write_bytes(b"old")
        run = commands.start(*command, folder=tmp_path)
        time.sleep(rng.uniform(0.0, 1.1 * seconds))
        run.send(number)
        done = run.wait()
        assert done.code in (0, 130, -number), done
        if name != "race" or number == signal.SIGKILL:
            assert output.read_bytes() in (b"old", new)
        elif output.read_bytes() != b"old":
            load(output)  # of as much as was learned
        assert number == signal.SIGKILL or left_behind(tmp_path) == []
    assert commands.run(*command, folder=tmp_path).code == 0
    assert output.read_bytes() == new and left_behind(tmp_path) == []


@pytest.mark.nosanitize
def test_a_disk_that_is_full_for_a_while(data, tmp_path):
    """A save along the way fails: the run says so, goes on, and saves the next time."""
    model, out = tmp_path / "out" / "a.model", tmp_path / "out"
    out.mkdir()
    with Commands(built(tmp_path)) as commands:
        whole = train(commands, data, tmp_path / "whole.model")
        for call in ("open", "write", "fsync", "rename"):
            fault = Fault(out, call, 1, errno.ENOSPC, tmp_path / "told")
            more = ["--save-every", "1500"]
            done = commands.run("train", data, "-m", model, "-q", *more, fault=fault)
            said = f"{model}: No space left on device; the model was not saved. The run goes on"
            assert done.code == 0 and done.err.startswith(said) and done.err.count("\n") == 1
            assert load(model).provenance_["run"]["done"]
            assert model.read_bytes() == whole and left_behind(out) == []
            model.unlink()
        fault = Fault(out, "write", 0, errno.ENOSPC, tmp_path / "told")  # and stays full
        done = commands.run("train", data, "-m", model, "-q", "--save-every", "300", fault=fault)
        assert done.code == 1 and done.err.count("The run goes on") == 1
        assert not model.exists() and left_behind(out) == []


def test_a_disk_that_stays_full_is_said_once(commands, data, tmp_path, monkeypatch):
    """And again only after a save that worked."""
    from thresher.cli import train as run

    model, saves, said = tmp_path / "a.model", [], []
    save = run.TrainCommand.save

    def fails(self):
        saves.append(self.training.examples)
        if len(saves) in (2, 3, 4, 6):
            raise OSError(errno.ENOSPC, "No space left on device")
        save(self)

    monkeypatch.setattr(run.TrainCommand, "save", fails)
    monkeypatch.setattr(run, "say", said.append)
    words = ["train", str(data), "-m", str(model), "-q", "--learner", "pa", "--save-every", "300"]
    thresher.main(words, standalone_mode=False)
    assert len(saves) > 6 and len([s for s in said if "The run goes on" in s]) == 2


def test_what_a_killed_save_left_is_removed_by_the_next(commands, data, tmp_path):
    model = tmp_path / "a.model"
    (tmp_path / ".a.model.0123abcd.part").write_bytes(b"half a model")
    train(commands, data, model)
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
@pytest.mark.parametrize(
    "more",
    [(), ("--learner", "pa", "--shuffle-buffer", "50"), ("--learner", "pa", "--passes", "3")],
)
def test_a_polite_stop_saves_and_says_how_to_go_on(commands, data, tmp_path, number, more):
    more = ["--save-every", "100", *more]
    whole = train(commands, data, tmp_path / "whole.model", *more)
    model = tmp_path / "a model.bin"  # a name that a shell would take apart
    run = commands.start("train", data, "-m", model, *more)
    wait_until(model.exists)
    run.send(number)
    done = run.wait()
    assert done.code == 130, done.err
    said = done.err.splitlines()
    assert said[-2].startswith("Stopped after ") and said[-2].endswith(f"saved to {model}.")
    learner = load(model)
    assert not learner.provenance_["run"]["done"]
    assert left_behind(tmp_path) == []
    as_printed = said[-1].removeprefix("Go on with: ")
    program, *arguments = shlex.split(as_printed)
    assert program == "thresher"
    done = commands.run(*arguments)
    assert done.code == 0, done.err
    assert model.read_bytes() == whole
    done = commands.run(*arguments)
    assert done.code == 0 and "this run is complete" in done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_a_second_signal_ends_the_process(number):
    program = f"""if True:
        import os
        from thresher.cli.stopping import stopping
        with stopping(lambda: print("stop", flush=True)):
            os.kill(os.getpid(), {number:d})
            print("goes on", flush=True)
            os.kill(os.getpid(), {number:d})
            print("and on")
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-number, "stop\ngoes on\n", "")


def test_a_signal_that_is_sent_twice_is_one_request():
    """As `timeout` sends it: to the process, and to its group."""
    program = f"""if True:
        import os
        from thresher.cli.stopping import stopping
        with stopping(lambda: os.kill(os.getpid(), {signal.SIGTERM:d})):
            os.kill(os.getpid(), {signal.SIGTERM:d})
            print("goes on")
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


def progress(model):
    return load(model).provenance_["run"]["examples"]


def test_stopped_while_a_pipe_is_silent(commands, tmp_path):
    """Nothing comes, and still the stop is heard; going on skips what was learned."""
    lines = [f"{i % 2} {1 + i % 5}:1 {7 + i % 3}:0.5\n" for i in range(9000)]
    text = tmp_path / "all.svm"
    text.write_text("".join(lines))
    fifo, model = tmp_path / "fifo", tmp_path / "a.model"
    os.mkfifo(fifo)
    command = ["train", "-", "-m", model, "--format", "svmlight", "--save-every", "1000",
               "--learner", "pa"]  # fmt: skip
    writer = os.open(fifo, os.O_RDWR)  # survives without a reader
    run = commands.start(*command, stdin=fifo)
    sent = 0
    for line in lines[:8000]:
        sent += os.write(writer, line.encode())
    wait_until(lambda: model.exists() and progress(model) == 8000)  # none is held back
    run.send(signal.SIGINT)
    done = run.wait()
    os.close(writer)
    assert done.code == 130, done.err
    assert progress(model) == 8000
    arguments = shlex.split(done.err.splitlines()[-1].removeprefix("Go on with: "))[1:]
    done = commands.run(*arguments, stdin=text)
    assert done.code == 0, done.err
    other = tmp_path / "b.model"
    command[3] = other
    done = commands.run(*command, stdin=text)
    assert done.code == 0, done.err
    assert model.read_bytes() == other.read_bytes()


def test_several_passes_over_a_pipe_go_on(commands, tmp_path):
    text = write_svm(tmp_path / "all.svm", 3000)
    more = ["--format", "svmlight", "--passes", "3", "--save-every", "100", "-q"]
    for model in ("whole.model", "parts.model"):
        run = commands.start("train", "-", "-m", tmp_path / model, *more, stdin=text)
        if model == "parts.model":
            wait_until((tmp_path / model).exists)
            run.send(signal.SIGTERM)
        assert run.wait().code == (130 if model == "parts.model" else 0)
    done = commands.run("train", "-", "-m", tmp_path / "parts.model", *more, "--resume",
                        tmp_path / "parts.model", stdin=text)  # fmt: skip
    assert done.code == 0, done.err
    assert (tmp_path / "parts.model").read_bytes() == (tmp_path / "whole.model").read_bytes()


def test_a_full_disk_leaves_the_old_model(commands, data, tmp_path):
    model = tmp_path / "a.model"
    small = write_svm(tmp_path / "small.svm", 5)
    before = train(commands, small, model)
    done = commands.run("train", data, "-m", model, "-q", largest_file=20_000)
    assert done.code == 1
    assert f"{model}: File too large" in done.err
    assert model.read_bytes() == before
    assert left_behind(tmp_path) == []


def test_a_full_disk_while_answering(commands, data, tmp_path):
    model, answers = tmp_path / "a.model", tmp_path / "answers.csv"
    train(commands, data, model)
    answers.write_text("old\n")
    done = commands.run("predict", data, "-m", model, "-o", answers, largest_file=4096)
    assert done.code == 1
    assert f"{answers}: File too large" in done.err
    assert answers.read_text() == "old\n" and left_behind(tmp_path) == []


def test_no_permission(commands, data, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("the superuser may write everywhere")
    done = commands.run("train", data, "-m", closed / "a.model", "-q")
    assert done.code == 1 and f"{closed / 'a.model'}: Permission denied" in done.err


def test_a_folder_that_is_not_there(commands, data, tmp_path):
    done = commands.run("train", data, "-m", tmp_path / "none" / "a.model", "-q")
    assert done.code == 1
    assert f"the folder {tmp_path / 'none'} does not exist" in done.err


def test_the_summary_after_a_stop_counts_all(commands, tmp_path):
    """Bad lines and scores of the parts add up."""
    path, model = tmp_path / "a.svm", tmp_path / "a.model"
    good = [f"{i % 2} {1 + i % 7}:1" for i in range(4000)]
    lines = [line + "\nbad:line" if i % 100 == 50 else line for i, line in enumerate(good)]
    path.write_text("\n".join(lines))
    more = ["--on-bad-line", "skip", "--json", "--save-every", "40"]
    whole = commands.run("train", path, "-m", tmp_path / "whole.model", *more)
    assert whole.code == 3 and json.loads(whole.out)["bad_lines"] == 40
    run = commands.start("train", path, "-m", model, *more)
    wait_until(model.exists)
    run.send(signal.SIGINT)
    assert run.wait().code == 130
    done = commands.run("train", path, "-m", model, *more, "--resume", model)
    assert done.code == 3
    told = [json.loads(text) for text in (done.out, whole.out)]
    for each in told:
        for changing in ("seconds", "memory_bytes", "model", "label_changes"):
            del each[changing]  # the order of the labels is judged by what a process saw itself
        for row in each["standings"]:
            del row["rate"]
    assert told[0] == told[1]
    assert model.read_bytes() == (tmp_path / "whole.model").read_bytes()
