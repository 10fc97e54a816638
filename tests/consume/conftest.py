"""Brokers that the tests of a process share; each test has its own streams."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from consume.brokers import Kafka, Nats, Valkey

MEMORY = "/dev/shm"


def _folder() -> str:
    return tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    folder = _folder()
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    folder = _folder()
    broker = Valkey(Path(folder))
    yield broker
    broker.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def nats() -> Iterator[Nats]:
    folder = _folder()
    broker = Nats(Path(folder))
    yield broker
    broker.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def kafka() -> Iterator[Kafka]:
    broker = Kafka()
    yield broker
    broker.kill()
