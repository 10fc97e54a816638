"""A topic of Kafka, read from offsets that the model keeps: assigned, never committed.

An offset that the brokers no longer have is an error (``auto.offset.reset=error``), and so is a
topic or a cluster that is another one under the same name. Gaps between offsets are no loss: the
marks of transactions and compaction make them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.consume.address import Address
from thresher.consume.broker import ASK_SECONDS, Broker, client
from thresher.consume.events import Event, Lag
from thresher.errors import ThresherError

if TYPE_CHECKING:
    from confluent_kafka import Consumer

T = TypeVar("T")
PARTITIONS_SECONDS = 60.0  # how often the partitions are counted again
OWN = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,  # says that the end was reached, whatever marks it ends with
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "allow.auto.create.topics": False,
}
AUTH = ("_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "TOPIC_AUTHORIZATION_FAILED",
        "GROUP_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED")  # fmt: skip


class KafkaTopic(Broker):
    """All partitions of a topic; `fetch` mixes them as they come."""

    kind = "offsets"
    credentials = "what the client needs (sasl.username=…, sasl.password=…, security.protocol=…)"

    def __init__(self, address: Address) -> None:
        (self.topic,) = address.path
        super().__init__(address, ("topic", self.topic))
        self._kafka = client("confluent_kafka", "confluent-kafka")
        self._settings: dict[str, Any] = {
            "group.id": "thresher", "fetch.wait.max.ms": 100, **address.settings,
            "bootstrap.servers": ",".join(address.hosts), **OWN,
        }  # fmt: skip
        if address.user:
            self._settings = {
                "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN",
                **self._settings,
                "sasl.username": address.user, "sasl.password": address.password or "",
            }  # fmt: skip
        self._consumer: Consumer | None = None
        self._cluster: str | None = None
        self._topic_id: str | None = None
        self._taken: dict[int, int] = {}  # partition → the next offset to learn
        self._ends: dict[int, int] = {}  # partition → its high watermark
        self._reached: dict[int, int] = {}  # partition → an end that was reached
        self._problem: Any = None  # what the client said: nobody answers, or lets it in
        self._detail: Any = None  # what it said of single connections
        self._counted = 0.0

    @property
    def partitions(self) -> int:
        return len(self._taken)

    # -- connecting

    def open(self, place: dict[str, Any] | None, *, end: bool, gap: bool) -> str | None:
        self.close()
        self._knock(self._settings["bootstrap.servers"].split(","))
        quiet = logging.getLogger("thresher.consume.kafka")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        self._problem = self._detail = None
        settings = {**self._settings, "error_cb": self._note}
        try:
            self._consumer = self._kafka.Consumer(settings, logger=quiet)
        except self._kafka.KafkaException as error:
            raise self._refused(f"{error.args[0].str()}") from error
        cluster, topic_id = self._describe()
        lost: list[str] = []
        if place is not None:
            for what, before, now in (
                ("cluster", place.get("cluster"), cluster),
                ("topic", place.get("topic_id"), topic_id),
            ):
                if before and now and before != now:
                    lost.append(
                        f"this is another {what} of that name: its id is {now}, and was {before}"
                    )
        self._cluster, self._topic_id = cluster, topic_id
        self._place_all(place, end, lost)
        if lost and not gap:
            raise self._gone("; ".join(lost))
        self._assign()
        return "; ".join(lost) or None

    def _describe(self) -> tuple[str | None, str | None]:
        """The cluster's id, the topic's, and the partitions."""
        found = self._asked(lambda: self._client.list_topics(self.topic, timeout=ASK_SECONDS))
        topic = found.topics.get(self.topic)
        if topic is None or topic.error is not None or not topic.partitions:
            error = None if topic is None else topic.error
            if error is not None and error.name() in AUTH:
                raise self._denied(error.str())
            raise self._refused(
                f"no topic {self.topic!r} ({error or 'not known'}); expected one that "
                "is there: kafka-topics --create, or check the name."
            )
        self._ends = dict.fromkeys(sorted(topic.partitions), 0)
        self._counted = time.monotonic()
        return found.cluster_id, self._id_of_topic()

    def _id_of_topic(self) -> str | None:
        """Which tells a topic from one that was deleted and made again; old brokers have none."""
        from confluent_kafka import TopicCollection
        from confluent_kafka.admin import AdminClient

        shared = {
            name: value for name, value in self._settings.items()
            if name not in OWN and name not in ("group.id", "fetch.wait.max.ms")
        }  # fmt: skip
        quiet = logging.getLogger("thresher.consume.kafka")
        admin = AdminClient(shared, logger=quiet)
        try:
            asked = admin.describe_topics(TopicCollection([self.topic]), request_timeout=5.0)
            found = asked[self.topic].result()
        except self._kafka.KafkaException:  # no permission to describe, or too old
            return None
        return str(found.topic_id) if found.topic_id is not None else None

    def _place_all(self, place: dict[str, Any] | None, end: bool, lost: list[str]) -> None:
        stored = {int(p): int(o) for p, o in (place or {}).get("offsets", {}).items()}
        another = bool(lost)
        self._taken = {}
        for partition in self._ends:
            low, high = self._watermarks(partition)
            self._ends[partition] = high
            offset = stored.get(partition)
            if offset is None or another:
                self._taken[partition] = high if end and place is None else low
                if offset is None and place is not None and low > 0:
                    lost.append(f"partition {partition} is new, and begins with offset {low:,}")
                continue
            if offset < low:
                lost.append(
                    f"partition {partition}: offsets {offset:,} to {low - 1:,} are gone: they were "
                    "deleted or have expired"
                )
            elif offset > high:
                lost.append(
                    f"partition {partition} ends with offset {high:,}, and was read up to "
                    f"{offset:,}: it was truncated, or made again"
                )
            self._taken[partition] = offset if low <= offset <= high else low
        for partition in stored.keys() - self._ends.keys():
            lost.append(f"partition {partition} is gone")

    def _watermarks(self, partition: int) -> tuple[int, int]:
        asked = self._kafka.TopicPartition(self.topic, partition)
        found = self._asked(lambda: self._client.get_watermark_offsets(asked, timeout=ASK_SECONDS))
        if found is None:
            raise self._away(f"no answer about partition {partition}")
        return int(found[0]), int(found[1])

    def _assign(self) -> None:
        """Read from what was learned on, whatever was fetched since."""
        places = [
            self._kafka.TopicPartition(self.topic, p, o) for p, o in sorted(self._taken.items())
        ]
        self._reached.clear()
        self._asked(lambda: self._client.assign(places))

    def start_at(self, offsets: dict[int, int]) -> None:
        """Read from these offsets on; the others are as they were."""
        self._taken.update(offsets)
        self._assign()

    @property
    def _client(self) -> Consumer:
        assert self._consumer is not None
        return self._consumer

    def _note(self, error: Any) -> None:
        """From the client, while it is asked for messages. It goes on trying by itself; what it
        says of single connections only explains the rest."""
        if error.name() in ("_ALL_BROKERS_DOWN", *AUTH) or error.fatal():
            self._problem = error
        else:
            self._detail = error

    def _asked(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except self._kafka.KafkaException as error:
            raise self._meant(error.args[0]) from error

    def _meant(self, error: Any) -> ThresherError:
        detail = self._detail if self._detail is not None else error
        for one in (error, self._problem):
            if one is not None and one.name() in AUTH:
                return self._denied(one.str())
        if error.name() in ("_AUTO_OFFSET_RESET", "OFFSET_OUT_OF_RANGE", "_LOG_TRUNCATION"):
            return self._gone(f"events are gone ({error.str()})")
        if error.name() in ("UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION"):
            return self._refused(f"no topic {self.topic!r} ({error.str()})")
        if error.retriable() or error.name().startswith("_"):
            return self._away(f"no answer ({detail.str()})")
        return self._refused(f"{error.str()}")

    # -- reading

    def fetch(self, most: int, wait: float) -> list[Event]:
        if time.monotonic() - self._counted > PARTITIONS_SECONDS:
            self._count_partitions()
        events: list[Event] = []
        for message in self._asked(lambda: self._client.consume(most, wait)):
            if (error := message.error()) is not None:
                if error.code() == self._kafka.KafkaError._PARTITION_EOF:
                    self._reached[message.partition()] = message.offset()
                    continue
                if events:
                    break  # it will come again
                raise self._meant(error)
            kind, ms = message.timestamp()
            time_of = ms / 1e3 if kind != self._kafka.TIMESTAMP_NOT_AVAILABLE else None
            at = (message.partition(), message.offset())
            events.append(Event(message.value() or b"", at, time_of))
        if not events and self._problem is not None:
            raise self._meant(self._problem)
        return events

    def _count_partitions(self) -> None:
        """A topic can get more of them: all are opened again then."""
        self._counted = time.monotonic()
        found = self._asked(lambda: self._client.list_topics(self.topic, timeout=ASK_SECONDS))
        now = found.topics[self.topic].partitions
        if now and set(now) - set(self._taken):
            raise self._away(f"the topic has {len(now)} partitions now")

    def take(self, events: Sequence[Event]) -> None:
        for event in events:
            partition, offset = event.at
            self._taken[partition] = offset + 1

    def place(self) -> dict[str, Any]:
        place: dict[str, Any] = {
            "topic": self.topic,
            "offsets": {str(p): o for p, o in sorted(self._taken.items())},
        }
        if self._cluster:
            place["cluster"] = self._cluster
        if self._topic_id:
            place["topic_id"] = self._topic_id
        return place

    def saved(self) -> None:
        """Nothing is committed: the model is what remembers."""

    def spelled(self, at: Any) -> str:
        return f"{at[0]}:{at[1]}"

    def lag(self) -> Lag:
        """By what the brokers said with the last events that they sent."""
        behind = 0
        for partition, taken in self._taken.items():
            asked = self._kafka.TopicPartition(self.topic, partition)
            try:
                found = self._client.get_watermark_offsets(asked, cached=True)
            except self._kafka.KafkaException:
                found = None
            if found and found[1] >= 0:
                self._ends[partition] = max(found[1], self._ends[partition])
            behind += max(0, self._ends[partition] - max(taken, self._reached.get(partition, 0)))
        return Lag(behind)

    def close(self) -> None:
        if self._consumer is not None:
            consumer, self._consumer = self._consumer, None
            consumer.close()
