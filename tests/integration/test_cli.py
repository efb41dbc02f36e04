"""The command line: what it prints, in which form, with which exit code."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from claw_adapter.runs.plan import Experiment
from support.running import CLAW, claw, experiment
from support.scenarios import write_scenario

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of the demo."""
    out = tmp_path_factory.mktemp("cli") / "run"
    done = claw("run", "demo", "-H", "reference:mode=in-process", "--isolation", "0", "--out", out)
    return out, done


def test_help_imports_nothing_but_itself():
    code = """import sys
before = set(sys.modules)
sys.argv = ["claw", "--help"]
from claw_adapter.cli import main
try:
    main()
except SystemExit:
    print(*sorted(set(sys.modules) - before), file=sys.stderr)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "Commands:" in done.stdout
    assert done.stderr.split() == ["__future__", "claw_adapter", "claw_adapter.cli", "claw_adapter.cli.streams"]


def test_every_command_has_help():
    """In one process: most of the time would go to their starts."""
    names = re.findall(r"^  ([a-z][a-z-]+) +[A-Z]", claw("--help").stdout, re.MULTILINE)
    code = """import sys
from claw_adapter.cli import main
for name in sys.argv[1:]:
    sys.argv = ["claw", name, "--help"]
    try:
        main()
    except SystemExit as done:
        assert not done.code, name"""
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, check=True, text=True)
    assert [line.split()[2] for line in done.stdout.splitlines() if line.startswith("Usage: claw")] == names


def test_no_colour_in_a_pipe(finished):
    _, done = finished
    assert "\x1b[" not in done.stdout + done.stderr
    assert "is not a language model" in done.stdout
    assert "100.0" in done.stdout


def test_the_same_command_on_a_finished_run_does_nothing_again(finished):
    out, _ = finished
    journal = next(out.glob("trials/*/journal.jsonl"))
    before = journal.read_bytes()
    claw("run", "demo", "-H", "reference:mode=in-process", "--isolation", "0", "--out", out, "-q")
    assert journal.read_bytes() == before


def test_another_configuration_in_the_same_folder_is_refused_with_the_difference(finished):
    out, _ = finished
    done = claw("run", "demo", "-H", "reference:mode=in-process", "--isolation", "1", "--out", out, check=False)
    assert done.returncode == 3
    assert "isolation: 0 → 1" in done.stderr


def test_report_and_score_as_json(finished):
    out, _ = finished
    summary = json.loads(claw("report", out, "--json").stdout)
    assert summary["rows"][0]["strict"]["tcr"] == 1
    again = json.loads(claw("score", out, "--json").stdout)
    assert (again["rounds"], again["differences"]) == (11, [])
    assert again["summary"]["rows"][0]["strict"] == summary["rows"][0]["strict"], "the metrics are there too"


def test_a_tampered_snapshot_is_noticed_by_scoring(finished, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(finished[0], copy)
    journal = next(copy.glob("trials/*/journal.jsonl"))
    snapshot = json.loads(journal.read_text().splitlines()[3])["record"]["snapshot"]
    blob = next(path for path in (copy / "store").rglob("*") if path.is_file() and snapshot.endswith(path.name[-40:]))
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes() + b" ")
    done = claw("score", copy, check=False)
    assert done.returncode == 3
    assert snapshot[:8] in done.stderr


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["run", "nosuch"], 4, "`claw plugins` lists what is installed"),
        (["run", "demo", "-H", "refernce"], 4, "Did you mean 'reference'?"),
        (["run", "demo", "--model", "gpt-9"], 2, "--base-url"),
        (["run", "demo", "-H", "reference:mode"], 2, "key=value"),
        (["run", "e.yaml", "-m", "reader", "--isolation", "1"], 2, "drop --model, --isolation"),
        (["run", "demo", "-H", "reference:colour=red"], 2, "It has: mode."),
        (["report", "."], 3, "run.json"),
        (["schema", "nosuch"], 2, "scenario"),
        (["nosuch"], 2, "No such command"),
    ],
)
def test_wrong_calls_say_the_way_out(argv, code, says, tmp_path):
    done = claw(*argv, check=False, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_every_model_that_is_named_is_run(tmp_path):
    fast = ("-H", "reference:mode=in-process", "--isolation", "0", "-q", "--json")
    done = claw("run", "demo", "-m", "reader", "-m", "reader:hasty", *fast, "--out", tmp_path / "run")
    rows = json.loads(done.stdout)["rows"]
    assert [row["model"] for row in rows] == ["reader", "reader:hasty"]
    assert rows[0]["strict"]["tcr"] > rows[1]["strict"]["tcr"]


def test_a_wrong_experiment_file_names_file_line_and_field(tmp_path):
    path = tmp_path / "experiment.yaml"
    path.write_text("schema: experiment/1\nscenarios: [demo]\nharnesses: [reference]\nmodels: [reader]\ncolour: red\n")
    done = claw("run", path, check=False)
    assert done.returncode == 2
    assert "experiment.yaml:5" in done.stderr
    assert "colour" in done.stderr


def test_unscored_rounds_give_exit_code_1(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}])
    model = {"name": "broken", "kind": "scripted", "script": [{"fault": "401"}]}
    asked = experiment(scenario, models=[model]).model_dump(mode="json", by_alias=True)
    path = tmp_path / "e.yaml"
    path.write_text(json.dumps(asked))
    done = claw("run", path, "--out", tmp_path / "run", "-q", check=False)
    assert done.returncode == 1
    assert "EndpointAuthError" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    assert "_CLAW_COMPLETE" in claw("completion", shell).stdout


def test_a_shell_completes_commands():
    done = claw(check=False, env={"_CLAW_COMPLETE": "bash_complete", "COMP_WORDS": "claw sc", "COMP_CWORD": "1"})
    assert {"plain,score", "plain,schema"} <= set(done.stdout.split())


def test_the_committed_schemas_are_those_of_the_code(tmp_path):
    claw("schema", "--out", tmp_path)
    fresh = {path.name: path.read_text() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "docs/spec/schemas").iterdir()}
    assert fresh == kept, "run: make schemas"


def test_the_experiment_in_the_docs_runs(tmp_path):
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/experiments.md").read_text(), re.DOTALL)
    for block in blocks[1:]:
        rest = {"scenarios": ["x"], "harnesses": ["reference"], "models": ["reader"]}
        Experiment.model_validate({**rest, **yaml.safe_load(block)})
    path = tmp_path / "experiment.yaml"
    path.write_text(blocks[0])
    summary = json.loads(claw("run", path, "--out", tmp_path / "run", "--json", "-j", "2", check=False).stdout)
    assert {row["label"] for row in summary["rows"]} == {"reference", "reference-inside"}


def test_the_console_script_is_the_one_under_test():
    assert CLAW.exists()


FORBID = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'


def without_namespaces(*argv: str):
    """`claw` in a user namespace that allows no further ones; None where that cannot be set up."""
    import subprocess

    command = ["unshare", "--user", "--map-root-user", "sh", "-c", FORBID, "sh"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        return None
    return subprocess.run([*command, CLAW, *map(str, argv)], capture_output=True, text=True, check=False)


def test_where_namespaces_are_impossible_it_refuses_and_level_1_is_the_way_out(tmp_path):
    refused = without_namespaces("run", "demo", "--out", tmp_path / "two")
    if refused is None:
        pytest.skip("this machine cannot make a user namespace that forbids others (unshare)")
    assert refused.returncode == 4
    assert "--isolation 1" in refused.stderr
    assert "user namespaces" in refused.stderr
    assert without_namespaces("run", "demo", "--isolation", "1", "--out", tmp_path / "one", "-q").returncode == 0
