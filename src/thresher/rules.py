"""A user's own update rule, run inside the native loop.

A rule is a function of the scalars of one step. Its positional parameters choose among ``margin``
(y·s), ``sqnorm`` (‖x‖²), ``y``, ``score``, ``t`` and ``weight``; its keyword parameters become
options of the learner. It returns the step along y: the engine does w += step·y·x.
"""

from __future__ import annotations

import importlib.util
import inspect
import math
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

from thresher.errors import InvalidInput, ModelFileError
from thresher.extras import install
from thresher.lazy import np
from thresher.learners.base.classifier import OnlineClassifier
from thresher.learners.base.groups import (
    Averaging,
    Calibration,
    ClassWeights,
    Intercept,
    Mean,
    Passes,
)
from thresher.learners.base.learner import Engine, Learner
from thresher.options import but, one_of, real, special

SCALARS = ("margin", "sqnorm", "y", "score", "t", "weight")
GEOMETRIES = ("additive", "multiplicative", "balanced")

THRESHOLD = {
    "multiplicative": {"theta": real(default=None, doc="θ; by default the number of features.")},
    "balanced": {"theta": real(default=0.0, doc="θ.")},
}

_registry: dict[str, type[Learner]] = {}


class RuleLearner(Averaging, Passes, Calibration, ClassWeights, OnlineClassifier):
    """A classifier whose steps a user's function decides."""

    rule_name: ClassVar[str]
    rule_function: ClassVar[Callable[..., float]]
    rule_scalars: ClassVar[tuple[str, ...]]
    rule_options: ClassVar[tuple[str, ...]]
    rule_jit: ClassVar[bool | str]
    rule_compiled: ClassVar[dict[tuple[Any, ...], Any]]  # by the values of the options

    average: Mean = but(default=False)

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        values = {name: options.pop(name) for name in self.rule_options}
        if self.engine.geometry != "additive":
            # w_i *= exp(step·y·x_i): the powers of Winnow's α, with α = e.
            options["alpha"] = math.e
        if self.engine.geometry == "balanced":
            options["scaled"] = False
        if self.engine.geometry == "multiplicative":
            options |= {"domain": "unit", "clip": False, "once": True,
                        "demotion": "divide", "floor": None}  # fmt: skip
        compiled = _compiled(type(self), values) if self._may_compile() else None
        if compiled is not None:
            self._keep_compiled = compiled  # the address is good as long as this lives
            return options | {"rule": "compiled", "address": compiled.address}
        return options | {"rule": "python", "step": _in_order(type(self), values)}

    def _may_compile(self) -> bool:
        if self.rule_jit == "auto":
            return importlib.util.find_spec("numba") is not None
        return bool(self.rule_jit)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_keep_compiled", None)
        return state


def rule(
    geometry: str = "additive", jit: bool | str = "auto"
) -> Callable[[Callable[..., float]], type[RuleLearner]]:
    """Make a learner class from a function that decides the size of each step.

    `geometry` says how a step is taken: "additive" w += step·y·x; "multiplicative"
    w_i *= exp(step·y·x_i) for x in [0, 1], with a threshold `theta`; "balanced" the same on two
    weights per feature. With Numba installed the function is compiled (``jit="auto"``); otherwise
    it runs as plain Python, about ten times slower, with the same weights (and an exception raised
    in it propagates; compiled, it becomes a step of NaN, which is refused). The class is
    registered under the function's name, by which `load` finds it.

    >>> from thresher import rule
    >>> @rule(jit=False)
    ... def passive_aggressive(margin, sqnorm, *, C=1.0):
    ...     return min(C, max(0.0, 1.0 - margin) / sqnorm)
    >>> model = passive_aggressive(C=10.0)
    >>> model.learn_one({"a": 1.0, "b": 2.0}, 1)
    >>> round(model.score_one({"a": 1.0, "b": 2.0}), 12)
    1.0
    """
    one_of("geometry", geometry, GEOMETRIES)
    if jit not in ("auto", True, False):
        raise InvalidInput(f"jit is {jit!r}; expected 'auto', True or False.")

    def decorate(function: Callable[..., float]) -> type[RuleLearner]:
        learner = _learner_class(function, geometry, jit)
        _registry[function.__name__] = learner
        return learner

    return decorate


