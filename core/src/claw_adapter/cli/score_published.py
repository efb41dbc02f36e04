"""`claw score --from clawarena`: a published result folder scored again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from claw_adapter.cli.common import FAILED, console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.published.verdicts import Rescored, RescoredScenario
    from claw_adapter.scoring import Profile

__all__ = ["score_published"]

DEFAULT_LEVEL = 2


def score_published(
    results: Path,
    data: Path,
    *,
    isolation: int | None = None,
    profile: Profile = "published",
    replay: bool = True,
    as_json: bool = False,
) -> int:
    """Score a published result folder again and print what comes of it.

    Args:
        results: ``DIR/<scenario>/<round>/infer_result.json``.
        data: the data set it ran on.
        isolation: for recorded commands and checks; default 2, without a network.
        profile: of the table; JSON has all.
        replay: whether workspaces are rebuilt.
        as_json: print JSON.

    Returns:
        The exit code: 1 when something derived contradicts what was recorded.

    Raises:
        ScenarioError: results or data cannot be read.
        SandboxError: the isolation level cannot be provided.
    """
    from claw_adapter.published.rescore import rescore_published

    level = DEFAULT_LEVEL if isolation is None else isolation
    with _progress() as progress:
        found = asyncio.run(rescore_published(results, data, isolation=level, replay=replay, progress=progress))
    if as_json:
        print_json(found.as_json())
    else:
        _show(found, profile, console(), replay=replay)
        _breakdowns(results, data)
    missing = any(scenario.log.missing for scenario in found.scenarios)
    return FAILED if found.disagreements() or missing else 0


def _breakdowns(results: Path, data: Path) -> None:
    """By phase and by statement, from the recorded verdicts."""
    from claw_adapter.report.facet_terminal import render_facets
    from claw_adapter.report.facets import make_facets
    from claw_adapter.report.published_facets import published_observations

    render_facets(make_facets(published_observations(results, data)), console())


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None] | None]:
    out = console(stderr=True)
    if not out.is_terminal:
        yield None
        return
    from rich.progress import Progress, TaskID

    with Progress(console=out, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def advance(scenario: str, done: int, total: int) -> None:
            if scenario not in tasks:
                tasks[scenario] = bars.add_task(f"replaying {scenario}", total=total)
            bars.update(tasks[scenario], completed=done)

        yield advance


def _show(found: Rescored, profile: Profile, out: Console, *, replay: bool) -> None:
    from rich.table import Table

    plain = found.as_json()
    table = Table("scenario", "N", "S", "k", "S_f", "k_f", "TCR", "SC", "FD", box=None, pad_edge=False)
    for name, of in plain["scenarios"].items():
        numbers = [str(of[key]) for key in ("n", "S", "k", "S_f", "k_f")]
        table.add_row(name, *numbers, *(f"{100 * of[key]:.2f}" for key in ("tcr", "sc", "fd")))
    out.print(table, "")
    _metrics(found, profile, out)
    choice, checks = plain["multi_choice"], plain["exec_check"]
    out.print(
        f"multi_choice: {choice['rounds']} rounds; the published way of reading agrees with {choice['agree_compat']} "
        f"recorded verdicts, ours with {choice['agree_default']}"
    )
    for name, one in found.extraction_differences():
        out.print(
            f"  {name}/{one.round}: published reads {one.compat_letters}, ours {one.default_letters}", markup=False
        )
    out.print(
        f"exec_check: {checks['rounds']} rounds; {checks['derived']} checked again, {checks['agree']} of them as recorded; "
        f"{checks['recorded_only']} keep the recorded verdict"
    )
    for why, count in _reasons(found).items():
        out.print(f"  {count} × {why}", markup=False)
    if replay:
        for scenario in found.scenarios:
            _replay(scenario, out)
    for name, one in found.disagreements():
        out.print(f"[red]differs[/] {name}/{one.round}: recorded {one.recorded}, derived {one.derived} ({one.why})")


def _metrics(found: Rescored, profile: Profile, out: Console) -> None:
    from claw_adapter.scoring import METRICS

    summary, ours = found.summary(profile), found.summary(profile, default=True)
    values = {name: getattr(summary, name) for name in METRICS}
    words = [f"{name.upper()} {100 * value:.2f}" for name, value in values.items() if value is not None]
    out.print(f"profile {profile}: {' · '.join(words)}")
    if ours != summary:
        words = [f"{name.upper()} {100 * v:.2f}" for name in METRICS if (v := getattr(ours, name)) is not None]
        out.print(f"with our way of reading replies: {' · '.join(words)}")


def _reasons(found: Rescored) -> dict[str, int]:
    """Why exec_check rounds keep their recorded verdict, with counts; names of scripts left out."""
    reasons: dict[str, int] = {}
    for one in found.rounds("exec_check"):
        if one.derived is None:
            why = one.why.partition(":")[0]
            reasons[why] = reasons.get(why, 0) + 1
    return reasons


def _replay(scenario: RescoredScenario, out: Console) -> None:
    log = scenario.log
    calls = ", ".join(f"{count} {name}" for name, count in sorted(log.calls.items())) or "nothing"
    out.print(
        f"{scenario.id}: replayed {calls}; {log.verified} files had their recorded content, "
        f"{log.kept} still have it at the end, {len(log.missing)} have not; "
        f"{sum(log.reads)} of {len(log.reads)} reads and {sum(log.outputs)} of {len(log.outputs)} outputs as recorded"
    )
    for line in (*log.missing, *log.notes):
        out.print(f"  {line}", markup=False)
