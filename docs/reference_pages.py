"""The reference as a page for each name, made when the site is built.

`reference.md` lists the names, in sections, as mkdocstrings writes them (`::: thresher.Race`). Here
each becomes a page, with what it inherits, and `reference.md` the list of these pages. Every
command of the command line gets a page with its options.
"""

from __future__ import annotations

import inspect
import pydoc
import re
from typing import Any

import click
from mkdocs.structure.files import File, Files
from table_of_learners import with_learners

from thresher.cli import COMMANDS, thresher
from thresher.version import __version__

SECTION = re.compile(r"^## (?P<title>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.M)
ENTRY = re.compile(r"^::: (?P<name>[\w.]+)\n(?P<options>(?:    .*\n)*)", re.M)


def on_config(config: Any) -> Any:
    config.site_name = f"Thresher {__version__}"
    return config


def on_files(files: Files, config: Any) -> Files:
    page = files.get_file_from_path("reference.md")
    assert page is not None
    index, nav = "# Reference\n\n", []
    for section in SECTION.finditer(with_learners(page.content_string)):
        index += f"## {section['title']}\n\n| name | what it is |\n|---|---|\n"
        pages = []
        for entry in ENTRY.finditer(section["body"]):
            name = entry["name"]
            short = name.removeprefix("thresher.")
            path = f"reference/{short}.md"
            files.append(File.generated(config, path, content=page_of(name, entry["options"])))
            index += f"| [`{short}`]({path}) | {summary(name)} |\n"
            pages.append({short: path})
        index += "\n"
        nav.append({section["title"]: pages})
    commands = []
    for command in COMMANDS:
        path = f"reference/thresher-{command}.md"
        files.append(File.generated(config, path, content=help_of(command)))
        commands.append({f"thresher {command}": path})
    index += "## Command line\n\n| command | what it does |\n|---|---|\n"
    for command, does in COMMANDS.items():
        index += f"| [`thresher {command}`](reference/thresher-{command}.md) | {does} |\n"
    nav.append({"Commands": commands})
    page.content_string = index
    place_in(config.nav, nav)
    return files


def place_in(nav: Any, pages: list[Any]) -> None:
    """The pages follow the other entries of the section Reference."""
    for entry in nav:
        if isinstance(entry, dict) and "Reference" in entry:
            entry["Reference"].extend(pages)
            return
    raise ValueError("mkdocs.yml: nav has no section Reference")


def page_of(name: str, options: str) -> str:
    """It starts with the heading that mkdocstrings makes."""
    lines = options.splitlines() or ["    options:"]
    if not options and inspect.isclass(pydoc.locate(name)):
        lines.append("      inherited_members: true")
    if "      show_root_heading: false" in lines:
        return f"# {name}\n\n::: {name}\n" + "\n".join(lines)
    lines += ["      heading_level: 1", "      show_root_full_path: false"]
    return f"::: {name}\n" + "\n".join(lines)


def summary(name: str) -> str:
    """The first paragraph of its docstring, up to the first full stop."""
    text = inspect.getdoc(pydoc.locate(name)) or ""
    first = " ".join(text.split("\n\n", 1)[0].split())
    return re.split(r"(?<=[\w)])(?<! al)[.:](?= |$)", first, maxsplit=1)[0].replace("|", "\\|")


def help_of(command: str) -> str:
    found = thresher.get_command(click.Context(thresher), command)
    assert found is not None
    text = ""
    for path, one in with_subcommands(f"thresher {command}", found):
        context = click.Context(one, info_name=path)
        level = "#" if one is found else "##"
        usage = " ".join([path, *one.collect_usage_pieces(context)])
        text += f"{level} {path}\n\n```text\n{usage}\n```\n\n{paragraphs(one.help)}\n\n"
        records = [parameter.get_help_record(context) for parameter in one.get_params(context)]
        text += "| option | meaning |\n|---|---|\n"
        for option, meaning in filter(None, records):
            if meaning:
                text += f"| `{option}` | {escaped(meaning)} |\n"
        text += f"\n{paragraphs(one.epilog)}\n\n"
    return text


def paragraphs(text: str | None) -> str:
    """Click's help in Markdown: what follows a line \\b, up to an empty line, stays as it is."""
    parts = inspect.cleandoc(text or "").split("\n\n")
    kept = [re.fullmatch(r"\x08\n(.*)", part, re.S) for part in parts]
    return "\n\n".join(
        f"```text\n{as_is[1]}\n```" if as_is else escaped(" ".join(part.split()))
        for part, as_is in zip(parts, kept, strict=True)
    )


def escaped(text: str) -> str:
    return re.sub(r"([<>*_|])", r"\\\1", text)


def with_subcommands(path: str, command: click.Command) -> list[tuple[str, click.Command]]:
    found = [(path, command)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            found += with_subcommands(f"{path} {name}", inner)
    return found
