"""What the model was asked in each round that counts, from the transcript; failed and earlier attempts are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claw_adapter.protocol import RoundRecord
from claw_adapter.protocol.tokens import TokenCounts, TokenUse
from claw_adapter.reading import parse_json
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import TrialData
from claw_adapter.runs.transcript import Exchange, read_transcript

__all__ = ["AskedRound", "RequestedCall", "read_turns", "tokens_of"]


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call in a reply; `result` is what the model was told of it, None where it was told nothing."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: str | None


@dataclass(frozen=True, slots=True)
class AskedRound:
    """A finished round with the requests of its last attempt that got a reply, and the calls of each reply."""

    record: RoundRecord
    exchanges: tuple[Exchange, ...]
    calls: tuple[tuple[RequestedCall, ...], ...]
    told: tuple[tuple[str, ...], ...]
    """What each reply was answered with in the user's place, such as what a harness without tools has executed and read."""
    counted: tuple[Exchange, ...]
    """All requests of the last attempt: those that the record counts."""
    told_of: int
    """How many requests of the last attempt the transcript has; where rounds were voided, more than the record counts."""
    left_out: int
    """Requests of the round that are not among `exchanges`: failed ones, and those of earlier attempts."""


def read_turns(root: Path, trial: TrialData) -> list[AskedRound]:
    """The finished rounds of a trial, in order.

    Raises:
        JournalError: the transcript is damaged before its end.
    """
    path = RunFolder(root).transcript(trial.spec.id)
    asked: dict[str, list[Exchange]] = {}
    for exchange in read_transcript(path) if path.exists() else ():
        if exchange.origin != "overlay":
            asked.setdefault(exchange.round, []).append(exchange)
    return [_turn(record, asked.get(record.round, [])) for record in trial.rounds]


def tokens_of(exchange: Exchange) -> TokenUse:
    """The provider's counts of a request, else ours."""
    counts = TokenCounts.model_validate(exchange.usage)
    return counts.upstream or counts.counted


def _turn(record: RoundRecord, asked: Sequence[Exchange]) -> AskedRound:
    """A round that was voided stands in the transcript twice, so that only as many requests count as its record has."""
    last = asked[-1].attempt if asked else 0
    ended = [one for one in asked if one.attempt == last]
    counted = ended[-record.usage.metered.requests or len(asked) :]
    kept = tuple(one for one in counted if one.reply is not None and one.status == 200 and not one.given_up)
    results = _results(kept)
    calls = tuple(tuple(_calls(one, results)) for one in kept)
    told = tuple(map(_told, kept[1:])) + ((),) * bool(kept)
    return AskedRound(record, kept, calls, told, tuple(counted), len(ended), len(asked) - len(kept))


def _told(after: Exchange) -> tuple[str, ...]:
    """The user's messages that came behind the last reply that a request holds."""
    replies = [place for place, message in enumerate(after.messages) if message.get("role") == "assistant"]
    new = after.messages[replies[-1] + 1 :] if replies else ()
    return tuple(_text(message.get("content")) for message in new if message.get("role") == "user")


def _results(exchanges: Iterable[Exchange]) -> dict[str, str]:
    """What the model was told of each call, by the call's id."""
    found = {}
    for exchange in exchanges:
        for message in exchange.messages:
            if message.get("role") == "tool":
                found[str(message.get("tool_call_id"))] = _text(message.get("content"))
    return found


def _calls(exchange: Exchange, results: dict[str, str]) -> Iterable[RequestedCall]:
    calls = (exchange.reply or {}).get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else (), 1):
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        said = function if isinstance(function, dict) else {}
        name = str(call.get("id") or f"call-{exchange.number}-{number}")
        yield RequestedCall(name, str(said.get("name", "")), _object(said.get("arguments")), results.get(name))


def _object(text: object) -> dict[str, Any]:
    """The arguments; what is no JSON object is kept as text."""
    try:
        found = parse_json(text, halves=True) if isinstance(text, str) else text
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"text": str(text or "")}


def _text(content: object) -> str:
    if isinstance(content, list):
        parts = (part.get("text", "") for part in content if isinstance(part, dict))
        return "\n".join(str(part) for part in parts)
    return content if isinstance(content, str) else ""
