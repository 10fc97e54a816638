"""What every learner shares: its options, its model in the core, its features, its files."""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import (
    Any,
    ClassVar,
    NamedTuple,
    Self,
    TypedDict,
    TypeVar,
    cast,
)

from thresher._core import Lexicon, Model, native_method
from thresher.errors import InvalidInput, ModelFileError, SaturationWarning
from thresher.lazy import np, npt
from thresher.learners.base.audited import Audited
from thresher.learners.base.columns import KnownColumns, check_names
from thresher.learners.base.examples import Rows, read_rows
from thresher.learners.base.from_files import FromFiles
from thresher.learners.base.protocol import Fitted, Routed
from thresher.learners.base.starting import Starting, meanings_of
from thresher.learners.base.turns import turn_of
from thresher.learners.base.weights import Floats as Floats
from thresher.options import Parameters
from thresher.prepare import Written


class FitOptions(TypedDict, total=False):
    """What ``fit`` takes besides X and y.

    Deliberately not named in its signature: meta-estimators read a named ``sample_weight`` as a
    promise that a weight of two equals two copies in any order, which only `OrderFree` ones keep.
    """

    sample_weight: npt.ArrayLike | None
    audit: str | None
    coef_init: npt.ArrayLike | None
    intercept_init: npt.ArrayLike | None


Method = TypeVar("Method", bound=Callable[..., Any])


Kinds = Mapping[str, set[bool]]
"""For each column of some features, whether it has texts (True), numbers (False), or both."""

BLOCK = 1 << 16  # names that are looked through at once


def warn_of_new_columns(names: list[str], known: list[bool], learned: Kinds) -> None:
    """Of a table with texts: columns of which the model knows nothing at all, not one value."""
    columns = {name.partition("=")[0] for name in names}
    columns -= {name.partition("=")[0] for name, here in zip(names, known, strict=True) if here}
    columns -= learned.keys()
    if columns:
        warnings.warn(
            f"the model knows nothing about {shown_few(sorted(columns))}; expected the columns of "
            "fit, by the same names. What is unknown has no weight.",
            UserWarning,
            stacklevel=4,
        )


def warn_of_other_columns(rows: Rows, learned: Kinds) -> None:
    """Of a table that is read by name: columns that were learned from and are not there, or held
    numbers and now texts, or the reverse."""
    if not rows.table:
        return
    found = kinds_of(rows.names or [], {})
    given = set(rows.table)
    lacking = [c for c in learned if not given & {c, c.rpartition(".")[0]}]
    if lacking:
        warnings.warn(
            f"the model has learned from {shown_few(lacking)}, and X has no such column: it counts "
            "as 0.",
            UserWarning,
            stacklevel=4,
        )
    other = [c for c, kinds in found.items() if not kinds & learned.get(c, kinds)]
    if other:
        warnings.warn(
            f"{shown_few(other)} held texts where the model learned and now holds numbers, or the "
            "reverse: what is unknown has no weight.",
            UserWarning,
            stacklevel=4,
        )


def kinds_of(names: Iterable[str], before: Kinds) -> Kinds:
    """Of these features, and of those before."""
    kinds = {column: set(found) for column, found in before.items()}
    for name in names:
        column, equals, _ = name.partition("=")
        if (found := kinds.get(column)) is None:
            found = kinds[column] = set()
        found.add(bool(equals))
    return kinds


def warn_of_unread_columns(rows: Rows, stacklevel: int = 4) -> None:
    """Texts, dates and names of rows in the table of a first ``fit``."""
    from thresher.data.sniffing import in_table, warning_of

    for column in rows.wanting:
        warnings.warn(warning_of(column, in_table), UserWarning, stacklevel=stacklevel)


