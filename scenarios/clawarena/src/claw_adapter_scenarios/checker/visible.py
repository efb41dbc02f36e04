"""What of a document of Markdown is shown as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .tags import without_tags

__all__ = ["BULLET", "visible_lines"]

BULLET = re.compile(r"\s*(?:[-*+•·–][ \t]+|\(?\d{1,3}[.)、][ \t]*)?(?:\[[xX]\][ \t]+)?")
FENCE = re.compile(r" {0,3}(?:[-*+][ \t]+)?(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
KEY = re.compile(r"[\w-]+:(?:\s|\Z)")


def visible_lines(text: str, begins: Callable[[str], bool]) -> list[str]:
    """The lines, those of comments, code blocks, quotations and the front matter empty, HTML as Markdown.

    Args:
        text: the document.
        begins: whether a line is the heading of a section that was asked for.
    """
    shown = COMMENT.sub(lambda hit: "\n" * hit[0].count("\n"), _unfenced(re.sub("\r\n?", "\n", text)))
    lines = without_tags(shown).split("\n")
    front = _front_matter(lines, begins)
    return ["" if at < front or line.lstrip().startswith(">") else line for at, line in enumerate(lines)]


def _front_matter(lines: Sequence[str], begins: Callable[[str], bool]) -> int:
    """How many lines are front matter: a mapping of YAML between two rules, in which no section that was asked for begins."""
    ends = [at for at, line in enumerate(lines) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        return 0
    inside = [line for line in lines[1 : ends[1]] if line.strip()]
    mapped = bool(inside) and bool(KEY.match(next((line for line in inside if line[0] != "#"), "")))
    titled = any(begins(line) for line in inside)
    return ends[1] + 1 if mapped and not titled and all(KEY.match(line) or line[0] in " \t-#" for line in inside) else 0


def _unfenced(text: str) -> str:
    """Without code: what lies between fences, and blocks that are indented outside a list."""
    kept: list[str] = []
    fence, listed, before = "", False, ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        if fence:
            closes = found and found[1].startswith(fence) and not line.strip(f" {fence[0]}")
            fence = "" if closes else fence
            kept.append("")
            continue
        if found:
            fence = found[1]
            kept.append("")
            continue
        if line.strip():
            marked = BULLET.match(line)
            deep = line.startswith(("    ", "\t"))
            listed = listed if deep else bool(marked and marked[0].strip()) or (listed and line[:1] == " ")
            if deep and not listed and not before.strip():
                kept.append("")
                continue
        before = line
        kept.append(line)
    return "\n".join(kept)
