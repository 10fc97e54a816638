"""The server's face: HTTP. Learning and predicting are answered without a framework, which would
cost more than they do; all else is Starlette's."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from thresher.errors import ThresherError
from thresher.serve.log import Kind
from thresher.serve.model import ServedModel
from thresher.serve.planning import Answer, Job, Refused, answer, failure, ids_of, no_model
from thresher.serve.store import Store
from thresher.serve.writer import Writer

HOT = ("learn", "predict", "label")
PREFIX = "/v1/models/"
LARGE = 1 << 16  # a body of more bytes is predicted in another thread
LONGEST_WAIT = 1.0  # seconds for `min_seq`
LONGEST_ID = 200

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Scope = dict[str, Any]


@dataclass
class Limits:
    body: int = 8 << 20
    event: int = 1 << 20


@dataclass
class Figures:
    """What is counted, besides what the writer and the models count."""

    answers: dict[tuple[str, int], int] = field(default_factory=dict)
    predicted: int = 0

    def count(self, route: str, status: int) -> None:
        self.answers[route, status] = self.answers.get((route, status), 0) + 1


class Mailbox:
    """Answers on their way from the writer's thread to the event loop, many at once."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._box: deque[tuple[asyncio.Future[Answer], Answer]] = deque()
        self._called = False

    def address(self) -> tuple[asyncio.Future[Answer], Callable[[Answer], None]]:
        future: asyncio.Future[Answer] = self.loop.create_future()
        return future, lambda told: self._put(future, told)

    def _put(self, future: asyncio.Future[Answer], told: Answer) -> None:
        self._box.append((future, told))
        if not self._called:
            self._called = True
            self.loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._called = False
        while self._box:
            future, told = self._box.popleft()
            if not future.done():
                future.set_result(told)


