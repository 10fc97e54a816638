"""Who runs the tasks: Dask or Spark, here or on other machines. What the engine has to do is small:
run each task at least once, and hand its answer over."""

from __future__ import annotations

import json
import logging
import os
import re
import statistics
import sys
import threading
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Protocol

from thresher.errors import ClusterError, InvalidInput
from thresher.extras import install

Task = tuple[Any, ...]  # the arguments
FORMS = "local[:N], tcp://HOST:PORT, tls://HOST:PORT, file:scheduler.json, spark://HOST:PORT"
LOST_SECONDS = 60.0  # without any worker
CONNECT_SECONDS = 20.0
CLOSE_SECONDS = 10.0
AT_ONCE = 2  # tasks for each thread: one at work, and the next
SLOW = 4.0  # times the median: then a task is started a second time
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Engine(Protocol):
    """Runs tasks."""

    workers: int

    def run(
        self, function: Callable[..., Any], tasks: Sequence[Task], shared: Any
    ) -> Iterator[tuple[int, Any]]:
        """The answer of each task with its number, as they come: function(*task, shared)."""
        ...

    def listening(self, topic: str, hear: Hear) -> AbstractContextManager[None]:
        """Meanwhile `hear` is called with what tasks `tell` on a topic, perhaps on another thread.
        Some of it may be lost: it is to be watched, and nothing depends on it."""
        ...


Hear = Callable[[dict[str, Any]], None]


def tell(topic: str, what: dict[str, Any]) -> None:
    """By a task: how far it is. An engine that cannot carry it does without."""
    if not topic:
        return
    try:
        from distributed import get_worker

        get_worker().log_event(topic, what)
    except (ImportError, ValueError):  # no worker of Dask
        return


@contextmanager
def connected(
    address: str, *, insecure: bool = False, stop: threading.Event | None = None
) -> Iterator[Engine]:
    """The engine at an address. Once `stop` is set, it runs nothing more: KeyboardInterrupt."""
    kind, _, rest = address.partition(":")
    stop = stop or threading.Event()
    if kind == "spark" or address.startswith(("local[", "local-cluster[")):
        with _spark(address, stop) as spark:
            yield spark
        return
    if kind not in ("local", "tcp", "tls", "file"):
        raise InvalidInput(f"--cluster is {address!r}; expected {FORMS}.")
    if kind == "tcp" and not insecure:
        host = rest.removeprefix("//").rpartition(":")[0]
        if host not in LOOPBACK:
            raise InvalidInput(
                f"--cluster {address}: whoever reaches that port can run any code there; expected "
                "tls://, or --insecure-cluster in a network that you trust."
            )
    with _dask(address, kind, rest, stop) as dask:
        yield dask


def _check_certificates(address: str) -> None:
    from distributed.security import Security

    if Security().get_connection_args("client").get("ssl_context") is None:
        raise InvalidInput(
            f"--cluster {address}: there are no certificates for it here; expected the names of "
            "their files in DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__TLS__CLIENT__CERT and "
            "…__TLS__CLIENT__KEY."
        )


# ------------------------------------------------------------------ Dask


