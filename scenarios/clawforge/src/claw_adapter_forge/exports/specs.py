"""JSON specs in the published layout: one folder per task with ``specs.json``, checks in the paper's vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from claw_adapter_forge.evaluation.paper import paper_checks
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY, SECRET_PREFIX
from claw_adapter_forge.tasks.manifest import task_to_json
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.serial import record_to_json

__all__ = ["export_specs", "spec_of"]

_FILES = {
    "tasks": "tasks.json",
    "events": "calendar_events.json",
    "cron": "cron_jobs.json",
    "mails": "emails.json",
    "channels": "channels.json",
}


def _overrides(task: ForgeTask) -> dict[str, Any]:
    tables = task.start.tables
    found: dict[str, Any] = {
        name: [record_to_json(row) for row in tables[table].values()] for table, name in _FILES.items() if tables[table]
    }
    # what an agent is told with the request: the office rules are among it
    settings = {key: getattr(row, "value", "") for key, row in tables["config"].items()}
    found["config.json"] = {k: v for k, v in settings.items() if not k.startswith(SECRET_PREFIX)}
    found |= {key.lstrip("/"): getattr(row, "content", "") for key, row in tables["files"].items()}
    return found


def spec_of(task: ForgeTask) -> dict[str, Any]:
    """One task in the published fields; our own evaluation travels along under ``forge``."""
    meta = task.meta
    return {
        "task_id": f"hard_decision_workflow_{task.number}",
        "instruction": task.instruction,
        "canonical_instruction": task.instruction,
        "instruction_variants": list(task.phrasings),
        "online_requirement": "none",
        "provider_dependencies": [],
        "availability_tier": "stable",
        "domains": ["tasks", "calendar", "email", "weather", "file", "openclaw", "cron", "models"],
        "difficulty": 3,
        "initial_state": "forge",
        "template_id": meta.family,
        "generator_id": "claw-adapter-forge",
        "weight": 1.0,
        "data": {
            "public": {
                "hard_decision_scenario": meta.family,
                "hard_decision_variant": meta.variant,
                "hard_decision_ability": meta.ability,
                "hard_decision_ability_tags": list(meta.tags),
                "prompt_style": meta.style,
                "step_count": meta.length,
            },
            "private": {
                "initial_state_overrides": _overrides(task),
                "model": getattr(task.start.tables["config"].get(MODEL_KEY), "value", ""),
                "weather": [record_to_json(row) for row in task.start.tables["weather"].values()],
                "replies": [record_to_json(row) for row in task.start.tables["replies"].values()],
                "counters": dict(task.start.counters),
            },
        },
        "ground_truth": {
            "solution_commands": list(task.reference),
            "evaluation_checks": [c.to_json() for c in paper_checks(task)],
            "answer": None,
            "metadata": {"generator_id": "claw-adapter-forge", "params": {"workflow_index": task.number}},
        },
        "forge": task_to_json(task),
    }


def export_specs(tasks: Iterable[ForgeTask], target: Path) -> int:
    """Write ``TARGET/<task id>/specs.json`` for every task; returns how many."""
    count = 0
    for task in tasks:
        spec = spec_of(task)
        folder = target / spec["task_id"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "specs.json").write_text(json.dumps(spec, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        count += 1
    return count
