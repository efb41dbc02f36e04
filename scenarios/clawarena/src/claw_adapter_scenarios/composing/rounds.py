"""The rounds of a layout: everything before, each conflict after its update, and everything once more."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from claw_adapter_scenarios.composing.data import Pack, Pattern

__all__ = ["rounds_of"]

MOST: Final = 8
"""So many statements are asked at the beginning."""
WORDS: Final = {
    "en": {
        "before": "Before anything new comes in, which of these hold?",
        "list": "Write reports/overview.json with {fields}, all as things stand now.",
        "after": "There is news about {about}. Which of these hold now?",
        "report": "Write reports/{name}.json with {fields}.",
        "one of two": "One of these two holds and the other does not: {0}; {1}.",
        "two of three": "Of these three two or more hold: {0}; {1}; {2}.",
        "again": "The same statements as at the beginning. Which hold now, and which source has changed it?",
        "repair": "See to it that reports/overview.json is right, with {fields}, all as things stand now.",
    },
    "zh": {
        "before": "新材料来之前，下面哪些站得住？",
        "list": "请写 reports/overview.json，照现在的：{fields}。",
        "after": "{about}有了新消息，现在哪些成立？",
        "report": "请写 reports/{name}.json：{fields}。",
        "one of two": "这两句恰好有一句成立：{0}；{1}。",
        "two of three": "这三句至少有两句成立：{0}；{1}；{2}。",
        "again": "一开始问过的那几句，现在哪些站得住？是哪份材料改的？",
        "repair": "reports/overview.json 请核一遍，照现在的改好：{fields}。",
    },
}


def rounds_of(pack: Pack, found: Sequence[Pattern]) -> dict[str, Any]:
    """All rounds; tags as the evidence has them."""
    words = WORDS.get(pack.language, WORDS["en"])
    agreement = pack.agreement
    agreed = {"if": f"{agreement['fact']} == {{{agreement['fact']}}}", "text": agreement["true"]}
    wrong = {"if": f"{agreement['fact']} == {{={agreement['fact']} + 6}}", "text": agreement["false"]}
    count = {agreement["fact"]: {"equals": agreement["fact"]}}
    joiner = "、" if pack.language == "zh" else ", "
    known = joiner.join([*(one.known_ask for one in found), agreement["field"]])
    overview = {"path": "reports/overview.json", "format": "json", "fields": {**_all(found), **count}}
    unknown = [{**one.unknown, "always": True} for one in found if one.unknown]
    options = [
        *unknown,
        {**agreed, "always": True},
        {**wrong, "always": True},
        *(o for one in found for o in one.before),
    ]
    rounds: list[dict[str, Any]] = [
        {"type": "multi_choice", "dimensions": ["MS"], "skill": "reasoning", "ask": words["before"], "limits": bool(unknown),
         "options": options, **({"draw": MOST} if len(options) > MOST else {})},
        {"type": "exec_check", "dimensions": ["MS"], "skill": "recall", "files": [overview],
         "ask": words["list"].format(fields=known)},
    ]  # fmt: skip
    for number, one in enumerate(found, 1):
        name = next(iter(one.switch))
        asked = joiner.join([one.ask, agreement["field"]])
        rounds += [
            {"type": "multi_choice", "updates": [f"U{number}"], "dimensions": ["MS", "DU"], "skill": "reasoning",
             "ask": words["after"].format(about=one.contradiction["about"]),
             "options": [*_after(found[:number], words), agreed, wrong]},
            {"type": "exec_check", "dimensions": ["MS", "DU"], "skill": "reasoning",
             "ask": words["report"].format(name=name, fields=asked),
             "files": [{"path": f"reports/{name}.json", "format": "json", "fields": {**one.field, **count}}]},
        ]  # fmt: skip
    if unknown:
        rounds.append(
            {"type": "revision", "of": "r1", "dimensions": ["MS", "DU"], "skill": "reasoning", "ask": words["again"]}
        )
    repair = words["repair"].format(fields=known)
    rounds.append(
        {"type": "exec_check", "dimensions": ["MS", "DU"], "skill": "reasoning", "ask": repair, "files": [overview]}
    )
    return {"rounds": [{"id": f"r{number}", **one} for number, one in enumerate(rounds, 1)]}


def _after(found: Sequence[Pattern], words: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is asked when the last of these has its update; joined with the conflicts before it, whose updates are there."""
    settled, *rest = found[-1].after
    if len(found) == 1:
        return [settled, *rest]
    both = [one.after[0] for one in found[-2:]]
    joined = [{"if": " != ".join(f"({one['if']})" for one in both), "text": _said(words["one of two"], both)}]
    if len(found) > 2:
        three = [one.after[0] for one in found[-3:]]
        count = " + ".join(f"if_({one['if']}, 1, 0)" for one in three)
        joined.append({"if": f"{count} >= 2", "text": _said(words["two of three"], three)})
    return [settled, *joined, rest[-1]]


def _said(words: str, of: Sequence[Mapping[str, Any]]) -> str:
    return words.format(*(str(one["text"]).rstrip(".。") for one in of))


def _all(found: Sequence[Pattern]) -> dict[str, Any]:
    return {name: rule for one in found for name, rule in one.known_field.items()}
