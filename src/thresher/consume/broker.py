"""What streams of all brokers have in common: a name, and what errors are called by it."""

from __future__ import annotations

import importlib
import socket
from collections.abc import Sequence
from typing import Any

from thresher.consume.address import Address, host_and_port
from thresher.consume.events import StreamAway, StreamLost, StreamRefused, why_lost
from thresher.errors import InvalidInput
from thresher.extras import install

ASK_SECONDS = 10.0  # for an answer about a stream


class Broker:
    """`identity` is a key of the place and its value: which stream of the broker it is."""

    has_headers = False
    credentials = "username=… and password=…"

    def __init__(self, address: Address, identity: tuple[str, str]) -> None:
        self.name = str(address)
        self.identity = identity

    def _knock(self, hosts: Sequence[str]) -> None:
        """Whether anybody listens: some clients would try for long, and not say what is wrong."""
        why: OSError | None = None
        for host in hosts:
            try:
                socket.create_connection(host_and_port(host), timeout=ASK_SECONDS).close()
                return
            except OSError as error:
                why = error
        raise self._away(f"no answer ({why})")

    def _away(self, why: str) -> StreamAway:
        return StreamAway(f"{self.name}: {why}")

    def _refused(self, why: str) -> StreamRefused:
        return StreamRefused(f"{self.name}: {why}")

    def _gone(self, what: str) -> StreamLost:
        return why_lost(self.name, what)

    def _denied(self, error: Any) -> StreamRefused:
        return self._refused(
            f"not let in ({error}). Put {self.credentials} into a file, and name it with "
            "--broker-config."
        )


def client(module: str, package: str) -> Any:
    """The module of a broker's client."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InvalidInput(
            f"this stream needs the package {package}: {install('stream')}."
        ) from None