@contextmanager
def _dask(address: str, kind: str, rest: str, stop: threading.Event) -> Iterator[Engine]:
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise InvalidInput(
            f"--cluster runs on Dask, which is not installed: {install('cluster')}"
        ) from None
    settings = {
        "distributed.scheduler.allowed-failures": 10,
        "distributed.scheduler.worker-ttl": "60 seconds",
        # A local worker that is down just when this has passed since it was killed last is closed
        # for good.
        "distributed.deploy.lost-worker-timeout": "24 hours",
        "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS} seconds",
        "distributed.admin.log-length": 0,
        "distributed.admin.large-graph-warning-threshold": "1 TB",  # a model is as large as it is
        "distributed.worker.daemon": False,
        "distributed.worker.profile.enabled": False,  # it looks at every thread each 10 ms
        "logging.distributed": "error",
    }
    # What goes wrong is raised, and told once. Dask gives the client a level of its own.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set(settings):
        local = None
        try:
            if kind == "local":
                workers = _number(address, rest)
                local = LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True,
                    dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=50,
                )  # fmt: skip
                client = Client(local)
            else:
                place = _in_file(rest.removeprefix("//")) if kind == "file" else address
                if place.startswith("tls:"):
                    _check_certificates(address)
                _ask_who_is_there(place)
                with warnings.catch_warnings():  # every task checks what matters
                    warnings.simplefilter("ignore", VersionMismatchWarning)
                    client = Client(place, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError, LookupError) as error:
            raise ClusterError(
                f"--cluster {address}: no Dask scheduler answers there ({error}). Start one with "
                "`dask scheduler`, and workers with `dask worker ADDRESS`."
            ) from error
        try:
            yield DaskEngine(client, address, stop)
        finally:
            with suppress(OSError):
                _within(2 * CLOSE_SECONDS, lambda: client.close(timeout=CLOSE_SECONDS))
            if local is not None:
                local.close(timeout=CLOSE_SECONDS)


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """What a call answers, on a thread of its own: no wait for others is without an end."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(call())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    answer = found[0] if found else TimeoutError(f"no answer for {seconds:.0f} seconds")
    if isinstance(answer, Exception):
        raise OSError(str(answer) or type(answer).__name__) from answer
    return answer


def _in_file(path: str) -> str:
    """The address that `dask scheduler --scheduler-file` has written."""
    with open(path, encoding="utf-8") as file, suppress(ValueError):
        found = json.load(file)
        if isinstance(found, dict) and isinstance(found.get("address"), str):
            return str(found["address"])
    raise ValueError(f"{path} is not what `dask scheduler --scheduler-file` writes")


def _ask_who_is_there(address: str) -> None:
    """A client would wait forever for something that listens there and says nothing."""
    import asyncio

    from distributed.core import connect
    from distributed.security import Security

    async def ask() -> Any:
        given = Security().get_connection_args("client")
        comm = await connect(address, timeout=CONNECT_SECONDS, **given)
        try:
            await comm.write({"op": "identity", "reply": True})
            return await comm.read()
        finally:
            comm.abort()

    async def in_time() -> Any:
        return await asyncio.wait_for(ask(), CONNECT_SECONDS)

    answer = _within(CONNECT_SECONDS + 5.0, lambda: asyncio.run(in_time()))
    if not isinstance(answer, dict) or answer.get("type") != "Scheduler":
        raise OSError("what answers is no scheduler")


def workers_here(address: str) -> int | None:
    """How many processes of this machine an address asks for; None if they are elsewhere."""
    kind, _, rest = address.partition(":")
    if kind == "local":
        return _number(address, rest)
    found = re.match(r"local(?:-cluster)?\[(\d+|\*)", address)
    if found is None:
        return None
    return os.cpu_count() or 1 if found[1] == "*" else max(1, int(found[1]))


def _number(address: str, rest: str) -> int:
    if not rest:
        return max(1, len(os.sched_getaffinity(0)))
    if not rest.isdigit() or not 1 <= int(rest) <= 1000:
        raise InvalidInput(f"--cluster is {address!r}; expected local:N with N from 1 to 1000.")
    return int(rest)


def go_on(stop: threading.Event) -> None:
    """Asked at least once a second, where everything can be cleaned up."""
    if stop.is_set():
        raise KeyboardInterrupt


def itself(shared: Any) -> Any:
    return shared


class DaskEngine:
    """Tasks as futures; one that takes much longer than others is started a second time."""

    def __init__(self, client: Any, address: str, stop: threading.Event) -> None:
        self._client, self._address, self._stop = client, address, stop
        self.workers = self._wait_for_workers()
        self._refuse_workers_without_thresher()

    def _known_workers(self) -> dict[str, Any]:
        """Asked of the scheduler, which may have stopped without a word."""
        try:
            info = _within(LOST_SECONDS, lambda: self._client.scheduler_info(n_workers=-1))
        except OSError as error:
            raise self._gone(error) from error
        workers: dict[str, Any] = info["workers"]
        return workers

    def _gone(self, why: object) -> ClusterError:
        return ClusterError(
            f"--cluster {self._address}: the scheduler is gone ({why}); go on with --resume."
        )

    def _wait_for_workers(self) -> int:
        began = time.monotonic()
        while not (found := self._known_workers()):
            go_on(self._stop)
            if time.monotonic() - began > LOST_SECONDS:
                raise self._no_workers()
            time.sleep(0.2)
        return sum(worker["nthreads"] for worker in found.values())

    def _refuse_workers_without_thresher(self) -> None:
        """Dask closes a worker that cannot load what it is sent, and gives it to the next one."""

        def lacks_it() -> bool:  # sent as code, since there is nothing to import there
            from importlib.util import find_spec

            return find_spec("thresher") is None

        with suppress(OSError):  # a worker that does not answer is no reason not to begin
            asked = lambda: self._client.run(lacks_it, on_error="ignore")  # noqa: E731
            lacking = [name for name, lacks in _within(CONNECT_SECONDS, asked).items() if lacks]
            if lacking:
                raise ClusterError(
                    f"--cluster {self._address}: {len(lacking)} of its workers cannot import "
                    f"thresher, the first is {lacking[0]}; expected the version that is here. "
                    "Install it for the Python that runs them."
                )

    def _no_workers(self) -> ClusterError:
        return ClusterError(
            f"--cluster {self._address}: the scheduler has had no worker for "
            f"{LOST_SECONDS:.0f} seconds. Start some with `dask worker ADDRESS`, then go on with "
            "--resume."
        )

    @contextmanager
    def listening(self, topic: str, hear: Hear) -> Iterator[None]:
        def heard(event: tuple[float, dict[str, Any]]) -> None:
            hear(event[1])

        self._client.subscribe_topic(topic, heard)
        try:
            yield
        finally:
            with suppress(OSError, ValueError):  # the scheduler may be gone
                self._client.unsubscribe_topic(topic)

    def run(
        self, function: Callable[..., Any], tasks: Sequence[Task], shared: Any
    ) -> Iterator[tuple[int, Any]]:
        from distributed import wait
        from distributed.client import (
            ClosedClientError,
            FutureCancelledError,
            FuturesCancelledError,
        )
        from distributed.scheduler import KilledWorker

        name = f"thresher-{function.__name__}-{uuid.uuid4().hex[:8]}"
        futures: dict[Any, int] = {}
        began: dict[int, float] = {}
        took: list[float] = []
        again: set[int] = set()
        done: set[int] = set()
        marks: dict[int, bytes] = {}
        # A task of its own, not scattered: if the worker that holds it dies, it is made again.
        common = self._client.submit(itself, shared, key=f"{name}-shared", pure=False)
        waiting = deque(range(len(tasks)))
        given: dict[int, str] = {}  # to which worker

        def submit(i: int, attempt: int, workers: dict[str, Any]) -> None:
            key = f"{name}-{i}-{attempt}"
            load = Counter(address for j, address in given.items() if j not in done)
            others = [w for w in workers if w != given.get(i)] or list(workers)
            given[i] = min(others, key=lambda w: load[w] / workers[w]["nthreads"])
            # Left alone, Dask would give every task to the worker that holds what they share. One
            # that dies is replaced by any other.
            future = self._client.submit(function, *tasks[i], common, key=key, pure=False,
                                         workers=[given[i]], allow_other_workers=True)  # fmt: skip
            futures[future] = i
            began.setdefault(i, time.monotonic())

        seen_workers = time.monotonic()
        try:
            while len(done) < len(tasks):
                go_on(self._stop)
                if workers := self._known_workers():
                    seen_workers = time.monotonic()
                    threads = sum(worker["nthreads"] for worker in workers.values())
                    while waiting and len(futures) < AT_ONCE * threads:
                        submit(waiting.popleft(), 0, workers)
                elif time.monotonic() - seen_workers > LOST_SECONDS:
                    raise self._no_workers()
                if len(done) * 2 >= len(tasks) and took and workers:
                    late = SLOW * statistics.median(took) + 5.0
                    for i in set(began) - done - again:
                        if time.monotonic() - began[i] > late:
                            again.add(i)
                            submit(i, 1, workers)
                if not futures:  # no worker to give them to
                    time.sleep(0.2)
                    continue
                try:
                    finished = wait(list(futures), timeout=1.0, return_when="FIRST_COMPLETED").done
                except TimeoutError:
                    finished = set()
                for future in finished:
                    i = futures.pop(future)
                    try:
                        answer = future.result()
                    except KilledWorker as error:
                        raise ClusterError(
                            f"shard {i} could not be finished: {error}. Its workers died, perhaps "
                            "for lack of memory; go on with --resume."
                        ) from error
                    future.release()
                    # Of two answers the first counts; another would break every promise.
                    if i in again and marks.setdefault(i, answer.mark()) != answer.mark():
                        raise ClusterError(
                            f"shard {i} was done twice, with different results: by "
                            f"{answer.worker} and another worker. One of them computes wrongly."
                        )
                    if i in done:
                        continue
                    done.add(i)
                    took.append(time.monotonic() - began[i])
                    yield i, answer
        except OSError as error:
            raise self._gone(error) from error
        # Nothing is cancelled here, so what is was lost with the scheduler.
        except (FutureCancelledError, FuturesCancelledError, ClosedClientError) as error:
            raise self._gone("the connection was lost") from error
        finally:
            with suppress(OSError):
                left = [*futures, common]
                _within(CLOSE_SECONDS, lambda: self._client.cancel(left, force=True))


# ------------------------------------------------------------------ Spark


@contextmanager
def _spark(address: str, stop: threading.Event) -> Iterator[Engine]:
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError:
        raise InvalidInput(
            f"--cluster {address} runs on Spark, which is not installed: {install('spark')}"
        ) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setMaster(address).setAppName("thresher")
    conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    conf.set("spark.rpc.message.maxSize", "2047").set("spark.driver.maxResultSize", "0")
    conf.set("spark.task.maxFailures", "10")
    # After this an executor that says nothing counts as lost.
    conf.set("spark.network.timeout", f"{LOST_SECONDS:.0f}s")
    try:
        context = SparkContext(conf=conf)
        context.setLogLevel("OFF")  # what goes wrong is raised, and told once
        engine = SparkEngine(context, address, stop)
    except Exception as error:  # of Java, as text
        raise ClusterError(
            f"--cluster {address}: no Spark master answers there ({_first_line(error)})."
        ) from error
    try:
        yield engine
    finally:
        with suppress(OSError):
            _within(CLOSE_SECONDS, context.stop)


def _first_line(error: Exception) -> str:
    """Of what Java or a worker's Python says, without the places in their code."""
    from py4j.protocol import Py4JJavaError

    text = str(error.java_exception if isinstance(error, Py4JJavaError) else error)
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    ours = [line for line in lines if re.match(r"[A-Za-z_.]+(Error|Exception): ", line)]
    return (ours[-1] if ours else lines[0])[:400]


