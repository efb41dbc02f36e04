"""Rendering messages as ChatML text: the comparable size of a session, whatever format its harness stores it in.

Source: ClawArena v2, appendix E (tokenization).
"""

from __future__ import annotations

from collections.abc import Iterable

from claw_adapter.tokens.cl100k import count

__all__ = ["count_messages", "render"]


def render(messages: Iterable[tuple[str, str]]) -> str:
    r"""Each (role, text) as ``<|im_start|>{role}\n{text}<|im_end|>\n``, joined without anything between."""
    return "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in messages)


def count_messages(messages: Iterable[tuple[str, str]]) -> int:
    """Tokens of the messages rendered and encoded as one string, since merges may cross the markers."""
    return count(render(messages))
