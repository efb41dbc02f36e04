"""LIFE: made, probed, opened and closed without a trace."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import time

from claw_adapter import API_VERSION, plugins
from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import say
from claw_adapter.certify.trial import Closed
from claw_adapter.certify.watch import side_effects, stray_children
from claw_adapter.errors import Owner
from claw_adapter.protocol import Failure, Support

FLAGS = (
    "turns", "resume_after_restart", "seed_main", "update_workspace", "update_session", "cancel", "stream_events",
    "concurrent", "isolation_of_state", "overlay_skills", "deterministic_replay",
)  # fmt: skip
CLOSE_SECONDS = 15.0
QUICK = 1.0
"""Seconds that a constructor may take."""


@check(
    "LIFE-001", level="bronze", must="M1", shows="nothing",
    catches="The adapter cannot be found under its name, or was made for another version of the contract.",
    remedy='Give the class `name` (the entry point\'s name) and `api = "claw/1"`.',
)  # fmt: skip
async def name_and_api(kit: Kit) -> None:
    """Name and version of the contract."""
    name = getattr(type(kit.harness), "name", None)
    kit.expect(isinstance(name, str) and name, f"the class has no name: {name!r}")
    kit.expect(kit.harness.api == API_VERSION, f"api is {kit.harness.api!r}, not {API_VERSION!r}")
    points = plugins.entry_points(name)
    if not points:
        kit.warn(f"no entry point {name!r} is installed: `claw run --harness {name}` would not find it")
    elif (brought := plugins.provides(str(name)).get("harness")) not in type(kit.harness).__mro__:
        kit.warn(f"the entry point {name!r} brings {brought!r}, which is another class")


@check(
    "LIFE-002", level="bronze", must="M2", shows="nothing",
    catches="Constructing the adapter starts programs, writes files or takes long: a plan then costs what a run costs.",
    remedy="Only store options in __init__; do the work in open().",
)  # fmt: skip
async def idle_constructor(kit: Kit) -> None:
    """A second instance with default options; the quickest of three, since machines stand still at times."""
    kind = type(kit.harness)
    needed = [
        p.name for p in inspect.signature(kind).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]  # fmt: skip
    if needed:
        kit.note(f"not constructed: it needs {needed}")
        return
    seconds: list[float] = []
    while len(seconds) < 3 and not any(taken < QUICK for taken in seconds):
        started = time.monotonic()
        with side_effects() as effects:
            kind()
        seconds.append(time.monotonic() - started)
        kit.expect(not effects, f"the constructor {'; '.join(effects[:3])}")
    kit.expect(min(seconds) < QUICK, f"the constructor takes {min(seconds):.1f} s")


@check(
    "LIFE-003", level="bronze", must="M3", shows="nothing",
    catches="A capability is left undeclared: nobody knows whether it works.",
    remedy="Declare every field of Capabilities: full, since a version, or unsupported / not_implemented with the reason.",
)  # fmt: skip
async def everything_declared(kit: Kit) -> None:
    """No capability is unknown."""
    unknown = [name for name in FLAGS if getattr(kit.capabilities, name).state == "unknown"]
    kit.expect(not unknown, f"not declared: {', '.join(unknown)}")
    kit.expect(kit.capabilities.endpoint_override, "endpoint_override names no dialect")
    kit.expect(kit.harness.capabilities() == kit.capabilities, "capabilities() says something else when asked again")
    for name in FLAGS:
        flag: Support = getattr(kit.capabilities, name)
        if not flag:
            kit.note(f"{name}: {flag.state}: {flag.reason}")


@check(
    "LIFE-004", level="bronze", must="M4", shows="nothing",
    catches="probe() writes files, opens connections or leaves a process; or it says nothing about versions.",
    remedy="Look for the program and ask its version; write nothing, start nothing that stays.",
)  # fmt: skip
async def probe_without_side_effects(kit: Kit) -> None:
    """What probe() does in our process, and what it leaves."""
    marker = kit.bench.lifeline.marker
    before = [item.pid for item in stray_children(marker)]
    with side_effects() as effects:
        found = kit.harness.probe()
    kit.expect(not effects, f"probe() {'; '.join(effects[:3])}")
    stayed = stray_children(marker, before)
    kit.expect(not stayed, f"probe() leaves {[item.command for item in stayed]}")
    if not found.ready:
        what = f"probe() says the harness is not ready: {found.reason}"
        raise CheckFinding(what, remedy=found.remedy, owner=Owner.HARNESS, usual=False)
    kit.expect(found.versions, "probe() names no version")
    kit.expect(found.versions == kit.probe.versions, "probe() finds other versions when asked again")


@check(
    "LIFE-005", level="bronze", must="M5", shows="conversations",
    catches="session_key() changes with open(), or gives two sessions one key: the roster then leads nowhere.",
    remedy="Derive the key from the id alone, without a clash.",
)  # fmt: skip
async def steady_session_keys(kit: Kit) -> None:
    """The same before and after opening, different for different sessions."""
    names = [*(one.id for one in kit.past.histories), "a", "x_1.2"]
    before = [type(kit.harness).session_key(kit.harness, name) for name in names]
    await kit.shared()
    after = [kit.harness.session_key(name) for name in names]
    kit.expect(before == after, f"keys are {before} before open() and {after} after it")
    kit.expect(all(before), f"a key is empty: {before}")
    kit.expect(len(set(before)) == len(names), f"different sessions have equal keys: {before}")
    if kit.harness.session_key("Ops-Room") == before[0]:
        kit.warn("sessions whose ids differ in case only have one key")


@check(
    "LIFE-006", level="bronze", must="M6", shows="conversations",
    catches="The harness works inside the runner's process and does not say so: an isolation is recorded that it never had.",
    remedy="Start the harness with ctx.spawn, ctx.lines or ctx.run; if it must work inside, set runs_inside = True.",
)  # fmt: skip
async def works_where_it_says(kit: Kit) -> None:
    """Requests came, so something works: it must be a child of the context, unless runs_inside says otherwise."""
    t = await kit.shared()
    if kit.harness.runs_inside:
        kit.note("runs_inside: isolation counts as 0")
        return
    kit.expect(t.ctx.commands, "no process was started through the context, and runs_inside is False")


@check(
    "LIFE-007", level="bronze", must="M8",
    catches="open() works once: a second conversation of the same harness object fails or finds the first one's leftovers.",
    remedy="Keep nothing of a conversation in the Harness object; everything belongs below ctx.state_dir.",
    needs=("turns",),
)  # fmt: skip
async def opens_again(kit: Kit) -> None:
    """After one conversation another one, from nothing."""
    first = await kit.closed()
    first.turn.answered("Hello.")
    async with kit.plain(first=True) as t:
        turn = await kit.send(t, f"Second: {kit.canary('second')}.", say("Two."))
        turn.answered("Two.")
        kit.absent(turn.requests, first.word, "what was said in a conversation that is closed")


@check(
    "LIFE-008", level="bronze", must="M9", shows="conversations",
    catches="Files are left outside workspace and state directory: next to them, in /tmp, at home, in the adapter's package.",
    remedy="Point every path of the harness (HOME, cache, temporary files, locks) below ctx.state_dir.",
)  # fmt: skip
async def no_files_elsewhere(kit: Kit) -> None:
    """At isolation 1, where nothing but good manners keeps it in."""
    left = await kit.closed()
    kit.expect(not left.beside, f"beside workspace and state directory there are {left.beside}")
    kit.expect(not left.outside, f"this names the trial and was left outside: {left.outside}")
    kit.expect(not left.temporary, f"temporary files of the adapter were left: {left.temporary[:5]}")
    written = kit.bench.rewritten()
    kit.expect(not written, f"the adapter's own package was written: {written[:5]}")


@check(
    "LIFE-009", level="bronze", must="M10",
    catches="A process is started around the context: it has no isolation, no mark, and survives everything.",
    remedy="Start every process with ctx.spawn, ctx.lines or ctx.run; never with subprocess or asyncio directly.",
)  # fmt: skip
async def processes_carry_the_mark(kit: Kit) -> None:
    """Among our descendants there is none without the mark."""
    t = await kit.shared()
    await kit.send(t, f"Hello, {kit.canary()}.", say("Hello."))
    strays = stray_children(kit.bench.lifeline.marker, kit.bench.before)
    kit.expect(not strays, f"started around the context: {[item.command for item in strays]}")


@check(
    "LIFE-010", level="bronze", must="M12", shows="conversations",
    catches="A missing program gives a raw FileNotFoundError, a hang, or an error that does not say how to get it.",
    remedy="Let HarnessNotFound through (or raise it), with the command that installs the harness as its remedy.",
)  # fmt: skip
async def missing_program(kit: Kit) -> None:
    """The context finds no program at all."""
    failure = await _failing(kit, "missing")
    if failure is None:
        return
    kit.expect(failure.kind in ("HarnessNotFound", "ProgramNotFound"), f"the error is {failure.kind}: {failure.what}")
    kit.expect(failure.remedy, f"the error has no remedy: {failure.what}")


@check(
    "LIFE-011", level="bronze", must="M12", shows="conversations",
    catches="A harness that dies at once is not noticed: open() hangs, or the error has no class and no remedy.",
    remedy="Watch the child while waiting for it; raise HarnessStartError with the end of its output and a remedy.",
)  # fmt: skip
async def dying_program(kit: Kit) -> None:
    """Every program ends at once with status 3."""
    failure = await _failing(kit, "dying")
    if failure is None:
        return
    said = f"{failure.kind}: {failure.what}"
    kit.expect(failure.owner == "harness", f"a harness that dies is a failure of {failure.owner}: {said}")
    if "send()" in kit.notes[-1] and not failure.remedy:
        kit.warn(f"{failure.kind} has no remedy: {failure.what}")  # M12 speaks of opening
        return
    kit.expect(failure.remedy, f"the error has no remedy: {said}")


async def _failing(kit: Kit, trick: str) -> Failure | None:
    """How opening, or the first turn where a process is started per turn, fails; None for what works inside us."""
    started = time.monotonic()
    async with kit.trial(trick=trick, opened=False) as t:  # type: ignore[arg-type]  # one of the tricks
        try:
            await t.open()
        except CheckFinding as finding:
            cause = finding.__cause__
            if cause is None:
                raise
            failure = Failure.of(cause)
            kit.expect(failure.kind in _known(cause), finding.what)
            kit.note(f"open() raised {failure.kind} after {time.monotonic() - started:.1f} s")
            return failure
        if kit.harness.runs_inside:
            kit.note("works inside: there is no program to miss")
            return None
        turn = await kit.send(t, f"Anyone there, {kit.canary(trick)}?", say("No."))
        kit.expect(turn.error is not None, "with no program running there is an answer")
        kit.note(f"send() returned {turn.error.kind if turn.error else ''}")
        return turn.error


def _known(error: BaseException) -> set[str]:
    """Names of the classes of our tree that an error is."""
    return {kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith("claw_adapter")}


@check(
    "LIFE-012", level="bronze", must="M26", shows="conversations",
    catches="close() leaves processes, or takes for ever.",
    remedy="End every child in close() with Process.stop(), which is bounded.",
)  # fmt: skip
async def close_ends_everything(kit: Kit) -> None:
    """After a turn, at isolation 1, where no namespace ends what is left."""
    closed = (await kit.closed()).closed
    kit.note(f"closing took {closed.seconds:.2f} s")
    _closed_well(kit, closed)


@check(
    "LIFE-013", level="bronze", must="M26",
    catches="close() fails or leaves something when the harness has died before.",
    remedy="Make close() work in every state: opened, in mid turn, crashed.",
)  # fmt: skip
async def close_after_a_crash(kit: Kit) -> None:
    """All processes of the conversation are killed, then it is closed."""
    async with kit.plain() as t:
        await kit.send(t, f"Hello, {kit.canary()}.", say("Hello."))
        for item in t.processes():
            try:
                os.kill(item.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        await asyncio.sleep(0.2)
        _closed_well(kit, await t.close(), " after the harness had been killed")


def _closed_well(kit: Kit, closed: Closed, when: str = "") -> None:
    kit.expect(not closed.error, f"close() raised {closed.error}{when}", broken=True)
    kit.expect(closed.seconds <= CLOSE_SECONDS, f"close() took {closed.seconds:.1f} s{when}, it has {CLOSE_SECONDS:g}")
    kit.expect(not closed.survivors, f"after close() these still run: {[item.command for item in closed.survivors]}")


@check(
    "LIFE-014",
    level="bronze",
    must="M27",
    shows="conversations",
    catches="The endpoint's key is on a command line, in the log, in an event, an answer or a checkpoint.",
    remedy="Hand the key over in the environment or in a file below ctx.state_dir, and keep that file out of checkpoints.",
)
async def the_key_stays_secret(kit: Kit) -> None:
    """The trial's key is looked for in everything that is kept or can be seen by others."""
    left = await kit.closed()
    for place, text in left.visible.items():
        kit.expect(left.key not in text, f"the endpoint's key is in {place}")
