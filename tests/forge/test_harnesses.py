"""Harnesses in shim mode: the same choices through a harness, controls, tools beside the world, whose failure it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from claw_adapter import plugins
from claw_adapter.errors import AdapterError, HarnessNotFound, PluginError
from claw_adapter.harness import Event
from claw_adapter.sandbox import detect
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.shim.harnesses import FITS, bypasses
from claw_adapter_forge.shim.policies import SHELL, Job, ShimSettings, run_policies
from claw_adapter_forge.shim.world import ShimWorld
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.tasks.spec import ForgeTask
from support.real import params

ISOLATION = int(detect().level)
SERVE_ALONE = """
import sys, asyncio
for name in ("families", "tasks", "evaluation", "proof"):
    sys.modules["claw_adapter_forge." + name] = None
from claw_adapter_forge.policies.upstream import PolicyServer
async def main():
    async with PolicyServer() as server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


async def run(plan: list[Job], **settings: object) -> list[RunRecord]:
    records: list[RunRecord] = []
    asked = ShimSettings(**{"through": "reference", "isolation": ISOLATION, **settings})  # type: ignore[arg-type]
    await run_policies(plan, asked, records.append)
    return records


def typed(record: RunRecord) -> list[list[str]]:
    return [split_words(step.command) for step in record.steps]


def alone(task: ForgeTask, policy: str) -> list[list[str]]:
    return [split_words(e.line) for e in drive(task, policy).executions]


@contextmanager
def policies_without_task_data() -> Iterator[str]:
    """The policies in a process in which neither families nor tasks nor evaluator nor proofs can be imported."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVE_ALONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield child.stdout.readline().strip()
        child.stdin.close()
        assert child.wait(20) == 0


@pytest.mark.slow
async def test_through_a_harness_every_policy_does_what_it_does_alone(paper: tuple[ForgeTask, ...]) -> None:
    tasks = {t.id: t for t in (paper[0], paper[160])}
    records = await run([(p, t, 0) for p in POLICIES for t in tasks.values()], jobs=2)
    assert len(records) == 2 * len(POLICIES)
    for record in records:
        assert typed(record) == alone(tasks[record.task], record.agent)
        assert record.strict is (record.agent == "careful")
        assert (record.mode, record.harness, record.failure, record.bypasses) == ("shim", "reference", "", ())


@pytest.mark.slow
async def test_with_blanked_output_no_policy_passes_through_a_harness(paper: tuple[ForgeTask, ...]) -> None:
    records = await run([(p, t, 0) for p in POLICIES for t in (paper[0], paper[210])], blank=True, jobs=2)
    assert len(records) == 2 * len(POLICIES)
    assert not any(record.strict for record in records)


@pytest.mark.slow
@pytest.mark.parametrize("harness", params("reference", "nanobot"))
async def test_without_task_data_a_policy_does_the_same_through_a_harness(
    paper: tuple[ForgeTask, ...], harness: str
) -> None:
    with policies_without_task_data() as url:
        plan: list[Job] = [(p, paper[152], 0) for p in ("careful", "decoy-copier")]
        records = await run(plan, base_url=url, through=harness)
    assert {r.agent for r in records} == {"careful", "decoy-copier"}
    for record in records:
        assert typed(record) == alone(paper[152], record.agent)
        assert record.strict is (record.agent == "careful")


async def test_typing_into_a_shell_needs_no_harness(paper: tuple[ForgeTask, ...]) -> None:
    (record,) = await run([("careful", paper[16], 3)], through=SHELL)
    assert (record.strict, record.harness, record.trial) == (True, SHELL, 3)


async def test_an_unknown_harness_and_one_that_is_not_installed_are_errors(
    paper: tuple[ForgeTask, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    with pytest.raises(PluginError, match="no plugin"):
        await run([("careful", paper[0], 0)], through="nothing-of-that-name")
    with pytest.raises(HarnessNotFound, match="not installed"):
        await run([("careful", paper[0], 0)], through="openclaw")


async def test_a_provider_that_is_down_is_the_provider_s_failure(paper: tuple[ForgeTask, ...]) -> None:
    (record,) = await run([("some-model", paper[0], 0)], base_url="http://127.0.0.1:9/v1")
    assert (record.ended, record.provider_failure, record.pattern) == ("provider", True, "provider_failure")
    assert record.failure.startswith("endpoint: ")


def test_tools_beside_the_world_are_told_from_those_in_it() -> None:
    def call(name: str, number: int) -> Event:
        return Event(kind="tool_call", id=str(number), name=name)

    events = [call(name, i) for i, name in enumerate(("exec", "Bash", "cron", "Read", "message", "web_fetch"))]
    refused = Event(kind="tool_result", id="4", name="message", is_error=True)
    assert bypasses([*events, refused]) == ("cron", "message (refused)", "web_fetch")


@pytest.mark.parametrize("harness", list(FITS))
def test_every_known_harness_takes_what_it_is_told(harness: str) -> None:
    told = FITS[harness].options_for(Path("/x/bin"))
    assert told["path_prepend"] == "/x/bin"
    if harness not in {p.name for p in plugins.entry_points()}:
        pytest.skip(f"claw-adapter-{harness} is not installed")
    assert plugins.create("harness", harness, told).options.path_prepend == "/x/bin"


def test_nanobot_s_tools_are_denied_by_a_list_and_in_bridge_mode_only() -> None:
    options = pytest.importorskip("claw_adapter_nanobot.options").Options
    assert options.parse({"tools_denied": ["cron"]}).tools_denied == ("cron",)
    for wrong in ({"tools_denied": "cron"}, {"tools_denied": ["cron"], "mode": "cli"}):
        with pytest.raises(AdapterError, match=r"mode 'bridge'|no list"):
            options.parse(wrong)


async def test_a_harness_s_own_files_are_none_of_the_world_s(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with ShimWorld(paper[0], tmp_path, private=(".claw/**", "MEMORY.md")) as world:
        for name in (".claw/id", "MEMORY.md", "notes/mine.txt"):
            place = world.files / name
            place.parent.mkdir(exist_ok=True)
            place.write_text("x")
    assert [c.key for c in world.episode.verdict().changes] == ["/notes/mine.txt"]
    assert (world.files / "MEMORY.md").exists()
