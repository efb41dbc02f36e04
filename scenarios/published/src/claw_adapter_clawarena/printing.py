"""A published run, scored again, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from claw_adapter.scoring import METRICS, MetricSet
from claw_adapter_clawarena.verdicts import COLUMNS, Column, Rescored, RescoredScenario

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["show"]

HEADS: Final[dict[Column, str]] = {
    "recorded": "recorded",
    "derived": "derived here",
    "recorded_where_derived": "recorded, same rounds",
    "ours": "derived, our reading of replies",
}
SHOWN: Final[tuple[Column, ...]] = ("recorded", "derived")


def show(found: Rescored, metric_set: MetricSet, out: Console) -> None:
    """Streaks by scenario, the metrics, what was derived, what replaying met, and every difference."""
    from rich.table import Table

    plain = found.as_json()
    table = Table("scenario", "verdicts", "N", "S", "k", "S_f", "k_f", "TCR", "SC", "FD", box=None, pad_edge=False)
    for name, one in plain["scenarios"].items():
        for column in SHOWN:
            of = one["streaks"][column]
            numbers = [str(of[key]) for key in ("n", "S", "k", "S_f", "k_f")]
            table.add_row(name, column, *numbers, *(f"{100 * of[key]:.2f}" for key in ("tcr", "sc", "fd")))
    out.print(table, "")
    _metrics(found, metric_set, out)
    _report(found, out)
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
        f"{checks['recorded_only']} have the recorded verdict only"
    )
    for why, count in _reasons(found).items():
        out.print(f"  {count} × {why}", markup=False)
    for scenario in found.scenarios if found.replayed else ():
        _replay(scenario, out)
    for name, one in found.disagreements():
        out.print(f"[red]differs[/] {name}/{one.round}: recorded {one.recorded}, derived {one.derived} ({one.why})")


def _metrics(found: Rescored, metric_set: MetricSet, out: Console) -> None:
    """One column of metrics per kind of verdict: nothing is mixed."""
    from rich.table import Table

    summaries = {column: found.summary(metric_set, column) for column in COLUMNS}
    table = Table(f"metric set {metric_set}", *(HEADS[column] for column in COLUMNS), box=None, pad_edge=False)
    table.add_row("rounds", *(str(one.scored) for one in summaries.values()))
    for name in METRICS:
        values = [getattr(one, name) for one in summaries.values()]
        table.add_row(name.upper(), *("" if value is None else f"{100 * value:.2f}" for value in values))
    out.print(table, "")


def _report(found: Rescored, out: Console) -> None:
    """What the run's own report says, beside the same from its recorded verdicts, and by which formulas."""
    from rich.table import Table

    if not found.report:
        return
    again = found.by_formula_of_report()
    table = Table("its report.json", "recorded", "from recorded verdicts", box=None, pad_edge=False)
    for name, recorded in found.report.items():
        value = again[name]
        table.add_row(name.upper(), f"{100 * recorded:.2f}", "" if value is None else f"{100 * value:.2f}")
    out.print(
        table,
        "These are means over scenarios, of values rounded to four digits before (so within 0.01 of metric set macro), but for "
        "CRS = (TCR + SC × FD) / 2 of these means, which is the CRS of neither metric set.",
        "",
        sep="\n",
        markup=False,
    )


def _reasons(found: Rescored) -> dict[str, int]:
    """Why exec_check rounds have no derived verdict, with counts; names of scripts left out."""
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
