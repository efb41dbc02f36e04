"""The calls that a tool allows, as plain records: a `Params` is a form of call, a `Param` a value and the way to its place."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from claw_adapter.patterns import key_of, words

__all__ = [
    "EXEC_VERBS",
    "HARM",
    "NEXT",
    "OPERATION",
    "PAGE_END",
    "PAGE_SIZE",
    "PAGE_START",
    "PARTS",
    "READ_VERBS",
    "REMOVAL",
    "TAKEN_AWAY",
    "TAKES_AWAY",
    "VERBS",
    "WRITE_VERBS",
    "At",
    "Param",
    "Params",
    "invents",
    "means",
    "placed",
    "words",
]

At = tuple[str | int | None, ...]
"""The way to a place in the arguments: keys, positions, and None where what follows is JSON inside a text."""

READ_VERBS: Final = ("view", "read", "cat", "get", "open", "show", "history", "messages")
WRITE_VERBS: Final = ("create", "write", "put", "save", "overwrite", "set", "store")
EXEC_VERBS: Final = ("run", "exec", "execute", "start", "bash", "shell")
VERBS: Final = frozenset((*READ_VERBS, *WRITE_VERBS, *EXEC_VERBS))
OPERATION: Final = ("command", "action", "operation", "op", "mode", "method")
"""Keys of parameters that may choose what a tool does."""
REMOVAL: Final = frozenset({"delete", "remove", "rm", "unlink"})
TAKES_AWAY: Final = REMOVAL | frozenset({
    "trash", "move", "mv", "rename", "clear", "archive", "empty", "empties", "emptied", "truncate", "erase", "wipe", "discard",
    "drop", "purge", "retire", "recycle", "destroy", "shred", "blank", "flush", "revert", "restore", "rollback", "undo", "rid",
    "shelve", "stash", "trim", "strip", "prune", "scrub", "redact", "pop", "consume", "dequeue", "withdraw", "evict", "expire",
    "hide", "seal", "freeze", "relocate", "transfer", "checkout",
})  # fmt: skip
TAKEN_AWAY: Final = frozenset({
    "archives", "archived", "deletes", "deleted", "empties", "emptied", "erases", "erased", "shelves", "shelved", "retires",
    "retired", "trashes", "trashed", "purges", "purged", "wipes", "wiped", "destroys", "destroyed",
})  # fmt: skip
"""Words anywhere in a description that say what becomes of what is given."""
HARM: Final = TAKES_AWAY | frozenset({
    "upload", "send", "share", "publish", "install", "uninstall", "kill", "reset", "spawn", "mail", "post", "cancel", "abort",
    "terminate", "deploy", "commit", "push", "pay",
})  # fmt: skip
"""What cannot be taken back."""
PARTS: Final = "\0"
"""What stands between parts of a text that a list is to hold one by one."""
PAGE_SIZE: Final = (
    "limit", "maxlines", "length", "endline", "end", "lines", "numlines", "count", "maxentries", "lastn", "maxmessages",
)  # fmt: skip
"""Keys of parameters that say how much is shown at once."""
PAGE_START: Final = (
    "offset", "startline", "linestart", "start", "fromline", "from", "firstline", "first", "begin", "lineoffset",
    "startingline", "cursorline",
)  # fmt: skip
PAGE_END: Final = ("endline", "end", "lineend", "toline", "to", "lastline")
"""Keys of those that say where a page begins, and where it ends."""
NEXT: Final = frozenset(("next", "continue", "continuation"))
"""Words of a field of a result that gives the place to go on from."""
_UNSAID: Final = "a value that nobody has said"
"""Stands for a text that is required and that neither the schema nor a result gives: no call is made with it."""
_REMARKS: Final = (
    "explanation", "reason", "thought", "purpose", "justification", "rationale", "intent", "why", "description", "comment",
)  # fmt: skip
"""Keys of parameters that take what a call is made for, in any words."""
_UNITS: Final = {
    frozenset(("s", "sec", "secs", "second", "seconds")): 1,
    frozenset(("ms", "millisecond", "milliseconds")): 1000,
}
"""Names of units of time, and how many of each make a second."""
_NEGATED: Final = re.compile(r"\b(?:not|no|never|don't|cannot|isn't|aren't|instead of|rather than)\b")


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter; `types` are JSON Schema type names, empty when the schema does not say."""

    name: str
    types: frozenset[str]
    required: bool
    enum: tuple[JsonValue, ...] = ()
    default: JsonValue = None
    minimum: float | None = None
    maximum: float | None = None
    description: str = ""
    at: At = ()
    nullable: bool = False
    example: JsonValue = None
    longest: int = 0
    """Most characters of a text; 0 where the schema sets no bound."""
    texts: bool = False
    """Whether it is a list of texts."""
    mapped: bool = False
    """Whether it is an object with texts under any keys."""
    encoded: bool = False
    """Whether it takes base64."""

    @property
    def key(self) -> str:
        """The name without case and separators: ``filePath``, ``file_path`` and ``file-path`` are one."""
        return key_of(self.name)

    def accepts(self, kind: str) -> bool:
        """Whether a value of a JSON Schema type may be given."""
        return not self.types or kind in self.types or (kind == "integer" and "number" in self.types)

    @property
    def text_only(self) -> bool:
        """Whether it is a free text, or a list of such."""
        return (self.types == {"string"} or (self.texts and self.types == {"array"})) and not self.enum

    @property
    def needed(self) -> bool:
        """Whether it has to be given and has no value of its own."""
        return self.required and self.default is None and len(self.enum) != 1

    @property
    def needs_text(self) -> bool:
        """Whether it has to be given a free text, or a list of such."""
        return self.required and self.text_only

    @property
    def absolute(self) -> bool:
        """Whether its description wants a path from the root on, and leaves no choice."""
        clauses = re.split(r"[.;:(),\n]+", self.description.lower())
        wanted = any("absolute" in c and not _NEGATED.search(c.partition("absolute")[0]) for c in clauses)
        allowed = any(
            "relative" in c and not _NEGATED.search(c.split("relative")[0][-25:] + c.split("relative")[1])
            for c in clauses
        )
        return (wanted or self.key.startswith("absolute") or "start with '/'" in self.description) and not allowed

    def shaped(self, text: str, before: Sequence[str] = (), after: Sequence[str] = ()) -> JsonValue:
        """A text as the schema takes it: alone or in a list, as base64 or as a number, with what stands around it."""
        if self.encoded:
            return base64.b64encode(text.encode()).decode()
        if self.accepts("string"):
            return "".join((*before, text, *after))
        if self.accepts("array"):
            return [*before, *text.split(PARTS), *after]
        return int(text) if text.isdecimal() else text

    @property
    def operates(self) -> bool:
        """Whether its choices are what the tool does."""
        return any(means(str(one), verb) for one in self.enum for verb in VERBS)

    @property
    def limits(self) -> bool:
        """Whether it says how long a call may take."""
        return "timeout" in self.key

    def filler(self) -> JsonValue:
        """A value that the schema allows, for a parameter that means nothing to the reader; no text is made up for one."""
        if self.default is not None or self.nullable:
            return self.default
        if self.enum:  # where a file is opened to be read or to be emptied, an unknown purpose is reading
            safe = [one for one in self.enum if not {*words(str(one))} & HARM]
            return next((one for one in safe for verb in READ_VERBS if means(str(one), verb)), (safe or self.enum)[0])
        if self.example is not None:
            return self.example
        if self.accepts("string"):
            return "needed for the question at hand" if self.key in _REMARKS else _UNSAID
        if self.accepts("integer"):
            low, high = self.minimum, self.maximum
            wide = self.key in PAGE_SIZE or self.limits
            return int(high or max(low or 0, 1000)) if wide else int(low if low is not None else 1)
        fillers: dict[str, JsonValue] = {"boolean": False, "array": [], "object": {}}
        return next((value for kind, value in fillers.items() if self.accepts(kind)), None)


