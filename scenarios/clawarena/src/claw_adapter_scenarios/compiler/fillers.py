"""Documents in their domain's own formats: each kind of document becomes one template text, marks still in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.language.expressions import evaluate
from claw_adapter_scenarios.language.templates import Mark, Rendered
from claw_adapter_scenarios.language.values import SeriesValue, Value
from claw_adapter_scenarios.language.wording import dated, words_of
from claw_adapter_scenarios.spec.workspace import (
    Contract,
    Csv,
    Document,
    Json,
    Log,
    LogNoise,
    Mail,
    Minutes,
    Plain,
    SeriesRows,
    Ticket,
)

__all__ = ["fill"]


def fill(document: Document, canon: Canon) -> Rendered:
    """A document's text and its marks; the text ends with a newline.

    Raises:
        ScenarioError: a template or an expression of it is wrong.
    """
    made = _FILLERS[document.kind](document, canon)
    return Rendered(made.text.rstrip("\n") + "\n", made.marks)


def _plain(document: Plain, canon: Canon) -> Rendered:
    return canon.render(document.text)


def _csv(document: Csv, canon: Canon) -> Rendered:
    rows = [canon.render(row) for row in document.rows]
    if document.series is not None:
        rows += _series_rows(document.series, canon)
    head = ",".join(_cell(name) for name in document.columns)
    return Rendered("\n".join([head, *(row.text for row in rows)]), tuple(mark for row in rows for mark in row.marks))


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\n') else text


def _series_rows(rows: SeriesRows, canon: Canon) -> list[Rendered]:
    series = canon.value(rows.fact)
    if not isinstance(series, SeriesValue):
        raise ScenarioError(f"{rows.fact!r} is no series")
    heads: dict[datetime, list[str]] = {}
    for head, expression in rows.marks.items():
        heads.setdefault(evaluate(expression, canon.value), []).append(head)
    made: list[Rendered] = []
    for number, reading in enumerate(series.readings):
        if number % rows.every and reading.at not in heads:
            continue
        extra: dict[str, Value] = {"at": reading.at, "value": reading.value, "n": number + 1}
        plain = canon.render(rows.row, extra)
        marks = [canon.render(f"[[{head}: {rows.row}]]", extra).marks for head in heads.pop(reading.at, [])]
        made.append(Rendered(plain.text, tuple(mark for group in marks for mark in group)))
    if heads:
        missing = next(iter(heads.values()))[0]
        raise ScenarioError(f"no reading of {rows.fact!r} is where the mark {missing!r} should be")
    return made


def _log(document: Log, canon: Canon) -> Rendered:
    entries = [(canon.moment(line.at), canon.render(line.text)) for line in document.lines]
    for number, noise in enumerate(document.noise):
        entries += _log_noise(noise, canon, f"{document.path}#{number}")
    entries.sort(key=lambda entry: entry[0])
    lines = [canon.render(line).text for line in document.header]
    lines += [f"{at.strftime(document.stamp)} {line.text}" for at, line in entries]
    return Rendered("\n".join(lines), tuple(mark for _, line in entries for mark in line.marks))


def _log_noise(noise: LogNoise, canon: Canon, label: str) -> list[tuple[datetime, Rendered]]:
    rng = dice(canon.seed, canon.spec.truth.id, "log", label)
    first, last = canon.moment(noise.start), canon.moment(noise.until)
    span = int((last - first).total_seconds())
    moments = sorted(first + timedelta(seconds=rng.randint(0, max(span, 1))) for _ in range(noise.count))
    return [(at, canon.render(rng.choice(noise.lines), {"n": rng.randint(1, 99), "at": at})) for at in moments]


def _mail(document: Mail, canon: Canon) -> Rendered:
    parts, words = [], words_of(canon.language)
    for number, mail in enumerate(document.mails):
        heads = {
            "from": f"{{{mail.sender}}} <{{{mail.sender}.mail}}>",
            "to": words["comma"].join(f"{{{name}}} <{{{name}.mail}}>" for name in mail.to),
            "date": f"{dated(canon.moment(mail.at), 'mail date', canon.language)} {canon.spec.truth.offset.replace(':', '')}",
            "subject": words["answer"].format(subject=document.subject) if number else document.subject,
        }
        head = "".join(f"{words[name]}{words['colon']}{text}\n" for name, text in heads.items())
        parts.append(f"{head}\n{mail.text.strip()}\n")
    return canon.render("\n----------------------------------------\n".join(parts))


def _minutes(document: Minutes, canon: Canon) -> Rendered:
    at, words = canon.moment(document.at), words_of(canon.language)
    colon, people = words["colon"], [_with_role(name, words) for name in document.present]
    lines = [
        f"# {words['minutes']}{colon}{document.meeting}", "", f"{words['date']}{colon}{at:%Y-%m-%d %H:%M}",
        f"{words['present']}{colon}{words['comma'].join(people)}", "",
    ]  # fmt: skip
    for number, item in enumerate(document.items, start=1):
        lines += [f"## {number}. {item.topic}", "", item.text.strip(), ""]
        if item.decision:
            lines += [f"{words['decision']}{colon}{item.decision.strip()}", ""]
    if document.actions:
        lines += [f"## {words['actions']}", "", *(f"- {action.strip()}" for action in document.actions)]
    return canon.render("\n".join(lines))


def _with_role(name: str, words: Mapping[str, str]) -> str:
    return words["brackets"].format(text=f"{{{name}}}", more=f"{{{name}.role}}")


def _ticket(document: Ticket, canon: Canon) -> Rendered:
    words = words_of(canon.language)
    lines = [
        f"{words['ticket']}{document.number}", f"{words['title']}{document.title}", f"{words['status']}{document.status}",
        f"{words['priority']}{document.priority}",
        f"{words['opened']}{canon.moment(document.opened):%Y-%m-%d %H:%M} {words['by']} {{{document.by}}}",
        "", document.description.strip(), "",
    ]  # fmt: skip
    for number, comment in enumerate(document.comments, start=1):
        lines += [
            words["between parts"].join(
                [f"--- {words['comment']} {number}", f"{{{comment.by}}}", f"{canon.moment(comment.at):%Y-%m-%d %H:%M}"]
            ),
            comment.text.strip(),
            "",
        ]
    return canon.render("\n".join(lines))


def _contract(document: Contract, canon: Canon) -> Rendered:
    words = words_of(canon.language)
    lines = [f"# {document.title}", ""]
    if document.parties:
        lines += [f"{words['parties']}{words['colon']}{words['semicolon'].join(document.parties)}", ""]
    if document.dated:
        lines += [f"{words['dated']}{words['colon']}{document.dated}", ""]
    for number, clause in enumerate(document.clauses, start=1):
        lines += [f"## {number} {clause.title}", "", clause.text.strip(), ""]
    return canon.render("\n".join(lines))


def _json(document: Json, canon: Canon) -> Rendered:
    marks: list[Mark] = []

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {canon.render(key).text: walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, str):
            return value
        if value.startswith("="):
            return evaluate(value[1:], canon.value)
        made = canon.render(value)
        marks.extend(made.marks)
        return made.text

    text = json.dumps(walk(document.data), indent=2, ensure_ascii=False, default=str)
    return Rendered(text, tuple(marks))


_FILLERS: Mapping[str, Callable[[Any, Canon], Rendered]] = MappingProxyType({
    "text": _plain, "markdown": _plain, "csv": _csv, "log": _log, "mail": _mail, "minutes": _minutes, "ticket": _ticket,
    "contract": _contract, "json": _json,
})  # fmt: skip
