"""The server's face: HTTP. Learning and predicting are answered without a framework, which would
cost more than they do; all else is Starlette's."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from thresher.errors import ThresherError
from thresher.serve.desk import Desk, nobody
from thresher.serve.log import Kind
from thresher.serve.model import Outcome, ServedModel
from thresher.serve.planning import (
    JUST_PREDICTIONS,
    Answer,
    Asked,
    Job,
    Refused,
    Reply,
    answer,
    answers_to,
    checked_id,
    failure,
    ids_of,
    no_model,
    problems_of,
)
from thresher.serve.store import Store
from thresher.serve.writer import Writer

HOT = ("learn", "predict", "label")
PREFIX = "/v1/models/"
PARAMETERS = {
    "learn": ("predictions", "id"),
    "predict": ("scores", "probabilities", "explain", "id", "min_seq"),
    "label": (),
}
LARGE = 1 << 16  # a body of more bytes is predicted in another thread
LONGEST_WAIT = 1.0  # seconds for `min_seq`

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Scope = dict[str, Any]
Headers = list[tuple[bytes, bytes]]
Query = dict[str, list[str]]
NO_QUERY: Query = {}


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
        self.desk: Desk | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        from thresher.serve.routes import routes

        self._rest = routes(self)

    def take(self, store: Store) -> None:
        """A follower had to begin again."""
        self.store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path: str = scope["path"]
        headers = scope["headers"]
        if refused := self.refuse(path, headers):
            await respond(send, refused)
            return
        if scope["method"] == "POST" and (route := hot_route(path)):
            try:
                body = await self.body(headers, receive)
                future = asyncio.get_running_loop().create_future()
                self.ask(*route, scope["query_string"], headers, body, settler(future))
                told = await future
            except ThresherError as error:
                told = failure(error)
                self.figures.count(route[1], told.status)
            await respond(send, told)
            return
        await self._rest(scope, receive, send)

    def refuse(self, path: str, headers: Headers) -> Answer | None:
        """Nobody without the token; no page of another site (browsers say where they are)."""
        if path.startswith("/health/"):
            return None
        given = origin = b""
        host: bytes | None = None
        for name, value in headers:
            if name == b"authorization":
                given = value
            elif name == b"origin":
                origin = value
            elif name == b"host":
                if host is not None:
                    return failure(Refused(400, "two headers Host; expected one."))
                host = value
        host = host or b""
        if origin and origin.partition(b"://")[2] != host:
            return failure(Refused(403, "pages of other sites are not served."))
        if self.token is None:
            if host.rpartition(b":")[0].strip(b"[]") not in LOCAL and host not in LOCAL:
                return failure(Refused(403, "without a token only this machine is served."))
            return None
        if (
            path == "/"
            or path.startswith("/page/")
            or hmac.compare_digest(given, b"Bearer " + self.token)
        ):
            return None
        return failure(Refused(401, "expected the header Authorization: Bearer TOKEN."))

    # -- the hot routes

    def ask(
        self, name: str, what: str, asked: bytes, headers: Headers, body: bytes, reply: Reply
    ) -> None:
        """Learn, predict or label. The answer may come at once, and comes in any case."""

        def counted(told: Answer) -> None:
            self.figures.count(what, told.status)
            reply(told)

        try:
            self._ask(name, what, asked, headers, body, counted)
        except Exception as error:
            counted(failure(error))

    def _ask(
        self, name: str, what: str, asked: bytes, headers: Headers, body: bytes, reply: Reply
    ) -> None:
        kind, key = content_of(headers)
        model = self.store.names.get(name)
        if model is None:
            raise no_model(name)
        query = query_of(asked, what) if asked else NO_QUERY
        if what == "label":
            self.submit(label_job(model, body, key, reply))
            return
        if len(body) > self.limits.event:
            self._check_events(body)
        single = model.options.format == "jsonl" and b"ndjson" not in kind
        if single and (b"\n" in body or b"\r" in body):
            body = body.replace(b"\n", b" ").replace(b"\r", b" ")
        ids, body = ids_of(model.options, body)
        if given := query.get("id"):
            if ids not in (None, [given[0]]):
                raise Refused(422, "one id in the address and another in the event.")
            ids = [checked_id(given[0])]
        if what == "predict" and (ids is None or "min_seq" in query):
            question = Question(model, body, query, single)
            if "min_seq" in query:
                self._later(self._predict_then(question, ids, key), reply)
            elif len(body) > LARGE:
                self._later(self._predict_aside(question), reply)
            else:
                reply(self.predict_now(question))
            return
        what_to = Kind.LEARN if what == "learn" else Kind.KEEP
        job = Job(what_to, name, body, reply, key, ids, single)
        if query:
            job.predictions, job.asked = is_on(query, "predictions"), asked_by(query)
        self.submit(job)

    def submit(self, job: Job) -> None:
        """Let it be done; it is answered on the loop."""
        if self.writer is None:
            raise Refused(405, "this server only follows another one; learn there.")
        if self.desk is None:
            self.desk = Desk(self.writer)
        self.desk.put(job)

    def learn_line(self, model: ServedModel, line: bytes) -> Outcome | None:
        """One event, with what was predicted before, if that can be had at once."""
        return self.desk.learn_line(model, line) if self.desk is not None else None

    async def wait_for(self, job: Job) -> Answer:
        """The same, and wait."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        job.reply = settler(future)
        self.submit(job)
        return await future

    async def do(self, what: Callable[[], Any]) -> Answer:
        return await self.wait_for(Job(None, "", b"", nobody, do=what))

    def _later(self, answering: Coroutine[Any, Any, Answer], reply: Reply) -> None:
        async def go() -> None:
            try:
                reply(await answering)
            except Exception as error:
                reply(failure(error))

        task = asyncio.get_running_loop().create_task(go())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def check_body(self, headers: Headers) -> None:
        """Whether it can be taken, as far as the headers say: else it is not even read."""
        for name, value in headers:
            if name == b"content-length" and int(value) > self.limits.body:
                raise self.too_large("body", self.limits.body)
            encoding = name in (b"content-encoding", b"transfer-encoding")
            if encoding and value.lower() not in (b"identity", b"chunked"):
                raise Refused(415, "a compressed body; expected one as it is.")

    async def body(self, headers: Headers, receive: Receive) -> bytes:
        """All of it, if it is not too large."""
        self.check_body(headers)
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
                raise self.too_large("body", self.limits.body)
        return b"".join(parts)

    def _check_events(self, body: bytes) -> None:
        if max(map(len, body.split(b"\n"))) > self.limits.event:
            raise self.too_large("event", self.limits.event)

    def too_large(self, what: str, most: int) -> Refused:
        return Refused(413, f"the {what} is too large; expected at most {most:,} bytes.")

    async def _predict_aside(self, question: Question) -> Answer:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, lambda: self.predict_now(question))

    async def _predict_then(
        self, question: Question, ids: list[str | None] | None, key: str | None
    ) -> Answer:
        """When this process has learned as much as is wished."""
        await self._wait_for(question.query["min_seq"][0])
        if ids is None:
            return await self._predict_aside(question)
        name, single = question.model.name, question.single
        job = Job(Kind.KEEP, name, question.body, nobody, key, ids, single)
        job.asked = asked_by(question.query)
        return await self.wait_for(job)

    def predict_now(self, question: Question) -> Answer:
        model, body, query = question.model, question.body, question.query
        pupil = model.champion
        batch = pupil.parse_unlabelled(body)
        if found := problems_of(batch):
            raise Refused(422, found[0]["problem"], refused=found)
        if not len(batch):
            raise Refused(422, "no event; expected at least one.")
        asked = asked_by(query) if query else JUST_PREDICTIONS
        rows = answers_to(pupil, batch, body, asked, question.single)
        self.figures.predicted += len(rows)
        if question.single:
            return answer(200, {**rows[0], "seq": model.seq})
        return answer(200, {"predictions": rows, "seq": model.seq})

    async def _wait_for(self, given: str) -> None:
        """Read one's own writes: until this process has learned up to that seq."""
        seq = number(given, "min_seq")
        until = time.monotonic() + LONGEST_WAIT
        while self.store.seq < seq:
            if time.monotonic() > until:
                raise Refused(412, f"this server is at seq {self.store.seq:,}, before {seq:,}.")
            await asyncio.sleep(0.01)


