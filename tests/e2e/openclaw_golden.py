"""Writes frameworks/openclaw/golden anew from the real OpenClaw: ``python tests/e2e/openclaw_golden.py``."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from claw_adapter_openclaw.adapter import OpenClaw

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn
from openclaw_context import Context, session

from support.real import absent

GOLDEN = Path(__file__).parents[2] / "frameworks" / "openclaw" / "golden" / "session.jsonl"


async def produced(folder: Path) -> str:
    """The transcript of a seeded session and a turn with a tool call, as OpenClaw holds it."""
    script = in_turn(Reply("I look", calls=(("read", {"path": "notes.txt"}),)), Reply("the answer"))
    with TalkingEndpoint(script) as server:
        ctx = Context(folder, server.url, session("main", "hello", "yes?"))
        (ctx.workspace / "notes.txt").write_text("a fact\n")
        async with await OpenClaw().open(ctx) as conversation:
            turn = await conversation.send("what does it say?", 120)
            assert turn.error is None, turn.error
            found = await conversation._gateway.bridge("read", "agent:main:main")
    lines = [json.dumps(event, ensure_ascii=False) for event in found["events"]]
    return "\n".join(lines).replace(str(folder), "/trial") + "\n"


if __name__ == "__main__":
    if reason := absent("openclaw"):
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as temporary:
        text = asyncio.run(produced(Path(temporary) / "t"))
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(text, "utf-8")
