"""What served the models of a run, as ``servers.jsonl`` has it: one line each time the run was started or continued."""

from __future__ import annotations

from pathlib import Path

from claw_adapter.errors import JournalError
from claw_adapter.protocol import ServerRecord
from claw_adapter.reading import read_text, why
from claw_adapter.runs.folder import SERVERS

__all__ = ["read_servers"]


def read_servers(root: Path) -> tuple[ServerRecord, ...]:
    """What served the models of a run, in the order in which they ended; nothing where no upstream plugin did.

    Raises:
        JournalError: the file is damaged.
    """
    path = root / SERVERS
    if not path.is_file():
        return ()
    try:
        lines = read_text(path).splitlines(keepends=True)
        return tuple(ServerRecord.model_validate_json(line) for line in lines if line.endswith("\n"))
    except (OSError, ValueError) as error:
        remedy = "Restore the run folder from a copy, or start the run anew with --fresh."
        raise JournalError(f"{SERVERS} is damaged: {why(error)}", where=str(path), remedy=remedy) from error
