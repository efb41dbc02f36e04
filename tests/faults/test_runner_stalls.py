"""What hangs, stays or cannot be closed costs its own round or trial: never another's, never the run."""

import asyncio
import os
import subprocess
import threading

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.errors import EndpointError, HarnessCrash, HarnessStartError, JournalError, Owner
from claw_adapter.folders import remove_tree
from claw_adapter.harness import Failure, TurnResult
from claw_adapter.protocol import TrialEnd
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.runner import rounds as runner_rounds
from claw_adapter.runner import trial as runner_trial
from claw_adapter.runs import folder as folders
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.workspace import Snapshotter
from support.running import experiment, run_sync
from support.scenarios import write_scenario

RIGHT = "\\bbox{A}"
GONE = Failure.of(HarnessCrash("gone"))


class Spoilt(ReferenceHarness):
    """The reference harness inside the runner, spoilt in one place."""

    def __init__(self) -> None:
        super().__init__(mode="in-process")
        self.opened = 0

    async def open(self, ctx, checkpoint=None):
        self.opened += 1
        conversation = await super().open(ctx, checkpoint)
        await self.spoil(conversation, ctx)
        return conversation

    async def spoil(self, conversation, ctx) -> None:
        raise NotImplementedError


def run_with(tmp_path, harness, *, count=2, seeds=(0,), scenario=None, **settings) -> list:
    """Finished rounds of the trials, in their order."""
    asked = experiment(
        scenario or write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in range(1, count + 1)]),
        models=[{"name": "script", "kind": "scripted", "script": [RIGHT]}],
        settings={"isolation": 0, "deadline": 30, **settings},
        seeds=seeds,
    )
    return list(run_sync(tmp_path / "run", asked, jobs=1, harnesses={"reference": harness}).values())


def ends(tmp_path) -> list[TrialEnd]:
    """The last record of every trial."""
    return [read_journal(path)[-1] for path in sorted((tmp_path / "run/trials").glob("*/journal.jsonl"))]


def test_work_on_many_files_never_holds_up_the_loop_of_all_trials(tmp_path, monkeypatch):
    """A snapshot may take seconds; deadlines of other trials go on meanwhile."""
    where: dict[str, set[bool]] = {}

    def watched(name, call):
        def noted(*given, **more):
            where.setdefault(name, set()).add(threading.current_thread() is threading.main_thread())
            return call(*given, **more)

        return noted

    for name in ("take", "restore", "materialise"):
        monkeypatch.setattr(Snapshotter, name, watched(name, getattr(Snapshotter, name)))
    for module in (runner_trial, runner_rounds):
        monkeypatch.setattr(module, "remove_tree", watched("remove_tree", remove_tree))

    class FailsOnce(Spoilt):
        async def spoil(self, conversation, ctx):
            if self.opened == 1:
                conversation.send = lambda prompt, deadline: asyncio.sleep(0, TurnResult(error=GONE))

    run_sync(tmp_path / "run", experiment("demo"), harnesses={"reference": FailsOnce()})
    assert where == {key: {False} for key in ("take", "restore", "materialise", "remove_tree")}


def test_an_error_while_one_trial_is_closed_is_that_trials_error_and_the_others_go_on(tmp_path, monkeypatch):
    close, calls = ModelEndpoint.close_trial, []

    async def fails_once(self, trial):
        calls.append(trial)
        if len(calls) == 1:
            raise EndpointError("the model endpoint has stopped")
        await close(self, trial)

    class Fine(Spoilt):
        async def spoil(self, conversation, ctx):
            if calls:
                assert not (ctx.workspace.parents[1] / calls[0]).exists(), (
                    "the first trial's folder is gone all the same"
                )

    monkeypatch.setattr(ModelEndpoint, "close_trial", fails_once)
    found = run_with(tmp_path, Fine(), seeds=(0, 1, 2))
    assert [[r.score.value for r in records] for records in found] == [[1, 1]] * 3
    first, *others = ends(tmp_path)
    assert first.error.what == "the model endpoint has stopped"
    assert [end.error for end in others] == [None, None]


