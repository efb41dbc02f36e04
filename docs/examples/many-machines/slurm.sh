#!/bin/sh
# One shard per task of a job array: sbatch slurm.sh, and once all are over: claw merge runs/shard-* --out runs/whole
#SBATCH --array=1-4
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
set -eu
claw run experiment.yaml --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --out "runs/shard-$SLURM_ARRAY_TASK_ID" -q
