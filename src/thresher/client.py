"""A client of `thresher serve`, with retries that are safe.

Each request that changes something carries a key, so that a request whose answer was lost can be
sent again: the server learns it once. It needs no package besides Python's own: a program that
only sends events should not have to install a framework for it.

Examples
--------
>>> from thresher.client import Client
>>> client = Client("http://127.0.0.1:8765")  # doctest: +SKIP
>>> client.create("mail", learner="arow", label="spam")  # doctest: +SKIP
>>> client.learn("mail", {"links": 3, "spam": True}).seq  # doctest: +SKIP
2
>>> client.predict("mail", {"links": 5})["prediction"]  # doctest: +SKIP
'true'
"""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from thresher.errors import InvalidInput, ThresherError

AGAIN = (429, 503)  # busy, or not ready yet
Event = Mapping[str, Any]


class ServerError(ThresherError):
    """The server refused a request; `status` is that of HTTP, `answer` what it said."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {answer.get('error', 'no reason was given')}")
        self.status, self.answer = status, answer


class NoAnswer(ThresherError, ConnectionError):
    """The server could not be reached, even after retries."""


@dataclass(frozen=True)
class Learned:
    """What became of events: how many were learned, at which seq, and which were refused."""

    learned: int
    seq: int
    refused: list[dict[str, Any]] = field(default_factory=list)
    predictions: list[Any] | None = None
    prediction: Any = None  # of `label`: what had been predicted
    repeated: bool = False  # it was known already


class Client:
    """Threads may share one. `retries` are made where there is no answer, or 429 or 503."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        *,
        token: str | None = None,
        timeout: float = 30.0,
        retries: int = 5,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(f"url is {url!r}; expected one such as http://127.0.0.1:8765.")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._token = token or os.environ.get("THRESHER_TOKEN")
        self._timeout, self._retries = timeout, retries
        self._here = threading.local()

    # -- models

    def create(self, model: str, **options: Any) -> dict[str, Any]:
        """Create a model, or make sure that it is there with these options."""
        return self._json("PUT", self._path(model), options)

    def models(self) -> list[dict[str, Any]]:
        return list(self._json("GET", "/v1/models")["models"])

    def model(self, model: str) -> dict[str, Any]:
        return self._json("GET", self._path(model))

    def delete(self, model: str) -> None:
        self._json("DELETE", self._path(model))

    # -- events

    def learn(
        self,
        model: str,
        events: Event | Iterable[Event] | str | bytes,
        *,
        predictions: bool = False,
        key: str | None = None,
    ) -> Learned:
        """Learn an event, or several; or lines of text in the model's format."""
        body, kind = _body(events)
        query = {"predictions": "1"} if predictions else {}
        told = self._json("POST", self._path(model, "learn", query), body, kind, key or _new_key())
        return Learned(**told)

    def predict(
        self, model: str, event: Event, *, id: str | None = None, min_seq: int | None = None,
        scores: bool = False, probabilities: bool = False, explain: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """The prediction for an event, and the seq of the model. With an `id` the event is kept for
        its label."""
        asked = {"scores": scores, "probabilities": probabilities, "explain": explain}
        query = {name: "1" for name, wanted in asked.items() if wanted}
        if id is not None:
            query["id"] = id
        if min_seq is not None:
            query["min_seq"] = str(min_seq)
        return self._json("POST", self._path(model, "predict", query), _as_json(event).encode())

    def predict_many(self, model: str, events: Iterable[Event] | str | bytes) -> list[Any]:
        """The predictions for several events."""
        body, kind = _body(events)
        told = self._json("POST", self._path(model, "predict"), body, kind)
        return [row["prediction"] for row in told["predictions"]]

    def label(
        self,
        model: str,
        id: str,
        label: Any,
        *,
        weight: float | None = None,
        key: str | None = None,
    ) -> Learned:
        """The label of an event that was predicted under this id."""
        given = {"id": id, "label": label} | ({} if weight is None else {"weight": weight})
        told = self._json("POST", self._path(model, "label"), given, key=key or _new_key())
        return Learned(**told)

    # -- the past, and races

    def snapshot(self, model: str) -> int:
        """Keep the model as it is; the seq by which it is known."""
        return int(self._json("POST", self._path(model, "snapshots"))["seq"])

    def snapshots(self, model: str) -> list[int]:
        told = self._json("GET", self._path(model, "snapshots"))
        return [one["seq"] for one in told["snapshots"]]

    def download(self, model: str, seq: int, path: str | os.PathLike[str]) -> None:
        """The model file as of this seq, of a snapshot or not: for `thresher.load`."""
        status, body = self._ask("GET", self._path(model, f"snapshots/{seq}"), b"", {})
        if status != 200:
            raise ServerError(status, _read(body))
        Path(path).write_bytes(body)

    def roll_back(self, model: str, seq: int) -> dict[str, Any]:
        """Back to what the model was at this seq."""
        return self._json("POST", self._path(model, "rollback"), {"seq": seq})

    def race(
        self, model: str, challengers: Mapping[str, Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Let challengers learn beside the model: ``{"arow": {"learner": "arow"}}``."""
        told = self._json("PUT", self._path(model, "race"), {"challengers": challengers})
        return list(told["standings"])

    def standings(self, model: str) -> list[dict[str, Any]]:
        return list(self._json("GET", self._path(model, "race"))["standings"])

    def promote(self, model: str, name: str) -> dict[str, Any]:
        """Let a challenger take the model's place."""
        return self._json("POST", self._path(model, "race/promote"), {"name": name})

    def end_race(self, model: str) -> None:
        self._json("DELETE", self._path(model, "race"))

    def is_ready(self) -> bool:
        try:
            return self._once("GET", "/health/ready", b"", {})[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._here, "connection", None)
        if connection is not None:
            connection.close()
            self._here.connection = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- requests

    def _path(self, model: str, what: str = "", query: Mapping[str, str] | None = None) -> str:
        path = f"/v1/models/{quote(model, safe='')}" + (f"/{what}" if what else "")
        return f"{path}?{urlencode(query)}" if query else path

    def _json(
        self, method: str, path: str, body: Any = None, kind: str = "", key: str | None = None
    ) -> dict[str, Any]:
        headers = {"Content-Type": kind or "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if not isinstance(body, bytes):
            body = b"" if body is None else json.dumps(body, allow_nan=False).encode()
        status, answer = self._ask(method, path, body, headers)
        told = _read(answer)
        if status >= 300:
            raise ServerError(status, told)
        return told

    def _ask(
        self, method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        """With retries: each request can be sent again without harm."""
        wait, last = 0.05, ""
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(wait)
                wait = min(2 * wait, 2.0)
            try:
                status, answer = self._once(method, path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                last = f"{type(error).__name__}: {error}"
                continue
            if status not in AGAIN or attempt == self._retries:
                return status, answer
        raise NoAnswer(f"no answer from {self._host}:{self._port} ({last})")

    def _once(
        self, method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        connection = getattr(self._here, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            connection = kind(self._host, self._port, timeout=self._timeout)
            self._here.connection = connection
        if self._token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


NDJSON = "application/x-ndjson"


def _body(events: Event | Iterable[Event] | str | bytes) -> tuple[bytes, str]:
    """The bytes and their type."""
    if isinstance(events, str):
        return events.encode(), NDJSON
    if isinstance(events, bytes):
        return events, NDJSON
    if isinstance(events, Mapping):
        return _as_json(events).encode(), "application/json"
    return "\n".join(map(_as_json, events)).encode(), NDJSON


def _as_json(event: Mapping[str, Any]) -> str:
    """NaN is a missing value, as in every dict that is learned; JSON calls it null."""
    if not isinstance(event, Mapping):
        raise InvalidInput(f"found {event!r} as an event; expected a dict of names and values.")
    known = {k: None if isinstance(v, float) and v != v else v for k, v in event.items()}
    try:
        return json.dumps(known, allow_nan=False)
    except ValueError as error:
        raise InvalidInput(f"{error}: {event!r}; expected finite numbers.") from None


def _new_key() -> str:
    return uuid.uuid4().hex


def _read(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except ValueError:
        return {"error": body[:200].decode("utf-8", "replace")}
    return told if isinstance(told, dict) else {"error": str(told)[:200]}
