"""Mode parity: the same scripts in a mock world and in one whose ``openclaw`` is the real program, differences compared.

The scripts are run one after the other in one world per mode, because each start of the real program costs seconds; a
script's difference is that of the states before and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from claw_adapter_forge.episodes.modes import execute_line
from claw_adapter_forge.real.backend import RealWorld
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.world.cron import firing_pattern
from claw_adapter_forge.world.difference import Change, difference
from claw_adapter_forge.world.records import ConfigValue, CronJob, Record
from claw_adapter_forge.world.state import State, World

__all__ = ["SCRIPTS", "Parity", "compare_modes", "scripts_for"]

_MODEL = f"openclaw config set {MODEL_KEY}"
_ZONE = "agents.defaults.userTimezone"

SCRIPTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("config: read a model", (f"openclaw config get {MODEL_KEY}",)),
    ("config: read what is not there", (f"openclaw config get {_ZONE}",)),
    ("config: change the model", (f"{_MODEL} openai/gpt-5.2",)),
    ("config: the same model again", (f"{_MODEL} openai/gpt-5.2",)),
    ("config: add a text", (f"openclaw config set {_ZONE} Europe/Berlin",)),
    ("config: change a text", (f"openclaw config set {_ZONE} Europe/Paris",)),
    ("config: remove a text", (f"openclaw config unset {_ZONE}",)),
    ("config: remove what is not there", (f"openclaw config unset {_ZONE}",)),
    ("config: add a number", ("openclaw config set agents.defaults.timeoutSeconds 600",)),
    ("config: change and remove it", (
        "openclaw config set agents.defaults.timeoutSeconds 700",
        "openclaw config unset agents.defaults.timeoutSeconds",
    )),
    ("config: add a switch", ("openclaw config set agents.defaults.skipBootstrap true",)),
    ("config: turn it", ("openclaw config set agents.defaults.skipBootstrap false",)),
    ("config: not a path", ("openclaw config set bad..path x",)),
    ("config: without a value", (f"openclaw config set {_ZONE}",)),
    ("models: list", ("openclaw models list",)),
    ("models: choose", ("openclaw models set anthropic/claude-opus-4-6",)),
    ("models: choose what nobody knows", ("openclaw models set nobody/nothing",)),
    ("models: there and back", ("openclaw models set moonshot/kimi-k2.5", f"{_MODEL} anthropic/claude-sonnet-4-5")),
    ("cron: list", ("openclaw cron list",)),
    ("cron: add by five fields", ("openclaw cron add --name oslo-check --cron '30 7 * * 1-5' --message 'Check Oslo AB-1000'",)),
    ("cron: add by an interval", ("openclaw cron add --name often --every 90m --message 'Look again'",)),
    ("cron: add by a nickname", ("openclaw cron add --name nightly --cron @daily --message Nightly",)),
    ("cron: the same name twice", ("openclaw cron add --name often --every 2h --message 'Look once more'",)),
    ("cron: a schedule that is none", ("openclaw cron add --name bad --cron '99 7 * * *' --message x",)),
    ("cron: four fields", ("openclaw cron add --name bad --cron '7 * * *' --message x",)),
    ("cron: an interval that is none", ("openclaw cron add --name bad --every soon --message x",)),
    ("cron: without a name", ("openclaw cron add --cron '0 7 * * *' --message x",)),
    ("cron: without a schedule", ("openclaw cron add --name bad --message x",)),
    ("cron: pause", ("openclaw cron disable cron_0001",)),
    ("cron: resume", ("openclaw cron enable cron_0001",)),
    ("cron: pause a new one", ("openclaw cron disable cron_0003",)),
    ("cron: pause what is not there", ("openclaw cron disable cron_0099",)),
    ("cron: delete", ("openclaw cron delete cron_0003",)),
    ("cron: rm", ("openclaw cron rm cron_0004",)),
    ("cron: rm it again", ("openclaw cron rm cron_0004",)),
    ("cron: replace one by another", (
        "openclaw cron rm cron_0002",
        "openclaw cron add --name oslo-stock --cron '0 3 * * *' --message 'Count stock in Oslo'",
    )),
    ("mixed: model, then job", (
        "openclaw models set openai/gpt-5.4",
        "openclaw cron add --name gate --cron '0 12 1 * *' --message 'Gate'",
    )),
)  # fmt: skip
"""(name, commands). Those named ``config`` and ``models`` can be run without a gateway."""


@dataclass(frozen=True, slots=True)
class Parity:
    """What came of one script; `faults` are empty if both modes did the same."""

    name: str
    mode: str
    changes: int
    faults: tuple[str, ...]


def scripts_for(mode: str, count: int = 0) -> list[tuple[str, tuple[str, ...]]]:
    """The scripts of ``real`` or ``hybrid`` mode; `count` of them, evenly spaced, if that is not 0."""
    found = [s for s in SCRIPTS if mode == "hybrid" or s[0].startswith(("config", "models"))]
    return [found[i * len(found) // count] for i in range(count)] if 0 < count < len(found) else found


def first_state() -> State:
    """A small world: a model, a token, an active and a paused job."""
    world = World(State.empty("2026-03-01T09:00"))
    world.put("config", ConfigValue(MODEL_KEY, "anthropic/claude-sonnet-4-5"))
    world.put("config", ConfigValue("gateway.auth.token", "t0k-5d1e"))
    world.put("config", ConfigValue("user.timezone", "UTC"))
    world.put("cron", CronJob(world.new_id("cron"), "bergen-check", "15 6 * * 1,3", "Check Bergen"))
    world.put("cron", CronJob(world.new_id("cron"), "bergen-stock", "1d", "Count stock", "paused"))
    return world.state


def _normal(row: Record | None) -> object:
    """A row as it is compared: schedules by when they fire."""
    if isinstance(row, CronJob):
        return replace(row, schedule=""), firing_pattern(row.schedule)
    return row


def _compared(change: Change) -> tuple[object, ...]:
    return change.table, change.key, change.kind, _normal(change.before), _normal(change.after)


def compare_modes(
    mode: str,
    folder: Path,
    scripts: Sequence[tuple[str, tuple[str, ...]]],
    *,
    isolation: int = 2,
    told: Callable[[Parity], None] = lambda _one: None,
) -> list[Parity]:
    """Run scripts in mock mode and in `mode` (``real`` or ``hybrid``), in the empty `folder`.

    Compared are the differences, and for every command whether it was refused.

    Raises:
        HarnessNotFound, HarnessStartError, SandboxError: the real program cannot be run here.
    """
    mock, real = World(first_state()), World(first_state())
    found: list[Parity] = []
    with RealWorld(first_state(), folder, gateway=mode == "hybrid", isolation=isolation) as program:
        for name, lines in scripts:
            before = mock.state, real.state
            faults = []
            for line in lines:
                ours, theirs = execute(mock, line).output, execute_line(program, real, line).output
                if bool(ours.code) != bool(theirs.code):
                    faults.append(f"{line}: exit {ours.code} and {theirs.code}: {theirs.stderr[:200]}")
            changes = [difference(b, w.state) for b, w in zip(before, (mock, real), strict=True)]
            if [_compared(c) for c in changes[0]] != [_compared(c) for c in changes[1]]:
                faults.append(" / ".join("; ".join(c.line() for c in cs) or "nothing" for cs in changes))
            found.append(Parity(name, mode, len(changes[0]), tuple(faults)))
            told(found[-1])
    return found
