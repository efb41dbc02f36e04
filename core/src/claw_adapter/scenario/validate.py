"""Whether a loaded scenario makes sense: everything that can be found without running a check or an agent."""

from __future__ import annotations

from claw_adapter.finding import Finding
from claw_adapter.protocol import Gold, Scenario
from claw_adapter.scenario.places import Places
from claw_adapter.scenario.problems import Problems
from claw_adapter.scenario.rules import checks, evidence, fragments, rounds, sessions, updates
from claw_adapter.scenario.rules.subject import Rules, Subject

__all__ = ["findings", "require_valid"]

_RULES: tuple[Rules, ...] = (
    updates.references,
    updates.sources,
    rounds.options,
    rounds.answers,
    rounds.placeholders,
    checks.commands,
    checks.artefacts,
    checks.preferences,
    checks.revisions,
    fragments.use,
    fragments.form,
    fragments.places,
    evidence.entries,
    evidence.decisions,
    evidence.needs,
    sessions.turns,
    sessions.workspace,
)


def findings(scenario: Scenario, gold: Gold) -> list[Finding]:
    """Everything the rules find, errors first, each sorted by rule and place.

    That the oracle's artefacts pass the checks and the hasty ones fail is proved by running them, not here.
    """
    places = Places(scenario)
    found, worlds = updates.build_worlds(scenario, places)
    subject = Subject(scenario, gold, places, worlds)
    for rule in _RULES:
        found.extend(rule(subject))
    return sorted(found, key=lambda item: (item.severity, item.id, item.where, item.message))


def require_valid(scenario: Scenario, gold: Gold) -> None:
    """Refuse a scenario with errors; warnings pass.

    Raises:
        ScenarioError: with the errors found, up to 20 of them in the message.
    """
    problems = Problems()
    for item in findings(scenario, gold):
        if item.severity == "error":
            problems.add(f"{item.id} {item.message}", where=item.where)
    problems.raise_any()
