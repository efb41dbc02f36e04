"""Mutation operators that change the reference's own commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from claw_adapter_forge.proof.script import Line, Mutant, Script
from claw_adapter_forge.surfaces.oc_config import KNOWN_MODELS
from claw_adapter_forge.tasks.scene import TOKEN
from claw_adapter_forge.tasks.slots import CITIES, OWNERS, SEVERITIES
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.records import ConfigValue, CronJob, Event, Record, Task
from claw_adapter_forge.world.times import add_days

__all__ = ["OPERATORS"]

_TEXTS = ("title", "body", "content", "message", "note")
_FACT = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?|[A-Z]{2}-\d{4}|\b(?:anthropic|openai|google|moonshot)/[\w.-]*\w|\bsev\d"
    r"|(?<=Owner: )\w+|(?<=Mode: )\w+|(?<=Status: )\w+|(?<=Kind: )\w+"
)


_OPPOSITE = {
    "live": "async",
    "async": "live",
    "finished": "unfinished",
    "primary": "backup",
    "backup": "primary",
}
_HEDGES = ("{right} or {wrong}", "{wrong} (not {right})", "{wrong}, formerly {right}", "{right}, now {wrong}")


def drop(script: Script) -> Iterator[Mutant]:
    """Leave one write out."""
    for i in script.writes:
        yield Mutant("drop", script.lines[i].text, script.swapped(i))


def duplicate(script: Script) -> Iterator[Mutant]:
    """Do one write twice."""
    for i in script.writes:
        text = script.lines[i].text
        yield Mutant("duplicate", text, script.swapped(i, text, text))


def _other_row(script: Script, key: str) -> str:
    """A row of another city in the table that `key` is of."""
    for table in ("tasks", "events"):
        rows = script.task.start.tables[table]
        if key in rows:
            found = (k for k, r in rows.items() if script.task.meta.decoy in getattr(r, "title", ""))
            return next(found, "")
    return ""


def wrong_entity(script: Script) -> Iterator[Mutant]:
    """Do one write to or about another city's item."""
    city, decoy = script.task.meta.city, script.task.meta.decoy
    for i in script.writes:
        line = script.lines[i]
        other = _other_row(script, line.flag("id"))
        words = tuple(w.replace(city, decoy).replace(city.lower(), decoy.lower()) for w in line.words)
        changed = Line(words, line.verb).put("id", other) if other else Line(words, line.verb)
        if changed.words != line.words:
            yield Mutant("wrong_entity", changed.text, script.swapped(i, changed.text))


def _other_values(flag: str, kind: str, value: str) -> tuple[str, ...]:
    by_kind: dict[str, Callable[[], tuple[str, ...]]] = {
        "date": lambda: (add_days(value, 1), add_days(value, -7)),
        "moment": lambda: (add_days(value, 1), f"{value[:11]}{(int(value[11:13]) + 1) % 24:02d}{value[13:]}"),
        "schedule": lambda: ("0 0 * * *", "59 23 1 1 *"),
        "addresses": lambda: ("ceo@rival.example", f"{value},ceo@rival.example"),
        "path": lambda: (f"/tmp{value}",),  # noqa: S108  # a path inside the simulated world
    }
    by_flag = {
        "priority": tuple(p for p in ("high", "medium", "low") if p != value),
        "channel": tuple(c for c in ("discord", "slack", "telegram") if c != value),
        "target": ("#lobby",),
    }
    return by_kind[kind]() if kind in by_kind else by_flag.get(flag, ())


def wrong_value(script: Script) -> Iterator[Mutant]:
    """Give one argument of a write another, well-formed value."""
    for i in script.writes:
        line = script.lines[i]
        for word in line.words:
            flag = line.verb.index.get(word[2:]) if line.verb and word.startswith("--") else None
            if flag is None:
                continue
            for value in _other_values(flag.name, flag.kind, line.flag(flag.name)):
                changed = line.put(flag.name, value)
                yield Mutant("wrong_value", changed.text, script.swapped(i, changed.text))
        if line.words[:3] == ("openclaw", "models", "set"):
            for model in [m for m in KNOWN_MODELS if m != line.words[3]][:2]:
                text = f"openclaw models set {model}"
                yield Mutant("wrong_value", text, script.swapped(i, text))


