"""Rules on evidence: what is visible at a round decides it as the answer says."""

from __future__ import annotations

from collections.abc import Iterator

from claw_adapter.finding import Finding, finding
from claw_adapter.protocol import Answer, Round
from claw_adapter.scenario.evidence import decide, visible_at
from claw_adapter.scenario.rules.subject import WITH_ARTEFACTS, Subject

__all__ = ["decisions", "entries", "needs"]


def entries(subject: Subject) -> Iterator[Finding]:
    """There is evidence for every option, and for nothing else (SCN-050, SCN-051, SCN-151)."""
    if subject.gold.evidence is None:
        return
    for item in subject.scenario.rounds:
        yield from _options(subject, item)
    for name in subject.evidence.rounds.keys() - subject.order.keys():
        yield finding("SCN-051", f"there is no round {name!r}", subject.places.evidence("rounds", name))


def _options(subject: Subject, item: Round) -> Iterator[Finding]:
    known = subject.evidence_of(item.id).options
    gold = subject.gold.answers.rounds.get(item.id, Answer()).answer
    for letter in item.options:
        where = subject.places.evidence("rounds", item.id, "options", letter)
        if letter not in known or not (known[letter].supports or known[letter].refutes):
            yield finding("SCN-050", f"round {item.id!r}, option {letter}: no evidence", where)
        elif known[letter].hasty == (letter in gold):
            message = f"round {item.id!r}, option {letter}: the hasty value is the right one"
            yield finding("SCN-151", message, where)
    for letter in known.keys() - item.options.keys():
        where = subject.places.evidence("rounds", item.id, "options", letter)
        yield finding("SCN-051", f"round {item.id!r} has no option {letter}", where)


def decisions(subject: Subject) -> Iterator[Finding]:
    """With all visible evidence, the reader's rule gives the answer (SCN-052)."""
    if subject.gold.evidence is None or subject.worlds is None:
        return
    for index, item in enumerate(subject.scenario.rounds):
        evidence = subject.evidence_of(item.id)
        visible = visible_at(subject.scenario, subject.gold, index, states=subject.worlds)
        gold = subject.gold.answers.rounds.get(item.id, Answer()).answer
        for letter, value in decide(evidence, visible).items():
            if letter in item.options and value != (letter in gold):
                where = subject.places.evidence("rounds", item.id, "options", letter)
                message = f"round {item.id!r}, option {letter}: the evidence says {value}, the answer {not value}"
                yield finding("SCN-052", message, where)


def needs(subject: Subject) -> Iterator[Finding]:
    """What an artefact needs is named, and visible when it is asked for (SCN-053)."""
    if subject.gold.evidence is None or subject.worlds is None:
        return
    for index, item in enumerate(subject.scenario.rounds):
        needed = subject.evidence_of(item.id).needs
        where = subject.places.evidence("rounds", item.id, "needs")
        if item.type in WITH_ARTEFACTS and not needed:
            yield finding("SCN-053", f"round {item.id!r} has no 'needs'", where)
        visible = visible_at(subject.scenario, subject.gold, index, states=subject.worlds)
        for name in needed:
            if name in subject.evidence.fragments and name not in visible:
                yield finding("SCN-053", f"round {item.id!r} needs {name!r}, which is not there yet", where)
