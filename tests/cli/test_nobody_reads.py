"""`thresher … | head`, Ctrl-C at any moment: files are whole or not there, exit codes are right."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

from thresher import load

PROGRAM = (sys.executable, "-m", "thresher")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with examples that no line separates, and a model of them."""
    folder, rng = tmp_path_factory.mktemp("place"), random.Random(1)
    lines = ["1 1:1\n-1 1:1\n"]
    lines += [f"{rng.choice((1, -1))} {rng.randrange(1, 9)}:1\n" for _ in range(300)]
    (folder / "a.svm").write_text("".join(lines))
    (folder / "bad.svm").write_text("".join(lines) + "1 x:1\n")
    (folder / "wide.svm").write_text("".join(f"{i % 2} {1 + i}:1\n" for i in range(20_000)))
    subprocess.run(
        [*PROGRAM, "train", "a.svm", "-m", "m", "-q", "--learner", "perceptron"],
        check=True, cwd=folder,
    )  # fmt: skip
    return folder


def unread(place, *arguments, both=False):
    """Run a command whose output is not read, nor its errors if `both`."""
    reader, writer = os.pipe()
    os.close(reader)
    errors = writer if both else subprocess.PIPE
    done = subprocess.run([*PROGRAM, *arguments], cwd=place, stdout=writer, stderr=errors)
    os.close(writer)
    assert both or (b"Traceback" not in done.stderr and b"roken pipe" not in done.stderr)
    return done


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_certificate(place, form):
    assert unread(place, "audit", "a.svm", "-m", "m", "--certificate", "c", *form).returncode == 0
    assert json.loads((place / "c").read_text())["rows"]
    (place / "c").unlink()


@pytest.mark.parametrize(
    "command", [("audit", "a.svm", "-m", "m"), ("evaluate", "a.svm", "-m", "m"), ("inspect", "m"),
                ("inspect", "m", "--all"), ("inspect", "m", "--json")],
)  # fmt: skip
def test_pictures(place, command):
    assert unread(place, *command, "--plot", "p.svg").returncode == 0
    assert "</svg>" in (place / "p.svg").read_text()
    (place / "p.svg").unlink()


def test_what_belongs_to_a_stream(place):
    """The truth of what was to be generated; the names of what was written."""
    done = unread(place, "generate", "text", "-o", "-", "--to", "vw", "-n", "90000",
                  "--truth", "truth.json")  # fmt: skip
    assert done.returncode == 0
    assert json.loads((place / "truth.json").read_text())["examples"] == 90000
    done = unread(place, "convert", "a.svm", "-", "--to", "svmlight", "--vocabulary", "names")
    assert done.returncode == 0
    assert (place / "names").read_text().split()


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize(
    "more", [("--passes", "3"), ("--learner", "auto", "--passes", "3"), ("--log", "logs")],
)  # fmt: skip
def test_training_goes_on(place, both, more):
    """All passes, though the report of the first is not read."""
    done = unread(place, "train", "a.svm", "-m", "new", *more, both=both)
    assert done.returncode == 0
    run = load(place / "new").provenance_["run"]
    assert run["done"] and run["examples"] == 302 * (3 if "--passes" in more else 1)
    (place / "new").unlink()


def test_exit_codes_are_as_ever(place):
    skip = ("--on-bad-line", "skip")
    assert unread(place, "train", "bad.svm", "-m", "new", *skip).returncode == 3
    assert unread(place, "train", "bad.svm", "-m", "new", *skip, both=True).returncode == 3
    assert unread(place, "race", "bad.svm", "-m", "new", *skip, both=True).returncode == 3
    assert unread(place, "evaluate", "bad.svm", "-m", "m", *skip).returncode == 3
    assert unread(place, "train", "bad.svm", "-m", "new", both=True).returncode == 1
    assert unread(place, "train", "--nonsense", both=True).returncode == 2
    assert unread(place, "--help").returncode == 0
    assert unread(place, "predict", "--help").returncode == 0
    assert unread(place, "predict", "a.svm", "-m", "m").returncode == 0


@pytest.mark.parametrize(
    "command", [("train", "wide.svm", "--learner", "pa", "-m"),
                ("predict", "wide.svm", "-m", "m", "-o"),
                ("convert", "wide.svm", "--to", "vw", "-q")],
)  # fmt: skip
def test_a_named_pipe_that_nobody_reads_is_an_error(place, tmp_path, command):
    """It was asked for by name: that it was not written is said. (More than a pipe holds is.)"""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = subprocess.Popen([*PROGRAM, *command, fifo], cwd=place, stderr=subprocess.PIPE)
    fifo.open("rb").close()
    told = process.communicate()[1].decode()
    assert process.returncode == 1, told
    assert f"error: {fifo}: Broken pipe; the" in told


def test_streams_that_are_closed(place):
    """`>&-`: no file takes the place of a stream that is not there."""
    for closing in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        command = f"'{sys.executable}' -m thresher train a.svm -m closed {closing}"
        assert subprocess.run(command, shell=True, cwd=place).returncode == 0
        assert load(place / "closed").examples_ == 302
        (place / "closed").unlink()
    command = f"'{sys.executable}' -m thresher train - --format svmlight -m closed <&-"
    done = subprocess.run(command, shell=True, cwd=place, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard input: nothing was learned")


# -- Ctrl-C while packages are imported

AT_IMPORT = """if True:
    import os, signal, sys
    from thresher.__main__ import main
    class At:
        def find_spec(self, name, path=None, target=None):
            if name == at:
                os.kill(os.getpid(), signal.SIGINT)
    at = sys.argv.pop(1)
    sys.meta_path.insert(0, At())
    main()
"""


@pytest.mark.parametrize(
    "at", ["click", "thresher.cli.predict", "thresher.model_file", "safetensors", "numpy",
           "numpy.linalg", "thresher.data.reader"],
)  # fmt: skip
def test_ctrl_c_during_imports(place, at):
    command = [sys.executable, "-c", AT_IMPORT, at, "predict", "a.svm", "-m", "m", "-o", "out"]
    done = subprocess.run(command, cwd=place, capture_output=True)
    assert done.returncode in (-signal.SIGINT, 130), done
    assert done.stderr == done.stdout == b""
    assert not [name for name in os.listdir(place) if name.endswith(".part") or name == "out"]


def test_a_signal_that_is_ignored_stays_so(place):
    """As under nohup."""
    command = [sys.executable, "-c", AT_IMPORT, "numpy", "predict", "a.svm", "-m", "m", "-o", "out"]
    ignoring = f"trap '' INT; exec {' '.join(map(repr, command[:1]))} \"$@\""
    done = subprocess.run(["sh", "-c", ignoring, "sh", *command[1:]], cwd=place)
    assert done.returncode == 0
    (place / "out").unlink()
