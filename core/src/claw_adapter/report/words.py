"""The sentences and number formats that terminal and page share, so that both say the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from claw_adapter.protocol import Failure, FirstRequest, Isolation, ModelSpec, ServerRecord
from claw_adapter.report.records import Cell, Cost, Row, Summary
from claw_adapter.runs.prices import Price

__all__ = [
    "AGAIN",
    "COLUMNS",
    "LEGEND",
    "METRIC_SETS",
    "NO_PRICES",
    "STATE_LISTS",
    "blame",
    "count",
    "defined",
    "first_requests",
    "has_overall",
    "intervals",
    "isolation",
    "milliseconds",
    "model_meaning",
    "money",
    "money_cached",
    "no_evidence",
    "percent",
    "plural",
    "price_note",
    "seconds",
    "seeds",
    "server_facts",
    "short",
    "some_of",
    "symbol",
    "unscored_lines",
]

COLUMNS: Final = (
    ("tcr", "TCR"),
    ("mc", "MC"),
    ("ec", "EC"),
    ("sc", "SC"),
    ("fd", "FD"),
    ("robustness", "Robustness"),
    ("crs", "CRS"),
    ("overall", "Overall"),
)
"""Metric fields and their headings; a metric set that does not define a metric leaves it empty everywhere."""

_OF_STREAKS: Final = frozenset(("sc", "fd", "robustness", "crs"))
MOST_NAMED: Final = 5
"""Scenarios that a sentence names before it only counts the rest."""

STATE_LISTS: Final = (
    ("missing", "missing"),
    ("reasons", "what came nearest"),
    ("violations", "changed and should not have been"),
    ("forbidden", "must not be done"),
    ("unread", "not looked at before the first change"),
    ("bypasses", "tools that do not work there"),
)
"""Lists of a `StateDetail` and what they are called."""

METRIC_SETS: Final = {
    "published": "TCR, MC, EC pooled over all rounds; SC, FD averaged over scenarios; Robustness = mean SC × mean FD",
    "macro": "every metric averaged over scenarios; Robustness as the mean of products",
    "v1": "Overall = pooled mean of per-option multi_choice scores and exec_check results",
}

LEGEND: Final = "✓ right   ✗ wrong   ½ partly   − unscored   · not run yet"

NO_PRICES: Final = (
    "No price list is installed, so cost is not shown: pip install 'claw-adapter[prices]', then claw report RUN."
)

AGAIN: Final = (
    "The same command resumes trials that ended early, and tries again what the provider, a check or the machine left unscored "
    "at the end of a trial; with --rewind also where scored rounds come after, and those with it. --fresh starts the run anew."
)
"""How to run unscored rounds again."""

_POLICIES: Final = {
    "careful": "It uses the harness's tools to look for evidence that is missing.",
    "hasty": "It is told to be hasty: it never looks anything up.",
    "forgetful": "It is told to be forgetful: what it read once it never reads again.",
}


def model_meaning(model: ModelSpec) -> str:
    """What scores under this model mean."""
    if model.kind == "replay":
        recorded = model.model_copy(update={"kind": str(model.options.get("kind", "openai")), "options": {}})
        return f"A recorded run is replayed, offline. {model_meaning(recorded)}"
    if model.kind == "reader":
        return (
            "The model is the reader, which is not a language model: it marks a statement true only if the evidence for it "
            "was in the requests of the current turn. The scores measure what the harness delivers (history, updates, "
            f"files), not what a model can do. {_POLICIES[model.policy]}"
        )
    if model.kind == "scripted":
        return (
            "The model is a script of fixed replies: the scores show that the machinery works, and say nothing about the "
            "ability of a model."
        )
    if model.embedded:
        return (
            f"The model is {model.name}, a program that the plugin {model.kind!r} brings, and not a language model: the scores "
            "say nothing about the ability of a model."
        )
    pinned = "pinned to the run's parameters" if model.sampling == "pin" else "left to each harness"
    return f"The model is {model.model or model.name} behind {model.kind}; sampling is {pinned}."


def server_facts(servers: Sequence[ServerRecord]) -> str:
    """What served a model, as the result names it; several values of one thing show that it changed in between."""
    found: dict[str, dict[str, None]] = {}
    for server in servers:
        for name, value in server.about.items():
            found.setdefault(name, {})[value] = None
    return "; ".join(f"{name} {' / '.join(values)}" for name, values in found.items())


def no_evidence(scenarios: Sequence[str]) -> str:
    """What is said about scenarios that the reader could only answer blindly."""
    if len(scenarios) == 1:
        return f"Scenario {scenarios[0]} has no evidence layer: scores carry no meaning."
    return f"Scenarios {some_of(scenarios)} have no evidence layer: scores carry no meaning."


def some_of(names: Sequence[str]) -> str:
    """The first of several names, and how many there are more."""
    left = len(names) - MOST_NAMED
    return ", ".join(names) if left <= 1 else f"{', '.join(names[:MOST_NAMED])} and {left} more"


def percent(value: float | None) -> str:
    """A metric in percent with one decimal; a dash where it is undefined."""
    return "–" if value is None else f"{100 * value:.1f}"


def count(value: float | None) -> str:
    """A count with thousands separated; a dash where it is unknown."""
    return "–" if value is None else f"{value:,.0f}"


def short(value: float | None) -> str:
    """A count in at most six characters: thousands and millions abbreviated from 100,000 on."""
    if value is None or value < 100_000:
        return count(value)
    return f"{value / 1e3:.0f}k" if value < 999_500 else f"{value / 1e6:.2f}M" if value < 1e9 else f"{value / 1e9:.2f}G"


def money(cost: Cost | None) -> str:
    """An amount with its currency; ``~`` where our count of tokens stands for the upstream's; a dash where it is unknown."""
    if cost is None:
        return "–"
    return _amount(cost.money, cost.counted)


