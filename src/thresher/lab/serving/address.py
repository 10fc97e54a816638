"""The address of the last lab, kept for the next: a page that is still open finds it again."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path


def kept() -> tuple[int, str]:
    """Port and token of the last lab; any port and a new token if there was none."""
    try:
        found = json.loads(_place().read_text(encoding="utf-8"))
        port, token = int(found["port"]), str(found["token"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return 0, secrets.token_urlsafe(16)
    usable = 1024 <= port <= 65535 and token.isascii() and len(token) >= 16 and "/" not in token
    return (port, token) if usable else (0, secrets.token_urlsafe(16))


def keep(port: int, token: str) -> None:
    """Readable only by this user; if it cannot be written, the next lab has a new address."""
    place = _place()
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(f".{os.getpid()}")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"port": port, "token": token}, file)
        os.replace(part, place)


def _place() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(home) / "thresher" / "lab.json"
