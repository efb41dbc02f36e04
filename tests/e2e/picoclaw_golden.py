"""Make frameworks/picoclaw/golden/ anew with the real PicoClaw on PATH: python tests/e2e/picoclaw_golden.py."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from claw_adapter_picoclaw.adapter import PicoClaw
from claw_adapter_picoclaw.store import names

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_golden import script, seeded
from picoclaw_context import REAL, ROOT, SmallContext, TalkingEndpoint

GOLDEN = ROOT / "frameworks" / "picoclaw" / "golden"


async def produced(folder: Path) -> dict[str, str]:
    """A seeded exchange, then one turn with a tool call, as PicoClaw writes it: contents by file name."""
    seed = seeded()
    with TalkingEndpoint(script()) as server:
        ctx = SmallContext(folder / "trial", server.url, seed)
        (ctx.workspace / "notes.txt").write_text("the number is 42\n")
        async with await PicoClaw().open(ctx) as conversation:
            await conversation.send("What do the notes say?", 60)
    return {name: (ctx.workspace / "sessions" / name).read_text("utf-8") for name in names("golden")}


if __name__ == "__main__":
    if REAL is None:
        sys.exit("the real picoclaw is not on PATH")
    with tempfile.TemporaryDirectory() as name:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        for file, content in asyncio.run(produced(Path(name))).items():
            (GOLDEN / file).write_text(content, "utf-8")
