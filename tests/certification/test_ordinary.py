"""RUN-001: an ordinary run finds what bites in it, whose it is, and says how to see it again; a sound harness passes."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from claw_adapter.audit import Bite, TrialAudit
from claw_adapter.certify import lite
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.checks import plan as checks_plan
from claw_adapter.certify.checks import run
from claw_adapter.certify.judge import certify, plan
from claw_adapter.certify.plans.plan import SessionPlan
from claw_adapter.errors import PluginError
from claw_adapter.protocol import Clip
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.scenario.named import find_scenarios
from claw_adapter.testing import PlantedConversation
from support.misbehaving import Agent, Wire, declaring, kind


class OldResultsCleared(Wire):
    """Results of more than twenty turns ago are not sent any more: no shorter session shows it."""

    def spoil_request(self, data):
        own = self.own(data["messages"])
        for message in data["messages"][: own[-20]] if len(own) > 20 else ():
            if message["role"] == "tool":
                message["content"] = "[old result cleared]"


class LogsByTheirEnds(Agent):
    """Of a log that is read the last lines are shown, and nothing says so."""

    def change(self, agent):
        read = agent.tool_read_file

        def ends(path, **more):
            text = read(path, **more)
            return "\n".join(text.split("\n")[-40:]) if path.endswith(".log") else text

        agent.tool_read_file = ends


async def worked(harness, tmp_path, monkeypatch):
    monkeypatch.setattr(checks_plan, "SCENARIOS", 1)
    async with Bench(harness, out=tmp_path / "out", isolation=0, nonce="logs", shrinking=4) as bench:
        (result,) = await certify(bench, plan("gold", only=["PLAN-004"]))
    return result


async def test_work_in_a_scenario_shows_nothing_of_a_sound_harness(tmp_path, monkeypatch):
    result = await worked(ReferenceHarness(mode="in-process"), tmp_path, monkeypatch)
    assert (result.outcome, result.what) == ("passed", "")
    assert re.match(r"lite:seed=\d,sample=1,draw=", result.notes[0])
    assert re.match(r"16 turns, \d+ requests compared whole", result.notes[1])


async def test_work_in_a_scenario_finds_what_no_drawn_file_shows(tmp_path, monkeypatch):
    result = await worked(kind(LogsByTheirEnds)(), tmp_path, monkeypatch)
    assert (result.outcome, result.owner) == ("failed", "harness")
    assert result.what.startswith("M20 file-cut: reading ")
    (stored,) = re.findall(r"--plan OUT/(\S+) ", result.what)
    short = SessionPlan.model_validate_json((tmp_path / "out" / stored).read_text())
    assert short.within
    assert len(short.turns) < 12


async def ran(harness, tmp_path, monkeypatch, scenarios=1, isolation=0):
    monkeypatch.setattr(run, "SCENARIOS", scenarios)
    async with Bench(harness, out=tmp_path / "out", isolation=isolation, nonce="ordinary") as bench:
        (result,) = await certify(bench, plan("gold", only=["RUN-001"]))
    return result


async def test_a_sound_harness_passes_and_its_losses_are_said(tmp_path, monkeypatch):
    result = await ran(ReferenceHarness(mode="in-process"), tmp_path, monkeypatch)
    assert (result.outcome, result.what) == ("passed", "")
    assert re.search(r"^lite:seed=\d,sample=1,draw=\w+: \S+ 28 of 28 right, 0 unscored", result.notes[0])


async def test_what_bites_only_in_a_long_run_is_found_and_how_to_see_it_is_said(tmp_path, monkeypatch):
    result = await ran(kind(OldResultsCleared)(), tmp_path, monkeypatch)
    assert (result.outcome, result.owner) == ("failed", "harness")
    assert result.what.startswith("M30 own-result-changed: ")
    assert "in r2" in result.what
    (asked,) = re.findall(r"^again: claw run (\S+) --harness \S+ --model reader", result.what, re.MULTILINE)
    assert len(find_scenarios((asked,))) == 1


def told(ours, theirs, bites=()):
    """A trial of three rounds in which these scores were reached, and its audit."""

    def trial(values):
        rounds = [
            SimpleNamespace(
                round=f"r{n}", index=n, text="A", error=None, earlier_failures=(), score=SimpleNamespace(value=value)
            )
            for n, value in enumerate(values)
        ]
        return SimpleNamespace(rounds=rounds, start=None, end=None, status="finished")

    audit = TrialAudit(trial="t", harness="h", bites=tuple(Bite(loss="a loss", rounds=(name,)) for name in bites))
    return run._Told(trial(ours), audit, trial(theirs))


@pytest.mark.parametrize(
    ("case", "rounds"),
    [
        (told([1, 1, 1], [1, 1, 1]), []),
        (told([1, 0, 1], [1, 1, 1]), ["r1"]),
        (told([1, 0.5, 0], [1, 1, 1]), ["r1", "r2"]),
        (told([1, None, 1], [1, 1, 1]), []),  # the reader had no way to do it, which is no fault
        (told([1, 0, 1], [1, None, 1]), []),
        (told([1, 0, 0], [1, 1, 1], bites=["r2"]), ["r1"]),  # a declared loss excuses what it bites
    ],
)
def test_another_verdict_than_through_the_reference_is_a_finding(case, rounds):
    found = list(case.findings())
    assert [name for one in found for name in one.rounds] == rounds
    assert {one.key for one in found} <= {"M30 verdict-differs"}


async def test_without_the_scenarios_it_is_not_known(tmp_path, monkeypatch):
    def missing(*_, **__):
        raise PluginError("no scenarios are called 'lite'")

    monkeypatch.setattr(lite, "find_scenarios", missing)
    result = await ran(ReferenceHarness(mode="in-process"), tmp_path, monkeypatch)
    assert result.outcome == "unverified"
    assert "pip install claw-adapter-scenarios" in result.what


async def test_where_a_cut_begins_is_measured(tmp_path):
    async with Bench(ReferenceHarness(mode="in-process"), out=tmp_path / "out", isolation=0, nonce="cuts") as bench:
        (result,) = await certify(bench, plan("gold", only=["RUN-002"]))
    assert result.outcome == "passed"
    assert result.notes == (
        "files that are read: cut at 200,000 characters: whole at 180,000, cut at 204,000",
        "210,000 characters by a command came back whole, or as pages",
    )


class OutputByItsBeginning(Agent):
    """Of what a command prints 100,000 characters are shown, and nothing says so, nor is it declared."""

    def change(self, agent):
        run_command = agent.tool_exec
        agent.tool_exec = lambda command: run_command(command)[:100_000]


async def test_a_cut_that_nobody_has_declared_is_found_where_a_text_is_very_long(tmp_path):
    async with Bench(kind(OutputByItsBeginning)(), out=tmp_path / "out", isolation=0, nonce="cuts") as bench:
        (result,) = await certify(bench, plan("gold", only=["RUN-002"]))
    assert result.outcome == "failed"
    assert result.what.startswith("M20 file-cut: reading ")
    assert "(no cut of what commands print is declared, and it has 210,000 characters)" in result.what


async def test_a_cut_that_is_declared_and_does_not_bite_is_a_warning(tmp_path):
    made = declaring(PlantedConversation, losses=(Clip(of="command", characters=2_000),))
    async with Bench(made(), out=tmp_path / "out", isolation=0, nonce="cuts") as bench:
        (result,) = await certify(bench, plan("gold", only=["RUN-002"]))
    assert result.outcome == "passed"
    assert result.warnings == (
        "declared, and 5,000 characters of plain sentences came back whole: what commands print: cut at 2,000 characters",
    )
