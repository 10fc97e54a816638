"""A stream of NATS JetStream, in the order of its sequence, from the one that was learned last.

The consumer is made for each connection and acknowledges nothing: the place is in the model. A
number that is missing in the sequence is a message that was deleted, purged or has expired, unless
only one subject of the stream is read: then the numbers of others are missing by right.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.consume.address import Address
from thresher.consume.broker import ASK_SECONDS, Broker, client
from thresher.consume.events import Event, Lag, StreamLost
from thresher.errors import InvalidInput

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js.api import StreamInfo
    from nats.js.client import JetStreamContext

T = TypeVar("T")
IDLE_SECONDS = 300.0  # after which the server forgets a consumer that nobody asks


class NatsStream(Broker):
    """The messages of a stream, or of one subject of it."""

    kind = "seq"
    credentials = "username=… and password=…, token=… or credentials=FILE"

    def __init__(self, address: Address) -> None:
        (self.stream,) = address.path
        super().__init__(address, ("stream", self.stream))
        self.subject = address.query.get("subject")
        self._nats = client("nats", "nats-py")
        self._hosts = address.hosts
        self._options: dict[str, Any] = {
            "servers": [f"{address.scheme}://{host}" for host in address.hosts],
            "user": address.user, "password": address.password, **_settings(address),
            "connect_timeout": ASK_SECONDS, "allow_reconnect": False,
            "error_cb": _say_nothing, "name": "thresher consume",
        }  # fmt: skip
        self._runner: asyncio.Runner | None = None  # while it is open
        self._client: Client | None = None
        self._pull: JetStreamContext.PullSubscription | None = None
        self._created = ""
        self._taken = 0  # the sequence number of the last message that was learned
        self._delivered = 0  # messages that the consumer has sent
        self._behind = 0  # messages that the consumer has not sent yet
        self._missing: StreamLost | None = None

    # -- connecting

    def open(self, place: dict[str, Any] | None, *, end: bool, gap: bool) -> str | None:
        self.close()
        self._missing = None
        self._knock(self._hosts)
        self._runner = asyncio.Runner()
        return self._run(self._open(place, end, gap))

    async def _open(self, place: dict[str, Any] | None, end: bool, gap: bool) -> str | None:
        connecting = self._nats.connect(**self._options)
        client: Client = await asyncio.wait_for(connecting, ASK_SECONDS)
        self._client = client
        jetstream = client.jetstream(timeout=ASK_SECONDS)
        info = await jetstream.stream_info(self.stream)
        lost = None
        created = info.created.isoformat() if info.created else ""
        if place is None:
            self._taken = info.state.last_seq if end else info.state.first_seq - 1
            self._taken = max(0, self._taken)
        else:
            self._taken = int(place["seq"])
            lost = self._lost(info, created, place.get("created"))
            if lost is None and self.subject is None:
                lost = await self._deleted(jetstream)
            if lost is not None and not gap:
                raise self._gone(lost)
            if lost is not None:
                again = info.state.last_seq < self._taken or created != place.get("created")
                self._taken = max(0 if again else self._taken, info.state.first_seq - 1)
                self._taken = (await self._next(jetstream) or self._taken + 1) - 1
        self._created = created
        await self._subscribe(jetstream)
        return lost

    async def _subscribe(self, jetstream: JetStreamContext) -> None:
        from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=self._taken + 1,
            ack_policy=AckPolicy.NONE,
            inactive_threshold=IDLE_SECONDS,
            max_deliver=1,
        )
        self._delivered = 0
        self._pull = await jetstream.pull_subscribe(
            self.subject or "", stream=self.stream, config=config
        )
        self._behind = (await self._pull.consumer_info()).num_pending or 0

    def _run(self, asked: Coroutine[Any, Any, T]) -> T:
        """Errors of the client, as what they mean."""
        errors, js_errors = self._nats.errors, self._nats.js.errors
        assert self._runner is not None
        try:
            return self._runner.run(asked)
        except js_errors.NotFoundError as error:
            raise self._refused(
                f"no stream {self.stream!r} ({error.description}); expected one that "
                "is there: nats stream add, or check the name."
            ) from error
        except (errors.AuthorizationError, errors.InvalidUserCredentialsError) as error:
            raise self._denied(error) from error
        except js_errors.APIError as error:
            if error.code is not None and error.code >= 500:
                raise self._away(str(error.description)) from error
            raise self._refused(str(error.description)) from error
        except (OSError, TimeoutError, errors.Error, js_errors.Error) as error:
            if "authorization violation" in str(error).lower():
                raise self._denied(error) from error
            why = str(error) or type(error).__name__
            raise self._away(f"no answer ({why})") from error

    # -- what is missing

    def _lost(self, info: StreamInfo, created: str, before: str | None) -> str | None:
        """Messages after those that were learned that are gone: in words."""
        state = info.state
        if before and created and created != before:
            return (
                f"this is another stream of that name: it was made on {created}, and the one that "
                f"was read on {before}"
            )
        if state.last_seq < self._taken:
            return (
                f"the stream ends with message {state.last_seq:,}, and was read up to "
                f"{self._taken:,}: it was made again"
            )
        if state.first_seq > self._taken + 1 and state.last_seq > self._taken:
            return (
                f"messages {self._taken + 1:,} to {state.first_seq - 1:,} are gone: they were "
                "purged or have expired"
            )
        return None

    async def _deleted(self, jetstream: JetStreamContext) -> str | None:
        """Messages in the middle of the stream that are gone."""
        following = await self._next(jetstream)
        if following is None or following == self._taken + 1:
            return None
        return f"messages {self._taken + 1:,} to {following - 1:,} are gone: they were deleted"

    async def _next(self, jetstream: JetStreamContext) -> int | None:
        """The number of the next message."""
        try:
            found = await jetstream.get_msg(
                self.stream, seq=self._taken + 1, subject=self.subject or ">", next=True
            )
        except self._nats.js.errors.NotFoundError:
            return None
        return int(found.seq)

    # -- reading

    def fetch(self, most: int, wait: float) -> list[Event]:
        if self._client is None or self._client.is_closed or not self._client.is_connected:
            raise self._away("the connection was lost")
        if self._missing:
            raise self._missing
        return self._run(self._fetch(most, wait))

    async def _fetch(self, most: int, wait: float) -> list[Event]:
        assert self._pull is not None
        try:
            messages = await self._pull.fetch(min(most, 1000), timeout=max(wait, 0.01))
        except (self._nats.errors.TimeoutError, TimeoutError):
            await self._nothing_came()
            return []
        events: list[Event] = []
        at = self._taken
        for message in messages:
            about = message.metadata
            self._delivered += 1
            if about.sequence.consumer != self._delivered:
                raise self._away("a message was lost on the way")
            seq = about.sequence.stream
            if seq != at + 1 and self.subject is None:
                self._missing = self._gone(
                    f"messages {at + 1:,} to {seq - 1:,} are gone: they were deleted"
                )
                break  # those before it come first
            at = seq
            self._behind = about.num_pending
            events.append(Event(message.data, seq, about.timestamp.timestamp()))
        if self._missing and not events:
            raise self._missing
        return events

    async def _nothing_came(self) -> None:
        """The consumer may be gone, and so may messages that it was to send."""
        assert self._pull is not None and self._client is not None
        jetstream = self._client.jetstream(timeout=ASK_SECONDS)
        state = (await jetstream.stream_info(self.stream)).state
        consumer = await self._pull.consumer_info()
        self._behind = consumer.num_pending or 0
        sent = consumer.delivered.consumer_seq if consumer.delivered else 0
        if self._behind or sent != self._delivered:
            return
        if self.subject is not None:
            self._taken = max(self._taken, state.last_seq)  # the rest is of other subjects
        elif state.last_seq > self._taken and state.first_seq > self._taken + 1:
            raise self._gone(
                f"messages {self._taken + 1:,} to {state.first_seq - 1:,} are gone: they were "
                "purged, deleted or have expired",
            )

    def take(self, events: Sequence[Event]) -> None:
        if events:
            self._taken = events[-1].at

    def place(self) -> dict[str, Any]:
        place = {"stream": self.stream, "seq": self._taken, "created": self._created}
        return place | ({"subject": self.subject} if self.subject else {})

    def saved(self) -> None:
        """Nothing is acknowledged: the model is what remembers."""

    def spelled(self, at: Any) -> str:
        return str(at)

    def lag(self) -> Lag:
        return Lag(self._behind)

    def close(self) -> None:
        client, self._client, self._pull = self._client, None, None
        runner, self._runner = self._runner, None
        if runner is None:
            return
        with runner, suppress(OSError, TimeoutError, self._nats.errors.Error):
            if client is not None and not client.is_closed:
                runner.run(asyncio.wait_for(client.close(), 2.0))


def _settings(address: Address) -> dict[str, Any]:
    known = {"token": "token", "credentials": "user_credentials", "nkeys_seed": "nkeys_seed"}
    for name in address.settings:
        if name not in known:
            raise InvalidInput(
                f"--broker-config: no setting {name!r} for NATS; expected username, password, "
                f"{', '.join(known)}."
            )
    return {known[name]: value for name, value in address.settings.items()}


async def _say_nothing(error: Exception) -> None:
    """What goes wrong is raised by what was asked."""
