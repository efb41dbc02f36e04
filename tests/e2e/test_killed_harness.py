"""Eight rounds with two updates; the harness dies of SIGKILL in mid turn, and nobody can tell from the result.

Once it waits for the model before any tool, in a round like others; once after a tool, in a round that an update came before,
so that what the update brought and what the tool did are both to be restored. OpenClaw, which is slow to come back, dies the
second of these deaths only, among three of the rounds, and its conversation is held against what the run has recorded. Of the
harnesses that the certification kit kills (FAULT-013, in tests/certification/test_real_harnesses.py) none is here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from claw_adapter.harness import Harness
from claw_adapter.plugins import create
from claw_adapter.runner.incident import Incident
from claw_adapter.runs.checkpoints import load_checkpoint
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.store import Store
from support.real import params
from support.running import experiment, outcome, run_sync
from support.scenarios import write_scenario

ROUNDS = range(1, 9)
UPDATES = {3: "u1", 6: "u2"}
KILLED = {2: 1, 6: 2}
"""Round → the request of that round that the harness is waiting for when it is killed: before or after a tool."""
HARNESSES = ["reference", "openclaw"]
ONCE = {"openclaw": {6: 2}}
FEWER = {"openclaw": (3, 6, 8)}


def secret(number: int) -> str:
    return f"on day {number} the gauge read {number * 37 % 101}.{number}"


def brought(number: int) -> bool:
    """Whether an update brings what the round asks for; the others ask for what is in the workspace from the start."""
    return number in UPDATES


def update(number: int) -> tuple[dict, dict]:
    """The first changes the workspace, the second the history."""
    if UPDATES[number] == "u1":
        action = {"workspace": "notes.txt", "action": "append", "source": "lines.txt"}
        return {"id": UPDATES[number], "actions": [action]}, {"lines.txt": secret(number) + "\n"}
    talk = [{"role": "user", "text": secret(number)}, {"role": "assistant", "text": "noted"}]
    lines = "".join(json.dumps({"id": f"{UPDATES[number]}-{n}", **m}) + "\n" for n, m in enumerate(talk))
    action = {"session": "ops-chat", "action": "append", "source": "more.jsonl"}
    return {"id": UPDATES[number], "actions": [action]}, {"more.jsonl": lines}


def where(number: int) -> str:
    if UPDATES.get(number) == "u2":
        return f"session/ops-chat#{UPDATES[number]}-0"
    return "workspace/notes.txt"


def long_scenario(root: Path, numbers: Sequence[int]) -> Path:
    rounds = [
        {"id": f"r{n}", "question": f"Round {n}: what did the gauge read?"}
        | ({"updates": [UPDATES[n]]} if n in UPDATES else {})
        for n in numbers
    ]
    made = write_scenario(
        root, rounds, name="eight", histories=["ops-chat"], updates={UPDATES[n]: update(n) for n in UPDATES}
    )
    lines = [secret(n) for n in numbers if not brought(n)]
    (made / "workspace/notes.txt").write_text("\n".join(lines) + "\n")
    evidence = {
        "fragments": {f"f{n}": {"where": where(n), "text": secret(n)} for n in numbers},
        "rounds": {
            f"r{n}": {
                "options": {
                    "A": {"supports": [[f"f{n}"]], "hasty": False},
                    "B": {"refutes": [[f"f{n}"]], "hasty": True},
                }
            }
            for n in numbers
        },
    }
    (made / "gold/evidence.yaml").write_text(json.dumps(evidence))
    return made


def held(rounds: dict[int, int]) -> dict:
    """The reader, which lets one request of each of these rounds wait."""
    faults = [{"at": [request], "round": f"r{n}", "kind": "stall"} for n, request in rounds.items()]
    return {"name": "reader", "kind": "reader", "options": {"faults": faults}, "timeout": 300}


def deaths(rounds: dict[int, int]) -> list[Incident]:
    """Everything of the harness dies when these requests have come to the model, which holds them."""
    return [Incident(kind="kill", round=f"r{n}", request=request) for n, request in rounds.items()]


def watched(harness: Harness) -> list[str]:
    """What its turns fail of, by its own word; to the run a request that was held is the endpoint's fault."""
    kinds: list[str] = []
    opening = harness.open

    async def opened(ctx, checkpoint=None):
        conversation = await opening(ctx, checkpoint)
        send = conversation.send

        async def sent(prompt, deadline):
            turn = await send(prompt, deadline)
            kinds.extend([turn.error.kind] if turn.error else [])
            return turn

        conversation.send = sent
        return conversation

    harness.open = opened
    return kinds


