"""The examples of docs/many-machines.md do what the page says, as far as they can be run without their engines."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from claw_adapter import open_run
from support.running import CLAW

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs/examples/many-machines"
VALIDATORS = Path(os.environ.get("CLAW_HOME") or ROOT / ".claw") / "validators/bin/python"
ENV = {"PATH": f"{CLAW.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(EXAMPLES, tmp_path / "here")


def call(folder, argv, **env):
    subprocess.run(argv, cwd=folder, env={**os.environ, **ENV, **env}, check=True, capture_output=True)


def shards(folder):
    runs = [open_run(path) for path in sorted(folder.glob("runs/shard-*"))]
    assert {trial.status for run in runs for trial in run.trials} == {"finished"}
    return [str(run.data.plan.shard) for run in runs]


def test_the_job_array_is_the_run(folder):
    script = (folder / "slurm.sh").read_text()
    assert "#SBATCH --array=1-4\n" in script
    call(folder, ["sh", "slurm.sh"], SLURM_ARRAY_TASK_ID="4", SLURM_ARRAY_TASK_COUNT="4")
    assert shards(folder) == ["4/4"]


def test_the_indexed_job_is_the_run(folder):
    spec = yaml.safe_load((folder / "kubernetes.yaml").read_text())["spec"]
    container = spec["template"]["spec"]["containers"][0]
    assert spec["completionMode"] == "Indexed"
    assert spec["completions"] == 4
    call(folder, container["command"], JOB_COMPLETION_INDEX="0")
    assert shards(folder) == ["1/4"]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in spec["template"]["spec"]["volumes"]}


def test_the_job_array_of_submitit_is_the_run(folder):
    if not VALIDATORS.exists():
        pytest.skip(f"submitit is not in {VALIDATORS.parents[1]} (make validators)")
    call(folder, [VALIDATORS, "slurm.py", "local"])
    assert shards(folder) == ["1/4", "2/4", "3/4", "4/4"]
    assert {trial.status for trial in open_run(folder / "runs/whole").trials} == {"finished"}


def test_the_matrix_has_all_shards_and_its_commands_are_ours(folder):
    jobs = yaml.safe_load((folder / "github.yaml").read_text())["jobs"]
    assert jobs["shard"]["strategy"]["matrix"]["shard"] == [1, 2, 3, 4]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if step.get("run", "").startswith("claw")]
    assert (
        runs[0] == 'claw run experiment.yaml --shard "${{ matrix.shard }}/4" --out "runs/shard-${{ matrix.shard }}" -q'
    )
    assert runs[1:] == ["claw merge runs/shard-* --out runs/whole", "claw report runs/whole"]
