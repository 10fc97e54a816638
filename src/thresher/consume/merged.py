"""Several partitions have no order of their own: what comes first is written first, to a log beside
the model, and learned in the order of that log. So a run that is started again learns in the same
order as before, and a model is a function of its log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from thresher.consume.events import Event, Lag, StreamLost
from thresher.consume.kafka_topic import KafkaTopic
from thresher.serve.log import Frame, Kind, Log


class MergedTopic:
    """A topic through a log, as soon as it has more than one partition."""

    kind = KafkaTopic.kind
    has_headers = False

    def __init__(self, topic: KafkaTopic, folder: Path, *, keep: bool = False) -> None:
        self.name = topic.name
        self.identity = topic.identity
        self._topic = topic
        self._folder = folder
        self._keep = keep  # the log, also of what is learned
        self._log: Log | None = None
        self._replay: Iterator[Frame] = iter(())
        self._seq = 0  # of the last event that was learned
        self._offsets: dict[int, int] = {}  # partition → the next offset after that event

    def open(self, place: dict[str, Any] | None, *, end: bool, gap: bool) -> str | None:
        self._close_log()
        lost = self._topic.open(place, end=end, gap=gap)
        self._offsets = {int(p): o for p, o in self._topic.place()["offsets"].items()}
        self._seq = int((place or {}).get("seq", 0))
        if self._topic.partitions == 1 and not self._seq:
            return lost
        self._log = log = Log(self._folder, vouched=self._seq)
        if log.last < self._seq or (self._seq < log.first - 1):
            if log.last > 0:
                raise StreamLost(
                    f"{self._folder}: the log has events {log.first:,} to {log.last:,}, and the "
                    f"model ends with {self._seq:,}",
                    advice="They do not belong together. If the model was replaced on purpose, "
                    "remove the log: what is after the model's place is read again.",
                )
            self._seq = 0  # the log was removed; the model knows its offsets
        ahead = dict(self._offsets)
        for frame in log.read(self._seq):
            partition, offset, _ = _at(frame)
            ahead[partition] = offset + 1
        self._topic.start_at(ahead)
        self._replay = log.read(self._seq)
        return lost

    def fetch(self, most: int, wait: float) -> list[Event]:
        log = self._log
        if log is None:
            return self._topic.fetch(most, wait)
        if again := list(islice(self._replay, most)):
            return [_event(frame) for frame in again]
        events = self._topic.fetch(most, wait)
        if not events:
            return []
        frames = [
            Frame(Kind.LEARN, 1, json.dumps([*event.at, event.time]).encode(), event.raw)
            for event in events
        ]
        seq = log.append(frames)
        self._topic.take(events)
        return [
            Event(event.raw, (seq + i, *event.at), event.time) for i, event in enumerate(events)
        ]

    def take(self, events: Sequence[Event]) -> None:
        if self._log is None:
            self._topic.take(events)
            return
        for event in events:
            self._seq, partition, offset = event.at
            self._offsets[partition] = offset + 1

    def place(self) -> dict[str, Any]:
        if self._log is None:
            return self._topic.place()
        offsets = {str(p): o for p, o in sorted(self._offsets.items())}
        return {**self._topic.place(), "offsets": offsets, "seq": self._seq}

    def saved(self) -> None:
        """What is in the model need not be in the log."""
        if self._log is not None and not self._keep:
            self._log.drop(self._seq)

    def spelled(self, at: Any) -> str:
        return self._topic.spelled(at[-2:])

    def lag(self) -> Lag:
        if self._log is None:
            return self._topic.lag()
        return Lag((self._topic.lag().events or 0) + self._log.last - self._seq)

    def close(self) -> None:
        self._close_log()
        self._topic.close()

    def _close_log(self) -> None:
        if self._log is not None:
            log, self._log, self._replay = self._log, None, iter(())
            log.close()


def _at(frame: Frame) -> tuple[int, int, float | None]:
    partition, offset, when = json.loads(frame.meta)
    return int(partition), int(offset), when


def _event(frame: Frame) -> Event:
    partition, offset, when = _at(frame)
    return Event(frame.raw, (frame.seq, partition, offset), when)
