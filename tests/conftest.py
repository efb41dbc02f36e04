"""Settings for all tests."""

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer

from support import real
from support.progress import Progress
from support.scheduling import LongestFirst, seconds, shares, told

HOME = Path(__file__).parents[1] / ".claw"

# No test asserts a wall-clock time: what is slow on a busy machine is not wrong. CI tries the same examples every time,
# so that it fails for what was changed; everywhere else new ones are tried.
settings.register_profile("claw", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("claw")

# A shell without job control starts what is in the background with interrupts ignored, and every child would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The harnesses that `make` installed beside this checkout, for every test alike.
if not os.environ.get("CLAW_HOME") and (HOME / "frameworks").is_dir():
    os.environ["CLAW_HOME"] = str(HOME)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """One line of progress, where there is a terminal reporter (workers have none)."""
    if config.pluginmanager.has_plugin("terminalreporter"):
        config.pluginmanager.register(Progress(config), "claw-progress")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """The longest begin first, then what stays together, so that no worker is left alone with it."""
    items.sort(key=lambda item: (-seconds(item), not shares(item)))


@pytest.hookimpl(wrapper=True)
def pytest_collection_finish(session: pytest.Session) -> Generator[None]:
    """What shares a module's fixture shares a worker: a worker tells its tests with their groups."""
    items = session.items
    if hasattr(session.config, "workerinput"):
        session.items = list(told(items))
    try:
        return (yield)
    finally:
        session.items = items


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LongestFirst:
    """With workers, ours decides what they get."""
    return LongestFirst(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Real programs are there, or the test is left out with the reason."""
    real.require(item)
