"""Harnesses with one planted bug each: the reference agent inside this process, spoilt in one place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from claw_adapter.harness import Checkpoint, Conversation, Event, Session, Support, TurnResult
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.reference.agent import READ_LIMIT
from claw_adapter.testing import PlantedConversation, planted


class Planted(ReferenceHarness):
    """Inside the runner's process, so that a test of it takes seconds."""

    def __init__(self) -> None:
        super().__init__(mode="in-process")

    async def open(self, ctx, checkpoint=None):
        return self.spoil(await super().open(ctx, checkpoint), ctx)

    def spoil(self, conversation: Conversation, ctx) -> Conversation:
        return conversation


def with_conversation(kind: type[PlantedConversation]) -> type[Planted]:
    """A harness whose conversations are of this kind."""
    return planted(Planted, kind)


def together(*made: type) -> type[Planted]:
    """One harness with several of these bugs, its own and those of its conversations, of which none hides another's."""
    harnesses = tuple(one for one in made if issubclass(one, Planted))
    conversations = [one for one in made if one not in harnesses]

    def spoil(self: Planted, conversation: Conversation, ctx) -> Conversation:
        agent = conversation._agent
        for one in harnesses:
            conversation = one.spoil(self, conversation, ctx)
        for kind in conversations:
            conversation = kind(conversation, ctx)
            conversation._agent = agent
        return conversation

    return type("Together", harnesses or (Planted,), {"spoil": spoil})


class LitteringHarness(Planted):
    def spoil(self, conversation, ctx):
        (ctx.workspace.parent / "cache.db").write_text("left behind")
        return conversation


def started() -> subprocess.Popen:
    """A process that carries no mark."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])


class StrayProcess(Planted):
    def spoil(self, conversation, ctx):
        class Stray(PlantedConversation):
            async def send(self, prompt, deadline):
                if not hasattr(self, "child"):
                    self.child = started()
                return await super().send(prompt, deadline)

            async def close(self):
                await super().close()
                if hasattr(self, "child"):
                    self.child.kill()
                    self.child.wait()

        return Stray(conversation, ctx)


class KeyOnCommandLine(Planted):
    async def open(self, ctx, checkpoint=None):
        await ctx.run(["/bin/true", f"--key={ctx.endpoint.key}"], 10.0)
        return await super().open(ctx, checkpoint)


class Undeclared(Planted):
    def capabilities(self):
        return super().capabilities().model_copy(update={"concurrent": Support()})


class BusyProbe(Planted):
    def probe(self):
        Path("/tmp/claw-planted-probe").write_text("probed")
        Path("/tmp/claw-planted-probe").unlink(missing_ok=True)  # two tests may be at it
        return super().probe()


class Banner(PlantedConversation):
    def spoil(self, turn):
        return turn.model_copy(update={"text": f"agent> {turn.text}"}) if turn.error is None else turn


class InventsAnswers(PlantedConversation):
    def spoil(self, turn):
        empty = turn.error is not None and turn.error.kind == "EmptyAnswer"
        return TurnResult(text="(no answer)", timing=turn.timing) if empty else turn


class DoubleEvents(PlantedConversation):
    def spoil(self, turn):
        doubled: list[Event] = [event for event in turn.events for _ in range(2)]
        return turn.model_copy(update={"events": tuple(doubled)})


class Forgetful(PlantedConversation):
    """Every turn starts afresh."""

    async def send(self, prompt, deadline):
        agent = self.inner._agent
        agent.main["messages"] = agent.main["messages"][:0]
        return await super().send(prompt, deadline)


class RaisesOnFailure(PlantedConversation):
    def spoil(self, turn):
        if turn.error is not None and turn.error.owner == "endpoint":
            raise RuntimeError("the model said no")
        return turn


class LosesHistories(Planted):
    async def open(self, ctx, checkpoint=None):
        ctx.histories = ()
        return await super().open(ctx, checkpoint)


class ShortMemory(Planted):
    """Only the latest fifty messages of the past."""

    async def open(self, ctx, checkpoint=None):
        ctx.main = ctx.main.with_messages(ctx.main.messages[-50:])
        return await super().open(ctx, checkpoint)


class ForgetsSpeakersTools(PlantedConversation):
    """Tool calls do not survive a checkpoint."""

    async def checkpoint(self):
        made = await super().checkpoint()
        main = made.sessions[0]
        kept = [m for m in main.messages if m.role != "tool" and not m.tool_calls]
        return Checkpoint(sessions=(main.with_messages(kept), *made.sessions[1:]))


class DropsUpdates(PlantedConversation):
    async def sync(self, changes):
        return None


class UpdatesTwice(PlantedConversation):
    """An appended message is written twice, under two ids."""

    async def sync(self, changes):
        doubled = []
        for change in changes:
            new = change.after.messages[-1:] if change.action == "append" else ()
            again = [m.model_copy(update={"id": f"{m.id}-again"}) for m in new]
            after: Session = change.after.with_messages([*change.after.messages, *again])
            doubled.append(change.model_copy(update={"after": after}))
        await super().sync(doubled)


class CachesFiles(PlantedConversation):
    """The agent's reading tool remembers what it has read."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        agent, seen = inner._agent, {}
        read = agent.tool_read_file
        agent.tool_read_file = lambda path, **more: (
            seen.setdefault(path, None) or seen.__setitem__(path, read(path, **more)) or seen[path]
        )


class CutsEarlier(PlantedConversation):
    """Files are cut at three quarters of the size that is declared."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        read = inner._agent.tool_read_file
        inner._agent.tool_read_file = lambda path, **more: read(path, **more)[: READ_LIMIT * 3 // 4]


class DoubleUsage(PlantedConversation):
    def spoil(self, turn):
        if turn.usage is None:
            return turn
        usage = turn.usage.model_copy(update={"input": turn.usage.input * 2, "output": turn.usage.output * 2})
        return turn.model_copy(update={"usage": usage})


class NoUsage(PlantedConversation):
    def spoil(self, turn):
        return turn.model_copy(update={"usage": None})


class Restless(PlantedConversation):
    """Sends another system message in every trial."""

    number = 0

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        Restless.number += 1
        note = {
            "id": "n",
            "role": "user",
            "text": f"visit {'x' * Restless.number}",
        }
        inner._agent.main["messages"].insert(0, note)


class KeyInWorkspaceAfterFailure(PlantedConversation):
    """What it was asked with, written down when a turn fails."""

    def spoil(self, turn):
        if turn.error is not None:
            Path(self.ctx.workspace, "crash.log").write_text(json.dumps({"Authorization": self.ctx.endpoint.key}))
        return turn
