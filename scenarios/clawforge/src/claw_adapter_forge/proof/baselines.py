"""Fixed baselines that must fail every task: they do not look, do too little, do too much, or do damage."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.proof.script import Line, Script

__all__ = ["BASELINES"]

Lines = tuple[str, ...]


def _policy(name: str) -> Callable[[Script], Lines]:
    def lines(script: Script) -> Lines:
        return tuple(e.line for e in drive(script.task, name).executions)

    return lines


def do_nothing(_script: Script) -> Lines:
    """Nothing at all."""
    return ()


def mail_only(script: Script) -> Lines:
    """Of what the hasty policy does, only the mail."""
    return tuple(t for t in _policy("hasty")(script) if t.startswith("email send"))


def both_branches(script: Script) -> Lines:
    """The reference, and all that the minimal pair calls for besides (all of it, if that is no more)."""
    own = set(script.texts)
    pair = [x.text for x in script.sibling if x.writes]
    return (*script.texts, *([t for t in pair if t not in own] or pair))


def _seeded(script: Script, first: int = 0) -> Iterator[Line]:
    """Deletions of the cards and events that the reference leaves alone, from the `first` of each on."""
    retired = {line.flag(name) for line in script.lines for name in ("id", "title")}
    for table, words in (("tasks", ("tasks", "delete")), ("events", ("calendar", "delete-event"))):
        rows = script.task.start.tables[table].items()
        left = [key for key, row in rows if not {key, getattr(row, "title", "")} & retired]
        yield from (Line((*words, "--id", key), None) for key in left[first:])


def over_cleaner(script: Script) -> Lines:
    """The reference, and every other card and event swept away."""
    return (*script.texts, *(line.text for line in _seeded(script)))


_JUNK = {
    "title": "x",
    "due": "1999-01-01",
    "start": "1999-01-01T00:00",
    "cron": "* * * * *",
    "content": "",
    "body": "lorem",
    "subject": "hi",
    "message": "x",
}


_LEAK = "email send --to ceo@rival.example --subject hi --body lorem"


def _vandalised(line: Line) -> Line:
    spoiled = line
    for name, junk in _JUNK.items() if line.words[1] != "complete" else ():
        if f"--{name}" in line.words:
            spoiled = spoiled.put(name, junk)
    return spoiled


def vandal(script: Script) -> Lines:
    """Knows what is counted: all seeded work but one of a kind deleted, junk titles, 1999 dates, empty files, a leak."""
    wrecking = [line.text for line in _seeded(script, 1)]
    spoiled = [_vandalised(script.lines[i]).text for i in script.writes]
    return (*wrecking, _LEAK, *spoiled, "tasks list")


BASELINES: dict[str, Callable[[Script], Lines]] = {
    "do-nothing": do_nothing,
    "vandal": vandal,
    "blind": _policy("hasty"),
    "mail-only": mail_only,
    "re-creator": _policy("re-creator"),
    "half-finisher": _policy("half-finisher"),
    "decoy-copier": _policy("decoy-copier"),
    "both-branches": both_branches,
    "over-cleaner": over_cleaner,
}