def registered(name: str) -> type[Learner]:
    """The learner class of a rule, by its function's name."""
    if name not in _registry:
        raise ModelFileError(
            f"the model uses the update rule {name!r}, which is not registered here. Import the "
            "module that defines it with @thresher.rule, then load the model."
        )
    return _registry[name]


def _learner_class(
    function: Callable[..., float], geometry: str, jit: bool | str
) -> type[RuleLearner]:
    scalars: list[str] = []
    options: dict[str, Any] = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and p.default is not p.empty:
            options[p.name] = p.default
        elif p.kind is p.POSITIONAL_OR_KEYWORD and p.name in SCALARS:
            scalars.append(p.name)
        else:
            raise InvalidInput(
                f"rule {function.__name__}: parameter {p.name!r} is neither one of "
                f"{', '.join(SCALARS)} nor a keyword option with a default (after a '*')."
            )
    taken = {*RuleLearner.options, *Intercept.options, *THRESHOLD.get(geometry, {})}
    clash = sorted(taken & set(options))
    if clash:
        raise InvalidInput(
            f"rule {function.__name__}: option {clash[0]!r} is one that every learner has already."
        )
    learner = type(
        function.__name__,
        (*((Intercept,) if geometry != "multiplicative" else ()), RuleLearner),
        {
            **{
                name: special(default=default, check=lambda value: value, doc="of the rule.")
                for name, default in options.items()
            },
            **THRESHOLD.get(geometry, {}),
            "__doc__": function.__doc__ or f"A learner that follows the rule {function.__name__}.",
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "engine": Engine(geometry),
            "rule_name": function.__name__,
            "rule_function": staticmethod(function),
            "rule_scalars": tuple(scalars),
            "rule_options": tuple(options),
            "rule_jit": jit,
            "rule_compiled": {},
        },
    )
    return learner


def _in_order(learner: type[RuleLearner], options: dict[str, Any]) -> Callable[..., float]:
    """The rule as a function of all scalars in the order of the core."""
    function, places = learner.rule_function, [SCALARS.index(s) for s in learner.rule_scalars]

    def step(*scalars: float) -> float:
        result = function(*[scalars[i] for i in places], **options)
        if isinstance(result, (int, float, np.integer, np.floating)):
            return float(result)
        raise InvalidInput(f"rule {learner.rule_name} returned {result!r}; expected a number.")

    return step


def _all_positional(function: Callable[..., float]) -> Callable[..., float]:
    """The same function without the ``*``: Numba does not bind keyword-only parameters."""
    code = function.__code__
    flat = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    return FunctionType(flat, function.__globals__, function.__name__, None, function.__closure__)


# A wrapper with the names in the right places; the options become constants. An exception cannot
# leave a C function: its step is NaN, which the core refuses.
WRAPPER = """
def step({scalars}):
    try:
        return _rule({arguments})
    except Exception:
        return _nan
"""


def _compile(learner: type[RuleLearner], options: dict[str, Any]) -> Any:
    import numba

    arguments = [*learner.rule_scalars, *options]
    scope = {
        **options,
        "_rule": numba.njit(_all_positional(learner.rule_function)),
        "_nan": math.nan,
    }
    exec(WRAPPER.format(scalars=", ".join(SCALARS), arguments=", ".join(arguments)), scope)
    return numba.cfunc(f"float64({', '.join(['float64'] * len(SCALARS))})")(scope["step"])


def _compiled(learner: type[RuleLearner], options: dict[str, Any]) -> Any:
    """The rule as a C function, or None if it cannot be one and need not."""
    if learner.rule_jit is True and importlib.util.find_spec("numba") is None:
        raise InvalidInput(f"rule {learner.rule_name}: jit=True needs Numba: {install('jit')}.")
    try:
        key = tuple(options.items())
        if key not in learner.rule_compiled:
            learner.rule_compiled[key] = _compile(learner, options)
        return learner.rule_compiled[key]
    except Exception as error:
        if learner.rule_jit is True:
            raise InvalidInput(f"rule {learner.rule_name} cannot be compiled: {error}") from error
        warnings.warn(
            f"rule {learner.rule_name} cannot be compiled by Numba and runs as plain Python "
            f"({type(error).__name__}).",
            stacklevel=5,
        )
        return None
