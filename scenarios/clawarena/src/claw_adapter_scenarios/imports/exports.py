"""Reading exports: mail boxes (mbox), and chats as WhatsApp, Telegram, Slack and Discord write them."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

import mailbox
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.reading import parse_json, read_bytes

__all__ = ["Said", "read_export"]

MAX_BYTES: Final = 64 * 1024 * 1024
_LINE: Final = re.compile(
    r"\[?(\d{1,4})[./-](\d{1,2})[./-](\d{1,4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])?\.?m?\.?\]?\s*[-–]?\s*(.*)\Z",
    re.IGNORECASE,
)
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202c\ufeff"))
_NARROW: Final = {0x202F: " ", 0xA0: " "}
_OMITTED: Final = re.compile(r"<[^<>]+>|\w+ omitted|(?:图片|视频|音频|文件)已忽略")
"""What stands in the place of a picture."""
_QUOTED: Final = re.compile(
    r"(?:On .+ wrote:|Am .+ schrieb .+:|.*写道[:：]|-+ ?Original Message ?-+|-+ ?原始邮件 ?-+)\s*\Z"
)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of an export: `at` on the clock of the scenario, `who` as the export names them."""

    at: datetime
    who: str
    text: str


def read_export(path: Path, zone: tzinfo, *, month_first: bool | None = None) -> list[Said]:
    """All messages that have a text, in the order of their times.

    Args:
        path: a file, or the folder of a Slack export's channel.
        zone: the clock of the scenario. Times without a zone are taken to be of it.
        month_first: whether ``3/4/2026`` is the fourth of March; only asked for where the export does not show it.

    Raises:
        ScenarioError: it cannot be read, is none of these exports, or does not say which number is the month.
    """
    if path.is_dir():
        found = list(_slack_folder(path, zone))
    else:
        try:
            content = read_bytes(path, MAX_BYTES)
        except OSError as error:
            raise ScenarioError(f"cannot be read: {error.strerror}", where=str(path)) from error
        if content.startswith(b"From "):
            found = list(_mbox(path, zone))
        elif re.match(rb"(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*[\{\]])", content):
            found = list(_json(path, content, zone))
        else:
            found = list(_lines(path, content.decode("utf-8-sig", "replace"), zone, month_first))
    said = [one for one in found if one.text.strip() and not _OMITTED.fullmatch(one.text.strip())]
    if not said:
        remedy = "It reads mbox files, WhatsApp texts, and the JSON of Telegram, Slack and Discord."
        raise ScenarioError("no message is found in it", where=str(path), remedy=remedy)
    return sorted(said, key=lambda one: one.at)


def _mbox(path: Path, zone: tzinfo) -> Iterator[Said]:
    parser = BytesParser(policy=policy.default)
    with closing(mailbox.mbox(path, factory=parser.parse, create=False)) as box:  # type: ignore[arg-type]
        for mail in box:
            at = getattr(mail["date"], "datetime", None)
            if isinstance(mail, EmailMessage) and isinstance(at, datetime):
                name, address = parseaddr(str(mail["from"] or ""))
                yield Said(_on(at, zone), name or address, _body(mail))


def _body(mail: EmailMessage) -> str:
    """What was written, without what it answers."""
    part = mail.get_body(("plain", "html"))
    if part is None:
        return ""
    text = str(part.get_content())
    if part.get_content_type() == "text/html":
        text = re.sub(r"(?i)<br\s*/?>|</p>|</div>", "\n", text)
        text = re.sub(r"(?s)<(style|script).*?</\1>|<[^>]+>", "", text)
    lines = list[str]()
    for line in text.splitlines():
        if _QUOTED.match(line.strip()):
            break
        if not line.startswith(">"):
            lines.append(line.rstrip())
    return "\n".join(lines).strip()


def _lines(path: Path, text: str, zone: tzinfo, month_first: bool | None) -> Iterator[Said]:
    """WhatsApp: a stamp, a name, a colon; lines without a stamp go on. What has no name is the program's own."""
    heads = [(_LINE.match(raw), raw) for raw in text.translate(_INVISIBLE).translate(_NARROW).splitlines()]
    stamps = [head for head, _ in heads if head]
    order = _order(path, stamps, month_first)
    at, who, said = None, "", list[str]()
    for head, raw in heads:
        if head is None:
            said.append(raw)
            continue
        if at is not None:
            yield Said(at, who, "\n".join(said).strip())
        name, colon, rest = head[8].partition(": ")
        at = _stamp(path, head, order, zone) if colon else None
        who, said = name.strip(), [rest]
    if at is not None:
        yield Said(at, who, "\n".join(said).strip())


