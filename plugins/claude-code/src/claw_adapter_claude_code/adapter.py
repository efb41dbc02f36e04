"""Claude Code, a real agent harness, as ``claw/1`` sees it."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from claw_adapter.errors import HarnessNotFound
from claw_adapter.harness import (
    Capabilities,
    Checkpoint,
    Conversation,
    Harness,
    Probe,
    Support,
    TrialContext,
)
from claw_adapter.protocol import Clip, Drop, WindowLimit
from claw_adapter_claude_code.configuration import servers, settings
from claw_adapter_claude_code.conversation import ClaudeConversation
from claw_adapter_claude_code.native import session_uuid
from claw_adapter_claude_code.options import Options, in_environment, tools
from claw_adapter_claude_code.program import installed
from claw_adapter_claude_code.state import State

__all__ = ["MEMORY_FILES", "ClaudeCode"]

MEMORY_FILES: Final = (".claude/**", "CLAUDE.local.md")
"""What it may keep for itself in the workspace. Notes that it makes by itself lie in the state directory: empty at a trial's
beginning, kept in checkpoints."""
LOSSES: Final = (
    Clip(of="file", characters=72_000),
    Clip(of="command", characters=30_000, left=2_000),
    Drop(what="long_numbers"),
    Drop(what="escapes"),
    Drop(what="line_blanks"),
    Drop(what="line_end"),
    Drop(what="cd_here"),
    WindowLimit(tokens=1_000_000, then="error", reserve=23_000, told="summary"),
)
"""The window is that of a model it does not know; of one that it is told it keeps room for a reply and for summing up."""
AGAIN: Final = Support.not_implemented("over ACP the conversation has to be opened again after a cancelled turn")


class ClaudeCode(Harness):
    """The pinned Claude Code of ``claw frameworks install claude-code``; options: see `Options`."""

    name: ClassVar[str] = "claude-code"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)
        self._given = options

    def capabilities(self) -> Capabilities:
        """Each entry was seen with the real program; tests/e2e/test_claude_code_*.py shows it again."""
        return Capabilities.full(
            seed_history="files",
            cancel=Support.full() if self.options.mode != "acp" else AGAIN,
            usage="per_turn",
            endpoint_override=("anthropic-messages",),
            memory_files=MEMORY_FILES,
            renderings=("system_as", "speaker_as", "merge", "empty_reply", "insert"),
            losses=LOSSES,
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        options = self.options
        most = f"at most {options.max_requests} model requests per turn; one that uses them up has no answer"
        files = (
            "CLAUDE.md and CLAUDE.local.md of the workspace, or AGENTS.md if there is neither, go by themselves into the "
            "first message of requests"
        )
        return (
            f"mode {options.mode}, permissions {options.permission_mode}",
            "histories: as files (it has no tools for sessions)",
            f"tools: {', '.join(tools(options))}; none for the web, timers, sub-agents and skills",
            most if options.max_requests else "no limit of model requests per turn",
            "each command runs in the workspace, wherever the one before it has gone",
            files,
            "keeps notes of its own in the state directory" if options.memory else "keeps no notes of its own",
            f"repeats a failed model request up to {options.retries} times",
        )

    def probe(self) -> Probe:
        """Looks for the environment's marker and the program; starts nothing."""
        try:
            there = installed()
        except HarnessNotFound as error:
            return Probe(ready=False, reason=error.what, remedy=error.remedy.removeprefix("Run: "))
        return Probe(ready=True, versions={"claude-code": there.version})

    def session_key(self, session_id: str) -> str:
        """The UUID under which it keeps a session; it has no tools that would take it."""
        return session_uuid(session_id)

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Lay out the state directory with the session's file, and start Claude Code over it.

        Raises:
            HarnessNotFound: it is not installed.
        """
        installed()
        options = Options.parse(in_environment(self._given, ctx))
        state = State(ctx.state_dir, ctx.inside(ctx.workspace), checkpoint.sessions[0] if checkpoint else ctx.main)
        state.lay_out(settings(ctx, options), ctx.endpoint.key, checkpoint, servers(ctx) if ctx.mcp else None)
        conversation = ClaudeConversation(ctx, options, state)
        if options.mode != "turn":
            await conversation.start(ctx.deadline)
        return conversation
