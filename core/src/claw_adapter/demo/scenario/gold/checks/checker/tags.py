"""HTML within Markdown, as lines of Markdown."""

from __future__ import annotations

import re

__all__ = ["without_tags"]

TAG = re.compile(
    r"<(/?)([a-z][a-z0-9]*)(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>", re.IGNORECASE
)
"""As CommonMark has it."""
ROW = re.compile(r"<tr\b[^<>]*>((?:(?!</?tr\b|\n\s*\n).)*+)</tr\s*>\s*", re.IGNORECASE | re.DOTALL)
ROWS = re.compile(f"(?:{ROW.pattern})++", ROW.flags)
CELL = re.compile(r"<t[dh]\b[^<>]*>", re.IGNORECASE)
GROUP = re.compile(r"</?(?:thead|tbody|tfoot|colgroup|col)\b[^<>]*>\s*", re.IGNORECASE)
LAST_BREAK = re.compile(r"<br\s*/?>[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
BLANK_LINE = re.compile(r"\n\s*\n")
ATTRIBUTE = re.compile(r"\s([a-z_:][\w.:-]*)(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?", re.IGNORECASE)
STRUCK = re.compile(r"~~(?=\S)((?:(?!~~|\n\s*\n).)+)~~", re.DOTALL)
TERM = re.compile("[:：]?</dt>", re.IGNORECASE)  # noqa: RUF001
FORMATTING = "a abbr b big cite code em font i kbd mark samp small span strong tt u var"
VOID = "area base br col embed hr img input link meta source track wbr"
BLOCKS = """
address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form
h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul
"""
PLAIN = """
abbr align border cellpadding cellspacing cite class colspan datetime dir headers href id lang name open rel reversed rowspan
scope span start target title type valign value width
"""
"""Attributes that leave what they are of to be seen, as it is: not ``hidden``, and no ``style``."""
UNSEEN = """
audio canvas datalist del dialog head iframe map math meter noembed noframes noscript object picture progress s script select
strike style svg template textarea title video
"""
"""Elements whose content is struck, or is not shown as text."""


def without_tags(text: str) -> str:
    """Formatting taken away, a row of a table as one of Markdown's, and what any other block holds on lines of its own.

    What changes the meaning (``<del>``, ``<sup>``), what is hidden and what is no tag of HTML stays as it is in a line; the
    lines between such tags are left out.
    """
    text = STRUCK.sub(lambda hit: hit[0].replace("\n", "~~\n~~"), text)
    text = LAST_BREAK.sub("", _without_unseen(TAG.sub(_on_one_line, text)))
    text = ROWS.sub(_rows, GROUP.sub("", TERM.sub(":</dt>", text)))
    return "\n".join(_line(line) for line in text.split("\n"))


def _without_unseen(text: str) -> str:
    """Empty lines for those that an element goes on in whose content is not seen; one without an end goes on to the last."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        opened = next((tag for tag in TAG.finditer(lines[at]) if _opens_unseen(tag, lines[at])), None)
        at += 1
        if opened is None:
            continue
        name, depth = opened[2].lower(), 1
        lines[at - 1] = lines[at - 1][: opened.end()]
        while at < len(lines) and depth:
            for tag in TAG.finditer(lines[at]):
                same = tag[2].lower() == name
                depth += (-1 if tag[1] else 1) if same else 0
                if not depth:
                    lines[at] = lines[at][tag.end() :]
                    break
            else:
                lines[at] = ""
                at += 1
    return "\n".join(lines)


def _opens_unseen(tag: re.Match[str], line: str) -> bool:
    """Whether a tag opens an element that is not seen, and does not close it in its line."""
    name = tag[2].lower()
    if tag[1] or name in VOID.split() or (name not in UNSEEN.split() and not _is_styled(tag[0])):
        return False
    depth = 1
    for other in TAG.finditer(line, tag.end()):
        if other[2].lower() == name:
            depth += -1 if other[1] else 1
    return depth > 0


def _is_styled(tag: str) -> bool:
    return any(name.lower() not in PLAIN.split() for name in ATTRIBUTE.findall(tag))


def _on_one_line(tag: re.Match[str]) -> str:
    return tag[0] if BLANK_LINE.search(tag[0]) else " ".join(tag[0].split())


def _rows(found: re.Match[str]) -> str:
    rows = [CELL.split(row[1])[1:] for row in ROW.finditer(found[0])]
    lines = ("|".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) for cells in rows)
    return "\n" + "".join(f"|{line}|\n" for line in lines) + "\n"


def _line(line: str) -> str:
    tabled = line.lstrip().startswith("|")
    return TAG.sub(lambda tag: _instead(tag, tabled=tabled), line)


def _instead(tag: re.Match[str], *, tabled: bool) -> str:
    closes, name = bool(tag[1]), tag[2].lower()
    if _is_styled(tag[0]) or name not in f"{FORMATTING} {BLOCKS}".split():
        return tag[0]
    if name in FORMATTING.split():
        return ""
    if tabled:
        return " "
    if name in ("br", "dt", "dd"):
        return "\n" if name == "br" or not closes else ""
    if name == "li":
        return "\n" if closes else "\n- "
    return "\n\n" if closes or not name[1:].isdecimal() else f"\n\n{'#' * int(name[1])} "
