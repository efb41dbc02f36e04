"""Where things stand in a scenario's files, for messages that name file and line."""

from __future__ import annotations

from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Scenario
from claw_adapter.scenario.apply import source_path
from claw_adapter.scenario.jsonl import JsonLine, read_lines
from claw_adapter.scenario.yamlsource import YamlSource, read_yaml

__all__ = ["Places"]


class Places:
    """Looks up ``file:line``; files are read again when first asked for, as records do not keep lines."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._sources: dict[str, YamlSource | None] = {}
        self._messages: dict[str, dict[str, str]] = {}

    def manifest(self, *path: str | int) -> str:
        """A field of ``scenario.yaml``."""
        return self._field("scenario.yaml", path)

    def round(self, index: int, *path: str | int) -> str:
        """A field of a round, by the round's position."""
        return self._field("rounds.yaml", ("rounds", index, *path))

    def update(self, update_id: str, *path: str | int) -> str:
        """A field of an ``update.yaml``."""
        return self._field(f"updates/{update_id}/update.yaml", path)

    def answers(self, *path: str | int) -> str:
        """A field of ``gold/answers.yaml``."""
        return self._field("gold/answers.yaml", path)

    def evidence(self, *path: str | int) -> str:
        """A field of ``gold/evidence.yaml``."""
        return self._field("gold/evidence.yaml", path)

    def file(self, relative: str) -> str:
        """A file as a whole."""
        return f"{self._scenario.root / relative}:1"

    def message(self, session_id: str, message_id: str) -> str:
        """A message, in the session's own file or in the source of the update that brought it."""
        if session_id not in self._messages:
            self._messages[session_id] = self._message_lines(session_id)
        base = self._scenario.root / "sessions" / f"{session_id}.jsonl"
        return self._messages[session_id].get(message_id, f"{base}:1")

    def _field(self, file: str, path: tuple[str | int, ...]) -> str:
        if file not in self._sources:
            try:
                self._sources[file] = read_yaml(self._scenario.root / file)
            except ScenarioError:
                self._sources[file] = None  # the record was made in memory: the file's name is all there is
        source = self._sources[file]
        return source.where(*path) if source else self.file(file)

    def _message_lines(self, session_id: str) -> dict[str, str]:
        files: list[tuple[Path, str]] = [(self._scenario.root / "sessions" / f"{session_id}.jsonl", "m")]
        for update in self._scenario.updates.values():
            mine = (action for action in update.actions if action.session == session_id and action.source)
            files.extend((source_path(self._scenario, update, action), f"{update.id}-m") for action in mine)
        found: dict[str, str] = {}
        for path, prefix in files:
            for line in _lines(path, prefix):
                found.setdefault(line.message.id, f"{path}:{line.number}")
        return found


def _lines(path: Path, prefix: str) -> tuple[JsonLine, ...]:
    try:
        return read_lines(path, prefix)
    except ScenarioError:
        return ()  # no such file, or not readable: loading says so, here only the line is missing
