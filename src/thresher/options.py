"""Options, each declared once: in the class that has it, or in a group that several classes take.

    class PassiveAggressive(Averaging, Epochs, OnlineClassifier):
        C: float = real(default=1.0, above=0.0, doc="how far one example may move the weights")

The declaration is complete: the allowed values of an option, its default, its meaning. From it come
the signature of the class and the section "Parameters" of its documentation, ``get_params``, the
checks, ``--set C=0.1``, the tables of the docs and the controls of the lab.

As scikit-learn requires, a constructor only stores what it is given. Options are checked by
`checked`, when learning begins.
"""

from __future__ import annotations

import copy
import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self, dataclass_transform

from thresher.errors import InvalidInput

FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Option:
    """What an option may be. Subclasses say how a value is checked and how it is typed."""

    name = ""
    typed = "a word"
    """What may be typed for it, in words."""

    def __init__(
        self,
        default: Any,
        doc: str,
        *,
        none: bool = False,
        core: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.default = default
        self.doc = doc
        self.none = none or default is None
        """Whether None is a value: what it means is in `doc`."""
        self.core = core
        """Whether the native core knows it by this name."""
        self.kw_only = kw_only
        """Whether it is keyword-only in a call of the class."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def checked(self, value: Any) -> Any:
        """The value as it is used; anything that is not allowed is refused."""
        return None if value is None and self.none else self._checked(value)

    def parsed(self, text: str) -> Any:
        """A value from text, as it is typed."""
        if self.none and text.lower() == "none":
            return None
        try:
            return self._parsed(text)
        except InvalidInput:
            raise
        except (ValueError, LookupError):
            expected = self.typed + (" or none" if self.none else "")
            raise InvalidInput(f"{self.name} is {text!r}; expected {expected}.") from None

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be."""
        return ()

    def _checked(self, value: Any) -> Any:
        return value

    def _parsed(self, text: str) -> Any:
        return text


class Real(Option):
    """A number within bounds, or one of a few words."""

    def __init__(
        self,
        default: Any,
        doc: str,
        *,
        words: tuple[str, ...] = (),
        infinite: bool = False,
        function: bool = False,
        above: float = -math.inf,
        least: float = -math.inf,
        below: float = math.inf,
        most: float = math.inf,
        **rest: Any,
    ) -> None:
        super().__init__(default, doc, **rest)
        self.words, self.infinite, self.function = words, infinite, function
        self.bounds = {"above": above, "least": least, "below": below, "most": most}

    @property
    def typed(self) -> str:  # type: ignore[override]
        return " or ".join(["a number", *map(repr, self.words)])

    @property
    def choices(self) -> tuple[str, ...]:
        return self.words

    def _checked(self, value: Any) -> Any:
        if isinstance(value, str) and value in self.words:
            return value
        if self.function and callable(value):
            return value
        if self.infinite and not isinstance(value, bool) and value == math.inf:
            return math.inf
        if isinstance(value, str) and self.words:
            raise InvalidInput(f"{self.name} is {value!r}; expected {self.typed}.")
        return finite(self.name, value, **self.bounds)

    def _parsed(self, text: str) -> Any:
        return text if text in self.words else float(text)


class Whole(Option):
    """A whole number within bounds."""

    typed = "a whole number"

    def __init__(
        self, default: Any, doc: str, *, least: int = 0, most: int | None = None, **rest: Any
    ) -> None:
        super().__init__(default, doc, **rest)
        self.least, self.most = least, most

    def _checked(self, value: Any) -> int:
        return whole(self.name, value, self.least, self.most)

    def _parsed(self, text: str) -> int:
        return int(text)


class Flag(Option):
    """True or False."""

    typed = "true or false"

    def _checked(self, value: Any) -> bool:
        return flag_of(self.name, value)

    def _parsed(self, text: str) -> bool:
        return FLAGS[text.lower()]


class Choice(Option):
    """One of a few words."""

    def __init__(self, words: tuple[str, ...], doc: str, default: Any, **rest: Any) -> None:
        super().__init__(default, doc, **rest)
        self._words = words

    @property
    def choices(self) -> tuple[str, ...]:
        return self._words

    def _checked(self, value: Any) -> str:
        return one_of(self.name, value, self._words)


class Special(Option):
    """An option with its own check."""

    def __init__(
        self,
        default: Any,
        doc: str,
        *,
        check: Callable[[Any], Any],
        parse: Callable[[str], Any] | None = None,
        typed: str = "a word",
        words: tuple[str, ...] = (),
        **rest: Any,
    ) -> None:
        super().__init__(default, doc, **rest)
        self._check, self._parse, self.typed, self._words = check, parse, typed, words

    @property
    def choices(self) -> tuple[str, ...]:
        return self._words

    def _checked(self, value: Any) -> Any:
        return self._check(value)

    def _parsed(self, text: str) -> Any:
        if self._parse is None:
            raise InvalidInput(f"{self.name} cannot be typed; use it in Python.")
        return self._parse(text)


class _But:
    """A group's option with another default; see `but`."""

    def __init__(self, changes: dict[str, Any]) -> None:
        self.changes = changes

    def of(self, option: Option) -> Option:
        own = copy.copy(option)
        for name, value in self.changes.items():
            setattr(own, name, value)
        return own


# How options are declared. Type checkers know these as the fields of a dataclass, so `default`
# must be a keyword.


def real(*, default: Any, doc: str, **bounds: Any) -> Any:
    """A finite number: `above`, `least`, `below`, `most` are its bounds, `words` other allowed
    values; with `infinite` it may be infinite, with `function` a function."""
    return Real(default, doc, **bounds)


def count(*, default: Any, doc: str, **bounds: Any) -> Any:
    """A whole number from `least` (0 by default) to `most`."""
    return Whole(default, doc, **bounds)


def flag(*, default: bool, doc: str, **rest: Any) -> Any:
    """True or False."""
    return Flag(default, doc, **rest)


def choice(*words: str, default: Any, doc: str, **rest: Any) -> Any:
    """One of these words."""
    return Choice(words, doc, default, **rest)


def special(*, default: Any, doc: str, check: Callable[[Any], Any], **rest: Any) -> Any:
    """An option with its own check, which returns the value as it is used."""
    return Special(default, doc, check=check, **rest)


def but(*, default: Any, **changes: Any) -> Any:
    """The option of the same name of a group, with another default, other words or other bounds."""
    return _But({"default": default, **changes})


class Parameters:
    """Something with options: they are read, changed and shown by name, as in scikit-learn."""

    options: ClassVar[Mapping[str, Option]] = {}
    learned: ClassVar[tuple[str, ...]] = ()
    """What learning leaves on a learner. The rest is options, or set by other code."""
    parameters: ClassVar[tuple[str, ...]] = ()
    """What the constructor takes: the options, unless a subclass has its own constructor."""

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "__init__" in vars(cls):
            cls.parameters = tuple(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options and their values."""
        return {name: getattr(self, name) for name in sorted(self.parameters)}

    def set_params(self, **params: Any) -> Self:
        """Change options. A learner that has already learned continues with the new ones."""
        for name, value in params.items():
            if name not in self.parameters:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {sorted(self.parameters)!r}."
                )
            setattr(self, name, value)
        return self

    def check_options(self) -> None:
        """Refuse options that are out of range, or that contradict each other."""
        self.checked()

    def fresh(self) -> Self:
        """The same options, nothing learned."""
        return type(self)(**self.get_params(deep=False))

    def _take(self, other: Self) -> None:
        """Forget what was learned, and take over what `other` has learned.

        In one operation of the interpreter: another thread that predicts meanwhile finds the old
        state or the new one.
        """
        learned = {name: other.__dict__[name] for name in self.learned if name in other.__dict__}
        self.__dict__.update(learned)
        for name in self.learned:
            if name not in learned:
                self.__dict__.pop(name, None)

    def checked(self) -> dict[str, Any]:
        """All options as they are used; an invalid one is refused."""
        return {name: o.checked(getattr(self, name)) for name, o in self.options.items()}

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        shown = (
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass_transform(field_specifiers=(real, count, flag, choice, special, but))
class Declared(Parameters):
    """A class, or a group, whose options are declared in its body.

    A class has the options of its own body first, then those of its groups in their order.
    Positional arguments follow the order of dataclass fields, those of groups first; `kw_only`
    options have to be named.
    """

    _own_constructor: ClassVar[bool] = False

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        found: dict[str, Option] = {}
        changed: dict[str, list[_But]] = {}
        for base in cls.__mro__:
            for name, value in vars(base).items():
                if isinstance(value, _But) and name not in found:
                    changed.setdefault(name, []).append(value)
                elif isinstance(value, Option) and name not in found:
                    for change in reversed(changed.get(name, [])):
                        value = change.of(value)
                    found[name] = value
        cls.options = found
        if "__init__" in vars(cls):  # a user's class with its own constructor
            cls._own_constructor = True
        if found:
            if cls.__doc__:
                cls.__doc__ = _Documented(cls.__doc__, found)  # type: ignore[assignment]
            if cls._own_constructor:
                cls.parameters = tuple(inspect.signature(cls).parameters)
            else:
                cls.__init__ = init = _constructor(cls)  # type: ignore[method-assign]
                cls.parameters = tuple(inspect.signature(init).parameters)[1:]


REQUIRED = inspect.Parameter.empty


def _bound(cls: type[Parameters], args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The options of a call, named or positional."""
    if not args and given.keys() <= cls.options.keys():
        missing = [n for n, o in cls.options.items() if o.default is REQUIRED and n not in given]
        if not missing:
            return given
    try:
        return inspect.signature(cls).bind(*args, **given).arguments
    except TypeError as error:
        unknown = sorted(given.keys() - cls.options.keys())
        hint = near(unknown[0], cls.options) if unknown else ""
        raise TypeError(
            f"{cls.__name__}(): {error}.{hint} Its options are: {', '.join(cls.options)}."
        ) from None


def _constructor(cls: type[Declared]) -> Callable[..., None]:
    """An ``__init__`` that stores the options, with the signature of this class."""

    def __init__(self: Declared, *args: Any, **given: Any) -> None:
        bound = _bound(cls, args, given)
        for name, option in cls.options.items():
            setattr(self, name, bound.get(name, option.default))

    kinds = {True: inspect.Parameter.KEYWORD_ONLY, False: inspect.Parameter.POSITIONAL_OR_KEYWORD}
    placed = [
        name
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, (Option, _But))
    ]
    order = {name: place for place, name in reversed(list(enumerate(placed)))}
    parameters = [
        inspect.Parameter(name, kinds[option.kw_only], default=option.default)
        for name, option in cls.options.items()
    ]
    parameters.sort(key=lambda p: (p.kind, order[p.name] if not cls.options[p.name].kw_only else 0))
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    __init__.__dict__["__signature__"] = inspect.Signature([itself, *parameters])
    return __init__


class _Documented:
    """A docstring with the section "Parameters" before its other sections.

    It is put together when somebody reads it: most runs of the command line read none.
    """

    def __init__(self, text: str, options: Mapping[str, Option]) -> None:
        self.text, self.options = text, options

    def __get__(self, instance: object, owner: type | None = None) -> str:
        import textwrap  # not on the way of a command

        lines = ["Parameters", "----------"]
        for name, option in self.options.items():
            entry = f"{name} : {option.doc}"
            lines += textwrap.wrap(entry, 96, subsequent_indent="    ", break_long_words=False)
        section = "\n".join(lines)
        head, mark, rest = inspect.cleandoc(self.text).partition("\n\nExamples\n--------\n")
        return f"{head}\n\n{section}\n{mark}{rest}" if mark else f"{head}\n\n{section}\n"


# -- options as text


def parsed(cls: type[Parameters], settings: Iterable[str]) -> dict[str, Any]:
    """Options written as text, ``["C=0.1", "variant=PA-II"]``, as values that `cls` takes."""
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not name or not text:
            raise InvalidInput(f"setting {setting!r}; expected NAME=VALUE, such as C=0.1.")
        if name in options:
            raise InvalidInput(f"{name} is set twice; expected each option once.")
        if name not in cls.options:
            raise InvalidInput(
                f"{cls.__name__} has no option {name!r}; it has {', '.join(cls.options)}."
                f"{near(name, cls.options)}"
            )
        options[name] = cls.options[name].parsed(text)
    return options


# What options are called in scikit-learn, River and elsewhere.
ELSEWHERE = {
    "epochs": "max_epochs",
    "eta0": "learning_rate",
    "lr": "learning_rate",
    "max_iter": "max_epochs",
    "mode": "variant",
    "n_epochs": "max_epochs",
    "n_iter": "max_epochs",
    "seed": "random_state",
}


def near(name: str, known: Iterable[str]) -> str:
    """A hint of what was probably meant."""
    import difflib

    known = list(known)
    found = [k for k in known if k.lower() == name.lower() or k == ELSEWHERE.get(name)]
    found = found or difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


# -- checks, for options and for the arguments of functions


def finite(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> float:
    """A number within bounds."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidInput(f"{name} is {value!r}; expected a number.")
    number = float(value)
    if not (above < number < below and least <= number <= most) or math.isinf(number):
        signs = {"> ": above, "≥ ": least, "< ": below, "≤ ": most}
        bounds = " and ".join(s + f"{b:g}" for s, b in signs.items() if math.isfinite(b))
        raise InvalidInput(f"{name} is {value!r}; expected a finite number {bounds}".rstrip() + ".")
    return number


def flag_of(name: str, value: Any) -> bool:
    """True or False, also NumPy's."""
    if not isinstance(value, bool) and getattr(value, "dtype", None) != "bool":
        raise InvalidInput(f"{name} is {value!r}; expected True or False.")
    return bool(value)


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within bounds."""
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Integral)
        or int(value) < least
        or (most is not None and int(value) > most)
    ):
        range_ = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise InvalidInput(f"{name} is {value!r}; expected a whole number {range_}.")
    return int(value)


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in choices:
        raise InvalidInput(f"{name} is {value!r}; expected one of {', '.join(map(repr, choices))}.")
    return str(value)
