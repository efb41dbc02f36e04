"""Offline policies as pure functions: (request, what was typed and printed so far) → the next command, or ``done``.

They hold no task data; deleting every task file changes nothing in what they do.

* ``careful`` inspects, then acts by the expert script the request calls for.
* ``hasty`` never looks: it acts on the request and on guesses.
* ``half-finisher`` is careful, but stops before its last change.
* ``re-creator`` makes the usual card first, then everything, whether or not it is there.
* ``decoy-copier`` is careful, but takes another city's rows (or the oldest note) for the right ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from claw_adapter_forge.policies.mind import Mind, Steps, Traits
from claw_adapter_forge.policies.router import script
from claw_adapter_forge.surfaces.grammar import Refused, Verb
from claw_adapter_forge.surfaces.registry import find
from claw_adapter_forge.surfaces.words import split_words

__all__ = ["DONE", "POLICIES", "History", "decide", "is_change"]

DONE = "done"
History = Sequence[tuple[str, str]]
"""(command, what it printed), in order."""


def is_change(line: str) -> bool:
    """Whether a command line names a verb that changes the world."""
    try:
        found, _ = find(split_words(line))
    except Refused:
        return False
    return isinstance(found, Verb) and found.mutates


def _advance(steps: Steps, outputs: Sequence[str]) -> str:
    """The command after `outputs` were sent, or ``done``."""
    try:
        line = next(steps)
        for output in outputs:
            line = steps.send(output)
    except StopIteration:
        return DONE
    return line


def _careful(request: str, history: History) -> str:
    return _advance(script(request), [text for _, text in history])


def _decoy_copier(request: str, history: History) -> str:
    return _advance(script(request, Traits(decoy=True)), [text for _, text in history])


def _hasty(request: str, history: History) -> str:
    lines = []
    steps = script(request)
    try:
        line = next(steps)
        while True:
            if is_change(line):
                lines.append(line)
            line = steps.send("")
    except StopIteration:
        pass
    return lines[len(history)] if len(history) < len(lines) else DONE


def _half_finisher(request: str, history: History) -> str:
    outputs = [text for _, text in history]
    line = _advance(script(request), outputs)
    if line == DONE or not is_change(line):
        return line
    # what changes print decides nothing, so the rest of the script can be foreseen
    ahead = list(outputs)
    while True:
        ahead.append("")
        later = _advance(script(request), ahead)
        if later == DONE:
            return DONE
        if is_change(later):
            return line


def _re_creator(request: str, history: History) -> str:
    mind = Mind(request)
    if not history:
        return mind.add_task(f"{mind.city} next step", mind.value({}, "due", "due"))
    return _advance(script(request, Traits(recreate=True)), [text for _, text in history[1:]])


POLICIES: dict[str, Callable[[str, History], str]] = {
    "careful": _careful,
    "hasty": _hasty,
    "half-finisher": _half_finisher,
    "re-creator": _re_creator,
    "decoy-copier": _decoy_copier,
}


def decide(policy: str, request: str, history: History) -> str:
    """The policy's next command, or ``done``."""
    return POLICIES[policy](request, history)
