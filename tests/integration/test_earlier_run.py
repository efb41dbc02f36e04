"""A run folder as version 0.1.0 wrote it, with one round of every type, still opens: report, score, compare, resume.

`tests/data/earlier_run` has its scenario and the run: two models × seeds 0 and 1, the last trial interrupted after two rounds.
"""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from claw_adapter.report import summarise
from claw_adapter.report.compare import compare
from claw_adapter.report.rescore import rescore
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import load_run
from claw_adapter.runs.plan import expand
from claw_adapter.scenario.named import find_scenarios
from support.running import experiment, run_sync

EARLIER = Path(__file__).parents[1] / "data" / "earlier_run"
INTERRUPTED = "earlier--reference--reader-hasty--s1"


@pytest.fixture
def earlier(tmp_path) -> Path:
    """A copy, with its scenario beside it."""
    shutil.copytree(EARLIER, tmp_path / "earlier")
    root = tmp_path / "earlier" / "run"
    about = json.loads((root / "run.json").read_text())
    about["plan"]["sources"] = [str(tmp_path / "earlier" / "scenario")]
    (root / "run.json").write_text(json.dumps(about))
    return root


def asked(root: Path):
    """What that run was asked for."""
    return experiment(root.parent / "scenario", models=["reader", "reader:hasty"], seeds=[0, 1])


def test_it_is_reported_with_the_numbers_it_had(earlier):
    careful, hasty = summarise(load_run(earlier)).rows
    assert (careful.seeds, careful.trials, careful.scored, careful.pending) == ((0, 1), 2, 8, 0)
    assert (hasty.seeds, hasty.trials, hasty.scored, hasty.pending) == ((0, 1), 2, 6, 2)
    assert careful.strict.crs == 1.0
    assert (hasty.strict.tcr, hasty.strict.crs) == (pytest.approx(1 / 6), pytest.approx(1 / 12))
    assert (careful.tokens.metered.input, careful.tokens.metered.output) == (13_263, 254)
    assert summarise(load_run(earlier), "v1").rows[0].strict.overall == 1.0


def test_its_breakdowns_are_those_it_had(earlier):
    found = summarise(load_run(earlier)).breakdowns
    by_tag = {(one.of, one.by): [(row.values, row.mean, row.scored) for row in one.rows] for one in found.by_tag}
    assert by_tag["conclusions", ()] == [((), 1.0, 2)]
    assert [(values, n) for values, _, n in by_tag["preferences", ("preference",)]] == [
        (("artefact naming",), 2), (("artefact naming",), 1),
    ]  # fmt: skip
    assert [list(row.wrong.values()) for row in found.options] == [[(), ("A", "B")]] * 2


async def test_it_is_scored_again_without_a_difference(earlier):
    again = await rescore(earlier)
    assert (again.rounds, again.differences) == (14, ())


def test_its_rows_are_compared_by_matched_seeds(earlier):
    pair = compare([load_run(earlier)], between="model").pairs[0]
    assert pair.seeds == (0, 1)
    assert pair.differences[0].difference == pytest.approx(-11 / 12)


def test_it_is_resumed_where_it_stopped(earlier):
    wanted = asked(earlier)
    scenarios = find_scenarios(wanted.scenarios)
    with RunFolder(earlier) as folder:
        assert folder.begin(expand(wanted, scenarios))  # the same configuration: it goes on
    before = RunFolder(earlier).journal(INTERRUPTED).read_bytes()
    rounds = run_sync(earlier, wanted)[INTERRUPTED]
    assert [record.score.value for record in rounds] == [0, 0, 0, 1]
    assert RunFolder(earlier).journal(INTERRUPTED).read_bytes().startswith(before)
    assert asyncio.run(rescore(earlier)).differences == ()


def test_its_configuration_has_the_digest_it_had(earlier):
    assert RunFolder(earlier).about()["digest"] == RunFolder(earlier).plan().digest
