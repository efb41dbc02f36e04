"""Harnesses that are described, with a shell script as their program."""

from __future__ import annotations

from pathlib import Path

from claw_adapter import command as c
from claw_adapter.testing import FolderContext

SESSION = "{state}/session.json"


def harness(script: Path | None, text: str = "", **more) -> c.CommandHarness:
    """A harness whose program is a shell script; `more` are attributes of its class."""
    if script is not None:
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
    kind = type("Made", (c.CommandHarness,), {"name": "made", "command": ("made-agent",), "remedy": "get it", **more})
    return kind(program=str(script)) if script else kind()


async def turns(made: c.CommandHarness, folder: Path, *prompts: str, deadline: float = 20, **more) -> list:
    """What each prompt comes to, in one conversation."""
    async with await made.open(FolderContext(folder / "trial", **more)) as conversation:
        return [await conversation.send(prompt, deadline) for prompt in prompts]
