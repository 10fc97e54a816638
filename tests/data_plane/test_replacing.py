"""Files that are replaced as a whole, by many writers at once and by writers that are killed."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults import built
from thresher import load
from thresher.data.output import whole_file
from thresher.replacing import replacing

SAVE_OFTEN = """if True:
    import sys, thresher
    path, times, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    model = thresher.Perceptron().fit([[float(seed)] * 3000, [0.0] * 3000], [1, 0])
    sys.stdin.readline()
    failed = 0
    for _ in range(times):
        try:
            model.save(path)
        except OSError as error:
            failed += 1
            print(error, file=sys.stderr)
        thresher.load(path)
    sys.exit(failed > 0)
"""

HOLD = """if True:
    import sys
    from thresher.replacing import replacing
    with replacing(sys.argv[1]) as file:
        file.write(b"new" * 1000)
        file.flush()
        print("writing", flush=True)
        sys.stdin.readline()
"""

IN_A_NAMESPACE = ("unshare", "--pid", "--fork")


def can_unshare():
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*IN_A_NAMESPACE, "true"], capture_output=True).returncode == 0


def started(program, *arguments, before=(), env=None):
    return subprocess.Popen(
        [*before, sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | (env or {}),
    )  # fmt: skip


def parts(folder):
    return sorted(p.name for p in Path(folder).iterdir() if p.name.endswith(".part"))


def save_together(path, before, times, writers=3):
    together = [
        started(SAVE_OFTEN, path, times, seed, before=before(seed))
        for seed in range(1, writers + 1)
    ]
    for writer in together:
        writer.stdin.write("\n")
        writer.stdin.flush()
    told = [writer.communicate(timeout=120)[1] for writer in together]
    assert [writer.returncode for writer in together] == [0] * writers, told
    assert load(path).coef_.shape == (1, 3000)
    assert parts(path.parent) == []


def test_processes_save_to_one_path(tmp_path):
    save_together(tmp_path / "a.model", lambda seed: (), 100)


def test_processes_that_have_the_same_id_save_to_one_path(tmp_path):
    """As in containers that share a folder: each is process 1 of its own namespace."""
    if not can_unshare():
        pytest.skip("no right to make a pid namespace")
    save_together(tmp_path / "a.model", lambda seed: IN_A_NAMESPACE, 100)
    save_together(tmp_path / "a.model", lambda seed: IN_A_NAMESPACE if seed == 1 else (), 50)


@pytest.mark.parametrize("end", ["goes on", "is killed"])
def test_a_writer_that_lives_is_let_be(tmp_path, end):
    """A file being written stays; what a killed writer left is removed by the next one."""
    path = tmp_path / "a.txt"
    before = IN_A_NAMESPACE if can_unshare() else ()
    writer = started(HOLD, path, before=before)
    assert writer.stdout.readline() == "writing\n"
    assert len(parts(tmp_path)) == 1
    with replacing(path) as file:
        file.write(b"other")
    assert path.read_bytes() == b"other" and len(parts(tmp_path)) == 1
    if end == "goes on":
        _, told = writer.communicate("\n", timeout=30)
        assert writer.returncode == 0, told
        assert path.read_bytes() == b"new" * 1000
    else:
        kill_all(writer)
        assert len(parts(tmp_path)) == 1
        with whole_file(path) as file:
            file.write(b"third")
        assert path.read_bytes() == b"third"
    assert parts(tmp_path) == []


def kill_all(writer):
    """`unshare` and the process that it has started."""
    children = Path(f"/proc/{writer.pid}/task/{writer.pid}/children")
    inside = children.read_text().split() if children.exists() else []
    for process in (*map(int, inside), writer.pid):
        os.kill(process, signal.SIGKILL)
    writer.communicate()


def test_names_that_only_look_alike_stay(tmp_path):
    """Other files, those of another target, and what is not a file."""
    ours = ".a.txt.0123abcd.part"
    stay = [".a.txt.backup.part", ".a.txt.123.45.part", ".a.txt.0123abcd.part.old",
            ".b.txt.0123abcd.part", ".aXtxt.0123abcd.part", "a.txt.0123abcd.part",
            ".a.txt.0123abcd.89abcdef.part"]  # fmt: skip
    for name in (ours, *stay):
        (tmp_path / name).touch()
    (tmp_path / ".a.txt.00000000.part").mkdir()
    os.mkfifo(tmp_path / ".a.txt.00000001.part")
    (tmp_path / ".a.txt.00000002.part").symlink_to(tmp_path / stay[0])
    with replacing(tmp_path / "a.txt") as file:
        file.write(b"x")
    there = {p.name for p in tmp_path.iterdir()}
    assert there == {"a.txt", *stay, *(f".a.txt.0000000{i}.part" for i in range(3))}


@pytest.mark.nosanitize
def test_without_locks(tmp_path):
    """A file system that has none: writers succeed, and what may be in use is not removed."""
    library = built(tmp_path)
    program = f"""if True:
        import ctypes, errno, sys, thresher
        ctypes.CDLL(None).arm_fault(b"{tmp_path}/out", b"flock", 0, errno.ENOTSUP, b"/dev/null")
        exec(sys.argv.pop(1))
    """
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "a.model"
    (tmp_path / "out" / ".a.model.0123abcd.part").touch()
    env = {"LD_PRELOAD": str(library)}
    together = [started(program, SAVE_OFTEN, path, 30, seed, env=env) for seed in (1, 2)]
    told = [writer.communicate("\n", timeout=60)[1] for writer in together]
    assert [writer.returncode for writer in together] == [0, 0], told
    assert parts(tmp_path / "out") == [".a.model.0123abcd.part"]
    with replacing(path) as file:  # here are locks
        file.write(b"x")
    assert parts(tmp_path / "out") == []


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_permissions(tmp_path, umask):
    """A new file gets those of any new file; one that is replaced keeps its own, all the time."""
    path, before = tmp_path / "a.txt", os.umask(umask)
    try:
        with replacing(path) as file:
            file.write(b"1")
        assert mode_of(path) == 0o666 & ~umask
        for mode in (0o600, 0o640, 0o666, 0o755):
            path.chmod(mode)
            with replacing(path) as file:
                (part,) = parts(tmp_path)
                assert mode_of(tmp_path / part) & ~mode == 0
                file.write(b"2")
            assert mode_of(path) == mode
    finally:
        os.umask(before)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "a.txt")
    for text in (b"1", b"2"):
        with replacing(link) as file:
            file.write(text)
        assert link.is_symlink() and (tmp_path / "there" / "a.txt").read_bytes() == text
    assert parts(tmp_path) == parts(tmp_path / "there") == []


def test_an_error_of_the_caller_is_told_as_it_is(tmp_path):
    """Reading can fail while a file is written: it is not the file that failed."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(FileNotFoundError, match="nowhere"), replacing(path) as file:
        file.write(b"new")
        (tmp_path / "nowhere").read_bytes()
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and parts(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_killed_at_any_moment(tmp_path, suffix):
    """The file is the old or the new one, whole, and the next writer cleans up."""
    program = """if True:
        import sys
        from thresher.data.output import whole_file
        texts = [b"a" * 100_000, b"b" * 3_000_000]
        print("ready", flush=True)
        while True:
            for text in texts:
                with whole_file(sys.argv[1]) as file:
                    file.write(text)
    """
    import gzip

    path = tmp_path / f"a.txt{suffix}"
    found = left = 0
    for number in range(20):
        writer = started(program, path)
        assert writer.stdout.readline() == "ready\n"
        time.sleep(0.003 * number)
        writer.kill()
        writer.communicate()
        left += len(parts(tmp_path))
        assert len(parts(tmp_path)) <= 1
        if path.exists():
            found += 1
            text = gzip.decompress(path.read_bytes()) if suffix else path.read_bytes()
            assert text in (b"a" * 100_000, b"b" * 3_000_000)
    assert found > 10 and left > 3
    with whole_file(path) as file:
        file.write(b"c")
    assert parts(tmp_path) == []
