"""What the records of a file were made with: the first line of the file, and what `--resume` and reports hold them to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from claw_adapter_forge import GENERATOR_VERSION, __version__
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["SETTINGS_FORMAT", "Settings", "tasks_digest"]

SETTINGS_FORMAT = "forge-settings/1"


@dataclass(frozen=True, slots=True)
class Settings:
    """One value for all trials of a file.

    Which tasks (`profile`, `seed`, `count`, and `tasks`, the digest of the whole profile's manifest), which agents
    (`policies`, or `model` at the address `provider`), how they work. What plays no part in a mode is None: `count` outside
    the scale profile, `history` in shim mode, `isolation` and `timeout` (seconds) where nothing real is started.
    `versions` are this package's, the generator's and the harness's.
    """

    profile: str
    seed: int
    count: int | None
    tasks: str
    mode: str
    through: str
    horizon: int
    history: str | None
    blank: bool
    isolation: int | None
    timeout: float | None
    provider: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain data, with the name of the format."""
        return {"format": SETTINGS_FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """The settings in a file's first line.

        Raises:
            KeyError: it is another format.
            TypeError: a field is missing, or one too many.
        """
        if data["format"] != SETTINGS_FORMAT:
            raise KeyError("format")
        return cls(**{k: v for k, v in data.items() if k != "format"})

    def differences(self, asked: Settings) -> list[str]:
        """Where `asked` is not the same, one line per field: what the file has and what was asked for."""
        pairs = {f.name: (getattr(self, f.name), getattr(asked, f.name)) for f in fields(self)}
        found = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
        if found.keys() & {"profile", "seed", "count"}:
            found.pop("tasks", None)  # it follows from these
        return [f"{name}: {there!r} in the file, {here!r} asked for" for name, (there, here) in found.items()]


def own_versions() -> dict[str, str]:
    """Of this package and of its generator."""
    return {"claw-adapter-forge": __version__, "generator": GENERATOR_VERSION}


def tasks_digest(tasks: Iterable[ForgeTask]) -> str:
    """SHA-256 of the tasks' manifest, as `claw forge generate` prints it."""
    import hashlib

    from claw_adapter_forge.tasks.manifest import manifest_lines

    return hashlib.sha256("".join(manifest_lines(list(tasks))).encode()).hexdigest()


def told(settings: Sequence[Settings]) -> dict[str, list[Any]]:
    """The values that a report shows: profile, seed, horizon, isolation and so on, each once, in order."""
    names = ("profile", "seed", "horizon", "history", "blank", "isolation")
    values = {name: [getattr(s, name) for s in settings] for name in names}
    # what plays no part, and a control that was not asked for, need no word
    return {
        name: list(dict.fromkeys(v for v in found if v is not None and v is not False))
        for name, found in values.items()
    }
