"""A job folder as Harbor keeps them: what `harbor view FOLDER --jobs` shows. The job lies in a folder of the run's digest."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.exporter import Exporter
from claw_adapter.exports.atif import trajectory
from claw_adapter.exports.turns import read_turns, tokens_of
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.load import RunData, TrialData, load_run

__all__ = ["HarborExporter"]

_IDS: Final = uuid.UUID("4b0c4c1e-5f0a-4f4e-9c7e-6c1a4e1f7c11")
"""Names of runs and trials become ids below this one, so that an export is the same every time."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A trial as Harbor tells it, and what its job sums up."""

    trial: TrialData
    reward: float | None
    tokens: TokenUse

    @property
    def failed(self) -> bool:
        return self.trial.status != "finished"


class HarborExporter(Exporter):
    """``JOB/{config,result}.json`` and ``JOB/TRIAL/{config,result}.json``, ``JOB/TRIAL/agent/trajectory.json`` (ATIF)."""

    name: ClassVar[str] = "harbor-job"

    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write the trials that are over or begun; a trial is one task, whose reward is the mean of its scored rounds."""
        data = load_run(run)
        job = out / f"claw-{data.plan.digest}"
        told = [self._trial(data, trial, job) for trial in data.trials if trial.rounds or trial.end]
        _json(job / "config.json", {"job_name": job.name, "jobs_dir": "."})
        _json(job / "result.json", _job(data, told))
        left = len(data.trials) - len(told)
        notes = [f"{left} trials that have not begun are left out."] if left else []
        return (
            *notes,
            "Harbor has one reward per trial: the mean of its scored rounds. Rounds are steps of the trajectory.",
        )

    def _trial(self, data: RunData, trial: TrialData, job: Path) -> _Told:
        folder, spec = job / trial.spec.id, trial.spec
        scores = [record.score.value for record in trial.rounds if record.score.value is not None]
        uses = [tokens_of(one) for turn in read_turns(data.root, trial) for one in turn.exchanges]
        told = _Told(trial, sum(scores) / len(scores) if scores else None, sum(uses, TokenUse()))
        config = {
            "task": {"path": spec.scenario},
            "trial_name": spec.id,
            "trials_dir": job.name,
            "agent": {"name": spec.harness.label, "model_name": spec.model.name},
            "job_id": _id(data.plan.digest),
        }
        _json(folder / "config.json", config)
        _json(folder / "result.json", _result(data, told, config))
        if trial.rounds:
            _json(folder / "agent" / "trajectory.json", trajectory(data, trial))
        return told


def _result(data: RunData, told: _Told, config: dict[str, Any]) -> dict[str, Any]:
    trial, spec = told.trial, told.trial.spec
    versions = trial.start.versions if trial.start else {}
    failure = trial.failure
    return {
        "id": _id(f"{data.plan.digest}/{spec.id}"),
        "task_name": spec.scenario,
        "trial_name": spec.id,
        "trial_uri": f"claw:{data.plan.digest}/{spec.id}",
        "task_id": {"path": spec.scenario},
        "source": "claw-adapter",
        "task_checksum": data.plan.scenarios[spec.scenario],
        "config": config,
        "agent_info": {
            "name": spec.harness.label,
            "version": next(iter(versions.values()), "unknown"),
            "model_info": {"name": spec.model.name},
        },
        "agent_result": {
            "n_input_tokens": told.tokens.input,
            "n_output_tokens": told.tokens.output,
            "metadata": {"seed": spec.seed, "repeat": spec.repeat, "rounds": len(trial.rounds)},
        },
        "verifier_result": None if told.reward is None else {"rewards": {"reward": told.reward}},
        "exception_info": failure
        and {
            "exception_type": failure.kind,
            "exception_message": f"{failure.owner.value}: {failure.what}",
            "exception_traceback": "",
            "occurred_at": _created(data),
        },
        "started_at": _created(data),
    }


def _job(data: RunData, told: Sequence[_Told]) -> dict[str, Any]:
    evals: dict[str, Any] = {}
    for one in told:
        spec = one.trial.spec
        stats = evals.setdefault(
            _row(one),
            {"n_trials": 0, "n_errors": 0, "metrics": [], "reward_stats": {"reward": {}}, "exception_stats": {}},
        )
        stats["n_trials"] += 1
        stats["n_errors"] += one.failed
        if one.reward is not None:
            stats["reward_stats"]["reward"].setdefault(str(one.reward), []).append(spec.id)
        if one.trial.failure:
            stats["exception_stats"].setdefault(one.trial.failure.kind, []).append(spec.id)
    for name, stats in evals.items():
        rewards = [one.reward for one in told if one.reward is not None and _row(one) == name]
        stats["metrics"] = [{"mean": sum(rewards) / len(rewards)}] if rewards else []
    return {
        "id": _id(data.plan.digest),
        "started_at": _created(data),
        "n_total_trials": len(data.trials),
        "stats": {
            "n_completed_trials": sum(not one.failed for one in told),
            "n_errored_trials": sum(one.trial.status == "failed" for one in told),
            "n_pending_trials": len(data.trials) - sum(one.trial.end is not None for one in told),
            "evals": evals,
            "n_input_tokens": sum(one.tokens.input for one in told),
            "n_output_tokens": sum(one.tokens.output for one in told),
        },
    }


def _row(one: _Told) -> str:
    return f"{one.trial.spec.harness.label}__{one.trial.spec.model.name}__claw-adapter"


def _created(data: RunData) -> str:
    return str(data.about.get("created", "1970-01-01T00:00:00Z"))


def _id(name: str) -> str:
    return str(uuid.uuid5(_IDS, name))


def _json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", errors="replace")
