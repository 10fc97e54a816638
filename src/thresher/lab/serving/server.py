"""The server behind `thresher lab`: the files of the page, and one socket for its questions.

It listens on this machine only, unless told otherwise. Every address begins with a secret token;
Host and Origin must be ours (so that no other page, and no name that points here, has access); the
page may load nothing from elsewhere.

Questions are answered by other processes (`workers`), so that none blocks the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.lab.page.files import content_type, served
from thresher.lab.serving.unanswered import number_of
from thresher.lab.serving.worker import BUDGET
from thresher.lab.serving.workers import Workers

if TYPE_CHECKING:
    from thresher.lab.serving.classes import Class

MOST_BYTES = 4 << 20  # of one message
MOST_PAGES = 64
MOST_WAITING = 64  # questions of one page, of MOST_BYTES together; the next are not even read
QUESTIONS_A_SECOND = 240
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Connection": "close",  # one request each, so that one time-out covers all that can be slow
}


class Lab:
    """What one server knows: its token, its names, its workers."""

    def __init__(
        self, token: str, hosts: set[str], workers: Workers, classroom: Class | None = None
    ) -> None:
        self.token = token
        self.classroom = classroom
        self.hosts = hosts
        self.workers = workers
        self.pages = 0

    def opens(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    def known(self, host: str | None) -> bool:
        return host is not None and host.lower() in self.hosts

    def ours(self, origin: str | None) -> bool:
        return origin is not None and origin.lower().removeprefix("http://") in self.hosts


def application(lab: Lab) -> Any:
    """The Starlette application of a lab."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.requests import Request
    from starlette.responses import (
        JSONResponse,
        PlainTextResponse,
        RedirectResponse,
        Response,
    )
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

    from thresher.lab.serving.classes import FILES

    def refusal(request: Any) -> Response | None:
        if not lab.known(request.headers.get("host")):
            return PlainTextResponse("This lab is not served under that name.\n", 403, HEADERS)
        if not lab.opens(request.path_params["token"]):
            return PlainTextResponse(
                "No running lab has this address. Open the one that `thresher lab` has "
                "printed; to see a shared link, start `thresher lab LINK`.\n", 403, HEADERS,
            )  # fmt: skip
        return None

    def for_phones(request: Request, name: str) -> Response | None:
        """Phones have a token of their own, which opens their page only."""
        known = lab.classroom and lab.classroom.opens(request.path_params["token"])
        if not known or not lab.known(request.headers.get("host")) or name not in FILES:
            return None
        return _file(FILES[name])

    async def page(request: Request) -> Response:
        return for_phones(request, "") or refusal(request) or _file("page/index.html")

    async def results(request: Request) -> Response:
        if refused := refusal(request):
            return refused
        if lab.classroom is None:
            return PlainTextResponse("?\n", 404, HEADERS)
        named = {"Content-Disposition": 'attachment; filename="class.csv"'}
        table = lab.classroom.room.table()
        return Response(table, headers={**HEADERS, **named}, media_type="text/csv; charset=utf-8")

    async def about(request: Request) -> Response:
        """Whether there is a class; the page asks once."""
        return refusal(request) or JSONResponse(
            {"classroom": lab.classroom is not None}, headers=HEADERS
        )

    async def classroom(ws: WebSocket) -> None:
        token, headers, found = ws.path_params["token"], ws.headers, lab.classroom
        allowed = lab.known(headers.get("host")) and lab.ours(headers.get("origin"))
        if found is None or not allowed or not (found.opens(token) or lab.opens(token)):
            await ws.close(4403)
            return
        await ws.accept()
        with contextlib.suppress(WebSocketDisconnect, asyncio.CancelledError):
            await (found.lecturer(ws) if lab.opens(token) else found.phone(ws))

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if found := for_phones(request, name):
            return found
        if refused := refusal(request):
            return refused
        return _file(name) if name in served() else PlainTextResponse("?\n", 404, HEADERS)

    def _file(name: str) -> Response:
        return Response(served()[name], headers=HEADERS, media_type=content_type(name))

    async def slash(request: Request) -> Response:
        return refusal(request) or RedirectResponse(request.url.path + "/", headers=HEADERS)

    async def nowhere(request: Request) -> Response:
        request.path_params["token"] = ""
        return refusal(request) or PlainTextResponse("?\n", 404, HEADERS)

    async def ask(ws: WebSocket) -> None:
        token, headers = ws.path_params["token"], ws.headers
        allowed = lab.known(headers.get("host")) and lab.ours(headers.get("origin"))
        if not allowed or not lab.opens(token) or lab.pages >= MOST_PAGES:
            await ws.close(4403)
            return
        await ws.accept()
        lab.pages += 1
        try:
            await Page(ws, lab.workers).talk()
        except (WebSocketDisconnect, asyncio.CancelledError):
            pass  # the page has gone, or the server is stopping
        finally:
            lab.pages -= 1

    app = Starlette(
        routes=[
            Route("/", nowhere),
            Route("/{token}", slash),
            Route("/{token}/", page),
            WebSocketRoute("/{token}/ask", ask),
            WebSocketRoute("/{token}/class", classroom),
            Route("/{token}/class.csv", results),
            Route("/{token}/about", about),
            Route("/{token}/{name:path}", file),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=500)],
    )
    app.router.redirect_slashes = False  # no address is answered before its token is checked
    return app


