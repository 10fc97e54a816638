"""The sockets of a class: phones, which may say little and see little, and the lecturer's page.

Phones have a token of their own: it opens nothing but their page and their socket.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from typing import Any

from starlette.websockets import WebSocketDisconnect

from thresher.errors import InvalidInput
from thresher.lab.classroom.room import Room

MOST_PHONES = 500  # sockets
MOST_LETTERS = 1000  # of a phone's message
MOST_LED = 20_000  # letters of a message of the lecturer's page
MESSAGES_A_SECOND = 4.0
BURST = 12  # messages at once
EVERY = 0.15  # seconds between two pictures of the class
FILES = {"": "classroom/phone.html", "phone.js": "classroom/phone.js",
         "phone.css": "classroom/phone.css"}  # fmt: skip


class Class:
    """A room and who watches it."""

    def __init__(self, address: str) -> None:
        self.room = Room()
        self.token = secrets.token_urlsafe(9)
        self.link = f"{address}/{self.token}/"
        self.phones = 0
        self._changed = asyncio.Condition()
        self._version = 0

    def opens(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    async def change(self) -> None:
        async with self._changed:
            self._version += 1
            self._changed.notify_all()

    async def phone(self, ws: Any) -> None:
        """A phone says who it was, if anyone; then it votes."""
        if self.phones >= MOST_PHONES:
            await ws.close(4429)
            return
        self.phones += 1
        try:
            who = self.room.join((await _message(ws)).get("join"))
            await self.change()
            await self._talk(
                ws, lambda: self.room.seen_by(who), lambda told: self.room.hear(who, told)
            )
        except InvalidInput as error:
            await ws.send_text(json.dumps({"error": str(error)}))
            await ws.close(4400)
        finally:
            self.phones -= 1

    async def lecturer(self, ws: Any) -> None:
        hello = {"link": self.link, "code": qr(self.link)}
        await ws.send_text(json.dumps(hello))
        await self._talk(ws, self.room.overview, self.room.lead, MOST_LED)

    async def _talk(self, ws: Any, shown: Any, heard: Any, most: int = MOST_LETTERS) -> None:
        """What is shown, whenever it changes; what is heard, at a bounded rate."""
        both = (self._show(ws, shown), self._hear(ws, heard, most))
        sides = [asyncio.ensure_future(side) for side in both]
        try:
            done, _ = await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
            for side in done:
                side.result()
        finally:
            for side in sides:
                side.cancel()
            await asyncio.gather(*sides, return_exceptions=True)

    async def _show(self, ws: Any, shown: Any) -> None:
        last, seen = "", -1
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._version != seen)  # noqa: B023
                seen = self._version
            text = json.dumps(shown())
            if text != last:
                await ws.send_text(text)
                last = text
            await asyncio.sleep(EVERY)

    async def _hear(self, ws: Any, heard: Any, most: int) -> None:
        left, since = float(BURST), time.monotonic()
        while True:
            told = await _message(ws, most)
            now = time.monotonic()
            left = min(BURST, left + (now - since) * MESSAGES_A_SECOND) - 1.0
            since = now
            if left < 0:
                await ws.close(4429)
                return
            try:
                heard(told)
            except InvalidInput as error:
                await ws.send_text(json.dumps({"error": str(error)}))
            else:
                await self.change()


async def _message(ws: Any, most: int = MOST_LETTERS) -> Any:
    message = await ws.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect
    text = message.get("text") or ""
    if len(text) > most:
        raise InvalidInput(f"the message has {len(text):,} letters; expected at most {most:,}.")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("the message is not JSON.") from None
    if not isinstance(told, dict):
        raise InvalidInput("the message is not an object.")
    return told


def qr(text: str) -> list[str]:
    """Its rows, of 0 and 1, with the quiet zone."""
    import segno

    code = segno.make(text, error="m", micro=False)
    return ["".join(map(str, row)) for row in code.matrix_iter(border=4)]
