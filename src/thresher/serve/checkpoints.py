"""Checkpoints of a model: its learners as model files and the rest as JSON, by seq.

A checkpoint is there when its JSON is: that is written last, and like the model files it is
replaced as a whole. Checkpoints only save time. What a model is, the log says.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import ModelFileError, Where
from thresher.model_file import describe, load_for_files, write
from thresher.replacing import replacing
from thresher.serve.model import ServedModel
from thresher.serve.options import options_from
from thresher.serve.pupil import Pupil

VERSION = 2
STAYING = 2  # the last ones, besides snapshots


@dataclass
class Described:
    """All of a model at one seq, apart from it."""

    stored: dict[str, Any]
    learners: dict[str, Any]  # by file name

    @property
    def seq(self) -> int:
        return int(self.stored["seq"])


def described(model: ServedModel, snapshot: bool) -> Described:
    """Copy a model. Only the writer calls this: nothing else changes it meanwhile."""
    learners: dict[str, Any] = {}
    pupils = []
    everyone: list[tuple[str | None, Pupil]] = [(None, model.champion), *model.challengers.items()]
    for number, (name, pupil) in enumerate(everyone):
        file = f"{model.seq:020}.{number}.model" if pupil.has_learned else None
        if file is not None:
            with pupil.lock:
                pupil.learner.settle()
                pupil.learner.provenance_ = {
                    "served": {"name": model.name, "seq": model.seq, "events": model.events}
                }
                learners[file] = describe(pupil.learner)  # type: ignore[arg-type]
        pupils.append(
            {
                "name": name,
                "file": file,
                "options": pupil.options.as_json(),
                "progress": pupil.progress_as_json(),
            }
        )
    stored = {"version": VERSION, "snapshot": snapshot, **model.as_json(), "pupils": pupils}
    return Described(stored, learners)


class Checkpoints:
    """Those of all models, each in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, number: int) -> Path:
        return self.folder / str(number)

    def numbers(self) -> list[int]:
        """The models that have any."""
        if not self.folder.is_dir():
            return []
        return sorted(int(p.name) for p in self.folder.iterdir() if p.name.isdigit())

    def seqs(self, number: int) -> list[int]:
        return sorted(int(p.stem) for p in self.of(number).glob("*.json") if p.stem.isdigit())

    def last(self) -> int:
        """The latest seq of any; the log was on disk up to there."""
        covered = self.covered()
        seqs = [seq for n in self.numbers() for seq in self.seqs(n)]
        return max([*seqs, covered[0]] if covered else seqs, default=0)

    def save(self, this: Described) -> None:
        folder = self.of(int(this.stored["number"]))
        folder.mkdir(parents=True, exist_ok=True)
        for name, learner in this.learners.items():
            write(learner, folder / name)
        if this.seq in self.seqs(int(this.stored["number"])):
            before = self.read(int(this.stored["number"]), this.seq)
            this.stored["snapshot"] |= before["snapshot"]
        with replacing(folder / f"{this.seq:020}.json", "the checkpoint was not written") as file:
            file.write(json.dumps(this.stored, allow_nan=False).encode())

    def read(self, number: int, seq: int) -> dict[str, Any]:
        path = self.of(number) / f"{seq:020}.json"
        try:
            stored = json.loads(path.read_bytes())
            version = stored["version"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise self._unusable(path, f"not a checkpoint ({error})") from error
        if version > VERSION:
            raise ModelFileError(
                f"written in version {version}; this Thresher reads up to {VERSION}",
                advice="Upgrade Thresher to read it.",
                where=Where(str(path)),
            )
        if version < 2:
            stored["keys"] = [[key, mark + json.dumps(was)] for key, (mark, was) in stored["keys"]]
        return dict(stored)

    def load(self, number: int, seq: int) -> ServedModel:
        stored = self.read(number, seq)
        path = self.of(number) / f"{seq:020}.json"
        try:
            model = ServedModel.from_json(stored)
            for one in stored["pupils"]:
                pupil = self._pupil(number, one)
                if one["name"] is None:
                    model.champion = pupil
                else:
                    model.challengers[one["name"]] = pupil
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._unusable(path, str(error)) from error
        model.saved_at = seq
        return model

    def _pupil(self, number: int, stored: dict[str, Any]) -> Pupil:
        file = stored["file"]
        learner = None if file is None else load_for_files(self.of(number) / os.path.basename(file))
        pupil = Pupil(options_from(stored["options"]), learner)
        pupil.progress_from_json(stored["progress"])
        return pupil

    def _unusable(self, path: Path, why: str) -> ModelFileError:
        return ModelFileError(
            why,
            advice="Remove it: the log has all that is in it, unless old segments were dropped.",
            where=Where(str(path)),
        )

    def model_file(self, number: int, seq: int) -> Path | None:
        """The champion's model file at this seq, if there is one."""
        if seq not in self.seqs(number):
            return None
        file = self.read(number, seq)["pupils"][0]["file"]
        return None if file is None else self.of(number) / os.path.basename(file)

    def unpin(self, number: int, seq: int) -> None:
        """A snapshot becomes a checkpoint like others."""
        stored = self.read(number, seq) | {"snapshot": False}
        with replacing(self.of(number) / f"{seq:020}.json") as file:
            file.write(json.dumps(stored, allow_nan=False).encode())

    def prune(self, number: int) -> None:
        """Keep snapshots and the last ones."""
        for seq in self.seqs(number)[:-STAYING]:
            if not self.read(number, seq)["snapshot"]:
                self.remove(number, seq)

    def tidy(self) -> None:
        """Remove what a killed process left: files half written, and those of half a checkpoint.
        Only who has the folder alone may do this."""
        for number in self.numbers():
            whole = {f"{seq:020}" for seq in self.seqs(number)}
            for path in self.of(number).glob("*"):
                begun = path.name.startswith(".") and path.suffix == ".part"
                if begun or (path.suffix == ".model" and path.name[:20] not in whole):
                    with suppress(OSError):
                        path.unlink()

    def cover(self, seq: int, numbers: list[int]) -> None:
        """These are all models at this seq, and each has a checkpoint: a replay begins here."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self.folder / "covered.json") as file:
            file.write(json.dumps([seq, numbers]).encode())

    def covered(self) -> tuple[int, list[int]] | None:
        try:
            seq, numbers = json.loads((self.folder / "covered.json").read_bytes())
        except (OSError, ValueError, TypeError):
            return None  # then the whole log is read
        return int(seq), [int(n) for n in numbers]

    def remove(self, number: int, seq: int) -> None:
        with suppress(FileNotFoundError):
            (self.of(number) / f"{seq:020}.json").unlink()
        for path in self.of(number).glob(f"{seq:020}.*.model"):
            path.unlink(missing_ok=True)

    def remove_all(self, number: int) -> None:
        shutil.rmtree(self.of(number), ignore_errors=True)
