"""The server behind `thresher lab`: the files of the page, and one socket for its questions.

It listens on this machine alone unless told otherwise. Every address begins with a token that is
new each time; Host and Origin must be ours (so that no other page, and no name that points here,
gets in); the page may load nothing from elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from thresher.errors import InvalidInput
from thresher.lab.answers import Answers
from thresher.lab.page import content_type, resources

MOST_BYTES = 4 << 20  # of one message
MOST_PAGES = 64
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
}


class Lab:
    """What one server knows: its token, its names, the folder of logs."""

    def __init__(self, token: str, hosts: set[str], logs: str | None) -> None:
        self.token = token
        self.hosts = hosts
        self.answers = Answers(logs)
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
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, RedirectResponse, Response
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket, WebSocketDisconnect

    def refusal(request: Any) -> Response | None:
        if not lab.known(request.headers.get("host")):
            return PlainTextResponse("This lab does not go by that name.\n", 403, HEADERS)
        if not lab.opens(request.path_params["token"]):
            return PlainTextResponse(
                "This address is not of a lab that runs now. Open the one that `thresher lab` has "
                "printed; to see a shared link, start `thresher lab LINK`.\n", 403, HEADERS,
            )  # fmt: skip
        return None

    async def page(request: Request) -> Response:
        return refusal(request) or _file("index.html")

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if refused := refusal(request):
            return refused
        return _file(name) if name in resources() else PlainTextResponse("?\n", 404, HEADERS)

    def _file(name: str) -> Response:
        return Response(resources()[name], headers=HEADERS, media_type=content_type(name))

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
            await _talk(ws)
        except (WebSocketDisconnect, asyncio.CancelledError):
            pass  # the page has gone, or the server is being stopped
        finally:
            lab.pages -= 1

    async def _talk(ws: WebSocket) -> None:
        due = time.monotonic()
        while True:
            message = await ws.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text") or ""  # bytes are no question, and are told so
            # A page that asks too fast waits; one that asks now and then does not notice.
            due = max(due, time.monotonic() - 1.0) + 1.0 / QUESTIONS_A_SECOND
            if (early := due - time.monotonic()) > 0:
                await asyncio.sleep(early)
            await ws.send_text(await run_in_threadpool(_answered, lab.answers, text))

    app = Starlette(
        routes=[
            Route("/", nowhere),
            Route("/{token}", slash),
            Route("/{token}/", page),
            WebSocketRoute("/{token}/ask", ask),
            Route("/{token}/{name}", file),
        ]
    )
    app.router.redirect_slashes = False  # no address is answered before its token is looked at
    return app


def _answered(answers: Answers, text: str) -> str:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        return json.dumps({"id": None, "error": f"the message is not JSON: {error}"})
    return json.dumps(answers(message), allow_nan=False, separators=(",", ":"))


def listen(host: str, port: int) -> socket.socket:
    """The socket of the server; port 0, or one that is taken while none was asked for: any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise InvalidInput(
            f"port {port} of {host} cannot be had ({error.strerror}); choose another with --port, "
            "or leave it out for a free one."
        ) from None
    found.listen(64)
    return found


def names_of(host: str, port: int, also: tuple[str, ...] = ()) -> set[str]:
    """By what a browser may call this server, as its Host header says it."""
    names = {"127.0.0.1", "localhost", "[::1]", *also}
    if host not in ("0.0.0.0", "::"):
        names.add(f"[{host}]" if ":" in host else host)
    return {f"{name.lower()}:{port}" for name in names} | ({*names} if port == 80 else set())


def serve(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    logs: str | None = None,
    token: str | None = None,
    names: tuple[str, ...] = (),
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the lab until it is stopped; `ready` is told the address as soon as it answers.

    `names` are further names of this machine by which a browser may call it, where `host` is not
    this machine alone.
    """
    import uvicorn

    with contextlib.closing(listen(host, port)) as found:
        port = found.getsockname()[1]
        token = token or secrets.token_urlsafe(16)
        lab = Lab(token, names_of(host, port, names), logs)
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        app = application(lab)
        app.router.lifespan_context = _announcing(f"http://{shown}:{port}/{token}/", ready)
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, ws="websockets-sansio",
            ws_max_size=MOST_BYTES, server_header=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[found])


def _announcing(address: str, ready: Callable[[str], None] | None) -> Any:
    """Once it listens: tell the address, then load in the background what the first page needs."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        if ready:
            ready(address)
        warm = asyncio.get_running_loop().run_in_executor(None, _warm_up)
        yield
        warm.cancel()

    return lifespan


def _warm_up() -> None:
    from thresher.lab.plane import run

    points = [[0.5, 0.5, 1], [-0.5, -0.5, -1], [0.4, -0.1, 1]]
    run({"points": points, "panels": [{"learner": "perceptron"}]})
