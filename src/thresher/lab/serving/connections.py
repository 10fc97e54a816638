"""uvicorn's connections, with time-outs for clients that send nothing or do not read.

It has no time-out for a request that does not arrive, or arrives byte by byte, no limit on how many
are open, and waits forever for a client to read what was sent.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MOST_OPENING = 256  # connections that are not a page's socket
OPENING_SECONDS = 10.0  # that such a connection may last
UNREAD_SECONDS = 60.0  # that an answer may wait to be read
PING_SECONDS = 20.0  # between two pings to a page, and for the answer to one


class Opening(H11Protocol):
    """A connection that requests a file, or will become a page's socket."""

    all: dict[Opening, asyncio.TimerHandle] = {}  # noqa: RUF012 (the oldest first)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.line = transport
        self.all[self] = asyncio.get_running_loop().call_later(OPENING_SECONDS, self.late)
        if len(self.all) > MOST_OPENING:  # the oldest is dropped, so that a new page can connect
            next(iter(self.all)).late()

    def late(self) -> None:
        self.all.pop(self).cancel()
        if self.line.get_protocol() is self:  # else it has become a page's socket
            self.line.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self.all:
            self.all.pop(self).cancel()
        super().connection_lost(exc)


class PageSocket(WebSocketsSansIOProtocol):
    """The socket of a page."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.line = transport
        self.unread: asyncio.TimerHandle | None = None
        transport.set_write_buffer_limits(0)  # so that any unsent data is noticed

    def pause_writing(self) -> None:
        self.unread = asyncio.get_running_loop().call_later(UNREAD_SECONDS, self.line.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        if self.unread:
            self.unread.cancel()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.unread:
            self.unread.cancel()
        super().connection_lost(exc)
