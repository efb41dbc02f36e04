"""An oracle's document taken apart, so that it can be laid out otherwise: headings, labels with values, everything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Line", "line_of", "lines_of", "together"]


@dataclass(frozen=True)
class Line:
    """One line; `label` is empty for all others, `title` for what is no heading that was asked for."""

    text: str
    section: str = ""
    """The title of the section it stands in."""
    title: str = ""
    label: str = ""
    value: str = ""
    colon: str = ": "
    row: bool = False
    """Whether it is a row of a table."""

    @property
    def bare(self) -> str:
        """Label and value without a bullet."""
        return f"{self.label}{self.colon}{self.value}"


def lines_of(rule: Mapping[str, Any], text: str) -> list[Line]:
    """The lines of a document that the compiler has written."""
    labels = {section["title"]: section["labels"] for section in rule["sections"]}
    section, made = "", []
    for line in text.split("\n"):
        if line.startswith("## ") and line[3:] in labels:
            section = line[3:]
            made.append(Line(line, section, title=section))
            continue
        made.append(_labelled(line, section, labels.get(section, ())))
    return made


def _labelled(line: str, section: str, labels: Iterable[str]) -> Line:
    if row := re.fullmatch(r"\| (.*?) \| (.*?) ?\|", line):
        return Line(line, section, label=row[1], value=row[2], row=True) if row[1] in labels else Line(line, section)
    for label in labels:
        for colon in (": ", ":", "："):  # noqa: RUF001
            if line.startswith(f"- {label}{colon}"):
                return Line(line, section, label=label, value=line[len(f"- {label}{colon}") :], colon=colon)
    return Line(line, section)


def line_of(label: str, value: str, colon: str = ": ", *, row: bool = False) -> str:
    """``- Label: value``, or the row of a table."""
    return f"| {label} | {value} |" if row else f"- {label}{colon}{value}"


def together(lines: list[Line], change: Callable[[Line], Line | None] = lambda line: line) -> str:
    """The text, every line changed (None drops it); a changed value is written behind its label."""
    kept = [(line, change(line)) for line in lines]
    return "\n".join(_text(old, new) for old, new in kept if new is not None)


def _text(old: Line, new: Line) -> str:
    if new.label and (new.value, new.label) != (old.value, old.label) and new.text == old.text:
        new = replace(new, text=line_of(new.label, new.value, new.colon, row=new.row))
    return new.text
