"""Declared alternatives: other ways to the goal that must be accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from claw_adapter.values import Refused, as_json, fold, parse, renderings
from claw_adapter_forge.proof.script import Line, Mutant, Script
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.tasks.labels import description

__all__ = ["alternatives"]

_NOISE_READS = (
    "tasks list --status all",
    "openclaw channels list",
    "email list",
    "file list",
    "openclaw status",
    "tasks --help",
    "date",
)


def _each(script: Script, head: tuple[str, ...], change: Callable[[Line], str], name: str) -> Iterator[Mutant]:
    for i, line in enumerate(script.lines):
        if line.words[: len(head)] == head:
            yield Mutant(name, line.text, script.swapped(i, change(line)))


def _config_set(line: Line) -> str:
    return f"openclaw config set {MODEL_KEY} {line.words[3]}"


def _gcalcli(line: Line) -> str:
    swap = {"--start": "--when"}
    return Line(("gcalcli", "add", *(swap.get(w, w) for w in line.words[2:])), None).text


def _every_hour_list(line: Line) -> str:
    """The same firings, written in another way."""
    minute, hour, day, month, week = line.flag("cron").split()
    other = {"1-5": "mon-fri", "6": "sat"}.get(week, week)
    return line.put("cron", f"{int(minute):02d} {hour} {day} {month} {other}").text


def _spelled(line: Line) -> str:
    """Free text in other words, with the same facts."""
    body = line.flag("body")
    return line.put("body", f"Hello,\n{body}.\nAll the best").put("subject", f"News: {line.flag('subject')}").text


def _padded(line: Line) -> str:
    return line.put("content", f"# notes\n{line.flag('content')}\n").text


def _labels(script: Script) -> dict[str, str]:
    """Label in small letters → the fact that the task's lines of it state."""
    conds = (c for goal in script.task.goals for w in goal.wants for c in w.conds if c.op == "line")
    return {fold(c.values[0]): c.values[1] for c in conds}


def _noted(line: Line, turn: int, labels: Mapping[str, str]) -> str:
    """The same facts in other notations, and with a label in other letters."""
    name = next(n for n in ("body", "content", "message", "note") if line.flag(n))
    noted = []
    for place, said in enumerate(line.flag(name).split("\n")):
        label, _, value = said.partition(": ")
        fact = labels.get(fold(label))
        if fact is None:
            noted.append(said)
            continue
        kind = description(fact, value)
        read = parse(kind, value)
        known = [] if isinstance(read, Refused) else list(renderings(kind, as_json(read), "en").values())
        known = known or [value]
        shown = (label, label.upper(), f"- {label}", f"**{label}**")[(turn + place) % 4]
        noted.append(f"{shown}: {known[(turn + place) % len(known)]}")
    return line.put(name, "\n".join(noted)).text


def _talked(line: Line) -> str:
    """Sentences around the lines, which nobody reads, whatever they deny."""
    name = next(n for n in ("body", "content", "message") if line.flag(n))
    return line.put(name, f"Not sure it is, but here we go\n{line.flag(name)}\nForget the owner, it is not live").text


def _rewritten(line: Line) -> str:
    return line.put("title", f"[open] {line.flag('title')} (new)").text


def _delete_instead(line: Line) -> str:
    return Line(("tasks", "delete", *line.words[2:]), None).text


def _universal(script: Script) -> Iterator[Mutant]:
    yield from _each(script, ("openclaw", "models", "set"), _config_set, "config_set")
    yield from _each(script, ("calendar", "add-event"), _gcalcli, "gcalcli")
    yield from _each(script, ("openclaw", "cron", "add"), _every_hour_list, "same_firings")
    yield from _each(script, ("email", "send"), _spelled, "other_words")
    yield from _each(script, ("file", "create"), _padded, "other_words")
    yield from _each(script, ("file", "append"), _padded, "other_words")
    yield from _each(script, ("tasks", "add"), _rewritten, "other_words")
    for head in (("email", "send"), ("file", "create"), ("file", "append"), ("openclaw", "message", "send")):
        yield from _each(script, head, _talked, "talk_around")
        for turn in range(4):
            yield from _each(script, head, partial(_noted, turn=turn, labels=_labels(script)), "other_notation")


