"""The example docs/examples/sqlite-stock: its package and its scenario as they stand there, run with scripted models."""

from importlib import import_module
from pathlib import Path

import pytest

import claw_adapter
from claw_adapter import plugins
from claw_adapter.questions.types import question_type

EXAMPLE = Path(__file__).parents[2] / "docs/examples/sqlite-stock"

SHELF = ["stock list", "stock move TEA-G 6 --from store --to shelf", "stock move TEA-M 3 --from store --to shelf"]
DELIVERY = [
    "cat delivery-note.csv",
    "stock write-off HON-1 2 --from dock --reason broken",
    "stock move HON-1 10 --from dock --to store",
    "stock move JAM-1 6 --from dock --to store",
]
WINDOW = ["stock move LAN-2 3 --from window --to store", "stock move MUG-1 2 --from window --to store"]
LANTERN = ["stock move LAN-1 1 --from window --to store", "stock move LAN-1 1 --from store --to window"]


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The package, as if it were installed."""
    monkeypatch.syspath_prepend(EXAMPLE / "src")
    plugin, known = import_module("sqlite_stock.plugin"), plugins.provides
    brought = {"environment": plugin.claw_environment(), "question_type": plugin.claw_question_type()}
    monkeypatch.setattr(plugins, "provides", lambda name, *kinds: brought if name == "stock" else known(name, *kinds))
    question_type.cache_clear()
    yield
    question_type.cache_clear()


def said(harness, rounds):
    """What the model says: each round's commands, then that it is done."""
    if harness.startswith("bare"):
        return [line for commands in rounds for line in (*commands, "done")]
    return [item for commands in rounds for item in (*map(called, commands), "It is done.")]


def called(line):
    """A command as a tool call; a fault as it is."""
    return {"tools": [{"name": "exec", "arguments": {"command": line}}]} if isinstance(line, str) else line


async def run(folder, rounds, harness="reference"):
    return await claw_adapter.arun(
        EXAMPLE / "corner-shop",
        harnesses=harness,
        model={"name": "script", "kind": "scripted", "script": said(harness, rounds)},
        deadline=30,
        out=folder / "run",
    )


def told(run):
    return [(row.score, row.pattern) for row in run.rounds]


@pytest.mark.parametrize("harness", ["reference", "bare"])
async def test_the_right_way_scores_1_and_is_judged_again_without_a_difference(tmp_path, harness):
    ran = await run(tmp_path, [SHELF, DELIVERY, WINDOW], harness)
    assert told(ran) == [(1, "")] * 3
    assert [row.record.score.detail.commands for row in ran.rounds] == [3, 3, 2]
    assert "2 jars broken" in str([request.exchange for request in ran.requests])
    again = (await claw_adapter.aopen_run(ran.path)).rescore()
    assert not again.differences


@pytest.mark.parametrize("harness", ["reference", "bare"])
async def test_what_is_not_wanted_scores_0_with_its_pattern(tmp_path, harness):
    wrong = ["stock move TEA-B 6 --from store --to shelf"]
    ran = await run(tmp_path, [wrong, [], [*WINDOW, *LANTERN]], harness)
    assert told(ran) == [(0, "wrong-article"), (0, "nothing-done"), (0, "touched")]
    shelf, delivery, window = (row.record.score.detail for row in ran.rounds)
    assert shelf.violations == ("TEA-B at shelf: 16, not 10", "TEA-B at store: 9, not 15")
    assert len(shelf.missing) == 4
    assert delivery.progress == 0
    assert delivery.partial == delivery.baseline
    assert window.progress == 1
    assert not window.violations
    assert window.forbidden == ("LAN-1 was to stay, and was touched",)


@pytest.mark.parametrize("harness", ["reference", "bare:retries=0"])
async def test_a_failed_first_attempt_leaves_nothing_behind(tmp_path, harness):
    failed = ["stock move TEA-B 6 --from store --to shelf", {"fault": "garbage"}]
    ran = await run(tmp_path, [[*failed, *SHELF], [], []], harness)
    first = ran.rounds[0].record
    assert first.attempts == 2
    assert (first.score.value, first.score.detail.commands) == (1, 3)


async def test_a_shell_gets_errors_and_no_file_of_the_database(tmp_path):
    tried = [
        "stock move NO-1 1 --from store --to shelf; echo status $?",
        "stock move TEA-G 99 --from store --to shelf",
        "stock write-off TEA-G 1; echo status $?",
        "cd $(dirname $(command -v stock))/.. && find . -name '*.db*' | wc -l",
    ]
    ran = await run(tmp_path, [tried, [], []])
    printed = str([request.exchange.messages for request in ran.requests])
    assert "stock: there is no article NO-1; see: stock list\\nstatus 1" in printed
    assert "stock: store has 20 of TEA-G, not 99" in printed
    assert "the following arguments are required: --reason" in printed
    assert "status 2" in printed
    assert "'0\\n" in printed
    assert told(ran)[0] == (0, "nothing-done")
