"""What the reader concludes from the fragments it has seen, and how it says so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

from claw_adapter.protocol.answer_key import AnswerKey, Locator
from claw_adapter.protocol.gold import RoundEvidence

__all__ = [
    "ACKNOWLEDGED",
    "BLIND",
    "QUOTE",
    "Verdict",
    "boxed",
    "chosen",
    "complete",
    "decide",
    "needed",
    "quotation",
    "sources",
    "undecided",
]

Verdict = Literal["supported", "refuted", "hasty"]

ACKNOWLEDGED: Final = "Noted."
BLIND: Final = "There is no evidence to go by, so this is a fixed answer."
QUOTE: Final = "Evidence quoted from "
"""Lines of an assistant message that begin so are the reader's own, and no evidence, even in a later process."""


def needed(evidence: RoundEvidence) -> tuple[str, ...]:
    """Ids of all fragments that bear on the round, in order, each once."""
    ids = [*evidence.needs]
    for option in evidence.options.values():
        ids += [name for group in (*option.supports, *option.refutes) for name in group]
    return tuple(dict.fromkeys(ids))


def complete(sets: Iterable[Collection[str]], seen: Collection[str]) -> bool:
    """Whether at least one of the sets has been seen completely."""
    return any(all(name in seen for name in group) for group in sets)


def decide(evidence: RoundEvidence, seen: Collection[str]) -> dict[str, Verdict]:
    """A verdict per option: refuted if a set against it is complete, else supported if one for it is, else undecided."""
    verdicts: dict[str, Verdict] = {}
    for letter, option in sorted(evidence.options.items()):
        if complete(option.refutes, seen):
            verdicts[letter] = "refuted"
        else:
            verdicts[letter] = "supported" if complete(option.supports, seen) else "hasty"
    return verdicts


def undecided(evidence: RoundEvidence, seen: Collection[str]) -> set[str]:
    """Ids of the fragments that might still decide something."""
    verdicts = decide(evidence, seen)
    options = [option for letter, option in evidence.options.items() if verdicts[letter] == "hasty"]
    groups = [group for option in options for group in (*option.supports, *option.refutes)]
    if not complete([evidence.needs], seen):
        groups.append(evidence.needs)
    return {name for group in groups for name in group if name not in seen}


def chosen(evidence: RoundEvidence, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    """The letters to answer: supported options, and undecided ones that a careless reader would choose."""
    return tuple(
        letter
        for letter, verdict in sorted(verdicts.items())
        if verdict == "supported" or (verdict == "hasty" and evidence.options[letter].hasty)
    )


def boxed(letters: Iterable[str]) -> str:
    r"""``\bbox{A,C}``."""
    return f"\\bbox{{{','.join(letters)}}}"


def sources(seen: Sequence[Locator]) -> str:
    """A sentence naming where the fragments stand."""
    names = dict.fromkeys(item.path or item.session or "the conversation" for item in seen)
    return f"Based on {', '.join(names)}." if names else "Nothing that bears on the question was found."


def quotation(answer_key: AnswerKey, seen: Sequence[Locator], known_before: Collection[str]) -> str:
    """A line quoting one fragment: if possible one that no earlier round showed, and one that decided something."""
    if not seen or answer_key.evidence is None:
        return ""
    ids = {item.id for item in seen}
    groups = [g for option in answer_key.evidence.options.values() for g in (*option.refutes, *option.supports)]
    deciding = {name for group in groups if ids.issuperset(group) for name in group}
    best = max(seen, key=lambda item: (item.id not in known_before, item.id in deciding))
    return f'{QUOTE}{best.path or best.session or "the conversation"}: "{best.text}"'
