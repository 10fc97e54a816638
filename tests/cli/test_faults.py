"""Every system call on a file fails once: the n-th write, sync, renaming …, for n = 1, 2, 3 …

After each fault the command has said what happened, each file is the old or the new one, whole, and
nothing is left behind; then the same command without a fault does all that it should.

By default each call of a few commands fails with one error, or two. All errors with all calls of
all commands, in some minutes:
THRESHER_ALL_FAULTS=1 make pytest PYTEST_ARGS="tests/cli/test_faults.py -s"
"""

import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from commands import Commands
from faults import SHORT, Fault, built
from thresher import load

pytestmark = pytest.mark.nosanitize  # both want to be loaded first

CALLS = {
    "open": (errno.ENOSPC,),
    "write": (errno.ENOSPC, SHORT),
    "read": (errno.EIO, SHORT),
    "fsync": (errno.EIO,),
    "rename": (errno.EIO,),
    "unlink": (errno.EIO,),
    "close": (errno.EIO,),
    "fchmod": (errno.EIO,),
    "flock": (errno.EIO,),
    "truncate": (errno.EIO,),
}
ALL = bool(os.environ.get("THRESHER_ALL_FAULTS"))
if ALL:
    EVERY = (errno.ENOSPC, errno.EIO, errno.EINTR, errno.EDQUOT, errno.EACCES)
    CALLS = {call: (*EVERY, *(SHORT,) * (call in ("write", "read"))) for call in CALLS}

GOOD = "".join(f"{i % 3} {1 + i % 7}:1 {10 + i * 5 % 31}:0.{1 + i}\n" for i in range(400))
BAD = GOOD + "1 x:1\n" + GOOD + "2 y:1\n"


@dataclass
class Scene:
    """A command, in a folder with `in` and `out`, and what it writes."""

    command: str
    files: tuple[str, ...]  # that are there before, and new afterwards
    code: int = 0
    again: bool = True  # without a fault it does the same once more
    between: bool = False  # what was saved on the way may stay


TRAIN = "train in/a.svm -m out/m -q --learner pa"
SCENES = {
    "train": Scene(TRAIN, ("m",)),
    "train, saving often": Scene(f"{TRAIN} --save-every 150", ("m",), between=True),
    "train, passes": Scene(
        f"{TRAIN} --passes 2 --shuffle-buffer 50", ("m",), between=True
    ),
    "train, on": Scene("train in/a.svm --resume out/m -m out/m -q", ("m",), again=False),
    "train, aside": Scene(
        "train in/bad.svm -m out/m -q --quarantine out/aside", ("m",), code=3, again=False
    ),
    "train, log": Scene(f"{TRAIN} --log out/logs", ("m",)),
    "train, auto": Scene(f"{TRAIN} --learner auto --passes 2", ("m",), between=True),
    "race": Scene("race in/a.svm -m out/m -q --learners pa,perceptron", ("m",)),
    "predict": Scene("predict in/a.svm -m in/m -o out/p.csv", ("p.csv",)),
    "predict, gz": Scene("predict in/a.svm -m in/m -o out/p.csv.gz", ("p.csv.gz",)),
    "predict, aside": Scene(
        "predict in/bad.svm -m in/m -o out/p.csv --quarantine out/aside", ("p.csv",), code=3,
        again=False,
    ),
    "convert": Scene("convert in/a.svm out/a.vw -q", ("a.vw",)),
    "convert, names": Scene(
        "convert in/a.svm out/b.svm --vocabulary out/names -q", ("b.svm", "names")
    ),
    "convert, columns": Scene("convert in/a.svm out/a.csv -q", ("a.csv",)),
    "convert, parquet": Scene("convert in/a.svm out/a.parquet -q", ("a.parquet",)),
    "generate": Scene(
        "generate disjunction -o out/g.svm -n 900 --truth out/t.json -q", ("g.svm", "t.json")
    ),
    "audit": Scene("audit in/a2.svm -m in/m2 --certificate out/c.json -q", ("c.json",)),
    "inspect": Scene("inspect in/m --plot out/w.svg -q", ("w.svg",)),
}  # fmt: skip


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def commands(base):
    """Temporary files are made in `out`, too."""
    with Commands(built(base), {"TMPDIR": str(base / "out" / "tmp")}) as started:
        inside = base / "in"
        inside.mkdir()
        (inside / "a.svm").write_text(GOOD)
        (inside / "bad.svm").write_text(BAD)
        (inside / "a2.svm").write_text("1 1:1\n0 1:1\n" * 5)
        (inside / "old.svm").write_text("0 1:1\n1 2:1\n2 3:1\n")
        for name, data in (("m", "a"), ("m2", "a2"), ("old", "old")):
            learner = ("--learner", "perceptron")
            done = started.run("train", f"in/{data}.svm", "-m", f"in/{name}", "-q", *learner,
                               folder=base)  # fmt: skip
            assert done.code == 0, done.err
        yield started


