"""HTTP for the routes that must be fast: uvicorn's protocol without a task, a scope and an ASGI
application between a request and its answer. All other requests take uvicorn's usual way, and so
do these where they come unusually: before the one in front of them is answered, or asking for
"100 Continue"."""

from __future__ import annotations

import http
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from thresher.errors import ThresherError
from thresher.serve.http import MORE, App, hot_route
from thresher.serve.planning import Answer, Refused, failure

SLOWEST = 120.0  # seconds from the first byte of a request to its last
LONGEST_URL, LARGEST_HEAD = 1 << 13, 1 << 16  # bytes
LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
    for status in http.HTTPStatus
}


class Unreadable(ThresherError):
    """The rest of a request is not read."""


class Nothing:
    """An event for which nobody waits."""

    def set(self) -> None:
        pass


class Exchange:
    """A request that is answered here. The names without an underscore are those of uvicorn's
    `RequestResponseCycle`, so that pipelining, keeping alive and shutting down work as they do."""

    __slots__ = ("_body", "_protocol", "_route", "_size", "disconnected", "keep_alive",
                 "response_complete")  # fmt: skip
    message_event = Nothing()

    def __init__(self, protocol: HotProtocol, route: tuple[str, str], keep_alive: bool) -> None:
        self._protocol, self._route, self.keep_alive = protocol, route, keep_alive
        self._body: list[bytes] = []
        self._size = 0
        self.disconnected = self.response_complete = False

    def take(self, part: bytes, app: App) -> None:
        self._body.append(part)
        self._size += len(part)
        if self._size > app.limits.body:
            self._body.clear()
            self.reply(failure(app.too_large("body", app.limits.body)))

    def ask(self, app: App, query: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        self._body = []
        app.ask(*self._route, query, headers, body, self.reply)

    def reply(self, told: Answer) -> None:
        if self.response_complete:
            return
        self.response_complete = True
        if not self._protocol.transport.is_closing():
            self._protocol.transport.write(as_http(told, self.keep_alive))
            if not self.keep_alive:
                self._protocol.transport.close()
            self._protocol.on_response_complete()


class HotProtocol(HttpToolsProtocol):
    """`app` is uvicorn's application, and ours."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.ours = cast(App, self.config.app)
        self.since = self.loop.time()  # it waits for a request, or for the rest of one
        self.within = False  # a request
        self.ended = False  # the client sends no more

    def is_slow(self, now: float) -> bool:
        """Whether its client is to wait no longer: it does not end a request, or begins none."""
        if self.cycle is not None and not self.cycle.response_complete and not self.within:
            return False  # it waits for us
        return now - self.since > (SLOWEST if self.within else self.timeout_keep_alive)

    def on_response_complete(self) -> None:
        """As uvicorn's, but without a timer for each request: `is_slow` is looked at instead."""
        self.server_state.total_requests += 1
        self.since = self.loop.time()
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self.ended:
            self.transport.close()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Who sends no more may still wait for answers."""
        self.ended = True
        if self.within:
            return False  # the rest will never come
        return self.cycle is not None and not self.cycle.response_complete

    def on_message_begin(self) -> None:
        self.since, self.within = self.loop.time(), True
        self.url = b""
        self.expect_100_continue = False
        self.headers = []
        self.head_size = 0

    def on_url(self, url: bytes) -> None:
        self.url += url
        if len(self.url) > LONGEST_URL:
            self._end_with(414, f"an address of more than {LONGEST_URL:,} bytes.")

    def on_header(self, name: bytes, value: bytes) -> None:
        self.head_size += len(name) + len(value)
        if self.head_size > LARGEST_HEAD:
            self._end_with(431, f"headers of more than {LARGEST_HEAD:,} bytes.")
        super().on_header(name, value)

    def _end_with(self, status: int, found: str) -> None:
        """Refuse a request that cannot be read to its end, and with it the connection."""
        if not self.transport.is_closing():
            self.transport.write(as_http(failure(Refused(status, found)), keep_alive=False))
            self.transport.close()
        raise Unreadable(found)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return  # it was refused
        except httptools.HttpParserError as error:
            if not self.transport.is_closing():
                problem = str(error) or type(error).__name__
                told = failure(Refused(400, f"this is not HTTP/1.1: {problem}."))
                self.transport.write(as_http(told, keep_alive=False))
                self.transport.close()

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            self._end_with(400, "no other protocol is spoken here; send it without Upgrade.")
        if not self._takes():
            url, headers, waits = self.url, self.headers, self.expect_100_continue
            super().on_message_begin()
            self.url, self.expect_100_continue = url, waits
            self.headers.extend(headers)
            super().on_headers_complete()

    def _takes(self) -> bool:
        """Whether this request is answered here; then it is on its way."""
        parser = self.parser
        if parser.get_method() != b"POST" or self.expect_100_continue:
            return False
        if self.cycle is not None and not self.cycle.response_complete:
            return False
        path, _, self.query = self.url.partition(b"?")
        if b"%" in path or b"#" in self.url or (route := hot_route(path.decode("latin-1"))) is None:
            return False
        app = self.ours
        keep_alive = parser.get_http_version() != "1.0" and parser.should_keep_alive()
        self.cycle: Any = Exchange(self, route, keep_alive)
        if refused := app.refuse("", self.headers):
            self.cycle.reply(refused)
            return True
        try:
            app.check_body(self.headers)
        except ThresherError as error:
            self.cycle.reply(failure(error))
        return True

    def on_body(self, body: bytes) -> None:
        if type(self.cycle) is not Exchange:
            super().on_body(body)
        elif not self.cycle.response_complete:
            self.cycle.take(body, self.ours)

    def on_message_complete(self) -> None:
        self.within = False
        if type(self.cycle) is not Exchange:
            super().on_message_complete()
        elif not self.cycle.response_complete:
            self.cycle.ask(self.ours, self.query, self.headers)


def as_http(told: Answer, keep_alive: bool) -> bytes:
    more = b"" if keep_alive else b"connection: close\r\n"
    if told.status in MORE:
        more += b"%b: %b\r\n" % MORE[told.status]
    return b"%bcontent-type: application/json\r\ncontent-length: %d\r\n%b\r\n%b" % (
        LINES[told.status], len(told.body), more, told.body
    )  # fmt: skip
