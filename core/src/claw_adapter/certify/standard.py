"""The past that the shared conversation starts with."""

from __future__ import annotations

from typing import Final

from claw_adapter.certify.world import canary, message, session, tool_use
from claw_adapter.protocol import Session

__all__ = ["FILE", "ODD", "PLAIN", "standard_files", "standard_histories", "standard_main"]

FILE: Final = "notes/plan.md"
"""A file of the standard workspace, of four lines."""
PLAIN: Final = {FILE: "one line\n"}
"""The workspace of a conversation without a past."""
ODD: Final = "Grüße, 你好, مرحبا, 👩‍👩‍👧 – “quoted” & <tag>"
"""Text outside ASCII that must come through unharmed."""


def standard_main() -> Session:
    """Question and answer, a tool call with its result, a speaker, text outside ASCII."""
    messages = [
        message("m1", "user", "What is the code name?", number=1),
        message("m2", "assistant", "It is the northern harbour.", number=2),
        message("m3", "user", "Please look into the ledger.", number=3, speaker="Nadia"),
        *tool_use("m4", "read_file", {"path": "ledger-2025.txt"}, "total: 4,870", number=4),
        message("m5", "assistant", "I have read the ledger.", number=5),
        message("m6", "user", f"Keep this as it is: {ODD}", number=6),
        message("m7", "assistant", "Understood.", number=7),
    ]
    return session("main").with_messages(messages)


def standard_histories() -> tuple[Session, ...]:
    """A group and a direct conversation of twelve messages each."""
    found = []
    for name, kind, channel in (("ops-room", "group", "slack"), ("dm-nadia", "direct", "email")):
        texts = [f"Remark number {n} of {name}." for n in range(12)]
        found.append(
            session(name, *texts, kind=kind, channel=channel, title=f"Talk {name}", participants=("Nadia", "Bo"))
        )
    return tuple(found)


def standard_files() -> dict[str, str]:
    """Path → text."""
    return {
        FILE: f"# Plan\nstep one {canary('file', 'one')}\nstep two {canary('file', 'two')}\nend\n",
        "notes/grüße.txt": f"{ODD} {canary('file', 'odd')}\n",
    }
