"""An environment through the whole loop: what is in it before and after a turn, after failures, after an interruption."""

import asyncio
import errno
import json

import pytest
from tests.support.counting import (
    Adder,
    Counter,
    counting,  # noqa: F401  # a fixture
    write_counting,
)
from tests.support.running import experiment, run_experiment

from claw_adapter.errors import AdapterError, HarnessCrash, MachineError, ScenarioError
from claw_adapter.report.compare_checks import RunRow, mixed
from claw_adapter.report.rescore import rescore
from claw_adapter.report.summary import summarise
from claw_adapter.runs.load import load_run
from claw_adapter.runs.store import Store

pytestmark = pytest.mark.usefixtures("counting")


def states(root, records):
    store = Store(root / "store")
    return [(json.loads(store.get(r.environment.before)), json.loads(store.get(r.environment.after))) for r in records]


async def ran(tmp_path, *numbers, options=None, harness="adder", name="run", **settings):
    scenario = tmp_path / "scenario"
    if not scenario.exists():
        write_counting(scenario, *numbers, options=options)
    asked = experiment(
        scenario, harnesses=[harness], models=["reader"], settings={"isolation": 0, "deadline": 20, **settings}
    )
    [records] = (await run_experiment(tmp_path / name, asked)).values()
    return records


async def test_a_question_gets_the_states_before_and_after_and_the_prompt_what_the_environment_says(tmp_path):
    records = await ran(tmp_path, 2, 5, options={"start": 10})
    assert states(tmp_path / "run", records) == [(10, 12), (12, 17)]
    assert [r.score.value for r in records] == [1, 1]
    assert [r.prompt for r in records] == ["2\n\nr1 in a counter.", "5\n\nr2 in a counter."]


async def test_a_failed_attempt_leaves_nothing_behind(tmp_path):
    Adder.faults = {"5": HarnessCrash("it fell over")}
    records = await ran(tmp_path, 2, 5, 1)
    assert [r.attempts for r in records] == [1, 2, 1]
    assert states(tmp_path / "run", records) == [(0, 2), (2, 7), (7, 8)]
    assert [r.score.value for r in records] == [1, 1, 1]


async def test_an_adapter_that_raises_fails_its_round_and_the_state_is_that_of_before(tmp_path):
    Adder.faults = {"5": ValueError("a bug")}
    records = await ran(tmp_path, 2, 5, 1)
    assert [r.score.value for r in records] == [1, None, 1]
    assert records[1].error.owner == "adapter"
    assert states(tmp_path / "run", records) == [(0, 2), (2, 2), (2, 3)]


async def test_an_interrupted_trial_goes_on_in_the_state_of_its_last_round(tmp_path):
    Adder.faults = {"5": asyncio.CancelledError()}
    before = await ran(tmp_path, 2, 5, 1)
    assert len(before) == 1
    records = await ran(tmp_path)
    assert states(tmp_path / "run", records) == [(0, 2), (2, 7), (7, 8)]


async def test_what_is_written_to_its_files_counts_and_checks_see_it_again(tmp_path):
    await ran(tmp_path, 2, 5)
    found = await rescore(tmp_path / "run")
    assert found.rounds == 2
    assert not found.differences


@pytest.mark.parametrize("broken", ["open", "snapshot", "prompt", "add 5"])
async def test_what_breaks_in_the_environment_is_the_scenarios(tmp_path, broken):
    records = await ran(tmp_path, 2, 5, options={"broken": broken})
    data = load_run(tmp_path / "run")
    failure = data.trials[0].failure or records[1].error
    assert failure.owner == "scenario"
    assert "RuntimeError" in failure.what
    assert failure.where == "environment counter"


async def test_a_harness_without_hands_needs_an_environment(tmp_path):
    with pytest.raises(ScenarioError, match="has none") as caught:
        await run_experiment(tmp_path / "run", experiment("demo", harnesses=["adder"]))
    assert caught.value.remedy


async def test_an_environment_that_cannot_be_made_is_found_before_anything_is_spent(tmp_path):
    with pytest.raises(AdapterError, match="no option 'size'"):
        await ran(tmp_path, 2, options={"size": 3})
    assert not (tmp_path / "run").exists()


async def test_nothing_isolates_a_harness_that_executes_nothing_and_it_compares_with_any(tmp_path, monkeypatch):
    await ran(tmp_path, 2, 5, name="without")
    monkeypatch.setattr(Adder, "executes", True)
    records = await ran(tmp_path, 2, 5, name="with")
    assert records[0].prompt.endswith("with programs.")
    rows = []
    for name in ("without", "with"):
        data = load_run(tmp_path / name)
        [row] = summarise(data).rows
        rows.append(RunRow(name, name, data, row, data.trials))
    assert [level.harness for row in rows for level in row.row.isolation] == [None, 0]
    assert mixed(*rows) == ()


async def test_programs_of_a_harness_find_it_first_on_their_path(tmp_path):
    from claw_adapter.environment import Surroundings
    from claw_adapter.testing import FolderContext

    counter = Counter()
    folder = tmp_path / "bin"
    folder.mkdir()
    counter.file = folder / "count.txt"
    ctx = FolderContext(tmp_path / "trial", environment=Surroundings(await counter.attach(), counter.execute))
    done = await ctx.run(["/bin/sh", "-c", "echo $PATH; echo $COUNTED"], 20)
    path, counted = done.stdout.text.split()
    assert path.startswith(f"{folder}:")
    assert counted == "yes"


@pytest.mark.parametrize(("number", "owner"), [(errno.EIO, "scenario"), (errno.ENOENT, "scenario"), (errno.ENOSPC, "")])
async def test_what_the_system_refuses_an_environment_is_the_scenarios_unless_the_machine_lacks_it(
    tmp_path, monkeypatch, number, owner
):
    def refused(_counter, what):
        if what == "add 5":
            raise OSError(number, "the system's words")

    with monkeypatch.context() as broken:
        broken.setattr(Counter, "_break", refused)
        if owner:
            records = await ran(tmp_path, 2, 5, attempts=1)
            assert records[1].error.owner == owner
            return
        with pytest.raises(MachineError, match="1 of 2 rounds are recorded"):
            await ran(tmp_path, 2, 5)
    records = await ran(tmp_path, 2, 5)
    assert [r.score.value for r in records] == [1, 1]
    assert states(tmp_path / "run", records) == [(0, 2), (2, 7)]
