"""The four harness layouts of the published data: where each keeps its sessions, and in which format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from claw_adapter_clawarena.entries import AgentEntry

__all__ = ["LAYOUTS", "LOGS", "Format", "Layout"]

Format = Literal["openclaw", "claude-code", "nanobot", "picoclaw", "markdown"]
LOGS = "message_logs"
"""The workspace folder in which harnesses with one session find the histories."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How one harness's copy of the data is laid out.

    Attributes:
        name: as ``tests.json`` has it.
        session_update: the `type` of an update of sessions.
        session_folders: top-level folders of a workspace that hold sessions.
        main_format: format of the main session.
        history_format: format of the histories, and of updates of them.
        main: file of the main session from the manifest's entry; None when it names none.
        histories: files of the histories that the manifest's entry names, or that are there.
    """

    name: str
    session_update: str
    session_folders: frozenset[str]
    main_format: Format
    history_format: Format
    main: Callable[[Path, AgentEntry], Path | None]
    histories: Callable[[Path, AgentEntry], tuple[Path, ...]]


def _openclaw_sessions(root: Path, agent: AgentEntry) -> Path:
    return root / agent.agent_dir / "sessions"


def _openclaw_main(root: Path, agent: AgentEntry) -> Path | None:
    name = agent.session
    return _openclaw_sessions(root, agent) / f"{name}.jsonl" if name else None


def _openclaw_histories(root: Path, agent: AgentEntry) -> tuple[Path, ...]:
    folder = _openclaw_sessions(root, agent)
    return tuple(folder / f"{name}.jsonl" for name in agent.history_sessions)


def _claude_main(root: Path, agent: AgentEntry) -> Path | None:
    name = agent.session
    return root / agent.project_dir / f"{name}.jsonl" if name else None


def _stem(agent: AgentEntry) -> str:
    return (agent.session_key or "").replace(":", "_")


def _nanobot_main(root: Path, agent: AgentEntry) -> Path | None:
    stem = _stem(agent)
    return root / agent.workspace / "sessions" / f"{stem}.jsonl" if stem else None


def _picoclaw_main(root: Path, agent: AgentEntry) -> Path | None:
    stem = _stem(agent)
    return root / "memory" / f"{stem}.jsonl" if stem else None


def _logs(ending: str) -> Callable[[Path, AgentEntry], tuple[Path, ...]]:
    def histories(root: Path, agent: AgentEntry) -> tuple[Path, ...]:
        folder = root / agent.workspace / LOGS
        names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - half the time of `glob`
        return tuple(folder / name for name in sorted(names) if name.endswith(ending))

    return histories


_LOGS = frozenset({LOGS})

LAYOUTS: Mapping[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("openclaw", "session", frozenset(), "openclaw", "openclaw", _openclaw_main, _openclaw_histories),
        Layout("claude-code", "workspace_md", _LOGS, "claude-code", "markdown", _claude_main, _logs(".md")),
        Layout("nanobot", "workspace_md", _LOGS | {"sessions"}, "nanobot", "markdown", _nanobot_main, _logs(".md")),
        Layout("picoclaw", "workspace_jsonl", _LOGS, "picoclaw", "picoclaw", _picoclaw_main, _logs(".jsonl")),
    )
}
"""Every layout by name, in the order in which the published tables have them."""
