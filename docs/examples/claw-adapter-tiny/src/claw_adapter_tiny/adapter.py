"""The adapter: everything claw-adapter needs to know about the tiny agent."""

import json
import shutil
import sys
import time
from pathlib import Path

from claw_adapter.errors import ClawError, DeadlineExceeded, EmptyAnswer, HarnessCrash
from claw_adapter.harness import (
    Capabilities,
    Checkpoint,
    Conversation,
    Failure,
    Harness,
    Message,
    Probe,
    Session,
    Support,
    Timing,
    TrialContext,
    TurnResult,
)  # fmt: skip
from claw_adapter.hooks import hookimpl


class TinyConversation(Conversation):
    def __init__(self, ctx: TrialContext, main: Session) -> None:
        self.ctx, self.session, self.main = ctx, ctx.state_dir / "session.json", main
        seed = [{"role": m.role, "content": m.text} for m in main.messages if m.role in ("user", "assistant")]
        self.session.write_text(json.dumps(seed), "utf-8")

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        ctx, started = self.ctx, time.monotonic()
        argv = [
            "tiny-agent",
            "--session",
            str(self.session),
            "--url",
            ctx.endpoint.openai,
            "--model",
            ctx.endpoint.model,
        ]
        try:
            done = await ctx.run(argv, deadline, stdin=prompt.encode(), env={"TINY_KEY": ctx.endpoint.key},
                                 readable=[Path(sys.prefix)])  # fmt: skip
            if done.timed_out:
                raise DeadlineExceeded(f"no answer within {deadline:g} s")
            if not done.exit.ok:
                raise HarnessCrash(f"tiny-agent: {done.exit}", remedy=done.stderr.text[-500:])
            if not done.stdout.text.strip():
                raise EmptyAnswer("tiny-agent printed nothing")
        except ClawError as error:
            return TurnResult(error=Failure.of(error))
        return TurnResult(text=done.stdout.text.rstrip("\n"), timing=Timing(total=time.monotonic() - started))

    async def checkpoint(self) -> Checkpoint:
        stored = json.loads(self.session.read_text("utf-8"))
        said = [m for m in stored if m["role"] in ("user", "assistant") and m.get("content")]
        messages = [Message(id=f"t{i}", role=m["role"], text=m["content"]) for i, m in enumerate(said)]
        return Checkpoint(
            sessions=(self.main.with_messages(messages),), files={"session.json": self.session.read_bytes()}
        )

    async def close(self) -> None:
        """Nothing lives between turns."""


class Tiny(Harness):
    name = "tiny"

    def capabilities(self) -> Capabilities:
        full = Support.full()
        return Capabilities(turns=full, resume_after_restart=full, seed_main=full, seed_history="files", update_workspace=full,
                            endpoint_override=("openai-chat",), concurrent=full, isolation_of_state=full)  # fmt: skip

    def probe(self) -> Probe:
        found = shutil.which("tiny-agent")
        return Probe(
            ready=bool(found),
            reason="" if found else "tiny-agent is not on PATH",
            remedy="pip install claw-adapter-tiny",
        )

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        conversation = TinyConversation(ctx, checkpoint.sessions[0] if checkpoint else ctx.main)
        for name, data in (checkpoint.files if checkpoint else {}).items():
            Path(ctx.state_dir / name).write_bytes(data)
        return conversation


@hookimpl
def claw_harness() -> type[Harness]:
    return Tiny
