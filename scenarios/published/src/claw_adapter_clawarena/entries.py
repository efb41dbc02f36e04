"""The entries of a manifest, as records: what stands there is checked once, here."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from claw_adapter_clawarena.records import FileAction

__all__ = ["AgentEntry", "FileEntry", "UpdateEntry", "first_problem"]


def _path(text: str) -> str:
    if "\0" in text or "\n" in text:
        raise ValueError("a path has a character that no path has")
    return text


PathText = Annotated[str, AfterValidator(_path)]


class _Entry(BaseModel):
    """Fields that we do not know are left to the harness they are for."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class AgentEntry(_Entry):
    """An entry of ``manifest.agents``; which fields it has depends on the layout."""

    workspace: PathText = Field(min_length=1)
    agent_dir: PathText = ""
    project_dir: PathText = ""
    session: PathText | None = None
    session_key: PathText | None = None
    history_sessions: list[PathText] = []


class FileEntry(_Entry):
    """A file of an update."""

    name: PathText = Field(min_length=1)
    action: FileAction | None = None
    target: PathText = ""
    param: dict[str, Any] | None = None
    channel: str = ""


class UpdateEntry(_Entry):
    """An entry of ``manifest.updates``."""

    type: str
    dir: PathText = ""
    files: list[FileEntry] = []
    children: list[str] = []

    @field_validator("files", mode="before")
    @classmethod
    def _bare_names(cls, files: Any) -> Any:
        """A bare name is a file with nothing but a name."""
        return (
            [{"name": file} if isinstance(file, str) else file for file in files] if isinstance(files, list) else files
        )


def first_problem(error: ValidationError) -> tuple[str, tuple[str | int, ...]]:
    """The first thing that is wrong, and where in the entry."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    message = first["msg"].removeprefix("Value error, ")
    name = ".".join(str(part) for part in first["loc"])
    return (f"{name}: {message}" if name else message), first["loc"]
