"""What writing leaves: the file that a call was to make, with the text that the model gave it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.rendering import ALIKE, Renderer, without_control
from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.protocol.limits import Drop
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange
from claw_adapter.shared import shared

__all__ = ["judge_writes"]

WRITES: Final = re.compile(r"write|create|save|put", re.IGNORECASE)
OTHERS: Final = re.compile(
    r"edit|append|insert|patch|replace|delete|read|search|list|find|grep|update|todo|plan", re.IGNORECASE
)
LOOKS: Final = re.compile(r"read|view|list|show|search|grep|find|glob|stat|get|history", re.IGNORECASE)


def judge_writes(
    steps: Sequence[tuple[RequestUnit, RequestUnit, Exchange]],
    after: Mapping[str, str],
    workspace: str,
    renderer: Renderer,
    book: Book,
    *,
    strict: bool,
) -> None:
    """Every file that a turn has written last by a call that gives all of it.

    Args:
        steps: the calls of a turn with their results.
        after: the text files behind the turn.
        workspace: the end of the workspace's path.
        renderer: the declared renderings.
        book: takes the findings.
        strict: nothing but these calls can have changed a file, and none is meant to be refused.
    """
    written: dict[str, tuple[str, Exchange]] = {}
    for call, _, exchange in steps:
        name, arguments = call.text.partition(" ")[0], arguments_of(call)
        if WRITES.search(name) and not OTHERS.search(name):
            if (found := _given(arguments, workspace)) is not None:
                written[found[0]] = found[1], exchange
        elif not strict and not LOOKS.search(name):
            written.clear()  # whatever it was, it may have gone on with the files
    for path, (content, exchange) in written.items():
        if path in after and after[path] != content:
            how = _how(content, after[path])
            if how and not _declared(how, content, after[path], renderer):
                what = f"{path} was to be written with {len(content):,} characters, and {HOW.get(how, how)}"
                book.find("M17", f"written-{how}", what, owner="harness", request=exchange.number)


HOW: Final = {
    "stripped": "has lost blanks at its ends, or got some",
    "newlines": "has other line ends",
    "unicode": "has other characters (Unicode normal form)",
    "control": "has lost control characters",
    "directives": "has lost lines",
    "blanks": "has lost blanks or line ends",
    "changed": "has others",
}


def _given(arguments: Mapping[str, object], workspace: str) -> tuple[str, str] | None:
    """The path and the text of a call that names a file and gives one text, whatever they are called."""
    texts = [text for text in arguments.values() if isinstance(text, str)]
    if len(texts) < 2 or len(list(strings_of(dict(arguments)))) != len(texts):
        return None
    named = [
        key
        for key, value in arguments.items()
        if isinstance(value, str) and re.search(r"path|file", key, re.IGNORECASE)
    ]
    given = [
        key
        for key, value in arguments.items()
        if isinstance(value, str) and re.search(r"content|text|body|data", key, re.IGNORECASE)
    ]
    if len(named) != 1 or len(given) != 1 or named == given:
        return None
    path, content = str(arguments[named[0]]), str(arguments[given[0]])
    tail = path.partition(workspace)[2].lstrip("/") if workspace in path else path
    return tail.removeprefix("./"), content


def _how(content: str, there: str) -> str:
    """What became of a text; empty if the file is quite another one, which is no damage: the call was refused."""
    for how, alike in ALIKE:
        if alike(content) == alike(there):
            return how
    kept = sum(shared(content, there))
    return "changed" if kept * 2 >= max(len(content), 1) or _near(content, there) else ""


def _near(content: str, there: str) -> bool:
    """Whether most words of a text are those of another one."""
    words = set(re.findall(r"\w+", content))
    return bool(words) and len(words & set(re.findall(r"\w+", there))) * 2 > len(words)


def _declared(how: str, content: str, there: str, renderer: Renderer) -> bool:
    if how == "control":
        return Drop(what="control") in renderer.losses and without_control(content) == without_control(there)
    return renderer.plain(content) == renderer.plain(there)
