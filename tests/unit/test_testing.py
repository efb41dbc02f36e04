"""What claw_adapter.testing promises to authors of adapters; the page about it is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from claw_adapter.errors import EndpointError
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.sandbox import detect
from claw_adapter.testing import FolderContext, PlantedConversation, ScriptedEndpoint, planted

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"


async def test_the_example_of_the_page_passes(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    found = {"__name__": "example"}
    exec(code, found)
    tests = {name: value for name, value in found.items() if name.startswith("test_")}
    assert len(tests) == 2
    for name, check in tests.items():
        (tmp_path / name).mkdir()
        await check(tmp_path / name)


@pytest.mark.parametrize("isolation", range(detect().level + 1))
async def test_a_harness_reaches_the_endpoint_at_every_level(tmp_path, isolation):
    async with ScriptedEndpoint(tmp_path / "endpoint", "yes") as endpoint:
        ctx = FolderContext(tmp_path / "t", endpoint, isolation=isolation, seed=3, options={"a": 1}, deadline=30)
        assert (ctx.trial, ctx.seed, ctx.options, ctx.isolation) == ("t", 3, {"a": 1}, isolation)
        async with await ReferenceHarness().open(ctx) as conversation:
            turn = await conversation.send("well?", 30)
        (child,) = ctx.children
    assert turn.text == "yes"
    assert child.exit is not None
    assert endpoint.key not in (tmp_path / "endpoint" / "transcript.jsonl").read_text("utf-8")


@pytest.mark.parametrize("isolation", range(3))
def test_a_program_is_told_paths_that_do_not_depend_on_the_run_where_there_are_namespaces(tmp_path, isolation):
    ctx = FolderContext(tmp_path / "t", isolation=isolation)
    told = [ctx.inside(path) for path in (ctx.workspace / "a.txt", ctx.state_dir, tmp_path)]
    ours = [ctx.workspace / "a.txt", ctx.state_dir, tmp_path]
    assert told == ([Path("/agent/workspace/a.txt"), Path("/agent/state"), tmp_path] if isolation == 2 else ours)


async def test_a_fault_takes_the_place_of_a_reply_and_is_among_the_exchanges(tmp_path):
    async with ScriptedEndpoint(tmp_path, "never", faults=[{"at": [1], "kind": "401"}]) as endpoint:
        async with await ReferenceHarness().open(FolderContext(tmp_path / "t", endpoint)) as conversation:
            turn = await conversation.send("well?", 30)
        assert [(one.fault, one.status) for one in endpoint.exchanges()] == [("401", 401)]
    assert turn.error.owner == "endpoint"


async def test_a_script_of_unknown_form_is_refused(tmp_path):
    with pytest.raises(EndpointError, match="no known form"):
        async with ScriptedEndpoint(tmp_path, {"sey": "hello"}):
            pass
    assert not (tmp_path / "data.sock").exists()


async def test_a_context_without_an_endpoint_is_enough_for_what_asks_no_model(tmp_path):
    ctx = FolderContext(tmp_path / "t")
    done = await ctx.run(["/bin/sh", "-c", "echo hello; pwd"], 10)
    assert done.stdout.text.split() == ["hello", str(ctx.workspace)]


def test_a_planted_harness_is_still_that_harness():
    kind = planted(ReferenceHarness, PlantedConversation)
    assert (kind.name, kind(mode="in-process").runs_inside) == (ReferenceHarness.name, True)
