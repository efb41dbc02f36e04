"""An artefact of Markdown: its sections, and the values behind their labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .faults import Faults, Kind
from .markdown import Section, read_sections
from .pairs import Entry
from .typed import Known, contradicts, formless, is_of_list, is_other, judge
from .values import clean, fold

__all__ = ["check_markdown", "has_section", "says"]

MOST_SIGNS = 3
"""Signs of Chinese that make up a word at the head of a column."""


def check_markdown(rule: Mapping[str, Any], text: str, known: Known) -> Faults:
    """Every section once and with something in it, every label with its value, and no other value of that label."""
    asked = [(section["title"], section["labels"]) for section in rule["sections"]]
    found = read_sections(text, asked)
    for title, labels in asked:
        yield from _check_section(found[title], labels, known)
    for words in rule.get("lacks", ()):
        if says(text, words):
            yield "", "fact", f"says {words!r}, which was not to be said"


def has_section(rule: Mapping[str, Any], text: object) -> bool:
    """Whether a text has one of the sections that were asked for."""
    asked = [(section["title"], section["labels"]) for section in rule["sections"]]
    return isinstance(text, str) and any(one.headings for one in read_sections(text, asked).values())


def _check_section(section: Section, labels: Mapping[str, Any], known: Known) -> Faults:
    if section.headings != 1:
        kind: Kind = "missing" if not section.headings else "format"
        yield section.title, kind, "there is no such section" if kind == "missing" else "is there more than once"
        return
    if section.parted:
        yield section.title, "format", "has labels below one of its own headings and none below another: which holds?"
        return
    if not labels and not section.text:
        yield section.title, "missing", "the section is empty"
    for label, wanted in labels.items():
        place = f"{section.title} / {label}"
        entries = section.entries.get(label, [])
        if not entries:
            yield place, "missing", "there is no such line in the section"
        outcomes = [_judge_entry(wanted, entry, known) for entry in entries]
        wrong = [outcome for outcome in outcomes if outcome is not None]
        if wrong and len(wrong) < len(entries):
            yield place, "format", "has two values"
        elif wrong:
            yield place, *wrong[0]
        elif any(_differs(wanted, entry, known) for entry in section.elsewhere.get(label, ())):
            yield place, "format", "has another value elsewhere"


def _differs(wanted: Any, entry: Entry, known: Known) -> bool:
    outcome = _judge_entry(formless(wanted), entry, known)
    return outcome is not None and outcome[0] != "format"


def _judge_entry(wanted: Any, entry: Entry, known: Known) -> tuple[Kind, str] | None:
    """A value alone, or with the unit from the head of its column or label; a unit that changes it is not passed over."""
    if any(is_other(wanted, other, known) for other in entry.beside):
        return "format", "has two values"
    if is_of_list(wanted) and any(is_other(wanted, head, known) for head in entry.heads):
        return "format", "the head of its column or row is another value"
    if entry.columns and not all(_is_plain(wanted, entry.value, head, known) for head in entry.columns):
        return "format", "the head of its column says more than a word or a unit: write `Label: value`"
    alone = judge(wanted, entry.value, known)
    if alone is not None and alone[0] == "format" and entry.first:  # lines below it that are no part of the value
        below = f"{entry.value.removeprefix(entry.first)} {entry.below}".strip()
        if not contradicts(wanted, entry.first, below, known):
            return _judge_entry(wanted, entry._replace(value=entry.first, below="", first=""), known)
    if alone is None and entry.below and contradicts(wanted, entry.value, entry.below, known):
        return "format", "has another value in the line below"
    return _with_unit(wanted, entry, alone, known) if entry.unit and entry.value else alone


def _is_plain(wanted: Any, value: str, head: str, known: Known) -> bool:
    """Whether the head of a column is one word, or ends with a unit, and leaves the value what it is.

    What more words say of the values below them (that they are old, or of something else), their form does not show.
    """
    words = re.sub(r"[()（）\[\]]", " ", clean(head)).split()  # noqa: RUF001
    if not words:
        return True
    ends = [" ".join(words[at:]) for at in range(len(words))]
    pairs = [f"{word} {words[-1]}" for word in words[:-2]]
    lines = [f"{value} {text}" for text in (*ends, *pairs)] + [f"{text} {value}" for text in ends]
    read = [judge(formless(wanted), line, known) for line in lines]
    if any(outcome is not None and outcome[0] != "format" for outcome in read):
        return False
    return None in read or (len(words) == 1 and len(re.findall("[\u3400-\u9fff]", head)) <= MOST_SIGNS)


def _with_unit(wanted: Any, entry: Entry, alone: tuple[Kind, str] | None, known: Known) -> tuple[Kind, str] | None:
    together = judge(formless(wanted), f"{entry.value} {entry.unit}", known)
    if alone is None and entry.from_label and together is not None:
        return "format", f"the label has ({entry.unit}) behind it"
    if alone is None or wanted.get("as", {}).get("form"):
        return alone
    return None if together is None else together if alone[0] == "format" else alone


def says(text: str, words: str) -> bool:
    """Whether words stand in a text, as words of their own, whatever their case and emphasis."""
    pattern = re.escape(fold(clean(words)))
    return re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", fold(clean(text))) is not None