def shown_few(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more columns" if len(names) > most else ""
    return ("the columns " if len(names) > 1 else "the column ") + (
        ", ".join(map(repr, names[:most])) + more
    )


def native(kind: str) -> Callable[[Method], Method]:
    """A method whose usual call the core handles; for all others it calls this function."""

    def wrap(function: Method) -> Method:
        return cast(Method, functools.wraps(function)(native_method(function, kind)))

    return wrap


class Engine(NamedTuple):
    """What the core runs: a geometry, which may be a whole algorithm, and the rule of its steps."""

    geometry: str
    rule: str | None = None

    def for_core(self) -> dict[str, str]:
        return {name: value for name, value in self._asdict().items() if value is not None}


class Occurrence(NamedTuple):
    """In how many parts of the data each feature occurs: what the mix of their models counted."""

    parts: int
    counts: npt.NDArray[np.uint64]


class Learner(KnownColumns, Audited, FromFiles, Starting, Routed, Parameters, Fitted):
    """The part of a learner that does not depend on what it predicts."""

    version: ClassVar[int] = 1
    task: ClassVar[str]
    counts_mistakes: ClassVar[bool] = False
    """What is predicted: "classify" for labels, "regress" for numbers."""
    engine: ClassVar[Engine]
    learned: ClassVar[tuple[str, ...]] = (
        "_model", "_labels", "_cycled", "_given_start", "_keep_compiled", "epochs_", "converged_",
        "_width", "_column_names", "reading_", "provenance_", "_occurrence",
    )  # fmt: skip

    # What a learner without these options does.
    clip: bool = False
    prepare: Written = None

    epochs_: int
    converged_: bool
    _cycled: bool = False
    _seen_names: tuple[Model | None, int, Kinds] = (None, 0, {})
    _occurrence: Occurrence | None = None
    """Of a model that was mixed from several."""

    # -- options

    def _settled(self) -> dict[str, Any]:
        """The options checked, as the core reads them."""
        checked = self.checked()
        known = {name: value for name, value in checked.items() if self.options[name].core}
        core = self._core_options({"task": self.task, **self.engine.for_core(), **known})
        if "prepare" in core:
            core["prepare"] = [step.for_core() for step in core["prepare"] or ()]
        return core

    def check_options(self) -> None:
        """Refuse options that are out of range, or that contradict each other."""
        self._settled()

    def _core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Refuse options that contradict each other; add what the core knows by another name, or
        what is fixed."""
        return options

    def set_params(self, **params: Any) -> Self:
        with self._turn():
            before, model = self.get_params(), self._model
            was: dict[str, Any] = {}
            if model is not None:
                with contextlib.suppress(InvalidInput):  # set as attributes, and refused when used
                    was = meanings_of(self._settled())
            super().set_params(**params)
            if model is None:
                return self
            try:
                core = self._settled()
                now = meanings_of(core)
                if any(was[name] != now[name] for name in was.keys() & now.keys()):
                    raise ModelFileError("the numbers of the model would mean something else")
                model.set_options(core)
                self._share_labels(model)
            except ModelFileError as error:
                super().set_params(**before)
                raise InvalidInput(
                    f"these options cannot change once learning has begun: {params!r}; "
                    "start with a fresh learner."
                ) from error
            except BaseException:
                super().set_params(**before)
                raise
            return self

    def _turn(self) -> threading.RLock:
        """To be held by a thread that changes more than the core.

        A rule that the model calls cannot have it: another thread may have it and wait for the
        model.
        """
        self._require_idle()
        return turn_of(self)

    def fresh(self) -> Self:
        """The same options, nothing learned: a failure halfway leaves the learner as it was."""
        self._require_idle()
        return super().fresh()

    def _require_idle(self) -> None:
        """Raise ModelInUse if the model itself called this: from a rule, a learning rate."""
        if self._model is not None:
            self._model.require_idle()

    def _take(self, other: Self) -> None:
        self._require_idle()
        super()._take(other)

    def _new_model(self, lexicon: Lexicon | None = None) -> Model:
        how = self.reading_.as_kept() if self.reading_ else {}
        names = self._lexicon() if lexicon is None else lexicon
        return Model(self._settled(), names, how)

    def _begin_from(self, state: dict[str, Any]) -> Model:
        """Continue from a saved state."""
        model = self._new_model()
        model.set_state(state)
        self._share_labels(model)
        self._model = model
        return model

    def _share_labels(self, model: Model, by_order: bool = False) -> None:
        """Give a core model the labels; a regressor has none."""

    def _drop_unmet(self) -> None:
        """Forget labels whose examples were refused; a regressor has none."""

    # -- features

    def _rows(self, X: Any) -> Rows:
        return read_rows(X, clip=bool(self.clip), by_name=True)

    def _begin(self, lexicon: Lexicon | None = None) -> Model:
        """Called with a learner's first example."""
        model = self._new_model(lexicon)
        self._share_labels(model)
        self._model = model
        return model

    def _learned(self) -> Model:
        if self._model is None:
            raise self._not_learned()
        return self._model

    def _has_learned(self) -> bool:
        return self._model is not None

    def _admit_columns(self, rows: Rows, model: Model) -> Rows:
        """Rows that a model is about to learn from: its first ones fix the columns."""
        if rows.by_name:
            self._require_names()
            if model.features == 0:
                warn_of_unread_columns(rows)
            return rows.renumbered(model.ids(rows.names or []))
        if self._width is not None:
            self._check_columns(rows.columns, rows.names)
            return rows
        if model.features == 0 or model.named:
            if rows.names is not None:
                check_names(rows.names)
                fresh = model.features == 0
                rows = rows.renumbered(model.ids(rows.names))
                if not fresh:
                    return rows  # a model of named examples continues with a table
            elif model.features:
                raise self._needs_names()
        model.grow(rows.columns)
        self._settle_columns(rows.columns, rows.names)
        return rows

    def _question(self, X: Any) -> tuple[Model, Rows]:
        """The model to use, and the rows in its columns."""
        model, rows = self._learned(), self._rows(X)
        if rows.by_name:
            self._require_names()
            known = [model.knows([name]) for name in rows.names or ()]
            learned = self._kinds_of_columns(model)
            warn_of_new_columns(rows.names or [], known, learned)
            warn_of_other_columns(rows, learned)
            rows = rows.known_only(known)
            return model, rows.renumbered(model.ids(rows.names or []))
        if self._width is not None:
            self._check_columns(rows.columns, rows.names)
            return model, rows
        if rows.names is None:
            raise self._needs_names()
        if not model.knows(rows.names):  # predicting must not add names to the model
            model = copy.copy(self)._learned()
        return model, rows.renumbered(model.ids(rows.names))

    def _kinds_of_columns(self, model: Model) -> Kinds:
        """Of all that it knows; each name is looked at once, since there may be very many."""
        of, seen, kinds = self._seen_names
        if of is not model or seen > model.features:
            seen, kinds = 0, {}
        for begin in range(seen, model.features, BLOCK):
            ids = np.arange(begin, min(begin + BLOCK, model.features), dtype=np.int32)
            kinds = kinds_of(model.lexicon.names(ids), kinds)
        self._seen_names = model, model.features, kinds
        return kinds

    def _require_names(self) -> None:
        """A table with texts is read by name, which a model of numbered columns cannot be."""
        if self._width is not None:
            raise InvalidInput(
                "this model was trained on a table of numbers; found one with texts, categories or "
                "dates, whose features are named column=text. Expected the columns of fit."
            )

    def _needs_names(self) -> InvalidInput:
        return InvalidInput(
            "this model was trained on named features; expected dicts, or a table (pandas, polars, "
            "Arrow) whose columns have names."
        )

    # -- passes

    def _pass(self, model: Model, rows: Rows, **lesson: Any) -> None:
        """One pass of the core over the rows, with a warning if weights had to be clamped."""
        before = model.counters()["clamped"]
        given = {"codes": None, "targets": None, "weights": None, "order": None} | lesson
        try:
            model.learn(rows.core, **given)
        finally:
            held = model.counters()["clamped"] - before
            if held:
                warnings.warn(
                    f"{held} weight updates left the range [1e-150, 1e150] and were clamped: the "
                    "data may be far from separable, or its values too large.",
                    SaturationWarning,
                    stacklevel=4,
                )

    # -- what was learned

    @property
    def examples_(self) -> int:
        """Examples learned from, each pass over them counted."""
        return int(self._learned().counters()["examples"])

    @property
    def updates_(self) -> int:
        """Examples that moved the weights."""
        return int(self._learned().counters()["updates"])

    @property
    def n_features_used_(self) -> int:
        """Features with a nonzero weight for some class: what a prediction can depend on."""
        return int(np.count_nonzero(np.any(self._learned().weights() != 0.0, axis=0)))

    def _names(self) -> list[str]:
        return list(self._learned().weight_names())

    @property
    def feature_names_out_(self) -> npt.NDArray[Any]:
        """The names of what has weights, a name for each column of ``coef_``.

        The features themselves; with ``prepare``, the prepared ones (``a*b``, ``fourier7``).
        """
        return np.array(self._names(), dtype=object)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, replacing what was there only when all of it is written.

        Load it with `thresher.load`. The file is safetensors with JSON metadata: reading it never
        runs code.
        """
        from thresher.model_file import save

        save(self, path)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from thresher.learners.html import learner_html

        return learner_html(self)

    # -- copying

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_seen_names", None)
        if self._model is not None:
            state["_model"], labels = self._model.snapshot()
            if labels is not None:
                state["_labels"] = labels.copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._require_idle()
        known = state.get("_model")
        self.__dict__.update({name: value for name, value in state.items() if name != "_model"})
        if known is not None:
            self._begin_from(known)
