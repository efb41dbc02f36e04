"""What the runner does with overlays: their state goes on with the trial, their artefacts stay, their failures are theirs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import ClassVar

import pytest

from claw_adapter import plugins
from claw_adapter.bundles.make import make_bundle
from claw_adapter.bundles.verify import verify_bundle
from claw_adapter.errors import HarnessCrash, OverlayError, OverlayNotFound, Owner
from claw_adapter.harness import Probe
from claw_adapter.overlay import Overlay
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from support.proxies import SkillProxy, serving
from support.running import experiment, rounds, run_experiment, run_sync
from support.scenarios import write_scenario

MODEL = {"name": "script", "kind": "scripted", "script": ["\\bbox{A}"]}


class Skills(Overlay):
    """A proxy inside the runner; `made` are all that were made, `faults` what to do when it is started for the n-th time."""

    name: ClassVar[str] = "skills"
    made: ClassVar[list[Skills]] = []
    faults: ClassVar[dict[int, Exception | float]] = {}
    ready: ClassVar[bool] = True

    def __init__(self, own: bool = False) -> None:
        self.own, self.started, self.closed = own, 0, 0
        self.saved: list[dict] = []
        self.seen = 0
        Skills.made.append(self)

    def probe(self) -> Probe:
        return Probe(ready=self.ready, versions={"skills": "7"}, reason="" if self.ready else "it is not there")

    async def wrap(self, ctx, endpoint):
        self.started += 1
        assert ctx.state_dir.is_dir()
        assert not list(ctx.state_dir.iterdir())
        assert ctx.workspace == ctx.state_dir, "the agent's workspace is not shown"
        self.saved.append(dict(ctx.saved))
        match self.faults.get(self.started):
            case Exception() as fault:
                raise fault
            case float() as seconds:
                await asyncio.sleep(seconds)
        self.stack = AsyncExitStack()
        self.proxy = SkillProxy(endpoint.url, endpoint.key)
        port = await self.stack.enter_async_context(serving(self.proxy))
        (ctx.state_dir / "pool").mkdir()
        (ctx.state_dir / "pool" / "skill").write_text(f"started {self.started}")
        await ctx.keep("pool", ctx.state_dir / "pool")
        return await ctx.route(port, headers={"X-Session-Id": ctx.trial})

    async def checkpoint(self):
        self.seen += 1
        if self.own:
            await self.proxy.ask({"messages": [{"role": "user", "content": "make a skill"}]})
        return {"seen": str(self.seen).encode()}

    async def close(self):
        self.closed += 1
        if hasattr(self, "stack"):
            await self.stack.aclose()


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """The overlay is found as a plugin is."""
    create = plugins.create
    monkeypatch.setattr(Skills, "made", [])
    monkeypatch.setattr(Skills, "faults", {})
    monkeypatch.setattr(
        plugins, "create", lambda kind, name, options=None:
        Skills(**options) if (kind, name) == ("overlay", "skills") else create(kind, name, options),
    )  # fmt: skip


def asked(tmp_path, count: int = 3, overlays=("skills",), **settings):
    scenario = write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in range(1, count + 1)])
    return experiment(
        scenario, models=[MODEL], overlays=list(overlays), settings={"isolation": 0, "deadline": 20, **settings}
    )


def only(found: dict) -> list:
    (records,) = found.values()
    return records


def test_a_run_with_an_overlay_can_be_bundled_and_verified(tmp_path):
    """A trial's journal begins with the versions of its overlays, too, which the plan has not."""
    run_sync(tmp_path / "run", asked(tmp_path))
    make_bundle(tmp_path / "run", tmp_path / "b.tar.gz")
    found = asyncio.run(verify_bundle(tmp_path / "b.tar.gz", [str(tmp_path / "small")]))
    assert [row.harness for row in found.rows] == ["reference+skills"]


class Crashing(ReferenceHarness):
    """Crashes at its second prompt."""

    def __init__(self) -> None:
        super().__init__(mode="in-process")
        self.sent = 0

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def counted(prompt, deadline):
            self.sent += 1
            if self.sent == 2:
                raise HarnessCrash("gone")
            return await send(prompt, deadline)

        conversation.send = counted
        return conversation


