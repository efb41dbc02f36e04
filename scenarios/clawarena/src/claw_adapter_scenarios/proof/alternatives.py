"""Other ways to write what an oracle writes: each must be accepted."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from claw_adapter_scenarios.checker.program import HAN, NUMBER

__all__ = ["alternatives"]

Files = dict[str, str]
FULL_WIDTH: Final = str.maketrans({chr(code): chr(code + 0xFEE0) for code in (*range(0x30, 0x3A), ord("%"))})
"""Digits and the per cent sign as Chinese keyboards write them."""


def alternatives(expected: dict[str, Any], oracle: Files) -> Iterator[tuple[str, Files]]:
    """Name and files of every alternative."""
    for rule, path in zip(expected["files"], oracle, strict=True):
        text = oracle[path]
        kinds: dict[str, Callable[[dict[str, Any], str], Iterator[tuple[str, str]]]] = {
            "json": _json, "csv": _csv, "markdown": _markdown, "python": _python,
        }  # fmt: skip
        for name, changed in kinds[rule["format"]](rule, text):
            if changed != text:
                yield f"{path}: {name}", {**oracle, path: changed}
        yield (
            f"{path}: with a byte order mark",
            {**oracle, path: f"\ufeff{text}"} if rule["format"] != "python" else oracle,
        )


def _json(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    data = json.loads(text)
    yield "in one line", json.dumps(data)
    yield "keys in another order", json.dumps(dict(reversed(data.items())), indent=4)
    yield "numbers with decimals", json.dumps(_leaves(data, lambda v: float(v) if type(v) is int else v))
    yield "texts in capitals", json.dumps(_leaves(data, lambda v: v.upper() if isinstance(v, str) else v))
    yield "full-width per cent sign", json.dumps(_leaves(data, lambda v: _per_cent(v) if isinstance(v, str) else v))
    yield "lists in another order", json.dumps({k: v[::-1] if isinstance(v, list) else v for k, v in data.items()})
    for name, wanted in rule["fields"].items():
        for other in wanted.get("accept", ()):
            changed = json.loads(text)
            *parents, last = name.split(".")
            holder = changed
            for part in parents:
                holder = holder[part]
            holder[last] = other
            yield f"{name} as {other!r}", json.dumps(changed)


def _leaves(data: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(data, dict):
        return {key: _leaves(value, change) for key, value in data.items()}
    return [_leaves(value, change) for value in data] if isinstance(data, list) else change(data)


def _per_cent(text: str) -> str:
    return text.replace("%", "%".translate(FULL_WIDTH))


def _csv(_rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    rows = list(csv.reader(io.StringIO(text)))
    yield "lines end as on Windows", text.replace("\n", "\r\n")
    made = io.StringIO()
    csv.writer(made, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    yield "all cells quoted", made.getvalue()
    yield "rows in another order", "\n".join(",".join(row) for row in [rows[0], *rows[:0:-1]]) + "\n"
    yield "blanks after commas", text.replace(",", ", ") if '"' not in text else text
    yield "full-width per cent sign", _per_cent(text)


def _markdown(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    yield "other bullets", re.sub(r"(?m)^- ", "* ", text)
    yield "deeper headings", re.sub(r"(?m)^## ", "### ", text)
    yield "a sentence more", f"{text}\nThat is all for today, with kind regards.\n"
    yield from _headings(rule.get("sections", ()), text)
    yield from _numbers(text)
    for group in rule.get("mentions", ()):
        for other in group[1:]:
            yield f"{other!r} for {group[0]!r}", text.replace(group[0], other)


def _headings(sections: list[str], text: str) -> Iterator[tuple[str, str]]:
    """Other headings than a plain writer's; the first line stays the first, as a preference may speak of it."""
    for section in sections:
        yield f"a title that names {section}", re.sub(r"(?m)^(?=## )", f"# Note: {section}\n\n", text, count=1)
        yield f"{section} underlined", text.replace(f"## {section}\n", f"\n{section}\n{'-' * len(section)}\n")
    yield "subheadings first", re.sub(r"(?m)^## .*$", r"\g<0>\n\n### In detail", text)


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    yield "bold numbers", NUMBER.sub(r"**\g<0>**", text)
    yield "numbers with decimals", NUMBER.sub(lambda found: found[0] + ("0" if found[2] else ".00"), text)
    yield "numbers with separators", NUMBER.sub(_separated, text)
    yield "full-width per cent sign", _per_cent(text)
    yield "full-width digits", text.translate(FULL_WIDTH) if max(text) > HAN else text


def _separated(found: re.Match[str]) -> str:
    whole, part = found[1], found[2]
    whole = whole if "," in whole or whole.startswith("0") else f"{int(whole):,}"
    return f"{whole}.{part}" if part else whole


def _python(_rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    yield "with a comment", f"# counts\n{text}"
    yield "with a greeting", f"print('Here is the result:')\n{text}"
