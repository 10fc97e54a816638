"""Brokers that the tests of a process share; each test has its own streams."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from consume.brokers import Kafka, Nats, Valkey

MEMORY = "/dev/shm"


@contextmanager
def folder() -> Iterator[Path]:
    made = tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    yield Path(made)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with folder() as made:
        yield made


def running(make: Callable[[Path], Valkey | Nats | Kafka]) -> Any:
    """A broker for the whole run."""

    @pytest.fixture(scope="session")
    def broker() -> Iterator[Any]:
        with folder() as made:
            one = make(made)
            yield one
            one.kill()

    return broker


valkey = running(Valkey)
nats = running(Nats)
kafka = running(lambda _: Kafka())
