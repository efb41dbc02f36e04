"""One shard per task of a job array, by submitit: `python slurm.py` where Slurm is, `python slurm.py local` without it."""

import subprocess
import sys

import submitit

SHARDS = 4


def shard(number: int) -> int:
    """Do one shard; its exit status."""
    command = ["claw", "run", "experiment.yaml", "--shard", f"{number}/{SHARDS}", "--out", f"runs/shard-{number}", "-q"]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    executor = submitit.AutoExecutor("logs", cluster=sys.argv[1] if sys.argv[1:] else None)
    executor.update_parameters(timeout_min=600, cpus_per_task=2, mem_gb=4)
    jobs = executor.map_array(shard, range(1, SHARDS + 1))
    failed = max(job.result() for job in jobs)
    merged = subprocess.run(
        ["claw", "merge", *(f"runs/shard-{n + 1}" for n in range(SHARDS)), "--out", "runs/whole"], check=False
    )
    sys.exit(failed or merged.returncode)