def _reordered(script: Script) -> Iterator[Mutant]:
    """All writes in reverse order, but a login stays ahead of what it opens; cards that are changed again keep theirs."""
    reads = [line.text for line in script.lines if not line.writes]
    writes = [line for line in script.lines if line.writes]
    logins = [w.text for w in writes if "login" in w.words]
    made = {c.key for w in writes for c in w.changes if c.kind == "created"}
    named = [w.flag("id") for w in writes if w.flag("id")]
    again = len(set(named)) < len(named) or bool(made & set(named))
    cards = [w.text for w in writes if again and w.words[0] == "tasks"]
    others = [w.text for w in writes if "login" not in w.words and w.text not in cards]
    for shift in range(1, len(others)):
        yield Mutant("reorder", f"rotated by {shift}", (*reads, *logins, *others[shift:], *others[:shift], *cards))
    yield Mutant("reorder", "reversed", (*reads, *logins, *reversed(others), *cards))


def _looks_around(script: Script) -> Iterator[Mutant]:
    texts = script.texts
    yield Mutant("extra_reads", "before", (*_NOISE_READS, *texts))
    yield Mutant("extra_reads", "after", (*texts, *_NOISE_READS))
    yield Mutant("failed_read_last", "", (*texts, "file read --path /nowhere.txt"))
    yield Mutant("unknown_command", "", ("cat /ops/notes.txt", "ls", *texts, "done"))
    mail = next(iter(script.task.start.tables["mails"]))
    yield Mutant("mark_read", "", (*texts, f"email mark --id {mail} --flag read"))


def _failed_then_retried(script: Script) -> Iterator[Mutant]:
    for i in script.writes:
        line = script.lines[i]
        yield Mutant("failed_then_retried", line.text, script.swapped(i, f"{line.text} --nonsense x", line.text))


def _made_and_removed(script: Script) -> Iterator[Mutant]:
    """A slip that is put right: something made by mistake and removed again."""
    number = int("".join(c for c in _next_task(script) if c.isdigit()))
    slip = ("tasks add --title slip", f"tasks delete --id task_{number:04d}")
    yield Mutant("slip_put_right", "", (*script.texts, *slip))


def _next_task(script: Script) -> str:
    made = sum(1 for line in script.lines for c in line.changes if c.table == "tasks" and c.kind == "created")
    return f"task_{script.task.start.counters.get('tasks', 0) + made + 1}"


def _declared(script: Script) -> Iterator[Mutant]:
    names = script.task.meta.alternatives
    if "delete_instead" in names:
        yield from _each(script, ("tasks", "complete"), _delete_instead, "delete_instead")
    if "update_in_place" in names:
        yield from _update_in_place(script)
    if "delete_and_add" in names:
        yield from _delete_and_add(script)
    if "journal_kept" in names:
        yield from _journal_kept(script)


def _update_in_place(script: Script) -> Iterator[Mutant]:
    stale = next(line.flag("id") for line in script.lines if line.words[:2] == ("tasks", "complete"))
    texts = []
    for line in script.lines:
        if line.words[:2] == ("tasks", "add"):
            due = ("--due", line.flag("due"), "--priority", line.flag("priority") or "medium")
            texts.append(Line(("tasks", "update", "--id", stale, *due), None).text)
        elif line.words[:2] != ("tasks", "complete"):
            texts.append(line.text)
    yield Mutant("update_in_place", stale, tuple(texts))


def _delete_and_add(script: Script) -> Iterator[Mutant]:
    for i, line in enumerate(script.lines):
        if line.words[:2] == ("calendar", "update-event"):
            remove = f"calendar delete-event --id {line.flag('id')}"
            add = Line(("calendar", "add-event", "--title", line.flag("title"), "--start", line.flag("start")), None)
            yield Mutant("delete_and_add", line.text, script.swapped(i, remove, add.text))


def _journal_kept(script: Script) -> Iterator[Mutant]:
    """The journal is told what was done, as whoever was interrupted did."""
    path = next(line.flag("path") for line in script.lines if line.words[:2] == ("file", "read"))
    line = Line(("file", "append", "--path", path, "--content", "done: the pending step"), None).text
    yield Mutant("journal_kept", line, (*script.texts[:-1], line, script.texts[-1]))


def alternatives(script: Script) -> Iterator[Mutant]:
    """Every declared alternative of a task."""
    for make in (_universal, _reordered, _looks_around, _failed_then_retried, _made_and_removed, _declared):
        yield from make(script)
