"""A recording: the exchanges of one trial, by normalised request."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.failures import CLIENT_CLOSED
from claw_adapter.endpoint.replay.normal import ROOT, Normaliser
from claw_adapter.errors import EndpointError
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange, by_process, read_transcript

__all__ = ["Miss", "Recording", "find_transcript"]

JsonObject = dict[str, JsonValue]
Key = tuple[str, ...]

DIFFERENCE_LINES: Final = 24
LINE: Final = 240


class Miss(Exception):  # becomes an EndpointError with the model's name
    """A request that was not recorded; the text names the nearest one and shows the difference."""


def find_transcript(source: Path, trial: str) -> Path:
    """The transcript of a trial: `source` is a run folder, a folder of transcripts, or a transcript.

    Raises:
        EndpointError: there is none for this trial.
    """
    if source.is_file():
        return source
    for path in (source / "trials" / trial / "transcript.jsonl", source / trial / "transcript.jsonl"):
        if path.is_file():
            return path
    for path in (source / f"{trial}.jsonl", source / "transcript.jsonl"):
        if path.is_file():
            return path
    there = sorted({path.parent.name for path in source.glob("trials/*/transcript.jsonl")})
    what = f"the recording has no trial {trial!r}; it has {', '.join(there) or 'none'}"
    remedy = "replay with the same scenarios, harnesses, seeds, repeats and model name as the recorded run"
    raise EndpointError(what, where=str(source), remedy=remedy)


class Recording:
    """The answered exchanges of one trial, each to be used once, in the order in which they were made.

    Scheduled faults are left out (they come from the schedule again), and so are requests that the harness gave up. Where a
    round was begun anew, by a later process or after an outage, what it had done before is left out too.
    """

    def __init__(self, exchanges: Iterable[Exchange], roots: Sequence[str] = ()) -> None:
        self._normaliser = normaliser = Normaliser(roots)
        self._exchanges = [e for e in _last_openings(exchanges) if not e.fault and _was_answered(e)]
        self._keys = [normaliser.digests(e.messages, e.tools) for e in self._exchanges]
        self._waiting: dict[Key, list[int]] = {}
        for position, key in enumerate(self._keys):
            self._waiting.setdefault(key, []).append(position)
        self._used: dict[Key, int] = {}
        found = {root for exchange in self._exchanges for root in _roots(exchange)}
        self.roots: tuple[str, ...] = tuple(sorted({*found, *roots}, key=len, reverse=True))
        """Folders of the recorded trial, as its replies may name them."""

    @classmethod
    def load(cls, source: Path, trial: str) -> Recording:
        """Read the recording of a trial.

        Raises:
            EndpointError: there is none.
            JournalError: the transcript is damaged.
        """
        recorded = str(source / "live" / trial)
        return cls(read_transcript(find_transcript(source, trial)), (recorded,))

    def know(self, root: str) -> None:
        """`root` is the folder of the trial under way now: leave it out of the requests to come."""
        self._normaliser.know(root)

    def take(self, messages: Sequence[JsonObject], tools: Sequence[JsonObject]) -> Exchange:
        """The next exchange recorded for an equal request.

        Raises:
            Miss: there is none, or none any more.
        """
        key = self._normaliser.digests(messages, tools)
        used = self._used.get(key, 0)
        recorded = self._waiting.get(key, [])
        if used < len(recorded):
            self._used[key] = used + 1
            return self._exchanges[recorded[used]]
        if recorded:
            last = self._exchanges[recorded[-1]]
            raise Miss(f"this request was recorded {len(recorded)}×, last as {_named(last)}; this is one time more")
        raise Miss(self._nearest(key, messages, tools))

    def _nearest(self, key: Key, messages: Sequence[JsonObject], tools: Sequence[JsonObject]) -> str:
        if not self._keys:
            return "nothing was recorded for this trial"
        best = max(
            range(len(self._keys)), key=lambda i: (_common(key, self._keys[i]), -abs(len(key) - len(self._keys[i])))
        )
        exchange, same = self._exchanges[best], _common(key, self._keys[best])
        if not same:
            what, old, new = "tools", list(exchange.tools), list(tools)
        else:
            what = f"message {same}"
            old = list(exchange.messages[same - 1 : same])
            new = list(messages[same - 1 : same])
        shown = self._difference(old, new)
        return f"no such request was recorded; the nearest is {_named(exchange)}, and differs from {what} on:\n{shown}"

    def _difference(self, old: Sequence[JsonValue], new: Sequence[JsonValue]) -> str:
        """A unified difference; one side is empty where one conversation is longer than the other."""
        before, after = (self._normaliser.shown(list(side)) if side else [] for side in (old, new))
        lines = list(difflib.unified_diff(before, after, "recorded", "asked for", n=1, lineterm=""))
        more = [f"… {len(lines) - DIFFERENCE_LINES} more lines"] if len(lines) > DIFFERENCE_LINES else []
        return "\n".join(line[:LINE] for line in [*lines[:DIFFERENCE_LINES], *more])


def _last_openings(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Without what was begun again: rounds by a later process, and turns after an outage."""
    found = list(by_process(exchanges))
    last = {exchange.round: process for process, exchange in found}
    ends = {(process, exchange.round): exchange.attempt for process, exchange in found}
    left = {(p, e.round, e.attempt) for p, e in found if e.given_up and e.attempt != ends[p, e.round]}
    return [
        e
        for process, e in found
        if not e.round or (last[e.round] == process and (process, e.round, e.attempt) not in left)
    ]


def _was_answered(exchange: Exchange) -> bool:
    if exchange.origin == "hop":  # it never reached the model
        return False
    return exchange.failure is not None or (exchange.reply is not None and exchange.status != CLIENT_CLOSED)


def _named(exchange: Exchange) -> str:
    return f"request {exchange.number} (round {exchange.round or 'none'}, attempt {exchange.attempt})"


def _common(one: Key, other: Key) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _roots(exchange: Exchange) -> set[str]:
    """Folders of the trial in replies: where tool calls point to. What replies name was in a message before."""
    found: set[str] = set()
    reply = exchange.reply or {}
    for text in strings_of(reply):
        found.update(ROOT.findall(text))
    return found
