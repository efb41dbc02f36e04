"""``openclaw cron``: recurring checks."""

from __future__ import annotations

from claw_adapter_forge.surfaces.grammar import Arg, Args, Flag, Refused, UsageError, Verb
from claw_adapter_forge.world.records import CronJob
from claw_adapter_forge.world.state import World

__all__ = ["VERBS"]


def _list(world: World, _args: Args) -> str:
    rows = world.rows("cron", CronJob)
    lines = [f"  [{c.id}] {c.name}: {c.schedule} - {c.message} ({c.status})" for c in rows]
    return "\n".join(["Cron jobs:", *lines]) if lines else "No cron jobs."


def _add(world: World, args: Args) -> str:
    name = args.text("name").strip()
    if not name:
        raise UsageError("--name must not be empty")
    schedule = args.text("cron") or args.text("every")
    key = world.new_id("cron")
    world.put("cron", CronJob(key, name, schedule, args.text("message")))
    return f"Cron job created: {key}"


def _find(world: World, args: Args) -> CronJob:
    key = args.text("id")
    for job in world.rows("cron", CronJob):
        if key in {job.id, job.name}:
            return job
    raise Refused(f"Cron job not found: {key}")


def _delete(world: World, args: Args) -> str:
    job = _find(world, args)
    world.remove("cron", job.id)
    return f"Cron job {job.id} deleted."


def _enable(world: World, args: Args) -> str:
    job = _find(world, args)
    world.edit("cron", job, status="active")
    return f"Cron job {job.id} is active."


def _disable(world: World, args: Args) -> str:
    job = _find(world, args)
    world.edit("cron", job, status="paused")
    return f"Cron job {job.id} is paused."


_ID = (Arg("id", "the job's id or name"),)

VERBS = (
    Verb(("openclaw", "cron", "list"), "List recurring checks.", _list),
    Verb(
        ("openclaw", "cron", "add"),
        "Schedule a recurring check.",
        _add,
        (
            Flag("name", "short name", required=True),
            Flag("cron", "five fields: minute hour day month weekday", "schedule", aliases=("schedule",)),
            Flag("every", "an interval such as 30m", "schedule"),
            Flag("message", "what is run", required=True, aliases=("command",)),
        ),
        mutates=True,
        one_of=("cron", "every"),
        only_one=True,
    ),
    *(
        Verb(("openclaw", "cron", word), "Remove a recurring check.", _delete, args=_ID, mutates=True)
        for word in ("delete", "rm")
    ),
    Verb(("openclaw", "cron", "enable"), "Make a paused check active.", _enable, args=_ID, mutates=True),
    Verb(("openclaw", "cron", "disable"), "Pause a check.", _disable, args=_ID, mutates=True),
)
