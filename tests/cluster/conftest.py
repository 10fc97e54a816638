"""A scheduler with two workers, to which the tests of commands connect."""

import pytest
from distributed import LocalCluster


@pytest.fixture(scope="session")
def scheduler():
    given = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "threads_per_worker": 1}
    with LocalCluster(n_workers=2, silence_logs=50, **given) as cluster:
        yield cluster.scheduler_address