def prepare(base, scene):
    """As before the command: old files, and what a killed process has left of one."""
    out = base / "out"
    shutil.rmtree(out, ignore_errors=True)
    (out / "tmp").mkdir(parents=True)
    for name in scene.files:
        shutil.copy(base / "in" / "old", out / name)
    left(base, scene).write_bytes(b"half")


def left(base, scene):
    return base / "out" / f".{scene.files[0]}.0123abcd.part"


def state(base, scene):
    return {name: (base / "out" / name).read_bytes() for name in scene.files}


def left_behind(base):
    return sorted(
        str(path.relative_to(base)) for path in (base / "out").rglob("*")
        if path.name.endswith(".part") or path.parent.name == "tmp"
    )  # fmt: skip


QUICK = ("train, saving often", "predict", "convert")  # the first makes all calls of "train", too


@pytest.mark.parametrize("name", SCENES if ALL else QUICK)
def test_every_call_fails_once(commands, base, name):
    scene, cases = SCENES[name], 0
    prepare(base, scene)
    old = state(base, scene)
    whole = commands.run(*scene.command.split(), folder=base)
    assert whole.code == scene.code, whole.err
    new = state(base, scene)
    assert left_behind(base) == []
    for call, errors in CALLS.items():
        for error in errors:
            for number in range(1, 10_000):
                prepare(base, scene)
                told = base / "told"
                told.unlink(missing_ok=True)
                fault = Fault(base / "out", call, number, error, told)
                done = commands.run(*scene.command.split(), folder=base, fault=fault)
                if not told.exists():
                    break  # there are fewer calls than that
                cases += 1
                case = f"{name}: {told.read_text().strip()}, number {number}, error {error}"
                check(base, scene, done, old, new, case, Path(told.read_text().split()[1]))
                if scene.again and (ALL or number == 1):
                    done = commands.run(*scene.command.split(), folder=base)
                    assert done.code == scene.code, f"{case}: {done.err}"
                    assert state(base, scene) == new, case
                    after = left_behind(base)
                    if call == "unlink":  # what Python makes to see where it may write stays then
                        after = [name for name in after if name.endswith(".part")]
                    assert after == [], case
    print(f"{name}: {cases} cases")
    assert cases > 10


def check(base, scene, done, old, new, case, failed):
    """The file that failed is known; all others are as they should be."""
    found = state(base, scene)
    assert "Traceback" not in done.err and "--debug" not in done.err, f"{case}: {done.err}"
    for file in scene.files:
        if found[file] not in (old[file], new[file]):
            assert scene.between, f"{case}: {file}: {done.err}"
            load(base / "out" / file)
    if done.code == scene.code:
        assert found == new, f"{case}: {done.err}"
    else:
        assert done.code == 1, f"{case}: {done}"
        if failed.is_relative_to(base / "out" / "logs"):  # one that cannot be begun is an error
            assert ": open " in case and found == old, f"{case}: {done.err}"
        error = done.err.replace(f"{base}/", "")
        assert "error: out/" in error and ".part" not in error, f"{case}: {done.err}"
        if failed == base / "out":
            assert "the file is complete and in its place" in error, f"{case}: {done.err}"
        told = error.partition("error: out/")[2].partition(":")[0]
        for file in scene.files:  # what is said to be lost is, what is said to be there is
            if file == told and "was not" in done.err:
                assert found[file] != new[file], f"{case}: {done.err}"
            if file == told and "in its place" in done.err:
                assert found[file] != old[file], f"{case}: {done.err}"
    if ": unlink " not in case:
        assert set(left_behind(base)) <= {str(left(base, scene).relative_to(base))}, case
