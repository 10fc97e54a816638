"""What takes too long for every run of the tests: real processes that are killed and cut off.

    python tests/cluster/long.py kills 200          # workers and nannies killed, workers stopped
    python tests/cluster/long.py drivers 20         # the driver killed at any time, then --resume
    python tests/cluster/long.py schedulers 10      # the scheduler killed, then --resume
    python tests/cluster/long.py links 10           # links down and up; needs root and iproute2
    python tests/cluster/long.py tls                # certificates by openssl
    python tests/cluster/long.py disk               # a worker whose disk is full; needs root
    python tests/cluster/long.py spark 5            # executors of Spark killed; needs pyspark, Java

Each run must end with the same bits as one process, or with an error that says why, within a
minute after the engine is lost.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import thresher
from cluster.here import Here, lesson
from thresher.cluster import tasks
from thresher.cluster.engine import connected
from thresher.cluster.manifest import shards_of
from thresher.cluster.training import ClusterTraining
from thresher.data.reading import ReadingOptions

PYTHON = sys.executable
THRESHER = [PYTHON, "-m", "thresher"]
SHARDS, EXAMPLES, PASSES = 12, 4000, 3
ERROR_SECONDS = 60.0
SPARK_SECONDS = 300.0  # after which no run begins


def make_data(folder: Path) -> None:
    """Words by Zipf's law, labels from weights of the words."""
    import numpy as np

    for shard in range(SHARDS):
        rng = np.random.default_rng(shard)
        words = np.minimum(rng.zipf(1.3, size=(EXAMPLES, 20)), 200_000)
        sides = np.sin(words * 12.9898).sum(axis=1) + rng.normal(size=EXAMPLES)
        with open(folder / f"{shard:02}.vw", "w") as file:
            for row, side in zip(words.tolist(), sides.tolist(), strict=True):
                names = " ".join(f"w{w}" for w in sorted(set(row)))
                file.write(f"{'+1' if side > 0 else '-1'} | {names}\n")


def digest(folder: Path, engine: Any) -> str:
    shards = shards_of([str(folder / "*.vw")], ReadingOptions(), None)
    made = ClusterTraining(engine, shards, lesson(passes=PASSES)).run(lambda _: None)
    return hashlib.sha256(tasks.saved(made)).hexdigest()


def weights_in(path: Path) -> str:
    """Of a model, whatever its file says about the way there."""
    model = thresher.load(path)
    return hashlib.sha256(repr(model._learned().state()).encode()).hexdigest()


# ------------------------------------------------------------------ real processes