def test_a_conversation_that_cannot_be_closed_is_no_reason_to_keep_its_key_and_folder(tmp_path, monkeypatch):
    class Stuck(Spoilt):
        async def spoil(self, conversation, ctx):
            async def close():
                raise RuntimeError("a bug in close()")

            conversation.close = close

    closed = []
    close = ModelEndpoint.close_trial
    monkeypatch.setattr(ModelEndpoint, "close_trial", lambda self, trial: closed.append(trial) or close(self, trial))
    run_with(tmp_path, Stuck())
    assert len(closed) == 1
    assert not (tmp_path / "run/live").exists()


def dig(folder, depth: int) -> None:
    """Folders within folders."""
    inside = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a", dir_fd=inside)
        inner = os.open("a", os.O_RDONLY, dir_fd=inside)
        os.close(inside)
        inside = inner
    os.close(inside)


@pytest.fixture
def run_removed(tmp_path):
    """Whatever a failing test leaves: pytest itself cannot remove folders of such a depth."""
    yield
    subprocess.run(["rm", "-rf", tmp_path / "run"], check=True)


@pytest.mark.usefixtures("run_removed")
def test_folders_of_any_depth_are_removed(tmp_path):
    class Digs(Spoilt):
        async def spoil(self, conversation, ctx):
            if ctx.seed == 0:
                dig(ctx.workspace, 1200)

    found = run_with(tmp_path, Digs(), seeds=(0, 1))
    assert [[r.score.value for r in records] for records in found] == [[1, 1]] * 2
    assert [end.error for end in ends(tmp_path)] == [None, None]
    (tmp_path / "run/live").mkdir()
    dig(tmp_path / "run/live", 1200)
    with RunFolder(tmp_path / "run"):
        assert not (tmp_path / "run/live").exists()


def test_what_an_agent_made_hard_to_remove_is_removed_and_no_link_is_followed(tmp_path):
    kept = tmp_path / "elsewhere"
    (kept / "inner").mkdir(parents=True)
    tree = tmp_path / "tree"
    (tree / "locked/inner").mkdir(parents=True)
    (tree / "locked/inner/file").write_text("text")
    (tree / "link").symlink_to(kept, target_is_directory=True)
    (tree / "locked/inner").chmod(0)
    (tree / "locked").chmod(0)
    tree.chmod(0o500)
    remove_tree(tree)
    assert not tree.exists()
    remove_tree(tree)
    link = tmp_path / "link"
    link.symlink_to(kept, target_is_directory=True)
    remove_tree(link)
    assert not link.is_symlink()
    assert (kept / "inner").is_dir()
    remove_tree(tmp_path / "absent/below")


@pytest.mark.parametrize("when", ["at the beginning", "at the end"])
def test_a_folder_that_cannot_be_emptied_keeps_no_lock(tmp_path, monkeypatch, when):
    def fails(path):
        raise JournalError("this folder cannot be removed", where=str(path))

    def used() -> None:
        if when == "at the beginning":
            monkeypatch.setattr(folders, "remove_tree", fails)
        with RunFolder(tmp_path / "run"):
            monkeypatch.setattr(folders, "remove_tree", fails)

    with pytest.raises(JournalError, match="cannot be removed"):
        used()
    monkeypatch.undo()
    with RunFolder(tmp_path / "run"):
        pass


def test_what_a_failed_close_leaves_is_ended_before_the_next_attempt(tmp_path):
    class LivesOn(Spoilt):
        async def spoil(self, conversation, ctx):
            alive.append([reaper.entry(process.pid) is not None for process in started])
            started.append(await ctx.spawn(["/bin/sh", "-c", "sleep 63"]))

            async def close():
                if self.opened == 1:
                    raise RuntimeError("a bug in close()")
                for process in started:
                    await process.stop(0)

            conversation.close = close
            if self.opened == 1:
                conversation.send = lambda prompt, deadline: asyncio.sleep(0, TurnResult(error=GONE))

    started, alive = [], []
    (records,) = run_with(tmp_path, LivesOn(), count=1)
    assert records[0].attempts == 2
    assert alive == [[], [False]]


