"""Rules on checks, artefacts, preferences and revisions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from claw_adapter.finding import Finding, finding
from claw_adapter.protocol import Answer, Check, Revision, Round
from claw_adapter.scenario.rules.subject import Subject
from claw_adapter.scenario.world import World

__all__ = ["artefacts", "commands", "preferences", "revisions"]

_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")
_SCRIPT = re.compile(r"\$\{checks\}/([^\s\"';&|<>()]+)")


def commands(subject: Subject) -> Iterator[Finding]:
    """Check commands can be run (SCN-020 to SCN-022)."""
    for index, item in enumerate(subject.scenario.rounds):
        answer = subject.gold.answers.rounds.get(item.id)
        if answer is None:
            continue
        if item.type == "exec_check" and answer.check is None and not answer.unscorable:
            yield finding("SCN-020", f"round {item.id!r} has no check", subject.places.round(index, "type"))
        if answer.check is not None:
            yield from _command(subject, item.id, answer.check)


def _command(subject: Subject, round_id: str, check: Check) -> Iterator[Finding]:
    where = subject.places.answers("rounds", round_id, "check", "command")
    for name in _PLACEHOLDER.findall(check.command):
        if name not in ("workspace", "checks", "outputs", "changed"):
            yield finding("SCN-021", f"round {round_id!r}: unknown placeholder ${{{name}}}", where)
    for script in _SCRIPT.findall(check.command):
        if not (subject.gold.checks / script).is_file():
            yield finding("SCN-022", f"round {round_id!r}: there is no gold/checks/{script}", where)
    for program in check.programs:
        for name in _PLACEHOLDER.findall(program.command):
            if name != "workspace":
                yield finding("SCN-021", f"round {round_id!r}: a program does not see ${{{name}}}", where)
        if program.inputs and not (subject.gold.checks / program.inputs).is_dir():
            yield finding("SCN-022", f"round {round_id!r}: there is no gold/checks/{program.inputs}", where)


def artefacts(subject: Subject) -> Iterator[Finding]:
    """What an oracle and a hasty reader write (SCN-023 to SCN-025); asked for where there is an evidence layer."""
    gold, places = subject.gold, subject.places
    for index, item in enumerate(subject.scenario.rounds):
        if item.type != "exec_check" or gold.evidence is None:
            continue
        oracle, hasty = gold.artefacts("oracle", item.id), gold.artefacts("hasty", item.id)
        if not oracle:
            yield finding("SCN-023", f"round {item.id!r}: gold/oracle/{item.id} is empty", places.round(index))
        if not hasty:
            yield finding("SCN-024", f"round {item.id!r}: gold/hasty/{item.id} is empty", places.round(index))
        elif oracle == hasty:
            yield finding("SCN-024", f"round {item.id!r}: both write the same", places.file(f"gold/hasty/{item.id}"))
    for kind in ("oracle", "hasty"):
        for path in sorted((gold.root / kind).glob("*")):
            if path.name not in subject.order:
                yield finding("SCN-025", f"gold/{kind}/{path.name} belongs to no round", f"{path}:1")
            elif any(inner.is_symlink() for inner in (path, *path.rglob("*"))):
                yield finding("SCN-025", f"gold/{kind}/{path.name} has links in it", f"{path}:1")


def preferences(subject: Subject) -> Iterator[Finding]:
    """Preferences exist, and are taught before they are examined (SCN-030 to SCN-032)."""
    known = subject.gold.answers.preferences
    taught: set[str] = set()
    for item in subject.scenario.rounds:
        answer = subject.gold.answers.rounds.get(item.id, Answer())
        for field in ("teach", "exam"):
            for position, name in enumerate(getattr(answer, field)):
                if name not in known:
                    where = subject.places.answers("rounds", item.id, field, position)
                    yield finding("SCN-030", f"round {item.id!r}: there is no preference {name!r}", where)
        for position, name in enumerate(answer.exam):
            if name in known and name not in taught:
                where = subject.places.answers("rounds", item.id, "exam", position)
                yield finding("SCN-031", f"round {item.id!r} examines {name!r}, taught in no earlier round", where)
        if item.type == "preference" and not answer.exam:
            where = subject.places.answers("rounds", item.id)
            yield finding("SCN-032", f"round {item.id!r} examines no preference", where)
        taught.update(answer.teach)


def revisions(subject: Subject) -> Iterator[Finding]:
    """Revision rounds fit the round they revise (SCN-033 to SCN-036)."""
    for index, item in enumerate(subject.scenario.rounds):
        answer = subject.gold.answers.rounds.get(item.id, Answer())
        if item.type == "revision" and answer.revision is None:
            where = subject.places.answers("rounds", item.id)
            yield finding("SCN-033", f"round {item.id!r} has no 'revision' in its answer", where)
        elif answer.revision is not None:
            yield from _revision(subject, index, item, answer, answer.revision)


def _revision(subject: Subject, index: int, item: Round, answer: Answer, revision: Revision) -> Iterator[Finding]:
    base = ("rounds", item.id, "revision")
    earlier = subject.order.get(revision.of)
    if earlier is None or earlier >= index:
        where = subject.places.answers(*base, "of")
        yield finding("SCN-034", f"round {item.id!r} revises {revision.of!r}, which is not an earlier round", where)
        return
    before = subject.gold.answers.rounds.get(revision.of, Answer()).answer
    where = subject.places.answers(*base, "stale")
    if set(revision.stale) != set(before):
        yield finding("SCN-035", f"round {item.id!r}: stale {revision.stale}, but {revision.of!r} had {before}", where)
    elif set(revision.stale) == set(answer.answer):
        yield finding("SCN-035", f"round {item.id!r}: the answer is still the stale one", where)
    if subject.worlds is not None:
        arrived = _arrived(subject, earlier, index)
        for position, name in enumerate(revision.cites):
            if name not in arrived and not _arrives(name, subject.worlds[earlier], subject.worlds[index]):
                where = subject.places.answers(*base, "cites", position)
                yield finding("SCN-036", f"{name!r} did not arrive between {revision.of!r} and {item.id!r}", where)


def _arrived(subject: Subject, earlier: int, now: int) -> set[str]:
    """Names under which a reply may cite what came after a round: fragment ids, paths, file names, sessions and titles."""
    scenario, worlds = subject.scenario, subject.worlds or ()
    held = worlds[now].sessions
    names: set[str] = set()
    for item in scenario.rounds[earlier + 1 : now + 1]:
        for update in scenario.expand(item.updates):
            for action in update.actions:
                target = action.workspace or action.session or ""
                names.update((target, PurePosixPath(target).name))
                if action.session is not None and action.session in held:
                    names.add(held[action.session].title)
    for name, fragment in subject.evidence.fragments.items():
        text = fragment.text
        if _arrives(text, worlds[earlier], worlds[now]):
            names.add(name)
    return names


def _arrives(text: str, before: World, after: World) -> bool:
    """Whether words stand in the later world and not in the earlier one."""
    return not _has(before, text) and _has(after, text)


def _has(world: World, text: str) -> bool:
    wanted = text.encode("utf-8")
    return any(wanted in content for content in world.files.values()) or any(
        text in message.text for session in world.sessions.values() for message in session.messages
    )
