"""Packs and patterns: what comes with this distribution, or a file of one's own.

A **pack** is a domain: people, roles, channels, papers and vocabulary in its language. A **pattern** is a conflict with its
hidden worlds: a switch, two claims in two places, and the update that settles or confirms. Where a pattern says ``<<witness>>``
stands what the pack calls so in its `cast`; ``<<Event>>`` begins with a capital letter; ``{en: …, zh: …}`` are two languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import Field

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol.base import Record

__all__ = ["Pack", "Pattern", "find_pack", "find_pattern", "packs", "patterns"]

DATA: Final = Path(__file__).parent.parent / "data"
T = TypeVar("T", bound=Record)
_NAME: Final = re.compile(r"<<(\w+)>>")


class Pack(Record):
    """A domain. All but `cast` and `agreement` are parts of the six files, as they stand there."""

    about: str
    truth: dict[str, Any]
    sessions: dict[str, Any]
    workspace: dict[str, Any]
    messages: list[dict[str, Any]] = Field(description="channel, day (days from the clock), at, from, say, reply")
    agreement: dict[str, str] = Field(description="The contradiction C3, and a true and a false statement on its fact.")
    cast: dict[str, str]

    @property
    def language(self) -> str:
        """Of its texts."""
        return str(self.truth.get("language", "en"))


class Pattern(Record):
    """A conflict, in the words of a pack."""

    about: str
    kind: str
    update: dict[str, str] = Field(description="nature, effect, spread")
    switch: dict[str, Any]
    facts: dict[str, Any]
    contradiction: dict[str, Any]
    documents: list[dict[str, Any]] = Field(default_factory=list)
    messages: list[dict[str, Any]] = Field(default_factory=list)
    later_documents: list[dict[str, Any]] = Field(default_factory=list)
    later_messages: list[dict[str, Any]] = Field(default_factory=list)
    before: list[dict[str, Any]] = Field(description="Statements that can be decided before the update.")
    after: list[dict[str, Any]] = Field(description="Statements on what it brings.")
    unknown: dict[str, Any] = Field(
        default_factory=dict, description="A statement that asks what cannot be known before."
    )
    known_field: dict[str, Any] = Field(description="Fields of JSON that can be filled before.")
    known_ask: str
    field: dict[str, Any]
    ask: str


def packs() -> dict[str, str]:
    """What each pack is about, by name."""
    return _about("packs")


def patterns() -> dict[str, str]:
    """What each pattern is about, by name."""
    return _about("patterns")


def _about(kind: str) -> dict[str, str]:
    found = dict[str, str]()
    for path in sorted((DATA / kind).glob("*.yaml")):
        about = _read(path)["about"]
        found[path.stem] = str(about["en"] if isinstance(about, dict) else about)
    return found


def find_pack(name: str) -> Pack:
    """A pack that comes along, or one in a file of this name.

    Raises:
        ScenarioError: there is none, or it lacks something.
    """
    data = _read(_path("packs", name))
    cast = dict(data.get("cast") or {})
    names = {word: f"{{{key}}}" for word, key in cast.items() if key in data.get("truth", {}).get("actors", {})}
    return _checked(Pack, {**_filled(data, names, ""), "cast": cast}, name)


def find_pattern(name: str, pack: Pack, update: str) -> Pattern:
    """A pattern in the language and with the people and words of a pack; its update is called `update`.

    Raises:
        ScenarioError: there is none, it lacks something, or names what the pack has not.
    """
    return _checked(
        Pattern, _filled(_read(_path("patterns", name)), {**pack.cast, "update": update}, pack.language), name
    )


def _path(kind: str, name: str) -> Path:
    for path in (DATA / kind / f"{name}.yaml", Path(name)):
        if path.is_file():
            return path
    known = ", ".join(_about(kind))
    raise ScenarioError(f"no {kind[:-1]} {name!r}", remedy=f"Name a file, or one of: {known}.")


def _read(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"not YAML: {error}", where=str(path)) from error
    if not isinstance(data, dict):
        raise ScenarioError("not a mapping", where=str(path))
    return data


def _checked(model: type[T], data: object, name: str) -> T:
    try:
        return model.model_validate(data)
    except ValueError as error:
        raise ScenarioError(f"{name}: {error}", remedy="Compare it with those that come along.") from error


def _filled(node: Any, words: Mapping[str, str], language: str) -> Any:
    """The same with words filled in, and one language chosen (all kept where none is asked for)."""
    if isinstance(node, dict):
        if language and node and node.keys() <= {"en", "zh"}:
            return _filled(node[language if language in node else "en"], words, language)
        return {_filled(key, words, language): _filled(value, words, language) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, words, language) for value in node]
    return _NAME.sub(lambda found: _word(found[1], words), node) if isinstance(node, str) else node


def _word(name: str, words: Mapping[str, str]) -> str:
    found = words.get(name) or words.get(name[:1].lower() + name[1:])
    if found is None:
        raise ScenarioError(f"<<{name}>> is nobody in this pack", remedy=f"Its cast has: {', '.join(words)}.")
    return found if name in words else found[:1].upper() + found[1:]
