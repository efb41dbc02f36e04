"""The entries of a manifest, as records: what stands there is checked once, here.

By hand, as the library of the other records takes longer to import than all manifests take to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from claw_adapter_clawarena.records import FileAction

__all__ = ["AgentEntry", "EntryError", "FileEntry", "UpdateEntry"]

_ACTIONS: tuple[FileAction, ...] = get_args(FileAction)
Way = tuple[str | int, ...]
"""Keys and indices from the entry to a part of it."""


class EntryError(ValueError):
    """The first thing that is wrong with an entry, and where in it."""

    def __init__(self, what: str, where: Way) -> None:
        super().__init__(f"{'.'.join(map(str, where))}: {what}" if where else what)
        self.where = where


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """An entry of ``manifest.agents``; which fields it has depends on the layout. Fields that we do not know do not matter."""

    workspace: str
    agent_dir: str = ""
    project_dir: str = ""
    session: str | None = None
    session_key: str | None = None
    history_sessions: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: Any) -> AgentEntry:
        """The entry that decoded JSON is.

        Raises:
            EntryError: it is none.
        """
        fields = _object(given, ())
        return cls(
            workspace=_needed(_path(fields.get("workspace", ""), ("workspace",)), ("workspace",)),
            agent_dir=_path(fields.get("agent_dir", ""), ("agent_dir",)),
            project_dir=_path(fields.get("project_dir", ""), ("project_dir",)),
            session=_path_if_any(fields, "session"),
            session_key=_path_if_any(fields, "session_key"),
            history_sessions=tuple(_path(name, at) for name, at in _list(fields, "history_sessions")),
        )


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of an update; a bare name is a file with nothing but a name."""

    name: str
    action: FileAction | None = None
    target: str = ""
    param: dict[str, Any] | None = None
    channel: str = ""

    @classmethod
    def read(cls, given: Any, way: Way) -> FileEntry:
        """The entry that decoded JSON is; `way` leads to it.

        Raises:
            EntryError: it is none.
        """
        fields = {"name": given} if isinstance(given, str) else _object(given, way)
        action, param = fields.get("action"), fields.get("param")
        if action is not None and action not in _ACTIONS:
            raise EntryError(f"must be one of {', '.join(_ACTIONS)}", (*way, "action"))
        return cls(
            name=_needed(_path(fields.get("name", ""), (*way, "name")), (*way, "name")),
            action=action,
            target=_path(fields.get("target", ""), (*way, "target")),
            param=None if param is None else _object(param, (*way, "param")),
            channel=_text(fields.get("channel", ""), (*way, "channel")),
        )


@dataclass(frozen=True, slots=True)
class UpdateEntry:
    """An entry of ``manifest.updates``."""

    type: str
    dir: str = ""
    files: tuple[FileEntry, ...] = ()
    children: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: Any) -> UpdateEntry:
        """The entry that decoded JSON is.

        Raises:
            EntryError: it is none.
        """
        fields = _object(given, ())
        return cls(
            type=_needed(_text(fields.get("type", ""), ("type",)), ("type",)),
            dir=_path(fields.get("dir", ""), ("dir",)),
            files=tuple(FileEntry.read(file, at) for file, at in _list(fields, "files")),
            children=tuple(_text(child, at) for child, at in _list(fields, "children")),
        )


def _object(value: Any, way: Way) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise EntryError("must be an object", way)
    return value


def _list(fields: dict[str, Any], name: str) -> list[tuple[Any, Way]]:
    """The items of a list, each with the way to it; none where there is no such field."""
    value = fields.get(name, [])
    if not isinstance(value, list):
        raise EntryError("must be a list", (name,))
    return [(item, (name, index)) for index, item in enumerate(value)]


def _text(value: Any, way: Way) -> str:
    if not isinstance(value, str):
        raise EntryError("must be text", way)
    return value


def _path(value: Any, way: Way) -> str:
    text = _text(value, way)
    if "\0" in text or "\n" in text:
        raise EntryError("a path has a character that no path has", way)
    return text


def _path_if_any(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return None if value is None else _path(value, (name,))


def _needed(text: str, way: Way) -> str:
    if not text:
        raise EntryError("is needed", way)
    return text
