"""`claw schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from claw_adapter.cli.common import print_json

__all__ = ["command"]


def _schemas() -> dict[str, dict[str, Any]]:
    """Every published record by name; the names of files are the names of their schemas."""
    from pydantic import TypeAdapter

    from claw_adapter import protocol
    from claw_adapter.audit import RunAudit
    from claw_adapter.certify.certificate import Certificate
    from claw_adapter.certify.records import Report
    from claw_adapter.profile.records import Profile
    from claw_adapter.protocol.base import Record
    from claw_adapter.report import Summary
    from claw_adapter.report.compare_records import Comparison
    from claw_adapter.runs.plan import Experiment, Plan

    records: dict[str, type[Record]] = {
        "scenario": protocol.Manifest,
        "rounds": protocol.RoundFile,
        "update": protocol.Update,
        "answers": protocol.Answers,
        "evidence": protocol.Evidence,
        "message": protocol.Message,
        "session": protocol.Session,
        "capabilities": protocol.Capabilities,
        "turn-result": protocol.TurnResult,
        "checkpoint": protocol.Checkpoint,
        "experiment": Experiment,
        "plan": Plan,
        "summary": Summary,
        "audit": RunAudit,
        "comparison": Comparison,
        "certification": Report,
        "certificate": Certificate,
        "profile": Profile,
    }
    schemas = {name: record.model_json_schema() for name, record in records.items()}
    schemas["journal-record"] = TypeAdapter(protocol.JournalRecord).json_schema()
    for name, schema in schemas.items():
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["$id"] = f"urn:claw-adapter:claw/1:{name}"
    return schemas


@click.command("schema")
@click.argument("name", required=False)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write all schemas into this folder.")
def command(name: str | None, out: Path | None) -> int:
    """Print one JSON Schema, list their names, or write all of them with --out."""
    schemas = _schemas()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for key, schema in schemas.items():
            (out / f"{key}.schema.json").write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n", "utf-8")
    elif name is None:
        click.echo("\n".join(schemas))
    elif name not in schemas:
        raise click.UsageError(f"no schema {name!r}; there are: {', '.join(schemas)}")
    else:
        print_json(schemas[name])
    return 0
