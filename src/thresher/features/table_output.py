"""Rows returned as tables, where scikit-learn's ``set_output`` requests them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

from thresher.errors import InvalidInput
from thresher.options import one_of
from thresher.sparse import is_sparse

if TYPE_CHECKING:
    import numpy.typing as npt


class TableOutput:
    """A transformer that may return its rows as a table with the names of its columns."""

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        raise NotImplementedError

    def set_output(self, *, transform: str | None = None) -> Self:
        """What ``transform`` returns: "pandas" or "polars" tables, "default"; None: as before."""
        if transform is not None:
            one_of("transform", transform, ("default", "pandas", "polars"))
            self._sklearn_output_config = {"transform": transform}  # where its clone looks for it
        return self

    def _as_asked(self, rows: Any, X: Any) -> Any:
        """The rows computed from X, in the requested container."""
        asked = self.__dict__.get("_sklearn_output_config", {}).get("transform")
        if asked is None and "sklearn" in sys.modules:  # sklearn.set_config(transform_output=…)
            asked = sys.modules["sklearn"].get_config()["transform_output"]
        if asked in (None, "default"):
            return rows
        if is_sparse(rows):
            raise InvalidInput(
                f"the rows are a sparse matrix, of which there is no {asked} table; expected dense "
                "rows, or set_output(transform='default')."
            )
        names = self.get_feature_names_out().tolist()
        if asked == "polars":
            import polars

            return polars.DataFrame(rows, schema=names, orient="row")
        import pandas

        index = X.index if isinstance(X, pandas.DataFrame) else None
        return pandas.DataFrame(rows, columns=names, index=index)
