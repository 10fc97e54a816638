"""All that is not learned or predicted: models, snapshots, races, health, metrics, the page."""

from __future__ import annotations

import asyncio
import functools
import tempfile
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from thresher.errors import ThresherError
from thresher.serve.http import HOT, json_object, number
from thresher.serve.metrics import CONTENT_TYPE, metrics
from thresher.serve.model import ServedModel
from thresher.serve.openapi import OPENAPI
from thresher.serve.options import NAME, model_options
from thresher.serve.planning import Refused, answer, bad_name, failure, no_model
from thresher.serve.writer import Writer

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from thresher.serve.http import App

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self'"
)
PARTS = {  # of the page, some of them the lab's
    "page.js": ("thresher.serve", "text/javascript"),
    "chart.js": ("thresher.lab.page", "text/javascript"),
    "dom.js": ("thresher.lab.page", "text/javascript"),
    "places.js": ("thresher.lab.page", "text/javascript"),
    "geometry.js": ("thresher.lab.page", "text/javascript"),
    "icon.svg": ("thresher.lab.page", "image/svg+xml"),
}


def routes(app: App) -> Any:
    """The Starlette application behind the hot routes."""
    from starlette.applications import Starlette
    from starlette.background import BackgroundTask
    from starlette.exceptions import HTTPException
    from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
    from starlette.routing import Route

    def reply(told: Any, status: int | None = None) -> Response:
        return Response(told.body, status or told.status, media_type="application/json")

    def guarded(
        handle: Callable[[Request], Awaitable[Response]],
    ) -> Callable[[Request], Awaitable[Response]]:
        @functools.wraps(handle)
        async def safely(request: Request) -> Response:
            try:
                response = await handle(request)
            except ThresherError as error:
                response = reply(failure(error))
            app.figures.count("other", response.status_code)
            return response

        return safely

    def writer() -> Writer:
        if app.writer is None:
            raise Refused(405, "this server only follows another one; change its models there.")
        return app.writer

    def model_of(request: Request) -> ServedModel:
        name = request.path_params["model"]
        model = app.store.names.get(name)
        if model is None:
            raise no_model(name)
        return model

    async def body(request: Request) -> bytes:
        return await app.body(request.scope["headers"], request.receive)  # type: ignore[arg-type]

    async def aside(what: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, what)

    @guarded
    async def models(request: Request) -> Response:
        shown = [about(model) for model in list(app.store.names.values())]
        return reply(answer(200, {"models": shown, "seq": app.store.seq}))

    @guarded
    async def show(request: Request) -> Response:
        return reply(answer(200, about(model_of(request))))

    @guarded
    async def create(request: Request) -> Response:
        name, given = request.path_params["model"], json_object(await body(request))
        if not NAME.fullmatch(name):
            raise bad_name(name)
        options = await aside(lambda: model_options(given))
        new = []

        def work() -> dict[str, Any]:
            model, made = writer().create(name, options)
            new.append(made)
            return about(model)

        told = await app.do(work)
        return reply(told, 201 if new and new[0] and told.status == 200 else None)

    @guarded
    async def delete(request: Request) -> Response:
        name = model_of(request).name
        return reply(await app.do(lambda: delete_model(writer(), name)))

    async def model(request: Request) -> Response:
        return await {"PUT": create, "DELETE": delete}.get(request.method, show)(request)

    @guarded
    async def snapshots(request: Request) -> Response:
        model = model_of(request)
        if request.method == "POST":
            await body(request)
            told = await app.do(lambda: {"seq": writer().snapshot(model.name)})
            return reply(told, 201 if told.status == 200 else None)
        found = app.store.checkpoints
        seqs = await aside(
            lambda: [s for s in found.seqs(model.number) if found.read(model.number, s)["snapshot"]]
        )
        return reply(answer(200, {"snapshots": [{"seq": seq} for seq in seqs]}))

    @guarded
    async def snapshot(request: Request) -> Response:
        model, seq = model_of(request), number(request.path_params["seq"], "seq")
        if request.method == "DELETE":
            return reply(await app.do(lambda: remove_snapshot(writer(), model, seq)))
        path = await aside(lambda: app.store.checkpoints.model_file(model.number, seq))
        if path is not None:
            return FileResponse(path, filename=f"{model.name}-{seq}.model")
        past = await aside(lambda: app.store.at(model, seq))
        if not past.champion.has_learned:
            raise Refused(404, f"at seq {seq:,} this model had learned nothing yet.")
        folder = tempfile.TemporaryDirectory(prefix="thresher-")
        made = f"{folder.name}/{model.name}-{seq}.model"
        past.champion.learner.provenance_ = {
            "served": {"name": model.name, "seq": past.seq, "events": past.events}
        }
        await aside(lambda: past.champion.learner.save(made))
        return FileResponse(
            made, filename=f"{model.name}-{seq}.model", background=BackgroundTask(folder.cleanup)
        )

    @guarded
    async def rollback(request: Request) -> Response:
        model, given = model_of(request), json_object(await body(request), ("seq",))
        seq = given.get("seq")
        if type(seq) is not int or not 0 <= seq < 2**63:
            raise Refused(422, 'expected an object such as {"seq": 81}.')
        return reply(await app.do(lambda: about(writer().roll_back(model.name, seq))))

    @guarded
    async def race(request: Request) -> Response:
        model = model_of(request)
        if request.method == "GET":
            return reply(answer(200, race_of(model)))
        if request.method == "DELETE":
            return reply(await app.do(lambda: race_of(writer().end_race(model.name))))
        given = json_object(await body(request), ("challengers",))
        challengers = await aside(lambda: checked_challengers(model, given.get("challengers")))
        return reply(await app.do(lambda: race_of(writer().race(model.name, challengers))))

    @guarded
    async def promote(request: Request) -> Response:
        model, given = model_of(request), json_object(await body(request), ("name",))
        name = given.get("name")
        if not isinstance(name, str):
            raise Refused(422, 'expected an object such as {"name": "arow"}.')
        return reply(await app.do(lambda: about(writer().promote(model.name, name))))

    async def live(request: Request) -> Response:
        return PlainTextResponse("live\n")

    async def ready(request: Request) -> Response:
        why = app.why_not_ready()
        return PlainTextResponse(f"{why or 'ready'}\n", 503 if why else 200)

    @guarded
    async def measure(request: Request) -> Response:
        return Response(metrics(app), media_type=CONTENT_TYPE)

    @guarded
    async def openapi(request: Request) -> Response:
        return reply(answer(200, OPENAPI))

    async def page(request: Request) -> Response:
        text = files("thresher.serve").joinpath("page.html").read_text("utf-8")
        return HTMLResponse(text, headers={"Content-Security-Policy": POLICY})

    async def part(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in PARTS:
            raise HTTPException(404)
        package, kind = PARTS[name]
        return Response(files(package).joinpath(name).read_bytes(), media_type=kind)

    async def unknown_model(request: Request) -> Response:
        raise HTTPException(404)

    async def unknown(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = error.headers if isinstance(error, HTTPException) else None
        found = "no such address; GET /openapi.json lists all."
        if status != 404:
            takes = (headers or {}).get("Allow", "another method")
            found = f"this address takes {takes}, not {request.method}."
        told = failure(Refused(status, found))
        return Response(told.body, status, headers, media_type="application/json")

    one = "/v1/models/{model}"
    return Starlette(
        routes=[
            Route("/", page),
            Route("/page/{name}", part),
            Route("/health/live", live),
            Route("/health/ready", ready),
            Route("/metrics", measure),
            Route("/openapi.json", openapi),
            Route("/v1/models", models),
            Route(one, model, methods=["GET", "PUT", "DELETE"]),
            # Answered before they get here; any other method is refused here.
            *(Route(f"{one}/{what}", unknown_model, methods=["POST"]) for what in HOT),
            Route(f"{one}/snapshots", snapshots, methods=["GET", "POST"]),
            Route(f"{one}/snapshots/{{seq}}", snapshot, methods=["GET", "DELETE"]),
            Route(f"{one}/rollback", rollback, methods=["POST"]),
            Route(f"{one}/race", race, methods=["GET", "PUT", "DELETE"]),
            Route(f"{one}/race/promote", promote, methods=["POST"]),
        ],
        exception_handlers={HTTPException: unknown},
    )


def about(model: ServedModel) -> dict[str, Any]:
    """A model as clients see it."""
    return {
        "name": model.name,
        "seq": model.seq,
        "created": model.created,
        "events": model.events,
        "kept": len(model.kept),
        "late_labels": model.late[0],
        "challengers": sorted(model.challengers),
        "failed": model.failed,
        "task": model.champion.learner.task,
        **model.champion.standing(),
        "options": model.options.as_json(),
    }


def race_of(model: ServedModel) -> dict[str, Any]:
    return {"began": model.race_began, "seq": model.seq, "standings": model.standings()}


def checked_challengers(model: ServedModel, given: Any) -> dict[str, dict[str, Any]]:
    """Names, each with a learner and its settings, all of which can learn these events."""
    if not isinstance(given, dict) or not 0 < len(given) <= 16:
        raise Refused(
            422, 'expected up to 16 challengers: {"challengers": {"arow": {"learner": "arow"}}}.'
        )
    checked = {}
    for name, one in given.items():
        if not NAME.fullmatch(name) or not is_challenger(one):
            raise Refused(422, f'{name[:100]!r}: expected an object such as {{"learner": "arow"}}.')
        settings = one.get("settings", {})
        if set(one) - {"learner", "settings"}:
            raise Refused(422, f"{name}: a challenger has a learner and settings, and reads events "
                          "as the model does.")  # fmt: skip
        chosen = {"learner": one["learner"], "settings": settings}
        options = model_options({**model.options.as_json(), **chosen})
        checked[name] = {"learner": options.learner, "settings": dict(options.settings)}
    return checked


def is_challenger(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("learner"), str)


def delete_model(writer: Writer, name: str) -> dict[str, Any]:
    writer.delete(name)
    return {"deleted": name}


def remove_snapshot(writer: Writer, model: ServedModel, seq: int) -> dict[str, Any]:
    """It becomes a checkpoint like others, which goes when there are newer ones."""
    found = writer.store.checkpoints
    if seq not in found.seqs(model.number) or not found.read(model.number, seq)["snapshot"]:
        raise Refused(404, f"no snapshot at seq {seq:,}.")
    found.unpin(model.number, seq)
    return {"removed": seq}
