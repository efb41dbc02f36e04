"""The numbers of tables 9 to 11 from a published data set; `claw_adapter.datasets.neutral` has them for ``scenario/1``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claw_adapter.data_format.tables import Facts
from claw_adapter.errors import ScenarioError
from claw_adapter_clawarena.records import Place
from claw_adapter_clawarena.suite import Suite

__all__ = ["published_facts"]


def published_facts(suite: Suite, places: Sequence[Place], files: Mapping[str, int]) -> list[Facts]:
    """One entry per scenario, in the order of ``tests.json``.

    Args:
        suite: the data set.
        places: its places in one layout.
        files: number of workspace files by scenario.

    Raises:
        ScenarioError: questions cannot be read.
    """
    tests = {test.id: test for test in suite.tests}
    found = []
    for place in places:
        test = tests[place.id]
        try:
            found.append(_facts(place, suite.rounds(test), files.get(place.id, 0)))
        except (AttributeError, TypeError, ValueError) as error:
            where = suite.questions(test).where("rounds")
            raise ScenarioError(f"a round cannot be read: {error}", where=where, remedy="Call claw check.") from None
    return found


def _facts(place: Place, rounds: list[dict[str, Any]], workspace_files: int) -> Facts:
    choices = [item.get("eval", {}) for item in rounds if item.get("type") == "multi_choice"]
    checks = [item.get("eval", {}) for item in rounds if item.get("type") == "exec_check"]
    files = [(update, file) for update in place.updates.values() for file in update.files]
    named = {name for item in rounds for reference in item.get("update_ids", ()) for name in place.resolve(reference)}
    applied = {update.id for name in named for update in place.expand(name)}
    return Facts(
        scenario=place.id,
        rounds=len(rounds),
        options=tuple(len(key.get("options", ())) for key in choices),
        correct=tuple(len(key.get("answer", ())) for key in choices),
        timeouts=tuple(float(key.get("timeout", 0)) for key in checks),
        exits=sum("expect_exit" in key for key in checks),
        stdouts=sum("expect_stdout" in key for key in checks),
        preference_rounds=sum(isinstance(item.get("pref"), dict) for item in rounds),
        update_rounds=sum(bool(item.get("update_ids")) for item in rounds),
        update_kinds=tuple(update.kind for update in place.updates.values()),
        actions=tuple(file.action for _, file in files if file.action),
        files=workspace_files,
        update_files=len(files),
        applied_files=sum(update.id in applied for update, _ in files),
    )
