"""The command line: one file for each command, loaded only when it is used."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from collections.abc import Iterable
from typing import Any

import click

from thresher import __version__
from thresher.cli.report import complain, while_somebody_reads

COMMANDS = {
    "train": "learn a model from files or a pipe",
    "predict": "labels, scores or probabilities for examples",
    "evaluate": "error, confusion, F1, AUC, calibration of a model",
    "audit": "mistakes compared with the theorems that bound them",
    "race": "many learners and settings in one pass",
    "mix": "one model of several, trained on parts of the data",
    "inspect": "what a model file holds",
    "convert": "write examples in another format",
    "export": "a model as ONNX, SQL, C or JSON",
    "import": "a model of LIBLINEAR or Vowpal Wabbit",
    "generate": "make data with a known target",
    "lab": "see learners at work, in a local page",
    "serve": "models that learn while they answer, over HTTP",
    "consume": "learn from a stream: Redis, Kafka, NATS, a growing file",
    "log": "what a server has learned, from its log",
}

EXIT_CODES = """Exit codes: 0 success; 1 an error, reported on standard error; 2 wrong usage;
3 done, but bad lines were left out; 130 stopped by Ctrl-C or SIGTERM, work saved."""


class Commands(click.Group):
    """Shows all commands, imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from thresher._core import share_one_heap

        share_one_heap()
        file = "import_" if cmd_name == "import" else cmd_name  # a word of the language
        module = importlib.import_module(f"thresher.cli.{file}")
        command: click.Command = module.command
        return command

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        with while_somebody_reads(sys.stdout):  # of --help
            return super().make_context(*given, **more)
        raise click.exceptions.Exit(0)

    def invoke(self, ctx: click.Context) -> Any:
        code: Any = 0
        try:
            with while_somebody_reads(sys.stdout):
                code = super().invoke(ctx)
        except BrokenPipeError as error:  # on which Click would exit silently
            complain(error)
            code = 1
        return code

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from None
        if command and not isinstance(command, click.Group):
            rest = with_long_names(command.get_params(ctx), rest)
        return name, command, rest


def with_long_names(parameters: Iterable[click.Parameter], words: Iterable[str]) -> list[str]:
    """`--model` for `-m`: Click takes that for an unknown long option first, and looks for similar
    ones, a tenth of the time that a small run takes. What follows anything else that looks like an
    option, such as `-qm`, stays as it is."""
    options = {name: p for p in parameters if isinstance(p, click.Option) for name in p.opts}
    found: list[str] = []
    left = iter(words)
    for word in left:
        if option := options.get(word):
            found.append(max(option.opts, key=len))
            if not option.is_flag and not option.count:
                found += itertools.islice(left, option.nargs)  # whatever they look like
            continue
        found.append(word)
        if word[:1] == "-" and word != "-" and word.partition("=")[0] not in options:
            break
    return [*found, *left]


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
)
@click.version_option(__version__, message="thresher %(version)s")
def thresher() -> None:
    """Linear models from a stream, one example at a time.

    \b
    thresher train reviews.svm.gz -m reviews.model
    thresher predict new.svm -m reviews.model
    """


def main() -> None:
    """What the command `thresher` runs: errors become one readable block, never a traceback."""
    _open_what_is_closed()
    debug = "--debug" in sys.argv
    try:
        code = thresher.main(standalone_mode=False)
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption):
            from thresher.cli.elsewhere import instead_of

            told = error.format_message() + instead_of(error.option_name)
            error = click.UsageError(told, error.ctx)
        with while_somebody_reads(sys.stderr):
            error.show()
        code = error.exit_code
    except click.exceptions.Abort:
        code = 130
    except Exception as error:
        if debug:
            raise
        complain(error)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _open_what_is_closed() -> None:
    """`thresher … >&-`: Python has no such stream, and the next file would get its descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open to the end)