class App:
    """An ASGI application. `writer` is None where only another process writes (a follower)."""

    def __init__(
        self,
        store: Store,
        writer: Writer | None,
        *,
        token: str | None = None,
        limits: Limits | None = None,
        is_ready: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.store, self.writer = store, writer
        self.token = token.encode() if token else None
        self.limits = limits or Limits()
        self.why_not_ready = is_ready  # None: it is
        self.figures = Figures()
        self._mailbox: Mailbox | None = None
        from thresher.serve.routes import routes

        self._rest = routes(self)

    def take(self, store: Store) -> None:
        """A follower had to begin again."""
        self.store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path: str = scope["path"]
        if refused := self._refuse(scope, path):
            await respond(send, refused)
            return
        if path.startswith(PREFIX) and scope["method"] == "POST":
            name, _, what = path[len(PREFIX) :].partition("/")
            if what in HOT:
                try:
                    told = await self._hot(what, name, scope, receive)
                except ThresherError as error:
                    told = failure(error)
                self.figures.count(what, told.status)
                await respond(send, told)
                return
        await self._rest(scope, receive, send)

    def _refuse(self, scope: Scope, path: str) -> Answer | None:
        """Nobody without the token; no page of another site (browsers say where they are)."""
        if path.startswith("/health/"):
            return None
        given = origin = b""
        host = b""
        for name, value in scope["headers"]:
            if name == b"authorization":
                given = value
            elif name == b"origin":
                origin = value
            elif name == b"host":
                host = value
        if origin and origin.partition(b"://")[2] != host:
            return failure(Refused(403, "pages of other sites are not served."))
        if self.token is None:
            if host.rpartition(b":")[0].strip(b"[]") not in LOCAL and host not in LOCAL:
                return failure(Refused(403, "without a token only this machine is served."))
            return None
        if path == "/" or hmac.compare_digest(given, b"Bearer " + self.token):
            return None
        return failure(Refused(401, "expected the header Authorization: Bearer TOKEN."))

    # -- the hot routes

    async def _hot(self, what: str, name: str, scope: Scope, receive: Receive) -> Answer:
        kind, key = content_of(scope["headers"])
        body = await self.body(scope, receive)
        model = self.store.names.get(name)
        if model is None:
            raise no_model(name)
        asked = scope["query_string"].decode("latin-1")
        query = parse_qs(asked, keep_blank_values=True) if asked else {}
        if what == "label":
            return await self._label(model, body, key)
        if len(body) > self.limits.event:
            self._check_events(body)
        single = model.options.format == "jsonl" and b"ndjson" not in kind
        if single:
            body = body.replace(b"\n", b" ").replace(b"\r", b" ")
        ids, body = ids_of(model.options, body)
        if given := query.get("id"):
            ids = [checked_id(given[0])]
        if what == "predict":
            if "min_seq" in query:
                await self._wait_for(model, query["min_seq"][0])
            if ids is None:
                return await self._predict(model, body, query, single)
        job = Job(
            Kind.LEARN if what == "learn" else Kind.KEEP, name, body, _nobody, key, ids, single,
            predictions=is_on(query, "predictions"),
        )  # fmt: skip
        return await self.submit(job)

    async def submit(self, job: Job) -> Answer:
        """Let the writer do it, and wait."""
        if self.writer is None:
            raise Refused(405, "this server only follows another one; learn there.")
        if self._mailbox is None:
            self._mailbox = Mailbox()
        future, job.reply = self._mailbox.address()
        self.writer.submit(job)
        return await future

    async def do(self, what: Callable[[], Any]) -> Answer:
        return await self.submit(Job(None, "", b"", _nobody, do=what))

    async def body(self, scope: Scope, receive: Receive) -> bytes:
        """All of it, if it is not too large: it is not even read then."""
        for name, value in scope["headers"]:
            if name == b"content-length" and int(value) > self.limits.body:
                raise self._too_large("body", self.limits.body)
            if name == b"content-encoding" and value != b"identity":
                raise Refused(415, "a compressed body; expected one as it is.")
        message = await receive()
        body: bytes = message.get("body", b"")
        if not message.get("more_body"):
            return body
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refused(400, "the connection ended within the body.")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.body:
                raise self._too_large("body", self.limits.body)
        return b"".join(parts)

    def _check_events(self, body: bytes) -> None:
        if max(map(len, body.split(b"\n"))) > self.limits.event:
            raise self._too_large("event", self.limits.event)

    def _too_large(self, what: str, most: int) -> Refused:
        return Refused(413, f"the {what} is too large; expected at most {most:,} bytes.")

    async def _label(self, model: ServedModel, body: bytes, key: str | None) -> Answer:
        given = json_object(body, ("id", "label", "weight"))
        if "id" not in given or "label" not in given:
            raise Refused(422, 'expected an object such as {"id": "a7", "label": "spam"}.')
        job = Job(Kind.LABEL, model.name, body, _nobody, key, [checked_id(given["id"])],
                  label=given["label"], weight=given.get("weight"))  # fmt: skip
        return await self.submit(job)

    async def _predict(
        self, model: ServedModel, body: bytes, query: dict[str, list[str]], single: bool
    ) -> Answer:
        if len(body) > LARGE:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(
                None, lambda: self.predict_now(model, body, query, single)
            )
        return self.predict_now(model, body, query, single)

    def predict_now(
        self, model: ServedModel, body: bytes, query: dict[str, list[str]], single: bool
    ) -> Answer:
        pupil = model.champion
        batch = pupil.parse_unlabelled(body)
        if batch.bad:
            found = [{"line": b["line"] + 1, "problem": f"{b['problem']}."} for b in batch.bad]
            raise Refused(422, found[0]["problem"], refused=found)
        if not len(batch):
            raise Refused(422, "no event; expected at least one.")
        rows = pupil.predict(
            batch, scores=is_on(query, "scores"), probabilities=is_on(query, "probabilities")
        )
        if is_on(query, "explain"):
            if not single:
                raise Refused(422, "explain is for one event of JSON at a time.")
            rows[0]["explanation"] = pupil.explain(json.loads(body))
        self.figures.predicted += len(rows)
        seq = model.seq
        return answer(200, {**rows[0], "seq": seq} if single else {"predictions": rows, "seq": seq})

    async def _wait_for(self, model: ServedModel, given: str) -> None:
        """Read one's own writes: until this process has learned up to that seq."""
        seq = number(given, "min_seq")
        until = time.monotonic() + LONGEST_WAIT
        while self.store.seq < seq:
            if time.monotonic() > until:
                raise Refused(412, f"this server is at seq {self.store.seq:,}, before {seq:,}.")
            await asyncio.sleep(0.01)


LOCAL = (b"127.0.0.1", b"localhost", b"::1")


def _nobody(told: Answer) -> None:
    """Waits for it yet."""


async def respond(send: Send, told: Answer) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(told.body)),
    ]
    if told.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    elif told.status in (429, 503):
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": told.status, "headers": headers})
    await send({"type": "http.response.body", "body": told.body})


def content_of(headers: list[tuple[bytes, bytes]]) -> tuple[bytes, str | None]:
    """The type of the body, and the key under which the request is known."""
    kind, key = b"", None
    for name, value in headers:
        if name == b"content-type":
            kind = value
        elif name == b"idempotency-key":
            key = checked_id(value.decode("latin-1"))
    return kind, key


def checked_id(given: Any) -> str:
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_ID:
        raise Refused(
            422, f"an id has up to {LONGEST_ID} letters; found {json.dumps(given)[:300]}."
        )
    return given


def is_on(query: dict[str, list[str]], name: str) -> bool:
    given = query.get(name, ["0"])[0]
    if given not in ("0", "1"):
        raise Refused(422, f"{name} is {given[:50]!r}; expected 0 or 1.")
    return given == "1"


def number(given: str, name: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise Refused(422, f"{name} is {given[:50]!r}; expected a whole number.")
    return int(given)


def json_object(body: bytes, known: tuple[str, ...] | None = None) -> dict[str, Any]:
    """A JSON object of a request, with these entries and no others."""
    try:
        given = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(422, f"not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise Refused(422, "expected a JSON object.")
    for name in given if known else ():
        if name not in (known or ()):
            raise Refused(422, f"unknown entry {name!r}; expected {', '.join(known or ())}.")
    return given


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