LOCAL = (b"127.0.0.1", b"localhost", b"::1")


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be predicted, and how it was asked."""

    model: ServedModel
    body: bytes
    query: Query
    single: bool  # one event, and so one answer


def hot_route(path: str) -> tuple[str, str] | None:
    """The model and what is wanted of it, if it is one of the routes that must be fast."""
    if not path.startswith(PREFIX):
        return None
    name, _, what = path[len(PREFIX) :].partition("/")
    return (name, what) if what in HOT else None


def settler(future: asyncio.Future[Answer]) -> Reply:
    def settle(told: Answer) -> None:
        if not future.done():
            future.set_result(told)

    return settle


def label_job(model: ServedModel, body: bytes, key: str | None, reply: Reply) -> Job:
    given = json_object(body, ("id", "label", "weight"))
    if "id" not in given or "label" not in given:
        raise Refused(422, 'expected an object such as {"id": "a7", "label": "spam"}.')
    return Job(Kind.LABEL, model.name, body, reply, key, [checked_id(given["id"])],
               label=given["label"], weight=given.get("weight"))  # fmt: skip


MORE = {  # headers of some answers
    401: (b"www-authenticate", b"Bearer"),
    429: (b"retry-after", b"1"),
    503: (b"retry-after", b"1"),
}


async def respond(send: Send, told: Answer) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(told.body)),
    ]
    if told.status in MORE:
        headers.append(MORE[told.status])
    await send({"type": "http.response.start", "status": told.status, "headers": headers})
    await send({"type": "http.response.body", "body": told.body})


def content_of(headers: Headers) -> tuple[bytes, str | None]:
    """The type of the body, and the key under which the request is known."""
    kind, key = b"", None
    for name, value in headers:
        if name == b"content-type":
            kind = value
        elif name == b"idempotency-key":
            key = checked_id(value.decode("latin-1"), "Idempotency-Key")
    return kind, key


def query_of(asked: bytes, what: str) -> Query:
    try:
        query = parse_qs(asked.decode("latin-1"), keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise Refused(422, "too many parameters behind the address.") from None
    for name in query:
        if name not in PARAMETERS[what]:
            known = ", ".join(PARAMETERS[what]) or "none"
            raise Refused(422, f"unknown parameter {name[:50]!r}; expected {known}.")
    return query


def asked_by(query: Query) -> Asked:
    return Asked(*(is_on(query, name) for name in ("scores", "probabilities", "explain")))


def is_on(query: Query, name: str) -> bool:
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
    if not body.strip():
        raise Refused(422, "an empty body; expected a JSON object.")
    try:
        given = json.loads(body, parse_constant=_no_constant, object_pairs_hook=_once)
        json.dumps(given, ensure_ascii=False).encode()
    except RecursionError:
        raise Refused(422, "too deep; expected a flatter object.") from None
    except UnicodeEncodeError:
        raise Refused(422, "a text with half of a surrogate pair; expected both halves.") from None
    except ValueError as error:
        raise Refused(422, f"not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise Refused(422, "expected a JSON object.")
    for name in given if known else ():
        if name not in (known or ()):
            raise Refused(422, f"unknown entry {name!r}; expected {', '.join(known or ())}.")
    return given


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
        raise ValueError(f"{twice[:100]!r} is there twice")
    return found
