"""The long forms of the tests of the server, by hand: python tests/serve/long.py kills 1000

kills N [K]    servers killed under load, another learner after each 20 (from the K-th kill on)
power-cuts N   states of a log after a simulated power cut
machine N      runs of the state machine
schema N       examples of each request, made by schemathesis
faults N       every N-th call of the disk fails, half succeeds, or is the last one
follower N     a follower is equal to the writer at N random seqs
drops N        connections that end anywhere within a request
idle N         connections that say nothing
body N         a body of N MB
soak N         N seconds of load of all kinds
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def kills(n: int, first: int = 0) -> str:
    from serve.killing import survive_kills
    from thresher.learners.table import TABLE

    learners = [entry.short for entry in TABLE if entry.online and not entry.boolean]
    done = events = 0
    while done < n:
        learner = learners[(first + done) // 20 % len(learners)]
        some = min(20, n - done)
        with tempfile.TemporaryDirectory() as folder:
            events += survive_kills(
                Path(folder), some, learner=learner, clients=8, seed=first + done
            )
        done += some
        print(f"{done} kills, {events:,} events acknowledged ({learner})", flush=True)
    return f"{done} kills, {events:,} events acknowledged: none missing, none twice"


def power_cuts(n: int) -> str:
    from serve.test_log import survive_power_cuts

    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        return f"{survive_power_cuts(Path(folder), n, seed=int(time.time())):,} states"


def machine(n: int) -> str:
    from hypothesis import settings

    from serve.test_machine import ServerMachine, run_state_machine_as_test

    run_state_machine_as_test(
        ServerMachine, settings=settings(max_examples=n, stateful_step_count=40, deadline=None)
    )
    return f"{n} runs"


def schema(n: int) -> str:
    from serve.test_schema import probe

    phases, said = "examples,coverage,fuzzing,stateful", ""
    for pinned in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            said += probe(Path(folder), n, pinned=pinned, phases=phases).split("SUMMARY")[-1]
    return said


def faults(every: int) -> str:
    from serve.test_faulty_disk import fail_each_call

    with tempfile.TemporaryDirectory() as folder:
        return fail_each_call(Path(folder), every)


def follower(n: int) -> str:
    from serve.test_follower import follow_everywhere

    with tempfile.TemporaryDirectory() as folder:
        return f"equal at {follow_everywhere(Path(folder), n):,} seqs"


def with_clients(name: str) -> Callable[[int], str]:
    def go(n: int) -> str:
        from serve import rough_clients

        with tempfile.TemporaryDirectory() as folder:
            return str(getattr(rough_clients, name)(Path(folder), n))

    return go


if __name__ == "__main__":
    long_forms = {
        "kills": kills, "power-cuts": power_cuts, "machine": machine, "schema": schema,
        "faults": faults, "follower": follower, "drops": with_clients("drop"),
        "idle": with_clients("stay_idle"), "body": with_clients("send_much"),
        "soak": with_clients("soak"),
    }  # fmt: skip
    print(long_forms[sys.argv[1]](*map(int, sys.argv[2:])))
