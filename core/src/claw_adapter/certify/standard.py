"""The past that the shared conversation starts with; checks of SEED and UPD look for its canaries."""

from __future__ import annotations

from typing import Final

from claw_adapter.certify.world import canary, message, session, tool_use
from claw_adapter.protocol import Session

__all__ = ["FILE", "HISTORIES", "MAIN", "ODD", "PLAIN", "standard_files", "standard_histories", "standard_main"]

FILE: Final = "notes/plan.md"
"""A file of the standard workspace, of four lines."""
PLAIN: Final = {FILE: "one line\n"}
"""The workspace of a conversation without a past."""
ODD: Final = "Grüße, 你好, مرحبا, 👩‍👩‍👧 – “quoted” & <tag>"
"""Text outside ASCII that must come through unharmed."""
MAIN: Final = {
    name: canary("main", name) for name in ("question", "answer", "argument", "result", "speaker", "odd", "last")
}
"""Canaries of the main session by place."""
HISTORIES: Final = {
    name: {place: canary(name, place) for place in ("first", "middle", "last")} for name in ("ops-room", "dm-nadia")
}
"""Canaries of each history session by place."""


def standard_main() -> Session:
    """Question and answer, a tool call with its result, a speaker, text outside ASCII."""
    messages = [
        message("m1", "user", f"What is the code name? {MAIN['question']}", number=1),
        message("m2", "assistant", f"It is {MAIN['answer']}.", number=2),
        message("m3", "user", f"Please look into the ledger. {MAIN['speaker']}", number=3, speaker="Nadia"),
        *tool_use("m4", "read_file", {"path": f"ledger-{MAIN['argument']}.txt"}, f"total: {MAIN['result']}", number=4),
        message("m5", "assistant", "I have read the ledger.", number=5),
        message("m6", "user", f"{MAIN['odd']}: {ODD}", number=6),
        message("m7", "assistant", f"Understood. {MAIN['last']}", number=7),
    ]
    return session("main").with_messages(messages)


def standard_histories() -> tuple[Session, ...]:
    """A group and a direct conversation of twelve messages each."""
    found = []
    for name, places in HISTORIES.items():
        texts = [f"Remark number {n} of {name}." for n in range(12)]
        for index, place in ((0, "first"), (5, "middle"), (11, "last")):
            texts[index] = f"{texts[index]} Reference {places[place]}."
        kind, channel = ("group", "slack") if name == "ops-room" else ("direct", "email")
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