class SparkEngine:
    """A job for each task, so that answers come one by one: never all of them at the driver."""

    def __init__(self, context: Any, address: str, stop: threading.Event) -> None:
        self._context, self._address, self._stop = context, address, stop
        self.workers = int(context.defaultParallelism)

    def listening(self, topic: str, hear: Hear) -> AbstractContextManager[None]:
        """Spark carries nothing on the way: a shard is heard of when it is done."""
        return nullcontext()

    def _has_executors(self) -> bool:
        if self._address.startswith("local["):  # threads of this process
            return True
        return len(self._context._jsc.sc().statusTracker().getExecutorInfos()) > 1  # and the driver

    def run(
        self, function: Callable[..., Any], tasks: Sequence[Task], shared: Any
    ) -> Iterator[tuple[int, Any]]:
        from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

        from py4j.protocol import Py4JError

        common = self._context.broadcast(shared)

        def one(i: int) -> tuple[int, Any]:
            partition = self._context.parallelize([tasks[i]], 1)
            return i, partition.map(lambda task: function(*task, common.value)).collect()[0]

        with ThreadPoolExecutor(max(2, self.workers)) as pool:
            left = {pool.submit(one, i) for i in range(len(tasks))}
            seen = time.monotonic()
            try:
                while left:
                    go_on(self._stop)
                    done, left = wait(left, timeout=1.0, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
                    if self._has_executors():
                        seen = time.monotonic()
                    elif time.monotonic() - seen > LOST_SECONDS:
                        raise ClusterError(
                            f"--cluster {self._address}: Spark has had no executor for "
                            f"{LOST_SECONDS:.0f} seconds. Start workers, or give them more memory, "
                            "then go on with --resume."
                        )
            except Py4JError as error:
                raise ClusterError(
                    f"--cluster {self._address}: Spark could not finish a shard: "
                    f"{_first_line(error)}; go on with --resume."
                ) from error
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                with suppress(Py4JError, OSError):
                    self._context.cancelAllJobs()
                with suppress(Py4JError, OSError):
                    common.destroy()
