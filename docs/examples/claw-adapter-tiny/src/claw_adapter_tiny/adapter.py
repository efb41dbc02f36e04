"""The adapter: everything claw-adapter needs to know about the tiny agent."""

import json
import shutil
import sys
import time
from pathlib import Path

from claw_adapter import harness as h
from claw_adapter.errors import ClawError, DeadlineExceeded, EmptyAnswer, HarnessCrash
from claw_adapter.hooks import hookimpl

FULL = h.Support.full()


class TinyConversation(h.Conversation):
    def __init__(self, ctx: h.TrialContext, main: h.Session) -> None:
        self.ctx, self.session, self.main = ctx, ctx.state_dir / "session.json", main
        seed = [{"role": m.role, "content": m.text} for m in main.messages if m.role in ("user", "assistant")]
        self.session.write_text(json.dumps(seed), "utf-8")

    async def send(self, prompt: str, deadline: float) -> h.TurnResult:
        to, started = self.ctx.endpoint, time.monotonic()
        argv = ["tiny-agent", "--session", str(self.session), "--url", to.openai, "--model", to.model]
        env, readable = {"TINY_KEY": to.key}, [Path(sys.prefix)]
        try:
            done = await self.ctx.run(argv, deadline, stdin=prompt.encode(), env=env, readable=readable)
            if done.timed_out:
                raise DeadlineExceeded(f"no answer within {deadline:g} s")
            if not done.exit.ok:
                raise HarnessCrash(f"tiny-agent: {done.exit}\n{done.stderr.text[-500:]}")
            if not done.stdout.text.strip():
                raise EmptyAnswer("tiny-agent printed nothing")
        except ClawError as error:
            return h.TurnResult(error=h.Failure.of(error))
        return h.TurnResult(text=done.stdout.text.rstrip("\n"), timing=h.Timing(total=time.monotonic() - started))

    async def checkpoint(self) -> h.Checkpoint:
        said = [m for m in json.loads(self.session.read_text("utf-8")) if m["role"] != "tool" and m.get("content")]
        messages = [h.Message(id=f"t{i}", role=m["role"], text=m["content"]) for i, m in enumerate(said)]
        files = {"session.json": self.session.read_bytes()}
        return h.Checkpoint(sessions=(self.main.with_messages(messages),), files=files)

    async def close(self) -> None:
        """Nothing lives between turns."""


class Tiny(h.Harness):
    name = "tiny"

    def capabilities(self) -> h.Capabilities:
        return h.Capabilities(turns=FULL, seed_main=FULL, seed_history="files", endpoint_override=("openai-chat",))

    def probe(self) -> h.Probe:
        found = bool(shutil.which("tiny-agent"))
        return h.Probe(ready=found, reason="tiny-agent is not on PATH", remedy="pip install claw-adapter-tiny")

    async def open(self, ctx: h.TrialContext, checkpoint: h.Checkpoint | None = None) -> h.Conversation:
        conversation = TinyConversation(ctx, checkpoint.sessions[0] if checkpoint else ctx.main)
        if checkpoint:
            conversation.session.write_bytes(checkpoint.files["session.json"])
        return conversation


@hookimpl
def claw_harness() -> type[h.Harness]:
    return Tiny
