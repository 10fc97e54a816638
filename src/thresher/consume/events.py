"""What every stream gives: events in one order, each with the place at which it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from thresher.errors import ThresherError


class StreamLost(ThresherError, RuntimeError):
    """Events that were not learned yet are gone, or may be."""


class StreamAway(ThresherError, RuntimeError):
    """No answer at the moment: it is worth trying again."""


class StreamRefused(ThresherError, ValueError):
    """The stream is not there, or may not be read: trying again does not help."""


def why_lost(name: str, lost: str) -> StreamLost:
    """The error for a stream in which something is missing."""
    return StreamLost(
        f"{name}: {lost}",
        advice="Nothing was skipped. To go on with what there is, and have the gap noted in the "
        "model, give --accept-gap; to start over, remove the model.",
    )


@dataclass(slots=True)
class Event:
    """One event as it came."""

    raw: bytes
    at: Any  # its place, as its stream counts
    time: float | None = None  # when it was put there, in seconds since 1970
    first: bool = False  # the first line of a file, which may be a header
    problem: str = ""  # why it cannot be an event, if that is known already


@dataclass(frozen=True, slots=True)
class Lag:
    """How far behind the end of the stream; None where that is not known."""

    events: int | None = None
    bytes: int | None = None

    @property
    def none(self) -> bool:
        """Whether all is learned."""
        return not self.events and not self.bytes


class Stream(Protocol):
    """A stream that is read from a place on. Places are JSON values, kept in the model file."""

    name: str
    """For people: never with a password."""
    kind: str
    """The key that only places in such a stream have."""
    identity: tuple[str, str]
    """A key of the place and its value: which stream it is, whatever host it moves to."""
    has_headers: bool
    """Whether a table begins with the names of its columns: a file may, a message does not."""

    def open(self, place: dict[str, Any] | None, *, end: bool, gap: bool) -> str | None:
        """Begin after `place`; without one, at the first event, or behind the last if `end`. It is
        an error if what comes after the place is gone, unless a `gap` is accepted: then what is
        there counts, and the answer says what is missing."""

    def fetch(self, most: int, wait: float) -> list[Event]:
        """The next events, if any come within some seconds."""

    def take(self, events: Sequence[Event]) -> None:
        """These, the first that were fetched, are learned."""

    def place(self) -> dict[str, Any]:
        """After the last event that was learned."""

    def saved(self) -> None:
        """The last `place` is on disk."""

    def spelled(self, at: Any) -> str:
        """The place of an event, for people."""

    def lag(self) -> Lag:
        """Behind the events that were taken."""

    def close(self) -> None:
        """May be called at any time, also twice."""
