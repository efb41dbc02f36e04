"""What the hook wrote down of a turn, as events, usage and the model's last word."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claw_adapter.harness import Event, ReportedUsage

__all__ = ["Trace"]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trace:
    """One turn.

    Attributes:
        events: tool calls, results, texts before the last one, and notes, in order.
        usage: tokens of all model requests of the turn, sub-agents included; None if the endpoint reported none.
        asked: whether the model was asked at all and answered.
        finish: why the model ended its last answer, empty if unknown.
        whole: whether the last answer that was written down is one without tool calls; else the hook has missed something.
    """

    events: tuple[Event, ...] = ()
    usage: ReportedUsage | None = None
    asked: bool = False
    finish: str = ""
    whole: bool = False

    @classmethod
    def read(cls, path: Path, started: float) -> Trace:
        """Read a trace; `started` is the monotonic time at which the prompt was sent. A torn last line is left out."""
        if path.is_symlink() or not path.is_file():
            return cls()
        records = list(_records(path.read_text("utf-8", "replace")))
        answers = [record for record in records if record["event"] == "model"]
        return cls(
            events=tuple(_events(records, started)),
            usage=_usage(answers),
            asked=bool(answers),
            finish=str(answers[-1]["finish"]) if answers else "",
            whole=bool(answers) and not answers[-1]["calls"],
        )

    def trusted(self) -> Trace:
        """The same without token counts, and with a note, if the hook did not see the turn to its end."""
        if self.whole:
            return self
        note = Event(kind="note", name="hook-lost", text="PicoClaw's hook ended before the turn; no usage is reported")
        return replace(self, usage=None, events=(*self.events, note))


def _records(text: str) -> Iterable[Record]:
    for line in text.split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and "event" in record and "at" in record:
            yield record


def _usage(answers: Iterable[Record]) -> ReportedUsage | None:
    used = [answer["usage"] for answer in answers if answer["usage"]]
    if not used:
        return None
    return ReportedUsage(
        kind="per_turn",
        input=sum(one.get("prompt_tokens", 0) for one in used),
        output=sum(one.get("completion_tokens", 0) for one in used),
    )


def _events(records: Iterable[Record], started: float) -> Iterable[Event]:
    """PicoClaw names calls only in the model's answer and runs them one after the other, sub-agents in turns of their own."""
    waiting: dict[str, deque[str]] = defaultdict(deque)
    running: dict[str, str] = {}
    for record in records:
        at, turn, kind = max(record["at"] - started, 0.0), str(record.get("turn", "")), record["event"]
        if kind == "model":
            waiting[turn] = deque(record["calls"])
            if record["calls"] and record["text"]:
                yield Event(kind="text", at=at, text=record["text"])
        elif kind == "call":
            running[turn] = waiting[turn].popleft() if waiting[turn] else ""
            yield Event(kind="tool_call", at=at, id=running[turn], name=record["tool"], arguments=record["arguments"])
        elif kind == "result":
            number, failed = running.get(turn, ""), record["is_error"]
            yield Event(kind="tool_result", at=at, id=number, name=record["tool"], text=record["text"], is_error=failed)
        elif kind == "note":
            yield Event(kind="note", at=at, name=record["name"], text=record["text"])
