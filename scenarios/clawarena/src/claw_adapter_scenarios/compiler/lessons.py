"""What a round's work was to be, in words: feedback on work that was not right teaches what its check accepts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from claw_adapter_scenarios.compiler.typing import expected_text
from claw_adapter_scenarios.language.wording import joined, sentence, words_of

__all__ = ["lesson"]


def lesson(expected: Mapping[str, Any], language: str) -> str:
    """What was wanted, file by file, in the language of the scenario.

    Args:
        expected: the data of the check.
        language: the scenario's language.
    """
    called = {rule["path"]: _called(rule, language) for rule in expected["files"]}
    told = (_describe_rule(rule, called, language) for rule in expected["files"])
    return words_of(language)["between sentences"].join(filter(None, told))


def _called(rule: Mapping[str, Any], language: str) -> str:
    """A file by its path; one whose name is the agent's choice by its folder, as its name may be what is examined."""
    if "find" not in rule:
        return str(rule["path"])
    return sentence("your file", language, folder=f"{PurePosixPath(rule['path']).parent.as_posix()}/")


def _describe_rule(rule: Mapping[str, Any], called: Mapping[str, str], language: str) -> str:
    path = called[rule["path"]]
    if "script" in rule:
        prints = rule["script"]["runs"][0]["prints"]
        values = [f"{name}={_describe(wanted, called, language)}" for name, wanted in prints.items()]
        return sentence("prints", language, path=path, values=joined(values, language, "last of values"))
    parts = [_is(name, wanted, called, language) for name, wanted in rule.get("fields", {}).items()]
    parts += [
        " / ".join(_describe(cell, called, language) for cell in row) for row in rule.get("rows", {}).get("rows", ())
    ]
    for section in rule.get("sections", ()):
        parts.append(sentence("section", language, name=section["title"]))
        parts += [_is(label, wanted, called, language) for label, wanted in section["labels"].items()]
    return sentence("wanted", language, path=path, parts=words_of(language)["semicolon"].join(parts)) if parts else ""


def _is(name: str, wanted: Mapping[str, Any], called: Mapping[str, str], language: str) -> str:
    return sentence("is", language, name=name, value=_describe(wanted, called, language))


def _describe(wanted: Mapping[str, Any], called: Mapping[str, str], language: str) -> str:
    if "cites" in wanted:
        values = [group[0] for group in wanted["cites"]]
        return sentence("list", language, values=joined(values, language, "last of values"))
    if "same_as" in wanted:
        return _elsewhere(wanted["same_as"], called, language)
    return expected_text(wanted, language)


def _elsewhere(place: str, called: Mapping[str, str], language: str) -> str:
    """``file#field`` or ``file#sum:column`` in words."""
    path, _, name = place.partition("#")
    path = called.get(path, path)
    if name.startswith("sum:"):
        return sentence("sum", language, path=path, column=name[4:])
    return sentence("same field", language, path=path, field=name)
