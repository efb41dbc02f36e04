"""What the compiler itself says in a scenario, by the scenario's language: English, or Chinese where that is written ``zh``."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["words_of"]

ENGLISH: Final[Mapping[str, str]] = MappingProxyType({
    "right": "That is right.",
    "wrong work": "That is not right yet. {lesson}",
    "wrong": "That is not right. Go back to the sources and compare them.",
    "holds": "Holds; see {places}.",
    "does not hold": "Does not hold; see {places}.",
    "conversation": "the conversation {title}",
    "told": "what I told you earlier",
    "own": "our own conversation",
    "comma": ", ",
    "wanted": "In {path} was wanted: {parts}.",
    "is": "{name} is {value}", "section": "a section {name}", "prints": "it prints {value}", "list": "a list with {value}",
    "and": " and ", "agrees": "in agreement with {value}",
    "roster": "The conversations on record:",
    "minutes": "Minutes", "date": "Date", "present": "Present", "decision": "Decision", "actions": "Actions",
    "ticket": "Ticket:    ", "title": "Title:     ", "status": "Status:    ",
    "priority": "Priority:  ", "opened": "Opened:    ",
    "by": "by", "comment": "comment",
})  # fmt: skip
CHINESE: Final[Mapping[str, str]] = MappingProxyType({
    "right": "对，就是这样。",
    "wrong work": "还不对。{lesson}",
    "wrong": "不对。请回到来源，再逐一核对。",
    "holds": "成立，见{places}。",
    "does not hold": "不成立，见{places}。",
    "conversation": "会话“{title}”",
    "told": "我之前告诉你的话",
    "own": "我们自己的会话",
    "comma": "、",
    "wanted": "{path} 里应当有：{parts}。",
    "is": "{name} 为 {value}", "section": "“{name}”一节", "prints": "打印 {value}", "list": "列表，含 {value}",
    "and": " 和 ", "agrees": "与 {value} 一致",
    "roster": "现有的会话：",
    "minutes": "会议纪要", "date": "时间", "present": "出席", "decision": "决定", "actions": "待办",
    "ticket": "工单：", "title": "标题：", "status": "状态：", "priority": "优先级：", "opened": "提交：",
    "by": "提交人", "comment": "回复",
})  # fmt: skip


def words_of(language: str) -> Mapping[str, str]:
    """The compiler's own words in that language; English where there are none."""
    return CHINESE if language.startswith("zh") else ENGLISH
