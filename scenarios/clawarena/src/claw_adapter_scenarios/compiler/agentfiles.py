"""The five fixed agent files of every workspace."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
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
    if spec.truth.language.startswith("zh"):
        return _chinese(canon.render(agent.identity).text.strip(), habits, people, channels, notes)
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


def _chinese(identity: str, habits: str, people: str, channels: str, notes: str) -> dict[str, str]:
    """The same five files for a scenario in Chinese."""
    more = f"\n# 备注\n\n{notes}" if notes else ""
    return {
        "AGENTS.md": (
            "# 启动\n\n每次会话开始先读 SOUL.md 和 USER.md。回答之前先看工作区里的文件和其他会话。"
            "文件会变，昨天读到的今天可能已经过时。\n\n"
            "只在被要求的地方写文件，别人写的东西保持原样。\n"
        ),
        "IDENTITY.md": f"# 身份\n\n{identity}\n",
        "SOUL.md": (
            "# 原则\n\n- 先看证据：先说来源写了什么，再说它意味着什么。\n- 注明出处：谁说的，在哪里说的，他能不能知道？\n"
            "- 当时留下的记录重于事后的回忆。\n- 有新材料来了，就把已有的结论再看一遍。\n"
            f"- 从现有材料里得不出来的，就直说得不出来。\n{habits}"
        ),
        "TOOLS.md": (
            "# 工具\n\n可以读取、列出和写入工作区的文件，也可以运行程序。"
            "其他会话用会话工具读取；没有会话工具时，它们以文件形式存在。没有网络。\n"
        ),
        "USER.md": f"# 人员\n\n{people}\n# 会话\n\n{channels}{more}",
    }
