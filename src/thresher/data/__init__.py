"""From files to examples: sources, formats, the reader; and generated streams."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from thresher.data.example import Example
from thresher.data.reader import BadLines, Batch, Reader
from thresher.data.reading import Needs, reading_options
from thresher.errors import InvalidInput

__all__ = ["Batch", "Example", "Reader", "read", "read_svmlight"]


def read(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    model: Any = None,
    labels: str = "required",
    label_sets: bool = False,
    on_bad_line: str = "error",
    quarantine: str | None = None,
    threads: int | None = None,
    **options: Any,
) -> Reader:
    """An iterator over batches of examples of files, parsed in the background.

    Options: `format` ("auto", "svmlight", "vw", "csv", "tsv", "jsonl", "bag", "parquet", "arrow"),
    `label` and `weight` (column or key), `header`, and how features are made: `text`,
    `categorical`, `ngrams`, `char_ngrams`, `weighting`, `cross`. With a `model`, all but the
    format is taken from that model. With `label_sets` a label is a set: ``1,3`` is read as
    ``frozenset({1, 3})``.

    Examples
    --------
    >>> import pathlib, tempfile, thresher
    >>> path = pathlib.Path(tempfile.mkdtemp(), "two.svm")
    >>> _ = path.write_text("1 3:0.5 7:1\\n-1 2:1\\n")
    >>> for batch in thresher.read(path):
    ...     print(batch.labels, batch.features())
    [1, -1] [{'3': 0.5, '7': 1.0}, {'2': 1.0}]
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if labels not in ("required", "optional"):
        raise InvalidInput(f"labels is {labels!r}; expected 'required' or 'optional'.")
    reading = reading_options(need_labels=labels == "required", **options)
    needs = Needs(sets=label_sets)
    if model is not None:
        reading = reading.as_model(model.reading_, model.provenance_)
        needs = model.needs()
        if labels == "optional":
            needs = replace(needs, targets=False)  # labels as they are written, whatever they are
    else:
        from thresher.data.sniffing import with_means

        reading = with_means(paths, reading)
    bad = BadLines(on_bad_line, quarantine)
    return Reader(paths, replace(reading, needs=needs), bad=bad, threads=threads)


def read_svmlight(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    n_features: int | None = None,
    query_id: bool = False,
    zero_based: bool | str = "auto",
) -> tuple[Any, ...]:
    """An svmlight file as ``(X, y)``, as scikit-learn's ``load_svmlight_file`` gives it.

    X is a scipy CSR matrix of float64 whose columns are the ids, y an array of float64; with
    `query_id` also the ``qid`` of each row. `zero_based` says whether the first column is the id 0
    or the id 1; "auto": 0 if it occurs. Files that belong together, such as training and test
    data, are read together: a list of files gets the same columns, "auto" checks all of them, and
    the result is ``(X1, y1, X2, y2, …)``.

    Examples
    --------
    >>> import pathlib, tempfile, thresher
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "train.svm").write_text("1 0:5 2:1\\n")
    >>> _ = (folder / "test.svm").write_text("1 1:1\\n")
    >>> X, y, X_test, y_test = thresher.read_svmlight([folder / "train.svm", folder / "test.svm"])
    >>> X_test.toarray()
    array([[0., 1., 0.]])
    """
    from thresher.data.matrix import svmlight_matrices

    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    return svmlight_matrices(paths, n_features, query_id, zero_based)
