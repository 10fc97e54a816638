"""Where the event loop takes what clients send to the writer.

What is quickly done is done on the loop itself, in groups: all that came in one turn of the loop is
written and synced at once. Crossing threads costs more than to learn a few events. The rest is done
by others, so that nobody waits for it: by a thread that syncs, where the disk takes its time; by
the writer's thread large bodies, learners that take their time, all that is no event, and whatever
comes while that thread is at work.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from queue import SimpleQueue

from thresher.errors import ThresherError
from thresher.serve.model import Outcome, ServedModel
from thresher.serve.planning import Answer, Job, Reply
from thresher.serve.writer import Group, Writer

SMALL = 1 << 16  # bytes of a body
MOST = 512  # jobs of a group
BUSY = 0.002  # seconds that a group may take to be learned,
QUICK = 0.0005  # and a sync, of late, without a thread


class Desk:
    """Of one event loop, from whose thread alone it is used."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.loop = asyncio.get_running_loop()
        self._waiting: deque[Job] = deque()
        self._called = self._closed = False
        self._group: Group | None = None  # that is being synced
        self._box: deque[tuple[Reply, Answer]] = deque()
        self._box_called = False
        self._syncs: SimpleQueue[Group | None] = SimpleQueue()
        self._synced = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._sync_groups, name="thresher-sync", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """It will be answered on the loop, or it is refused now."""
        self.writer.admit(job)
        model = self.writer.store.names.get(job.model)
        if job.do is not None or len(job.body) > SMALL or model is None or is_slow(model):
            self._give_away(job)
            return
        self._waiting.append(job)
        if not self._called and self._group is None:
            self._called = True
            self.loop.call_soon(self._go)

    def learn_line(self, model: ServedModel, line: bytes) -> Outcome | None:
        """One event, learned at once, if nobody has to wait for it, nor it for anybody."""
        writer = self.writer
        if self._waiting or writer.log.sync_policy == "always" or is_slow(model):
            return None
        if not writer.try_turn():
            return None
        try:
            outcome = writer.learn_line(model, line)
        except BaseException as error:
            self._break_down(error, [])
            raise
        writer.end_turn()
        return outcome

    def _go(self) -> None:
        """Do what waits, as far as it is quickly done."""
        self._called = False
        writer = self.writer
        while self._waiting and self._group is None:
            if self._closed or not writer.try_turn():
                while self._waiting:
                    self._give_away(self._waiting.popleft())
                return
            jobs = self._some()
            try:
                group = writer.begin(jobs)
                if group is None:
                    writer.end_turn()
                elif writer.log.sync_policy != "always":
                    self._finish(group)
                elif writer.log.sync_pace < QUICK:
                    self._conclude(group, self._sync())
                else:
                    self._group = group
                    self._syncs.put(group)
            except BaseException as error:
                self._break_down(error, jobs)
                raise

    def _some(self) -> list[Job]:
        """As many as make a group that does not keep others waiting."""
        if len(self._waiting) == 1:
            return [self._waiting.popleft()]
        models, jobs, seconds = self.writer.store.names, list[Job](), 0.0
        while self._waiting and len(jobs) < MOST and seconds < BUSY:
            jobs.append(job := self._waiting.popleft())
            if (model := models.get(job.model)) is not None:
                seconds += model.pace
        return jobs

    def _finish(self, group: Group) -> None:
        for job in reversed(self.writer.finish(group)):
            self._waiting.appendleft(job)
            self.writer.admit_again(job)
        self.writer.end_turn()

    def _break_down(self, error: BaseException, jobs: list[Job]) -> None:
        self.writer.break_down(error, [*jobs, *self._waiting])
        self._waiting.clear()
        self.writer.end_turn()

    # -- syncs

    def _sync_groups(self) -> None:
        """The other thread. It calls nothing but the sync and the loop."""
        while self._syncs.get() is not None:
            self._error = self._sync()
            self._synced.set()
            with suppress(RuntimeError):  # the loop has ended: `settle` will do the rest
                self.loop.call_soon_threadsafe(self._go_on)

    def _sync(self) -> BaseException | None:
        try:
            self.writer.log.sync()
        except BaseException as error:
            return error
        return None

    def _conclude(self, group: Group, error: BaseException | None) -> None:
        """The group is on disk, or will never be known to be."""
        if error is None:
            self._finish(group)
        elif isinstance(error, ThresherError):
            group.refuse(error)
            self._waiting.extendleft(reversed(group.later))
            self.writer.end_turn()
        else:
            raise error

    def _go_on(self) -> None:
        """The other thread has synced a group, or failed to."""
        group, self._group = self._group, None
        self._synced.clear()
        if group is None:
            return
        jobs = [planned.job for lesson in group.lessons for planned in lesson.planned]
        try:
            self._conclude(group, self._error)
        except BaseException as error:
            self._break_down(error, jobs)
            raise
        self._go()

    def settle(self) -> None:
        """The loop has ended; nobody waits for answers any more, and nothing is left half done."""
        self._closed = True
        if self._group is not None:
            self._synced.wait()
            for lesson in self._group.lessons:
                for planned in lesson.planned:
                    planned.job.reply = nobody
            with suppress(ThresherError):
                self._go_on()
        self._go()
        self._syncs.put(None)
        self._thread.join()

    # -- the writer's thread

    def _give_away(self, job: Job) -> None:
        """It is answered by the other thread, and so by way of a box that many answers share."""
        reply = job.reply
        job.reply = lambda told: self._put(reply, told)
        self.writer.put(job)

    def _put(self, reply: Reply, told: Answer) -> None:
        self._box.append((reply, told))
        if not self._box_called:
            self._box_called = True
            with suppress(RuntimeError):  # the loop has ended
                self.loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._box_called = False
        while self._box:
            reply, told = self._box.popleft()
            reply(told)


def is_slow(model: ServedModel) -> bool:
    """Whether learning an event would keep the loop: it takes its time, or must wait for another
    thread, which predicts something large."""
    return model.pace > BUSY or model.champion.lock.locked()


def nobody(told: Answer) -> None:
    """Waits for it."""
