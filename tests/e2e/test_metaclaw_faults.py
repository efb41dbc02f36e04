"""When MetaClaw dies, or the model behind it: each failure has its owner, and a killed runner leaves nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from claw_adapter.reference.adapter import ReferenceHarness
from e2e.metaclaw_runs import CANARY, EVOLVED, MODEL, artefact, exchanges, metaclaw, pool, real, seen
from support.processes import marked
from support.running import CLAW, claw, experiment, outcome, rounds, run_sync
from support.scenarios import write_scenario

pytestmark = pytest.mark.slow(15)
BEHIND = {
    "500": "EndpointTransientError",
    "401": "EndpointAuthError",
    "garbage": "EndpointMalformedError",
}
"""Fault → class: one that passes, one for good, one that nobody is told of; the endpoint knows the others as it knows these."""
RIGHT = {"name": "script", "kind": "scripted", "script": ["\\bbox{A}"]}


class Killing(ReferenceHarness):
    """Kills MetaClaw before its prompt of that number."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at, self.sent = at, 0

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def deadly(prompt, deadline):
            self.sent += 1
            if self.sent == self.at:
                found = marked(ctx.marker, "metaclaw start")
                assert found
                for pid in found:
                    with contextlib.suppress(ProcessLookupError):  # the sandbox takes those inside along
                        os.kill(pid, signal.SIGKILL)
            return await send(prompt, deadline)

        conversation.send = deadly
        return conversation


def run_with(tmp_path: Path, model: dict = RIGHT, harnesses: dict | None = None, *, rounds: int = 3, **settings):
    scenario = write_scenario(tmp_path / "small", [{"id": f"r{n + 1}"} for n in range(rounds)])
    asked = experiment(
        scenario, harnesses=["reference"], models=[model],
        overlays=[metaclaw(skills=str(pool(tmp_path / "skills")), evolution=False)],
        settings={"deadline": 60, **settings},
    )  # fmt: skip
    (records,) = run_sync(tmp_path / "run", asked, harnesses=harnesses).values()
    return records


@real
def test_it_dies_in_mid_trial_the_fault_is_its_own_and_a_second_attempt_starts_it_anew(tmp_path):
    """With one attempt, such a round is unscored: tests/integration/test_runner_overlays.py."""
    records = run_with(tmp_path, harnesses={"reference": Killing(2)}, isolation=2, attempts=2)
    assert [record.score.value for record in records] == [1, 1, 1]
    (cause,) = records[1].earlier_failures
    assert (cause.owner, cause.kind, cause.where) == ("overlay", "OverlayError", "overlay metaclaw")
    trial = "small--reference-metaclaw--script--s0"
    assert [exchange.round for exchange in exchanges(tmp_path / "run", trial, "hop")] != []
    assert CANARY in seen(exchanges(tmp_path / "run", trial, "harness")[-1]), "it was started again"


@real
def test_what_fails_behind_it_is_the_endpoint_s(tmp_path):
    faults = [{"at": "every 1", "round": f"r{number}", "kind": kind} for number, kind in enumerate(BEHIND, start=2)]
    model = {**RIGHT, "options": {"faults": faults}}
    first, *failed, last = run_with(tmp_path, model, rounds=len(BEHIND) + 2, isolation=2, attempts=1)
    assert [record.score.value for record in (first, last)] == [1, 1]
    assert {record.score.value for record in failed} == {None}
    causes = [record.score.cause for record in failed]
    assert [(cause.owner, cause.kind) for cause in causes] == [("endpoint", name) for name in BEHIND.values()]


@real
def test_a_killed_runner_leaves_nothing_and_the_run_goes_on_with_what_was_learned(tmp_path):
    (tmp_path / "tmp").mkdir()
    file = tmp_path / "experiment.yaml"
    asked = {
        "schema": "experiment/1", "scenarios": ["demo"], "harnesses": ["reference"], "models": [MODEL],
        "overlays": [metaclaw(skills=str(pool(tmp_path / "skills")), evolve_every=3)], "settings": {"deadline": 120},
    }  # fmt: skip
    file.write_text(yaml.safe_dump(asked))
    argv = ["run", file, "--out", tmp_path / "run", "--quiet"]
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "CLAW_CRASH_AT": "answered:4"}
    process = subprocess.Popen([CLAW, *map(str, argv)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == -signal.SIGKILL, errors.decode()
    end = time.monotonic() + 10
    while marked(f"claw-{process.pid}-") and time.monotonic() < end:
        time.sleep(0.02)
    assert not marked(f"claw-{process.pid}-")
    trial = "demo--reference-metaclaw--reader--s0"
    finished = rounds(tmp_path / "run", trial)
    assert len(finished) == 3
    claw(*argv, env={"TMPDIR": str(tmp_path / "tmp")})
    records = rounds(tmp_path / "run", trial)
    assert [outcome(record) for record in records[:3]] == [outcome(record) for record in finished]
    assert all(record.score.value == 1 for record in records)
    later = [e for e in exchanges(tmp_path / "run", trial, "harness") if e.round == records[4].round]
    assert all(EVOLVED in seen(exchange) for exchange in later), "the pool is that of the last finished round"
    assert artefact(tmp_path / "run", trial, "before") == {"skills/canary/SKILL.md"}
    assert list((tmp_path / "tmp").iterdir()) == []
