"""A process that only reads: it learns what another one writes to the log, to the same bits.

It has no lock and changes nothing. What it learned may be taken back (a write that failed for lack
of room, of which some frames were whole): it notices, and begins again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from thresher.serve.log import HEADER, Frame, LogDamaged, read_segment, segments
from thresher.serve.store import Store

EVERY = 0.02  # seconds between two looks


class Follower(threading.Thread):
    """`replaced` is told about a new store when it had to begin again."""

    def __init__(
        self, folder: Path, replaced: Callable[[Store], None] = lambda store: None
    ) -> None:
        super().__init__(name="thresher-follower", daemon=True)
        self.folder, self.replaced = folder, replaced
        self.store = Store(folder)
        self.problem: str | None = "nothing was read yet"
        self._stopping = threading.Event()
        self._at: tuple[Path, int] | None = None  # the segment, and the byte of the next frame
        self._last: tuple[int, Frame] | None = None  # where the last frame began, and what it was

    def why_not_ready(self) -> str | None:
        return self.problem

    def stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
                self.problem = None
            except Exception as error:  # no folder yet; a segment or checkpoint that just went
                self.problem = str(error)
                self._begin_again()
            self._stopping.wait(EVERY)

    def look(self) -> None:
        """Learn what is new."""
        if self._at is None:
            self.store.recover(self.store.last())
            first, path = max(
                s for s in segments(self.store.log_folder) if s[0] <= self.store.seq + 1
            )
            at = HEADER.size
            for frame, end in read_segment(path, first):
                if frame.seq > self.store.seq:
                    break
                self._last, at = (at, frame), end
            self._at = path, at
        if new := self._new_frames():
            self.store.replay(new)

    def _new_frames(self) -> list[Frame]:
        assert self._at is not None
        new: list[Frame] = []
        path, at = self._at
        self._check_last(path, at)
        seq = self.store.seq
        while True:
            try:
                for frame, end in read_segment(path, int(path.stem), (at, seq + 1)):
                    new.append(frame)
                    self._last, at, seq = (at, frame), end, frame.seq
            except LogDamaged:
                break  # it is being written; if it is damaged, nothing new will ever come
            following = path.with_name(f"{seq + 1:020}.log")
            if following == path or not following.exists():
                break
            path, at, self._last = following, HEADER.size, None
        self._at = path, at
        return new

    def _check_last(self, path: Path, at: int) -> None:
        """Whether the frame that was learned last is still there."""
        if self._last is None:
            return
        begin, known = self._last
        frame, end = next(read_segment(path, int(path.stem), (begin, known.seq)), (None, 0))
        if frame != known or end != at:
            raise LogDamaged(f"{path}: frame {known.seq:,} was taken back.")

    def _begin_again(self) -> None:
        self.store, self._at, self._last = Store(self.folder), None, None
        try:
            self.look()
        except Exception as error:
            self.problem = str(error)
            return
        self.replaced(self.store)
