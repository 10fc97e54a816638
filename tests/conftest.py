"""What all tests share: how hard Hypothesis tries, and where the data sets are."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The tests are the processes: threads of NumPy's in each of them would only wait for one another.
for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# A run in the background ignores Ctrl-C, and so would the commands that tests start and stop by it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent

# A rule compiled on first use, or a build with sanitizers, makes single examples slow: time is no
# ground for failing a property.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("patient"), derandomize=True, max_examples=20)
settings.register_profile("dev", settings.get_profile("patient"), max_examples=60)
settings.register_profile("thorough", settings.get_profile("patient"), max_examples=2000)
# HYPOTHESIS_PROFILE=thorough make test
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that read data sets, so that `-m "not needs_data"` leaves them out. The slow
    ones come first: at the end no process waits for another one's long test."""
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker("needs_data")
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A run without a browser says so last and in red: one skip among many is not noticed."""
    skipped = terminalreporter.getreports("skipped")
    unseen = [report for report in skipped if "no browser:" in str(report.longrepr)]
    if unseen:
        terminalreporter.section("THE LAB WAS NOT TESTED", red=True, bold=True)
        terminalreporter.line(f"{len(unseen)} tests did not run: {unseen[0].longrepr[2]}", red=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data sets: $THRESHER_DATA, or shared/data next to the repository."""
    folder = Path(os.environ.get("THRESHER_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no data sets in {folder}: set THRESHER_DATA to their folder")
    return folder