def test_what_cannot_be_ended_fails_the_round_as_the_harnesss_and_nothing_is_tried_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr(runner_trial.reaper, "sweep", lambda marker, seconds: 2)

    class Fails(Spoilt):
        async def spoil(self, conversation, ctx):
            await ctx.run(["/bin/true"], 10)
            conversation.send = lambda prompt, deadline: asyncio.sleep(0, TurnResult(error=GONE))

    (records,) = run_with(tmp_path, Fails(), count=1)
    assert records[0].attempts == 1
    assert records[0].error.owner is Owner.HARNESS
    assert "still there after being killed: 2" in records[0].error.what


def with_update(tmp_path):
    about = {"actions": [{"session": "ops", "source": "more.jsonl"}]}
    more = '{"role": "user", "text": "news"}\n{"role": "assistant", "text": "noted"}\n'
    rounds = [{"id": "r1"}, {"id": "r2", "updates": ["u1"]}, {"id": "r3"}]
    return write_scenario(tmp_path / "small", rounds, histories=["ops"], updates={"u1": (about, {"more.jsonl": more})})


@pytest.mark.parametrize("times", [1, 99])
def test_a_sync_that_hangs_costs_a_deadline_not_the_run(tmp_path, times):
    class Hangs(Spoilt):
        hung = 0

        async def spoil(self, conversation, ctx):
            sync = conversation.sync

            async def hangs(changes):
                self.hung += 1
                await (asyncio.Event().wait() if self.hung <= times else sync(changes))

            conversation.sync = hangs

    (records,) = run_with(tmp_path, Hangs(), scenario=with_update(tmp_path), deadline=1)
    assert [r.score.value for r in records] == ([1, 1, 1] if times == 1 else [1, None, None])
    failed = records[1].earlier_failures[0] if times == 1 else records[1].error
    assert failed.kind == "DeadlineExceeded"
    assert "sync()" in failed.what


def test_a_harness_that_does_not_say_what_it_knows_is_the_one_that_was_late(tmp_path):
    class Silent(Spoilt):
        async def spoil(self, conversation, ctx):
            conversation.checkpoint = asyncio.Event().wait

    (records,) = run_with(tmp_path, Silent(), count=1, deadline=0.5, attempts=1)
    assert (records[0].error.kind, records[0].error.owner) == ("DeadlineExceeded", Owner.HARNESS)
    assert "checkpoint()" in records[0].error.what


def test_why_a_harness_does_not_come_up_is_told_although_the_adapter_uses_its_whole_deadline(tmp_path):
    class Refuses(Spoilt):
        async def spoil(self, conversation, ctx):
            await asyncio.sleep(ctx.deadline + 0.2)
            raise HarnessStartError("FATAL: licence expired")

    (records,) = run_with(tmp_path, Refuses(), count=1, deadline=0.3, attempts=1)
    assert records[0].error.what == "FATAL: licence expired"


@pytest.mark.parametrize("where", ["open", "send", "checkpoint", "sync"])
def test_a_time_out_of_the_adapters_own_is_not_taken_for_the_runners(tmp_path, where):
    async def raises(*_):
        raise TimeoutError("ETIMEDOUT after 0.0 s")

    class TimesOut(Spoilt):
        async def spoil(self, conversation, ctx):
            if where == "open":
                await raises()
            setattr(conversation, where, raises)

    (records,) = run_with(tmp_path, TimesOut(), scenario=with_update(tmp_path))
    error = records[1].error
    assert (error.kind, error.owner, error.what) == ("TimeoutError", Owner.ADAPTER, "ETIMEDOUT after 0.0 s")
