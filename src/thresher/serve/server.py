"""A server from its start to its end: the writer's thread, uvicorn, signals."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInput
from thresher.serve.http import App
from thresher.serve.store import Store
from thresher.serve.writer import Writer

PATIENCE = 2  # seconds after which it is said why the server is not ready
GRACE = 20  # seconds for requests that are under way when the server stops


@dataclass
class Settings:
    """Of `thresher serve`."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = None
    sync: str = "always"
    queue_bytes: int = 64 << 20
    segment_bytes: int = 64 << 20
    checkpoint_seconds: float = 300.0
    keep_log: int | None = None
    max_models: int = 1000
    vw_port: int | None = None
    vw_model: str = "vw"
    follow: bool = False


Ready = Callable[[str, Callable[[], Store]], None]


def run(
    settings: Settings,
    ready: Ready = lambda address, store: None,
    tell: Callable[[str], None] = lambda text: None,
    warn: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C. What was acknowledged is on disk then, and checkpointed.

    When it is ready its address is told, and how to get the store, which may be replaced. `tell` is
    for what the operator should know, `warn` for what may be wrong with the events.
    """
    writer: Writer | None = None
    if settings.follow:
        from thresher.serve.follower import Follower

        follower = Follower(settings.folder)
        app = App(follower.store, None, token=settings.token, is_ready=follower.why_not_ready)
        follower.replaced = app.take
        follower.start()
    else:
        writer = writer_of(settings, tell)
        writer.start()
        app = App(writer.store, writer, token=settings.token, is_ready=readiness(writer))
    try:
        listening = listen(settings.host, settings.port)
        import uvloop

        uvloop.run(serve(app, writer, settings, listening, ready, tell, warn))
    finally:
        if app.desk is not None:
            app.desk.settle()
        if writer is not None:
            writer.stop()
            writer.join()
        else:
            follower.stop()
    if writer is not None and writer.broken is not None:
        raise writer.broken


def writer_of(settings: Settings, tell: Callable[[str], None]) -> Writer:
    try:
        return Writer(
            settings.folder,
            sync=settings.sync,
            segment_bytes=settings.segment_bytes,
            queue_bytes=settings.queue_bytes,
            checkpoint_seconds=settings.checkpoint_seconds,
            keep_log=settings.keep_log,
            max_models=settings.max_models,
            tell=tell,
        )
    except OSError as error:
        raise InvalidInput(
            f"{error.filename or settings.folder}: {error.strerror}; expected a folder in which "
            "the server may make, read and write files."
        ) from None


def readiness(writer: Writer) -> Callable[[], str | None]:
    def why_not_ready() -> str | None:
        if writer.broken is not None:
            return f"broken: {writer.broken}"
        if not writer.ready:
            return f"replaying the log: seq {writer.replayed:,} of {writer.log.last:,}"
        if writer.log.failed is not None:
            return f"the log cannot be written: {writer.log.failed.strerror}"
        return None

    return why_not_ready


def listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], found[1])
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(found[4])
        listening.listen(2048)
    except OSError as error:
        raise InvalidInput(f"cannot listen on {host}, port {port}: {error.strerror}.") from None
    return listening


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def serve(
    app: App,
    writer: Writer | None,
    settings: Settings,
    listening: socket.socket,
    ready: Ready,
    tell: Callable[[str], None],
    warn: Callable[[str], None],
) -> None:
    import uvicorn

    from thresher.serve.protocol import HotProtocol

    class Server(uvicorn.Server):  # type: ignore[misc, unused-ignore]
        @contextmanager
        def capture_signals(self) -> Any:
            yield  # they are ours

    config = uvicorn.Config(
        app, http=HotProtocol, ws="none", lifespan="off", log_level="error", access_log=False,
        server_header=False, date_header=False, timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE, proxy_headers=False,
    )  # fmt: skip
    server = Server(config)
    loop = asyncio.get_running_loop()
    why = app.why_not_ready

    def stop() -> None:
        app.why_not_ready = lambda: "stopping"
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
            loop.add_signal_handler(number, stop)

    doubted: set[str] = set()  # models that are asked about events of which they know nothing

    def warn_of_doubts() -> None:
        for model in list(app.store.names.values()):
            for column in model.column_doubts():
                warn(f"warning: {model.name}: {column}")
            if model.name not in doubted and (doubt := model.champion.doubt):
                doubted.add(model.name)
                warn(f"warning: {model.name}: {doubt}")

    async def look_after() -> None:
        """Tell when it is ready; end if it never will be."""
        told = said = False
        began = loop.time()
        while not server.should_exit:
            if writer is not None and writer.broken is not None and not told:
                stop()
            if not told and server.started and why() is None:
                told = True
                if vw is not None:
                    await vw.start_serving()
                ready(address_of(listening), lambda: app.store)
            now = loop.time()
            if not told and not said and now - began > PATIENCE and (reason := why()):
                said = True
                tell(f"Not ready yet: {reason}")
            warn_of_doubts()
            for connection in list(server.server_state.connections):
                if isinstance(connection, HotProtocol) and connection.is_slow(now):
                    connection.transport.close()
            await asyncio.sleep(0.02 if not told else 1.0)

    vw = None
    if settings.vw_port is not None:
        from thresher.serve.vw_daemon import listen_vw

        vw = await listen_vw(app, settings.host, settings.vw_port, settings.vw_model)
    looking = asyncio.ensure_future(look_after())
    try:
        await server.serve(sockets=[listening])
    finally:
        looking.cancel()
        warn_of_doubts()
        if vw is not None:
            vw.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine itself can connect to that address."""
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def token_from(path: str | None) -> str | None:
    """From a file, or from the environment."""
    if path is None:
        return os.environ.get("THRESHER_TOKEN") or None
    token = Path(path).read_text().strip()
    if not token or not token.isascii() or any(c.isspace() for c in token):
        raise InvalidInput(f"{path}: expected a token: one word of ASCII.")
    return token
