"""The session formats of the published data, read and written: one store per format, all in neutral records."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter.harness import SessionStore
from claw_adapter_clawarena.layouts import Format
from claw_adapter_clawarena.stores.base import FileStore
from claw_adapter_clawarena.stores.claude_code import ClaudeCodeStore
from claw_adapter_clawarena.stores.markdown import MarkdownStore
from claw_adapter_clawarena.stores.nanobot import NanoBotStore
from claw_adapter_clawarena.stores.openclaw import OpenClawStore
from claw_adapter_clawarena.stores.picoclaw import PicoClawLogStore, PicoClawStore

__all__ = [
    "STORES",
    "ClaudeCodeStore",
    "FileStore",
    "MarkdownStore",
    "NanoBotStore",
    "OpenClawStore",
    "PicoClawLogStore",
    "PicoClawStore",
    "SessionStore",
    "store_of",
]

STORES: Mapping[Format, FileStore] = {
    "openclaw": OpenClawStore(),
    "claude-code": ClaudeCodeStore(),
    "nanobot": NanoBotStore(),
    "picoclaw": PicoClawStore(),
    "markdown": MarkdownStore(),
}
"""A store per format; stores have no state."""


def store_of(form: Format) -> FileStore:
    """The store that reads and writes a format."""
    return STORES[form]
