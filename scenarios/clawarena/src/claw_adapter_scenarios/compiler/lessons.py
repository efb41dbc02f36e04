"""What a round's work was to be, in words: feedback on work that was not right teaches what its check accepts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from claw_adapter_scenarios.language.values import render_value
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
        values = [_describe(wanted, called, language) for wanted in rule["script"]["prints"]]
        return sentence("prints", language, path=path, values=joined(values, language, "last of values"))
    parts = [
        sentence("is", language, name=name, value=_describe(wanted, called, language))
        for name, wanted in rule.get("fields", {}).items()
    ]
    parts += [
        " / ".join(_describe(cell, called, language) for cell in row) for row in rule.get("rows", {}).get("rows", ())
    ]
    parts += [sentence("section", language, name=section) for section in rule.get("sections", ())]
    parts += [group[0] for group in rule.get("mentions", ())]
    return sentence("wanted", language, path=path, parts=words_of(language)["semicolon"].join(parts)) if parts else ""


def _describe(wanted: Mapping[str, Any], called: Mapping[str, str], language: str) -> str:
    if "list" in wanted or "cites" in wanted:
        values = [_describe(one, called, language) for one in wanted.get("list", ())]
        values += [group[0] for group in wanted.get("cites", ())]
        return sentence("list", language, values=joined(values, language, "last of values"))
    if "same_as" in wanted:
        return _elsewhere(wanted["same_as"], called, language)
    if wanted["kind"] == "moment":
        return _moment(wanted["value"], wanted["form"])
    if wanted["kind"] == "flag":
        return "true" if wanted["value"] else "false"
    return _number(wanted["value"], wanted["tolerance"]) if wanted["kind"] == "number" else str(wanted["value"])


def _elsewhere(place: str, called: Mapping[str, str], language: str) -> str:
    """``file#field`` or ``file#sum:column`` in words."""
    path, _, name = place.partition("#")
    path = called.get(path, path)
    if name.startswith("sum:"):
        return sentence("sum", language, path=path, column=name[4:])
    return sentence("same field", language, path=path, field=name)


def _moment(value: str, form: str) -> str:
    """A moment (ISO 8601) as the check accepts it: without its day only where just the time was asked for."""
    if form == "hm":
        return value[11:16]
    return value[:10] if form == "date" else value if form == "iso" else f"{value[:10]} {value[11:16]}"


def _number(value: float, tolerance: float) -> str:
    """All digits of a number, but no more decimals (two to six) than tell it within the tolerance."""
    digits = next((n for n in range(2, 6) if abs(round(value, n) - value) <= tolerance + 1e-9), 6)
    return render_value(round(value, digits))
