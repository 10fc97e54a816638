"""The protocol of `vw --daemon`: a line of an example in, a line with its prediction out.

A line with a label is predicted, then learned; one without is only predicted. Answers come in the
order of the lines, with the line's tag behind them. ``save`` makes a snapshot. A file name with it
is refused: no client names a path.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from thresher.errors import ThresherError
from thresher.serve.log import Kind
from thresher.serve.options import model_options
from thresher.serve.planning import Answer, Job, Refused, answer

if TYPE_CHECKING:
    from thresher.serve.http import App

BLOCK = 1 << 16
LONGEST = 1 << 20  # bytes of a line
# What `vw` does by default: numbers by least squares, whatever the units of the features are.
USUAL = {"learner": "lms", "settings": {"step": "scale-free"}, "format": "vw"}


async def listen_vw(app: App, host: str, port: int, model: str) -> asyncio.Server:
    """Begin to listen. The model is created if it is not there."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await Conversation(app, model, reader, writer).go()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    return await asyncio.start_server(talk, host, port, limit=LONGEST)


class Conversation:
    """One connection."""

    def __init__(
        self, app: App, model: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.app, self.model, self.reader, self.writer = app, model, reader, writer

    async def go(self) -> None:
        rest = b""
        try:
            while block := await self.reader.read(BLOCK):
                *lines, rest = (rest + block).split(b"\n")
                if len(rest) > LONGEST:
                    raise Refused(413, "a line of more than 1 MB")
                await self._answer_all(lines)
            await self._answer_all([rest])
        except ThresherError as error:
            self.writer.write(b"error: %b\n" % str(error).encode())
            await self.writer.drain()

    async def _answer_all(self, lines: list[bytes]) -> None:
        for run in self._runs(lines):
            self.writer.write(await self._answer(run))
        await self.writer.drain()

    def _runs(self, lines: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
        """Neighbouring lines that are answered alike."""
        lines = [line.rstrip(b"\r") for line in lines if line.strip()]
        for kind, run in groupby(lines, key=kind_of):
            yield kind, list(run)

    async def _answer(self, run: tuple[str, list[bytes]]) -> bytes:
        kind, lines = run
        if kind == "save":
            await self._save(lines)
            return b""
        if self.model not in self.app.store.names:
            options = model_options(dict(USUAL))
            await self.app.do(lambda: self._create(options))
        model = self.app.store.names[self.model]
        if model.options.format != "vw":
            raise Refused(422, f"the model {self.model!r} reads {model.options.format}, not vw.")
        text = b"\n".join(lines)
        if kind == "learn":
            told = await self._learn(Job(Kind.LEARN, self.model, text, _nobody, predictions=True))
        else:
            told = json.loads(self.app.predict_now(model, text, {}, False).body)
            told["predictions"] = [row["prediction"] for row in told["predictions"]]
        left_out = {one["line"] for one in told.get("refused", ())}
        found = iter(told.get("predictions", ()))
        out = []
        for number, line in enumerate(lines, 1):
            shown = "nan" if number in left_out else as_text(next(found, None))
            tag = tag_of(line)
            out.append(f"{shown} {tag}\n" if tag else f"{shown}\n")
        return "".join(out).encode()

    async def _learn(self, job: Job) -> dict[str, Any]:
        while True:
            try:
                told = await self.app.submit(job)
            except Refused as error:
                if error.status != 429:
                    raise
                await asyncio.sleep(0.05)  # the client waits, as it would for a slow vw
                continue
            body: dict[str, Any] = json.loads(told.body)
            if told.status in (200, 422):
                return body
            raise Refused(told.status, body["error"])

    def _create(self, options: Any) -> Answer:
        assert self.app.writer is not None
        self.app.writer.create(self.model, options)
        return answer(200, {})

    async def _save(self, lines: list[bytes]) -> None:
        for line in lines:
            if line.strip() != b"save":
                raise Refused(403, "save takes no file name here; it makes a snapshot.")
        writer = self.app.writer
        assert writer is not None
        await self.app.do(lambda: writer.snapshot(self.model))


def _nobody(told: Answer) -> None:
    """Waits for it yet."""


def kind_of(line: bytes) -> str:
    """What a line asks for: "save", "learn" (it has a label), or "predict"."""
    head, bar, _ = line.partition(b"|")
    if not bar and head.strip().startswith(b"save"):
        return "save"
    words = head.split()
    if words and (words[-1].startswith(b"'") or not head[-1:].isspace()):
        words.pop()  # the tag
    return "learn" if words else "predict"


def tag_of(line: bytes) -> str:
    """What stands right before the bar."""
    head = line.partition(b"|")[0]
    words = head.split()
    if not words or not (words[-1].startswith(b"'") or not head[-1:].isspace()):
        return ""
    return words[-1].removeprefix(b"'").decode("utf-8", "replace")


def as_text(prediction: Any) -> str:
    """As vw prints it."""
    if prediction is None:
        return "0"
    return f"{prediction:.6g}" if isinstance(prediction, float) else str(prediction)
