"""What writing leaves: the file that calls were to make or to change, with the texts that the model gave them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.parts import put_by
from claw_adapter.audit.places import place_in
from claw_adapter.audit.rendering import ALIKE, Renderer, without_control
from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.protocol.limits import Drop
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange
from claw_adapter.shared import shared

__all__ = ["WrittenFiles", "judge_writes", "last_written"]

WRITES: Final = re.compile(r"write|create|save|put", re.IGNORECASE)
EDITS: Final = re.compile(r"edit|replace", re.IGNORECASE)
OTHERS: Final = re.compile(r"append|insert|patch|delete|multi|todo|plan", re.IGNORECASE)
LOOKS: Final = re.compile(r"read|view|list|show|search|grep|find|glob|stat|get|history", re.IGNORECASE)
PATH: Final = re.compile(r"path|file", re.IGNORECASE)
CONTENT: Final = re.compile(r"content|text|body|data", re.IGNORECASE)
OLD: Final = re.compile(r"old|search|find|before|original", re.IGNORECASE)
NEW: Final = re.compile(r"new|replace|after", re.IGNORECASE)
HOW: Final = {
    "stripped": "has lost blanks at its ends, or got some",
    "newlines": "has other line ends",
    "unicode": "has other characters (Unicode normal form)",
    "control": "has lost control characters",
    "directives": "has lost lines",
    "blanks": "has lost blanks or line ends",
    "changed": "has others",
    "missing": "is not as the call said at all",
}


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The workspace around a turn: texts by path, and the end of the workspace's path."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    workspace: str
    gone: frozenset[str] = frozenset()
    """Files that were there in an earlier round."""


@dataclass(slots=True)
class _WrittenFile:
    """What a file is after each call, if every call does what it says; None where that cannot be known."""

    texts: list[str | None] = field(default_factory=list)
    request: int = 0


def judge_writes(
    steps: Sequence[tuple[RequestUnit, RequestUnit, Exchange]],
    files: WrittenFiles,
    renderer: Renderer,
    book: Book,
    *,
    strict: bool,
) -> None:
    """Every file that was written in a turn, or in which a text that stands once in it was replaced.

    Args:
        steps: the calls of a turn with their results.
        files: the workspace before and after.
        renderer: the declared renderings.
        book: takes the findings.
        strict: nothing but these calls can have changed a file, and none is meant to be refused.
    """
    written: dict[str, _WrittenFile] = {}
    for call, _, exchange in steps:
        name, arguments = call.text.partition(" ")[0], arguments_of(call)
        if not _taken(name, arguments, files, written, exchange) and not strict and not LOOKS.search(name):
            written.clear()  # whatever it was, it may have gone on with the files
    for path in files.gone & files.after.keys() - files.before.keys() - written.keys():
        if strict or all(LOOKS.search(call.text.partition(" ")[0]) for call, _, _ in steps):
            book.find("M20", "file-back", f"{path}, which was deleted, is there again after the turn", owner="harness")
    for path, made in written.items():
        there, must = files.after.get(path), made.texts[-1]
        if must is None or there == must or there in made.texts[:-1]:
            continue
        refused = there is None or there == files.before.get(path)
        how = _how(must, there or "") if not refused else "missing" if strict else ""
        if how and not _declared(how, must, there or "", renderer):
            what = f"{path} was to be written with {len(must):,} characters, and {HOW.get(how, how)}"
            book.find("M17", f"written-{how}", what, owner="harness", request=made.request)


def last_written(
    steps: Sequence[tuple[RequestUnit, RequestUnit, Exchange]], after: Mapping[str, str], workspace: str
) -> dict[str, int]:
    """The number of the last call that has written each file as it is after the turn; none where that is not known."""
    found: dict[str, int] = {}
    for number, (call, _, _) in enumerate(steps):
        name, arguments = call.text.partition(" ")[0], arguments_of(call)
        put = put_by(arguments)
        path, content = (put.path, put.content) if put else (None, None)
        if WRITES.search(name) and not OTHERS.search(name) and not EDITS.search(name):
            path, content = _path(arguments, workspace), _only(arguments, CONTENT)
        if path is not None and content is not None:
            found.pop(path, None)
            there = after.get(path, "")
            if there == content or (put is not None and put.behind and there.endswith(content)):
                found[path] = number
    return found


def _taken(
    name: str,
    arguments: dict[str, JsonValue],
    files: WrittenFiles,
    written: dict[str, _WrittenFile],
    exchange: Exchange,
) -> bool:
    """Whether a call writes or edits, and what that comes to is known."""
    if put := put_by(arguments):
        made = written.setdefault(put.path, _WrittenFile())
        before = made.texts[-1] if made.texts else files.before.get(put.path, "")
        made.texts.append(put.content if not put.behind else None if before is None else f"{before}{put.content}")
        made.request = exchange.number
        return True
    if OTHERS.search(name) or not (WRITES.search(name) or EDITS.search(name)):
        return False
    path = _path(arguments, files.workspace)
    content, old, new = (_only(arguments, kind) for kind in (CONTENT, OLD, NEW))
    edits = bool(EDITS.search(name)) or (old is not None and new is not None)
    if path is None or (content is None if not edits else old is None or new is None):
        return False
    made = written.setdefault(path, _WrittenFile())
    if not edits:
        made.texts.append(content)
    else:
        text = made.texts[-1] if made.texts else files.before.get(path)
        whole = {key for key, value in arguments.items() if value is True}
        once = text is not None and old and new is not None and text.count(old) == 1 and not whole
        made.texts.append(text.replace(old, new) if once and text is not None and old and new is not None else None)
    made.request = exchange.number
    return True


def _path(arguments: dict[str, JsonValue], workspace: str) -> str | None:
    named = [value for key, value in arguments.items() if isinstance(value, str) and PATH.search(key)]
    texts = [value for value in arguments.values() if isinstance(value, str)]
    if len(named) != 1 or len(list(strings_of(arguments))) != len(texts):
        return None
    path = place_in(named[0], workspace)
    return None if path.startswith("/") else path


def _only(arguments: Mapping[str, JsonValue], kind: re.Pattern[str]) -> str | None:
    """The one text among the arguments whose name is of a kind."""
    found = [v for k, v in arguments.items() if isinstance(v, str) and kind.search(k) and not PATH.search(k)]
    return found[0] if len(found) == 1 else None


def _how(must: str, there: str) -> str:
    """What became of a text; empty if the file is quite another one, for then somebody else has written it."""
    for how, alike in ALIKE:
        if alike(must) == alike(there):
            return how
    kept = sum(shared(must, there))
    return "changed" if kept * 2 >= max(len(must), 1) or _near(must, there) else ""


def _near(must: str, there: str) -> bool:
    """Whether most words of a text are those of another one."""
    words = set(re.findall(r"\w+", must))
    return bool(words) and len(words & set(re.findall(r"\w+", there))) * 2 > len(words)


def _declared(how: str, must: str, there: str, renderer: Renderer) -> bool:
    if how == "control":
        return Drop(what="control") in renderer.losses and without_control(must) == without_control(there)
    return renderer.plain(must) == renderer.plain(there)
