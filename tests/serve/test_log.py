"""The log: what was acknowledged is there, whatever was cut, flipped, dropped or refused."""

import errno
import os
import random
import shutil
from pathlib import Path

import pytest

from thresher.serve.log import (
    HEAD,
    HEADER,
    Disk,
    DiskFull,
    Frame,
    InUse,
    Kind,
    Log,
    LogDamaged,
    LogFailed,
    segments,
)

STATES = 200  # of power cuts; `python tests/serve/long.py power-cuts` takes more


class Quick(Disk):
    """Without syncs, for tests of what is in the files."""

    def sync(self, file: int) -> None:
        pass

    def sync_folder(self, folder: Path) -> None:
        pass


def entry(text: str) -> Frame:
    return Frame(Kind.LEARN, 1, b"{}", text.encode())


def texts(folder: Path) -> list[str]:
    log = Log(folder, disk=Quick())
    try:
        return [frame.raw.decode() for frame in log.read()]
    finally:
        log.close()


def written(folder: Path, *groups: list[str], **options: object) -> Path:
    log = Log(folder, disk=Quick(), **options)
    for group in groups:
        log.append([entry(text) for text in group])
    log.close()
    return segments(folder)[-1][1]


def test_frames_come_back_as_they_were(tmp_path: Path) -> None:
    with_newline = Frame(Kind.KEEP, 7, b'{"id":"a"}', b"one\ntwo\n")
    log = Log(tmp_path)
    assert log.append([entry("a"), with_newline]) == 1
    assert log.append([entry("é|\x00")]) == 3
    frames = list(log.read())
    log.close()
    assert [f.seq for f in frames] == [1, 2, 3]
    assert [f.durable for f in frames] == [0, 0, 2]
    assert (frames[1].kind, frames[1].model) == (Kind.KEEP, 7)
    assert (frames[1].meta, frames[1].raw) == (with_newline.meta, with_newline.raw)
    assert [f.raw for f in log.read(after=2)] == ["é|\x00".encode()]
    assert texts(tmp_path) == ["a", "one\ntwo\n", "é|\x00"]


def test_cut_at_each_byte_the_whole_frames_stay(tmp_path: Path) -> None:
    path = written(tmp_path / "log", ["first"], ["second", "third"])
    whole = path.read_bytes()
    frame = HEAD.size + 3 + 4  # with an empty meta and the checksum
    ends = [HEADER.size]
    for text in ("first", "second", "third"):
        ends.append(ends[-1] + frame + len(text))
    assert ends[-1] == len(whole)
    for size in range(HEADER.size, len(whole) + 1):
        path.write_bytes(whole[:size])
        log = Log(tmp_path / "log", disk=Quick())
        kept = sum(end <= size for end in ends) - 1
        assert log.last == kept and log.cut == size - ends[kept]
        log.append([entry("after")])
        log.close()
        assert texts(tmp_path / "log") == [*["first", "second", "third"][:kept], "after"]


def test_each_flipped_bit_is_noticed(tmp_path: Path) -> None:
    """In frames that later ones know to be on disk it is damage; in the last it is a torn tail."""
    path = written(tmp_path, ["one"], ["two"], ["three"])
    whole = path.read_bytes()
    size = HEAD.size + 3 + 4
    last = HEADER.size + 2 * (size + 3)
    for at in range(len(whole)):
        for bit in range(8):
            with path.open("r+b") as file:
                os.pwrite(file.fileno(), bytes([whole[at] ^ 1 << bit]), at)
            if at < last:
                with pytest.raises(LogDamaged, match=path.name):
                    Log(tmp_path, disk=Quick())
                with path.open("r+b") as file:
                    os.pwrite(file.fileno(), whole[at : at + 1], at)
                assert path.read_bytes() == whole  # it was not touched
            else:
                assert texts(tmp_path) == ["one", "two"]
                path.write_bytes(whole)