def money_cached(cost: Cost | None) -> str:
    """The same with a cache of prefixes."""
    return _amount(cost.cached, cost.counted) if cost is not None and cost.cached is not None else "–"


def _amount(price: Price, counted: str) -> str:
    amount = price.amount
    digits = f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.4f}"
    return f"{'' if counted == 'upstream' else '~'}{digits} {price.currency}"


def price_note(cost: Cost) -> str:
    """Where a cost's price comes from, and what it leaves out."""
    if cost.local:
        return f"Nobody is paid for the tokens of {cost.money.entry}: a server of the run answered. Its machine is not counted."
    counted = "" if cost.counted == "upstream" else " The upstream did not count every turn: ours (cl100k) were priced."
    return (
        f"Cost is at list price ({cost.money.prices}, {cost.money.entry}, prices of {cost.money.day}), without a "
        f"cache and with one of prefixes, repeated attempts not counted.{counted}"
    )


def seeds(values: Iterable[int], repeats: int) -> str:
    """The seeds of a row, and how often each was run: ``0, 1 × 3``."""
    listed = ", ".join(map(str, values))
    return listed if repeats == 1 else f"{listed} × {repeats}"


def plural(number: int, noun: str) -> str:
    """A number of things: ``1 round``, ``2 rounds``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def seconds(value: float | None) -> str:
    """A time in seconds, with more digits the shorter it is."""
    if value is None:
        return "–"
    return f"{value:,.0f} s" if value >= 100 else f"{value:.1f} s" if value >= 10 else f"{value:.2f} s"


def milliseconds(value: float | None) -> str:
    """A short time in milliseconds, a long one in seconds."""
    if value is None:
        return "–"
    return f"{1000 * value:.1f} ms" if value < 1 else seconds(value)


def isolation(levels: tuple[Isolation, ...]) -> str:
    """Levels of harness and checks, ``n/a`` of a harness that executes nothing; several when trials differ."""
    return ", ".join(map(_level, levels)) or "–"


def _level(level: Isolation) -> str:
    return f"{'n/a' if level.harness is None else level.harness}/{check_level(level)}"


def check_level(level: Isolation) -> str:
    """The level of checks, with what is missing in it."""
    return f"{level.check} (open)" if level.check_open else str(level.check)


def first_requests(found: Sequence[FirstRequest]) -> str:
    """What trials began with, as ranges; empty where nothing was measured."""
    if not found:
        return ""
    system, tools = _range([first.system for first in found]), _range([first.tools for first in found])
    return f"system prompt of {system} characters, {tools} {'tool' if tools == '1' else 'tools'}"


def _range(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def intervals(row: Row) -> str:
    """The intervals of the strict metrics in one line, or why there are none."""
    if not row.strict.intervals:
        return row.strict.interval_note
    names = dict(COLUMNS)
    parts = [f"{names[key]} {percent(i.low)} to {percent(i.high)}" for key, i in row.strict.intervals.items()]
    some = next(iter(row.strict.intervals.values()))
    return f"{', '.join(parts)} ({100 * some.level:.0f} % over {some.scenarios} scenarios)"


def has_overall(summary: Summary) -> bool:
    """Whether there is a table of rounds judged by state, which has the intervals of its scores."""
    found = summary.breakdowns.by_tag if summary.breakdowns else ()
    return any(one.of == "rounds" and not one.by for one in found)


def defined(summary: Summary) -> list[tuple[str, str]]:
    """The metric columns that hold anything, those of every metric set, and those of streaks where a scenario can have one."""
    streaks = any(scenario.rounds > 1 for scenario in summary.scenarios)
    metrics = [row.strict for row in summary.rows]
    return [
        (key, name)
        for key, name in COLUMNS
        if key == "tcr" or ((streaks or key not in _OF_STREAKS) and any(getattr(m, key) is not None for m in metrics))
    ]


def symbol(cells: tuple[Cell, ...]) -> str:
    """One round of one row; with several seeds right of scored."""
    if len(cells) > 1:
        scores = [cell.score for cell in cells if cell.score is not None]
        return f"{sum(score == 1 for score in scores)}/{len(scores)}" if scores else symbol(cells[:1])
    cell = cells[0]
    if cell.state != "scored" or cell.score is None:
        return "·" if cell.state == "pending" else "−"
    return "✓" if cell.score == 1 else "✗" if cell.score == 0 else "½"


def blame(cause: Failure) -> str:
    """A failure in one line: whose, what, where."""
    where = f" ({cause.where})" if cause.where else ""
    return f"{cause.owner.value}: {cause.kind}: {cause.what}{where}"


def unscored_lines(summary: Summary) -> list[str]:
    """Which rounds are unscored and why, one line each."""
    lines = []
    for item in summary.unscored:
        what = f"{item.round} and {item.rounds - 1} more" if item.rounds > 1 else item.round
        lines.append(f"{summary.trials[item.trial].id}: {what}: {blame(item.cause)}")
    return lines
