"""A small data set in the published layout, in any of its four forms. Loaded by path: tests are no package."""

from __future__ import annotations

import json
from pathlib import Path

from claw_adapter.protocol import Message, Session, ToolCall
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.stores import store_of

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "clawarena" / "tests.json"
RESULTS = SHARED / "clawarena-results" / "gpt-5.5_openclaw"
ENDINGS = {"openclaw": ".jsonl", "claude-code": ".md", "nanobot": ".md", "picoclaw": ".jsonl"}

CHOICE = {
    "id": "q1",
    "type": "multi_choice",
    "update_ids": [],
    "question": "Which?",
    "eval": {"options": {"A": "this", "B": "that", "C": "both"}, "answer": ["A", "B"]},
    "feedback": {"correct": "Right.", "options": {"A": "a", "B": "b", "C": "c"}},
}
CHECKED = {
    "id": "q2",
    "type": "exec_check",
    "update_ids": ["1"],
    "question": "Write it.",
    "eval": {
        "command": "python ${eval_dir}/${agent_id}/scripts/check_q2.py ${workspace}",
        "expect_exit": 0,
        "timeout": 30,
    },
    "feedback": {"correct": "Yes.", "incorrect": "No."},
    "pref": {
        "command": "python ${eval_dir}/${agent_id}/scripts/check_p.py",
        "feedback": {"correct": "", "incorrect": "P1."},
    },
}


def talk(*texts: str, prefix: str = "m") -> tuple[Message, ...]:
    roles = ("user", "assistant")
    return tuple(Message(id=f"{prefix}{i + 1}", role=roles[i % 2], text=text) for i, text in enumerate(texts))


def dump(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2), "utf-8")


def session_file(folder: Path, layout: str, name: str, messages: tuple[Message, ...]) -> Path:
    """A history, or a file that extends one, in the layout's format."""
    folder.mkdir(parents=True, exist_ok=True)
    form = LAYOUTS[layout].history_format
    files = store_of(form).render(Session(id=name, messages=messages), folder)
    path = folder / f"{name}{ENDINGS[layout]}"
    path.write_text(files[path.name], "utf-8")
    return path


def update_target(layout: str, name: str) -> object:
    file = f"{name}{ENDINGS[layout]}"
    return file if layout == "openclaw" else {"name": file, "target": f"message_logs/{file}"}


def make(root: Path, layout: str = "openclaw", *, rounds: list | None = None, updates: dict | None = None) -> Path:
    """One scenario `s1` with a main session, the history `ann_chat` of two messages, and an update `upd1_sessions`."""
    home = root / layout
    workspace = home / "workspaces" / "s1"
    (workspace / "notes").mkdir(parents=True)
    (workspace / "notes" / "a.md").write_text("one\ntwo\nthree\n", "utf-8")
    agents: dict[str, object] = {"agent_id": "s1", "workspace": "workspaces/s1", "history_sessions": []}
    if layout == "openclaw":
        folder = home / "state" / "agents" / "s1" / "sessions"
        sessions = [
            Session(id="main_1", messages=talk("hello", "hi")),
            Session(id="ann_chat", channel="chat", messages=talk("old", "known")),
        ]
        store_of("openclaw").write(sessions, folder)
        agents |= {"agent_dir": "state/agents/s1", "session": "main_1", "history_sessions": ["ann_chat"]}
    else:
        session_file(workspace / "message_logs", layout, "ann_chat", talk("old", "known"))
        if layout == "claude-code":
            store_of("claude-code").write(
                [Session(id="main_1", messages=talk("hello", "hi"))], home / "state/projects/s1"
            )
            agents |= {"project_dir": "state/projects/s1", "session": "main_1"}
        else:
            folder = workspace / "sessions" if layout == "nanobot" else home / "memory"
            store_of(layout).write([Session(id="bench:s1", messages=talk("hello", "hi"))], folder)
            agents |= {"session_key": "bench:s1"}
    session_file(home / "updates/s1/u1", layout, "ann_chat", talk("new", "answer", prefix="n"))
    kind = LAYOUTS[layout].session_update
    given = {"upd1_sessions": {"type": kind, "dir": "updates/s1/u1", "files": [update_target(layout, "ann_chat")]}}
    dump(home / "manifest.json", {"agents": {"s1": agents}, "updates": {"s1": given | (updates or {})}})
    dump(root / "eval" / "s1" / "questions.json", {"id": "s1", "desc": "", "rounds": rounds or [CHOICE, CHECKED]})
    tests = {
        "name": "small",
        "eval_dir": "eval",
        "frameworks": {layout: {"manifest": f"{layout}/manifest.json"}},
        "tests": [{"id": "s1", "desc": "Small", "eval": "s1"}],
    }
    dump(root / "tests.json", tests)
    return root / "tests.json"


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(id=f"call_{name}", name=name, arguments=arguments)
