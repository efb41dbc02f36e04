"""What OpenClaw can do through this adapter."""

from __future__ import annotations

from typing import Final

from claw_adapter.harness import Capabilities, Support
from claw_adapter.protocol import Clip, Drop, Forget, HistoryLimit, Loss, Mask, WindowLimit
from claw_adapter_openclaw.options import Options, tools

__all__ = ["capabilities"]

MEMORY: Final = (".openclaw/**", "MEMORY.md", "memory/**")
RESERVE: Final = 20_000
"""Tokens that it keeps free of its window, at most a quarter of it; from there on it sums up."""
SHOWN: Final = {1: 16_000, 100_000: 32_000, 200_000: 64_000}
"""Characters of a result that come from it at most, with windows of so many tokens and more."""
SHARE: Final = 0.75
"""Of the rest, what is full for it: a result has a token for every two characters there."""


def capabilities(options: Options) -> Capabilities:
    """Each entry was seen with the real program; tests/e2e/test_openclaw_*.py shows it again."""
    return Capabilities.full(
        seed_history="native" if options.histories == "native" else "files",
        cancel=Support.not_implemented("a cancelled prompt comes back in the next turn: OpenClaw is ended instead"),
        usage="per_turn",
        endpoint_override=("openai-chat",),
        deterministic_replay=Support.full(),  # but for the date and the minute in prompts
        mcp=Support.not_implemented("no MCP server has been tried with it"),
        memory_files=MEMORY,
        renderings=("stamp", "system_as", "speaker_as", "merge", "trim", "empty_reply", "call_id", "insert"),
        losses=_losses(options),
        notes=_notes(options),
    )


def _losses(options: Options) -> tuple[Loss, ...]:
    reserve = min(RESERVE, options.context_window // 4)
    native = (HistoryLimit(characters=4_000, total=80_000), Drop(what="history_tools"))
    return (
        Clip(of="result", characters=_shown(options.context_window), told=tuple(SHOWN.items())),
        Drop(what="directives"),
        Drop(what="command_format"),
        Drop(what="repeated_reply"),
        Drop(what="long_numbers"),
        Drop(what="stopped_groups"),
        Forget(results=100),
        Mask(),
        *(native if options.histories == "native" else ()),
        WindowLimit(
            tokens=int((options.context_window - reserve) * SHARE), then="summary", reserve=reserve, share=SHARE
        ),
    )


def _shown(window: int) -> int:
    """Characters of one result, by the size of the window; of a small one three tenths, two characters to a token."""
    most = max((characters for tokens, characters in SHOWN.items() if tokens <= window), default=16_000)
    return min(most, window * 6 // 10)


def _notes(options: Options) -> tuple[str, ...]:
    files = (
        "AGENTS.md, SOUL.md, USER.md, IDENTITY.md, BOOTSTRAP.md and MEMORY.md of the workspace go into the system prompt "
        "by themselves"
    )
    loops = "a turn ends after some 20 calls of one tool with the same outcome; "
    return (
        f"mode {options.mode}",
        "histories: native, read with its tool sessions_history"
        if options.histories == "native"
        else "histories: as files",
        f"tools: {', '.join(tools(options))}",
        "skills that come with it and whose programs are there are offered" if options.skills else "no skills",
        f"{loops if options.loop_detection else ''}no limit of model requests per turn",
        files,
        f"repeats a failed model request up to {options.retries} times",
    )
