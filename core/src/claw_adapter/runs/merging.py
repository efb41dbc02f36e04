"""Run folders of one plan put together: shards, and trials done elsewhere. Blobs are named by content, so it is copying."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.errors import JournalError
from claw_adapter.folders import remove_tree
from claw_adapter.protocol import TrialSpec
from claw_adapter.runs.folder import SERVERS, RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.named import trial_blobs
from claw_adapter.runs.plan import Plan, difference, told_once
from claw_adapter.runs.shards import shard_trials
from claw_adapter.runs.store import Store

__all__ = ["Merged", "merge", "take_trial"]


@dataclass(frozen=True, slots=True)
class Merged:
    """What came together.

    Attributes:
        root: the run folder.
        trials: how many trials were taken now.
        known: how many of them the folder had already, as far as they got.
        total: how many trials the plan has.
        absent: ids of those of which there is nothing yet, in the plan's order.
        missing: shards of which there is nothing, as ``3/16``.
    """

    root: Path
    trials: int
    known: int
    total: int
    absent: tuple[str, ...]
    missing: tuple[str, ...]


def merge(parts: Sequence[Path], out: Path) -> Merged:
    """Put run folders of one plan together in `out`, which becomes the run folder of the whole plan; `parts` are only read.

    `out` may hold a part of the same run already: what is there stays, and a trial that got further elsewhere goes on from
    there. Interrupted anywhere, the same call completes it.

    Raises:
        JournalError: a part is of another plan, or was made with other versions of a harness; one of them is at work;
            two have different records of the same trial; something is damaged. Nothing was merged of that part.
    """
    plans = [RunFolder(part).plan() for part in parts]
    for part, plan in zip(parts, plans, strict=True):
        _refuse_other(plans[0], plan, parts[0], part)
        if RunFolder(part).in_use:
            raise JournalError("a process is at work on this run", where=str(part), remedy="Wait for it, or end it.")
    whole = plans[0].whole.model_copy(update={"versions": _versions(parts, plans)})
    taken = known = 0
    with RunFolder(out) as target:
        target.begin(whole)
        store = Store(target.store)
        for part, plan in zip(parts, plans, strict=True):
            source = RunFolder(part)
            for trial in plan.trials:
                if source.journal(trial.id).exists():
                    new = take_trial(source, target, store, trial)
                    taken, known = taken + new, known + (not new)
            _servers(source, target)
        absent = tuple(trial.id for trial in whole.trials if not target.journal(trial.id).exists())
    sizes = sorted({plan.shard.of for plan in plans if plan.shard})
    missing = tuple(
        f"{number}/{of}"
        for of in sizes
        for number in range(1, of + 1)
        if all(trial.id in absent for trial in shard_trials(whole.trials, number, of))
    )
    return Merged(target.root, taken, known, len(whole.trials), absent, missing)


def take_trial(source: RunFolder, target: RunFolder, store: Store, trial: TrialSpec) -> bool:
    """Bring a trial into `target`, whose store is `store`; False if it is there already, as far as it got.

    The folder of the trial comes last and at once, so that whatever it names is there.

    Raises:
        JournalError: both have records of the trial that differ, or something is damaged.
    """
    there, here = source.journal(trial.id), target.journal(trial.id)
    read_journal(there)  # a damaged one is refused
    new = there.read_bytes()
    old = here.read_bytes() if here.exists() else b""
    if old.startswith(new):
        return False
    if not new.startswith(old):
        raise JournalError(
            f"trial {trial.id!r} was run twice, with different records",
            where=f"{there} and {here}",
            remedy="Leave one of the two out, or merge into a new folder.",
        )
    origin = Store(source.store, sweep=False)
    for digest in sorted(trial_blobs(source, origin, trial.id)):
        if not store.has(digest):
            store.put(origin.get(digest))
    copy = target.live / trial.id
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source.trial(trial.id), copy, symlinks=True)
    place = target.trial(trial.id)
    if place.exists():
        remove_tree(place)
    place.parent.mkdir(exist_ok=True)
    copy.replace(place)
    return True


def _refuse_other(one: Plan, other: Plan, where: Path, there: Path) -> None:
    if one.digest == other.digest:
        return
    lines = difference(one.configuration, other.configuration)
    raise JournalError(
        f"these are not parts of the same run:{told_once(lines)}",
        where=f"{where} and {there}",
        remedy="Merge the shards of one plan. To compare different runs: claw compare RUN RUN.",
    )


def _versions(parts: Sequence[Path], plans: Sequence[Plan]) -> dict[str, dict[str, str]]:
    """The versions of the harnesses, which must be the same everywhere."""
    found: dict[str, tuple[Path, dict[str, str]]] = {}
    for part, plan in zip(parts, plans, strict=True):
        for label, versions in plan.versions.items():
            before, known = found.setdefault(label, (part, versions))
            if lines := difference(known, versions):
                raise JournalError(
                    f"harness {label!r} was not the same everywhere: {'; '.join(lines)}",
                    where=f"{before} and {part}",
                    remedy="Run the shards with the same versions; what was run with others cannot stand in one row.",
                )
    return {label: versions for label, (_, versions) in found.items()}


def _servers(source: RunFolder, target: RunFolder) -> None:
    """What served the models of a part is added, once."""
    known = set(_lines(target.root / SERVERS))
    new = [line for line in _lines(source.root / SERVERS) if line not in known]
    if new:
        with (target.root / SERVERS).open("a", encoding="utf-8") as file:
            file.writelines(new)


def _lines(path: Path) -> Iterator[str]:
    if path.exists():
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if line.endswith("\n"))
