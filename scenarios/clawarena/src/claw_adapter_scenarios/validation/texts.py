"""All texts of a spec with the place they stand at and what they are: templates, expressions, or plain words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from claw_adapter.scenario.yamlsource import FieldPath
from claw_adapter_scenarios.language.values import parse_moment, to_value
from claw_adapter_scenarios.spec.load import Spec

__all__ = ["SpecText", "spec_texts"]

EXPRESSIONS: Final = frozenset({"expr", "if", "equals"})
IN_LISTS: Final = frozenset({"list", "require"})
MOMENTS: Final = frozenset({"at", "until", "start", "top", "opened", "clock"})
PLAIN: Final = frozenset({
    "oracle", "hasty", "stamp", "columns", "files", "id", "kind", "source", "session", "domain", "language", "a", "b", "fact",
    "spec", "offset", "protagonist", "participants", "to", "by", "present", "known_to", "facts", "pools", "updates", "teach",
    "exam", "of", "needs", "biases", "contradictions", "rounds", "reversed_by", "arrives", "type", "skill", "dimensions",
    "stage",
    "format", "role", "find", "choices", "consistency",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpecText:
    """One text."""

    layer: str
    path: FieldPath
    text: str
    expression: bool
    extra: frozenset[str]
    """Names that mean something here only."""


def spec_texts(spec: Spec) -> Iterator[SpecText]:
    """Every template and expression of a spec."""
    for layer, source in spec.sources.items():
        yield from _walk(layer, (), source.data)


def _walk(layer: str, path: FieldPath, data: Any) -> Iterator[SpecText]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _walk(layer, (*path, str(key)), value)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _walk(layer, (*path, index), value)
    elif isinstance(data, str):
        yield from _text(layer, path, data)


def _text(layer: str, path: FieldPath, text: str) -> Iterator[SpecText]:
    words = [part for part in path if isinstance(part, str)]
    key, parent = words[-1], words[-2] if len(words) > 1 else ""
    if _named_by_author(layer, words):
        typed = text.startswith("=") and layer != "5-controls"
        yield SpecText(layer, path, text[1:] if typed else text, typed, frozenset())
        return
    extra = _extra(words)
    if layer == "3-rounds" and "unseen" in words and key in ("draw", "permute"):
        return
    if layer == "3-rounds" and ("as" in words or "unseen" in words):
        yield SpecText(layer, path, text, False, extra)
        return
    rule_of_preference = layer == "3-rounds" and words[0] == "preferences" and key in ("name", "contains", "lacks")
    if layer == "0-truth" and key == "value" and text.startswith("="):
        yield SpecText(layer, path, text[1:], True, extra)
        return
    if layer == "0-truth" and key == "value" and to_value(text) != text:
        return  # the one place where a date is typed
    if rule_of_preference or key in PLAIN or (layer == "0-truth" and words[0] == "actors" and key == "name"):
        return
    if key in EXPRESSIONS or key in IN_LISTS or (parent == "marks" and "series" in words):
        yield SpecText(layer, path, text, True, extra)
    elif (
        key in MOMENTS
        or (parent == "known_by" and layer == "0-truth")
        or (key == "from" and " " in text)
        or (key == "peak")
    ):
        if parse_moment(text) is None:
            yield SpecText(layer, path, text, True, extra)
    elif text.startswith("=") and "rows" in words:
        yield SpecText(layer, path, text[1:], True, extra)
    elif key != "from":
        yield SpecText(layer, path, text, False, extra)


def _named_by_author(layer: str, words: list[str]) -> bool:
    """Whether the last key is a name that the author gave, in a JSON document or among slots: it tells nothing of the text."""
    return words[0] == "slots" if layer == "5-controls" else "data" in words[1:3] and "documents" in words[:2]


def _extra(words: list[str]) -> frozenset[str]:
    if "series" in words:
        return frozenset({"at", "value", "n"})
    if "noise" in words and "lines" in words:
        return frozenset({"n", "at"})
    return frozenset({"stem", "suffix"}) if "follow" in words else frozenset()
