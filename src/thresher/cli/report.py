"""Output of the commands: errors in one block on standard error, results on standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from thresher.errors import ThresherError
from thresher.extras import advice


def complain(error: BaseException) -> None:
    """One readable block; an unexpected error says how to see more."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror}"
    elif isinstance(error, ModuleNotFoundError):
        text = advice(error) or str(error)
    elif isinstance(error, (ThresherError, ValueError, ImportError)):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error}\n(run again with --debug for the traceback)"
    say("\n".join([f"error: {text}", *getattr(error, "__notes__", ())]))


def say(text: str) -> None:
    """To standard error, whatever bytes a file name or a feature name may hold."""
    _write(sys.stderr, text)


def put(text: str) -> None:
    """To standard output."""
    _write(sys.stdout, text)


def _write(stream: TextIO, text: str) -> None:
    """If the reader has gone (`| head`), the command goes on: it may have files to write."""
    with while_somebody_reads(stream):
        stream.flush()
        stream.buffer.write((text + "\n").encode("utf-8", "backslashreplace"))
        stream.buffer.flush()


@contextmanager
def while_somebody_reads(stream: TextIO) -> Iterator[None]:
    """Around what is written to a stream: ends early, without an error, if the reader has gone."""
    try:
        yield
    except BrokenPipeError as error:
        if error.filename is not None:  # a named pipe, which is not expected to be closed early
            raise
        nowhere = os.open(os.devnull, os.O_WRONLY)  # for the buffer and all later output
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def put_json(value: Any) -> None:
    put(json.dumps(value, ensure_ascii=False, allow_nan=False))


def counted(n: int, what: str) -> str:
    """``1 example``, ``2,000 examples``."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
