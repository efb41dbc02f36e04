"""Make frameworks/nanobot/golden/session.jsonl anew with the real NanoBot: python tests/e2e/nanobot_golden.py."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from claw_adapter.harness import Message, Session
from claw_adapter_nanobot.adapter import NanoBot
from claw_adapter_nanobot.store import file_name

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import ROOT, SmallContext, session
from nanobot_endpoint import Reply, Script, TalkingEndpoint, in_turn

from support.real import absent

GOLDEN = ROOT / "frameworks" / "nanobot" / "golden" / "session.jsonl"


def seeded() -> Session:
    """An exchange that a golden session begins with."""
    return session("golden", title="A golden session", participants=("Ann",)).with_messages(
        [
            Message(id="1", role="user", text="Grüß dich", speaker="Ann", time=datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
            Message(id="2", role="assistant", text="Hello Ann.", time=datetime(2026, 3, 1, 9, 31, tzinfo=UTC)),
        ]
    )


def script() -> Script:
    """What the model says to the question that follows."""
    return in_turn(Reply(calls=(("read_file", {"path": "notes.txt"}),)), Reply("It says 42."))


async def produced(folder: Path) -> str:
    """A seeded exchange, then one turn with a tool call, as NanoBot writes it; its workspace is named ``/ws``."""
    seed = seeded()
    with TalkingEndpoint(script()) as server:
        ctx = SmallContext(folder / "trial", server.url, seed)
        (ctx.workspace / "notes.txt").write_text("the number is 42\n")
        async with await NanoBot().open(ctx) as conversation:
            await conversation.send("What do the notes say?", 60)
            checkpoint = await conversation.checkpoint()
    return checkpoint.files[file_name("golden")].decode().replace(str(ctx.workspace), "/ws")


if __name__ == "__main__":
    if reason := absent("nanobot"):
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as name:
        GOLDEN.parent.mkdir(parents=True, exist_ok=True)
        GOLDEN.write_text(asyncio.run(produced(Path(name))), "utf-8")
