"""How people talk in the histories of scenarios, and how long documents are: figures beside those of the published suite.

What is counted is what an agent sees in the end, updates included. A word is a run of letters or digits; a Chinese character is
one. An **exchange** is a person's message and the reply to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import PurePosixPath
from statistics import fmean, median
from typing import Final

import yaml
from pydantic import TypeAdapter

from claw_adapter.protocol import Message, Scenario
from claw_adapter.scenario import worlds

__all__ = ["BETTER", "Exchange", "TalkFigures", "exchanges", "published", "shortfalls", "talk"]

COMMON: Final = 60
"""So many of the commonest words of a scenario carry no content."""
SHORT: Final = 6
"""Words of a short reply."""
NEAR: Final = 0.8
"""Two replies with this share of their words in common are nearly the same."""
LEAST: Final = 4
"""Replies of fewer words are not compared with each other."""
PROSE: Final = frozenset({".md", ".txt"})
AGENT: Final = frozenset({"AGENTS.md", "SOUL.md", "USER.md", "IDENTITY.md", "TOOLS.md", "BOOTSTRAP.md", "HEARTBEAT.md"})
_WORD: Final = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+(?:['\u2019][^\W\d_㐀-鿿]+)?")
_STAMP: Final = re.compile(r"\A\[[^\]\n]*\]\s*")
_FILE: Final = re.compile(r"[\w-]+\.(?:csv|json|jsonl|log|md|pdf|py|txt|xlsx|ya?ml|eml|html)\b", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a person says, without the stamp of a group, and what the agent replies."""

    session: str
    said: str
    reply: str


@dataclass(frozen=True, slots=True)
class TalkFigures:
    """Figures of one scenario, or of several; shares are of 1.

    Attributes:
        message_words: mean words of a person's message.
        reply_words: mean words of a reply.
        short_replies: share of replies of six words or fewer.
        uptake: share of replies with a content word of the message that they answer.
        numbers: share of replies with a digit.
        files: share of replies that name a file.
        repeated: share of people's messages whose text comes again in the scenario.
        alike: share of replies of which another scenario has one that is nearly the same; 0 for a single scenario.
        document_words: median words of a document in prose (Markdown or text).
    """

    exchanges: int
    message_words: float
    reply_words: float
    short_replies: float
    uptake: float
    numbers: float
    files: float
    repeated: float
    alike: float
    document_words: float


BETTER: Final[Mapping[str, int]] = {
    "message_words": 1, "reply_words": 1, "short_replies": -1, "uptake": 1, "numbers": 1, "files": 1, "repeated": -1,
    "alike": -1, "document_words": 1,
}  # fmt: skip
"""Figures that are judged, and whether more (1) or less (-1) of them is better."""


@cache
def published() -> Mapping[str, TalkFigures]:
    """The figures of the published scenarios, by id."""
    text = resources.files(__package__).joinpath("data/talk.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, TalkFigures]).validate_python(yaml.safe_load(text)["scenarios"])


def shortfalls(found: TalkFigures) -> Iterator[str]:
    """In what a scenario is worse than every published one, in words."""
    for name, better in BETTER.items():
        ours = getattr(found, name)
        worst = min((getattr(one, name) for one in published().values()), key=lambda value: value * better)
        if ours * better < worst * better - 1e-3:
            yield f"{name.replace('_', ' ')}: {ours:.3g}, and {worst:.3g} in the published scenario that has it worst"


def exchanges(scenario: Scenario) -> list[Exchange]:
    """All exchanges of the histories as they are in the end."""
    end = worlds(scenario)[-1]
    histories = {entry.id for entry in scenario.manifest.histories}
    return [
        one for name, session in end.sessions.items() if name in histories for one in _paired(name, session.messages)
    ]


def _paired(session: str, messages: Sequence[Message]) -> Iterator[Exchange]:
    said = ""
    for message in messages:
        if message.role == "user":
            said = _STAMP.sub("", message.text).strip()
        elif message.role == "assistant" and message.text.strip() and said:
            yield Exchange(session, said, message.text.strip())
            said = ""


def talk(scenarios: Sequence[Scenario]) -> dict[str, TalkFigures]:
    """Figures by scenario id.

    Raises:
        ScenarioError: an update of a scenario does not fit.
    """
    spoken = {one.id: exchanges(one) for one in scenarios}
    alike = _alike({name: [one.reply for one in found] for name, found in spoken.items()})
    return {one.id: _figures(spoken[one.id], alike[one.id], _documents(one)) for one in scenarios}


def _figures(found: Sequence[Exchange], alike: float, documents: Sequence[int]) -> TalkFigures:
    if not found:
        return TalkFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, median(documents or [0]))
    common = {
        word
        for word, _ in Counter(w for one in found for w in _content(one.said + " " + one.reply)).most_common(COMMON)
    }
    lengths = [len(_WORD.findall(one.reply)) for one in found]
    times = Counter(one.said for one in found)
    return TalkFigures(
        exchanges=len(found),
        message_words=fmean(len(_WORD.findall(one.said)) for one in found),
        reply_words=fmean(lengths),
        short_replies=fmean(length <= SHORT for length in lengths),
        uptake=fmean(bool((_content(one.said) & _content(one.reply)) - common) for one in found),
        numbers=fmean(bool(_DIGIT.search(one.reply)) for one in found),
        files=fmean(bool(_FILE.search(one.reply)) for one in found),
        repeated=fmean(times[one.said] > 1 for one in found),
        alike=alike,
        document_words=median(documents or [0]),
    )


def _content(text: str) -> set[str]:
    """Words of four letters or more, and pairs of Chinese characters."""
    words = [word.casefold() for word in _WORD.findall(text)]
    pairs = {a + b for a, b in pairwise(words) if a > "\u2e7f" and b > "\u2e7f"}
    return {word for word in words if len(word) >= 4} | pairs


def _documents(scenario: Scenario) -> list[int]:
    files = worlds(scenario)[-1]
    return [
        len(_WORD.findall(files.text(path)))
        for path in files.files
        if PurePosixPath(path).suffix in PROSE and PurePosixPath(path).name not in AGENT
    ]


def _alike(replies: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """By scenario, the share of its replies of which another one has a near-duplicate."""
    words = {
        name: [frozenset(map(str.casefold, _WORD.findall(text))) for text in told] for name, told in replies.items()
    }
    places: dict[str, list[tuple[str, frozenset[str]]]] = {}
    counts = Counter(word for told in words.values() for one in told for word in one)
    for name, told in words.items():
        for one in told:
            for word in _rarest(one, counts):
                places.setdefault(word, []).append((name, one))
    return {
        name: fmean([_has_twin(name, one, places, counts) for one in told] or [0.0]) for name, told in words.items()
    }


def _rarest(words: frozenset[str], counts: Mapping[str, int]) -> list[str]:
    """Words of which a near-duplicate has at least one: it lacks a ninth at most."""
    return sorted(words, key=lambda word: (counts[word], word))[: len(words) // 5 + 2]


def _has_twin(
    name: str,
    one: frozenset[str],
    places: Mapping[str, Sequence[tuple[str, frozenset[str]]]],
    counts: Mapping[str, int],
) -> bool:
    if len(one) < LEAST:
        return False
    return any(
        other != name and len(one & words) >= NEAR * len(one | words)
        for word in _rarest(one, counts)
        for other, words in places[word]
    )
