"""The same probes on published tasks and on ours: oracle, doing nothing, blind, vandal, and the mutation operators of `proof`.

A published task is judged by its checks. One that we exported carries its own verdict along (goal and frame), and is judged by
that as well: checks of the published kind count artefacts and see no change beside them, so a mutant that does something more
passes them, whatever it does. Operators that need what the format has not (a minimal pair, an instruction that our policies
read) are left out for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.evaluation.paper import check_holds, normalised_state
from claw_adapter_forge.exports.commands import lines_of
from claw_adapter_forge.exports.posed import unshown
from claw_adapter_forge.exports.published import Published
from claw_adapter_forge.proof.baselines import vandal
from claw_adapter_forge.proof.mutants import OPERATORS
from claw_adapter_forge.proof.replay import fingerprint, replay
from claw_adapter_forge.proof.script import Mutant, Script, take_apart
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.family import HORIZON
from claw_adapter_forge.tasks.slots import CITIES
from claw_adapter_forge.tasks.spec import ForgeTask, Meta
from claw_adapter_forge.world.difference import difference
from claw_adapter_forge.world.state import World

__all__ = ["SHARED", "Column", "probe", "probe_ours"]

SHARED = tuple(name for name in OPERATORS if name not in {"eager", "act_on_decoy", "wrong_branch", "both_branches"})
"""Operators that need neither a minimal pair nor a policy."""
_NOWHERE = "\0"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a run; `left` is its final difference without the ids of what was made."""

    passed: bool
    partial: float
    failing: int
    left: tuple[str, ...]


Judge = Callable[[Sequence[str]], _Outcome]


@dataclass(slots=True)
class Column:
    """Counts over tasks. `operators` has per operator: mutants made, survived; those equal to the reference are in neither."""

    tasks: int = 0
    oracle_strict: int = 0
    oracle_failing_commands: int = 0
    do_nothing_strict: int = 0
    do_nothing_partial: float = 0.0
    blind_strict: int = 0
    vandal_strict: int = 0
    mutants: int = 0
    mutants_survived: int = 0
    mutants_equivalent: int = 0
    operators: dict[str, list[int]] = field(default_factory=lambda: {name: [0, 0] for name in SHARED})

    def add(self, script: Script, judge: Judge) -> dict[str, Any]:
        """Probe one task; gives what was found of it."""
        oracle, nothing = judge(script.texts), judge(())
        blind, wild = judge([script.texts[i] for i in script.writes]), judge(vandal(script))
        self.tasks += 1
        self.oracle_strict += oracle.passed
        self.oracle_failing_commands += oracle.failing > 0
        self.do_nothing_strict += nothing.passed
        self.do_nothing_partial += nothing.partial
        self.blind_strict += blind.passed
        self.vandal_strict += wild.passed
        made, survived = self.mutants, self.mutants_survived
        for mutant in _mutants(script) if oracle.passed else ():
            self._try(mutant, judge(mutant.lines), oracle)
        return {
            "oracle": oracle.passed,
            "failing_commands": oracle.failing,
            "do_nothing": round(nothing.partial, 4),
            "blind": blind.passed,
            "vandal": wild.passed,
            "mutants": self.mutants - made,
            "mutants_survived": self.mutants_survived - survived,
        }

    def _try(self, mutant: Mutant, found: _Outcome, oracle: _Outcome) -> None:
        if found.left == oracle.left and mutant.operator != "secret_and_back":
            self.mutants_equivalent += 1
            return
        self.mutants += 1
        self.mutants_survived += found.passed
        counts = self.operators[mutant.operator]
        counts[0] += 1
        counts[1] += found.passed

    def to_json(self) -> dict[str, Any]:
        """As plain data, partial credit as a mean."""
        names = [n for n in self.__slots__ if n not in {"operators", "do_nothing_partial"}]
        operators = {name: {"made": made, "survived": lived} for name, (made, lived) in self.operators.items()}
        mean = round(self.do_nothing_partial / self.tasks, 4) if self.tasks else 0.0
        return {name: getattr(self, name) for name in names} | {"do_nothing_partial": mean, "operators": operators}


