"""What served the models of a run, as ``servers.jsonl`` has it: one line each time the run was started or continued."""

from __future__ import annotations

from pathlib import Path

from claw_adapter.protocol import ServerRecord
from claw_adapter.runs.folder import SERVERS

__all__ = ["read_servers"]


def read_servers(root: Path) -> tuple[ServerRecord, ...]:
    """What served the models of a run, in the order in which they ended; nothing where no upstream plugin did."""
    path = root / SERVERS
    if not path.is_file():
        return ()
    lines = path.read_text("utf-8").splitlines(keepends=True)
    return tuple(ServerRecord.model_validate_json(line) for line in lines if line.endswith("\n"))