def test_a_damaged_or_missing_segment_is_named(tmp_path: Path) -> None:
    written(tmp_path, *[[f"event {i}"] for i in range(12)], segment_bytes=150)
    found = segments(tmp_path)
    assert len(found) == 4
    damaged = bytearray(found[1][1].read_bytes())
    damaged[HEADER.size + HEAD.size + 5] ^= 1
    found[1][1].write_bytes(damaged)
    log = Log(tmp_path)  # the last segment is whole
    with pytest.raises(LogDamaged, match=f"{found[1][1].name}: byte {HEADER.size}: .*checksum"):
        list(log.read())
    assert [f.seq for f in log.read(after=found[2][0] - 1)] == list(range(found[2][0], 13))
    found[1][1].unlink()
    with pytest.raises(LogDamaged, match="expected"):
        list(log.read())
    log.close()


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    import zlib

    path = written(tmp_path, ["a"])
    head = HEADER.pack(b"\x89THRLOG\n", 2, 1, 0)[:-4]
    path.write_bytes(head + zlib.crc32(head).to_bytes(4, "little") + path.read_bytes()[24:])
    with pytest.raises(LogDamaged, match="version 2 of the log; this Thresher reads up to 1"):
        Log(tmp_path)


def test_one_process_has_the_folder(tmp_path: Path) -> None:
    log = Log(tmp_path)
    with pytest.raises(InUse, match="another process has this folder"):
        Log(tmp_path)
    log.close()
    Log(tmp_path).close()


def test_old_segments_can_go(tmp_path: Path) -> None:
    written(tmp_path, *[[f"event {i}"] for i in range(12)], segment_bytes=150)
    log = Log(tmp_path)
    last = segments(tmp_path)[-1][0]
    assert log.drop(upto=5) >= 1
    assert 1 < log.first <= 6
    assert [f.seq for f in log.read(after=log.first - 1)] == list(range(log.first, 13))
    with pytest.raises(LogDamaged, match="begins with seq"):
        list(log.read())
    log.drop(upto=10**9)
    assert log.first == last  # the one that is written stays
    log.close()