def _mutants(script: Script) -> Iterable[Mutant]:
    for name in SHARED:
        try:
            yield from list(OPERATORS[name](script))
        except (LookupError, RuntimeError):
            continue  # it needs a card, a mail or a channel, and this world has none


def _by_checks(task: Published) -> Judge:
    def judge(lines: Sequence[str]) -> _Outcome:
        world = World(task.start)
        executions = [execute(world, line) for line in lines]
        state = normalised_state(world.state, executions)
        scores = [check_holds(c, state) for c in task.checks]
        total = sum(c.weight for c in task.checks) or 1.0
        partial = sum(c.weight for c, ok in zip(task.checks, scores, strict=True) if ok) / total
        failing = sum(e.output.code != 0 for e in executions)
        return _Outcome(all(scores), partial, failing, fingerprint(difference(task.start, world.state)))

    return judge


def _by_verdict(task: ForgeTask) -> Judge:
    def judge(lines: Sequence[str]) -> _Outcome:
        run = replay(task, lines)
        return _Outcome(run.verdict.strict, run.verdict.progress, len(run.failing), fingerprint(run.verdict.changes))

    return judge


def _script(task: ForgeTask) -> Script:
    world = World(task.start)
    return take_apart(task, task.reference, [execute(world, line).changes for line in task.reference], ())


def _as_task(task: Published) -> ForgeTask:
    """What the operators need to know of a published task: its world, its reference, what is not to be touched."""
    text = f"{task.instruction} {' '.join(task.reference)}"
    city = next((c for c in CITIES if c in text), _NOWHERE)
    decoy = next(c for c in CITIES if c not in text)
    named = {line.flag("id") for line in lines_of(task.reference)}
    preserved = tuple((t, k) for t in ("tasks", "events", "cron") for k in task.start.tables[t] if k not in named)
    # no goal, evidence or pair: a published specification has none
    meta = Meta(
        family=task.family,
        ability="",
        tags=(),
        variant="",
        branch="",
        conflict=(),
        style="brief",
        seed=0,
        profile="",
        city=city,
        decoy=decoy,
        length=len(task.reference),
        necessary=0,
        horizon=HORIZON,
        knobs=(),
        evidence=(),
        preserved=preserved,
        alternatives=(),
    )
    return ForgeTask(task.id, 0, task.instruction, (), task.start, task.reference, (), (), meta)


def probe_ours(tasks: Iterable[ForgeTask]) -> Column:
    """The probes on our tasks, by our verdict."""
    found = Column()
    for task in tasks:
        found.add(_script(task), _by_verdict(task))
    return found


def probe(tasks: Iterable[Published]) -> dict[str, Any]:
    """The probes on published tasks, by their checks; under ``verdict`` by the verdict that our own exports carry, or None.

    Under ``each`` stands what was found of every task, with the arguments that its checks want and nothing shows.

    Raises:
        ScenarioError: no reference passes, so that nothing that was counted would mean anything.
    """
    by_checks, by_verdict, skipped = Column(), Column(), 0
    each: list[dict[str, Any]] = []
    for task in tasks:
        skipped += task.skipped
        # with the world that the specification says, so that mutants name what is made in it by its ids
        known = _as_task(task) if task.own is None else replace(task.own, start=task.start)
        found = by_checks.add(_script(known), _by_checks(task))
        hidden = [{"step": a.step, "argument": a.flag, "value": a.value} for a in unshown(task)]
        each.append({"task": task.id, "family": task.family, **found, "unshown": hidden})
        if task.own is not None:
            by_verdict.add(_script(task.own), _by_verdict(task.own))
    if not by_checks.oracle_strict:
        what = f"none of the {by_checks.tasks} references passes its own checks"
        raise ScenarioError(
            what, remedy="These are no published specifications as they are read here; see docs/forge.md."
        )
    verdict = by_verdict.to_json() if by_verdict.tasks else None
    counts = {"ill_posed": sum(bool(one["unshown"]) for one in each), "checks_skipped": skipped}
    return by_checks.to_json() | counts | {"verdict": verdict, "each": each}
