"""The evidence trace: every argument of the reference comes from the first observation or from output seen earlier.

Values of a kind (dates, addresses, paths, ids, …) must occur literally; of free text every word must, but for a few words
that carry no fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from claw_adapter_forge.surfaces.grammar import Verb
from claw_adapter_forge.surfaces.registry import find
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.tasks.spec import Derived

__all__ = ["GLUE", "Traced", "sources", "trace"]

GLUE = frozenset({"complete", "finished", "goes", "posted", "recap", "run", "update"})
"""Words the expert's texts use that no source need contain."""

_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Traced:
    """One argument: the step it is used in (from 1), where it came from (0 is the first observation; -1 nowhere)."""

    step: int
    flag: str
    value: str
    source: int
    kind: str
    """The flag's kind, or ``value`` of a positional argument."""


@lru_cache(maxsize=512)
def _arguments(line: str) -> tuple[tuple[str, str, str], ...]:
    """(flag, kind, value) of a command."""
    words = split_words(line)
    verb, size = find(words)
    if not isinstance(verb, Verb):
        return ()
    rest, found, loose = words[size:], [], 0
    while rest:
        word = rest.pop(0)
        flag = verb.index.get(word[2:]) if word.startswith("--") else None
        if flag is None:
            arg = verb.args[min(loose, len(verb.args) - 1)]
            found.append((arg.name, "value", word))
            loose += 1
        elif flag.kind != "switch":
            found.append((flag.name, flag.kind, rest.pop(0)))
    return tuple(found)


def _free(flag: str, kind: str) -> bool:
    return kind == "text" and flag in {"title", "body", "subject", "content", "message", "name", "note", "query"}


_low = lru_cache(maxsize=512)(str.lower)


def _shown(texts: Sequence[str], seen: Sequence[str]) -> int:
    """The first place by which all texts have been printed, or -1."""
    places = [next((i for i, printed in enumerate(seen) if text in printed), -1) for text in texts]
    return -1 if -1 in places else max(places)


def _source(value: str, free: bool, seen: Sequence[str], known: Mapping[str, Sequence[str]]) -> int:
    if value in known:
        return _shown(known[value], seen)
    if not free:
        return next((i for i, text in enumerate(seen) if value in text), -1)
    latest = 0
    for word in (w.strip(".,;:()'\"") for w in value.split()):
        if not word or word.lower() in GLUE:
            continue
        if word in known:
            if (place := _shown(known[word], seen)) < 0:
                return -1
            latest = max(latest, place)
            continue
        place = next((i for i, text in enumerate(seen) if word.lower() in _low(text)), -1)
        if place < 0 and not any(c.isdigit() for c in word):
            parts = [p.lower() for p in _WORD.findall(word)]
            everything = "\n".join(seen).lower()
            place = 0 if all(p in everything for p in parts) else -1
        if place < 0:
            return -1
        latest = max(latest, place)
    return latest


def trace(request: str, executions: Sequence[Execution], derived: Sequence[Derived] = ()) -> tuple[Traced, ...]:
    """Where every argument of every command came from; of a derived one, the last of what it is computed from."""
    return tuple(sources(request, executions, derived))


def sources(request: str, executions: Sequence[Execution], derived: Sequence[Derived] = ()) -> Iterator[Traced]:
    """The same, one after the other."""
    seen = [request]
    for step, execution in enumerate(executions, start=1):
        known = {d.value: d.texts for d in derived if d.of in execution.line}
        for flag, kind, value in _arguments(execution.line):
            yield Traced(step, flag, value, _source(value, _free(flag, kind), seen, known), kind)
        seen.append(execution.text)
