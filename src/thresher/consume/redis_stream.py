"""A stream of Redis or Valkey, read from the id of the last entry that was learned.

There are no groups: the place is in the model. Redis gives whatever comes after an id, and says
nothing of entries that were trimmed in between. So each look also reads how many entries were ever
added: with the number of the last one that was learned, that says whether any are missing. Both
come from one transaction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.consume.address import Address, host_and_port
from thresher.consume.broker import Broker, client
from thresher.consume.events import Event, Lag
from thresher.errors import InvalidInput

if TYPE_CHECKING:
    from redis import Redis

T = TypeVar("T")
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")  # as JSON has them
Id = tuple[int, int]
START: Id = (0, 0)


def id_of(text: bytes | str) -> Id:
    ms, _, seq = (text.decode() if isinstance(text, bytes) else text).partition("-")
    return int(ms), int(seq)


def spelled_id(id: Id) -> str:
    return f"{id[0]}-{id[1]}"


class RedisStream(Broker):
    """One key. `field` is the field of an entry that holds the event."""

    kind = "id"

    def __init__(self, address: Address, field: str | None = None) -> None:
        *db, self.key = address.path
        super().__init__(address, ("key", self.key))
        self._redis = redis = client("redis", "redis")
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        if db and not db[0].isdigit():
            raise InvalidInput(f"{address}: {db[0]!r} is no number of a database.")
        self._field = None if field is None else field.encode()
        host, port = host_and_port(address.hosts[0])
        self._client: Redis = redis.Redis(
            host=host, port=port, db=int(db[0]) if db else 0,
            username=address.user, password=address.password,
            ssl=address.scheme in ("rediss", "valkeys"),
            **_settings(address), socket_connect_timeout=10.0, socket_timeout=30.0,
            retry=Retry(NoBackoff(), 0),
        )  # fmt: skip
        self._taken: Id = START
        self._count = 0  # entries that were added up to there
        self._forgiven: Id = START  # entries up to here were deleted before we came
        self._end = 0  # entries that were ever added

    # -- connecting

    def open(self, place: dict[str, Any] | None, *, end: bool, gap: bool) -> str | None:
        info = self._asked(lambda: self._info(self._client))
        if place is None:
            if info is None:
                raise self._refused(
                    f"no stream {self.key!r}; expected one that is there. XADD makes "
                    "it; check the name and the number of the database."
                )
            added = int(info["entries-added"])
            self._count = added if end else added - int(info["length"])
            self._taken = id_of(info["last-generated-id"]) if end else START
            self._forgiven = id_of(info["max-deleted-entry-id"])
            return None
        self._taken, self._count = id_of(place["id"]), int(place["added"])
        self._forgiven = id_of(place["deleted"]) if "deleted" in place else START
        lost = self._lost(info)
        if lost is not None and not gap:
            raise self._gone(lost)
        if lost is not None:
            self._accept(info)
        return lost

    def _accept(self, info: dict[str, Any] | None) -> None:
        """Go on with what there is."""
        if info is None or id_of(info["last-generated-id"]) < self._taken:
            self._taken = START
        entries, info = self._asked(lambda: self._look(spelled_id(self._taken), None))
        self._count = int(info["entries-added"]) - len(entries) if info else 0
        self._forgiven = id_of(info["max-deleted-entry-id"]) if info else START

    def _info(self, client: Any) -> dict[str, Any] | None:
        try:
            return self._checked(client.xinfo_stream(self.key))
        except self._redis.ResponseError as error:
            if "no such key" not in str(error):
                raise
            return None

    def _checked(self, info: dict[str, Any]) -> dict[str, Any]:
        if "entries-added" not in info:
            raise self._refused(
                "the server does not count what is added to a stream, so that "
                "nobody could tell whether entries were trimmed; expected Redis 7.0 or newer, "
                "or Valkey."
            )
        return info

    def _asked(self, ask: Callable[[], T]) -> T:
        """Errors of the client, as what they mean."""
        errors = self._redis.exceptions
        try:
            return ask()
        except errors.AuthenticationError as error:
            raise self._denied(error) from error
        except (errors.NoPermissionError, errors.AuthorizationError) as error:
            raise self._refused(
                f"no permission ({error}). The user needs +xread +xrange "
                f"+xinfo|stream +multi +exec on ~{self.key}."
            ) from error
        except (errors.ConnectionError, errors.TimeoutError, errors.BusyLoadingError) as error:
            raise self._away(f"no answer ({error})") from error
        except errors.ResponseError as error:
            text = str(error)
            if "WRONGTYPE" in text:
                kind = self._client.type(self.key).decode()
                raise self._refused(
                    f"{self.key} is a {kind}; expected a stream, as XADD makes it."
                ) from error
            if "NOAUTH" in text:
                raise self._denied(error) from error
            raise self._refused(text) from error

    # -- what is missing

    def _lost(self, info: dict[str, Any] | None) -> str | None:
        """Entries after those that were learned that are gone: in words."""
        after = f"after {spelled_id(self._taken)}"
        if info is None:
            return f"the stream {self.key} is gone" if self._taken != START else None
        added, length = int(info["entries-added"]), int(info["length"])
        if id_of(info["last-generated-id"]) < self._taken or added < self._count:
            return f"the stream {self.key} was deleted and made again"
        if id_of(info["max-deleted-entry-id"]) > max(self._taken, self._forgiven):
            return f"entries {after} were deleted (XDEL)"
        first = info["first-entry"]
        is_behind = first is not None and id_of(first[0]) <= self._taken
        missing = 0 if is_behind else added - self._count - length
        if missing:
            return f"{abs(missing):,} entries {after} are gone: they were trimmed"
        return None

    # -- reading

    def fetch(self, most: int, wait: float) -> list[Event]:
        after = spelled_id(self._taken)
        entries, info = self._asked(lambda: self._look(after, most))
        if (lost := self._lost(info)) is not None:
            raise self._gone(lost)
        self._end = int(info["entries-added"]) if info else 0
        if not entries and wait > 0:
            waiting = max(1, round(wait * 1000))
            self._asked(lambda: self._client.xread({self.key: after}, count=1, block=waiting))
            return self.fetch(most, 0.0)
        return [self._event(id, fields) for id, fields in entries]

    def _look(self, after: str, most: int | None) -> tuple[list[Any], dict[str, Any] | None]:
        pipe = self._client.pipeline(transaction=True)
        pipe.xrange(self.key, f"({after}", "+", count=most)
        pipe.xinfo_stream(self.key)
        entries, info = pipe.execute(raise_on_error=False)
        for answer in (entries, info):
            if isinstance(answer, self._redis.ResponseError) and "no such key" in str(answer):
                return [], None
            if isinstance(answer, Exception):
                raise answer
        return entries, self._checked(info)

    def _event(self, id: bytes, fields: dict[bytes, bytes]) -> Event:
        """The field that holds the event; without a name the only one; or all of them as JSON."""
        at = id_of(id)
        if self._field is not None and self._field in fields:
            return Event(fields[self._field], at, at[0] / 1e3)
        if self._field is None and len(fields) == 1:
            return Event(next(iter(fields.values())), at, at[0] / 1e3)
        text = b"{%b}" % b", ".join(
            b"%b: %b" % (_json(name), value if NUMBER.fullmatch(value) else _json(value))
            for name, value in fields.items()
        )
        problem = ""
        if self._field is not None:
            problem = f"the entry has no field {self._field.decode(errors='replace')!r}."
        return Event(text, at, at[0] / 1e3, problem=problem)

    def take(self, events: Sequence[Event]) -> None:
        if events:
            self._taken = events[-1].at
            self._count += len(events)

    def place(self) -> dict[str, Any]:
        place: dict[str, Any] = {
            "key": self.key, "id": spelled_id(self._taken), "added": self._count
        }  # fmt: skip
        if self._forgiven > self._taken:
            place["deleted"] = spelled_id(self._forgiven)
        return place

    def saved(self) -> None:
        """Entries that are learned may be trimmed, by whoever owns the stream."""

    def spelled(self, at: Any) -> str:
        return spelled_id(at)

    def lag(self) -> Lag:
        return Lag(max(0, self._end - self._count))

    def close(self) -> None:
        self._client.close()


def _settings(address: Address) -> dict[str, Any]:
    known = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
    for name in address.settings:
        if name not in known:
            raise InvalidInput(
                f"--broker-config: no setting {name!r} for Redis; expected username, password, "
                f"{', '.join(known)}."
            )
    return dict(address.settings)


def _json(text: bytes) -> bytes:
    return json.dumps(text.decode("utf-8", "surrogateescape"), ensure_ascii=False).encode(
        "utf-8", "surrogateescape"
    )
