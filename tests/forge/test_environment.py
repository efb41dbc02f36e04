"""The environment: its state as bytes, back to any step, what it tells, what it refuses."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.forge import opened

from claw_adapter.errors import AdapterError, HarnessNotFound
from claw_adapter.protocol import Round
from claw_adapter_forge.environment import ForgeEnvironment
from claw_adapter_forge.episodes.episode import Episode
from claw_adapter_forge.episodes.snapshots import restore_episode, snapshot_of, take_snapshot
from claw_adapter_forge.generator.choosing import pick_tasks
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.question import judge
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.tasks.spec import ForgeTask


@functools.cache
def tasks() -> tuple[ForgeTask, ...]:
    """Made when the first test asks, and not by every worker that collects them."""
    return tuple(pick_tasks("paper362", 0, 362, ("2", "17", "61", "103", "150", "211", "290", "340")))


ODD = (
    "ls",
    "tasks list | x",
    "file create --path /a --content 'ü\n\"x\"'",
    "help",
    "openclaw configure --set a.b=1",
    "",
)
"""Lines that are refused, that write what JSON has to quote, that change nothing."""
scripts = st.deferred(lambda: st.sampled_from(tasks())).flatmap(
    lambda task: st.tuples(st.just(task), st.lists(st.sampled_from((*task.reference, *ODD)), max_size=30))
)


@given(scripts, st.integers(0, 30))
@settings(max_examples=60)
def test_back_at_any_step_the_rest_goes_as_it_went(script: tuple[ForgeTask, list[str]], step: int) -> None:
    task, lines = script
    first, step = Episode(task), min(step, len(lines))
    done = [first.step(line) for line in lines[:step]]
    kept = take_snapshot(first)
    done += [first.step(line) for line in lines[step:]]
    again = Episode(task)
    for episode in (again, first):  # another one, as after an interruption, and the one that has gone on
        restore_episode(episode, kept)
        assert take_snapshot(episode) == kept
        assert [episode.step(line) for line in lines[step:]] == done[step:]
    assert take_snapshot(again) == take_snapshot(first)
    assert again.verdict() == first.verdict()
    assert again.executions == first.executions


@pytest.mark.parametrize("policy", ["careful", "re-creator", "half-finisher"])
def test_a_state_is_judged_from_its_bytes_alone(policy: str) -> None:
    for task in tasks():
        episode = Episode(task)
        for execution in drive(task, policy).executions:
            episode.step(execution.line)
        score = judge(task, snapshot_of(take_snapshot(episode)))
        verdict = episode.verdict()
        assert (score.value, score.detail.missing) == (float(verdict.strict), verdict.missing)
        assert bool(score.pattern) is not verdict.strict
        assert score.detail.commands == len(episode.executions)
        assert 0 < score.detail.baseline < 1


@given(
    st.lists(st.sampled_from(["edit", "new", "drop", "tasks add --title x", "file list"]), max_size=6),
    st.integers(0, 5),
)
@settings(max_examples=15)
def test_files_go_back_with_the_world(steps: list[str], back: int) -> None:
    async def play(folder: Path) -> None:
        async with opened(tasks()[0], folder, attach=True) as world:
            states = [await world.snapshot()]
            for number, step in enumerate(steps):
                await _do(world, folder / "workspace", step, number)
                states.append(await world.snapshot())
            chosen = states[min(back, len(steps))]
            await world.restore(chosen)
            assert await world.snapshot() == chosen
            shown = {
                f"/{p.relative_to(folder / 'workspace')}" for p in (folder / "workspace").rglob("*") if p.is_file()
            }
            assert shown == set(snapshot_of(chosen).state.tables["files"])

    with tempfile.TemporaryDirectory() as name:
        asyncio.run(play(Path(name)))


async def _do(world: ForgeEnvironment, files: Path, step: str, number: int) -> None:
    reading = files / "notes" / "reading-list.txt"
    if step == "edit":
        reading.write_text(f"edited {number}")
    elif step == "new":
        (files / f"new-{number}.txt").write_text("new")
    elif step == "drop":
        reading.unlink(missing_ok=True)
    else:
        await world.execute(step)


async def test_only_who_has_a_shell_is_told_of_it(tmp_path: Path) -> None:
    item = Round(id="task", type="forge", question="x")
    async with opened(tasks()[0], tmp_path / "bare") as world:
        assert world.prompt(item) == ""
        assert list((tmp_path / "bare" / "workspace").iterdir()) == []
    async with opened(tasks()[0], tmp_path / "shell", attach=True, horizon=7) as world:
        for part in ("programs on its PATH", "/ops/x is ./ops/x", "At most 7"):
            assert part in world.prompt(item)


async def test_what_breaks_behind_a_client_is_heard_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Episode, __: list[str]) -> None:
        raise RuntimeError("no world")

    monkeypatch.setattr(Episode, "step_words", broken)
    async with opened(tasks()[0], tmp_path, attach=True) as world:
        before = await world.snapshot()
        done = await asyncio.to_thread(subprocess.run, [world._attached.path[0] / "date"], check=False)
        assert done.returncode == 70
        with pytest.raises(RuntimeError, match="no world"):
            await world.snapshot()
        await world.restore(before)
        assert await world.snapshot() == before


@pytest.mark.parametrize("wrong", [{"mode": "magic"}, {"horizon": -1}, {"hide_output": "no"}, {"blank": True}])
def test_wrong_options_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(AdapterError, match="environment forge"):
        ForgeEnvironment(**wrong)


def test_without_the_real_program_its_modes_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    with pytest.raises(HarnessNotFound, match="not installed"):
        ForgeEnvironment(mode="real")


@pytest.mark.real("openclaw")
@pytest.mark.slow(60)
@pytest.mark.timeout(600)
async def test_the_real_program_begins_anew_where_the_world_goes_back(tmp_path: Path) -> None:
    async with opened(tasks()[0], tmp_path, mode="real") as world:
        before = await world.snapshot()
        assert (await world.execute(f"openclaw config set {MODEL_KEY} openai/gpt-5.2")).status == 0
        assert await world.snapshot() != before, "it is read from what the program has written"
        await world.restore(before)
        was = await world.execute(f"openclaw config get {MODEL_KEY}")
        assert was.status == 0
        assert "openai/gpt-5.2" not in was.text
