"""A scenario with something of everything that an audit looks at, and runs of it through harnesses with a planted bug."""

from __future__ import annotations

import functools
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from claw_adapter.audit import HarnessVerdict, RunAudit, audit_run
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.runs.load import load_run
from support.running import IN_PROCESS, experiment, run_sync
from support.scenarios import write_scenario

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LONG_RESULT = "\n".join(f"reading {n:03} of the meter in hall {n % 7}: {n * 37 % 101} kWh" for n in range(600))
OLD, NEW = "the gate opens at a quarter past six in summer", "the gate opens at twenty to seven all the year"
ANSWER = "Here is what I found out, point by point.\n" + "\n".join(
    f"{n}. the point number {n} is clear" for n in range(90)
)
ROUNDS = 14


def _time(number: int) -> str:
    return (START + timedelta(minutes=7 * number)).isoformat()


def _calls(name: str, tool: str, **arguments: str) -> dict:
    return {"role": "assistant", "text": "", "tool_calls": [{"id": name, "name": tool, "arguments": arguments}]}


def _main() -> list[dict]:
    said = [
        {"role": "user", "text": "Good morning, you look after the meters of the market hall from today on."},
        {"role": "assistant", "text": "Good morning. I will go by what is written in the files."},
        {"role": "user", "text": "Please fetch the readings of the night, hall by hall."},
        _calls("call_seed1", "exec", command="meters --all"),
        {"role": "tool", "text": LONG_RESULT, "tool_call_id": "call_seed1"},
        {"role": "assistant", "text": "The readings of the night are complete."},
    ]  # fmt: skip
    for n in range(20):
        said.append({"role": "user", "text": f"A remark of the caretaker, number {n}: door {n} squeaks again."})
        said.append({"role": "assistant", "text": f"Noted: door number {n} needs oil."})
    return [{**one, "time": _time(n)} for n, one in enumerate(said)]


def _history(count: int = 70) -> list[dict]:
    said = []
    for n in range(count):
        role = ("user", "assistant")[n % 2]
        said.append({"role": role, "text": f"shift message {n:02}: stall {n} reports {n * 13 % 89} crates of fish"})
    said += [
        {"role": "user", "text": "how many stalls are open on Sunday, please look it up"},
        _calls("call_h1", "stall_register", day="Sunday"),
        {"role": "tool", "text": "register: forty-one stalls are open on Sunday", "tool_call_id": "call_h1"},
        {"role": "assistant", "text": "Forty-one, says the register."},
    ]  # fmt: skip
    return [{**one, "time": _time(n)} for n, one in enumerate(said)]


def _lines(messages: list[dict], prefix: str = "") -> str:
    return "".join(json.dumps({"id": f"{prefix}{n}", **m} if prefix else m) + "\n" for n, m in enumerate(messages))


def _update(*actions: dict, **files: str) -> tuple[dict, dict]:
    return {"actions": list(actions)}, files


def write_audited(root: Path) -> Path:
    """The scenario ``market``: fourteen rounds; updates before the rounds 4, 6, 8 and 10."""
    rounds = [
        {"id": f"r{n}", "question": f"Question number {n} of the inspector: what stands in the papers about item {n}?  ",
         "updates": {4: ["U1"], 6: ["U2"], 8: ["U3"], 10: ["U4"]}.get(n, [])}
        for n in range(1, ROUNDS + 1)
    ]  # fmt: skip
    news = "{} news of the inspector: the scales of stall {} are sealed"
    talk = [{"role": "user", "text": news.format(word, word)} for word in ("first", "second")]
    late = [{"role": "user", "text": "the last message of the floor: everybody went home at nine"}]
    updates = {
        "U1": _update(
            {"workspace": "rules.md", "action": "new", "source": "rules.md"}, **{"rules.md": f"# Rules\n\n{NEW}\n"}
        ),
        "U2": _update(
            {"session": "main", "action": "insert", "after": 6, "source": "m.jsonl"}, **{"m.jsonl": _lines(talk, "ins")}
        ),
        "U3": _update(
            {"session": "floor", "action": "delete", "ranges": [[3, 4]]},
            {"session": "floor", "action": "append", "source": "h.jsonl"},
            **{"h.jsonl": _lines(late, "app")},
        ),
        "U4": _update(
            {"session": "main", "action": "delete", "ranges": [[9, 10]]},
            {"workspace": "late.md", "source": "late.md"},
            **{"late.md": "the inspector's verdict: all scales are true within two grams\n"},
        ),
    }
    folder = write_scenario(root, rounds, name="market", updates=updates, histories=("floor",))
    (folder / "sessions/main.jsonl").write_text(_lines(_main()))
    (folder / "sessions/floor.jsonl").write_text(_lines(_history()))
    (folder / "workspace/rules.md").write_text(f"# Rules\n\n{OLD}\n")
    (folder / "workspace/big.csv").write_text("".join(f"{n},crate number {n},{n * 17 % 1009}\n" for n in range(900)))
    (folder / "gold/checks/check.py").write_text("EXPECTED = 'only the checks know of the seventeenth crate'\n")
    return folder


def _read(path: str) -> dict:
    return {"name": "read_file", "arguments": {"path": path}}


def script() -> list[dict]:
    """What the model says in each round: files and the history are read, in batches, then it answers."""
    said = []
    for n in range(1, ROUNDS + 1):
        tools = [_read("rules.md"), _read("notes.txt")]
        if n in (1, 5, 9, 13):
            tools = [
                _read("big.csv"),
                {"name": "session_history", "arguments": {"session_key": "floor"}},
                _read("rules.md"),
            ]
        asked = f"Question number {n} of"
        said.append(
            {"match": asked, "reply": {"text": f"Let me look at the papers of item {n} first.", "tools": tools}}
        )
        answer = f"{ANSWER}\nThat is all about item {n}. \\bbox{{A}}"
        said.append({"match": asked, "reply": answer})
    return said


def asked_for(folder: Path, *, faults: list[dict] | None = None, **more):
    """The experiment over this scenario."""
    model = {"name": "model-seven", "kind": "scripted", "script": script(), "options": {"faults": faults or []}}
    return experiment(folder, models=[model], **more)


def audit_of(root: Path, folder: Path, harness: object | None = None, *, faults: list[dict] | None = None) -> RunAudit:
    """Run the scenario through a harness, and audit the run."""
    asked = asked_for(folder, faults=faults)
    made = {"reference": harness} if harness is not None else None
    run_sync(root, asked, harnesses=made)
    return audit_run(load_run(root))


def verdicts_of(root: Path, folder: Path, harnesses: dict[str, object], **more) -> dict[str, HarnessVerdict]:
    """One run through all these harnesses, by label, and what its audit says of each."""
    rows = [{**IN_PROCESS, "label": label} for label in harnesses]
    run_sync(root, asked_for(folder, harnesses=rows, **more), harnesses=harnesses)
    return {one.harness: one for one in audit_run(load_run(root)).harnesses}


def keys(audit: RunAudit | HarnessVerdict) -> set[str]:
    """What was found, by MUST and cause."""
    harnesses = [audit] if isinstance(audit, HarnessVerdict) else audit.harnesses
    return {finding.key for one in harnesses for finding in one.findings}


in_process = functools.partial(ReferenceHarness, mode="in-process")
