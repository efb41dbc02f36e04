"""What the compiler itself says in a scenario, by the scenario's language: English, or Chinese where that is written ``zh``.

This is the one place with such words: a language is a mapping with these keys. Dates are patterns over the fields that
`dated` knows.
"""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Final

__all__ = ["channel_name", "dated", "joined", "sentence", "words_of"]

ENGLISH: Final[Mapping[str, str]] = MappingProxyType({
    # values in texts
    "yes": "yes", "no": "no", "none": "none", "last of a list": "{others} and {last}",
    "months": "January February March April May June July August September October November December",
    "weekdays": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "short weekdays": "Mon Tue Wed Thu Fri Sat Sun",
    "dm": "{day} {month}", "long": "{weekday} {day} {month} {year}", "wd": "{weekday}",
    "mail date": "{short}, {day:02d} {month:.3} {year} {clock}", "stamp": "{short} {date} {minute}",
    # punctuation
    "comma": ", ", "semicolon": "; ", "colon": ": ", "between sentences": " ", "brackets": "{text} ({more})",
    "between parts": ", ",
    # questions
    "value alone": "Each label is followed by its value alone, which is what counts; remarks go into sentences of their own.",
    "only what holds": "Write only what holds; what does not hold is not to be named, not even to refute it.",
    # feedback
    "right": "That is right.",
    "wrong work": "That is not right yet. {lesson}",
    "wrong": "That is not right. Go back to the sources and compare them.",
    "holds": "Holds; see {places}.",
    "does not hold": "Does not hold; see {places}.",
    "conversation": "the conversation {title}",
    "told": "what I told you earlier",
    "own": "our own conversation",
    "wanted": "In {path} was wanted: {parts}.",
    "your file": "your file in {folder}",
    "is": "{name} is {value}", "section": "a section {name}", "prints": "{path} was to print {values}.",
    "list": "a list with {values}", "last of values": "{others} and {last}",
    "sum": "the sum of the column {column} of {path}", "same field": "the same as {field} of {path}",
    # conversations
    "roster": "The conversations on record:",
    "opening": "I will look through the workspace and read the other conversations with the session tools before I answer. "
    "Where sources disagree I will say which ones, and what each of them can establish.",
    "lines": "… ({count} lines)",
    # documents
    "minutes": "Minutes", "date": "Date", "present": "Present", "decision": "Decision", "actions": "Actions",
    "ticket": "Ticket:    ", "title": "Title:     ", "status": "Status:    ",
    "priority": "Priority:  ", "opened": "Opened:    ",
    "by": "by", "comment": "comment",
    "from": "From", "to": "To", "subject": "Subject", "answer": "Re: {subject}",
    "parties": "Between", "dated": "Dated",
    # what the two readers write
    "label": "Item", "value": "Value",
    "unchecked": "{value} (unchecked)",
    "changed": "My conclusion has changed; the new source changed it.", "not changed": "My conclusion has not changed.",
    "done": "The work is done and lies where you asked for it.", "written": "I have written it down.",
    # the agent's own files
    "AGENTS.md": (
        "# Startup\n\nAt the beginning of a session read SOUL.md and USER.md. Look at the files of the workspace\n"
        "and at the other conversations before you answer anything about them. Files change: what you read\n"
        "yesterday may be out of date today.\n\n"
        "Write files only where you are asked to. Leave what others have written as it is.\n"
    ),
    "IDENTITY.md": "# Identity\n\n{identity}\n",
    "SOUL.md": (
        "# Principles\n\n- Evidence first: say what a source shows before you say what it means.\n"
        "- Attribute with care: who said it, where, and could they know?\n"
        "- A record made at the time outweighs a memory of it.\n"
        "- When something new arrives, look again at what you have concluded.\n"
        "- Say so when something cannot be known from what there is.\n{habits}"
    ),
    "TOOLS.md": (
        "# Tools\n\nFiles can be read, listed and written in this workspace, and programs can be run in it.\n"
        "Other conversations can be read with the session tools, or as files where there are none. There is no network.\n"
    ),
    "USER.md": "# People\n\n{people}\n# Channels\n\n{channels}{notes}", "notes": "\n# Notes\n\n{notes}",
})  # fmt: skip
CHINESE: Final[Mapping[str, str]] = MappingProxyType({
    "yes": "是", "no": "否", "none": "无", "last of a list": "{others}和{last}",
    "months": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "weekdays": "星期一 星期二 星期三 星期四 星期五 星期六 星期日", "short weekdays": "周一 周二 周三 周四 周五 周六 周日",
    "dm": "{month}{day}日", "long": "{year}年{month}{day}日{weekday}", "wd": "{weekday}",
    "mail date": "{year}年{month}{day}日 {weekday} {clock}", "stamp": "{short} {date} {minute}",
    "comma": "、", "semicolon": "；", "colon": "：", "between sentences": "", "brackets": "{text}（{more}）",
    "between parts": "，",
    "value alone": "标签后面只写值本身，以此为准；说明另起一句。",
    "only what holds": "只写成立的内容；不成立的不要写进去，哪怕是为了反驳它。",
    "right": "对，就是这样。",
    "wrong work": "还不对。{lesson}",
    "wrong": "不对。请回到来源，再逐一核对。",
    "holds": "成立，见{places}。",
    "does not hold": "不成立，见{places}。",
    "conversation": "会话“{title}”",
    "told": "我之前告诉你的话",
    "own": "我们自己的会话",
    "wanted": "{path}里应当有：{parts}。",
    "your file": "你放在{folder}的文件",
    "is": "{name}：{value}", "section": "“{name}”一节", "prints": "{path}应当打印{values}。",
    "list": "列表，含{values}", "last of values": "{others}、{last}",
    "sum": "{path}中{column}一列之和", "same field": "与{path}里的{field}相同",
    "roster": "现有的会话：",
    "opening": "我会先看工作区里的文件，再用会话工具读完其他会话，然后回答。"
    "来源之间有出入时，我会说明是哪几处，各自能证明什么。",
    "lines": "……（共 {count} 行）",
    "minutes": "会议纪要", "date": "时间", "present": "出席", "decision": "决定", "actions": "待办",
    "ticket": "工单：", "title": "标题：", "status": "状态：", "priority": "优先级：", "opened": "提交：",
    "by": "提交人", "comment": "回复",
    "from": "发件人", "to": "收件人", "subject": "主题", "answer": "回复：{subject}",
    "parties": "各方", "dated": "日期",
    "label": "项目", "value": "内容",
    "unchecked": "{value}（未核对）",
    "changed": "我的结论变了，是新的来源让它变的。", "not changed": "我的结论没有变。",
    "done": "已经做好，文件放在您要的地方。", "written": "我已经写下来了。",
    "AGENTS.md": (
        "# 启动\n\n每次会话开始先读 SOUL.md 和 USER.md。回答之前先看工作区里的文件和其他会话。"
        "文件会变，昨天读到的今天可能已经过时。\n\n"
        "只在被要求的地方写文件，别人写的东西保持原样。\n"
    ),
    "IDENTITY.md": "# 身份\n\n{identity}\n",
    "SOUL.md": (
        "# 原则\n\n- 先看证据：先说来源写了什么，再说它意味着什么。\n- 注明出处：谁说的，在哪里说的，他能不能知道？\n"
        "- 当时留下的记录重于事后的回忆。\n- 有新材料来了，就把已有的结论再看一遍。\n"
        "- 从现有材料里得不出来的，就直说得不出来。\n{habits}"
    ),
    "TOOLS.md": (
        "# 工具\n\n可以读取、列出和写入工作区的文件，也可以运行程序。"
        "其他会话用会话工具读取；没有会话工具时，它们以文件形式存在。没有网络。\n"
    ),
    "USER.md": "# 人员\n\n{people}\n# 会话\n\n{channels}{notes}", "notes": "\n# 备注\n\n{notes}",
})  # fmt: skip
CHINESE_CHANNELS: Final[Mapping[str, str]] = MappingProxyType({
    "direct": "私聊", "group": "群聊", "wechat": "微信", "mail": "邮件", "email": "邮件", "im": "即时消息", "feishu": "飞书",
    "dingtalk": "钉钉", "sms": "短信", "phone": "电话",
})  # fmt: skip
CHANNELS: Final[Mapping[str, str]] = MappingProxyType({
    "direct": "direct", "group": "group", "im": "chat", "mail": "mail", "email": "mail", "phone": "phone", "qq": "QQ",
    "sms": "SMS", "webchat": "web chat", "wechat": "WeChat", "whatsapp": "WhatsApp", "dingtalk": "DingTalk",
})  # fmt: skip
"""Names of channels and of their kinds; others (Telegram, Slack) are written as they are, with a capital letter."""


