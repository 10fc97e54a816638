"""thresher serve: models that learn while they answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.report import put, say
from thresher.extras import missing

if TYPE_CHECKING:
    from thresher.serve.store import Store

EXAMPLES = """\b
Examples:
  thresher serve /var/lib/thresher
  thresher serve DIR --sync everysec --port 8080
  thresher serve DIR --host 0.0.0.0 --token-file token
  thresher serve DIR --follow --port 8766  (reads beside the one that writes)
  curl -X PUT localhost:8765/v1/models/mail -d '{"label": "spam"}'
  curl localhost:8765/v1/models/mail/learn -d '{"links": 3, "spam": true}'
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder", type=click.Path(file_okay=False), metavar="DIR")
@click.option("--host", default="127.0.0.1", show_default=True, help="On which address. Any other "
              "than the local one needs a token.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True,
              help="Where to listen; 0 for any free port.")  # fmt: skip
@click.option("--token-file", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="What clients must send: Authorization: Bearer TOKEN. By default that of the "
              "environment, THRESHER_TOKEN.")  # fmt: skip
@click.option("--sync", type=click.Choice(["always", "everysec", "no"]), default="always",
              show_default=True, help="When an event is on disk: before it is answered; within a "
              "second; when the system likes.")  # fmt: skip
@click.option("--checkpoint-seconds", type=click.FloatRange(0, min_open=True), default=300.0,
              show_default=True, help="How often models are saved: a restart learns again what "
              "came since.")  # fmt: skip
@click.option("--keep-log", type=click.IntRange(0), metavar="MB", help="Drop the oldest part of "
              "the log when it is larger, once it is in checkpoints. By default all is "
              "kept.")  # fmt: skip
@click.option("--queue", type=click.IntRange(1), metavar="MB", default=64, show_default=True,
              help="Events that may wait; more are answered with 429.")  # fmt: skip
@click.option("--max-models", type=click.IntRange(1), metavar="N", default=1000, show_default=True,
              help="How many models there may be: all of them are in memory.")  # fmt: skip
@click.option("--vw-port", type=click.IntRange(0, 65535), metavar="PORT", help="Also speak as "
              "`vw --daemon` does, on this port.")  # fmt: skip
@click.option("--vw-model", default="vw", show_default=True, metavar="NAME", help="The model for "
              "that: its format is vw.")  # fmt: skip
@click.option("--follow", is_flag=True, help="Only read: answer predictions with the models that "
              "another server of this machine writes to DIR.")  # fmt: skip
@click.option("--log", "log_folder", type=click.Path(file_okay=False), metavar="FOLDER",
              help="Write a log of each model there, as of `thresher train --log`: the lab shows "
              "them live (thresher lab --logs FOLDER).")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Only errors.")
@click.option("--debug", is_flag=True, help="Errors with the whole traceback.")
def command(folder: str, **given: Any) -> int:
    """Serve the models in DIR over HTTP: learn, predict, labels that come later, snapshots.

    An event that was answered with 200 is on disk, and is learned exactly once, whatever dies.
    """
    try:
        import httptools  # noqa: F401
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import uvloop  # noqa: F401
    except ImportError as error:
        raise missing("the server", error.name or "", "serve") from None
    from thresher.cli.served_log import ServedLogs
    from thresher.serve.server import Settings, is_loopback, run, token_from

    token = token_from(given["token_file"])
    if token is None and not is_loopback(given["host"]):
        raise click.UsageError(
            f"--host {given['host']} lets others in: give them a token, with --token-file or in "
            "the environment as THRESHER_TOKEN."
        )
    if given["follow"] and given["vw_port"] is not None:
        raise click.UsageError("--vw-port learns, and --follow only reads; one of them.")
    keep = given["keep_log"]
    settings = Settings(
        Path(folder),
        host=given["host"],
        port=given["port"],
        token=token,
        sync=given["sync"],
        queue_bytes=given["queue"] << 20,
        checkpoint_seconds=given["checkpoint_seconds"],
        keep_log=None if keep is None else keep << 20,
        max_models=given["max_models"],
        vw_port=given["vw_port"],
        vw_model=given["vw_model"],
        follow=given["follow"],
    )

    logs: list[ServedLogs] = []

    def ready(address: str, store: Callable[[], Store]) -> None:
        put(address)
        if not given["quiet"]:
            say("Stop it with Ctrl-C or SIGTERM.")
        if given["log_folder"] is not None:
            logs.append(ServedLogs(given["log_folder"], folder, store))
            logs[0].start()

    try:
        run(settings, ready, say, (lambda text: None) if given["quiet"] else say)
    finally:
        for log in logs:
            log.stop()
    return 0
