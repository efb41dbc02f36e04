"""Shim mode: programs on PATH, one server per episode, the budget on the server; all modes agree."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from claw_adapter_forge.policies.chat import LAST_WORD, Reply
from claw_adapter_forge.policies.offline import decide
from claw_adapter_forge.proof.mutants import mutants
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.proof.script import take_apart
from claw_adapter_forge.proof.siblings import minimal_pair
from claw_adapter_forge.episodes.episode import EXHAUSTED, Episode
from claw_adapter_forge.shim import ShimWorld
from claw_adapter_forge.shim.install import install_clients
from claw_adapter_forge.shim.policies import ShimSettings, run_policies
from claw_adapter_forge.shim.run import run_command
from claw_adapter_forge.surfaces.grammar import Refused
from claw_adapter_forge.surfaces.registry import programs
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.tasks.spec import ForgeTask


async def ask(world: ShimWorld, words: list[str], token: str | None = None) -> dict[str, object]:
    reader, writer = await asyncio.open_unix_connection(str(world.socket))
    writer.write(json.dumps({"token": world.token if token is None else token, "argv": words}).encode() + b"\n")
    await writer.drain()
    answer = json.loads(await reader.readline())
    writer.close()
    await writer.wait_closed()
    return answer


def shell(world: ShimWorld, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, env=world.environment(), check=False, timeout=30
    )


async def typed(world: ShimWorld, line: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(shell, world, line)


def scripts() -> list[tuple[ForgeTask, tuple[str, ...]]]:
    """200 scripts: references and mutants of all families, as word lists that need no shell."""
    found: list[tuple[ForgeTask, tuple[str, ...]]] = []
    for blueprint in list(blueprints("paper362", 0))[::18]:
        task = compile_blueprint(blueprint)
        run = replay(task, task.reference)
        other = compile_blueprint(minimal_pair(blueprint))
        script = take_apart(task, task.reference, [e.changes for e in run.executions], other.reference)
        made = list(mutants(script))
        found.append((task, task.reference))
        found += [(task, m.lines) for m in made[:: max(1, len(made) // 9)][:9]]
    return found[:200]


@pytest.mark.slow
async def test_the_same_script_gives_the_same_difference_in_mock_multi_and_shim(tmp_path: Path) -> None:
    chosen = scripts()
    assert len(chosen) == 200
    for number, (task, lines) in enumerate(chosen):
        kept = [line for line in lines if splits(line)]
        results = []
        for mode in ("mock", "multi"):
            episode = Episode(task, mode, 100)
            shown = [(e.output.stdout, e.output.stderr, e.output.code) for e in map(episode.step, kept)]
            results.append((shown, episode.verdict()))
        async with ShimWorld(task, tmp_path / str(number), 100) as world:
            answers = [await ask(world, split_words(line)) for line in kept]
        shown = [(a["stdout"], a["stderr"], a["exit"]) for a in answers]
        results.append((shown, world.episode.verdict()))
        assert results[0] == results[1] == results[2]


def splits(line: str) -> bool:
    try:
        return bool(split_words(line))
    except Refused:
        return False


async def test_references_pass_when_typed_into_a_real_shell(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    for number, task in enumerate((paper[0], paper[16], paper[72], paper[160])):
        async with ShimWorld(task, tmp_path / str(number)) as world:
            for line in task.reference:
                done = await typed(world, line)
                assert done.returncode == 0, (line, done.stderr)
        record = world.record("shell")
        assert record.strict
        assert record.mode == "shim"
        assert [tuple(split_words(s.command)) for s in record.steps] == [tuple(split_words(x)) for x in task.reference]


async def test_the_budget_is_kept_by_the_server(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with ShimWorld(paper[0], tmp_path, horizon=2) as world:
        assert [(await ask(world, ["date"]))["exit"] for _ in range(3)] == [0, 0, EXHAUSTED]
        assert (await ask(world, ["tasks", "add", "--title", "x"]))["exit"] == EXHAUSTED
        (world.folder / "files" / "late.txt").write_text("late")
    record = world.record("late")
    assert (record.ended, len(record.steps), record.violations) == ("budget", 2, ())


async def test_a_stranger_and_rubbish_are_turned_away(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with ShimWorld(paper[0], tmp_path) as world:
        assert (await ask(world, ["date"], token="guess"))["exit"] == 77
        reader, writer = await asyncio.open_unix_connection(str(world.socket))
        writer.write(b"not json\n")
        assert json.loads(await reader.readline())["exit"] == 2
        writer.close()
        await writer.wait_closed()
        assert world.episode.executions == []


async def test_the_world_s_files_are_a_real_directory_both_ways(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with ShimWorld(paper[0], tmp_path) as world:
        files = world.folder / "files"
        assert (files / "notes" / "reading-list.txt").read_text().startswith("Books")
        await ask(world, ["file", "create", "--path", "/a/b.txt", "--content", "made"])
        assert (files / "a" / "b.txt").read_text() == "made"
        (files / "a" / "b.txt").write_text("edited")
        (files / "link.txt").symlink_to("/etc/hostname")
        assert (await ask(world, ["file", "read", "--path", "/a/b.txt"]))["stdout"] == "edited"
        assert (await ask(world, ["file", "read", "--path", "/link.txt"]))["exit"] == 1
        (files / "notes" / "reading-list.txt").unlink()
    changed = {(c.table, c.key, c.kind) for c in world.episode.verdict().changes}
    assert changed == {("files", "/a/b.txt", "created"), ("files", "/notes/reading-list.txt", "deleted")}
    assert any("deleted" in f for f in world.episode.verdict().forbidden)
    assert [e["argv"][0] for e in world.log].count("[files edited outside the commands]") == 2


async def test_clients_cover_every_program_and_say_when_the_world_is_gone(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    async with ShimWorld(paper[0], tmp_path) as world:
        assert {p.name for p in world.bin.iterdir()} == set(programs())
        assert (await typed(world, "date")).stdout == "2026-03-01T09:00:00Z\n"
        alone = {"PATH": f"{world.bin}:{os.defpath}"}
        bare = await asyncio.to_thread(
            subprocess.run, ["/bin/sh", "-c", "tasks list"], capture_output=True, text=True, env=alone, check=False
        )
        assert bare.returncode == 0
    gone = await typed(world, "date")
    assert gone.returncode == 69
    assert "not there" in gone.stderr


async def test_parallel_commands_are_executed_one_at_a_time(paper: tuple[ForgeTask, ...], tmp_path: Path) -> None:
    async with ShimWorld(paper[0], tmp_path) as world:
        await asyncio.gather(*(ask(world, ["tasks", "add", "--title", f"t{i}"]) for i in range(10)))
    made = [c.key for c in world.episode.verdict().changes]
    assert len(set(made)) == 10
    assert [e["seq"] for e in world.log] == list(range(1, 11))


async def test_a_blanked_shim_leaves_a_careful_policy_without_a_pass(
    one_per_family: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    for number, task in enumerate(one_per_family[::4]):
        async with ShimWorld(task, tmp_path / str(number), blank=True) as world:
            history: list[tuple[str, str]] = []
            while len(history) < 25:
                line = decide("careful", world.episode.observation, history)
                if line == "done":
                    break
                answer = await ask(world, split_words(line))
                history.append((line, str(answer["stdout"])))
                assert answer["stdout"] == answer["stderr"] == ""
        assert not world.record("careful").strict


async def test_any_program_can_be_run_in_the_world(paper: tuple[ForgeTask, ...]) -> None:
    task = paper[16]
    lines = " && ".join(task.reference)
    record = await run_command(task, ("/bin/sh", "-c", lines))
    assert (record.agent, record.strict, record.ended) == ("sh", True, "stopped")
    slow = await run_command(task, ("/bin/sh", "-c", "tasks list; sleep 30"), timeout=1.0)
    assert (slow.ended, slow.strict) == ("budget", False)
    told = await run_command(task, ("/bin/sh", "-c", 'test "$0" = "$FORGE_PROMPT" && date', "{prompt}"))
    assert [s.command for s in told.steps] == ["date"]


def test_clients_without_an_address_read_the_environment(tmp_path: Path) -> None:
    install_clients(tmp_path / "bin")
    env = {"PATH": os.defpath, "FORGE_SOCKET": str(tmp_path / "none.sock")}
    done = subprocess.run([str(tmp_path / "bin" / "tasks")], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 69


async def test_a_program_is_told_how_commands_files_and_budget_look_from_a_shell(
    paper: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    told = tmp_path / "told.txt"
    await run_command(paper[0], ["/bin/sh", "-c", f'printf %s "$FORGE_PROMPT" > {told}'], horizon=7)
    text = told.read_text(encoding="utf-8")
    assert text.startswith(Episode(paper[0]).observation)
    for part in ("programs on its PATH", "/ops/x is ./ops/x", "At most 7"):
        assert part in text


async def test_a_harness_is_told_the_same(paper: tuple[ForgeTask, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def hear(policy: str, messages: list[dict[str, object]], tools: object) -> Reply:
        heard.append(json.dumps(messages))
        return Reply(LAST_WORD)

    monkeypatch.setattr("claw_adapter_forge.policies.upstream.next_reply", hear)
    done: list[object] = []
    await run_policies([("careful", paper[0], 0)], ShimSettings("reference", isolation=1), done.append)
    assert done
    assert "programs on its PATH" in heard[0]
