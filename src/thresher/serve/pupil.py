"""A learner that learns and predicts texts: the path of files, so that what comes over HTTP, from a
file or from the log is learned to the same bits."""

from __future__ import annotations

import json
import math
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from thresher._core import Examples, Progress, TextParser
from thresher.data.reader import Batch, Position
from thresher.errors import InvalidInput, ThresherError
from thresher.serve.options import ModelOptions

if TYPE_CHECKING:
    from thresher.learners.contract import Trainable

PIECE = 256  # lines that are learned at once: a prediction waits no longer than for these
RECENT = 1000  # examples over which the recent loss is taken
LONGEST_SHOWN = 40  # bytes of a name
LOST = 100  # events in a row of which nothing is known: then something is wrong with them
NOWHERE = Position()  # in a file


@dataclass(frozen=True, slots=True)
class Refusal:
    """An event that was not learned: in which text, on which line of it (from 1), and why."""

    text: int
    line: int
    problem: str

    def as_json(self) -> dict[str, Any]:
        return {"line": self.line, "problem": self.problem}


@dataclass(slots=True)
class Piece:
    """Some lines of a text, parsed; `line` is the number of the first (from 0)."""

    text: bytes
    batch: Batch
    line: int


def events_before(pieces: Sequence[Piece], line: int) -> int:
    """How many events there are before this line."""
    count = 0
    for piece in pieces:
        if piece.line >= line:
            break
        size = len(piece.batch)
        if piece.line + PIECE > line:
            size = bisect_left(range(size), line - piece.line, key=piece.batch.core.line_of)
        count += size
    return count


