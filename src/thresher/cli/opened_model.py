"""A model file opened for inspection: its learner, its description, and names one by one."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from thresher.data.reading import ReadingOptions
from thresher.errors import InvalidInput
from thresher.learners.base.learner import Learner
from thresher.learners.experts import Committee
from thresher.learners.sequence import SequencePerceptron
from thresher.model_file import KEY, load

BLOCK = 10_000  # features written at once


class OpenedModel:
    """Names stay bytes until they are shown: a model may have many millions of them."""

    def __init__(self, path: str) -> None:
        from safetensors import safe_open

        self.path = path
        self.learner = load(path)  # checks all of the file first
        with safe_open(path, framework="numpy") as file:
            self.about: dict[str, Any] = json.loads(file.metadata()[KEY])
            self.learned: bool = self.about["learned"]
            linear = isinstance(self.learner, Learner) and not isinstance(self.learner, Committee)
            self.has_weights = self.learned and linear
            if self.has_weights:
                self._names: bytes = file.get_tensor("names").tobytes()
                self._ends = file.get_tensor("name_ends")
        self.classes: list[Any] | None = None
        self._weights = np.zeros((1, 0))
        self._prepared: list[str] | None = None  # names of the prepared features
        if self.learned and self.learner.task == "classify":
            self.classes = self.learner.classes_.tolist()
        if self.has_weights:
            self._weights = np.atleast_2d(self.learner.coef_)
            if self.learner.prepare is not None:
                self._prepared = self.learner.feature_names_out_.tolist()

    def require_weights(self) -> None:
        if not self.has_weights:
            why = "it keeps no weights" if self.learned else "it has learned nothing yet"
            raise InvalidInput(f"{self.path}: {why}; there are no weights.")

    def name(self, feature: int) -> str:
        """As the learner names it; a model of arrays calls its columns x0, x1 …"""
        if self._prepared is not None:
            return self._prepared[feature]
        if feature >= len(self._ends):
            return f"x{feature}"
        start = int(self._ends[feature - 1]) if feature else 0
        return self._names[start : int(self._ends[feature])].decode("utf-8", "surrogateescape")

    def label_named(self, text: str) -> Any:
        """The label with this text."""
        known = self.classes or []
        for label in known:
            if str(label) == text or (isinstance(label, float) and f"{label:g}" == text):
                return label
        if self.classes is None:
            raise InvalidInput(f"{self.path}: holds no classes, so there is no label {text!r}.")
        shown = ", ".join(str(label) for label in known[:20])
        raise InvalidInput(
            f"{self.path}: there is no label {text!r}; it knows {shown}"
            + (f", … ({len(known)} in all)." if len(known) > 20 else ".")
        )

    def _of_label(self, label: Any) -> tuple[Any, float]:
        """Weights and intercept in favour of a label; two labels share them, up to the sign."""
        classes, intercepts = self.classes or [], self._intercepts()
        if len(self._weights) > 1:
            row = classes.index(label)
            return self._weights[row], intercepts[row]
        sign = -1.0 if label is not None and len(classes) == 2 and label == classes[0] else 1.0
        return sign * self._weights[0], sign * intercepts[0]

    def facts(self) -> dict[str, Any]:
        """Everything but the lists of weights, ready for JSON."""
        learner = self.learner
        facts: dict[str, Any] = {
            "learner": self.about["learner"],
            "options": self.about["options"],
            "format": self.about["format"],
            "library": self.about["library"],
            "bytes": os.path.getsize(self.path),
            "learned": self.learned,
            "recipe": self._recipe(),
            "provenance": dict(learner.provenance_),
        }
        if not self.learned:
            return facts
        facts |= {
            "examples": learner.examples_,
            "mistakes": getattr(learner, "mistakes_", None),  # regressors and LDA count none
            "updates": learner.updates_,
            "epochs": getattr(learner, "epochs_", None),
            "classes": self.classes,
        }
        if not self.has_weights:
            return facts | {
                "features": learner.known_features,
                "name_bytes": learner.names_bytes,
                "keeps": learner.in_words(),
            }
        return facts | {
            "features": self._weights.shape[1],
            "nonzero": int(self._weights.any(axis=0).sum()),
            "name_bytes": len(self._names),
            "intercept": [b if np.isfinite(b) else None for b in self._intercepts()],
        }

    def _recipe(self) -> dict[str, Any]:
        """How features were made from the files; only what differs from the default."""
        if self.learner.reading_ is None:
            return {}
        stored, usual = self.learner.reading_.as_kept(), ReadingOptions().as_kept()
        return {key: value for key, value in stored.items() if value != usual[key]}

    def _intercepts(self) -> list[float]:
        return [float(b) for b in np.atleast_1d(self.learner.intercept_)]

    def top(self, k: int, label: Any) -> list[tuple[Any, Any]]:
        """A list for each label with its own weights: (name, weight), largest magnitude first."""
        if self.learned and isinstance(self.learner, SequencePerceptron):
            tags = self.classes or [] if label is None else [label]
            return [(tag, self.learner.top_features(k, tag)) for tag in tags]
        if not self.has_weights:
            return []
        labels: list[Any] = [label]
        if label is None and len(self._weights) > 1:
            labels = self.classes or []
        return [(one, self._largest(self._of_label(one)[0], k)) for one in labels]

    def _largest(self, weights: Any, k: int) -> list[tuple[str, float]]:
        size = np.abs(weights)
        if k < len(size):
            found = np.flatnonzero(size >= np.partition(size, -k)[-k]) if k else np.array([], int)
        else:
            found = np.arange(len(size))
        found = found[np.argsort(-size[found], kind="stable")][:k]
        return [(self.name(int(i)), float(weights[i])) for i in found if weights[i]]

    def histogram(self, bins: int, label: Any) -> tuple[list[int], list[float]]:
        """How many weights are in which range; zeros are left out."""
        weights = (
            self._weights if label is None or not self.has_weights else self._of_label(label)[0]
        )
        shown = weights[weights != 0]
        if not len(shown):
            return [], []
        from thresher.plots.weights import bin_edges

        counts, edges = np.histogram(shown, bin_edges(shown, bins))
        return counts.tolist(), edges.tolist()

    def write_all(self, label: Any) -> None:
        """Every name and its weights as tab-separated values, a column per label."""
        self.require_weights()
        if label is not None or len(self._weights) == 1:
            weights, intercept = self._of_label(label)
            columns, constants, head = weights[None, :], [intercept], ["weight"]
        else:
            columns, constants = self._weights, self._intercepts()
            head = [_field(str(c)) for c in self.classes or []]
        out = sys.stdout.buffer
        out.write(_line("feature", head))
        out.write(_line("(intercept)", [repr(b) for b in constants]))
        for start in range(0, columns.shape[1], BLOCK):
            rows = columns[:, start : start + BLOCK].T.tolist()
            out.write(
                b"".join(
                    _line(_field(self.name(start + i)), [repr(w) for w in row])
                    for i, row in enumerate(rows)
                )
            )
        out.flush()


def _field(text: str) -> str:
    """A name may hold a tab or a line break; those would break the table."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _line(name: str, cells: list[str]) -> bytes:
    return ("\t".join([name, *cells]) + "\n").encode("utf-8", "surrogateescape")