def _spoiled(fact: str) -> str:
    if re.match(r"\d{4}-", fact):
        return add_days(fact, 3)
    if "/" in fact:
        return "acme/other-1"
    if re.fullmatch(r"[A-Z]{2}-\d{4}", fact):
        return fact[:3] + fact[:2:-1].swapcase() if fact[3:] != fact[:2:-1] else fact[:3] + "0000"
    return _OPPOSITE.get(fact, "Zebulon")


def wrong_fact(script: Script) -> Iterator[Mutant]:
    """State one fact of a text wrongly (every occurrence in that text)."""
    for i in script.writes:
        line = script.lines[i]
        for name in _TEXTS:
            for fact in dict.fromkeys(_FACT.findall(line.flag(name))):
                text = line.put(name, line.flag(name).replace(fact, _spoiled(fact))).text
                yield Mutant("wrong_fact", text, script.swapped(i, text))


def _rival(script: Script, fact: str) -> str:
    """A wrong value of the same kind as `fact`, one that the world has where there is one."""
    if fact in OWNERS:
        seen = " ".join(repr(row) for t in ("tasks", "mails", "files") for row in script.task.start.rows(t))
        return next((o for o in OWNERS if o != fact and o in seen), OWNERS[OWNERS[0] == fact])
    if "/" in fact:
        return next(m for m in KNOWN_MODELS if m != fact)
    if fact in SEVERITIES:
        return SEVERITIES[(SEVERITIES.index(fact) + 1) % len(SEVERITIES)]
    return _spoiled(fact)


def hedge(script: Script) -> Iterator[Mutant]:
    """State a wrong fact beside the right one, or deny the right one."""
    for i in script.writes:
        line = script.lines[i]
        for name in _TEXTS:
            text = line.flag(name)
            for fact in dict.fromkeys(_FACT.findall(text)):
                for form in _HEDGES:
                    words = form.format(right=fact, wrong=_rival(script, fact))
                    hedged = line.put(name, text.replace(fact, words)).text
                    yield Mutant("hedge", hedged, script.swapped(i, hedged))


def _lines_of(script: Script) -> Iterator[tuple[int, str, list[str], int]]:
    """Each line with a label of each text: command, flag, the text's lines, the line's place."""
    for i in script.writes:
        for name in _TEXTS:
            lines = script.lines[i].flag(name).split("\n")
            for at, line in enumerate(lines):
                if re.fullmatch(r"[A-Z][\w ]*: .+", line):
                    yield i, name, lines, at


def _with(script: Script, operator: str, i: int, name: str, lines: list[str]) -> Mutant:
    text = script.lines[i].put(name, "\n".join(lines)).text
    return Mutant(operator, text, script.swapped(i, text))


def line_twice(script: Script) -> Iterator[Mutant]:
    """Say one line again below the rest."""
    for i, name, lines, at in _lines_of(script):
        yield _with(script, "line_twice", i, name, [*lines, lines[at]])


def only_told(script: Script) -> Iterator[Mutant]:
    """Tell one fact in a sentence, and not in its line."""
    for i, name, lines, at in _lines_of(script):
        told = lines[at].replace(": ", " is ", 1)
        yield _with(script, "only_told", i, name, [*lines[:at], f"The {told}.", *lines[at + 1 :]])


def line_too_many(script: Script) -> Iterator[Mutant]:
    """State a fact that the text was not asked for."""
    wanted = (c for goal in script.task.goals for want in goal.wants for c in want.conds if c.op == "no_lines")
    spare = [f"{label}: Amara" for label in dict.fromkeys(label for cond in wanted for label in cond.values)]
    for i in {i: None for i, _, _, _ in _lines_of(script)}:
        name = next(n for n in ("body", "content", "message", "note") if script.lines[i].flag(n))
        if name == "note":
            continue
        text = script.lines[i].flag(name)
        new = (line for line in spare if line.partition(":")[0] not in text)
        if more := next(new, ""):
            yield _with(script, "line_too_many", i, name, [text, more])


def secret_told(script: Script) -> Iterator[Mutant]:
    """Name the gateway's secret in a text."""
    for i in script.writes:
        for name in _TEXTS:
            if text := script.lines[i].flag(name):
                yield _with(script, "secret_told", i, name, [text, f"(the token is {TOKEN})"])


