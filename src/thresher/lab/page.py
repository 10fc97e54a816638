"""The files of the page: small modules for a browser, joined into one for a notebook."""

from __future__ import annotations

import functools
import re
from importlib.resources import files

TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
IMPORT = re.compile(r'^import\s*(?:\{[^}]*\}|\w+)?\s*(?:from\s*)?"\./([\w-]+\.js)";\n', re.M)


@functools.cache
def resources() -> dict[str, bytes]:
    """Every file of the page, by name: nothing else is ever served."""
    folder = files("thresher.lab") / "static"
    return {
        entry.name: entry.read_bytes()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name[entry.name.rfind(".") :] in TYPES
    }


def content_type(name: str) -> str:
    return TYPES[name[name.rfind(".") :]]


def joined(first: str = "lab.js") -> str:
    """One module of `first` and all that it imports, each once, those that are needed first.

    A notebook loads a widget as one text, which cannot import its neighbours. Names at the top of
    the modules differ from each other, so that they can stand in one.
    """
    done: dict[str, str] = {}

    def add(name: str) -> None:
        if name in done:
            return
        text = resources()[name].decode()
        done[name] = ""
        for needed in IMPORT.findall(text):
            add(needed)
        del done[name]  # after those that it needs
        done[name] = IMPORT.sub("", text)

    add(first)
    last = done.popitem()[1]
    parts = [re.sub(r"^export (?!default)", "", text, flags=re.M) for text in done.values()]
    return "\n".join([*parts, last])
