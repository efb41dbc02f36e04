"""The type ``reference``: a file, a line of it (``path#12``), or a message; with a list, any unmistakable short form."""

from __future__ import annotations

import re
from typing import Final

from .text import Description, Unclear, clean, fold

__all__ = ["read_reference"]

LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
LINE: Final = r"(?P<line>[0-9]+(?:-L?[0-9]+)?)"
FORMS: Final = tuple(re.compile(form, re.IGNORECASE) for form in (
    rf"(?P<path>.+?)(?: ?# ?L?| ?: ?|@){LINE}",
    rf"(?P<path>.+?),?(?: -| at)? \(?(?:lines?|rows?|l\.?|ln\.?) ?{LINE}\)?",
    rf"(?:lines?|rows?) {LINE}(?:,| of| in) (?P<path>.+)",
    rf"(?P<path>.+?) ?(?:的|,)? ?\(?第? ?{LINE} ?行\)?",
))  # fmt: skip
WORDS: Final = re.compile(
    r"\A(?:file|message|msg|mail|session|the|文件|消息|邮件|会话) (?=\S)|\A(?:文件|消息|邮件|会话)(?=[A-Za-z0-9\"《])",
    re.IGNORECASE,
)
CHANNEL: Final = re.compile(r"(?<=[^( ]) ?\((?:微信|微信群|群聊|聊天|会话|session|chat|group chat)\)\Z", re.IGNORECASE)
"""Where a conversation was, said behind its name."""
NUMBERED: Final = re.compile("(?:message|msg|消息) ?([0-9]+)", re.IGNORECASE)
WORD: Final = re.compile("message|msg|session")
PATH: Final = re.compile(r"(?=.*[0-9./#])[^\s,;?!*\"'<>|~()\[\]]+")
"""Without a list: no blanks, and something that a path or an id has and a word has not."""


def read_reference(description: Description, text: str) -> str | None:
    """The path or id as the description lists it (or as it is written), with ``#line`` if a line is named."""
    if link := LINK.fullmatch(text):
        return _linked(description, link[1].strip("`"), link[2])
    text = text.replace("`", "").replace("\\_", "_")
    text = CHANNEL.sub("", text) if "known" in description else text
    if quoted := re.fullmatch('《([^《》]+)》|"([^"]+)"', WORDS.sub("", text)):
        text = quoted[1] or quoted[2]
    if spoken := re.fullmatch(r"the (.+) file|<([^<>]+)>", text):
        text = spoken[1] or spoken[2]
    known, message = description.get("known"), NUMBERED.fullmatch(text)
    text = WORDS.sub("", text)
    for form in (None, *FORMS):
        found = form.fullmatch(text) if form else None
        if form and not found:
            continue
        path = _resolve(WORDS.sub("", found["path"] if found else text), known, description)
        if path and found and not re.search("#[0-9]", path):
            return f"{path}#{found['line'].upper().replace('L', '')}"
        if path and not found and not (known is None and any(one.fullmatch(text) for one in FORMS)):
            return path
    return _resolve(f"m{message[1]}", known, description) if known and message else None


def _linked(description: Description, name: str, target: str) -> str | None:
    """What a link of Markdown names: its target, which its text must not contradict."""
    found = read_reference(description, re.sub(r"\A(?:\.\.?/)+", "", target))
    other = read_reference(description, name) if "known" in description else None
    agrees = target.endswith(name) if "known" not in description else other is None or other == found
    if not agrees:
        raise Unclear("the link's text and its target differ: write the path alone")
    return found


def _resolve(text: str, known: object, description: Description) -> str | None:
    text = text.strip().replace("\\", "/").removeprefix("./")
    for root in ("", *description.get("roots", ())):
        text = text.removeprefix(f"/{root}".rstrip("/") + "/").removeprefix(f"{root}/" if root else "")
    if known is None:
        return text if PATH.fullmatch(text) and "//" not in text else None
    names = known if isinstance(known, dict) else dict.fromkeys(known if isinstance(known, list | tuple) else (), ())
    turned = re.sub(r"(\S+) \((\S+)\)", r"\2 (\1)", text)
    wanted = _parts(text)
    for fits in (
        [name for name, others in names.items() if fold(text) in [fold(clean(one)) for one in (name, *others)]],
        [name for name in names if _parts(name) in (wanted, _parts(turned))],
        [name for name in names if _parts(name)[-len(wanted) :] == wanted],
    ):
        if len(fits) > 1:
            raise Unclear(f"{text} may be {' or '.join(sorted(fits))}: write it in full")
        if fits:
            return str(fits[0])
    return None


def _parts(text: str) -> list[str]:
    """S2/m14 as its parts, also written S2#m14, S2 m14 or m14 of S2."""
    if inner := re.fullmatch(r"(\S+) (?:in|of) (?:session )?(\S+)|(\S+) \((\S+)\)", text):
        text = f"{inner[2] or inner[4]}/{inner[1] or inner[3]}"
    return [part for part in re.split(r"[/#:]|,? ", clean(text).casefold()) if part and not WORD.fullmatch(part)]
