"""Options from a file, and what a shell may complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def read_config(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
    """The options of a TOML file become defaults: what is typed counts more.

    Names are those of the options, with - or _. A table called like a command, such as [train],
    holds what is for that command alone.
    """
    if path is None:
        return
    import tomllib

    from thresher.cli import COMMANDS
    from thresher.options import near

    try:
        with open(path, "rb") as file:
            stored = tomllib.load(file)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}.", ctx, param) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path}: {error}.", ctx, param) from None
    general = {key: value for key, value in stored.items() if key not in COMMANDS}
    own = stored.get(ctx.command.name or "", {})
    known = _options_of(ctx.command)
    del known["config"]
    defaults: dict[str, Any] = {}
    for key, value in {**general, **own}.items():
        option = known.get(key.replace("-", "_"))
        if option is None or option.name is None:
            raise click.BadParameter(
                f"{path}: thresher {ctx.info_name} has no option {key!r}."
                f"{_elsewhere(ctx, key) or near(key, known)}",
                ctx,
                param,
            )
        defaults[option.name] = _typed(option, value)
    ctx.default_map = defaults


def _options_of(command: click.Command) -> dict[str, click.Option]:
    return {
        word.lstrip("-").replace("-", "_"): option
        for option in command.params
        if isinstance(option, click.Option)
        for word in option.opts
        if word.startswith("--")
    }


def _elsewhere(ctx: click.Context, key: str) -> str:
    """Which other command has an option that stands in a file for several."""
    group = ctx.parent.command if ctx.parent else None
    if not isinstance(group, click.Group):
        return ""
    for name in group.list_commands(ctx):
        other = group.get_command(ctx, name)
        if other is not None and key.replace("-", "_") in _options_of(other):
            return f" It is one of thresher {name}: write it below a line [{name}]."
    return ""


def _typed(option: click.Option, value: Any) -> Any:
    """As it would be typed: `set = {C = 0.1}` is --set C=0.1."""
    if isinstance(value, dict):
        value = [f"{name}={_word(one)}" for name, one in value.items()]
    if option.multiple:
        return [_word(one) for one in value] if isinstance(value, list) else [_word(value)]
    return value if isinstance(value, (bool, int, float)) else str(value)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(_word, value)) if isinstance(value, list) else str(value)


# -- completion


def complete_learner(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The learners of a command; of several with commas between them, the last."""
    from click.shell_completion import CompletionItem

    from thresher.learners.table import TABLE

    before, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(before + comma + entry.short, help=(entry.cls.__doc__ or "").split("\n")[0])
        for entry in TABLE
        if entry.online and entry.short.startswith(last)
    ]


def complete_setting(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The options of the learner that was named."""
    from click.shell_completion import CompletionItem

    from thresher.errors import ThresherError
    from thresher.learners.table import by_short

    try:
        cls = by_short(ctx.params.get("learner") or "experts", races=False).cls
    except ThresherError:
        return []
    return [
        CompletionItem(f"{name}=", help=option.doc)
        for name, option in cls.options.items()
        if name.startswith(incomplete)
    ]


def complete_step(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The steps of --prepare."""
    from click.shell_completion import CompletionItem

    from thresher.prepare import MAPS, SCALERS

    return [CompletionItem(n) for n in (*SCALERS, "unit", *MAPS) if n.startswith(incomplete)]
