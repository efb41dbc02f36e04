"""Which worker gets which test: the longest first, and behind a long one only short ones.

A worker always holds a test or two beyond the one it runs. In plain order a long test can so wait minutes behind another long
one, while the other workers run out of work. Only workers collect tests; what the one who hands them out is to know of a test
stands in the name of its group, which pytest-xdist appends to the test's id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pytest
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

LONG: Final = 10
"""Seconds from which a test is one that no other long one should wait for."""
MARK: Final = "long-"
"""What the name of a group of long tests begins with."""


def seconds(item: pytest.Item) -> float:
    """How long a test takes by its mark ``slow(seconds)``; 0 without, 10 where the mark says nothing."""
    return max(((mark.args or (10,))[0] for mark in item.iter_markers("slow")), default=0)


def group(items: Iterable[pytest.Function]) -> None:
    """Put tests that share a fixture of their module into one group, and each other long one into a group of its own."""
    for number, item in enumerate(items):
        shares = any(made[-1].scope == "module" for made in item._fixtureinfo.name2fixturedefs.values())
        long = MARK if seconds(item) >= LONG else ""
        if shares or long:
            item.add_marker(pytest.mark.xdist_group(f"{long}{item.module.__name__ if shares else number}"))


def plain(nodeid: str) -> str:
    """A test's id without its group."""
    return nodeid.rpartition("@")[0] if nodeid.rfind("@") > nodeid.rfind("]") else nodeid


class LongestFirst(LoadGroupScheduling):
    """As ``--dist loadgroup``, of a collection that is in the order of `seconds`."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        waiting = [scope for scope, unit in self.assigned_work.get(node, {}).items() if not all(unit.values())]
        if any(scope.startswith(MARK) for scope in waiting):
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
