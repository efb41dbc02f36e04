"""The five fixed agent files of every workspace."""

from __future__ import annotations

from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.spec.load import Spec

__all__ = ["agent_files"]


def agent_files(spec: Spec, canon: Canon) -> dict[str, str]:
    """AGENTS.md (startup), IDENTITY.md, SOUL.md (principles), TOOLS.md, USER.md (people and channels), by path."""
    agent = spec.workspace.agent
    habits = "".join(f"- {canon.render(habit).text}\n" for habit in agent.habits)
    people = "".join(
        f"- {canon.text(key, '')}: {canon.render(actor.role).text}\n" for key, actor in spec.truth.actors.items()
    )
    channels = "".join(
        f"- {canon.render(one.title).text} ({one.channel}, {one.kind})\n"
        for one in spec.sessions.channels
        if not one.arrives
    )
    notes = "".join(f"- {canon.render(note).text}\n" for note in agent.notes)
    more = f"\n# Notes\n\n{notes}" if notes else ""
    return {
        "AGENTS.md": (
            "# Startup\n\nAt the beginning of a session read SOUL.md and USER.md. Look at the files of the workspace\n"
            "and at the other conversations before you answer anything about them. Files change: what you read\n"
            "yesterday may be out of date today.\n\n"
            "Write files only where you are asked to. Leave what others have written as it is.\n"
        ),
        "IDENTITY.md": f"# Identity\n\n{canon.render(agent.identity).text.strip()}\n",
        "SOUL.md": (
            "# Principles\n\n- Evidence first: say what a source shows before you say what it means.\n"
            "- Attribute with care: who said it, where, and could they know?\n"
            "- A record made at the time outweighs a memory of it.\n"
            "- When something new arrives, look again at what you have concluded.\n"
            f"- Say so when something cannot be known from what there is.\n{habits}"
        ),
        "TOOLS.md": (
            "# Tools\n\nFiles can be read, listed and written in this workspace, and programs can be run in it.\n"
            "Other conversations can be read with the session tools, or as files where there are none. There is no network.\n"
        ),
        "USER.md": f"# People\n\n{people}\n# Channels\n\n{channels}{more}",
    }