def _order(path: Path, stamps: list[re.Match[str]], month_first: bool | None) -> str:
    if all(len(one[1]) == 4 for one in stamps):
        return "ymd"
    if month_first is None:
        first, second = (max((int(one[n]) for one in stamps), default=0) for n in (1, 2))
        if first <= 12 and second <= 12:
            what = "it does not show whether the day or the month comes first"
            raise ScenarioError(what, where=str(path), remedy="Say it with --dates dmy or --dates mdy.")
        month_first = second > 12
    return "mdy" if month_first else "dmy"


def _stamp(path: Path, head: re.Match[str], order: str, zone: tzinfo) -> datetime:
    parts = dict(zip(order, (int(head[n]) for n in (1, 2, 3)), strict=True))
    year, hour = parts["y"] + (2000 if parts["y"] < 100 else 0), int(head[4])
    if head[7]:
        hour = hour % 12 + (12 if head[7].lower() == "p" else 0)
    try:
        return datetime(year, parts["m"], parts["d"], hour, int(head[5]), int(head[6] or 0), tzinfo=zone)
    except ValueError as error:
        remedy = "Say with --dates whether the day or the month comes first."
        raise ScenarioError(f"{head[0][:40]!r}: {error}", where=str(path), remedy=remedy) from error


def _json(path: Path, content: bytes, zone: tzinfo) -> Iterator[Said]:
    try:
        data = parse_json(content.decode("utf-8-sig"))
    except ValueError as error:
        raise ScenarioError(f"not JSON: {error}", where=str(path)) from error
    messages = data.get("messages") if isinstance(data, dict) else data
    if not isinstance(messages, list):
        return
    for one in messages:
        if isinstance(one, dict):
            for known, reader in READERS.items():
                if known in one:
                    yield from reader(one, zone, {})
                    break


def _telegram(one: Mapping[str, Any], zone: tzinfo, _names: Mapping[str, str]) -> Iterator[Said]:
    if one.get("type", "message") == "message":
        parts = one.get("text") or ""
        parts = parts if isinstance(parts, list) else [parts]
        text = "".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in parts)
        yield Said(_moment(one["date"], zone), str(one.get("from") or ""), text)


def _discord(one: Mapping[str, Any], zone: tzinfo, _names: Mapping[str, str]) -> Iterator[Said]:
    author = one.get("author") or {}
    yield Said(
        _moment(one["timestamp"], zone),
        str(author.get("nickname") or author.get("name") or ""),
        str(one.get("content") or ""),
    )


def _slack(one: Mapping[str, Any], zone: tzinfo, names: Mapping[str, str]) -> Iterator[Said]:
    if one.get("type", "message") == "message" and not one.get("subtype"):
        profile = one.get("user_profile") or {}
        user = str(one.get("user") or "")
        who = names.get(user) or str(profile.get("real_name") or profile.get("display_name") or user)
        text = re.sub(r"<@(\w+)(?:\|[^>]*)?>", lambda m: names.get(m[1], m[1]), str(one.get("text") or ""))
        text = re.sub(r"<(?:[^>|]*)\|([^>]*)>|<([^>]*)>", lambda m: m[1] or m[2], text)
        for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
            text = text.replace(entity, sign)
        yield Said(datetime.fromtimestamp(float(one["ts"]), UTC).astimezone(zone), who, text)


READERS: Final[Mapping[str, Callable[[Mapping[str, Any], tzinfo, Mapping[str, str]], Iterator[Said]]]] = {
    "ts": _slack,
    "timestamp": _discord,
    "date": _telegram,
}
"""Readers by the field that only their messages have."""


def _slack_folder(folder: Path, zone: tzinfo) -> Iterator[Said]:
    """A file for each day, and who people are in ``users.json`` in it or above it."""
    names = dict[str, str]()
    for users in (folder / "users.json", folder.parent / "users.json"):
        if users.is_file():
            for one in _loaded(users):
                profile = one.get("profile") or {}
                names[str(one.get("id"))] = str(one.get("real_name") or profile.get("real_name") or one.get("name"))
    for path in sorted(folder.glob("*.json")):
        if path.name != "users.json":
            for one in _loaded(path):
                if "ts" in one:
                    yield from _slack(one, zone, names)


def _loaded(path: Path) -> list[dict[str, Any]]:
    try:
        data = parse_json(read_bytes(path, MAX_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"not JSON: {error}", where=str(path)) from error
    return [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []


def _moment(text: object, zone: tzinfo) -> datetime:
    try:
        return _on(datetime.fromisoformat(str(text)), zone)
    except ValueError as error:
        raise ScenarioError(f"{text!r} is not a time", remedy="Export the chat again as JSON.") from error


def _on(at: datetime, zone: tzinfo) -> datetime:
    return at.replace(tzinfo=zone) if at.tzinfo is None else at.astimezone(zone)
