"""The command in what a model says."""

from __future__ import annotations

import json
import re
from typing import Final

__all__ = ["STOP_WORDS", "command_of"]

STOP_WORDS: Final = frozenset({"done", "exit", "quit"})
"""The runner's words, by which an agent ends its turn; no environment ever sees them."""

_FENCE: Final = re.compile(r"```[a-z]*\n(.*?)```", re.DOTALL)
_THOUGHTS: Final = re.compile(r"<(think|thinking)>.*?(</\1>|\Z)", re.DOTALL)
_LINE: Final = re.compile(r"""(?:[^'"\\\n]|\\.|'[^']*'|"(?:[^"\\]|\\.)*+")*+(?=\n|\Z)""", re.DOTALL)
"""A line of a POSIX shell: what is quoted or escaped may go on in the next ones."""


def command_of(text: str) -> str:
    """The command in a model's message, thoughts aside: a JSON object's ``command``, else the first line (of a code block).

    A quote that the line leaves open takes in the lines up to its end. Backticks around the line, and the full stop behind
    a stop word, are not part of the command. Empty where nothing was said.
    """
    stripped = _THOUGHTS.sub("", text).strip()
    if stripped.startswith("{"):
        try:
            data = json.loads(stripped)
        except ValueError:
            data = None
        if isinstance(data, dict) and isinstance(data.get("command"), str):
            return str(data["command"]).strip()
    block = _FENCE.search(stripped)
    line = _first(block[1] if block else stripped).strip().removeprefix("$ ").strip()
    if len(line) > 1 and line[0] == line[-1] == "`":
        line = line.strip("`").strip()
    word = line.rstrip(".!").lower()
    return word if word in STOP_WORDS else line


def _first(text: str) -> str:
    """The first line that says something, with those that its open quote takes in; by itself if the quote never ends."""
    stripped = text.strip()
    whole = _LINE.match(stripped)
    return whole[0] if whole else stripped.partition("\n")[0]