class Pupil:
    """One thread may learn while another predicts."""

    def __init__(
        self,
        options: ModelOptions,
        learner: Trainable | None = None,
        form: dict[str, Any] | None = None,  # of the texts, if the options do not say it all
    ) -> None:
        self.options = options
        self.learner = learner or options.new_learner()
        self.progress = Progress()
        self.refused = 0
        self.unknown = 0  # events that were predicted, of which no feature was known
        self._unknown_in_a_row = 0
        self._stranger = b""  # a feature of the last of them
        self.lock = threading.Lock()
        self._recent: deque[tuple[int, float, float]] = deque()
        self._recent_examples = 0
        reading = options.reading
        self.read_as(
            form
            or {
                "format": options.format,
                "label": reading.label or "",
                "weight": reading.weight or "",
                **reading.columns_for_core(),
            }
        )

    def read_as(self, form: dict[str, Any]) -> None:
        """The shape of the texts, as a parser needs it."""
        reading = self.options.reading
        made = reading.for_core()
        needs = asdict(self.learner.needs())
        self.has_sets = bool(needs["sets"])
        self._to_learn = TextParser(form, made, {**needs, "need_labels": True})
        # A label that is there is not read, and no feature either.
        wishes = {**needs, "targets": False, "sets": False, "need_labels": False}
        self._to_predict = TextParser(form, made, wishes)

    @property
    def has_learned(self) -> bool:
        return self.learner.examples_ > 0

    # -- reading

    def parse(self, text: bytes, most: int = PIECE) -> list[Piece]:
        """Events with labels, in pieces of so many lines."""
        if text.count(b"\n") < most:
            return [Piece(text, self._parsed(text), 0)]
        lines = text.split(b"\n")
        cut = [b"\n".join(lines[at : at + most]) for at in range(0, len(lines), most)]
        return [Piece(part, self._parsed(part), i * most) for i, part in enumerate(cut)]

    def parse_line(self, line: bytes) -> Batch | None:
        """One event with its label; None: it cannot be read, or there is more than one."""
        core = self._to_learn.parse(line)
        if len(core) != 1 or core.bad:
            return None
        return Batch(core, 1, "", NOWHERE, self.has_sets)

    def _parsed(self, text: bytes) -> Batch:
        core = self._to_learn.parse(text)
        return Batch(core, len(core), "", NOWHERE, self.has_sets)

    def parse_unlabelled(self, text: bytes) -> Batch:
        """Events whose labels are not known, or not to be read."""
        core = self._to_predict.parse(text)
        return Batch(core, len(core), "", NOWHERE)

    # -- learning

    def learn(
        self,
        texts: Sequence[bytes],
        parsed: list[Piece] | None = None,
        told: list[Any] | None = None,
    ) -> list[Refusal]:
        """Learn the events of these texts, in order; those that cannot be learned.

        `parsed` is what `parse` returned for them, joined by newlines. `told`, if given, gets what
        was predicted for each event that was learned, before it was.
        """
        refused: list[tuple[int, str]] = []
        for piece in parsed or self.parse(b"\n".join(texts)):
            if told is not None and self.has_sets:
                refused += self._learn_one_by_one(piece, told)
            else:
                refused += self._learn_piece(piece, told)
        self.refused += len(refused)
        return self._placed(refused, texts) if refused else []

    def _learn_one_by_one(self, piece: Piece, told: list[Any]) -> list[tuple[int, str]]:
        """The core tells one label for each event, and these have sets of them."""
        refused: list[tuple[int, str]] = []
        for number, line in enumerate(piece.text.split(b"\n"), piece.line):
            predicted = self._labels(self.parse_unlabelled(line))
            if problems := self._learn_piece(Piece(line, self._parsed(line), number), None):
                refused += problems
            else:
                told += predicted
        return refused

    def _labels(self, batch: Batch) -> list[Any]:
        with self.lock:
            if not self.has_learned:
                return [None] * len(batch)
            return [plain(p) for p in self.learner.predict_batch(batch)]

    def _learn_piece(self, piece: Piece, told: list[Any] | None) -> list[tuple[int, str]]:
        """What cannot be learned is left out; what comes behind it is parsed again."""
        refused: list[tuple[int, str]] = []
        text, batch, line = piece.text, piece.batch, piece.line
        while True:
            problem = self.learn_batch(batch, told)
            end = line + batch.core.line_of(problem[0]) if problem else math.inf
            for bad in batch.core.bad:
                if line + bad["line"] < end:
                    refused.append((line + bad["line"], f"{bad['problem']}."))
            if problem is None:
                return refused
            row, why = problem
            refused.append((line + batch.core.line_of(row), why))
            text = text[batch.core.end_of(row) :]
            line += batch.core.line_after(row)
            batch = self._parsed(text)

    def learn_batch(self, batch: Batch, told: list[Any] | None) -> tuple[int, str] | None:
        """Up to the first example that is refused: its row, and why."""
        learner, learned = self.learner, self.progress.learned
        with self.lock:
            examples = learner.resolver(batch)(0, len(batch))
            before = learned.weight, learned.loss
            try:
                if told is None:
                    self._learn_rows(examples, len(batch))
                else:
                    learner.tell_and_learn(examples, len(batch), self.progress, told)
            except ThresherError as error:
                row = error.where.example
                if row is None:
                    raise
                return row, self._leave_out(error, row)
            self._note(len(batch), *before)
            if batch.failure is None:
                return None
            return len(batch), self._leave_out(batch.failure, len(batch))

    def _learn_rows(self, examples: Examples, rows: int) -> None:
        self.learner.learn_examples(examples, 0, rows, self.progress)

    def _leave_out(self, error: ThresherError, done: int) -> str:
        """Forget what was read of an example that is refused, and of those after it."""
        if self.learner.counts_names:
            self.learner.learned_only(done)
        self.learner.settle()
        error.where.example = error.where.line = error.where.file = None
        return str(error)

    def _placed(self, refused: list[tuple[int, str]], texts: Sequence[bytes]) -> list[Refusal]:
        """In which text each line is."""
        starts = [0]
        for text in texts:
            starts.append(starts[-1] + text.count(b"\n") + 1)
        placed, i = [], 0
        for line, why in sorted(refused):
            while line >= starts[i + 1]:
                i += 1
            placed.append(Refusal(i, line - starts[i] + 1, why))
        return placed

    def _note(self, examples: int, weight: float, loss: float) -> None:
        learned = self.progress.learned
        self._recent.append((examples, learned.weight - weight, learned.loss - loss))
        self._recent_examples += examples
        while self._recent_examples - self._recent[0][0] >= RECENT:
            self._recent_examples -= self._recent.popleft()[0]

    # -- predicting

    def predict(
        self, batch: Batch, *, scores: bool = False, probabilities: bool = False
    ) -> list[dict[str, Any]]:
        """An answer for each event of `parse_unlabelled`; before anything was learned, null."""
        learner = self.learner
        with self.lock:
            if not self.has_learned:
                return [{"prediction": None}] * len(batch)
            self._note_unknown(batch)
            if not scores and not probabilities:
                return [{"prediction": plain(p)} for p in learner.predict_batch(batch)]
            found = learner.answers(batch)
            rows: list[dict[str, Any]] = [{"prediction": plain(p)} for p in found.predicted]
            if learner.task == "regress":
                return rows
            classes = [str(label) for label in learner.classes_.tolist()]  # type: ignore[attr-defined]
        for name, wanted, numbers in (
            ("scores", scores, found.scores),
            ("probabilities", probabilities, found.probabilities),
        ):
            if not wanted:
                continue
            if numbers is None:
                raise InvalidInput(
                    f"this model has no {name}",
                    advice="Learners with the option calibrate have probabilities, if the model is "
                    'created with "settings": {"calibrate": true}.',
                )
            for row, values in zip(rows, numbers.tolist(), strict=True):
                if isinstance(values, float):  # of two classes: of the second
                    row["score"] = values
                else:
                    row[name] = {
                        label: value
                        for label, value in zip(classes, values, strict=False)
                        if math.isfinite(value)
                    }
        return rows

    def _note_unknown(self, batch: Batch) -> None:
        unknown = self.learner.unknown_rows(batch)
        if unknown < len(batch):
            self._unknown_in_a_row = 0
        if not unknown:
            return
        self.unknown += unknown
        if unknown == len(batch) and batch.core.names:
            self._unknown_in_a_row += unknown
            self._stranger = batch.core.names[0]

    @property
    def doubt(self) -> str | None:
        """What is probably wrong with the events that it is asked about."""
        if self._unknown_in_a_row < LOST:
            return None
        name = self._stranger[:LONGEST_SHOWN].decode("utf-8", "backslashreplace")
        return (
            f"the model knows no feature of the last {self._unknown_in_a_row:,} events that it was "
            f"asked about, such as {name}. All get the same prediction. Are these the events that "
            "it was made for?"
        )

    def explain(self, event: dict[str, Any]) -> dict[str, float]:
        """What each feature of an event adds to its score."""
        from thresher.learners.base.classifier import OnlineClassifier
        from thresher.learners.base.regressor import OnlineRegressor
        from thresher.learners.experts import Committee

        learner: object = self.learner
        if not isinstance(learner, (OnlineClassifier, OnlineRegressor)) or isinstance(
            learner, Committee
        ):
            raise InvalidInput(
                f"{self.options.learner} has no weights of its own that would explain it",
                advice="Create the model with one learner, such as arow.",
            )
        hidden = (self.options.reading.label, self.options.reading.weight, self.options.id)
        with self.lock:
            if not self.has_learned:
                return {}
            flat = self._flat(event)
            return learner.explain_one({k: v for k, v in flat.items() if k not in hidden})

    def _flat(self, event: dict[str, Any]) -> dict[str, Any]:
        """Objects within it joined by dots, and lists as the features that they are in a file."""
        flat: dict[str, Any] = {}
        lists: dict[str, Any] = {}
        waiting = list(event.items())
        while waiting:
            name, value = waiting.pop()
            if isinstance(value, dict):
                waiting += [(f"{name}.{key}", inner) for key, inner in value.items()]
            else:
                (lists if isinstance(value, list) else flat)[name] = value
        if lists:
            flat |= self.parse_unlabelled(json.dumps(lists).encode()).features()[0]
        return flat

    def standing(self) -> dict[str, Any]:
        """Mean losses of predictions before learning: of all events, and of the last ones."""
        with self.lock:
            all_of_it = self.progress.learned
            recent = [sum(part[i] for part in self._recent) for i in (1, 2)]
            return {
                "learner": self.options.learner,
                "settings": dict(self.options.settings),
                "examples": all_of_it.examples,
                "refused": self.refused,
                "loss": mean(all_of_it.loss, all_of_it.weight),
                "recent_loss": mean(recent[1], recent[0]),
                "features": self.learner.known_features,
            }

    # -- checkpoints

    def progress_as_json(self) -> list[Any]:
        learned = self.progress.learned
        reals = (learned.weight, learned.loss, learned.weight_squares, learned.loss_squares)
        return [learned.examples, *(x.hex() for x in reals), self.refused]

    def progress_from_json(self, stored: list[Any]) -> None:
        learned = self.progress.learned
        learned.examples, self.refused = int(stored[0]), int(stored[5])
        learned.weight, learned.loss, learned.weight_squares, learned.loss_squares = (
            float.fromhex(x) for x in stored[1:5]
        )


