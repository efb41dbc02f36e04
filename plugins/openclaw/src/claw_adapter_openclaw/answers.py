"""What OpenClaw's gateway answers to a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from claw_adapter.command.data import at
from claw_adapter.harness import ReportedUsage

__all__ = ["OK", "Answer", "answer_of"]

OK: Final = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back to a prompt: a reply with status 200, else the error text."""

    status: int = 0
    text: str = ""
    usage: ReportedUsage | None = None
    error: str = ""
    streamed: bool = False
    """Put together by the bridge, which counts what a reply that broke off had said, and leaves out as much of the next."""


def answer_of(body: object) -> Answer:
    """The reply and what it used, which is summed over the turn's requests."""
    counts = [at(body, f"usage.{name}") or 0 for name in ("prompt_tokens", "completion_tokens")]
    reported = isinstance(at(body, "usage"), Mapping)
    usage = ReportedUsage(kind="per_turn", input=counts[0], output=counts[1]) if reported else None
    return Answer(OK, str(at(body, "choices.0.message.content") or ""), usage)
