"""The command in what a model says."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Final

__all__ = ["STOP_WORDS", "command_of"]

MOST_OBJECTS: Final = 20
STOP_WORDS: Final = frozenset({"done", "exit", "quit"})
"""The runner's words, by which an agent ends its turn; no environment ever sees them."""

_FENCE: Final = re.compile(r"```[a-z]*\n(.*?)```", re.DOTALL)
_THOUGHTS: Final = re.compile(r"<(think|thinking)>.*?(</\1>|\Z)", re.DOTALL)
_LINE: Final = re.compile(r"""(?:[^'"\\\n]|\\.|'[^']*'|"(?:[^"\\]|\\.)*+")*+(?=\n|\Z)""", re.DOTALL)
"""A line of a POSIX shell: what is quoted or escaped may go on in the next ones."""
_LINE_START: Final = r"^[ \t]*(?:(?:[-*>]|\d+[.)])[ \t]+)*(?:[^\s'\"`]*[$>][ \t]+)?(?:<\w+>\s*)?"
_COLON: Final = r":\**\s+|\uff1a\**\s*"
_PLACE: Final = rf"(?:{_LINE_START}|{_COLON}|(?=`)|(?=\*\*[^\s*]+ [^\n]*?\*\*))(?:(?P<span>`)|(?P<bold>\*\*?|__?)?)"
"""Where a command may begin: a line (behind a prompt or a tag), what is behind a colon, a code span; each of them emphasised as
well; bold words."""


def command_of(text: str, programs: Collection[str] = ()) -> str:
    """The command in a model's message, thoughts aside: a JSON object's ``command``, else a line (of the first code block).

    With `programs` it is what the first of them begins, at the start of a line (behind a bullet, a prompt, a tag, emphasis),
    behind a colon, in bold words, or in a code span; else, and without `programs`, the first line. A quote that the line leaves
    open takes in the lines up to its end. Backticks around the line, and the full stop behind a stop word, are not part of the
    command. Empty where nothing was said.
    """
    stripped = _THOUGHTS.sub("", text).strip()
    if stripped.startswith("{") and (command := _in_json(stripped)) is not None:
        return command
    block = _FENCE.search(stripped)
    said = block[1] if block else stripped
    if begun := _begun(said, programs):
        return begun
    if (command := _in_json(stripped)) is not None:
        return command
    line = _first(said).strip().removeprefix("$ ").strip()
    if len(line) > 1 and line[0] == line[-1] == "`":
        line = line.strip("`").strip()
    lines = said.splitlines() if programs else [line]
    # the last line may name what it says, "Command: done", or say it in a sentence of its own, "All is sent. DONE"
    ends = map(
        _bare,
        (*lines, *(lines[-1].rstrip(" .!*_`").rpartition(sign)[2] for sign in (":", ". ", "! "))) if lines else (),
    )
    return next((word for word in ends if word in STOP_WORDS), line)


def _in_json(text: str) -> str | None:
    """The ``command`` of the first object of JSON that stands in a text; None where there is none."""
    for place in [at for at, sign in enumerate(text) if sign == "{"][:MOST_OBJECTS]:
        try:
            data, _ = json.JSONDecoder().raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and isinstance(data.get("command"), str):
            return str(data["command"]).strip()
    return None


def _bare(line: str) -> str:
    """A line without emphasis and full stop, in small letters."""
    return line.strip(" \t*_`").rstrip(".!").lower()


def _begun(said: str, programs: Collection[str]) -> str:
    """What the first program's name begins, where a person would look for a command; empty if there is no such place."""
    if not programs:
        return ""
    names = "|".join(re.escape(name) for name in sorted(programs, key=len, reverse=True))
    found = re.search(rf"(?m){_PLACE}(?P<command>(?:{names})(?![^\s`*]))", said)
    if found is None:
        return ""
    rest = said[found.start("command") :]
    if found["span"]:
        return rest.partition("`")[0].strip()
    line = _first(rest).strip()
    if tag := re.search(r"<\w+>\s*$", said[: found.start("command")]):
        return line.removesuffix(f"</{tag[0].strip()[1:]}").strip()
    if not (bold := found["bold"]):
        return line
    ended = line.rstrip(".!")
    # a bold line may hold the sign itself; bold words in a sentence end at the next one
    return (ended.removesuffix(bold) if ended.endswith(bold) else line.partition(bold)[0]).strip()


def _first(text: str) -> str:
    """The first line that says something, with those that its open quote takes in; by itself if the quote never ends."""
    stripped = text.strip()
    whole = _LINE.match(stripped)
    return whole[0] if whole else stripped.partition("\n")[0]