def plain(answer: Any) -> Any:
    """A prediction as JSON has it."""
    if isinstance(answer, (set, frozenset)):
        return sorted(answer)
    if isinstance(answer, float) and not math.isfinite(answer):
        return None
    return answer


def mean(loss: float, weight: float) -> float | None:
    value = loss / weight if weight > 0.0 else math.nan
    return value if math.isfinite(value) else None


def without_key(line: bytes, key: str) -> tuple[Any, bytes]:
    """The value of a key of a JSON object, None if it has none, and the object without it.

    What is no JSON object is left as it is: the parser will say what is wrong with it.

    >>> without_key(b'{"id": "a7", "x": 1.50}', "id")
    ('a7', b'{ "x": 1.50}')
    """
    text = line.decode("utf-8", "surrogateescape")
    try:
        at = _after(text, 0, "{")
        while True:
            name, end = _decode(text, at)
            value, end = _decode(text, _after(text, end, ":"))
            behind = _spaces(text, end)
            if name == key:
                if text[behind] == ",":
                    cut = text[:at] + text[behind + 1 :]
                else:
                    before = text[:at].rstrip()
                    cut = (before[:-1] if before.endswith(",") else before) + text[behind:]
                return value, cut.encode("utf-8", "surrogateescape")
            at = _after(text, end, ",")
    except (ValueError, IndexError, RecursionError):
        return None, line


def has_key(line: bytes, key: str) -> bool:
    return without_key(line, key)[0] is not None


_decode = json.JSONDecoder().raw_decode


def _spaces(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _after(text: str, at: int, mark: str) -> int:
    """Behind a mark and spaces."""
    at = _spaces(text, at)
    if text[at] != mark:
        raise ValueError(f"no {mark}")
    return _spaces(text, at + 1)
