"""How the classes with declared options are shown in the reference.

Their signature, and the section of their docstring that describes the options, are made from the
declarations when the class is made. Griffe reads source, so it is told here what the class itself
says. Docstrings describe an option on one line, `name : what it does`, since its type stands in the
signature; Griffe's NumPy style would take what it does for a type, so it goes to a line of its own.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import griffe

from thresher.options import REQUIRED, Declared

SECTION = re.compile(r"(?<=^Parameters\n----------\n).*?(?=\n\n|\Z)", re.M | re.S)
OPTION = re.compile(r"^(\w+) : ", re.M)


class OptionsOfLearners(griffe.Extension):
    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        if cls.parent is None or not cls.parent.is_module:
            return  # a class of a class or of a function
        module, _, name = cls.path.rpartition(".")
        made = getattr(importlib.import_module(module), name, None)
        if not (isinstance(made, type) and issubclass(made, Declared) and made.options):
            return
        text = SECTION.sub(lambda found: OPTION.sub(r"\1\n    ", found[0]), made.__doc__ or "")
        cls.docstring = griffe.Docstring(text, parent=cls, parser=griffe.Parser.numpy)
        cls.set_member("__init__", constructor(made))


def constructor(made: type[Declared]) -> griffe.Function:
    annotations: dict[str, str] = {}
    for base in reversed(made.__mro__):
        annotations |= vars(base).get("__annotations__", {})
    kinds = {
        True: griffe.ParameterKind.keyword_only,
        False: griffe.ParameterKind.positional_or_keyword,
    }
    parameters = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
    for name in made.parameters:
        option = made.options[name]
        default = None if option.default is REQUIRED else repr(option.default)
        parameters.append(
            griffe.Parameter(
                name, annotation=annotations[name], kind=kinds[option.kw_only], default=default
            )
        )
    return griffe.Function("__init__", parameters=griffe.Parameters(*parameters))
