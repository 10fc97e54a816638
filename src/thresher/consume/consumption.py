"""A run over a stream: fetch, learn, set aside, save.

The model file holds the learner, the place in the stream after the last event that it has learned,
and the size of the file of dead letters; it is replaced as a whole. So whatever dies, each event
counts once, and a run that was stopped any number of times ends with the same file as one that was
not.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher._core import Progress
from thresher.consume.dead_letters import DeadLetters
from thresher.consume.events import Event, Lag, Stream, StreamAway
from thresher.consume.student import TABLES, Habits, Student, as_lines, shape_of
from thresher.data import sniffing
from thresher.data.formats import FileShape
from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput, ModelFileError, ThresherError

if TYPE_CHECKING:
    from thresher.drifting import Drift
    from thresher.learners.contract import Trainable

VERSION = 1
AT_ONCE = 4096  # events of a fetch
WAIT_SECONDS = 0.5  # for new events
END_SECONDS = 0.05  # the same, where it ends with the last one
WINDOW = 1000  # events over which the share of bad ones is taken
FEWEST = 100  # of them: a share of less would say little
LOOKED_AT = 200  # events of a new run, for what its columns look like
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0


@contextmanager
def usable(what: str) -> Iterator[None]:
    """Whatever a model file may hold instead of what was written."""
    try:
        yield
    except ThresherError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ModelFileError(
            f"{what} in its stream, as the model has it, cannot be used ({error!r})."
        ) from error


class TooManyBad(InvalidInput):
    """More events than allowed cannot be learned."""


@dataclass
class Limits:
    """When a run ends or saves by itself."""

    events: int | None = None  # of this run
    until_end: bool = False
    max_bad: float = 0.1
    save_every: int | None = None
    save_seconds: float = 60.0


@dataclass
class Stored:
    """What a model file says about its stream, from which nothing is trusted."""

    place: dict[str, Any]
    state: dict[str, Any]
    events: int
    dead: int
    dead_file: str
    dead_bytes: int
    bad: list[int]
    shape: FileShape | None
    gaps: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def from_json(cls, stored: Any) -> Stored:
        with usable("what it remembers"):
            version = stored["version"]
            if type(version) is not int or version > VERSION:
                raise ModelFileError(
                    f"the place in its stream is in version {version!r}; this Thresher reads up to "
                    f"{VERSION}. Upgrade Thresher to go on."
                )
            shape = stored["shape"]
            known = cls(
                dict(stored["place"]),
                dict(stored["state"]),
                stored["events"],
                stored["dead_letters"],
                stored["dead_letter_file"],
                stored["dead_letter_bytes"],
                list(stored["bad"]),
                shape and FileShape(shape["format"], dict(shape["options"])),
                list(stored.get("gaps", ())),
            )
            counts = [known.events, known.dead, known.dead_bytes, *known.bad]
            if not all(type(n) is int and 0 <= n < 2**63 for n in counts):
                raise TypeError("a count is invalid")
            return known


class Consumption:
    """One run. `told` is called with what people should know."""

    def __init__(
        self,
        learner: Trainable,
        stream: Stream,
        path: str,
        *,
        reading: ReadingOptions,
        habits: Habits,
        limits: Limits,
        dead_letters: DeadLetters,
        stored: Stored | None,
        told: Callable[[str], None],
    ) -> None:
        self.learner, self.stream, self.path = learner, stream, path
        self.reading, self.limits = reading, limits
        self.events = stored.events if stored else 0
        self.events_before = self.saved_at = self._tried_at = self.events
        self.dead = stored.dead if stored else 0
        self.last_time: float | None = None  # of the last event that was learned
        self.stopped = False
        self.away = False
        self.saves = 0
        self._stored = stored
        self._habits = habits
        self._told = told
        self._look: Callable[[], None] = lambda: None
        self._first: list[bytes] | None = None if learner.examples_ else []  # events to look at
        self._letters = dead_letters
        self._letters.cut_back(*((stored.dead_file, stored.dead_bytes) if stored else (None, 0)))
        self._bad = deque(stored.bad if stored else ())  # numbers of bad events, of the last ones
        self._gaps = stored.gaps if stored else []
        self._shape = stored.shape if stored else None
        self.progress = Progress()
        self._student: Student | None = None
        self._lag = Lag()
        self._tried_when = time.monotonic()
        self._save_failed = False  # and that was said
        self._caught_up: float | None = None  # when all was learned
        self._place: dict[str, Any] = {}  # after the last event that was learned
        if self._shape is not None:
            self._begin(self._shape)

    # -- what is known while it runs

    @property
    def examples(self) -> int:
        return self._student.examples if self._student else 0

    @property
    def drift(self) -> Drift | None:
        return self._student.drift if self._student else None

    def lag(self) -> tuple[Lag, float | None]:
        """In events or bytes, and in seconds: how long ago the last event that was learned came to
        the stream, or for files since when it is behind; 0 when nothing waits."""
        if not self.away:  # else what was known last
            self._lag = self.stream.lag()
            if self._lag.none:
                return self._lag, 0.0
        since = self._caught_up if self.last_time is None else self.last_time
        return self._lag, None if since is None else max(0.0, time.time() - since)

    @property
    def dead_letters(self) -> str:
        """Where they are written."""
        return self._letters.path

    def stop(self) -> None:
        """End after the current piece: may be called by a signal handler."""
        self.stopped = True

    # -- the run

    def open(self, *, end: bool, gap: bool) -> None:
        """Connect for the first time: whatever is wrong is an error."""
        place = self._stored.place if self._stored else None
        with usable("its place"):
            self._note_gap(self.stream.open(place, end=end, gap=gap))
        self._place = self.stream.place()

    def _note_gap(self, lost: str | None) -> None:
        if lost is not None:
            self._gaps.append({"events": self.events, "lost": lost})
            self._told(f"{self.stream.name}: {lost}. The gap is noted in the model.")

    def run(self, look: Callable[[], None]) -> None:
        """Until it is stopped, or as the limits say; `look` is called all the time."""
        self._look = look
        while not self.stopped and not self._has_all():
            events = self._fetch()
            if events:
                self.learn(events)
            elif self.stream.lag().none and not self.away:
                self._caught_up = time.time()
                self._place = self.stream.place()
                if self.limits.until_end:
                    break
            look()
            if self._is_time_to_save():
                self._save_on_the_way()
        self._look_at_columns()

    def _has_all(self) -> bool:
        most = self.limits.events
        return most is not None and self.events - self.events_before >= most

    def _fetch(self) -> list[Event]:
        """The next events; while the stream is away, none."""
        most = AT_ONCE
        if self.limits.events is not None:
            most = min(most, self.limits.events - (self.events - self.events_before))
        if self.limits.save_every is not None:
            most = min(most, self.limits.save_every - self.events % self.limits.save_every)
        at_end = self.limits.until_end and self.stream.lag().none
        try:
            return self.stream.fetch(most, END_SECONDS if at_end else WAIT_SECONDS)
        except StreamAway as error:
            self._come_back(error)
            return []

    def _come_back(self, error: StreamAway) -> None:
        """Try again, later and later."""
        pause = FIRST_PAUSE
        self.away = True
        self._told(f"{error}; trying again")
        while self._slept(pause):
            try:
                self._note_gap(self.stream.open(self._place, end=False, gap=False))
            except StreamAway as again:
                pause = min(2 * pause, LONGEST_PAUSE)
                self._told(f"{again}; trying again in {pause:g} s")
                continue
            self.away = False
            self._told(f"{self.stream.name}: back")
            return

    def _slept(self, seconds: float) -> bool:
        """Whether it was not stopped meanwhile."""
        until = time.monotonic() + seconds
        while not self.stopped and (left := until - time.monotonic()) > 0:
            time.sleep(min(0.1, left))
            self._look()
            if self._is_time_to_save():
                self._save_on_the_way()
        return not self.stopped

    # -- learning

    def learn(self, events: Sequence[Event]) -> None:
        """All of these, which are the next ones."""
        lessons = list(events)
        if self._shape is None or (events[0].first and self._shape.format in TABLES):
            lessons = self._find_shape(events)
        refused = self._learn(lessons)
        self._letters.add([(self.stream.spelled(e.at), why, e.raw) for e, why in refused])
        self.stream.take(events)
        self._place = self.stream.place()
        if (last := events[-1].time) is not None:
            self.last_time = last
        if refused:
            self._check_share(*refused[-1])

    def _find_shape(self, events: Sequence[Event]) -> list[Event]:
        """By the first event that is one; all of them, without a header."""
        for number, event in enumerate(events):
            if event.raw.strip() and not event.problem:
                header = self.stream.has_headers
                shape = shape_of(self.stream.name, event.raw, self.reading, header=header)
                self._begin(shape)
                is_header = shape.skip > 0 and event.first
                return [*events[:number], *events[number + is_header :]]
        return list(events)

    def _begin(self, shape: FileShape) -> None:
        self._shape = shape
        if self._student is None:
            state = self._stored.state if self._stored else {}
            with usable("the state of its run"):
                self._student = Student(
                    self.learner, self.reading, shape, self._habits, state, self.progress
                )
        else:
            self._student.read_as(shape.for_core())

    def _learn(self, events: Sequence[Event]) -> list[tuple[Event, str]]:
        """Those that could not be learned, and why."""
        found = {n: e.problem for n, e in enumerate(events) if e.problem}
        if self._student is not None and self._shape is not None and events:
            texts = [b"" if e.problem else e.raw for e in events] if found else [
                e.raw for e in events]  # fmt: skip
            lines, bad = as_lines(texts, self._shape)
            if self._first is not None:
                self._first += lines[: LOOKED_AT - len(self._first)]
                if len(self._first) == LOOKED_AT:
                    self._look_at_columns()
            found.update(bad)
            found.update((r.text, r.problem) for r in self._student.learn(lines))
        for number in sorted(found):
            self._bad.append(self.events + number)
        self.dead += len(found)
        self.events += len(events)
        while self._bad and self._bad[0] < self.events - WINDOW:
            self._bad.popleft()
        return [(events[n], found[n]) for n in sorted(found)]

    def _check_share(self, last: Event, why: str) -> None:
        recent = min(max(self.events, FEWEST), WINDOW)
        if len(self._bad) > self.limits.max_bad * recent:
            raise TooManyBad(
                f"{self.stream.name}: {len(self._bad):,} of the last {min(self.events, WINDOW):,} "
                f"events could not be learned; at most {self.limits.max_bad:.0%} may. The last of "
                f"them, at {self.stream.spelled(last.at)}: {why}",
                advice=f"They are in {self._letters.path}, with the reasons. Correct what sends "
                "them, or the options; or allow more with --max-bad.",
            )

    def _look_at_columns(self) -> None:
        """Whether the first events of a table have texts, dates or names of rows."""
        events, self._first = self._first, None
        if not events or self._student is None or self._shape is None:
            return
        if self._shape.format in sniffing.TABLES:
            batch = self._student.parse_unlabelled(b"\n".join(events))
            for column in sniffing.wanting_in(batch, self.reading):
                self._told(f"warning: {sniffing.warning_of(column, sniffing.as_option)}")

    # -- saving

    @property
    def nothing_learned(self) -> bool:
        return self.learner.examples_ == 0

    def _is_time_to_save(self) -> bool:
        if self.events == self.saved_at:
            return False
        every = self.limits.save_every
        if every is not None and self.events // every > self._tried_at // every:
            return True
        return time.monotonic() - self._tried_when >= self.limits.save_seconds

    def _save_on_the_way(self) -> None:
        """A disk may be full for a while: that must not cost what was learned."""
        try:
            self.save()
        except OSError as error:
            if not self._save_failed:
                self._told(f"{error.filename}: {error.strerror}. The run goes on, and saves later.")
            self._save_failed = True
            self._tried_at, self._tried_when = self.events, time.monotonic()
        else:
            self._save_failed = False

    def save(self) -> None:
        """The model with its place. One that has learned nothing never replaces another."""
        if self.nothing_learned:
            return
        self._letters.sync()
        self.learner.settle()
        self.learner.provenance_ = {"stream": self._as_json()}
        self.learner.save(self.path)
        self.saved_at = self._tried_at = self.events
        self._tried_when = time.monotonic()
        self.saves += 1
        self.stream.saved()

    def _as_json(self) -> dict[str, Any]:
        """Without times, so that the same events give the same bytes."""
        assert self._student is not None and self._shape is not None
        shape = {"format": self._shape.format, "options": self._shape.options}
        return {
            "version": VERSION,
            "name": self.stream.name,
            "place": self._place,
            "state": self._student.state(),
            "events": self.events,
            "dead_letters": self.dead,
            "dead_letter_file": self._letters.name,
            "dead_letter_bytes": self._letters.size,
            "bad": list(self._bad),
            "shape": shape,
            **({"gaps": self._gaps} if self._gaps else {}),
        }

    def close(self) -> None:
        self.stream.close()
        self._letters.close()
