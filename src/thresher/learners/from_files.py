"""Learning from files: what a learner keeps of how its examples are read, and its side of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from thresher._core import Lexicon, Model
from thresher.errors import InvalidInput, ModelFileError

if TYPE_CHECKING:
    from thresher.data.reader import Batch
    from thresher.learners.base import Floats
    from thresher.learners.labels import Labels

# What there is to know for reading more examples for the same model; part of the model file.
RECIPE: dict[str, Any] = {
    "label": None,
    "weight": None,
    "text": [],
    "categorical": [],
    "ngrams": 1,
    "cross": [],
    "hash_bits": 0,
    "min_count": 1,
    "max_features": 0,
}

COLUMNS = ("label", "weight")  # where they stood; other files may have them elsewhere


def check_recipe(stored: dict[str, Any]) -> dict[str, Any]:
    """A recipe from a file, of which nothing is taken on trust."""
    if not stored:
        return {}
    if stored.keys() != RECIPE.keys():
        raise ModelFileError("the recipe of the features does not have the entries expected.")
    words = [
        *stored["text"],
        *stored["categorical"],
        *(w for pair in stored["cross"] for w in pair),
    ]
    numbers = (
        stored["ngrams"], stored["hash_bits"], stored["min_count"], stored["max_features"],
    )  # fmt: skip
    if not (
        all(type(word) is str for word in words)
        and all(stored[column] is None or type(stored[column]) is str for column in COLUMNS)
        and all(len(pair) == 2 for pair in stored["cross"])
        and all(type(n) is int for n in numbers)
        and 1 <= stored["ngrams"] <= 10
        and 0 <= stored["hash_bits"] <= 30
        and 1 <= stored["min_count"] <= 255
        and 0 <= stored["max_features"] < 2**31
    ):
        raise ModelFileError("the recipe of the features holds something unexpected.")
    return dict(stored)


class FromFiles:
    """A learner's part in reading files."""

    _model: Model
    _labels: Labels
    recipe_: dict[str, Any]
    provenance_: dict[str, Any]

    def _lexicon(self) -> Lexicon:
        recipe = self.__dict__.get("recipe_") or RECIPE
        return Lexicon(recipe["hash_bits"], recipe["min_count"], recipe["max_features"])

    def _reading_wishes(self) -> dict[str, bool]:
        """What the parser has to know of this learner."""
        unit = bool(self._settled().get("unit"))  # type: ignore[attr-defined]
        return {
            "targets": not hasattr(self, "_codes"),
            "unit": unit,
            "clip": unit and bool(getattr(self, "clip", False)),
            "sets": bool(getattr(self, "multi_label", False)),
        }

    def _codes_of_texts(self, batch: Batch) -> tuple[list[int], list[int]]:
        """The codes of a batch's labels, new ones too; one that does not fit ends the batch.

        Where labels are sets, the second list says where the codes of each begin.
        """
        if "_labels" not in self.__dict__:
            return [], []
        from thresher.data.reader import label_of

        labels = [label_of(text) for text in batch.core.label_texts]
        if any(label not in self._labels.codes for label in labels):
            for number, label in enumerate(labels):
                try:
                    self._labels.add([label])
                except InvalidInput as error:
                    batch.refuse_label(number, error)
                    break
            self._share_labels(self._model)  # type: ignore[attr-defined]
        return [self._labels.codes.get(label, -1) for label in labels], []

    def _settle(self) -> None:
        """A run was left in the middle: what was met but not learned has not come."""
        if "_model" in self.__dict__:
            self._model.forget_unlearned()
            self._drop_unmet()  # type: ignore[attr-defined]

    def fit_file(
        self,
        path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        passes: int = 1,
        **options: Any,
    ) -> Self:
        """Learn anew from files of any size, one example at a time, in flat memory.

        `path` is a file, a folder, a glob, or a list of these, in any format that `thresher.read`
        reads, and takes its options too: ``label="price"``, ``text="review"``, ``ngrams=2``,
        ``cross=[("color", "size")]``, ``hash_bits=18``, ``on_bad_line="skip"``. `passes` says how
        often all is learned from, `shuffle_buffer` mixes blocks of so many examples,
        ``audit="live"`` keeps what the theorems speak of, as in `fit`.
        """
        from thresher.training import fit_files

        fit_files(self, path, passes=passes, **options)
        return self

    def predict_file(
        self, path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> list[Any]:
        """The prediction for each example of files."""
        from thresher.data import read

        out: list[Any] = []
        with read(path, model=self, labels="optional", **options) as reader:
            for batch in reader:
                out += self.predict_batch(batch)
        return out

    def _scores_of(self, batch: Batch, targets: bool = False, model: Model | None = None) -> Floats:
        """A row for each example of a batch that `thresher.read` gave, a column for each score.

        With `targets` (of networks) one for each label, however many there are.
        """
        model = model or self._learned()  # type: ignore[attr-defined]
        if "n_features_in_" in self.__dict__ and not model.named:
            raise InvalidInput(
                "this model was trained on arrays without names; expected arrays, not files."
            )
        codes = [-1] * len(batch.core.label_texts)
        try:
            scores: Floats = model.scores(model.resolve(batch.core, codes, False), targets)
        except InvalidInput as error:
            from thresher.training import located

            error.args = (located(str(error), batch),)
            raise
        return scores[: len(batch)]

    def predict_batch(self, batch: Batch) -> list[Any]:
        """The label, or the number, predicted for each example of a batch."""
        model: Model = self._learned()  # type: ignore[attr-defined]
        scores = self._scores_of(batch, model=model)
        if model.labels is None:
            return list(scores[:, 0].tolist())
        return [model.labels.values[code] for code in model.decisions(scores).tolist()]
