"""Other ways to write what an oracle writes: each must be accepted."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["alternatives"]

Files = dict[str, str]


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


def _csv(_rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    rows = list(csv.reader(io.StringIO(text)))
    yield "lines end as on Windows", text.replace("\n", "\r\n")
    made = io.StringIO()
    csv.writer(made, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    yield "all cells quoted", made.getvalue()
    yield "rows in another order", "\n".join(",".join(row) for row in [rows[0], *rows[:0:-1]]) + "\n"
    yield "blanks after commas", text.replace(",", ", ") if '"' not in text else text


def _markdown(rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    yield "other bullets", re.sub(r"(?m)^- ", "* ", text)
    yield "deeper headings", re.sub(r"(?m)^## ", "### ", text)
    yield "a sentence more", f"{text}\nThat is all for today, with kind regards.\n"
    for group in rule.get("mentions", ()):
        for other in group[1:]:
            yield f"{other!r} for {group[0]!r}", text.replace(group[0], other)


def _python(_rule: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    yield "with a comment", f"# counts\n{text}"
    yield "with a greeting", f"print('Here is the result:')\n{text}"
