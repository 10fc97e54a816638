"""Labels that come late: after a number of examples, or by the times in a column."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime

from thresher.errors import InvalidInput

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
EXPECTED = "a number of examples, or with time=COLUMN a time such as 45s, 30m, 12h, 7d or 2w"


@dataclass(frozen=True)
class Delay:
    """How late labels come."""

    examples: int = 0  # this many more are predicted first
    time: str | None = None  # the column of the examples' times
    length: float = 0.0  # of time
    in_seconds: bool = False  # else in the unit of the column

    def __bool__(self) -> bool:
        return self.examples > 0 or self.time is not None


AT_ONCE = Delay()


def delay_of(given: int | float | str | None, time: str | None = None) -> Delay:
    """What a user says, checked."""
    if given is None and time is None:
        return AT_ONCE
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw]?)", str(given or 0).strip())
    if found is None or isinstance(given, bool):
        raise InvalidInput(f"delay is {given!r}; expected {EXPECTED}.")
    length, unit = float(found[1]), found[2]
    if time is None:
        if unit:
            raise InvalidInput(
                f"delay is {given!r}, a time; expected time=COLUMN (--time COLUMN), which holds "
                "the time of each example."
            )
        if not length.is_integer() or length >= 2**53:
            raise InvalidInput(f"delay is {given!r}; expected {EXPECTED}.")
        return Delay(int(length))
    if length == 0.0:
        raise InvalidInput(
            f"the column of times {time!r} says when labels come; expected a delay, too, such as "
            "delay='7d' (--delay 7d)."
        )
    return Delay(0, time, length * UNITS.get(unit, 1.0), bool(unit))


class Clock:
    """The times of the examples that wait, and of those that are to be predicted next."""

    def __init__(self, delay: Delay) -> None:
        self.delay = delay
        self._times: list[float] = []
        self._last = (-math.inf, "")
        self._are_dates: bool | None = None

    def add(self, text: str) -> None:
        """The next example's time. One that cannot be used is an error that does not say where."""
        time, is_date = self._read(text)
        last, last_text = self._last
        if time < last:
            raise InvalidInput(
                f"the time {text} comes after {last_text}; expected the examples in the order of "
                f"time: sort them by {self.delay.time!r}."
            )
        self._are_dates, self._last = is_date, (time, text)
        self._times.append(time)

    def may_wait(self, waiting: int) -> list[int]:
        """For each example that is new, how many of those before it still wait for their labels."""
        times, length = self._times, self.delay.length
        return [
            i - bisect_right(times, times[i] - length, hi=i) for i in range(waiting, len(times))
        ]

    def drop(self, examples: int) -> None:
        """The oldest are learned."""
        del self._times[:examples]

    def _read(self, text: str) -> tuple[float, bool]:
        column, text = self.delay.time, text.strip()
        try:
            time, is_date = float(text), False
        except ValueError:
            try:
                date = datetime.fromisoformat(text.removesuffix(" UTC"))
            except ValueError:
                time, is_date = math.nan, False
            else:
                date = date if date.tzinfo else date.replace(tzinfo=UTC)
                time, is_date = date.timestamp(), True
        if not math.isfinite(time):
            found = f"{text!r}" if text else "nothing"
            raise InvalidInput(
                f"found {found} in the column of times {column!r}; expected a date such as "
                "2024-05-17 or 2024-05-17 13:30, or a number."
            )
        if is_date and not self.delay.in_seconds:
            raise InvalidInput(
                f"{column!r} holds dates ({text}), and the delay is a mere number; expected one "
                "with a unit, such as 45s, 30m, 12h, 7d or 2w."
            )
        if self._are_dates not in (None, is_date):
            raise InvalidInput(
                f"found {text!r} in the column of times {column!r}; expected a "
                f"{'date' if self._are_dates else 'number'}, as before."
            )
        return time, is_date
