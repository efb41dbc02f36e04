"""``questions.json`` as neutral rounds with their keys. What is wrong with a round is noted; sound rounds are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter.protocol import Answer, Check, Feedback, Round
from claw_adapter_clawarena.jsontext import JsonSource
from claw_adapter_clawarena.records import Place, PublishedRound, PublishedScenario, Teaching
from claw_adapter_clawarena.rules import finding
from claw_adapter_clawarena.suite import Suite

__all__ = ["SCRIPT", "neutral_command", "read_rounds", "read_scenario"]

TYPES: Final = ("multi_choice", "exec_check")
SCRIPTS: Final = "${eval_dir}/${agent_id}/scripts"
SCRIPT: Final = re.compile(r"\$\{eval_dir\}/(?:\$\{agent_id\}|\$\{test_id\}|[\w.-]+)/scripts/([^\s\"';&|<>()]+)")
"""A check script in a published command; the group is its path below the folder of scripts."""
MODULES: Final = ("jsonschema", "matplotlib", "numpy", "pandas", "pytest", "scipy", "seaborn")
"""What published checks, and the programs that agents write for them, import; the extra ``checks`` brings it."""
_PLACEHOLDER = re.compile(r"\$\{([^}]+)\}")


def read_scenario(suite: Suite, place: Place, found: list[Finding]) -> PublishedScenario:
    """A scenario with its rounds."""
    test = next(test for test in suite.tests if test.id == place.id)
    try:
        source = suite.questions(test)
    except ScenarioError as error:
        found.append(finding("PUB-004", error.what, error.where))
        return PublishedScenario(place, ())
    return PublishedScenario(place, read_rounds(source, place, found))


def read_rounds(source: JsonSource, place: Place, found: list[Finding]) -> tuple[PublishedRound, ...]:
    """The rounds of a ``questions.json``, with references to updates resolved in a layout."""
    entries = source.data.get("rounds")
    if not isinstance(entries, list) or not entries:
        found.append(finding("PUB-017", f"{place.id}: there are no rounds", source.where("rounds")))
        return ()
    reader = _Reader(source, place, found)
    rounds = (reader.round(index, entry) for index, entry in enumerate(entries))
    return tuple(one for one in rounds if one is not None)


@dataclass
class _Reader:
    source: JsonSource
    place: Place
    found: list[Finding]

    def note(self, rule: str, what: str, *path: str | int) -> None:
        self.found.append(finding(rule, f"{self.place.id}: {what}", self.source.where("rounds", *path)))

    def round(self, index: int, entry: Any) -> PublishedRound | None:
        if not isinstance(entry, dict) or entry.get("type") not in TYPES:
            self.note("PUB-017", f"round {index + 1} has no known type", index)
            return None
        try:
            return self._round(index, entry)
        except (ValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
            first = str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else repr(error)
            self.note("PUB-017", f"round {entry.get('id', index + 1)!r} cannot be read: {first}", index)
            return None

    def _round(self, index: int, entry: Mapping[str, Any]) -> PublishedRound:
        key: Mapping[str, Any] = entry["eval"]
        item = Round(
            id=entry["id"],
            type=entry["type"],
            question=entry["question"],
            options=key.get("options", {}),
            updates=tuple(dict.fromkeys(self._updates(index, entry))),
        )
        if _PLACEHOLDER.search(item.question):
            self.note("PUB-110", f"round {item.id!r} has a placeholder in its question", index, "question")
        given = entry.get("feedback") or {}
        feedback = Feedback(
            correct=given.get("correct", ""), incorrect=given.get("incorrect", ""), options=given.get("options", {})
        )
        teaching = self._teaching(index, entry)
        if item.type == "multi_choice":
            letters = tuple(key.get("answer", ()))
            if not letters or set(letters) - set(item.options) or len(set(letters)) < len(letters):
                self.note("PUB-018", f"round {item.id!r}: answer {letters} of options {sorted(item.options)}", index)
            return PublishedRound(item, Answer(answer=letters, feedback=feedback), teaching=teaching)
        return self._checked(index, item, key, feedback, teaching)

    def _updates(self, index: int, entry: Mapping[str, Any]) -> list[str]:
        resolved: list[str] = []
        for position, reference in enumerate(entry.get("update_ids") or ()):
            names = self.place.resolve(reference)
            if not names:
                what = (
                    f"round {entry['id']!r} names update {reference!r}, which layout {self.place.layout} does not have"
                )
                self.note("PUB-010", what, index, "update_ids", position)
            resolved.extend(names)
        return resolved

    def _checked(
        self, index: int, item: Round, key: Mapping[str, Any], feedback: Feedback, teaching: Teaching | None
    ) -> PublishedRound:
        command = key["command"]
        missing = self._missing(command)
        if missing:
            self.note(
                "PUB-107", f"round {item.id!r} cannot be scored: no {', '.join(missing)}", index, "eval", "command"
            )
        timeout = float(key.get("timeout", 30))
        check = Check(
            command=neutral_command(command, self.place.id),
            exit=key.get("expect_exit", 0),
            stdout=key.get("expect_stdout"),
            stdout_regex=key.get("expect_stdout_regex"),
            timeout=timeout,
            modules=MODULES,
        )
        why = f"check script is not part of the published data: {', '.join(missing)}" if missing else ""
        answer = Answer(check=None if missing else check, unscorable=why, feedback=feedback)
        return PublishedRound(item, answer, command, timeout, missing, teaching)

    def _teaching(self, index: int, entry: Mapping[str, Any]) -> Teaching | None:
        given = entry.get("pref")
        if not isinstance(given, dict):
            return None
        said = given.get("feedback") or {}
        command = str(given.get("command", ""))
        if missing := self._missing(command):
            what = f"round {entry['id']!r} cannot teach: no {', '.join(missing)}"
            self.note("PUB-108", what, index, "pref", "command")
        return Teaching(command, str(said.get("correct", "")), str(said.get("incorrect", "")))

    def _missing(self, command: str) -> tuple[str, ...]:
        names = dict.fromkeys(SCRIPT.findall(command))
        return tuple(name for name in names if not (self.place.scripts / name).exists())


def neutral_command(command: str, scenario: str) -> str:
    """A published command in the terms of ``scenario/1``.

    The folder of scripts is ``${checks}``.
    """
    text = SCRIPT.sub(lambda match: f"${{checks}}/{match[1]}", command)
    return text.replace("${agent_id}", scenario).replace("${test_id}", scenario)
