"""Models for other places: ONNX, SQL, C and JSON, and scikit-learn; and from others into this one.

Every export is first compared with the model that it is made of; what cannot be exported is refused
with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidInput
from thresher.replacing import replacing

if TYPE_CHECKING:
    from thresher.export.incoming import from_liblinear, from_sklearn, from_vw
    from thresher.export.scikit_learn import to_sklearn

__all__ = ["TARGETS", "export", "from_liblinear", "from_sklearn", "from_vw", "to_sklearn"]


def _onnx(learner: Any, name: str) -> bytes:
    from thresher.export.onnx import onnx_model

    return onnx_model(learner, name)


def _sql(learner: Any, name: str) -> bytes:
    from thresher.export.sql import query

    return query(learner, name).encode()


def _c(learner: Any, name: str) -> bytes:
    from thresher.export.c import source

    return source(learner, name).encode()


def _json(learner: Any, name: str) -> bytes:
    from thresher.export.as_json import document

    return document(learner).encode()


TARGETS: dict[str, Callable[[Any, str], bytes]] = {
    "onnx": _onnx, "sql": _sql, "c": _c, "json": _json,
}  # fmt: skip


def export(learner: Any, path: str | os.PathLike[str], to: str, *, name: str = "model") -> None:
    """Write a model for another place: `to` is "onnx", "sql", "c" or "json".

    `name` is the table that the SQL reads, or what the functions in C are called.

    Examples
    --------
    >>> import pathlib, tempfile, thresher
    >>> from thresher.export import export
    >>> model = thresher.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.json")
    >>> export(model, path, "json")
    >>> path.read_text()[:30]
    '{"format": "thresher-linear", '
    """
    if to not in TARGETS:
        raise InvalidInput(f"to is {to!r}; expected one of {', '.join(TARGETS)}.")
    content = TARGETS[to](learner, name)
    with replacing(path, "nothing was exported") as file:
        file.write(content)


def __getattr__(name: str) -> Any:
    if name == "to_sklearn":
        from thresher.export.scikit_learn import to_sklearn

        return to_sklearn
    if name in ("from_sklearn", "from_liblinear", "from_vw"):
        import thresher.export.incoming as incoming

        return getattr(incoming, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
