"""The processes that answer for the pages of a server: few, kept warm, ended if not needed."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from thresher.lab.serving.worker import BUDGET, Worker

MOST_WORKERS = 4
MOST_IDLE = 2  # the others end when they are idle
SLOW = 0.25  # seconds after which a question must not keep others waiting
GRACE = 0.5  # seconds that a question may still take when its answer is no longer awaited


class Workers:
    """Answers questions in order of arrival, slow ones in parallel with the others."""

    def __init__(self, logs: str | None, budget: float = BUDGET) -> None:
        self.logs, self.budget = logs, budget
        self.all: set[Worker] = set()
        self.idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self.starting = self.closed = False
        # Each waits in its own thread for its process: to get ready, to answer.
        self.threads = ThreadPoolExecutor(MOST_WORKERS, "lab")

    def more(self) -> None:
        """Start another in the background, unless one is free or will be, or there are enough."""
        full = len(self.all) == MOST_WORKERS
        if self.closed or self.starting or full or not self.idle.empty():
            return
        worker = Worker()
        self.all.add(worker)
        self.starting = True
        work = asyncio.get_running_loop().run_in_executor(self.threads, worker.ready)
        work.add_done_callback(lambda _: self._started(worker))

    def _started(self, worker: Worker) -> None:
        self.starting = False
        self.idle.put_nowait(worker)

    async def _free(self) -> Worker:
        """An idle one. If none can be started, one that will say so."""
        for _ in range(MOST_WORKERS):
            worker = await self.idle.get()
            if worker.is_alive():
                return worker
            self._drop(worker)
        return await self.idle.get()

    async def answer(self, text: str) -> str:
        """The answer to a message. If cancelled, its work is stopped unless it is nearly done."""
        loop = asyncio.get_running_loop()
        worker = await self._free()
        slow = loop.call_later(SLOW, self.more)
        work = loop.run_in_executor(self.threads, worker.answer, text, self.logs, self.budget)
        work.add_done_callback(lambda _: self._done(worker, slow))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            loop.call_later(GRACE, _give_up, work, worker)
            raise

    def _done(self, worker: Worker, slow: asyncio.TimerHandle) -> None:
        slow.cancel()
        if worker.usable and self.idle.qsize() < MOST_IDLE:
            self.idle.put_nowait(worker)
        else:
            self._drop(worker)

    def _drop(self, worker: Worker) -> None:
        self.all.discard(worker)
        if not self.closed:
            self.threads.submit(worker.end)
            self.more()

    def close(self) -> None:
        """End them all, whatever they do."""
        self.closed = True
        for worker in self.all:
            worker.kill()
        self.threads.shutdown()
        for worker in self.all:
            worker.end()


def _give_up(work: asyncio.Future[str], worker: Worker) -> None:
    if not work.done():
        worker.kill()
