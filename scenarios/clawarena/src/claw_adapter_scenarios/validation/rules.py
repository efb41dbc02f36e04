"""What the validator demands of a spec. Ids are stable: a rule that goes is never given to another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding, Severity
from claw_adapter.scenario.problems import Problem

__all__ = ["RULES", "describe", "spec_finding"]

RULES: Mapping[str, str] = MappingProxyType({
    # structural: before anything is compiled
    "SPEC-001": "the six files can be read and have the fields of their layer",
    "SPEC-002": "the spec can be compiled",
    "SPEC-003": "facts, actors, biases and phrases share no name",
    "SPEC-004": "people named anywhere are actors, and who writes in a conversation takes part in it or is the protagonist",
    "SPEC-005": "templates name facts, actors and phrases that exist",
    "SPEC-006": "marks can be read, name facts that exist, and their ids are used once",
    "SPEC-007": "expressions can be read and name facts that exist",
    "SPEC-008": "kinds of source that are named exist",
    "SPEC-009": "every update is applied by exactly one round, and rounds name updates that exist",
    "SPEC-010": "channels and updates that are named exist, ids are used once",
    "SPEC-011": "rounds that are named exist, ids are used once",
    "SPEC-012": "update rounds keep their distance, or the dense schedule is declared",
    "SPEC-013": "preferences that are named exist",
    "SPEC-014": "pools and slots that are named exist",
    "SPEC-015": "a question names every path, key, column, section, label and word in a file's name that its check asks for",
    "SPEC-016": "times are in order: histories before the clock, what updates bring to a session after what it has",
    "SPEC-017": "nobody tells a fact before they knew it",
    "SPEC-018": "a form that a question asks for, such as HH:MM, is the one that its check demands",
    # semantic: what the compiled variant says
    "SPEC-030": "there is exactly one C3",
    "SPEC-031": "C1, C2 and C4 are there",
    "SPEC-032": "the claims of a contradiction exist and speak of its fact",
    "SPEC-033": "the claims of C1, C2 and C4 differ in value",
    "SPEC-034": "the claims of C3 agree",
    "SPEC-035": "the claims of a contradiction stand in different places",
    "SPEC-036": "in the end the evidence agrees with layer 0 on every contradiction",
    "SPEC-037": "in the end two independent places support the truth of every contradiction",
    "SPEC-038": "an update that settles a contradiction changes what is known of its fact to the truth",
    "SPEC-039": "every statement can be decided from what is visible at its round",
    "SPEC-040": "no statement is decided by its wording alone",
    "SPEC-041": "a set-selection round has 5 to 10 statements, two or more true ones, and not all of them",
    "SPEC-042": "what a check asks for can be known at its round",
    "SPEC-043": "a round is tagged DU exactly if its answer depends on an update",
    "SPEC-044": "an update flips the answer to a statement asked before",
    "SPEC-045": "there are rounds of recall and rounds of reasoning",
    "SPEC-046": "a round asks about the limits of what can be known",
    "SPEC-047": "the statements of a round are different texts",
    "SPEC-048": "names of people, dates, and values in marks that other seeds change are references, not typed",
    "SPEC-049": "a claim of a wrong value is wrong",
    "SPEC-050": "other seeds keep the structure: in a spec without switches every statement keeps its truth",
    "SPEC-051": "no single place tells the truth of every contradiction",
    "SPEC-052": "a round tagged MS rests on two places or more",
    # control
    "SPEC-060": "a bias stands verbatim in a reply of the agent in its session",
    "SPEC-061": "the update that reverses a bias changes what is known",
    "SPEC-062": "an anchoring or authority phrase stands verbatim in somebody's message of its session",
    "SPEC-063": "the share of noise among the loops of the histories is as declared",
    "SPEC-064": "near-signal files say why they are there, and settle no contradiction",
    "SPEC-065": "a question does not give away what its check asks for",
    "SPEC-066": "a preference is taught in an earlier round than it is examined, and examined in silence",
    "SPEC-067": "in the round that teaches a preference the plain way breaks it",
    "SPEC-068": "the number of messages is as declared",
    # second edition
    "SPEC-080": "there are four switches or more, and something hangs on each",
    "SPEC-081": "the truth moves from seed to seed, and the answers of one seed do not answer another",
    "SPEC-082": "people talk, and documents are documents, as much as in the published scenario that has least of it",
    "SPEC-083": "what is said is written for the scenario: no message of a session is drawn from a pool",
    "SPEC-084": "the share of exchanges that carry no evidence is as declared",
    "SPEC-085": "half of the statements rest on two places or more, a quarter on three",
    "SPEC-086": "a number that is typed into a statement stands in its predicate as well",
    "SPEC-087": "a card.md says how the spec was made, what its worlds are, and how it was solved blind",
})  # fmt: skip
"""Demand by id."""


def spec_finding(rule: str, message: str, where: str, severity: Severity = "error") -> Finding:
    """A breach of a rule; `where` is ``file:line``."""
    assert rule in RULES  # noqa: S101 - a misspelt id is a slip of ours
    return Finding(rule, severity, message, where)


def describe(error: ScenarioError | Problem) -> str:
    """What is wrong, and the way out."""
    return f"{error.what} ({error.remedy})" if error.remedy else error.what
