"""Writes frameworks/claude-code/golden anew from the real Claude Code: ``python tests/e2e/claude_code_golden.py``."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from claw_adapter_claude_code.adapter import ClaudeCode
from claw_adapter_claude_code.native import session_uuid

sys.path.insert(0, str(Path(__file__).parent))
from claude_code_context import Context, Reply, TalkingEndpoint, in_turn, session

from support.real import absent

GOLDEN = Path(__file__).parents[2] / "frameworks" / "claude-code" / "golden"
LEFT_OUT = ("attachment", "api-request", "api-request-shape", "api-request-blob")
"""Lines with the program's own prompts and copies of requests: long, and its vendor's text."""


async def produced(folder: Path) -> str:
    """The session file of a seeded session, a turn with two tool calls at once, and one that the model failed."""
    calls = (("Read", {"file_path": "notes.txt"}), ("Read", {"file_path": "missing.txt"}))
    script = in_turn(Reply("I look", calls=calls), Reply("the answer"), Reply("no", status=400))
    with TalkingEndpoint(script) as server:
        ctx = Context(folder, server.url, session("main", "hello", "yes?"))
        (ctx.workspace / "notes.txt").write_text("a fact\n")
        async with await ClaudeCode(mode="turn").open(ctx) as conversation:
            turn = await conversation.send("what does it say?", 120)
            assert turn.error is None, turn.error
            assert (await conversation.send("and now?", 120)).error is not None
        file = next(ctx.state_dir.rglob(f"{session_uuid('main')}.jsonl"))
        lines = [line for line in file.read_text("utf-8").splitlines() if json.loads(line)["type"] not in LEFT_OUT]
    return "\n".join(lines).replace(str(folder), "/trial") + "\n"


if __name__ == "__main__":
    if reason := absent("claude-code"):
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as temporary:
        text = asyncio.run(produced(Path(temporary) / "t"))
    GOLDEN.mkdir(exist_ok=True)
    (GOLDEN / f"{session_uuid('main')}.jsonl").write_text(text, "utf-8")
