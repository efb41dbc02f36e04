"""The same few files, to which tools, commands and updates do anything in any order."""

from __future__ import annotations

import posixpath
from typing import Final

from claw_adapter.certify.plans.drawing import (
    BREAKING,
    LEAST,
    PASSING,
    PATTERNS,
    PLANS,
    UNREADABLE,
    Drawing,
    Unit,
    cuts,
)
from claw_adapter.certify.plans.lives import lived, lives
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanFault, PlanFile, PlanIncident, PlanStep, PlanTurn
from claw_adapter.certify.plans.shells import LONG_NUMBER, shell_turns
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse

__all__ = ["anything", "files_alike", "lives_of_files"]

MIXED: Final = (2, 3, 3)
"""Turns in which everything happens to the same few files, by the level."""
SHELLS: Final = (2, 4, 4)
"""Turns in which tools, commands and updates change a few files that are alike, by the level."""
RESTARTED: Final = 0.3
FAILING: Final = 0.7
"""How often a turn of `lives` begins behind a restart; how often, else, requests of it fail."""


def anything(drawing: Drawing) -> list[Unit]:
    """A few files and histories, and whatever may happen to them, in any order and side by side."""
    rng = drawing.rng
    there = [drawing.file(rng.randrange(6, 14))]
    there += [PlanFile(path=path, text=drawing.crlf()) for path in (drawing.texts.path(), drawing.texts.odd_path())]
    drawing.steps += there[1:]
    beside = drawing.file(2).path  # so that the folder is there, whatever becomes of the file that is written
    new = (drawing.texts.path(), f"{posixpath.join(posixpath.dirname(beside), drawing.texts.word())}.md")
    files: dict[str, str] = {step.path: step.text for step in there} | dict.fromkeys(new, "")
    units: list[Unit] = []
    last: list[ToolUse] = []
    for _ in range(MIXED[drawing.height]):
        steps = _happens(drawing, files)
        replies = [drawing.does(*_uses(drawing, files, last)) for _ in range(rng.randrange(1, 4))]
        if drawing.height > 1 and rng.random() < 0.4:
            at = rng.choice(((1,), (2,), (3,), (1, 2), (2, 3)))
            steps.append(PlanFault(fault=rng.choice((*PASSING, *BREAKING)), at=at))
        units.append([*steps, drawing.turn(*replies, drawing.says())])
    return units


def lives_of_files(drawing: Drawing) -> list[Unit]:
    """Files of every name and kind, and what happens to them; restarts and failing requests between, by the level."""
    files, turns = lived(drawing.texts, lives(drawing.nonce, drawing.number, drawing.level))
    drawing.steps += files
    units: list[Unit] = []
    for made in turns:
        steps: Unit = [*made.updates]
        if drawing.height > 0 and drawing.rng.random() < RESTARTED:
            steps.append(PlanIncident(happens="restart"))
        elif drawing.height > 1 and drawing.rng.random() < FAILING:
            at = drawing.rng.choice(((1,), (2,), (3,), (1, 2), (2, 3)))
            steps.append(PlanFault(fault=drawing.rng.choice((*PASSING, *BREAKING, *UNREADABLE)), at=at))
        replies = *(drawing.does(*uses) for uses in made.replies), PlayedReply(text=made.answer)
        units.append([*steps, PlanTurn(question=made.question, replies=replies)])
    return units


def files_alike(drawing: Drawing) -> list[Unit]:
    """A few files that are named and filled alike, and what tools, commands and updates do to them; restarts between."""
    before = (drawing.height + drawing.number) / sum(PLANS.values())  # of the plans of a nonce
    files, turns = shell_turns(drawing.texts, SHELLS[drawing.height], drawing.nonce, before)
    drawing.steps += files
    units: list[Unit] = []
    for made in turns:
        again = drawing.height > 0 and drawing.rng.random() < RESTARTED
        units.append(drawing.made_of(made, *([PlanIncident(happens="restart")] if again else [])))
    return units


def _happens(drawing: Drawing, files: dict[str, str]) -> list[PlanStep]:
    """What updates change, and perhaps a restart behind them."""
    rng, found = drawing.rng, list[PlanStep]()
    if rng.random() < 0.5:
        path = rng.choice(list(files))
        gone = bool(files[path]) and rng.random() < 0.3
        files[path] = "" if gone else rng.choice((drawing.crlf(), drawing.texts.lines(rng.randrange(2, 12))))
        found.append(PlanChange(path=path, action="delete" if gone else "new", text=files[path]))
    for name in (MAIN, *drawing.histories[1:]) if drawing.height > 0 else ():
        if rng.random() < 0.4:
            action, at = rng.choice((("append", 1.0), ("insert", rng.random()), ("delete", rng.uniform(0.3, 0.9))))
            new = () if action == "delete" else tuple(drawing.talks.talk(rng.randrange(1, 4)))
            change = {"session": name, "action": action, "messages": new, "at": at, "count": rng.randrange(1, 4)}
            found.append(PlanChange.model_validate(change))
    if drawing.height > 0 and rng.random() < 0.4:
        found.append(PlanIncident(happens="restart"))
    return found


def _uses(drawing: Drawing, files: dict[str, str], last: list[ToolUse]) -> list[ToolUse]:
    """Some calls of one reply, of which at most one changes a file; now and then one that was made before."""
    rng, found, changed = drawing.rng, list[ToolUse](), set[str]()
    for _ in range(rng.randrange(1, 5)):
        path = rng.choice(list(files))
        if last and rng.random() < 0.35 and files[last[-1].target]:
            found.append(last[-1])
        elif rng.random() < 0.15:
            found.append(ToolUse(kind="list", target=path.rpartition("/")[0]))
        elif files[path] and rng.random() < 0.15 and (numbers := LONG_NUMBER.findall(files[path])):
            found.append(ToolUse(kind="search", target="", content=rng.choice(numbers)))
        elif drawing.height > 0 and rng.random() < 0.15:
            found.append(drawing.reads(rng.choice(drawing.histories[1:])))
        elif path in changed or (files[path] and rng.random() < 0.5):
            last.append(ToolUse(kind=rng.choice(("read", "cat")), target=path))
            found.append(last[-1])
        else:
            found.append(_changes(drawing, path, files))
            changed.add(path)
    return found


def _changes(drawing: Drawing, path: str, files: dict[str, str]) -> ToolUse:
    """A way to change a file, or to make it."""
    rng, text = drawing.rng, files[path]
    lines = [line for line in text.split("\n") if text.count(line) == 1 and len(line) > LEAST]
    edits = ("edit", "edit", "out") if lines else ()
    kind = rng.choice(("write", "put", "add", "drop", *edits)) if text else "write"
    new = rng.choice((drawing.texts.sentence(), drawing.texts.lines(rng.randrange(2, 6)), drawing.crlf()))
    if kind == "drop":
        files[path] = ""
        return ToolUse(kind="drop", target=path)
    if kind == "out":
        old = rng.choice(cuts(rng.choice(lines).rstrip("\r")))
        files[path] = text.replace(old, "")
        return ToolUse(kind="edit", target=path, wanted=(old,))
    if kind == "edit":
        old = rng.choice(lines).rstrip("\r")
        new = f"{drawing.texts.sentence()} {drawing.between_words(rng.sample(PATTERNS, 3))}"
        files[path] = text.replace(old, new)
        return ToolUse(kind="edit", target=path, wanted=(old,), content=new)
    if kind != "write":
        new = drawing.texts.sentence()
    files[path] = new if kind == "write" else f"{text if kind == 'add' else ''}{new}\n"
    return ToolUse(kind=kind, target=path, content=new)
