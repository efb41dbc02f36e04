"""Rules on fragments: each is a distinctive piece of one place, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from claw_adapter.finding import Finding, finding
from claw_adapter.scenario.evidence import feedback_passages, flatten, fragments_of, spoken_to_all
from claw_adapter.scenario.rules.subject import Subject

__all__ = ["RoutedRequests", "form", "passages", "places", "use"]

MINIMUM = 12
COMPUTED = "truth.yaml"
"""In the hidden part of scenarios whose evidence a compiler derived."""
_LINE_NUMBER = re.compile(r"\s*\d+\s*[|:→\t]")

RoutedRequests = dict[str, set[str]]
"""Flattened texts by place; a place that changes over time has several."""


def use(subject: Subject) -> Iterator[Finding]:
    """Evidence names fragments that exist, and each for one statement (SCN-040, SCN-041, SCN-141, SCN-142).

    Where the key was computed from layer 0 (``gold/truth.yaml`` is there), one fragment may decide several statements: that one
    row of a file bears on many things is then no slip of a writer, and SCN-142 is not asked.
    """
    fragments, used = subject.evidence.fragments, dict[str, str]()
    for round_id, evidence in subject.evidence.rounds.items():
        for letter, option in evidence.options.items():
            base = ("rounds", round_id, "options", letter)
            for name in dict.fromkeys(chain.from_iterable((*option.supports, *option.refutes))):
                yield from _used(subject, name, f"{round_id}/{letter}", used, base)
            if not all((*option.supports, *option.refutes)):
                where = subject.places.evidence(*base)
                yield finding("SCN-041", f"round {round_id!r}, option {letter}: an empty evidence set", where)
        for name in evidence.needs:
            if name not in fragments:
                where = subject.places.evidence("rounds", round_id, "needs")
                yield finding("SCN-040", f"round {round_id!r}: there is no fragment {name!r}", where)
    named = {name for evidence in subject.evidence.rounds.values() for name in fragments_of(evidence)}
    for name in fragments.keys() - named:
        yield finding("SCN-141", f"fragment {name!r} is not used", subject.places.evidence("fragments", name))


def _used(
    subject: Subject, name: str, user: str, used: dict[str, str], path: tuple[str | int, ...]
) -> Iterator[Finding]:
    where = subject.places.evidence(*path)
    if name not in subject.evidence.fragments:
        yield finding("SCN-040", f"{user}: there is no fragment {name!r}", where)
    elif used.setdefault(name, user) != user and not (subject.gold.root / COMPUTED).is_file():
        yield finding("SCN-142", f"fragment {name!r} decides {used[name]} and {user}", where)


def form(subject: Subject) -> Iterator[Finding]:
    """What a fragment looks like (SCN-042, SCN-046, SCN-143)."""
    flat = {name: flatten(fragment.text) for name, fragment in subject.evidence.fragments.items()}
    for name, fragment in subject.evidence.fragments.items():
        where = subject.places.evidence("fragments", name)
        if len(flat[name]) < MINIMUM:
            yield finding("SCN-042", f"fragment {name!r} has {len(flat[name])} characters without extra blanks", where)
        if _LINE_NUMBER.match(fragment.text):
            yield finding("SCN-143", f"fragment {name!r} begins like a line number", where)
        for other, its in subject.evidence.fragments.items():
            if other != name and its.where == fragment.where and flat[other] in flat[name]:
                yield finding("SCN-046", f"fragment {name!r} contains fragment {other!r}", where)


def places(subject: Subject) -> Iterator[Finding]:
    """Where a fragment stands (SCN-043 to SCN-045, SCN-047, SCN-144)."""
    if subject.worlds is None:
        return
    standing, shown, written = passages(subject), _find_visible(subject), _written(subject)
    for name, fragment in subject.evidence.fragments.items():
        where, text = subject.places.evidence("fragments", name), flatten(fragment.text)
        found = _holders(standing, text)
        if fragment.where not in found:
            yield finding("SCN-043", f"fragment {name!r} does not stand in {fragment.where}", where)
        elif fragment.where.startswith("feedback/") and not spoken_to_all(
            subject.gold, fragment.where.removeprefix("feedback/"), fragment.text
        ):
            yield finding("SCN-144", f"fragment {name!r} is only said after a wrong answer", where)
        if others := [place for place in found if place != fragment.where]:
            yield finding("SCN-044", f"fragment {name!r} also stands in {', '.join(others)}", where)
        if leaks := _holders(shown, text):
            yield finding("SCN-045", f"fragment {name!r} stands in {', '.join(leaks)}", where)
        if leaks := _holders(written, text):
            yield finding("SCN-047", f"fragment {name!r} stands in {', '.join(leaks)}", where)


def _holders(passages_: RoutedRequests, text: str) -> list[str]:
    return [place for place, texts in passages_.items() if any(text in held for held in texts)]


def passages(subject: Subject) -> RoutedRequests:
    """All that can be found by looking: files and messages of every round, and feedback, by the `where` of fragments."""
    found: RoutedRequests = {}
    seen: set[tuple[str, bytes]] = set()
    for world in subject.worlds or ():
        for path, content in world.files.items():
            if (path, content) not in seen:  # most files never change; flattening one is the dear part
                seen.add((path, content))
                found.setdefault(f"workspace/{path}", set()).add(flatten(world.text(path)))
        for session in world.sessions.values():
            for message in session.messages:
                found.setdefault(f"session/{session.id}#{message.id}", set()).add(flatten(message.text))
    for round_id in subject.gold.answers.rounds:
        for _, text in feedback_passages(subject.gold, round_id):
            found.setdefault(f"feedback/{round_id}", set()).add(flatten(text))
    return found


def _find_visible(subject: Subject) -> RoutedRequests:
    """What every agent is shown without looking."""
    manifest = subject.scenario.manifest
    found: RoutedRequests = {"scenario.yaml": {flatten(manifest.title)}}
    for entry in (manifest.main, *manifest.histories):
        found["scenario.yaml"].update(flatten(text) for text in (entry.title, entry.channel, *entry.participants))
    for item in subject.scenario.rounds:
        found[f"the question of {item.id!r}"] = {flatten(item.question)}
        for letter, text in item.options.items():
            found[f"option {letter} of {item.id!r}"] = {flatten(text)}
    return found


def _written(subject: Subject) -> RoutedRequests:
    """What readers write: it stays in the conversation, so a fragment in it would be seen without its source."""
    found: RoutedRequests = {}
    for item in subject.scenario.rounds:
        for path, text in subject.gold.artefacts("oracle", item.id).items():
            found[f"gold/oracle/{item.id}/{path}"] = {flatten(text)}
        for path, text in subject.gold.artefacts("hasty", item.id).items():
            found[f"gold/hasty/{item.id}/{path}"] = {flatten(text)}
        evidence = subject.evidence_of(item.id)
        found[f"the reply of {item.id!r}"] = {flatten(evidence.answer), flatten(evidence.hasty_answer)}
    return found
