"""The five fixed agent files of every workspace."""

from __future__ import annotations

from typing import Final

from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.language.wording import channel_name, words_of
from claw_adapter_scenarios.spec.load import Spec

__all__ = ["agent_files"]

FILES: Final = ("AGENTS.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md")


def agent_files(spec: Spec, canon: Canon) -> dict[str, str]:
    """AGENTS.md (startup), IDENTITY.md, SOUL.md (principles), TOOLS.md, USER.md (people and channels), by path."""
    agent, words = spec.workspace.agent, words_of(canon.language)
    people = [
        f"{canon.text(key, '')}{words['colon']}{canon.render(actor.role).text}"
        for key, actor in spec.truth.actors.items()
    ]
    notes = _items([canon.render(note).text for note in agent.notes])
    parts = {
        "identity": canon.render(agent.identity).text.strip(),
        "habits": _items([canon.render(habit).text for habit in agent.habits]),
        "people": _items(people),
        "channels": _items(_channels(spec, canon)),
        "notes": words["notes"].format(notes=notes) if notes else "",
    }
    return {name: words[name].format(**parts) for name in FILES}


def _channels(spec: Spec, canon: Canon) -> list[str]:
    words = words_of(canon.language)
    return [
        words["brackets"].format(
            text=canon.render(one.title).text,
            more=words["between parts"].join(channel_name(name, canon.language) for name in (one.channel, one.kind)),
        )
        for one in spec.sessions.channels
        if not one.arrives
    ]


def _items(texts: list[str]) -> str:
    return "".join(f"- {text}\n" for text in texts)
