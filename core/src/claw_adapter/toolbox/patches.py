"""A file's content as tools may want it: whole, or as a change of what stands there, in the common notations."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["NOTATIONS", "notations_for"]

Notation = Callable[[str, str, str], str]
"""Path, content, and what stands there before (empty where there is no file) to a text."""


def _whole(path: str, content: str, before: str) -> str:
    del path, before
    return content


def _base64(path: str, content: str, before: str) -> str:
    del path, before
    return base64.b64encode(content.encode()).decode()


def _hunk(path: str, content: str, before: str) -> str:
    del path
    old, new = before.splitlines(), content.splitlines()
    span = f"@@ -{min(1, len(old))},{len(old)} +{min(1, len(new))},{len(new)} @@"
    end = [] if content.endswith("\n") else ["\\ No newline at end of file"]
    return "\n".join((span, *(f"-{line}" for line in old), *(f"+{line}" for line in new), *end)) + "\n"


def _unified(path: str, content: str, before: str) -> str:
    old = f"a/{path}" if before else "/dev/null"
    return f"--- {old}\n+++ b/{path}\n{_hunk(path, content, before)}"


def _git(path: str, content: str, before: str) -> str:
    mode = "" if before else "new file mode 100644\n"
    return f"diff --git a/{path} b/{path}\n{mode}{_unified(path, content, before)}"


def _block(path: str, content: str, before: str) -> str:
    del path
    return f"<<<<<<< SEARCH\n{_ended(before)}=======\n{_ended(content)}>>>>>>> REPLACE\n"


def _named_block(path: str, content: str, before: str) -> str:
    return f"{path}\n{_block(path, content, before)}"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _patch(path: str, content: str, before: str) -> str:
    old, new = ([f"{sign}{line}" for line in text.splitlines()] for sign, text in (("-", before), ("+", content)))
    change = [f"*** Update File: {path}", "@@", *old, *new] if before else [f"*** Add File: {path}", *new]
    return "\n".join(("*** Begin Patch", *change, "*** End Patch"))


NOTATIONS: Final[Mapping[str, Notation]] = {
    "whole": _whole,
    "patch": _patch,
    "git": _git,
    "unified": _unified,
    "hunk": _hunk,
    "block": _block,
    "named block": _named_block,
    "base64": _base64,
}
_SIGNS: Final = {
    "patch": "*** ",
    "git": "diff --git",
    "unified": "+++",
    "hunk": "@@",
    "block": "SEARCH",
    "named block": "SEARCH",
    "base64": "base64",
}
"""What stands in a description that explains a notation."""
_WITH_PATH: Final = ("patch", "git", "unified", "named block")


def notations_for(said: str, *, path_given: bool) -> list[str]:
    """The notations to try, those first whose signs a description has.

    Args:
        said: all that a tool says of itself.
        path_given: whether the path is given besides.
    """
    fitting = [name for name in NOTATIONS if path_given or name in _WITH_PATH]
    changes = "diff" in said.lower() or "patch" in said.lower()
    signed = [name for name in fitting if _SIGNS.get(name, "\0") in said]
    others = [name for name in fitting if name not in signed and (changes or name == "whole")]
    return [*signed, *sorted(others, key=lambda name: changes and name == "whole")]
