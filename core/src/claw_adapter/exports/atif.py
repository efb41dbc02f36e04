"""ATIF 1.8: one trajectory per trial, read by Harbor's viewer, Phoenix and others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.exporter import Exporter
from claw_adapter.exports.turns import AskedRound, read_turns, tokens_of
from claw_adapter.runs.load import RunData, TrialData, load_run
from claw_adapter.runs.transcript import Exchange

__all__ = ["SCHEMA", "AtifExporter", "trajectory"]

SCHEMA: Final = "ATIF-v1.8"


class AtifExporter(Exporter):
    """``TRIAL.json``."""

    name: ClassVar[str] = "atif"

    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write the trials that have a finished round: a trajectory has a step at least."""
        data = load_run(run)
        empty = 0
        for trial in data.trials:
            if not trial.rounds:
                empty += 1
                continue
            text = json.dumps(trajectory(data, trial), ensure_ascii=False, indent=1)
            (out / f"{trial.spec.id}.json").write_text(text + "\n", encoding="utf-8", errors="replace")
        return (f"{empty} trials without a finished round have no trajectory.",) if empty else ()


def trajectory(run: RunData, trial: TrialData) -> dict[str, Any]:
    """A trial as one trajectory: a user step with each round's prompt, an agent step for each request that got a reply."""
    spec = trial.spec
    turns = read_turns(run.root, trial)
    steps = [{"step_id": number, **step} for number, step in enumerate(_steps(turns), 1)]
    uses = [tokens_of(exchange) for turn in turns for exchange in turn.exchanges]
    versions = trial.start.versions if trial.start else {}
    return {
        "schema_version": SCHEMA,
        "session_id": spec.id,
        "trajectory_id": f"{run.plan.digest}/{spec.id}",
        "agent": {
            "name": spec.harness.name,
            "version": next(iter(versions.values()), "unknown"),
            "model_name": spec.model.name,
            "extra": {
                "label": spec.harness.label, "overlays": [one.label for one in spec.overlays], "versions": versions,
            },
        },
        "steps": steps,
        "notes": "Failed requests, those of earlier attempts, and what overlays asked for themselves are left out.",
        "final_metrics": {
            "total_prompt_tokens": sum(use.input for use in uses),
            "total_completion_tokens": sum(use.output for use in uses),
            "total_steps": len(steps),
        },
        "extra": {
            "run": run.plan.digest, "trial": spec.id, "scenario": spec.scenario, "seed": spec.seed, "repeat": spec.repeat,
            "status": trial.status, "requests_left_out": sum(turn.left_out for turn in turns),
        },
    }  # fmt: skip


def _steps(turns: Sequence[AskedRound]) -> Iterator[dict[str, Any]]:
    for turn in turns:
        record = turn.record
        extra = {
            "round": record.round, "type": record.type, "score": record.score.value,
            "unscored_by": record.score.cause.owner.value if record.score.cause else None,
        }  # fmt: skip
        yield {"source": "user", "message": record.prompt, "extra": extra}
        for exchange, calls in zip(turn.exchanges, turn.calls, strict=True):
            yield _agent(exchange, calls)
        said = turn.exchanges[-1].reply if turn.exchanges else None
        if not said or said.get("content") != record.text:
            yield {"source": "agent", "message": record.text, "extra": {"final": True, **_error(turn)}}


def _agent(exchange: Exchange, calls: Sequence[Any]) -> dict[str, Any]:
    reply = exchange.reply or {}
    content, use = reply.get("content"), tokens_of(exchange)
    step: dict[str, Any] = {
        "source": "agent",
        "timestamp": exchange.at,
        "message": content if isinstance(content, str) else "",
        "model_name": exchange.asked,
        "metrics": {"prompt_tokens": use.input, "completion_tokens": use.output},
        "llm_call_count": 1,
    }
    if isinstance(thought := reply.get("reasoning_content"), str) and thought:
        step["reasoning_content"] = thought
    if calls:
        step["tool_calls"] = [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": call.arguments} for call in calls
        ]
        seen = [{"source_call_id": call.id, "content": call.result} for call in calls if call.result is not None]
        if seen:
            step["observation"] = {"results": seen}
    return step


def _error(turn: AskedRound) -> dict[str, Any]:
    error = turn.record.error
    return {"error": f"{error.owner.value}: {error.kind}: {error.what}"} if error else {}