@dataclass(frozen=True, slots=True)
class Params:
    """One form of a tool's call; `name` and `description` are those of the tool, or of the one inside of it."""

    items: tuple[Param, ...]
    name: str = ""
    description: str = ""

    def one_of(self, keys: Iterable[str], kind: str) -> Param | None:
        """The first parameter with one of these keys (in the order of the keys) that accepts a type; required ones first."""
        ranked = [
            (not item.required, rank, position)
            for rank, key in enumerate(keys)
            for position, item in enumerate(self.items)
            if item.key == key and item.accepts(kind)
        ]
        return self.items[min(ranked)[2]] if ranked else None

    def described(self, pattern: re.Pattern[str]) -> Param | None:
        """The required text of which alone the description fits, where no name says what it is for."""
        fitting = [item for item in self.items if item.needs_text and pattern.search(item.description)]
        return fitting[0] if len(fitting) == 1 else None

    def has(self, keys: Iterable[str]) -> bool:
        """Whether any parameter has one of these keys."""
        wanted = set(keys)
        return any(item.key in wanted for item in self.items)

    def lasting(self, seconds: int) -> dict[At, JsonValue]:
        """So many seconds, where a parameter takes how long a call may last and names its unit, one and no other.

        What says none itself has the unit that the tool's description names, if that names the parameter as well.
        """
        told_of = {*words(self.description)}
        for item in self.items if seconds else ():
            own = {*words(item.name), *words(item.description)}
            named = own if any(own & names for names in _UNITS) or not {*words(item.name)} <= told_of else told_of
            units = [size for names, size in _UNITS.items() if named & names]
            if item.limits and item.accepts("integer") and len(units) == 1:
                told = max(seconds * units[0], item.minimum or 0)
                return {item.at: int(min(told, item.maximum or told))}
        return {}

    @property
    def texts(self) -> tuple[Param, ...]:
        """The free texts that have to be given; where none has to be, the only one that may be."""
        every = tuple(item for item in self.items if item.text_only)
        needed = tuple(item for item in every if item.required)
        return needed or (every if len(every) == 1 else ())

    @property
    def dispatches(self) -> tuple[Param, Param] | None:
        """Name and arguments of another tool, where this one calls others: a text beside an object of any form, or JSON."""
        inner = [item for item in self.items if item.types == {"object"} and not item.mapped]
        texts = [item for item in self.items if item.required and item.types == {"string"}]
        inner = inner or [item for item in texts if "JSON" in item.description]
        named = [item for item in texts if item not in inner]
        return (named[0], inner[0]) if len(named) == len(inner) == 1 else None


def means(choice: str, verb: str) -> bool:
    """Whether a choice is a verb, has it among its words, or is its first letter, as in the modes of files."""
    return choice == verb[0] or verb in words(choice)


def invents(arguments: JsonValue) -> bool:
    """Whether a call would need a value that nobody has said."""
    return _UNSAID in json.dumps(arguments)


def placed(node: JsonValue, at: At, value: JsonValue) -> JsonValue:
    """`node` with a value at a place, objects and lists on the way made as they are needed."""
    if not at:
        return value
    head, rest = at[0], at[1:]
    if head is None:
        inside = json.loads(node) if isinstance(node, str) else {}
        return json.dumps(placed(inside, rest, value), ensure_ascii=False)
    if isinstance(head, int):
        items = list(node) if isinstance(node, list) else []
        items += [None] * (head + 1 - len(items))
        items[head] = placed(items[head], rest, value)
        return items
    known = dict(node) if isinstance(node, dict) else {}
    return {**known, head: placed(known.get(head), rest, value)}
