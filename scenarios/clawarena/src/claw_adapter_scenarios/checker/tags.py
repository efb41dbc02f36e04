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
HIDDEN = re.compile(r"\shidden[\s=/>]", re.IGNORECASE)
TERM = re.compile("[:：]?</dt>", re.IGNORECASE)  # noqa: RUF001
FORMATTING = "a abbr b big cite code em font i kbd mark samp small span strong tt u var"
BLOCKS = """
address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer form
h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul
"""


def without_tags(text: str) -> str:
    """Formatting taken away, a row of a table as one of Markdown's, and what any other block holds on lines of its own.

    What changes the meaning (``<del>``, ``<sup>``), what is hidden and what is no tag of HTML stays as it is.
    """
    text = LAST_BREAK.sub("", TAG.sub(_on_one_line, text))
    text = ROWS.sub(_rows, GROUP.sub("", TERM.sub(":</dt>", text)))
    return "\n".join(_line(line) for line in text.split("\n"))


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
    if HIDDEN.search(tag[0]) or name not in f"{FORMATTING} {BLOCKS}".split():
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
