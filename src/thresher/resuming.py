"""Where a run resumes: what a model remembers of its run, compared with the current files."""

from __future__ import annotations

import os
from typing import Any

from thresher.checkpoint import Checkpoint
from thresher.data.reader import Before, Position
from thresher.data.seen import has_grown
from thresher.errors import InvalidInput


def go_on(run: dict[str, Any], files: list[str], passes: int) -> Checkpoint | None:
    """The run to resume; None if all of the files are new to the model.

    A run that was stopped continues where it was. A finished one continues with what is new:
    lines after those that were read, new files, another text through a pipe. It is an error if
    what was read before has changed.
    """
    stored = Checkpoint.from_dict(run)
    if not set(stored.files) & set(files):
        return None
    if stored.done:
        return _what_has_come(stored, files, passes)
    if files != stored.files:
        _check_begin(stored, files)
        stored.before = _renumbered(stored, files)
        stored.files = files
    for number, seen in stored.before.seen.items():
        if not seen.head:  # else it is compared while it is read
            has_grown(files[number], seen)
    return stored


def _what_has_come(stored: Checkpoint, files: list[str], passes: int) -> Checkpoint:
    if not stored.before.seen and files == stored.files:
        return stored  # by a version that did not keep what it read
    before = Before(_renumbered(stored, files).seen)
    for number, seen in before.seen.items():
        before.starts[number] = Position(number, seen.bytes, seen.lines)
        if not os.path.isfile(files[number]):
            before.new_texts.add(number)
        elif not has_grown(files[number], seen):
            before.starts[number] = None
    is_all_known = all(before.starts.get(i, Position()) is None for i in range(len(files)))
    if files == stored.files and (is_all_known or passes > stored.number):
        return stored
    return Checkpoint(files, before, number=passes if is_all_known else 0, done=is_all_known)


def _renumbered(stored: Checkpoint, files: list[str]) -> Before:
    """What is remembered of files, by their numbers in another list."""
    known, new = {name: i for i, name in enumerate(stored.files)}, Before()
    for number, old in ((i, known[name]) for i, name in enumerate(files) if name in known):
        if old in stored.before.seen:
            new.seen[number] = stored.before.seen[old]
        if old in stored.before.starts:
            start = stored.before.starts[old]
            new.starts[number] = start and Position(number, start.offset, start.line)
    return new


def _check_begin(stored: Checkpoint, files: list[str]) -> None:
    """Files that were not yet read may come and go, in the first pass; those that were may not."""
    read = stored.position.file + 1 if stored.number == 0 else len(stored.files)
    if stored.number == 0 and files[:read] == stored.files[:read]:
        return
    place = f"{stored.files[stored.position.file]}, line {stored.position.line + 1:,}"
    if stored.number:
        place = f"pass {stored.number + 1}"
    missing = [name for name in stored.files[:read] if name not in files]
    added = [name for name in files if name not in stored.files]
    found = "others" if missing or added else "the same in another order"
    told = [
        f"{what} {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
        for what, names in (("without", missing), ("with", added))
        if names
    ]
    raise InvalidInput(
        f"this run was stopped in {place}, among {len(stored.files)} files; found {found}"
        f"{' (' + '; '.join(told) + ')' if told else ''}.\n"
        "To go on, give the same files in the same order, and the new ones when it is done; to "
        "learn these alone, leave out --resume."
    )
