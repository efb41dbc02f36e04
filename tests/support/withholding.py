"""Take evidence away from a run: texts out of a scenario's files, or a harness's memory of what was said before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from claw_adapter.harness import Conversation
from claw_adapter.reference.adapter import ReferenceHarness

__all__ = ["Forgetting", "withhold"]

REDACTED = "(this line was removed)"
FEEDBACK = "answers.yaml"


def withhold(folder: Path, texts: Iterable[str], *, feedback: bool = False) -> None:
    """Take literal texts out of what a harness can be shown of a scenario: files, sessions, updates; `feedback` if asked."""
    spoken = [(text, json.dumps(text, ensure_ascii=False)[1:-1]) for text in texts]
    for path in sorted(folder.rglob("*")):
        hidden = "gold" in path.relative_to(folder).parts and not (feedback and path.name == FEEDBACK)
        if hidden or not path.is_file():
            continue
        data = changed = path.read_text("utf-8")
        for text, quoted in spoken:
            changed = changed.replace(text, REDACTED).replace(quoted, REDACTED)
        if changed != data:
            path.write_text(changed, "utf-8")


class Forgetting(ReferenceHarness):
    """Starts a fresh conversation every round: the history and the past turns are gone, tools and sessions work."""

    async def open(self, ctx, checkpoint=None) -> Conversation:
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def fresh(prompt, deadline):
            conversation._agent.main["messages"].clear()
            return await send(prompt, deadline)

        conversation.send = fresh
        return conversation
