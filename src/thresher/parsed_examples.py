"""Parsed examples that are kept for the passes after the first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from thresher._core import Examples


class ParsedExamples:
    """In a temporary file without a name."""

    def __init__(self) -> None:
        import tempfile

        self._file = tempfile.TemporaryFile(prefix="thresher-")  # noqa: SIM115 (closed in close)
        self.complete = False
        self.failed = False

    def add(self, examples: Examples, rows: int) -> None:
        if self.failed:
            return
        try:
            examples.write(self._file.fileno(), rows)
        except OSError:  # a full disk: then later passes read the files again
            self.failed = True
            with suppress(OSError):
                self._file.truncate(0)

    def finish(self) -> None:
        self.complete = not self.failed

    def __iter__(self) -> Iterator[Examples]:
        self._file.seek(0)
        while (examples := self._read()) is not None:
            yield examples

    def _read(self) -> Examples | None:
        try:
            return Examples.read(self._file.fileno())
        except OSError as error:
            import tempfile

            why = f"{error.strerror}; a temporary file with the parsed examples could not be read"
            raise OSError(error.errno, why, tempfile.gettempdir()) from error

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()


def new_cache() -> ParsedExamples | None:
    try:
        return ParsedExamples()
    except OSError:
        return None
