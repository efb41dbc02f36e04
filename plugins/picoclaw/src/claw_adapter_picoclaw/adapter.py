"""PicoClaw, a real agent harness in one executable, as ``claw/1`` sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.command import find_installed, probe_installed
from claw_adapter.frameworks import Framework
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Harness, Probe, Support, TrialContext
from claw_adapter.protocol import Clip, Drop, PromptLimit, SubAgent, WindowLimit
from claw_adapter_picoclaw.conversation import PicoClawConversation
from claw_adapter_picoclaw.options import Options, configuration
from claw_adapter_picoclaw.state import State
from claw_adapter_picoclaw.store import session_key

__all__ = ["MEMORY", "PicoClaw", "framework"]

MEMORY: Final = ("sessions/**", "memory/**", "state/**")
"""What it keeps for itself in the workspace; the first run makes these folders."""


def framework() -> Framework:
    """What is known about PicoClaw: how to find it, and the version this adapter was tested with."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


class PicoClaw(Harness):
    """The vendor's ``picoclaw`` on PATH, or the one that CLAW_PICOCLAW names; options: see `Options`."""

    name: ClassVar[str] = "picoclaw"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)

    def capabilities(self) -> Capabilities:
        """Each entry was seen with the real program; tests/e2e/test_picoclaw_*.py and test_metaclaw_runs.py show it again."""
        window, reserve = self.options.context_window, self.options.max_tokens
        return Capabilities.full(
            seed_history="files",
            usage="per_turn",
            endpoint_override=("openai-chat", "anthropic-messages"),
            mcp=Support.not_implemented("no MCP server has been tried with it"),
            sub_agent=SubAgent(tool="subagent", task="task"),
            memory_files=MEMORY,
            renderings=("system_as", "speaker_as", "empty_reply", "insert"),
            losses=(
                Clip(of="file", characters=65_536),
                Clip(of="command", characters=10_000),
                PromptLimit(bytes=100 * 1024),
                Drop(what="executable"),
                Drop(what="links"),
                Drop(what="wordless_reply"),
                WindowLimit(tokens=max(window - reserve, 1), then="oldest", reserve=reserve),
            ),
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        options = self.options
        files = (
            "AGENT.md (or AGENTS.md and IDENTITY.md if there is none), SOUL.md, USER.md, memory/MEMORY.md and its notes of the "
            "last 3 days go from the workspace into the system prompt by themselves"
        )
        shell = "its shell tool refuses commands that name a path outside the workspace"
        return (
            "one process per turn",
            "histories: as files (it has no tools for sessions)",
            "no tools for the web, for installing skills and for schedules",
            shell if options.exec else "no shell tool",
            f"at most {options.max_iterations} model requests per turn; one that uses them up has no answer",
            files,
            f"repeats a failed model request up to {options.retries} times",
            "cancelled, it is killed, and its session put back as it was before the turn",
            "its session files lie in the workspace, where the agent can read them",
        )

    def probe(self) -> Probe:
        """Looks for the program and asks its version, which takes some milliseconds and writes nothing."""
        return probe_installed(framework())

    def session_key(self, session_id: str) -> str:
        """What its option ``-s`` must say; it has no tools that would take it."""
        return session_key(session_id)

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Lay out the state directory and the session in the workspace; PicoClaw itself starts with each turn.

        Raises:
            HarnessNotFound: the program is not there.
        """
        there = find_installed(framework())
        main = checkpoint.sessions[0] if checkpoint else ctx.main
        state = State(ctx.state_dir, ctx.workspace, main.id, ctx.inside(ctx.state_dir))
        state.lay_out(configuration(ctx, self.options), [main], checkpoint)
        return PicoClawConversation(ctx, there.path, state)
