"""All surfaces in one tree, and what can be told from it: help, hints, the list of programs."""

from __future__ import annotations

import difflib
from functools import cache

from claw_adapter_forge.surfaces import (
    calendar,
    files,
    mail,
    oc_channels,
    oc_config,
    oc_cron,
    oc_system,
    tasks,
    weather,
)
from claw_adapter_forge.surfaces.grammar import Group, Verb

__all__ = ["GROUPS", "find", "group_help", "hints", "nearest", "programs", "surface_of", "verbs"]

GROUPS = (
    Group(("tasks",), "The board.", ("tasks", "list")),
    Group(("calendar",), "The calendar.", ("calendar", "list")),
    Group(("gcalcli",), "The calendar, in gcalcli's words.", ("gcalcli", "agenda")),
    Group(("email",), "The mailbox.", ("email", "list")),
    Group(("weather",), "Forecasts."),
    Group(("file",), "Text files.", ("file", "list")),
    Group(("openclaw",), "Configuration, models, channels, messages, recurring checks, gateway."),
    Group(("openclaw", "config"), "Settings.", ("openclaw", "config", "dump")),
    Group(("openclaw", "models"), "The default model.", ("openclaw", "models", "list")),
    Group(("openclaw", "channels"), "Messaging channels.", ("openclaw", "channels", "list")),
    Group(("openclaw", "message"), "Messages on channels."),
    Group(("openclaw", "cron"), "Recurring checks.", ("openclaw", "cron", "list")),
    Group(("openclaw", "security"), "Tokens and sessions.", ("openclaw", "security", "audit")),
    Group(("openclaw", "gateway"), "The gateway.", ("openclaw", "gateway", "status")),
    Group(("openclaw", "agents"), "Agents.", ("openclaw", "agents", "list")),
    Group(("openclaw", "plugins"), "Plugins.", ("openclaw", "plugins", "list")),
)


@cache
def verbs() -> tuple[Verb, ...]:
    """Every verb of every surface."""
    modules = (tasks, calendar, mail, weather, files, oc_config, oc_channels, oc_cron, oc_system)
    return tuple(v for m in modules for v in m.VERBS)


@cache
def _tree() -> dict[tuple[str, ...], Verb | Group]:
    tree: dict[tuple[str, ...], Verb | Group] = {g.path: g for g in GROUPS}
    tree.update({v.path: v for v in verbs()})
    return tree


def find(words: list[str]) -> tuple[Verb | Group | None, int]:
    """The longest path that `words` begin with, and how many words it takes; None if the first word is no program."""
    tree = _tree()
    for size in (3, 2, 1):
        if len(words) >= size:
            found = tree.get(tuple(words[:size]))
            if found is not None:
                return found, size
    return None, 0


def bare_verb(group: Group) -> Verb | None:
    """The verb a group stands for when nothing follows it."""
    found = _tree().get(group.bare)
    return found if isinstance(found, Verb) else None


def nearest(path: tuple[str, ...], word: str) -> str:
    """The verb below `path` most like `word`, or an empty string."""
    names = [v.path[len(path)] for v in verbs() if v.path[: len(path)] == path and len(v.path) > len(path)]
    near = difflib.get_close_matches(word, names, n=1)
    return near[0] if near else ""


def group_help(group: Group) -> str:
    """The text of ``--help`` of a group."""
    rows = [v for v in verbs() if v.path[: len(group.path)] == group.path]
    return "\n".join([f"{' '.join(group.path)}: {group.help}", "", *(f"  {v.synopsis}" for v in rows)])


@cache
def hints() -> str:
    """Every command, one a line: what an agent is told before it starts."""
    return "\n".join(f"{v.synopsis}" for v in verbs() if v.path[0] != "gcalcli")


@cache
def programs() -> tuple[str, ...]:
    """The first words of all commands: the clients a shim needs."""
    return tuple(dict.fromkeys(v.path[0] for v in verbs()))


def surface_of(path: tuple[str, ...]) -> str:
    """The surface a command belongs to: ``tasks``, ``calendar``, … or ``openclaw cron``."""
    if path[0] == "gcalcli":
        return "calendar"
    return " ".join(path[:2]) if path[0] == "openclaw" else path[0]
