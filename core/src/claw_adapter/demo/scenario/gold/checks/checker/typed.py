"""One field against what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .faults import Kind
from .values import Refused, parse, same, says_another

__all__ = ["Known", "Wanted", "contradicts", "formless", "is_of_list", "is_other", "judge", "judge_items", "read"]

Wanted = Mapping[str, Any]
"""``{"as": description, "value": …, "stale": […]}``, ``{"flag": true}`` or ``{"cites": [[…]], "may": […]}``."""
Known = Mapping[str, Sequence[str]]
"""Other names of every file and conversation that can be named as a source."""
CLOSED = ("choice", "person")
DIGITS = 9
"""Decimals of a number of JSON that count: what a program adds up is no further off than that."""


def judge(wanted: Wanted, value: Any, known: Known) -> tuple[Kind, str] | None:
    """What is wrong with a value (a text, or a scalar of JSON); None if it is right."""
    if "flag" in wanted:
        return _judge_flag(wanted, value)
    description = _described(wanted, known)
    if isinstance(value, list) and description["type"] == "names":
        return judge_items(wanted, value, known)
    return _verdict(wanted, description, read(description, value))


def contradicts(wanted: Wanted, value: str, text: str, known: Known) -> bool:
    """Whether a text below a value holds another value of its type."""
    return "flag" not in wanted and says_another(_described(wanted, known), value, text)


def formless(wanted: Wanted) -> Wanted:
    """The same in whatever form it is written: for values that stand beside the one that was asked for."""
    return {**wanted, "as": _formless(wanted["as"])} if "as" in wanted else wanted


def _formless(description: Mapping[str, Any]) -> dict[str, Any]:
    inner = {"of": _formless(description["of"])} if description["type"] == "names" else {}
    return {**description, "form": "", **inner}


def is_other(wanted: Wanted, text: str, known: Known) -> bool:
    """Whether a text is another value, in whatever form it is written."""
    outcome = judge(formless(wanted), text, known)
    return outcome is not None and outcome[0] != "format"


def is_of_list(wanted: Wanted) -> bool:
    """Whether a value is one of a list, such as yes or no: then it is no value of anything else."""
    kind = wanted.get("as", {})
    return kind.get("of", kind).get("type") in CLOSED if kind.get("type") == "names" else kind.get("type") in CLOSED


def judge_items(wanted: Wanted, values: Sequence[Any], known: Known) -> tuple[Kind, str] | None:
    """The same of the entries of a list of JSON, for a field that is a set."""
    description = _described(wanted, known)
    found = [read(description["of"], value) for value in values]
    refused = next((f"entry {n}: {one}" for n, one in enumerate(found, 1) if isinstance(one, Refused)), None)
    if refused is not None:
        return "format", refused
    members: tuple[Any, ...] = tuple(one for one in found if not isinstance(one, Refused))
    return _verdict(wanted, description, tuple(sorted(set(members))))


def read(description: dict[str, Any], value: Any) -> Any:
    """The typed value, or `Refused`; a number of JSON without the noise of binary fractions."""
    return parse(description, round(value, DIGITS) if isinstance(value, float) else value)


def _described(wanted: Wanted, known: Known) -> dict[str, Any]:
    if "cites" in wanted:
        return {"type": "names", "of": {"type": "reference", "known": dict(known), "roots": ["workspace", "sessions"]}}
    return dict(wanted["as"])


def _judge_flag(wanted: Wanted, value: Any) -> tuple[Kind, str] | None:
    if not isinstance(value, bool):
        return "format", "is neither true nor false"
    return None if value is wanted["flag"] else _other(wanted, stale=bool(wanted.get("stale")))


def _verdict(wanted: Wanted, description: dict[str, Any], found: Any) -> tuple[Kind, str] | None:
    if isinstance(found, Refused):
        return "format", found.reason
    if "cites" in wanted:
        return _judge_sources(wanted, {str(one).partition("#")[0] for one in found})
    if same(description, wanted["value"], found):
        return None
    return _other(wanted, stale=any(same(description, old, found) for old in wanted.get("stale", ())))


def _other(_wanted: Wanted, *, stale: bool) -> tuple[Kind, str]:
    return ("stale", "is what was right before an update") if stale else ("fact", "is another value")


def _judge_sources(wanted: Wanted, named: set[str]) -> tuple[Kind, str] | None:
    """Every group has a member that is named, and nothing is named that is neither in a group nor allowed."""
    if not all(named.intersection(group) for group in wanted["cites"]):
        return "fact", "does not name every source"
    allowed = {name for group in wanted["cites"] for name in group}.union(wanted.get("may", ()))
    other = sorted(named - allowed)
    return ("fact", f"names a source that does not say it: {', '.join(other)}") if other else None
