"""The world as programs on PATH: one server per episode, the budget on the server; all modes agree."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.support.forge import opened

from claw_adapter.sandbox import connect_unix
from claw_adapter_forge.environment import NATIVE, ForgeEnvironment
from claw_adapter_forge.episodes.episode import EXHAUSTED, Episode
from claw_adapter_forge.episodes.snapshots import Snapshot, snapshot_of
from claw_adapter_forge.evaluation.verdict import Verdict, evaluate
from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.policies.offline import DONE, decide
from claw_adapter_forge.proof.mutants import mutants
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.proof.script import take_apart
from claw_adapter_forge.proof.siblings import minimal_pair
from claw_adapter_forge.surfaces.grammar import Refused
from claw_adapter_forge.surfaces.registry import programs
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.tasks.spec import ForgeTask


async def ask(world: ForgeEnvironment, words: list[str], token: str | None = None) -> dict[str, object]:
    address = json.loads((world._attached.readable[0] / "client.json").read_text())
    reader, writer = await asyncio.open_unix_connection(sock=connect_unix(Path(address["socket"])))
    writer.write(json.dumps({"token": address["token"] if token is None else token, "argv": words}).encode() + b"\n")
    await writer.drain()
    answer: dict[str, object] = json.loads(await reader.readline())
    writer.close()
    await writer.wait_closed()
    return answer


def clients(world: ForgeEnvironment) -> Path:
    return world._attached.path[0]


async def typed(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """A line typed into a shell with the clients in `folder` on its PATH."""
    env = {"PATH": f"{folder}:{os.defpath}"}
    return await asyncio.to_thread(
        subprocess.run, ["/bin/sh", "-c", line], capture_output=True, text=True, env=env, check=False, timeout=30
    )


async def left(world: ForgeEnvironment) -> Snapshot:
    return snapshot_of(await world.snapshot())


def judged(task: ForgeTask, found: Snapshot) -> Verdict:
    return evaluate(task, found.state, [e.changes for e in found.executions])


def scripts() -> list[tuple[ForgeTask, tuple[str, ...]]]:
    """80 scripts: references and mutants of all families, as word lists that need no shell."""
    found: list[tuple[ForgeTask, tuple[str, ...]]] = []
    for blueprint in list(blueprints("paper362", 0))[::18]:
        task = compile_blueprint(blueprint)
        run = replay(task, task.reference)
        other = compile_blueprint(minimal_pair(blueprint))
        script = take_apart(task, task.reference, [e.changes for e in run.executions], other.reference)
        made = list(mutants(script))
        found.append((task, task.reference))
        found += [(task, m.lines) for m in made[:: max(1, len(made) // 4)][:4]]
    return found[:80]


def splits(line: str) -> bool:
    try:
        return bool(split_words(line))
    except Refused:
        return False


@pytest.mark.slow
async def test_the_same_script_gives_the_same_difference_in_mock_multi_and_shim(tmp_path: Path) -> None:
    chosen = scripts()
    assert len(chosen) == 80
    for number, (task, lines) in enumerate(chosen):
        kept = [line for line in lines if splits(line)]
        results = []
        for mode in ("mock", "multi"):
            episode = Episode(task, mode, 100)
            shown = [(e.output.stdout, e.output.stderr, e.output.code) for e in map(episode.step, kept)]
            results.append((shown, episode.verdict()))
        async with opened(task, tmp_path / str(number), horizon=100, mode="shim") as world:
            answers = [await ask(world, split_words(line)) for line in kept]
            verdict = judged(task, await left(world))
        shown = [(a["stdout"], a["stderr"], a["status"]) for a in answers]
        results.append((shown, verdict))
        assert results[0] == results[1] == results[2]


async def test_references_pass_when_typed_into_a_real_shell(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    for number, task in enumerate((paper[0], paper[16], paper[72], paper[160])):
        async with opened(task, tmp_path / str(number), mode="shim") as world:
            for line in task.reference:
                done = await world.execute(line)
                assert (done.status, done.over) == (0, False), (line, done.text)
            found = await left(world)
        assert judged(task, found).strict
        assert [split_words(e.line) for e in found.executions] == [split_words(x) for x in task.reference]


async def test_a_shell_sees_the_world_and_nothing_of_the_task(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with opened(paper[0], tmp_path, mode="shim") as world:
        assert (await world.execute("date && ls notes")).text.splitlines()[0] == "2026-03-01T09:00:00Z"
        assert (await world.execute("nothing-of-that-name")).status == 127
        if world._ctx.isolation == 2:
            assert (await world.execute(f"cat {world._ctx.scenario}/gold/task.json")).status == 1
        assert (await left(world)).used == 1


@pytest.mark.parametrize("mode", ["multi", "shim"])
async def test_the_budget_is_kept_whoever_asks(paper: tuple[ForgeTask, ...], tmp_path: Path, mode: str) -> None:
    async with opened(paper[0], tmp_path, attach=True, mode=mode, horizon=2) as world:
        assert [(await ask(world, ["date"]))["status"] for _ in range(3)] == [0, 0, EXHAUSTED]
        assert (await ask(world, ["tasks", "add", "--title", "x"]))["status"] == EXHAUSTED
        late = await world.execute("tasks add --title x")
        assert (late.status, late.over) == (EXHAUSTED, True)
        (tmp_path / "workspace" / "late.txt").write_text("late")
        found = await left(world)
    assert found.exhausted
    assert (found.used, judged(paper[0], found).changes) == (2, ())
    assert not (tmp_path / "workspace" / "late.txt").exists()


async def test_a_stranger_and_rubbish_are_turned_away(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with opened(paper[0], tmp_path, attach=True) as world:
        assert (await ask(world, ["date"], token="guess"))["status"] == 77
        path = world._attached.readable[0] / "server.sock"
        reader, writer = await asyncio.open_unix_connection(sock=connect_unix(path))
        writer.write(b"not json\n")
        assert json.loads(await reader.readline())["status"] == 2
        writer.close()
        await writer.wait_closed()
        assert (await left(world)).executions == ()


async def test_the_world_s_files_are_a_real_directory_both_ways(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    files = tmp_path / "workspace"
    async with opened(paper[0], tmp_path, attach=True) as world:
        assert (files / "notes" / "reading-list.txt").read_text().startswith("Books")
        await ask(world, ["file", "create", "--path", "/a/b.txt", "--content", "made"])
        assert (files / "a" / "b.txt").read_text() == "made"
        (files / "a" / "b.txt").write_text("edited")
        (files / "link.txt").symlink_to("/etc/hostname")
        assert (await ask(world, ["file", "read", "--path", "/a/b.txt"]))["stdout"] == "edited"
        assert (await ask(world, ["file", "read", "--path", "/link.txt"]))["status"] == 1
        (files / "notes" / "reading-list.txt").unlink()
        found = await left(world)
    verdict = judged(paper[0], found)
    changed = {(c.table, c.key, c.kind) for c in verdict.changes}
    assert changed == {("files", "/a/b.txt", "created"), ("files", "/notes/reading-list.txt", "deleted")}
    assert any("deleted" in f for f in verdict.forbidden)
    assert [e.line for e in found.executions].count(NATIVE) == 2
    assert found.used == 3


async def test_a_harness_s_own_files_are_none_of_the_world_s(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    files = tmp_path / "workspace"
    async with opened(paper[0], tmp_path, attach=True, private=(".claw/**", "MEMORY.md")) as world:
        for name in (".claw/id", "MEMORY.md", "notes/mine.txt"):
            (files / name).parent.mkdir(exist_ok=True)
            (files / name).write_text("x")
        found = await left(world)
    assert [c.key for c in judged(paper[0], found).changes] == ["/notes/mine.txt"]
    assert (files / "MEMORY.md").exists()


async def test_clients_cover_every_program_and_say_when_the_world_is_gone(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    async with opened(paper[0], tmp_path, attach=True) as world:
        folder = clients(world)
        assert {p.name for p in folder.iterdir()} == set(programs())
        assert (await typed(folder, "date")).stdout == "2026-03-01T09:00:00Z\n"
    gone = await typed(folder, "date")
    assert gone.returncode == 69
    assert "not there" in gone.stderr


async def test_a_path_may_be_longer_than_a_socket_s_address(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with opened(paper[0], tmp_path / ("long" * 30), attach=True) as world:
        assert (await typed(clients(world), "date")).returncode == 0


async def test_parallel_commands_are_executed_one_at_a_time(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with opened(paper[0], tmp_path, attach=True) as world:
        await asyncio.gather(*(ask(world, ["tasks", "add", "--title", f"t{i}"]) for i in range(10)))
        found = await left(world)
    assert len({c.key for c in judged(paper[0], found).changes}) == found.used == 10


async def test_with_hidden_output_a_careful_policy_passes_nothing(
    one_per_family: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    for number, task in enumerate(one_per_family[::4]):
        async with opened(task, tmp_path / str(number), attach=True, hide_output=True) as world:
            history: list[tuple[str, str]] = []
            while (line := decide("careful", Episode(task).observation, history)) != DONE and len(history) < 25:
                answer = await ask(world, split_words(line))
                history.append((line, str(answer["stdout"])))
                assert answer["stdout"] == answer["stderr"] == ""
            assert (await world.execute("tasks list")).text == ""
            assert not judged(task, await left(world)).strict
