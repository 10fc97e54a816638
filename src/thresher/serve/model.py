"""A model as it is served: a function of the frames of the log that are its own."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.data.reader import label_of
from thresher.data.sniffing import TABLES, wanting_in, warning_of
from thresher.errors import InvalidInput
from thresher.serve.log import ONE, Frame, Kind
from thresher.serve.options import ModelOptions, options_from
from thresher.serve.pupil import Piece, Pupil, plain, without_key

LOOKED_AT = 200  # first events of a model
REMEMBERED = 100_000  # keys of requests, ids of events, and ids that were labelled or expired

# In lines that are no JSON: what a label may be, and what stands before the features.
LABEL = {
    "vw": re.compile(rb"[^\s|'][^\s|]*"),
    "svmlight": re.compile(rb"[^\s:#]+"),
    "bag": re.compile(rb"[^\t\r\n]+"),
}
BEFORE = {
    "vw": re.compile(rb"^[^|]*"),
    "svmlight": re.compile(rb"^\s*[^\s:#]+(?=[\s#]|$)"),
    "bag": re.compile(rb"^[^\t]*\t"),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """An event that was predicted and waits for its label."""

    line: bytes
    prediction: Any
    time: float


@dataclass(slots=True)
class Outcome:
    """What became of a frame."""

    seq: int
    learned: int = 0
    refused: Sequence[dict[str, Any]] = ()
    predictions: list[Any] | None = None

    def as_json(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"learned": self.learned, "seq": self.seq}
        if self.refused:
            answer["refused"] = list(self.refused)
        if self.predictions is not None:
            answer["predictions"] = self.predictions
        return answer


class Recent(OrderedDict[str, Any]):
    """The last entries."""

    def put(self, key: str, value: Any) -> None:
        self[key] = value
        while len(self) > REMEMBERED:
            self.popitem(last=False)


class ServedModel:
    """The champion answers; challengers learn the same. Only the writer changes it."""

    def __init__(
        self, number: int, name: str, options: ModelOptions, created: int, *, empty: bool = False
    ) -> None:
        self.number, self.name, self.options, self.created = number, name, options, created
        self.seq = created  # the last frame that is part of it
        self.events = 0
        if not empty:
            self.champion = Pupil(options)
        self.challengers: dict[str, Pupil] = {}
        self.race_began = 0
        self.kept: OrderedDict[str, Kept] = OrderedDict()
        self.gone = Recent()  # ids that were kept: "labelled" or "expired"
        self.keys = Recent()  # of requests: the digest of the body and the answer, as one text
        self.ids = Recent()  # of events: digests
        self.rollbacks: list[tuple[int, int]] = []
        self.late = [0, 0.0, 0.0]  # labels that came late: how many, seconds, losses
        self.saved_at = 0
        self.failed: str | None = None
        self.pace = 0.0  # seconds to learn a frame, of late
        self._first: list[bytes] | None = []  # events, to be looked at

    # -- frames

    def apply(
        self,
        frames: Sequence[Frame],
        parsed: list[Piece] | None = None,
        predict: frozenset[int] = frozenset(),
    ) -> list[Outcome]:
        """Learn these frames. `parsed` is what the champion parsed of them; the predictions before
        learning are given for the frames whose places are in `predict`."""
        lessons = [i for i, f in enumerate(frames) if f.kind is not Kind.KEEP]
        texts = [frames[i].raw for i in lessons]
        self.note_first(texts)
        told: list[Any] | None = [] if predict else None
        refused = self.champion.learn(texts, parsed, told) if texts else []
        for challenger in self.challengers.values():
            challenger.learn(texts)
        problems: dict[int, list[dict[str, Any]]] = {}
        for refusal in refused:
            problems.setdefault(lessons[refusal.text], []).append(refusal.as_json())
        if not problems and not self.kept and all(frame.meta == ONE for frame in frames):
            self.seq = frames[-1].seq
            self.events += len(frames)
            outcomes = [Outcome(frame.seq, 1) for frame in frames]
        else:
            outcomes = [self._note(frame, problems.get(i, [])) for i, frame in enumerate(frames)]
        if told is not None:
            before = 0
            for i, outcome in enumerate(outcomes):
                if i in predict:
                    outcome.predictions = [
                        plain(p) for p in told[before : before + outcome.learned]
                    ]
                before += outcome.learned
        return outcomes

    def note_first(self, texts: Sequence[bytes]) -> None:
        """Keep the first events until they are looked at."""
        first = self._first  # which another thread drops, once it is full
        if first is not None and len(first) < LOOKED_AT:
            first += b"\n".join(texts).split(b"\n")[: LOOKED_AT - len(first)]

    def column_doubts(self) -> list[str]:
        """Keys of the first events that are probably not meant as they are read; told once."""
        first = self._first
        if first is None or len(first) < LOOKED_AT:
            return []
        self._first = None
        if self.options.format not in TABLES:
            return []
        batch = self.champion.parse_unlabelled(b"\n".join(first))
        found = wanting_in(batch, self.options.reading)
        return [warning_of(column, as_entry) for column in found]

    def _note(self, frame: Frame, problems: list[dict[str, Any]]) -> Outcome:
        """What else a frame says than what to learn."""
        self.seq = frame.seq
        if self.kept:
            self._expire(frame.time)
        meta = json.loads(frame.meta)
        if frame.kind == Kind.KEEP:
            for kept_id, line, prediction in zip(
                meta["ids"], frame.raw.split(b"\n"), meta["predictions"], strict=True
            ):
                self.kept[kept_id] = Kept(line, prediction, frame.time)
                self.gone.pop(kept_id, None)
            while len(self.kept) > self.options.keep_most:
                self.gone.put(self.kept.popitem(last=False)[0], "expired")
            return Outcome(frame.seq)
        learned = meta["n"] - len(problems)
        self.events += learned
        if frame.kind == Kind.LABEL and learned:  # else it still waits for a label
            self._labelled(frame, meta)
        left_out = {problem["line"] for problem in problems}
        for line, event_id, digest in meta.get("events", ()):
            if line not in left_out:  # what was not learned may be sent again
                self.ids.put(event_id, digest)
        problems = [*meta.get("bad", ()), *problems]
        outcome = Outcome(frame.seq, learned, problems)
        if "key" in meta:
            self.keys.put(meta["key"], meta["digest"] + json.dumps(outcome.as_json()))
        return outcome

    def _labelled(self, frame: Frame, meta: Mapping[str, Any]) -> None:
        kept = self.kept.pop(meta["id"], None)
        self.gone.put(meta["id"], "labelled")
        if kept is not None:
            self.late[0] += 1
            self.late[1] += frame.time - kept.time
            self.late[2] += loss_of(kept.prediction, meta["label"])

    def _expire(self, now: float) -> None:
        """By the times of frames, not by the clock: a replay must end in the same state."""
        while self.kept:
            kept_id, kept = next(iter(self.kept.items()))
            if kept.time + self.options.keep_seconds >= now:
                return
            del self.kept[kept_id]
            self.gone.put(kept_id, "expired")

    # -- races

    def race(self, challengers: Mapping[str, Pupil], seq: int) -> None:
        self.challengers, self.race_began, self.seq = dict(challengers), seq, seq

    def promote(self, name: str, seq: int) -> None:
        self.champion = self.challengers[name]
        self.options = self.champion.options
        self.end_race(seq)

    def end_race(self, seq: int) -> None:
        self.challengers, self.race_began, self.seq = {}, 0, seq

    def standings(self) -> list[dict[str, Any]]:
        """The champion and its challengers, the smallest loss first."""
        rows = [{"name": None, **self.champion.standing()}]
        rows += [{"name": name, **pupil.standing()} for name, pupil in self.challengers.items()]
        return sorted(rows, key=lambda row: (row["loss"] is None, row["loss"] or 0.0))

    # -- labels to come

    def find_kept(self, kept_id: str, now: float) -> Kept | str:
        """The event that waits, or why there is none: "unknown", "labelled", "expired"."""
        kept = self.kept.get(kept_id)
        if kept is None:
            return str(self.gone.get(kept_id, "unknown"))
        return kept if kept.time + self.options.keep_seconds >= now else "expired"

    def labelled_line(self, kept: Kept, label: Any, weight: Any) -> bytes:
        """The event with its label, as a line of a file."""
        if self.options.format == "jsonl":
            reading = self.options.reading
            assert reading.label is not None
            more = {reading.label: label}
            if weight is not None:
                if not reading.weight:
                    raise InvalidInput("weight has no key in this model; expected none.")
                more[reading.weight] = weight
            pairs = json.dumps(more, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
            line = kept.line
            for key in more:  # it may have been there when the event was predicted: "y": null
                if key.encode() in line:
                    line = without_key(line, key)[1]
            rest = line.strip()[1:].lstrip()
            return b"{%b%b%b" % (pairs, b"" if rest.startswith(b"}") else b", ", rest)
        if weight is not None and self.options.format != "vw":
            raise InvalidInput(f"{self.options.format} has no weights; expected none.")
        words = self._label_word(label)
        if weight is not None:
            words += b" " + json.dumps(weight).encode()
        blank = b"\t" if self.options.format == "bag" else b" "
        return words + blank + BEFORE[self.options.format].sub(b"", kept.line, count=1)

    def _label_word(self, label: Any) -> bytes:
        """A label as it stands in a line; it must not become more than that."""
        given = label if isinstance(label, str) else json.dumps(label)
        word = given.encode("utf-8", "surrogatepass")
        empty_set = label == "" and self.champion.has_sets
        is_label = isinstance(label, (str, int, float)) and LABEL[self.options.format].fullmatch(
            word
        )
        if not is_label and not empty_set:
            raise InvalidInput(
                f"the label is {json.dumps(label)[:300]}; expected a number or a text that is a "
                f"label in a line of {self.options.format}."
            )
        return word

    # -- checkpoints

    def as_json(self) -> dict[str, Any]:
        """All but the learners."""
        return {
            "number": self.number,
            "name": self.name,
            "created": self.created,
            "seq": self.seq,
            "events": self.events,
            "options": self.options.as_json(),
            "race_began": self.race_began,
            "rollbacks": self.rollbacks,
            "late": self.late,
            "kept": [
                [i, k.line.decode("utf-8", "surrogateescape"), k.prediction, k.time]
                for i, k in self.kept.items()
            ],
            "gone": list(self.gone.items()),
            "keys": list(self.keys.items()),
            "ids": list(self.ids.items()),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> ServedModel:
        model = cls(
            stored["number"], stored["name"], options_from(stored["options"]), stored["created"],
            empty=True,
        )  # fmt: skip
        model.seq, model.events = stored["seq"], stored["events"]
        model.race_began = stored["race_began"]
        model.rollbacks = [(at, to) for at, to in stored["rollbacks"]]
        model.late = list(stored["late"])
        model.kept.update(
            (i, Kept(line.encode("utf-8", "surrogateescape"), prediction, time))
            for i, line, prediction, time in stored["kept"]
        )
        for name in ("gone", "keys", "ids"):
            getattr(model, name).update(stored[name])
        return model


def as_entry(role: str, name: str) -> str:
    """How a column gets a role when a model is created."""
    return f"create the model with {json.dumps(role)}: {json.dumps([name], ensure_ascii=False)}."


def loss_of(prediction: Any, label: Any) -> float:
    """Of a number the square of the error, of a label whether it was wrong."""
    if isinstance(prediction, float) and isinstance(label, (int, float)):
        return (prediction - label) ** 2
    meant = label
    if isinstance(label, bool):
        meant = json.dumps(label)  # as files have it
    elif isinstance(label, str):
        meant = label_of(label.encode("utf-8", "replace"))
    return float(prediction != meant)