def vague(script: Script) -> Iterator[Mutant]:
    """Write an empty or meaningless text."""
    for i in script.writes:
        line = script.lines[i]
        for name in _TEXTS:
            if line.flag(name):
                text = line.put(name, "done").text
                yield Mutant("vague", text, script.swapped(i, text))


def leak(script: Script) -> Iterator[Mutant]:
    """Copy or invite somebody nobody asked for."""
    for i in script.writes:
        line = script.lines[i]
        extra = {"email send": "cc", "calendar add-event": "attendees"}.get(" ".join(line.words[:2]))
        if extra:
            text = line.put(extra, "ceo@rival.example").text
            yield Mutant("leak", text, script.swapped(i, text))


def overwrite(script: Script) -> Iterator[Mutant]:
    """Replace a file instead of adding to it."""
    for i in script.writes:
        line = script.lines[i]
        if line.words[:2] == ("file", "append"):
            text = Line(("file", "create", *line.words[2:]), line.verb).text
            yield Mutant("overwrite", text, script.swapped(i, text))


def skip_retire(script: Script) -> Iterator[Mutant]:
    """Leave the stale item active (its replacement, if any, is made)."""
    for i in script.writes:
        line = script.lines[i]
        if line.words[:2] in {("tasks", "complete"), ("tasks", "delete"), ("calendar", "delete-event")}:
            yield Mutant("skip_retire", line.text, script.swapped(i))
        elif line.words[:2] == ("calendar", "update-event"):
            title = line.flag("title") or f"{script.task.meta.city} sync"
            text = Line(("calendar", "add-event", "--title", title, "--start", line.flag("start")), None).text
            yield Mutant("skip_retire", text, script.swapped(i, text))


def truncate(script: Script) -> Iterator[Mutant]:
    """Stop early, after each command from the last but one write on backwards."""
    writes = script.writes
    for k in sorted({writes[-1], *writes[:-1]}):
        yield Mutant("truncate", f"after {k} commands", script.texts[:k])


_RETURN = {"tasks": ("tasks", "delete", "--id"), "events": ("calendar", "delete-event", "--id")}


def _undo(change: Change) -> str:
    """The command that takes a change back, or nothing if there is none."""
    if change.kind == "created":
        head = {**_RETURN, "cron": ("openclaw", "cron", "delete"), "files": ("file", "delete", "--path")}
        return Line((*head[change.table], change.key), None).text if change.table in head else ""
    return Line(words, None).text if (words := _restore(change.before, change.after)) else ""


def _restore(before: Record | None, after: Record | None) -> tuple[str, ...]:
    """The words of a command that makes a row what it was."""
    if isinstance(before, ConfigValue):
        return ("openclaw", "config", "set", before.id, str(before.value))
    if isinstance(before, Event):
        head = ("update-event", "--id", before.id) if after else ("add-event",)
        return ("calendar", *head, "--title", before.title, "--start", before.start)
    if isinstance(before, Task) and isinstance(after, Task) and after.status == "pending":
        words = ("--title", before.title, "--due", before.due, "--priority", before.priority, "--note", before.note)
        return ("tasks", "update", "--id", before.id, *words)
    if isinstance(before, CronJob) and after:
        return ("openclaw", "cron", "disable", before.id)
    return ()


def revert(script: Script) -> Iterator[Mutant]:
    """Take one change back at the end."""
    for i in script.writes:
        for change in script.lines[i].changes:
            text = _undo(change)
            if text:
                yield Mutant("revert", text, (*script.texts, text))


def rename_made(script: Script) -> Iterator[Mutant]:
    """Give what was just made a title of another city."""
    others = [c for c in CITIES if c != script.task.meta.city]
    for i in script.writes:
        for change in script.lines[i].changes:
            verb = {"tasks": ("tasks", "update"), "events": ("calendar", "update-event")}.get(change.table)
            if change.kind == "created" and verb:
                text = Line((*verb, "--id", change.key, "--title", f"{others[0]} visit"), None).text
                yield Mutant("rename_made", text, (*script.texts, text))


OPERATORS = {
    f.__name__: f
    for f in (
        drop,
        duplicate,
        wrong_entity,
        wrong_value,
        wrong_fact,
        hedge,
        line_twice,
        only_told,
        line_too_many,
        secret_told,
        vague,
        leak,
        overwrite,
        skip_retire,
        truncate,
        revert,
        rename_made,
    )
}
