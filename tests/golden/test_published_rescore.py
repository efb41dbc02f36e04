"""A published run scored again without a model gives the published verdicts and numbers."""

from __future__ import annotations

import json
import runpy
import tomllib
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.cli.score import command
from claw_adapter.questions.extract import extract_compat
from claw_adapter.sandbox import detect
from claw_adapter_clawarena import rescore
from claw_adapter_clawarena.questions import MODULES
from claw_adapter_clawarena.rescore import rescore_published
from claw_adapter_clawarena.results import read_results

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "published_data.py")))
pytestmark = pytest.mark.skipif(
    not (make.DATA.is_file() and make.RESULTS.is_dir()), reason="needs ../shared (the published data and results)"
)
STREAKS = {"hil_d3": (30, 26, 4, 4, 4), "hil_g1": (30, 23, 7, 7, 6)}


def streaks(found) -> dict[str, tuple[int, ...]]:
    runs = {scenario.id: scenario.streaks("recorded") for scenario in found.scenarios}
    return {name: (one.n, one.s, one.k, one.s_f, one.k_f) for name, one in runs.items()}


async def test_without_replay_the_recorded_verdicts_give_the_published_streaks():
    found = await rescore_published(make.RESULTS, make.DATA, replay=False, isolation=0)
    assert streaks(found) == STREAKS
    assert all(one.derived is None for one in found.rounds("exec_check"))


def test_the_published_way_of_reading_agrees_with_every_recorded_verdict():
    recorded = [one for rounds in read_results(make.RESULTS).values() for one in rounds.values()]
    choices = [one for one in recorded if one.type == "multi_choice"]
    assert len(choices) == 16
    assert [extract_compat(one.text).letters for one in choices] == [one.selected for one in choices]


@pytest.mark.slow
async def test_replay_rebuilds_the_workspaces_and_the_checks_say_what_was_recorded():
    if detect().bwrap is None:
        pytest.skip(f"isolation level 2 is not available here: {detect().reason}")
    found = await rescore_published(make.RESULTS, make.DATA)
    assert streaks(found) == STREAKS
    assert found.disagreements() == []
    assert found.extraction_differences() == []
    derived = [one for one in found.rounds("exec_check") if one.derived is not None]
    assert len(derived) == 11
    kept = [one for one in found.rounds("exec_check") if one.derived is None]
    assert {one.why.partition(":")[0] for one in kept} == {"check script is not part of the published data"}
    for scenario in found.scenarios:
        assert scenario.log.missing == []
        assert scenario.log.notes == []
        assert scenario.log.verified > 30
        assert scenario.log.kept > 20
        assert all(scenario.log.reads)
        assert len(scenario.log.reads) >= 35


def changed_copy(folder: Path, rounds: list[str], wrong: str) -> Path:
    """Some rounds of hil_g1, the verdict of one of them turned round."""
    for name in rounds:
        given = json.loads((make.RESULTS / "hil_g1" / name / "infer_result.json").read_text("utf-8"))
        if name == wrong:
            given["inline_score"]["passed"] = not given["inline_score"]["passed"]
        make.dump(folder / "hil_g1" / name / "infer_result.json", given)
    return folder


async def test_a_wrong_recorded_verdict_is_found(tmp_path):
    if detect().bwrap is None:
        pytest.skip(f"isolation level 2 is not available here: {detect().reason}")
    results = changed_copy(tmp_path, [f"q{n}" for n in range(1, 8)], "q7")
    found = await rescore_published(results, make.DATA)
    assert [(name, one.round) for name, one in found.disagreements()] == [("hil_g1", "q7")]
    assert sum(one.why == "no recorded result" for one in found.rounds("exec_check")) == 22 - 4


@pytest.fixture
def score(monkeypatch):
    """The command, without the slow replay: status of `claw score --from clawarena RESULTS`."""
    monkeypatch.setattr(rescore, "rescore_published", partial(rescore_published, replay=False))

    def call(results: Path, *more: str) -> int:
        argv = [str(results), "--from", "clawarena", "--data", str(make.DATA), "--isolation", "0", *more]
        return command.main(argv, standalone_mode=False)

    return call


def test_a_submission_is_read_and_links_are_followed(tmp_path):
    (tmp_path / "submission/infer").mkdir(parents=True)
    (tmp_path / "submission/report").mkdir()
    for name in ("hil_d3", "hil_g1"):
        (tmp_path / "submission/infer" / name).symlink_to(make.RESULTS / name)
    assert read_results(tmp_path / "submission").keys() == read_results(make.RESULTS).keys()


def test_the_extra_brings_what_checks_may_import():
    described = tomllib.loads((Path(__file__).parents[2] / "scenarios/published/pyproject.toml").read_text("utf-8"))
    brought = {one.partition(">")[0] for one in described["project"]["optional-dependencies"]["checks"]}
    assert brought == set(MODULES)


def test_a_wrong_recorded_letter_verdict_fails_the_command(score, tmp_path, capsys):
    assert score(changed_copy(tmp_path, ["q1"], "q1")) == 1
    assert "differs hil_g1/q1" in capsys.readouterr().out


def test_the_command_prints_the_metrics(score, capsys):
    assert score(make.RESULTS, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["multi_choice"] == {
        "rounds": 16, "agree_compat": 16, "agree_default": 16, "extraction_differences": []
    }  # fmt: skip
    assert found["scenarios"]["hil_g1"]["streaks"]["recorded"]["S"] == 23
    assert found["metrics"]["recorded"]["published"]["tcr"] == pytest.approx(49 / 60)
    columns = {name: sets["published"]["scored"] for name, sets in found["metrics"].items()}
    assert columns == {"recorded": 60, "derived": 16, "recorded_where_derived": 16, "ours": 16}, "nothing is mixed"
    assert score(make.RESULTS) == 0
    assert "33 × check script is not part of the published data" in capsys.readouterr().out