class Cluster:
    """A scheduler and workers as separate processes; those that die are started again."""

    def __init__(self, workers: int = 3, environment: dict[str, str] | None = None,
                 options: tuple[str, ...] = (), prefixes: list[list[str]] | None = None,
                 host: str = "127.0.0.1") -> None:  # fmt: skip
        self.host, self.options = host, options
        self.environment = (
            os.environ | {"DASK_LOGGING__DISTRIBUTED": "critical"} | (environment or {})
        )
        self.folder = tempfile.mkdtemp(prefix="thresher-dask-")
        self.prefixes = prefixes or [[]] * workers
        self.scheduler: Any = None
        self.nannies: list[Any] = []
        self.over = threading.Event()

    @property
    def address(self) -> str:
        protocol = "tls" if self.options else "tcp"
        return f"{protocol}://{self.host}:{self.port}"

    def __enter__(self) -> Cluster:
        self.start_scheduler()
        self.nannies = [self._nanny(i) for i in range(len(self.prefixes))]
        self.keeper = threading.Thread(target=self._keep, daemon=True)
        self.keeper.start()
        return self

    def start_scheduler(self) -> None:
        self.port = random.randrange(20_000, 30_000)
        command = [PYTHON, "-m", "distributed.cli.dask_scheduler", "--host", self.host, "--port",
                   str(self.port), "--dashboard-address", "127.0.0.1:0", *self.options]  # fmt: skip
        self.scheduler = self._started(command)

    def _started(self, command: list[str]) -> Any:
        return subprocess.Popen(command, env=self.environment, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

    def _nanny(self, i: int) -> Any:
        return self._started([*self.prefixes[i], PYTHON, "-m", "distributed.cli.dask_worker",
                              self.address, "--nthreads", "1", "--no-dashboard",
                              "--local-directory", self.folder, "--death-timeout", "20",
                              *self.options])  # fmt: skip

    def _keep(self) -> None:
        """As any batch system does."""
        while not self.over.wait(0.3):
            for i, nanny in enumerate(self.nannies):
                if nanny.poll() is not None and self.scheduler.poll() is None:
                    self.nannies[i] = self._nanny(i)

    def kill_scheduler(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()

    def __exit__(self, *_: Any) -> None:
        self.over.set()
        self.keeper.join()
        for process in (*self.nannies, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def disturbed(disturb: Any, least: float, most: float) -> Iterator[None]:
    """Meanwhile something happens again and again."""
    over, rng = threading.Event(), random.Random()

    def go() -> None:
        while not over.wait(rng.uniform(least, most)):
            disturb(rng)

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


# ------------------------------------------------------------------ what happens


def kills(folder: Path, count: int) -> None:
    expected = digest(folder, Here())
    done = {"workers": 0, "nannies": 0, "stopped": 0}
    runs = 0
    # A shard that is killed by chance more often than a scheduler allows is no fault of the run.
    often = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "50"}
    with Cluster(environment=often) as cluster, connected(cluster.address) as engine:

        def disturb(rng: random.Random) -> None:
            kind = rng.choices(["workers", "nannies", "stopped"], [6, 3, 1])[0]
            if kind == "nannies":
                rng.choice(cluster.nannies).kill()
            else:
                pids = list(engine._client.run(os.getpid, on_error="ignore").values())
                pids = [pid for pid in pids if isinstance(pid, int)]
                if not pids:
                    return
                victim = rng.choice(pids)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGSTOP if kind == "stopped" else signal.SIGKILL)
                    if kind == "stopped":
                        time.sleep(1.0)
                        os.kill(victim, signal.SIGCONT)
            done[kind] += 1

        while done["workers"] + done["nannies"] < count:
            with disturbed(disturb, 0.5, 2.5):
                assert digest(folder, engine) == expected, "other bits"
            runs += 1
            print(f"{runs} runs, {done}: the same bits", flush=True)


def train(cluster: Cluster, folder: Path, model: Path, *more: str) -> Any:
    command = [*THRESHER, "train", str(folder / "*.vw"), "--learner", "pa", "--passes", str(PASSES),
               "--cluster", cluster.address, "-m", str(model), "-q", "--threads", "1",
               "--insecure-cluster", *more]  # fmt: skip
    return subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def resumed(cluster: Cluster, folder: Path, model: Path) -> None:
    more = ("--resume", str(model)) if model.exists() else ()
    process = train(cluster, folder, model, *more)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err


def drivers(folder: Path, count: int) -> None:
    """Killed at any time: during start, a pass, a mix, a save, the end."""

    def kill(_: Cluster, process: Any, model: Path) -> str:
        process.kill()
        process.wait()
        if not model.exists():
            return "driver killed after no pass"
        passes = len(thresher.load(model).provenance_["cluster"]["history"])
        return f"driver killed after {passes} passes"

    interrupt(folder, count, kill)


def schedulers(folder: Path, count: int) -> None:
    """Killed at any time: a clear error within a minute, and the rest of the run afterwards."""

    def kill(cluster: Cluster, process: Any, model: Path) -> str:
        cluster.kill_scheduler()
        began = time.monotonic()
        _, err = process.communicate(timeout=ERROR_SECONDS)
        waited = time.monotonic() - began
        said = (err.strip().splitlines() or ["(it was done)"])[0]
        assert process.returncode == 0 or ("cluster" in err and "Traceback" not in err), err
        for nanny in cluster.nannies:
            nanny.kill()
        cluster.start_scheduler()
        return f"scheduler killed, after {waited:.0f} s: {said[:100]}"

    interrupt(folder, count, kill)


def interrupt(folder: Path, count: int, kill: Callable[[Cluster, Any, Path], str]) -> None:
    """Runs of which something is killed, each a little later than the one before, then resumed."""
    rng = random.Random(0)
    with Cluster(2) as cluster:
        whole = folder / "whole.model"
        began = time.monotonic()
        resumed(cluster, folder, whole)
        took, expected = time.monotonic() - began, weights_in(whole)
        for i in range(count):
            model = folder / f"{i}.model"
            process = train(cluster, folder, model)
            time.sleep(took * (i + rng.random()) / count)
            said = kill(cluster, process, model)
            resumed(cluster, folder, model)
            assert weights_in(model) == expected, "other bits"
            print(f"{i + 1} of {count}: {said}; then the same bits", flush=True)


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def links(folder: Path, count: int) -> None:
    """Three hosts on a bridge, as namespaces; the driver and the scheduler are here."""
    names = [f"thresher{i}" for i in range(3)]
    expected = digest(folder, Here())
    try:
        run("ip", "link", "add", "thresher-br", "type", "bridge")
        run("ip", "addr", "add", "10.199.0.1/24", "dev", "thresher-br")
        run("ip", "link", "set", "thresher-br", "up")
        for i, name in enumerate(names):
            run("ip", "netns", "add", name)
            run("ip", "link", "add", f"{name}-h", "type", "veth", "peer", "name", "eth0",
                "netns", name)  # fmt: skip
            run("ip", "link", "set", f"{name}-h", "master", "thresher-br", "up")
            inside = ("ip", "netns", "exec", name, "ip")
            run(*inside, "addr", "add", f"10.199.0.{i + 2}/24", "dev", "eth0")
            run(*inside, "link", "set", "eth0", "up")
            run(*inside, "link", "set", "lo", "up")
        prefixes = [["ip", "netns", "exec", name] for name in names]
        with (
            Cluster(prefixes=prefixes, host="10.199.0.1") as cluster,
            connected(cluster.address, insecure=True) as engine,
        ):
            cuts = runs = 0

            def disturb(rng: random.Random) -> None:
                nonlocal cuts
                link = f"{rng.choice(names)}-h"
                run("ip", "link", "set", link, "down")
                time.sleep(rng.uniform(0.5, 8.0))
                run("ip", "link", "set", link, "up")
                cuts += 1

            while cuts < count:
                began = time.monotonic()
                with disturbed(disturb, 0.5, 3.0):
                    assert digest(folder, engine) == expected, "other bits"
                runs += 1
                print(f"{runs} runs, the last in {time.monotonic() - began:.0f} s, {cuts} "
                          "times a link down and up: the same bits", flush=True)  # fmt: skip
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False)
            subprocess.run(["ip", "link", "del", f"{name}-h"], check=False,
                           stderr=subprocess.DEVNULL)  # fmt: skip
        subprocess.run(["ip", "link", "del", "thresher-br"], check=False)


