"""What is remembered of a text: which changes are noticed, however the text came."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.data.seen import (
    TAIL,
    WHOLE,
    FileSeen,
    Seen,
    TextSeen,
    begins_like,
    has_grown,
    windows,
)
from thresher.errors import InvalidInput, ModelFileError

KIB = 1 << 10
SIZES = [1, 100, 63 * KIB, 64 * KIB, 900 * KIB, WHOLE, WHOLE + 20 * KIB, 6_000_000]


def text_of(size, seed=0):
    return random.Random(seed).randbytes(size)


def seen_in(path, end):
    with path.open("rb") as file:
        opened = FileSeen(file.fileno())
        seen = opened.seen(end, 7)
        opened.close()
    return seen


def went_by(text, cuts=(), expected=None):
    went = TextSeen("text", None, expected)
    for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        went.add(text[begin:end])
    return went


def counts(place, end):
    """Whether a change of this byte is noticed, as the documentation says."""
    if place < WHOLE or end - TAIL <= place:
        return True
    for begin, stop in windows():
        if stop > end:
            return False
        if begin <= place < stop:
            return True
    raise AssertionError("windows have no end")


@pytest.mark.parametrize("size", SIZES)
def test_every_insertion_and_removal_is_noticed(tmp_path, size):
    text, path, rng = text_of(size), tmp_path / "a", random.Random(size)
    path.write_bytes(text)
    seen = seen_in(path, size)
    assert not has_grown(str(path), seen)
    path.write_bytes(text + b"more")
    assert has_grown(str(path), seen)
    for place in [0, size - 1, *(rng.randrange(size) for _ in range(20))]:
        for changed in (text[:place] + b"x" + text[place:], text[:place] + text[place + 1 :]):
            path.write_bytes(changed)
            if changed[:size] != text:
                with pytest.raises(InvalidInput, match="changed since this model has learned"):
                    has_grown(str(path), seen)


@pytest.mark.parametrize("size", SIZES)
def test_which_other_changes_are_noticed(tmp_path, size):
    text, path, rng = text_of(size), tmp_path / "a", random.Random(size)
    path.write_bytes(text)
    seen = seen_in(path, size)
    known = [place for window in windows_before(size) for place in (window[0], window[1] - 1)]
    for place in {0, size - 1, *rng.sample(known, min(len(known), 10)),
                  *(rng.randrange(size) for _ in range(30))}:  # fmt: skip
        with path.open("r+b") as file:
            file.seek(place)
            file.write(bytes([text[place] ^ 1]))
        if counts(place, size):
            with pytest.raises(InvalidInput, match="those bytes are not the same"):
                has_grown(str(path), seen)
        else:
            assert not has_grown(str(path), seen)
        path.write_bytes(text)


def test_a_line_among_lines_that_are_all_alike_is_not_noticed(tmp_path):
    """It moves what stands behind it, and yet the same stands there."""
    line, path = b"1 1:1\n", tmp_path / "a"
    text, place = line * 400_000, line * (WHOLE // len(line) + 1)
    path.write_bytes(text)
    seen = seen_in(path, len(text))
    path.write_bytes(place + b"0 1:1\n" + text[len(place) :])
    assert has_grown(str(path), seen)


def windows_before(end):
    for window in windows():
        if window[1] > end:
            return
        yield window


def test_little_is_looked_at():
    """Of 100 GB less than 4 MB, in less than 1,000 places."""
    found = list(windows_before(10**11))
    assert len(found) < 1000 and sum(end - begin for begin, end in found) < 4_200_000
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(found))


@given(st.integers(0, 3 * WHOLE), st.lists(st.integers(0, 3 * WHOLE)), st.integers(0, 3 * WHOLE))
def test_how_a_text_is_cut_does_not_matter(size, cuts, end):
    text, end = TEXT[:size], min(end, size)
    cuts = sorted(min(cut, size) for cut in cuts)
    went, whole = went_by(text, cuts), went_by(text)
    assert went.seen(end, 1) == whole.seen(end, 1)
    went.end()
    whole.end()
    assert went.seen(size, 1) == whole.seen(size, 1)
    for expected in (went.seen(end, 1), went.seen(size, 1)):
        went_by(text + b"more", cuts, expected).end()
        assert begins_like(text, expected)


TEXT = text_of(3 * WHOLE)


@pytest.mark.parametrize("size", SIZES)
def test_a_text_that_goes_by_is_digested_like_a_file(tmp_path, size):
    path = tmp_path / "a"
    path.write_bytes(text_of(size))
    went = went_by(text_of(size))
    went.end()
    assert went.seen(size, 7).digest == seen_in(path, size).digest
    if size <= WHOLE:
        for end in (1, size // 2, size - 1):
            assert went.seen(end, 7).digest == seen_in(path, end).digest


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ended", [True, False])
def test_a_text_that_changed_is_noticed_as_it_goes_by(size, ended):
    text, rng = text_of(size), random.Random(size)
    went = went_by(text if ended else text + b"more")
    went.end()
    seen = went.seen(size, 1)
    assert seen.ended == ended
    with pytest.raises(InvalidInput, match="now it ends after"):
        went_by(text[:-1], (), seen).end()
    for place in {0, size - 1, *(rng.randrange(size) for _ in range(20))}:
        changed = text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :]
        noticed = counts(place, size if ended else size + TAIL)
        if noticed and (ended or size <= WHOLE or place < size - TAIL or place < WHOLE):
            with pytest.raises(InvalidInput, match="those bytes are not the same"):
                went_by(changed, (size // 3,), seen)


def test_what_comes_from_a_model_file_is_not_trusted():
    good = Seen(10, 2, "ab", 5, "cd", True)
    assert Seen.from_dict(good.as_dict()) == good
    for name in good.as_dict():
        for odd in (None, -1, 2**70, 1.5, [], {}, b""):
            with pytest.raises(ModelFileError, match=name):
                Seen.from_dict(good.as_dict() | {name: odd})
    for odd in ({"new": 1}, [], None, "x"):
        with pytest.raises((ModelFileError, TypeError)):
            Seen.from_dict(odd)
