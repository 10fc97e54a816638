"""`thresher generate`, as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from commands import run
from thresher.cli import thresher
from thresher.data.kinds import KINDS

MAIN = [sys.executable, "-c", "from thresher.cli import main; main()"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(tmp_path, kind):
    path, truth = tmp_path / "data.vw", tmp_path / "truth.json"
    got = run("generate", kind, "-o", path, "--examples", 3000, "--seed", 4, "--truth", truth)
    assert (got.returncode, got.stdout) == (0, "")
    assert got.stderr.startswith(f"3,000 examples to {path} in ")
    lines = path.read_text().splitlines()
    assert len(lines) == 3000
    about = json.loads(truth.read_text())
    options = {option.name: option.default for option in KINDS[kind].options}
    assert (about["kind"], about["options"]) == (kind, options)
    assert (about["seed"], about["examples"]) == (4, 3000)
    assert about["truth"] == KINDS[kind].stream(4).truth


def test_same_seed_same_bytes_whatever_the_number(tmp_path):
    for name, examples, seed in (("a", 3000, 1), ("b", 3000, 1), ("c", 1000, 1), ("d", 3000, 2)):
        run("generate", "text", "-o", tmp_path / f"{name}.bag", "-n", examples, "--seed", seed)
    a, b, c, d = ((tmp_path / f"{name}.bag").read_bytes() for name in "abcd")
    assert a == b
    assert a != d
    assert a.startswith(c)
    assert c.count(b"\n") == 1000


def test_options_reach_the_stream(tmp_path):
    path, truth = tmp_path / "data.svm", tmp_path / "truth.json"
    arguments = ["--features", 30, "--relevant", 2, "--active", 4, "--noise", 0.25, "-q"]
    got = run("generate", "disjunction", "-o", path, "-n", 4000, "--truth", truth, *arguments)
    assert (got.returncode, got.stderr) == (0, "")
    relevant = set(json.loads(truth.read_text())["truth"]["relevant"])
    assert len(relevant) == 2
    wrong = 0
    for line in path.read_text().splitlines():
        label, *features = line.split()
        ids = [int(feature.removesuffix(":1")) for feature in features]
        assert len(ids) == 4
        assert ids == sorted(ids)
        assert 1 <= ids[0] <= ids[-1] <= 30
        wrong += (label == "1") != bool(relevant & {str(i) for i in ids})
    assert abs(wrong - 1000) < 6 * (4000 * 0.25 * 0.75) ** 0.5


def test_change_points(tmp_path):
    truth = tmp_path / "truth.json"
    arguments = ["-n", 1000, "--every", 300, "--change", "gradual", "--truth", truth]
    assert run("generate", "drift", "-o", tmp_path / "a.svm", *arguments).returncode == 0
    about = json.loads(truth.read_text())
    assert about["change_points"] == [300, 600, 900]
    assert about["truth"]["kind"] == "gradual"


@pytest.mark.parametrize("format", ["svmlight", "vw", "csv", "tsv", "jsonl", "bag"])
def test_standard_output(tmp_path, format):
    got = run("generate", "disjunction", "-o", "-", "--to", format, "-n", 7, "--features", 40)
    assert got.returncode == 0
    assert len(got.stdout.splitlines()) == 7 + (format in ("csv", "tsv"))
    assert got.stderr.startswith("7 examples to standard output")


def test_json(tmp_path):
    path = tmp_path / "a.vw.gz"
    got = run("generate", "text", "-o", path, "-n", 10, "--json")
    assert got.stderr == ""
    about = json.loads(got.stdout)
    assert about.pop("seconds") > 0
    assert about == {"examples": 10, "bytes": path.stat().st_size}


def test_words_in_svmlight(tmp_path):
    path, names = tmp_path / "a.svm", tmp_path / "names"
    got = run("generate", "text", "-o", path, "-n", 10)
    assert got.returncode == 1
    assert "svmlight holds whole numbers alone: use vw, jsonl or bag, or" in got.stderr
    assert os.listdir(tmp_path) == []
    assert run("generate", "text", "-o", path, "-n", 10, "--vocabulary", names).returncode == 0
    assert path.read_text().split()[1] == "1:1"
    assert names.read_text().splitlines()[0].isalpha()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nothing", "-o", "a.svm"], 2, "'nothing' is not one of 'disjunction', 'm-of-n'"),
        (["text"], 2, "Missing option '-o'"),
        (["text", "-o", "a.vw", "--margin", "1"], 2, "--margin is for linear; it says nothing"),
        (["text", "-o", "a.vw", "-n", "-1"], 2, "-1 is not in the range"),
        (["text", "-o", "-", "--to", "vw", "--json"], 2, "--json needs standard output"),
        (["text", "-o", "a"], 1, "a: the name does not tell a format; expected one of .svm"),
        (["linear", "-o", "a.bag"], 1, "bag holds the value 1"),
        (["linear", "-o", "a.svm", "--margin", "2"], 1, "margin=2.0; expected 0 to 0.127"),
        (["text", "-o", "none/a.vw"], 1, "none/a.vw: No such file or directory"),
    ],
)
def test_wrong_use(tmp_path, arguments, code, says):
    got = run("generate", *arguments, cwd=tmp_path)
    assert got.returncode == code
    assert says in " ".join(got.stderr.split())
    assert "Traceback" not in got.stderr
    assert os.listdir(tmp_path) == []


def test_help_tells_all_kinds():
    got = run("generate", "--help")
    assert got.returncode == 0
    text = " ".join(got.stdout.split())
    for kind in KINDS.values():
        assert f"{kind.name} {kind.summary}" in text
        for option in kind.options:
            assert f"{option.flag} {option.default}" in text


def test_each_flag_has_one_type_and_meaning():
    """The command has an option for each flag of the table: two kinds may not differ in it."""
    flags = {}
    for kind in KINDS.values():
        for option in kind.options:
            same = flags.setdefault(option.flag, option)
            assert (option.help, type(option.default)) == (same.help, type(same.default))
    command = thresher.get_command(None, "generate")
    assert flags.keys() <= {flag for option in command.params for flag in option.opts}


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopped(tmp_path, stop):
    """Ctrl-C or a polite kill: nothing half-written stays."""
    path = tmp_path / "a.svm"
    command = [*MAIN, "generate", "disjunction", "-o", str(path), "-n", str(10**9)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not (found := os.listdir(tmp_path)) and time.monotonic() < deadline:
            time.sleep(0.05)
        try:
            assert found[0].startswith(".a.svm.")
            process.send_signal(stop)
            assert process.wait(60) == 130
        finally:
            process.kill()
        assert b"Traceback" not in process.stderr.read()
    assert os.listdir(tmp_path) == []


def test_a_reader_that_has_had_enough():
    command = " ".join(f"'{word}'" for word in [*MAIN, "generate", "text", "-o", "-"])
    got = subprocess.run(
        f"{command} --to vw -n 100000 -q | head -n 2", shell=True, capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip
    assert (got.returncode, got.stderr) == (0, "")
    assert len(got.stdout.splitlines()) == 2


def test_progress_on_a_terminal(tmp_path):
    """A bar on standard error if that is a terminal; Rich is not loaded otherwise."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    arguments = ["generate", "disjunction", "-o", str(tmp_path / "a.svm"), "-n", "60000"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen([*MAIN, *arguments], stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        try:
            while block := os.read(leader, 4096):
                shown += block
        except OSError:  # how a terminal ends
            pass
        assert process.wait(60) == 0
    os.close(leader)
    assert b"60,000 examples" in shown
    assert "━".encode() in shown
    code = (
        "import sys; from thresher.cli import thresher;"
        "thresher.main(sys.argv[1:], standalone_mode=False); assert 'rich' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
