"""Run a test against the real PicoClaw, when it is on PATH, and against the stand-in; the test's id says which it was."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say

from claw_adapter.harness import TurnResult
from claw_adapter_picoclaw.adapter import PicoClaw
from support.processes import naming as processes
from support.processes import until
from support.sessions import session
from support.trials import ROOT
from support.trials import RealContext as SmallContext

__all__ = [
    "REAL",
    "ROOT",
    "Reply",
    "SmallContext",
    "TalkingEndpoint",
    "both",
    "choose",
    "command",
    "in_turn",
    "processes",
    "real",
    "say",
    "session",
    "standin",
    "talk",
    "texts",
    "until",
]

STANDIN = Path(__file__).parent / "picoclaw_standin.py"
REAL = shutil.which("picoclaw")

both = pytest.mark.parametrize(
    "picoclaw",
    [pytest.param("real", marks=pytest.mark.real("picoclaw")), "standin"],
    indirect=True,
)
"""Decorator: the fixture `picoclaw` as the real program and as the stand-in."""


real = pytest.mark.parametrize("picoclaw", [pytest.param("real", marks=pytest.mark.real("picoclaw"))], indirect=True)
"""Decorator: for what only the real program can show."""


def standin(folder: Path, fault: str = "") -> Path:
    """A program ``picoclaw`` in a folder of its own, which is the stand-in: one file, as the real one is."""
    program = folder / "bin" / "picoclaw"
    program.parent.mkdir(parents=True, exist_ok=True)
    text = STANDIN.read_text("utf-8").replace('FAULT = ""', f"FAULT = {fault!r}", 1)
    program.write_text(f"#!{Path(sys.executable).resolve()} -IS\n{text}", "utf-8")
    program.chmod(0o755)
    return program


def choose(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the adapter use the real program or the stand-in, through CLAW_PICOCLAW."""
    program = Path(str(REAL)) if kind == "real" else standin(folder)
    monkeypatch.setenv("CLAW_PICOCLAW", str(program))
    return program


async def talk(ctx: SmallContext, *prompts: str, **options) -> list[TurnResult]:
    """Open, send every prompt, close."""
    async with await PicoClaw(**options).open(ctx) as conversation:
        return [await conversation.send(prompt, 60) for prompt in prompts]


def texts(request: dict, roles: Sequence[str] = ("user", "assistant", "tool")) -> list[str]:
    """Message contents of a request, without the system prompt."""
    return [message["content"] for message in request["messages"] if message["role"] in roles]


def command(text: str) -> tuple[str, dict]:
    """A call of its shell tool."""
    return ("exec", {"action": "run", "command": text})
