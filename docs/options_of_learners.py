"""How docstrings are read for the reference.

Docstrings describe an option on one line, `name : what it does`, since its type stands in the
signature. Griffe's NumPy style would take what it does for a type, so it goes to a line of its own;
of options described together, each gets its own entry. A remark after the options, which Griffe
would take for one more, goes before them.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

OPTIONS = re.compile(
    r"(?P<options>^Parameters\n-+\n.*?\n)(?P<remark>\n(?!\w+\n-)\S.*?\n)?(?=\n|\Z)", re.M | re.S
)
OPTION = re.compile(r"^(?P<names>\w[\w,\s]*?) :\s+(?P<text>.*?\n)(?=\w|\Z)", re.M | re.S)


class OptionsOfLearners(griffe.Extension):
    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        if cls.docstring is not None:
            cls.docstring.value = OPTIONS.sub(in_numpy_style, cls.docstring.value)


def in_numpy_style(section: re.Match[str]) -> str:
    remark = (section["remark"] or "").strip()
    return f"{remark}\n\n" + OPTION.sub(option_in_numpy_style, section["options"])


def option_in_numpy_style(option: re.Match[str]) -> str:
    names = (name.strip() for name in option["names"].split(","))
    return "".join(f"{name}\n    {option['text']}" for name in names)
