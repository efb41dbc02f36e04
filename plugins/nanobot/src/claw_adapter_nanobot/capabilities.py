"""What NanoBot can do through this adapter."""

from __future__ import annotations

from typing import Final

from claw_adapter.harness import Capabilities, Support
from claw_adapter.protocol import Clip, Drop, HistoryLimit, Loss, WindowLimit
from claw_adapter_nanobot.options import Options

__all__ = ["capabilities"]

MARGIN: Final = 1_024
"""Tokens that NanoBot keeps free beside those of the reply."""
MEMORY: Final = (".nanobot/**", "memory/.cursor", "memory/.dream_cursor", "memory/MEMORY.md", "memory/history.jsonl")
TEMPLATES: Final = (
    ".git/**",
    ".gitignore",
    "AGENTS.md",
    "SOUL.md",
    "USER.md",
    "HEARTBEAT.md",
    "prompts/README.md",
    "cron/**",
)
"""What its command line, unlike its Python interface, puts into every workspace."""


def capabilities(options: Options) -> Capabilities:
    """Each entry was seen with the real program; tests/e2e/test_nanobot_*.py shows it again."""
    bridge = options.mode == "bridge"
    return Capabilities.full(
        seed_history="native" if options.histories == "native" else "files",
        cancel=Support.full() if bridge else Support.not_implemented("NanoBot is simply ended"),
        stream_events=Support.full()
        if bridge
        else Support.unsupported("it shows the answer only; steps are read afterwards"),
        usage="per_turn",
        endpoint_override=("openai-chat", "openai-responses", "anthropic-messages"),
        memory_files=MEMORY if bridge else (*MEMORY, *TEMPLATES),
        renderings=("system_as", "speaker_as", "merge", "trim", "newline", "empty_reply", "insert"),
        losses=_losses(options),
        notes=_notes(options),
    )


def _losses(options: Options) -> tuple[Loss, ...]:
    native = (
        HistoryLimit(messages=8, characters=4_000),
        Drop(what="history_tools"),
        Drop(what="history_system"),
        Drop(what="history_breaks"),
    )
    return (
        Clip(of="file", characters=128_000, lines=2_000),
        Clip(of="result", characters=16_000, left=1_200),
        Clip(of="command", characters=10_000),
        Drop(what="directives"),
        Drop(what="text_before_calls"),
        Drop(what="file_ends"),
        Drop(what="stopped_output"),
        Drop(what="later_tools"),
        Drop(what="structured"),
        *(native if options.histories == "native" else ()),
        WindowLimit(
            tokens=options.context_window - options.max_tokens - MARGIN,
            then="summary",
            reserve=options.max_tokens + MARGIN,
        ),
    )


def _notes(options: Options) -> tuple[str, ...]:
    native = (
        "histories: native, read with its tool read_session, also by a text they contain; list_sessions gives nicknames"
    )
    refused = (
        "its tools refuse paths outside the workspace, in shell commands too, unless an environment brings programs"
    )
    own = (
        ""
        if options.mode == "bridge"
        else "; it lays AGENTS.md, SOUL.md and USER.md of its own into a workspace without"
    )
    return (
        f"mode {options.mode}",
        native if options.histories == "native" else "histories: as files",
        "no tools for the web" + ("" if options.exec else ", no shell tool"),
        *((f"tools denied: {', '.join(options.tools_denied)}",) if options.tools_denied else ()),
        *((refused,) if options.restrict else ()),
        f"at most {options.max_iterations} model requests per turn, then one more without tools for an answer",
        f"AGENTS.md, SOUL.md, USER.md and memory/MEMORY.md of the workspace go into the system prompt by themselves{own}",
        "asks the model to continue up to 3 times when a reply runs into the length limit",
        f"repeats a failed model request up to {options.retries} times",
    )
