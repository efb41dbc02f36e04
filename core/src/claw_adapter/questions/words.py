r"""What is said around a scenario's own words: instructions, reminders, notices, in the scenario's language.

The published formats (`compat`) have theirs and are not touched. ``\bbox{…}`` is the same in every language.
"""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["Words", "words"]


class Words(NamedTuple):
    """One language; what stands in braces is filled in."""

    choose: str
    revise: str
    reminder: str
    wrong: str
    missed: str
    verdict: str
    reason: str
    feedback: str
    news: str
    file: str
    conversation: str
    history: str
    nothing: str


ENGLISH: Final = Words(
    choose=r"Several statements may be true. End your answer with the letters of all true statements, like this: \bbox{A,C}",
    revise="Say what your conclusion rests on: name the file or the conversation and quote the decisive line. "
    r"Then end with the letters of all true statements, like this: \bbox{A,C}",
    reminder=r"Your answer could not be read. Give the letters of the true statements, and nothing else, as in \bbox{A,C}.",
    wrong="chosen, but not true",
    missed="true, but not chosen",
    verdict="{letter} ({verdict})",
    reason=": {text}",
    feedback="Feedback on your previous answer: {text}",
    news="Note: since your last turn, files in the workspace or messages in other conversations have changed.",
    file="file {name}",
    conversation="conversation {name}",
    history="- {title} ({channel}): {place}",
    nothing="- (none)",
)
CHINESE: Final = Words(
    choose=r"可能有多条陈述成立。请在回答的末尾写出所有成立的陈述的字母，格式如下：\bbox{A,C}",
    revise=r"请说明结论的依据：写出文件或会话的名称，并原样引用起决定作用的那一行。最后写出所有成立的陈述的字母，格式如下：\bbox{A,C}",
    reminder=r"没能读出你的答案。请只写出成立的陈述的字母，不要写别的内容，例如 \bbox{A,C}。",
    wrong="选了，但不成立",
    missed="成立，但没有选",
    verdict="{letter}（{verdict}）",
    reason="：{text}",
    feedback="对你上一次回答的反馈：{text}",
    news="注意：自你上一轮以来，工作区里的文件或其他会话中的消息有了变化。",
    file="文件 {name}",
    conversation="会话 {name}",
    history="- {title}（{channel}）：{place}",
    nothing="- （无）",
)


def words(language: str) -> Words:
    """Those of a language by its tag (``zh``, ``zh-CN``); English where there are none."""
    return CHINESE if language.split("-", maxsplit=1)[0] == "zh" else ENGLISH
