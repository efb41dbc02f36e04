"""What OpenClaw can do through this adapter."""

from __future__ import annotations

from typing import Final

from claw_adapter.harness import Capabilities, Support
from claw_adapter_openclaw.options import Options, tools

__all__ = ["capabilities"]

MEMORY: Final = (".openclaw/**", "MEMORY.md", "memory/**")


def capabilities(options: Options) -> Capabilities:
    """Each entry was seen with the real program; tests/e2e/test_openclaw_*.py shows it again."""
    return Capabilities.full(
        seed_history="native" if options.histories == "native" else "files",
        cancel=Support.not_implemented("a cancelled prompt comes back in the next turn: OpenClaw is ended instead"),
        usage="per_turn",
        endpoint_override=("openai-chat",),
        deterministic_replay=Support.unsupported("it writes the date and the minute into prompts"),
        mcp=Support.not_implemented("no MCP server has been tried with it"),
        memory_files=MEMORY,
        notes=_notes(options),
    )


def _notes(options: Options) -> tuple[str, ...]:
    native = (
        "histories (native): its tool sessions_history shows the latest messages, long ones and long lists cut, "
        "tool calls and results only on demand"
    )
    window = (
        f"takes the model's window for {options.context_window:,} tokens, {options.max_tokens:,} of them for the reply; "
        "summarises the session only when it no longer fits"
    )
    files = (
        "AGENTS.md, SOUL.md, USER.md, IDENTITY.md, BOOTSTRAP.md and MEMORY.md of the workspace go into the system prompt "
        "by themselves"
    )
    loops = "a turn ends after some 20 calls of one tool with the same outcome; "
    return (
        f"mode {options.mode}",
        native if options.histories == "native" else "histories: as files",
        f"tools: {', '.join(tools(options))}",
        "skills that come with it and whose programs are there are offered" if options.skills else "no skills",
        f"{loops if options.loop_detection else ''}no limit of model requests per turn",
        window,
        files,
        "blackens in its sessions what looks like a password or a key",
        f"repeats a failed model request up to {options.retries} times",
    )
