"""What kind of question a round is, read from the scenario and its hidden part, for the journal."""

from __future__ import annotations

from claw_adapter.protocol import Evidence, Gold, Manifest, Round, RoundTraits, Scenario

__all__ = ["round_traits"]


def round_traits(item: Round, scenario: Scenario, gold: Gold) -> RoundTraits:
    """Tags, its own and the scenario's, stage, the design of the round's updates, and which statements are compound.

    A statement is compound when even its shortest decisive set of fragments, for or against it, has two or more: it joins
    clauses that no single line states (ClawArena v2 §4.5).
    """
    return RoundTraits(
        tags=item.tags,
        scenario=_inherited(item, scenario.manifest),
        stage=item.stage,
        updates={update.id: update.tags for update in scenario.expand(item.updates)},
        compound=None if gold.evidence is None else _compound(item.id, gold.evidence),
    )


def _inherited(item: Round, manifest: Manifest) -> dict[str, tuple[str, ...]]:
    language = item.language or manifest.language
    given = {"domain": (manifest.domain,) if manifest.domain else (), "language": (language,)} | manifest.tags
    return {name: values for name, values in given.items() if values}


def _compound(round_id: str, evidence: Evidence) -> tuple[str, ...]:
    entry = evidence.rounds.get(round_id)
    options = entry.options if entry else {}
    shortest = {
        letter: min((len(parts) for parts in (*option.supports, *option.refutes)), default=0)
        for letter, option in options.items()
    }
    return tuple(letter for letter, parts in shortest.items() if parts > 1)
