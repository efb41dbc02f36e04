"""From the real program's state to rows of the world: its configuration file and its table of scheduled jobs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from claw_adapter_forge.real.layout import leaves
from claw_adapter_forge.world.records import ConfigValue, CronJob
from claw_adapter_forge.world.state import World

__all__ = ["Reader", "interval", "world_jobs"]

_KEPT_BOOKS = ("meta.", "wizard.")
"""Branches in which the real program notes what it did itself."""
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000))


def interval(milliseconds: int) -> str:
    """``5400000`` → ``90m``, in the largest unit that divides it."""
    unit, size = next(((u, s) for u, s in _UNITS if milliseconds % s == 0), ("ms", 1))
    return f"{milliseconds // size}{unit}"


def world_jobs(printed: str) -> str:
    """A listing in JSON without the jobs that the program makes for itself, and without moments of this machine's clock."""
    try:
        jobs = json.loads(printed)["jobs"]
    except (ValueError, KeyError, TypeError):
        return printed
    kept = [_timeless(job) for job in jobs if "declarationKey" not in job]
    return json.dumps({"jobs": kept}, indent=2, ensure_ascii=False)


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _timeless(v) for k, v in value.items() if not k.endswith(("AtMs", "anchorMs"))}
    return [_timeless(v) for v in value] if isinstance(value, list) else value


class Reader:
    """Brings what changed in the real program's files into a world.

    Jobs get the world's ids, by counter, in the order the program made them; `real_ids` leads back.
    """

    def __init__(self, state: Path, settings: Mapping[str, Any]) -> None:
        self._state = state
        self._known = _settings(settings)
        self.real_ids: dict[str, str] = {}

    def read(self, world: World, settings: Mapping[str, Any]) -> None:
        """Do to the world's configuration and jobs what was done to the program's since the last time."""
        before, self._known = self._known, _settings(settings)
        for path in before.keys() - self._known.keys():
            if world.get("config", path, ConfigValue):
                world.remove("config", path)
        for path, value in self._known.items():
            if before.get(path, ...) != value:
                world.put("config", ConfigValue(path, value))
        self._jobs(world)

    def adopt(self, world: World, key: str) -> None:
        """Take the newest job of the program for the world's job `key`."""
        known = set(self.real_ids.values())
        new = [job["id"] for job in self._real_jobs() if job["id"] not in known]
        self.real_ids[key] = new[-1]
        self._jobs(world)

    def _jobs(self, world: World) -> None:
        rows = {job["id"]: job for job in self._real_jobs()}
        by_real = {real: key for key, real in self.real_ids.items()}
        for key, real in self.real_ids.items():
            if real not in rows and world.get("cron", key, CronJob):
                world.remove("cron", key)
        for real, job in rows.items():
            key = by_real.get(real) or world.new_id("cron")
            self.real_ids[key] = real
            row = _row(key, job)
            if world.get("cron", key, CronJob) != row:
                world.put("cron", row)

    def _real_jobs(self) -> list[dict[str, Any]]:
        """The jobs somebody made, oldest first; those the program makes for itself carry a declaration."""
        path = self._state / "state" / "openclaw.sqlite"
        if not path.exists():
            return []
        jobs = [job for job in _stored(path) if "declarationKey" not in job]
        return sorted(jobs, key=lambda job: int(job["createdAtMs"]))


def _settings(tree: Mapping[str, Any]) -> dict[str, str | int | bool]:
    return {path: value for path, value in leaves(tree) if not path.startswith(_KEPT_BOOKS)}


def _stored(path: Path) -> Iterator[dict[str, Any]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        if store.execute("SELECT 1 FROM sqlite_master WHERE name = 'cron_jobs'").fetchone() is None:
            return
        for (text,) in store.execute("SELECT job_json FROM cron_jobs").fetchall():
            yield json.loads(text)


def _row(key: str, job: Mapping[str, Any]) -> CronJob:
    schedule, payload = job["schedule"], job["payload"]
    when = (
        str(schedule.get("expr") or "") if schedule["kind"] == "cron" else interval(int(schedule.get("everyMs") or 0))
    )
    message = str(payload.get("message") or "") or str((payload.get("argv") or [""])[-1])
    return CronJob(key, str(job["name"]), when, message, "active" if job["enabled"] else "paused")
