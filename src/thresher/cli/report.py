"""How the commands speak: errors in one block on standard error, results on standard output."""

from __future__ import annotations

import json
import sys
from typing import Any

from thresher.errors import ThresherError


def complain(error: BaseException) -> None:
    """One readable block; what was not foreseen says how to see more."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror}"
    elif isinstance(error, (ThresherError, ValueError, ImportError)):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error}\n(run again with --debug for the whole story)"
    say("\n".join([f"error: {text}", *getattr(error, "__notes__", ())]))


def say(text: str) -> None:
    """To standard error, whatever bytes a file name or a feature name may hold."""
    data = (text + "\n").encode("utf-8", "backslashreplace")
    sys.stderr.flush()
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


def put(text: str) -> None:
    """To standard output."""
    data = (text + "\n").encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def put_json(value: Any) -> None:
    put(json.dumps(value, ensure_ascii=False, allow_nan=False))
