"""What the validator can find. Ids are stable: a rule that goes is never given to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

__all__ = ["RULES", "Finding", "Rule", "Severity", "finding"]

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's severity and, in one line, what it demands."""

    severity: Severity
    demand: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A breach of a rule; `where` is ``file:line``."""

    id: str
    severity: Severity
    message: str
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.severity} {self.id}: {self.message}"


def finding(rule: str, message: str, where: str) -> Finding:
    """A finding with the severity of its rule."""
    return Finding(rule, RULES[rule].severity, message, where)


def _rules(severity: Severity, demands: Mapping[str, str]) -> dict[str, Rule]:
    return {name: Rule(severity, demand) for name, demand in demands.items()}


_ERRORS = {
    # updates
    "SCN-001": "a round names updates that exist",
    "SCN-002": "a group names updates that exist",
    "SCN-003": "groups of updates have no cycle",
    "SCN-004": "an update is applied once, through whatever groups",
    "SCN-005": "an action fits the world as it stands before it",
    "SCN-006": "a session that an update brings is listed in scenario.yaml",
    # questions and answers
    "SCN-010": "option letters run from A without a gap",
    "SCN-011": "a multi_choice or revision round has two options or more",
    "SCN-012": "every round has an answer",
    "SCN-013": "an answer belongs to a round",
    "SCN-014": "an answer names options that exist, each once",
    "SCN-015": "the answer of a multi_choice or revision round is not empty",
    "SCN-016": "feedback says something on every option, and on no other",
    "SCN-017": "the only placeholder in what an agent reads is ${roster}, in the first message of the main session",
    # checks and artefacts
    "SCN-020": "an exec_check round has a check",
    "SCN-021": "a command has no placeholders but ${workspace} and ${checks}",
    "SCN-022": "a command's scripts exist in gold/checks",
    "SCN-023": "an exec_check round has artefacts of an oracle",
    "SCN-024": "an exec_check round has artefacts of a hasty reader, and they differ from the oracle's",
    "SCN-025": "artefacts stay inside the workspace and belong to a round",
    # preferences and revisions
    "SCN-030": "an answer names preferences that exist",
    "SCN-031": "what a silent exam examines was taught in an earlier round",
    "SCN-032": "a preference round examines something",
    "SCN-033": "a revision round says what it revises",
    "SCN-034": "a revision revises an earlier round",
    "SCN-035": "a revision's stale conclusion was the right answer of the earlier round and is wrong now",
    "SCN-036": "what a revision cites arrived after the earlier round",
    # fragments
    "SCN-040": "evidence names fragments that exist",
    "SCN-041": "an evidence set is not empty",
    "SCN-042": "a fragment keeps 12 characters once its blanks are collapsed",
    "SCN-043": "a fragment stands at its place at some round",
    "SCN-044": "a fragment stands at one place only",
    "SCN-045": "a fragment does not stand in what every agent is shown: questions, options, titles",
    "SCN-046": "a fragment does not contain another one of the same place",
    "SCN-047": "a fragment does not stand in a gold artefact or reply, whose writer would then have seen it",
    # evidence
    "SCN-050": "every option of a round has evidence",
    "SCN-051": "evidence belongs to a round and its options",
    "SCN-052": "with all evidence of its time visible, every statement is decided as the answer says",
    "SCN-053": "an artefact's evidence (needs) is there and visible at its round",
    # sessions and workspace
    "SCN-060": "user and assistant take turns",
    "SCN-061": "every user message is answered",
    "SCN-062": "tool results answer tool calls, and every call has its result",
    "SCN-063": "the workspace does not have a folder message_logs, where harnesses get rendered histories",
}
_WARNINGS = {
    "SCN-101": "an update is applied by some round",
    "SCN-102": "a file next to update.yaml is used by an action",
    "SCN-103": "workspace paths stay apart on a file system without case or with another normal form",
    "SCN-104": "the messages of a session are in order of time",
    "SCN-141": "a fragment is used",
    "SCN-142": "a fragment decides one statement only",
    "SCN-143": "a fragment does not begin like the line number that some tools put before a line",
    "SCN-144": "a fragment of a feedback is also said to who answered right",
    "SCN-151": "the hasty value differs from the answer, so that withholding the evidence is seen",
}
RULES: Mapping[str, Rule] = MappingProxyType({**_rules("error", _ERRORS), **_rules("warning", _WARNINGS)})
"""Every rule by id."""