class Faulty(Quick):
    """The k-th call fails; a write that fails may have written a part."""

    def __init__(self, k: int, number: int) -> None:
        self.left, self.number = k, number

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise OSError(self.number, os.strerror(self.number))

    def write(self, file: int, data: bytes) -> int:
        try:
            self._count()
        except OSError:
            os.write(file, data[: len(data) // 2])
            raise
        return super().write(file, data[: max(1, len(data) // 2)])  # short writes too

    def sync(self, file: int) -> None:
        self._count()
        super().sync(file)

    def truncate(self, file: int, size: int) -> None:
        self._count()
        super().truncate(file, size)

    def rename(self, old: Path, new: Path) -> None:
        self._count()
        super().rename(old, new)

    def sync_folder(self, folder: Path) -> None:
        self._count()
        super().sync_folder(folder)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_whatever_call_fails_what_was_acknowledged_stays(tmp_path: Path, number: int) -> None:
    went_on = failed = k = 0
    while True:
        k += 1
        folder = tmp_path / f"{number}-{k}"
        disk = Faulty(k, number)
        acknowledged: list[str] = []
        refused: set[str] = set()
        try:
            log = Log(folder, segment_bytes=150, disk=disk)
        except OSError:
            continue
        for i in range(8):
            try:
                log.append([entry(f"event {i}")])
                acknowledged.append(f"event {i}")
            except DiskFull:
                refused.add(f"event {i}")
                went_on += 1
            except LogFailed:
                failed += 1
                with pytest.raises(LogFailed):
                    log.append([entry("more")])
                break
        try:
            log.close()
        except LogFailed:
            failed += 1
        found = texts(folder)
        assert found[: len(acknowledged)] == acknowledged
        assert len(found) <= len(acknowledged) + 1  # one that was written, but not known to be
        assert not refused & set(found)
        if disk.left > 0:  # all calls went well
            break
    assert failed > 5
    assert (went_on > 5) == (number == errno.ENOSPC)


class Nameless(Quick):
    """A folder that cannot be brought to disk."""

    full = False

    def sync_folder(self, folder: Path) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")


def test_a_segment_whose_name_may_be_on_disk_is_not_left_beside_frames(tmp_path: Path) -> None:
    """Were it removed, and the one before it used further, a power cut could bring it back."""
    disk = Nameless()
    log = Log(tmp_path, segment_bytes=40, disk=disk)
    log.append([entry("one")])
    disk.full = True
    for _ in range(2):
        with pytest.raises(LogFailed, match="No space left"):
            log.append([entry("two")])
        disk.full = False
    log.close()
    assert texts(tmp_path) == ["one"]
    (first, _), (second, path) = segments(tmp_path)
    assert (first, second) == (1, 2)
    log = Log(tmp_path, disk=disk)
    log.append([entry("two")])
    log.close()
    with open(segments(tmp_path)[0][1], "ab") as file:  # what an older version could leave
        file.write(path.read_bytes()[HEADER.size :])
    with pytest.raises(LogDamaged, match="frame 2, with which the next segment begins as well"):
        texts(tmp_path)


class Remembering(Quick):
    """Knows what a power cut cannot take: what was synced."""

    def __init__(self) -> None:
        self.safe: dict[int, int] = {}  # by inode: its size at the last sync

    def sync(self, file: int) -> None:
        self.safe[os.fstat(file).st_ino] = os.fstat(file).st_size


def after_power_cut(path: Path, safe: int, rng: random.Random) -> bytes:
    """Of what was not synced any sectors may be there, as zeros, or as garbage; and any size."""
    whole, sector = path.read_bytes(), 64
    left = bytearray(whole[:safe])
    for at in range(safe, len(whole), sector):
        part = whole[at : at + sector]
        left += rng.choice([part, part, bytes(len(part)), rng.randbytes(len(part))])
    return bytes(left[: rng.randint(safe, len(whole))] if rng.random() < 0.5 else left)


def survive_power_cuts(folder: Path, states: int, seed: int = 0) -> int:
    """How many states were tried; what was durable is in each, and nothing is out of order."""
    rng, tried = random.Random(seed), 0
    while tried < states:
        disk = Remembering()
        place = folder / f"run-{tried}"
        log = Log(place, sync=rng.choice(["no", "always"]), segment_bytes=2000, disk=disk)
        events = [f"event {i} " + "x" * rng.randint(0, 150) for i in range(rng.randint(1, 30))]
        for text in events:
            log.append([entry(text)])
            if rng.random() < 0.15:
                log.sync()
        durable, path = log.durable, segments(place)[-1][1]
        safe = max(HEADER.size, disk.safe.get(path.stat().st_ino, 0))
        for _ in range(20):
            cut = folder / "cut"
            shutil.rmtree(cut, ignore_errors=True)
            cut.mkdir()
            for _, segment in segments(place):
                shutil.copy(segment, cut)
            (cut / path.name).write_bytes(after_power_cut(path, safe, rng))
            found = texts(cut)
            assert len(found) >= durable
            assert found == events[: len(found)]
            tried += 1
        os.close(log._lock)
        os.close(log._file)
        shutil.rmtree(place)
    return tried


def test_power_cuts(tmp_path: Path) -> None:
    assert survive_power_cuts(tmp_path, STATES) >= STATES


def test_everysec_syncs_in_the_end(tmp_path: Path) -> None:
    log = Log(tmp_path, sync="everysec")
    log.append([entry("a")])
    assert log.durable == 0
    log._synced_at -= 1.0
    log.append([entry("b")])
    assert log.durable == 2
    log.append([entry("c")])
    log.close()
    assert log.durable == 3