_FRAME: Final = ("\ue000", "\ue001")
"""Marks around what is filled into a pattern, while it is being filled in."""
_SET_OFF: Final = re.compile(
    f"(?<=[\u4e00-\u9fff]){_FRAME[0]}(?=[A-Za-z0-9])|(?<=[A-Za-z0-9/]){_FRAME[1]}(?=[\u4e00-\u9fff])"
)
_EDGE: Final = re.compile(f"[{''.join(_FRAME)}]")


def _chinese(language: str) -> bool:
    return language.startswith("zh")


def words_of(language: str) -> Mapping[str, str]:
    """The compiler's own words in that language; English where there are none."""
    return CHINESE if _chinese(language) else ENGLISH


def channel_name(channel: str, language: str) -> str:
    """What people call a channel, or a kind of channel (``group``)."""
    name = CHANNELS.get(channel, channel.title())
    return CHINESE_CHANNELS.get(channel, name) if _chinese(language) else name


def dated(at: date, pattern: str, language: str) -> str:
    """A date or moment by one of the patterns of a language: ``dm``, ``long``, ``wd``, ``mail date``, ``stamp``."""
    words = words_of(language)
    clock = at.strftime("%H:%M:%S") if isinstance(at, datetime) else ""
    return words[pattern].format(
        year=at.year, month=words["months"].split()[at.month - 1], day=at.day, date=f"{at:%Y-%m-%d}", clock=clock,
        minute=clock[:5], weekday=words["weekdays"].split()[at.weekday()], short=words["short weekdays"].split()[at.weekday()],
    )  # fmt: skip


def sentence(key: str, language: str, **values: str) -> str:
    """One of the language's patterns with its fields filled in; Latin letters and digits stand off from Chinese characters."""
    framed = words_of(language)[key].format(
        **{name: f"{_FRAME[0]}{value}{_FRAME[1]}" for name, value in values.items()}
    )
    return _EDGE.sub("", _SET_OFF.sub(" ", framed))


def joined(parts: list[str], language: str, last: str = "last of a list") -> str:
    """An enumeration: ``a, b and c``; `last` names the pattern that adds the last one."""
    words = words_of(language)
    if len(parts) < 2:
        return parts[0] if parts else words["none"]
    return words[last].format(others=words["comma"].join(parts[:-1]), last=parts[-1])