def certificates(folder: Path) -> dict[str, Path]:
    """An authority of our own, and one certificate that it has signed."""
    names = {name: folder / f"{name}.pem" for name in ("ca", "ca-key", "cert", "key", "request")}
    quiet = {"check": True, "stderr": subprocess.DEVNULL}
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=ours", "-keyout", names["ca-key"], "-out", names["ca"]],
                   **quiet)  # fmt: skip
    subprocess.run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=node",
                    "-keyout", names["key"], "-out", names["request"]], **quiet)  # fmt: skip
    subprocess.run(["openssl", "x509", "-req", "-days", "2", "-in", names["request"], "-CA",
                    names["ca"], "-CAkey", names["ca-key"], "-CAcreateserial", "-out",
                    names["cert"]], **quiet)  # fmt: skip
    return names


def tls(folder: Path, _: int) -> None:
    """The same bits over tls://; without a certificate, or over tcp://, an error."""
    made = certificates(folder)
    options = ("--tls-ca-file", str(made["ca"]), "--tls-cert", str(made["cert"]), "--tls-key",
               str(made["key"]), "--protocol", "tls")  # fmt: skip
    own = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(made["ca"]),
           "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": str(made["cert"]),
           "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": str(made["key"])}  # fmt: skip
    expected = digest(folder, Here())
    with Cluster(2, environment=own, options=options) as cluster:
        model = folder / "tls.model"
        resumed(cluster, folder, model)
        found = hashlib.sha256(tasks.saved(thresher.load(model))).hexdigest()
        print("over tls:", "the same bits" if found == expected else "other bits", flush=True)
        assert found == expected
        cluster.environment = dict(os.environ)
        for options in ((), ("--protocol", "tls")):
            cluster.options = options
            process = train(cluster, folder, folder / "none.model")
            _, err = process.communicate(timeout=ERROR_SECONDS + 30)
            assert process.returncode != 0 and "Traceback" not in err, err
            print(f"{cluster.address.split(':')[0]} without certificates:",
                  err.strip().splitlines()[0][:160], flush=True)  # fmt: skip


