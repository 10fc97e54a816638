"""The protocol of `vw --daemon`: a line of an example in, a line with its prediction out.

A line with a label is predicted, then learned; one without is only predicted. Answers come in the
order of the lines, with the line's tag behind them. ``save`` makes a snapshot. A file name with it
is refused: no client names a path.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput, ThresherError
from thresher.serve.http import NO_QUERY, Question
from thresher.serve.log import Kind
from thresher.serve.options import model_options
from thresher.serve.planning import Answer, Job, Refused

if TYPE_CHECKING:
    from thresher.serve.http import App

LONGEST = 1 << 20  # bytes of a line
MOST = 256  # lines that are learned at once
AGAIN = 0.05  # seconds until a full queue is tried again
# What `vw` does by default: numbers by least squares, whatever the units of the features are.
USUAL = {"learner": "lms", "settings": {"step": "scale-free"}, "format": "vw"}


async def listen_vw(app: App, host: str, port: int, model: str) -> asyncio.Server:
    """For the caller to start when the server is ready. The model is created if it is not there."""
    loop = asyncio.get_running_loop()
    try:
        return await loop.create_server(
            lambda: Conversation(app, model), host, port, start_serving=False
        )
    except OSError as error:
        raise InvalidInput(f"cannot listen on {host}, port {port}: {error.strerror}.") from None


class Conversation(asyncio.Protocol):
    """One connection. Lines are answered in their order: those of one kind that are there together
    at once, the next ones then."""

    def __init__(self, app: App, model: str) -> None:
        self.app, self.model = app, model
        self.loop = asyncio.get_running_loop()
        self.lines: list[bytes] = []  # that wait
        self.rest = b""  # of a line
        self.asked: list[bytes] = []  # that are being answered
        self.ended = False  # the client sends no more
        self.transport: Any = None

    # -- of the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.lines.clear()

    def data_received(self, data: bytes) -> None:
        alone = data.find(b"\n") == len(data) - 1 and not (self.rest or self.asked or self.lines)
        if alone and self._learned_at_once(data[:-1]):
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        if len(self.rest) > LONGEST:
            self._fail(Refused(413, "a line of more than 1 MB"))
            return
        self.lines += [line for line in lines if line and not line.isspace()]
        if self.asked:
            self.transport.pause_reading()  # what is here first
        else:
            self._go_on()

    def eof_received(self) -> bool:
        self.lines += [self.rest] if self.rest.strip() else []
        self.ended = True
        if not self.asked:
            self._go_on()
        return True  # the answers are still to come

    def pause_writing(self) -> None:
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        self.transport.resume_reading()

    # -- answers

    def _learned_at_once(self, line: bytes) -> bool:
        """The short way for a line that comes alone, has a label, and no tag; whether it was."""
        model = self.app.store.names.get(self.model)
        if model is None or model.options.format != "vw":
            return False
        if kind_of(line) != "learn" or tag_of(line):
            return False
        told = self.app.learn_line(model, line)
        if told is None:
            return False
        shown = as_text(told.predictions[0]) if told.predictions else "nan"
        self.transport.write(f"{shown}\n".encode())
        return True

    def _go_on(self) -> None:
        """Ask for what waits, until something has to be waited for."""
        try:
            while self.lines and not self.asked and not self.transport.is_closing():
                kind = kind_of(self.lines[0])
                if len(self.lines) == 1:
                    self.asked, self.lines = self.lines, []
                else:
                    kinds = map(kind_of, self.lines[:MOST])
                    end = next((i for i, other in enumerate(kinds) if other != kind), MOST)
                    self.asked, self.lines = self.lines[:end], self.lines[end:]
                self._ask(kind)
        except ThresherError as error:
            self._fail(error)
        if not self.asked:
            self.transport.resume_reading()
            if self.ended:
                self.transport.close()

    def _ask(self, kind: str) -> None:
        if kind == "save":
            self._save()
            return
        model = self.app.store.names.get(self.model)
        if model is None:
            self._do(self._create, then=lambda: self._ask(kind))
        elif model.options.format != "vw":
            raise Refused(422, f"the model {self.model!r} reads {model.options.format}, not vw.")
        elif kind == "predict":
            text = b"\n".join(self.asked)
            told = json.loads(self.app.predict_now(Question(model, text, NO_QUERY, False)).body)
            self._tell([row["prediction"] for row in told["predictions"]], set())
        else:
            self._learn()

    def _learn(self) -> None:
        text = b"\n".join(self.asked)
        job = Job(Kind.LEARN, self.model, text, self._learned, predictions=True, plain=True)
        try:
            self.app.submit(job)
        except Refused as error:
            if error.status != 429:
                raise
            self.loop.call_later(AGAIN, self._learn)  # the client waits, as for a slow vw

    def _learned(self, told: Answer) -> None:
        if (outcome := told.outcome) is not None:
            self._tell(outcome.predictions or [], {one["line"] for one in outcome.refused})
        else:
            body = json.loads(told.body)
            if told.status != 422:
                self._fail(Refused(told.status, body["error"]))
                return
            self._tell([], {one["line"] for one in body.get("refused", ())})
        self._go_on()

    def _tell(self, predictions: list[Any], left_out: set[int]) -> None:
        """The answers to all that was asked."""
        found = iter(predictions)
        out = []
        for number, line in enumerate(self.asked, 1):
            shown = "nan" if number in left_out else as_text(next(found, None))
            tag = tag_of(line)
            out.append(f"{shown} {tag}\n" if tag else f"{shown}\n")
        self.asked = []
        self.transport.write("".join(out).encode())

    def _fail(self, error: ThresherError) -> None:
        """Say why, and end the connection."""
        self.asked, self.lines = [], []
        self.transport.write(b"error: %b\n" % str(error).encode())
        self.transport.close()

    # -- what is no event

    def _save(self) -> None:
        for line in self.asked:
            if line.strip() != b"save":
                raise Refused(403, "save takes no file name here; it makes a snapshot.")
        writer = self.app.writer
        if writer is None:
            raise Refused(405, "this server only follows another one; save there.")
        self._do(lambda: writer.snapshot(self.model), then=self._saved)

    def _saved(self) -> None:
        self.asked = []

    def _create(self) -> bool:
        assert self.app.writer is not None
        return self.app.writer.create(self.model, model_options(dict(USUAL)))[1]

    def _do(self, what: Callable[[], Any], then: Callable[[], None]) -> None:
        def done(told: Answer) -> None:
            try:
                if told.status != 200:
                    raise Refused(told.status, json.loads(told.body)["error"])
                then()
            except ThresherError as error:
                self._fail(error)
            if not self.asked:
                self._go_on()

        self.app.submit(Job(None, "", b"", done, do=what))


def kind_of(line: bytes) -> str:
    """What a line asks for: "save", "learn" (it has a label), or "predict"."""
    head, bar, _ = line.partition(b"|")
    if head[-1:] == b" " and b"'" not in head:  # without a tag, as most are
        return "predict" if head.isspace() else "learn"
    if not bar and head.strip().startswith(b"save"):
        return "save"
    words = head.split()
    if words and (words[-1].startswith(b"'") or not head[-1:].isspace()):
        words.pop()  # the tag
    return "learn" if words else "predict"


def tag_of(line: bytes) -> str:
    """What stands right before the bar."""
    head = line.partition(b"|")[0]
    if head[-1:] == b" " and b"'" not in head:
        return ""
    words = head.split()
    if not words or not (words[-1].startswith(b"'") or not head[-1:].isspace()):
        return ""
    return words[-1].removeprefix(b"'").decode("utf-8", "replace")


def as_text(prediction: Any) -> str:
    """As vw prints it."""
    if prediction is None:
        return "0"
    return f"{prediction:.6g}" if isinstance(prediction, float) else str(prediction)
