"""What can be found wrong with a published data set. Ids are stable: a rule that goes is never given to another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from claw_adapter.finding import Finding, Rule

__all__ = ["RULES", "finding"]

_ERRORS = {
    # what cannot be run
    "PUB-001": "tests.json names its layouts and tests",
    "PUB-002": "a layout's manifest is there, and readable",
    "PUB-003": "every test has a sound entry in the manifest",
    "PUB-004": "every test has its questions.json, readable",
    "PUB-005": "a workspace folder is there",
    "PUB-006": "the main session that the manifest names is there",
    "PUB-007": "the history sessions that the manifest names are there",
    "PUB-008": "the files of an update are there",
    "PUB-009": "an update has a known type and actions",
    "PUB-010": "a round names updates that exist",
    "PUB-011": "an update is applied once",
    "PUB-012": "groups of updates have no cycle and name updates that exist",
    "PUB-013": "a target stays inside the workspace, or is a session's file name",
    "PUB-014": "a session file holds messages",
    "PUB-015": "a message id is not used again with other content",
    "PUB-016": "an explicit 'new' does not hit a session that exists",
    "PUB-017": "a round has a known type and all its fields",
    "PUB-018": "the answer of a multi_choice round names options that exist",
}
_WARNINGS = {
    # what runs, but not as it was meant; strict reading repairs it, compat reading keeps it
    "PUB-101": "an update of a session extends the history it names, and does not overwrite it",
    "PUB-102": "an update of a session goes to where the harness looks for histories",
    "PUB-103": "a file that extends a session has no header of its own",
    "PUB-104": "a file that extends a session does not repeat messages of it",
    "PUB-105": "an update is applied by some round",
    "PUB-106": "the manifest names a main session",
    "PUB-107": "the scripts of a scored check are part of the data",
    "PUB-108": "the scripts of a teaching check are part of the data",
    "PUB-109": "times are ISO 8601",
    "PUB-110": "what an agent reads has no ${placeholder} in it",
    "PUB-111": "a file beside the updates belongs to one",
    "PUB-112": "every test has a workspace of its own",
}
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **{name: Rule("error", demand) for name, demand in _ERRORS.items()},
        **{name: Rule("warning", demand) for name, demand in _WARNINGS.items()},
    }
)
"""Every rule by id."""


def finding(rule: str, message: str, where: str) -> Finding:
    """A finding with the severity of its rule."""
    return Finding(rule, RULES[rule].severity, message, where)
