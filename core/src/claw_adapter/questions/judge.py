"""Decide rules about agent-made text: ``python -I judge.py REQUEST WORKSPACE`` prints one verdict per rule.

A program of its own, run in the sandbox by `claw_adapter.questions.rules`, because a regular expression from a scenario
meets text from an agent and may take for ever: each rule has its seconds, and the sandbox ends the whole. Standard library
only (and PyYAML for rules about YAML). It never writes, and follows no link.

The request is JSON: ``{"seconds": S, "answer": TEXT, "changed": PATHS, "rules": {ID: RULE}}`` with the fields of
`protocol.Preference`; the reply is ``{ID: [passed, why]}``. PATHS are the files that were created or changed in the round, and
only they count; null when that is not known.
"""

from __future__ import annotations

import csv
import fnmatch
import io
import json
import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from types import FrameType
from typing import Any, Final

__all__ = ["decide", "headings", "main", "matches"]

Rule = dict[str, Any]
TEXT_BYTES: Final = 1024 * 1024
"""What patterns see of each file, and of the answer."""
PARSED_BYTES: Final = 16 * 1024 * 1024
"""The largest file that is parsed for a `format`."""
MAX_FILES: Final = 1000
MAX_NAMES: Final = 100_000


class TooSlow(Exception):
    """A rule took longer than it may."""


def main(arguments: list[str]) -> int:
    """Read the request, decide every rule, print the verdicts."""
    with open(arguments[0], encoding="utf-8") as source:  # noqa: PTH123 - this program starts in milliseconds without pathlib
        request = json.load(source)
    signal.signal(signal.SIGALRM, _alarm)
    answer, changed = request["answer"][:TEXT_BYTES], request.get("changed")
    among = None if changed is None else frozenset(changed)
    verdicts = {
        name: within(request["seconds"], partial(decide, rule, answer, arguments[1], among))
        for name, rule in request["rules"].items()
    }
    json.dump(verdicts, sys.stdout)
    return 0


def within(seconds: float, work: Callable[[], tuple[bool, str]]) -> tuple[bool, str]:
    """The verdict, or a failed one if it takes too long; matching of regular expressions heeds signals."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    except TooSlow:
        return False, f"not decided within {seconds:g} s"
    except (MemoryError, RecursionError) as error:
        return False, f"not decided: {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def decide(rule: Rule, answer: str, workspace: str, among: Collection[str] | None = None) -> tuple[bool, str]:
    """Whether a rule is kept, and if not, by what.

    Args:
        rule: the fields of a preference.
        answer: the reply.
        workspace: a folder.
        among: paths of the files that count; None for all.
    """
    if rule.get("answer"):
        return _verdict(_text_fault(rule, answer), "the answer")
    paths = list(find(workspace, rule["files"], among))
    if not paths:
        return False, f"no file{'' if among is None else ' of this round'} matches {rule['files']!r}"
    if (name := rule.get("name")) and not any(re.search(name, path.rpartition("/")[2]) for path in paths):
        return False, f"no file name among {len(paths)} matches {name!r}"
    for path in paths:
        fault = _file_fault(rule, read(workspace, path, PARSED_BYTES + 1 if rule.get("format") else TEXT_BYTES))
        if fault:
            return _verdict(fault, path)
    return True, ""


def _verdict(fault: str, what: str) -> tuple[bool, str]:
    return not fault, f"{what} {fault}" if fault else ""


def _text_fault(rule: Rule, text: str) -> str:
    if (pattern := rule.get("contains")) and not re.search(pattern, text, re.MULTILINE):
        return f"does not contain {pattern!r}"
    if (pattern := rule.get("lacks")) and re.search(pattern, text, re.MULTILINE):
        return f"contains {pattern!r}"
    return ""


def _file_fault(rule: Rule, data: bytes) -> str:
    text = data[:TEXT_BYTES].decode("utf-8-sig", "replace")
    fault = _text_fault(rule, text)
    if not fault and (wanted := rule.get("headings")) and (count := len(headings(text))) < wanted:
        fault = f"has {count} headings, not {wanted}"
    if not fault and (name := rule.get("format")):
        if len(data) > PARSED_BYTES:
            return f"is larger than {PARSED_BYTES} bytes"
        try:
            FORMATS[name](data.decode("utf-8-sig"))
        except (ValueError, csv.Error, RecursionError) as error:
            fault = f"is no {name}: {error}"
    return fault


def headings(text: str) -> list[str]:
    """Markdown headings (``#`` to ``######``) outside fenced code."""
    found: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and re.match(r" {0,3}#{1,6}[ \t]+\S", line):
            found.append(line.strip())
    return found


def _json(text: str) -> None:
    json.loads(text)


def _csv(text: str) -> None:
    """At least two columns, and the same number in every row."""
    rows = [row for row in csv.reader(io.StringIO(text), strict=True) if row]
    widths = {len(row) for row in rows}
    if not rows or len(widths) != 1 or widths == {1}:
        raise ValueError(f"{len(rows)} rows with {sorted(widths)} columns")


def _yaml(text: str) -> None:
    """A mapping or a sequence: any word would be YAML otherwise."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    if not isinstance(value, (dict, list)):
        raise ValueError("neither a mapping nor a sequence")  # noqa: TRY004 - the content is wrong, not a type of ours


def _markdown(text: str) -> None:
    """Text with at least one heading: any text would be Markdown otherwise."""
    if not headings(text):
        raise ValueError("no heading")


FORMATS: Final[dict[str, Callable[[str], None]]] = {"json": _json, "csv": _csv, "yaml": _yaml, "markdown": _markdown}


def find(workspace: str, pattern: str, among: Collection[str] | None = None) -> Iterator[str]:
    """Paths of regular files that match a glob, sorted by folder: ``*`` within a name, ``**`` over folders; at most 1000.

    With `among`, only files of these paths.
    """
    parts = pattern.strip("/").split("/")
    seen = found = 0
    for folder, names, files in os.walk(workspace):
        names.sort()
        base = os.path.relpath(folder, workspace)
        for name in sorted(files):
            seen += 1
            path = name if base == "." else f"{base}/{name}"
            if among is not None and path not in among:
                continue
            if matches(path.split("/"), parts) and _regular(f"{workspace}/{path}"):
                found += 1
                yield path
            if found >= MAX_FILES or seen >= MAX_NAMES:
                return


def _regular(path: str) -> bool:
    """Whether a file is there that is no link; not where its path is longer than any may be."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def matches(path: list[str], pattern: list[str]) -> bool:
    """Whether the parts of a path match the parts of a glob; ``**`` stands for any number of folders."""
    reached = {0}
    for part in path:
        reached = _spread(reached, pattern)
        here = {at for at in reached if at < len(pattern)}
        stay = {at for at in here if pattern[at] == "**"}
        step = {at + 1 for at in here - stay if fnmatch.fnmatchcase(part, pattern[at])}
        reached = stay | step
    return len(pattern) in _spread(reached, pattern)


def _spread(reached: set[int], pattern: list[str]) -> set[int]:
    """``**`` may also stand for nothing."""
    reached = set(reached)
    for at in range(len(pattern)):
        if at in reached and pattern[at] == "**":
            reached.add(at + 1)
    return reached


def read(workspace: str, path: str, size: int = TEXT_BYTES) -> bytes:
    """The first `size` bytes of a file; nothing if it cannot be read or is no longer a regular file."""
    try:
        descriptor = os.open(f"{workspace}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as source:
        return source.read(size) if stat.S_ISREG(os.fstat(source.fileno()).st_mode) else b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
