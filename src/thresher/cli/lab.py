"""thresher lab: see it learn, in a local page."""

from __future__ import annotations

import os
import signal
from typing import Any
from urllib.parse import urlsplit

import click

from thresher.cli.report import put, say
from thresher.errors import InvalidInput
from thresher.extras import missing
from thresher.lab.serving.worker import BUDGET

EXAMPLES = """\b
Examples:
  thresher lab
  thresher lab --logs runs       (what `thresher train --log runs` writes)
  thresher lab --port 8642 --no-browser
  thresher lab 'http://127.0.0.1:8642/…#plane=…'     (a shared link)
  thresher lab --export converges -o converges.html     (needs no Python)
  thresher lab --export all -o lessons
"""


@click.command(epilog=EXAMPLES)
@click.argument("link", required=False)
@click.option("--port", type=click.IntRange(0, 65535), help="Where to listen; 0 for any free "
              "port. By default the last lab's address is used again, so that a page that is "
              "still open continues.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="On which address. Any "
              "other than the local one admits others who know the token. If it is given, a class "
              "can join with its phones, by a code that Present shows.")  # fmt: skip
@click.option("--name", "names", multiple=True, metavar="NAME", help="A further name of this "
              "machine by which browsers may call it (with --host).")  # fmt: skip
@click.option("--logs", type=click.Path(file_okay=False), metavar="DIR", default=".",
              show_default="this folder", help="Where to look for logs of `train --log` and `race "
              "--log`; nothing else is read.")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0.1, 3600), metavar="SECONDS", default=BUDGET,
              show_default=True, help="How much computing one question of a page may take before "
              "it is stopped.")  # fmt: skip
@click.option("--export", "lesson", metavar="LESSON", help="Write a lesson, or `all` of them, as "
              "web pages that need neither Python nor a network, instead of starting the lab. "
              "A lesson's name is in its link: #lesson=NAME.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(), metavar="FILE|DIR", help="Where to write: a "
              "file, or for `all` a folder; by default NAME.html, or lessons.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--debug", is_flag=True, help="Errors with the whole traceback.")
def command(link: str | None, port: int | None, host: str, names: tuple[str, ...], logs: str,
            budget: float, lesson: str | None, output: str | None, no_browser: bool,
            debug: bool) -> int:  # fmt: skip
    """Learners at work in a page: the plane, boolean concepts, an adversary, your runs, lessons."""
    if lesson is not None:
        return _export(lesson, output)
    if output is not None:
        raise click.UsageError("-o is for --export LESSON.")
    try:
        import segno  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401

        from thresher.lab.serving import address as addresses
        from thresher.lab.serving.server import serve
    except ImportError as error:
        raise missing("the lab", error.name or "", "lab") from None
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which the server waits for
    state = _state_of(link)
    if not os.path.isdir(logs):
        raise InvalidInput(f"{logs}: no such folder; expected one that holds logs.")

    token = None
    if reuse := port is None and _own(host):
        port, token = addresses.kept()

    def ready(address: str) -> None:
        if reuse:
            found = urlsplit(address)
            addresses.keep(found.port or 0, found.path.strip("/"))
        put(address + state)
        if not _own(host):
            say("warning: anyone who can reach this machine and knows the address above gets in, "
                "and what is sent can be read on the way. A browser that calls it by a name needs "
                "--name.")  # fmt: skip
        say("Stop it with Ctrl-C.")
        if not no_browser:
            _open(address + state)

    serve(host, port or 0, logs=logs, token=token, names=names, elsewhere=reuse,
          classroom=_given("host"), budget=budget, ready=ready)  # fmt: skip
    return 0


def _export(lesson: str, output: str | None) -> int:
    """One file a lesson, each written when it is whole."""
    from thresher.data.output import whole_file
    from thresher.lab.recording.lesson import html, names

    if lesson == "all":
        folder = "lessons" if output is None else output
        os.makedirs(folder, exist_ok=True)
        wanted = {name: os.path.join(folder, f"{name}.html") for name in names()}
    else:
        wanted = {lesson: output or f"{lesson}.html"}
    for name, path in wanted.items():
        text = html(name, pages=lesson == "all").encode()
        with whole_file(path) as file:
            file.write(text)
        say(f"{path}: {len(text) / 1000:.0f} kB")
    return 0


def _state_of(link: str | None) -> str:
    """What a shared link shows is after its #, whichever lab it came from."""
    if link is None:
        return ""
    if "#" not in link:
        raise InvalidInput(f"{link}: not a link of the lab; expected one with a # in it.")
    return link[link.index("#") :]


def _given(option: str) -> bool:
    """Whether it stands on the command line."""
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


def _own(host: str) -> bool:
    """Whether only this machine itself can connect to that address."""
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _open(address: str) -> Any:
    import threading
    import webbrowser

    # A browser that must be started first would keep the server waiting.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