def test_an_overlay_lives_as_long_as_its_trial_and_what_it_keeps_stays(tmp_path):
    records = only(run_sync(tmp_path / "run", asked(tmp_path)))
    assert [record.score.value for record in records] == [1, 1, 1]
    overlay = Skills.made[-1]
    assert (overlay.started, overlay.closed, overlay.seen) == (1, 1, 3)
    trial = "small--reference-skills--script--s0"
    folder = RunFolder(tmp_path / "run").trial(trial)
    assert (folder / "artefacts" / "skills" / "pool" / "skill").read_text() == "started 1"
    start = read_journal(folder / "journal.jsonl")[0]
    assert (start.overlays, start.versions["skills"]) == (("skills",), "7")
    assert overlay.proxy.headers[0]["X-Session-Id"] == trial


def test_after_a_crash_of_the_harness_it_begins_again_with_its_state_of_the_last_finished_round(tmp_path):
    records = only(run_sync(tmp_path / "run", asked(tmp_path), harnesses={"reference": Crashing()}))
    assert [record.score.value for record in records] == [1, 1, 1]
    overlay = Skills.made[-1]
    assert overlay.saved == [{}, {"seen": b"1"}]
    assert (overlay.started, overlay.closed) == (2, 2)


def test_its_own_requests_stand_in_the_record_of_their_round_and_the_rest_at_the_end(tmp_path):
    records = only(run_sync(tmp_path / "run", asked(tmp_path, overlays=[{"name": "skills", "options": {"own": True}}])))
    journal = read_journal(tmp_path / "run" / "trials" / "small--reference-skills--script--s0" / "journal.jsonl")
    counted = [record.usage.overlay.requests for record in records] + [journal[-1].overlay.requests]
    assert sum(counted) == 3
    assert [record.usage.metered.requests for record in records] == [1, 1, 1]


@pytest.mark.parametrize("fault", [OverlayError("no port left"), 60.0])
def test_one_that_does_not_come_up_is_tried_again_and_then_its_round_is_unscored(tmp_path, fault):
    Skills.faults.update({1: fault, 2: fault})
    records = only(run_sync(tmp_path / "run", asked(tmp_path, deadline=2)))
    assert [record.score.value for record in records] == [None, 1, 1]
    assert records[0].attempts == 2
    assert records[0].score.cause.owner is Owner.OVERLAY
    assert Skills.made[-1].closed == Skills.made[-1].started


async def test_one_that_is_not_there_is_refused_before_anything_is_spent(tmp_path, monkeypatch):
    monkeypatch.setattr(Skills, "ready", False)
    with pytest.raises(OverlayNotFound, match="overlay 'skills' is not ready: it is not there"):
        await run_experiment(tmp_path / "run", asked(tmp_path))
    assert not (tmp_path / "run").exists()


def test_a_failure_of_the_overlay_is_its_own_and_a_second_attempt_begins_anew(tmp_path, monkeypatch):
    wrap = Skills.wrap

    async def garbling(self, ctx, endpoint):
        found = await wrap(self, ctx, endpoint)
        self.proxy.fault = "garble" if self.started == 1 else ""
        return found

    monkeypatch.setattr(Skills, "wrap", garbling)
    only(run_sync(tmp_path / "run", asked(tmp_path)))
    records = rounds(tmp_path / "run", "small--reference-skills--script--s0")
    assert [record.score.value for record in records] == [1, 1, 1]
    (failure,) = records[0].earlier_failures
    assert (failure.owner, failure.where) == (Owner.OVERLAY, "overlay skills")


def test_two_overlays_and_the_harness_alone_are_rows_of_one_experiment(tmp_path):
    second = {"name": "skills", "label": "more"}
    found = run_sync(tmp_path / "run", asked(tmp_path, count=1, overlays=["none", "skills", ["skills", second]]))
    assert sorted(found) == [
        "small--reference--script--s0", "small--reference-skills--script--s0", "small--reference-skills-more--script--s0",
    ]  # fmt: skip
    assert all(record.score.value == 1 for records in found.values() for record in records)
