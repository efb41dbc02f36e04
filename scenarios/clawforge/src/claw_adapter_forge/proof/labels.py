"""Known failures with the label each must get: what shows that `diagnose` labels failures rightly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from claw_adapter_forge.evaluation.patterns import diagnose
from claw_adapter_forge.policies.offline import is_change
from claw_adapter_forge.proof.replay import drive, replay
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.records import Task

__all__ = ["NEEDED", "KnownFailure", "Labels", "check_labels", "known_failures"]

NEEDED = 0.95
"""Share of labels that must be right."""
_DELETE = {"tasks": "tasks delete --id", "events": "calendar delete-event --id", "cron": "openclaw cron rm"}
_STALE, _EARLY = "stale_state_mishandling", "early_breakdown"


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """Commands that fail, how the agent ended, and the right label."""

    what: str
    lines: tuple[str, ...]
    ended: str
    label: str


@dataclass(slots=True)
class Labels:
    """What was found: per label (right, all), and the wrong ones."""

    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    wrong: list[dict[str, str]] = field(default_factory=list)
    passing: list[str] = field(default_factory=list)
    """Failures that are none: must be empty."""

    @property
    def share(self) -> float:
        """Right ones among all."""
        right, total = (sum(pair[i] for pair in self.counts.values()) for i in (0, 1))
        return right / total if total else 0.0


def known_failures(task: ForgeTask) -> Iterator[KnownFailure]:
    """Mutants of the task's reference whose failing is known by how they were made."""
    reference = task.reference
    writes = [i for i, line in enumerate(reference) if is_change(line)]
    yield KnownFailure("nothing", (), "stopped", _EARLY)
    yield KnownFailure("reads only", tuple(x for x in reference if not is_change(x)), "stopped", _EARLY)
    yield KnownFailure("hasty", tuple(e.line for e in drive(task, "hasty").executions), "stopped", _EARLY)
    yield KnownFailure("re-creator", tuple(e.line for e in drive(task, "re-creator").executions), "stopped", _STALE)
    for place, label in ((task.meta.city, _STALE), (task.meta.decoy, _EARLY)):
        # a second card for what is on the board or asked for, or one for a place that nobody named
        first = f"tasks add --title '{place} next step'"
        if place and (label == _EARLY or _has_card(task)):
            yield KnownFailure(f"first {first}", (first, *reference), "stopped", label)
    yield from _omissions(reference, writes)
    yield from _damage(task)
    for i in writes:
        if reference[i].startswith(("tasks add", "calendar add-event")):
            yield KnownFailure("made it twice", (*reference, reference[i]), "stopped", _STALE)


def _has_card(task: ForgeTask) -> bool:
    return any(task.meta.city in card.title for card in task.start.tables["tasks"].values() if isinstance(card, Task))


def _omissions(reference: tuple[str, ...], writes: list[int]) -> Iterator[KnownFailure]:
    for i in writes if len(writes) > 1 else ():
        if "login" in reference[i]:
            continue
        lines = (*reference[:i], *reference[i + 1 :])
        retires = reference[i].startswith("tasks complete")
        label = _STALE if retires else "hallucinated_completion"
        yield KnownFailure(f"dropped {reference[i]}", lines, "stopped", label)
        if not retires:
            yield KnownFailure(f"cut short without {reference[i]}", lines, "budget", "incomplete_closure")


def _damage(task: ForgeTask) -> Iterator[KnownFailure]:
    reference = task.reference
    for table, key in task.meta.preserved:
        line = f"{_DELETE[table]} {key}"
        yield KnownFailure(f"deleted {key}", (*reference, line), "stopped", _STALE)
        if table == "tasks":
            yield KnownFailure("completed it", (*reference, f"tasks complete --id {key}"), "stopped", _STALE)
        yield KnownFailure(f"first deleted {key}", (line, *reference), "stopped", _STALE)


def check_labels(tasks: Iterable[ForgeTask]) -> Labels:
    """Label every known failure of the tasks."""
    found = Labels()
    for task in tasks:
        for known in known_failures(task):
            run = replay(task, known.lines)
            if run.verdict.strict:
                found.passing.append(f"{task.id}: {known.what}")
                continue
            label = diagnose(task, run.executions, run.verdict, known.ended).pattern
            right, total = found.counts.get(known.label, (0, 0))
            found.counts[known.label] = right + (label == known.label), total + 1
            if label != known.label:
                found.wrong.append({"task": task.id, "what": known.what, "right": known.label, "given": label})
    return found