class Page:
    """The connection with one page: its questions are answered one after the other, unless it stops
    one (``{"stop": number}``) or leaves."""

    def __init__(self, ws: Any, workers: Workers) -> None:
        self.ws = ws
        self.workers = workers
        self.waiting: deque[str] = deque()
        self.came, self.room = asyncio.Event(), asyncio.Event()
        self.asked: str | None = None
        self.work: asyncio.Future[str] | None = None

    async def talk(self) -> None:
        sides = [asyncio.ensure_future(side) for side in (self._listen(), self._answer())]
        try:
            await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for side in sides:
                side.cancel()
            await asyncio.gather(*sides, return_exceptions=True)

    async def _listen(self) -> None:
        while (message := await self.ws.receive())["type"] != "websocket.disconnect":
            text = message.get("text") or ""  # bytes are not a question, and are answered so
            number = _stopped(text)
            if number is not None:
                self._stop(number)
                continue
            self.waiting.append(text)
            self.came.set()
            while len(self.waiting) > MOST_WAITING or sum(map(len, self.waiting)) > MOST_BYTES:
                self.room.clear()
                await self.room.wait()

    def _stop(self, number: int) -> None:
        if self.asked is not None and number_of(self.asked) == number:
            self.asked = None
            if self.work:
                self.work.cancel()
        for text in [text for text in self.waiting if number_of(text) == number]:
            self.waiting.remove(text)

    async def _answer(self) -> None:
        due = time.monotonic()
        while True:
            while not self.waiting:
                self.came.clear()
                await self.came.wait()
            self.asked = self.waiting.popleft()
            self.room.set()
            # A page that asks too fast waits; one that asks occasionally does not notice.
            due = max(due, time.monotonic() - 1.0) + 1.0 / QUESTIONS_A_SECOND
            if (early := due - time.monotonic()) > 0:
                await asyncio.sleep(early)
            if self.asked is not None:
                await self._answer_to(self.asked)

    async def _answer_to(self, text: str) -> None:
        self.work = asyncio.ensure_future(self.workers.answer(text))
        try:
            await asyncio.wait([self.work])
        finally:
            self.work.cancel()  # if the page has left
        if not self.work.cancelled():
            await self.ws.send_text(self.work.result())
        self.work = None


def _stopped(text: str) -> int | None:
    """The number of the question that a message stops; None if it is a question itself."""
    if not text.startswith('{"stop":') or len(text) > 40:
        return None
    try:
        number = json.loads(text)["stop"]
    except ValueError:
        return None
    return number if isinstance(number, int) else None


def listen(host: str, port: int) -> socket.socket:
    """The socket of the server; port 0: any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise InvalidInput(
            f"port {port} of {host} cannot be used ({error.strerror}); choose another with --port, "
            "or leave it out for a free one."
        ) from None
    found.listen(64)
    return found


def names_of(host: str, port: int, also: tuple[str, ...] = ()) -> set[str]:
    """The names by which a browser may call this server, as in the Host header."""
    names = {"127.0.0.1", "localhost", "[::1]", *also}
    if host not in ("0.0.0.0", "::"):
        names.add(f"[{host}]" if ":" in host else host)
    return {f"{name.lower()}:{port}" for name in names} | ({*names} if port == 80 else set())


def own_address() -> str:
    """The address of this machine in its network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))  # reserved for documentation
        except OSError:
            return "127.0.0.1"
        return str(one.getsockname()[0])


def serve(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    logs: str | None = None,
    token: str | None = None,
    names: tuple[str, ...] = (),
    classroom: bool = False,
    elsewhere: bool = False,
    budget: float = BUDGET,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the lab until it is stopped; `ready` gets the address as soon as it answers.

    `names` are further names of this machine by which a browser may call it, if `host` is not
    local. With `classroom`, phones of a class may join by a link of their own. If the port is taken
    and `elsewhere` is true, any other is used, with a new token. A question that takes more than
    `budget` seconds of computing is stopped.
    """
    import uvicorn

    from thresher.lab.serving import connections

    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(contextlib.closing(listen(host, port)))
        except InvalidInput:
            if not elsewhere:
                raise
            found, token = stack.enter_context(contextlib.closing(listen(host, 0))), None
        workers = stack.enter_context(contextlib.closing(Workers(logs, budget)))
        port = found.getsockname()[1]
        token = token or secrets.token_urlsafe(16)
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        group = None
        if classroom:
            from thresher.lab.serving.classes import Class

            called = names[0] if names else own_address() if host in ("0.0.0.0", "::") else shown
            names = (*names, called)
            group = Class(f"http://{called}:{port}")
        lab = Lab(token, names_of(host, port, names), workers, group)
        app = application(lab)
        app.router.lifespan_context = _announcing(f"http://{shown}:{port}/{token}/", ready, workers)
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, http=connections.Opening,
            ws=connections.PageSocket, ws_max_size=MOST_BYTES,
            ws_ping_interval=connections.PING_SECONDS, ws_ping_timeout=connections.PING_SECONDS,
            server_header=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[found])


def _announcing(address: str, ready: Callable[[str], None] | None, workers: Workers) -> Any:
    """Once it listens: report the address; the workers start in the background."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        workers.more()
        if ready:
            ready(address)
        yield
        workers.close()

    return lifespan
