"""Which worker gets which test: the longest first, and behind a long one only short ones.

A worker always holds a test or two beyond the one it runs. In plain order a long test can so wait minutes behind another long
one, while the other workers run out of work. Only workers collect tests; what the one who hands them out is to know of a test
stands in the name of its group, behind the id that the worker tells. The marks of pytest-xdist are of no use for that: it sets
an attribute of the test that pytest reads no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

LONG: Final = 10
"""Seconds from which a test is one that no other long one should wait for."""
END_TO_END: Final = 5
"""Seconds of a test of tests/e2e, most of which start programs: the last ones to begin are then those that take no time."""
MARK: Final = "long-"
"""What the name of a group of long tests begins with."""


def seconds(item: pytest.Item) -> float:
    """How long a test takes by its mark ``slow(seconds)``, 10 where the mark says nothing; without one, by its folder."""
    usual = END_TO_END if "e2e" in item.path.parts else 0
    return max(((mark.args or (10,))[0] for mark in item.iter_markers("slow")), default=usual)


def shares(item: pytest.Function) -> bool:
    """Whether a test uses a fixture that is made once for its module."""
    return any(made[-1].scope == "module" for made in item._fixtureinfo.name2fixturedefs.values())


@dataclass(frozen=True)
class Told:
    """A test as its worker tells it."""

    nodeid: str


def told(items: list[pytest.Function]) -> Iterator[Told]:
    """Tests that share a fixture of their module are in one group, and each other long one in a group of its own."""
    slowest: dict[str, float] = {}
    for item in items:
        slowest[item.module.__name__] = max(seconds(item), slowest.get(item.module.__name__, 0))
    for number, item in enumerate(items):
        together = shares(item)
        long = MARK if (slowest[item.module.__name__] if together else seconds(item)) >= LONG else ""
        name = f"{long}{item.module.__name__ if together else number}"
        yield Told(f"{item.nodeid}@{name}" if together or long else item.nodeid)


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
