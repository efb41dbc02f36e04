"""Seeds and repeats are two things, from the command to the comparison."""

import json

from claw_adapter.report.compare import compare
from claw_adapter.runs.load import load_run
from support.running import claw
from support.scenarios import write_scenario

SEEDS = [(0, 1), (0, 2), (4, 1), (4, 2)]


def asked(tmp_path, *more):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    models = ("-m", "reader", "-m", "reader:hasty", "-H", "reference:mode=in-process", "--isolation", "0")
    return ("run", scenario, *models, "--seed", "0", "--seed", "4", "--repeats", "2", *more)


def test_every_seed_is_run_that_often_and_compared_seed_by_seed(tmp_path):
    summary = json.loads(claw(*asked(tmp_path, "--json", "--out", tmp_path / "run")).stdout)
    assert [(row["seeds"], row["repeats"], row["trials"]) for row in summary["rows"]] == [([0, 4], 2, 4)] * 2
    assert [(trial["seed"], trial["repeat"]) for trial in summary["trials"]] == SEEDS * 2
    run = load_run(tmp_path / "run")
    assert [(trial.start.seed, trial.start.repeat) for trial in run.trials] == SEEDS * 2
    pair = compare([run], between="model").pairs[0]
    assert (pair.seeds, pair.rounds, pair.notes) == ((0, 4), 8, ())
    shown = claw("report", tmp_path / "run", "--all").stdout
    assert "s4 r2" in shown


def test_an_estimate_counts_the_repeats(tmp_path):
    found = json.loads(claw(*asked(tmp_path, "--estimate", "--json")).stdout)
    assert {one["rounds"] for one in found.values()} == {2 * 4}


def test_an_experiment_file_says_its_own_repeats(tmp_path):
    (tmp_path / "e.yaml").write_text("scenarios: [x]\nharnesses: [reference]\nmodels: [reader]\nrepeats: 3\n")
    done = claw("run", tmp_path / "e.yaml", "--repeats", "2", check=False)
    assert done.returncode == 2
    assert "drop --repeats" in done.stderr