def told(root: Path, records: list) -> list:
    """What every round came to, and the whole conversation after the last one: roles, texts, names of tools."""
    folder = RunFolder(root)
    checkpoint = load_checkpoint(Store(folder.store), records[-1].checkpoint)
    return [
        [outcome(record) for record in records],
        [
            [(m.role, m.text, [call.name for call in m.tool_calls]) for m in session.messages]
            for session in checkpoint.sessions
        ],
    ]


@pytest.mark.slow(100)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("harness", params(*HARNESSES))
def test_killed_in_mid_turn_every_round_is_there_once_and_the_history_is_as_if_undisturbed(tmp_path, harness):
    numbers, rounds = FEWER.get(harness, ROUNDS), ONCE.get(harness, KILLED)
    scenario = long_scenario(tmp_path / "eight", numbers)
    settings = {"isolation": 1, "deadline": 120}
    found = {}
    for name, model, deadly in (("undisturbed", "reader", {}), ("disturbed", held(rounds), rounds)):
        if harness in ONCE and not deadly:
            continue
        asked = experiment(scenario, harnesses=[harness], models=[model], settings=settings)
        made = create("harness", harness)
        failed, incidents = watched(made), {f"eight--{harness}--reader--s0": deaths(deadly)}
        (found[name],) = run_sync(tmp_path / name, asked, harnesses={harness: made}, incidents=incidents).values()
    assert failed == ["HarnessCrash"] * len(rounds)
    assert "closing " not in (tmp_path / "disturbed" / "run.log").read_text(), (
        "what was killed is closed without an error"
    )
    assert [record.round for record in found["disturbed"]] == [f"r{n}" for n in numbers]
    assert [record.score.value for record in found["disturbed"]] == [1] * len(numbers)
    assert all(set(record.evidence.needed) <= set(record.evidence.seen) for record in found["disturbed"])
    assert [int(r.round[1:]) for r in found["disturbed"] if r.attempts > 1] == sorted(rounds)
    if harness in ONCE:
        is_as_recorded(tmp_path / "disturbed", found["disturbed"])
    else:
        assert told(tmp_path / "disturbed", found["disturbed"]) == told(tmp_path / "undisturbed", found["undisturbed"])


def is_as_recorded(root: Path, records: list) -> None:
    """The conversation after the last round holds each prompt, call, result and answer of the records once, and no other."""
    checkpoint = load_checkpoint(Store(RunFolder(root).store), records[-1].checkpoint)
    main, *histories = checkpoint.sessions
    prompts = [message.text for message in main.messages if message.role == "user" and "Round " in message.text]
    assert len(prompts) == len(records)
    assert all(record.prompt in prompt for record, prompt in zip(records, prompts, strict=True))
    calls = [call for message in main.messages for call in message.tool_calls]
    results = [message for message in main.messages if message.role == "tool"]
    assert len(calls) == len(results) == sum(record.tool_calls for record in records)
    answers = {record.text for record in records}
    said = [message.text for message in main.messages if message.role == "assistant" and message.text in answers]
    assert said == [record.text for record in records]
    updated = "".join(message.text for session in histories for message in session.messages)
    assert updated.count(secret(6)) == 1
