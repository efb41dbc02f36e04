"""What a person sees of a test run: one line that moves, failures as they come, and at the end what was not tried."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Generator
from typing import Final

import pytest

from support.scheduling import plain

STEPS: Final = 20
"""Lines that a run prints where no line can move, as in the log of CI."""
SLOWEST: Final = 5
REASON: Final = 1500
"""Characters of why a test failed that are shown at once."""
_PLACE: Final = re.compile(r"^\S+:\d+: (?:Skipped: )?")


class Progress:
    """Replaces a dot per test; everything else that pytest says stays."""

    def __init__(self, config: pytest.Config) -> None:
        self.terminal = config.pluginmanager.get_plugin("terminalreporter")
        self.moves = sys.stdout.isatty()
        self.started = time.monotonic()
        self.counts: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.total = self.shown = 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers, the number of tests is known here."""
        self.total = len(session.items) or self.total

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers, each tells what it found."""
        self.total = len(ids)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Generator[None, tuple[str, str, str]]:
        """No letters; what is counted at the end stays."""
        category, *_ = yield
        return category, "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count, and move the line when a test is over."""
        self.seconds[plain(report.nodeid)] += report.duration
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skipped[_PLACE.sub("", str(report.longrepr[2]).removeprefix("Skipped: "))] += 1
        if report.failed or report.skipped or report.when == "call":
            self.counts[report.outcome] += 1
        if report.failed:
            self._print(f"FAILED {plain(report.nodeid)}\n  {_why(report)}", lasting=True)
        if report.when == "teardown":
            self._move()

    def _move(self) -> None:
        done = sum(self.counts.values())
        step = done * STEPS // max(self.total, 1)
        if self.moves or step > self.shown:
            self.shown = step
            failed = f", {self.counts['failed']} failed" if self.counts["failed"] else ""
            self._print(f"{done} of {self.total} tests{failed}, {_clock(time.monotonic() - self.started)}")

    def _print(self, text: str, *, lasting: bool = False) -> None:
        if self.moves:
            self.terminal.rewrite(text, erase=True)
        if lasting or not self.moves:
            self.terminal.ensure_newline()
            self.terminal.write_line(text)

    def pytest_terminal_summary(self) -> None:
        """What took longest, and what was left out and why."""
        self.terminal.section("in short")
        for name, seconds in self.seconds.most_common(SLOWEST):
            self.terminal.write_line(f"{seconds:6.1f} s  {name}")
        for reason, count in self.skipped.most_common():
            self.terminal.write_line(f"not tried, {count} test{'s' if count > 1 else ''}: {reason}")


def _why(report: pytest.TestReport) -> str:
    """The message of a failure in one line: a run that is stopped before its end never comes to print the whole of it."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return " ".join(str(crash.message if crash else report.longrepr).split())[:REASON]


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"