def disk(folder: Path, _: int) -> None:
    """One worker has a full disk: an error that says so, and nothing half-written."""
    small = folder / "small"
    small.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small))
    try:
        with Cluster(1, environment={"TMPDIR": str(small)}) as cluster:
            model = folder / "disk.model"
            cluster.environment = dict(os.environ)  # that of the driver
            process = train(cluster, folder, model)
            _, err = process.communicate(timeout=ERROR_SECONDS + 60)
            print("full disk:", err.strip().splitlines()[0][:200], flush=True)
            assert process.returncode != 0 and "No space left" in err, err
            assert not model.exists() or thresher.load(model)  # that of a whole pass
    finally:
        run("umount", str(small))


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def working_executors() -> list[int]:
    """Of Spark's local-cluster: processes that descend from this one and have begun a task."""
    found, left = [], [os.getpid()]
    while left:
        with contextlib.suppress(OSError):
            pid = left.pop()
            below = children(pid)
            left += below
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"CoarseGrainedExecutorBackend" in command and below:
                found.append(pid)
    return found


def spark(folder: Path, count: int) -> None:
    """Executors of a local-cluster killed while they work; needs pyspark and Java. The next one is
    killed when one that has not been seen before has begun a task: a JVM takes seconds to start,
    and if none ever got that far, no run would end."""
    expected = digest(folder, Here())
    killed: list[int] = []
    runs = 0
    began = time.monotonic()
    with connected("local-cluster[2,1,1024]") as engine:

        def disturb(rng: random.Random) -> None:
            fresh = [pid for pid in working_executors() if pid not in killed]
            if fresh and len(killed) < count:
                killed.append(rng.choice(fresh))
                os.kill(killed[-1], signal.SIGKILL)

        while len(killed) < count and time.monotonic() - began < SPARK_SECONDS:
            with disturbed(disturb, 1.0, 5.0):
                assert digest(folder, engine) == expected, "other bits"
            runs += 1
            print(f"{runs} runs, {len(killed)} executors killed, {time.monotonic() - began:.0f} s: "
                  "the same bits", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    what = {f.__name__: f for f in (kills, drivers, schedulers, links, tls, disk, spark)}
    parser.add_argument("what", choices=what)
    parser.add_argument("count", type=int, nargs="?", default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_data(folder)
        what[given.what](folder, given.count)


if __name__ == "__main__":
    main()
