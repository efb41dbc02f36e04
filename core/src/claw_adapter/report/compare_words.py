"""The sentences and number formats of a comparison that terminal and page share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from claw_adapter.report import words
from claw_adapter.report.compare_records import Comparison, MetricDifference, Pair
from claw_adapter.report.legend import explain_metrics
from claw_adapter.scoring.exact import EXACT_SCENARIOS

__all__ = [
    "apart", "facts", "heading", "interval", "lacks", "names", "p_value", "points", "reading", "verdict", "within",
]  # fmt: skip


def heading(comparison: Comparison) -> str:
    """What was compared, in one line."""
    scenarios = {name for pair in comparison.pairs for name in pair.scenarios}
    runs = ", ".join(run.name for run in comparison.runs)
    rows, pairs = words.plural(len(comparison.rows), "row"), words.plural(len(comparison.pairs), "pair")
    kind = " between models" if comparison.between == "model" else ""
    return f"Comparison{kind} of {rows} in {pairs} over {words.plural(len(scenarios), 'scenario')} (runs: {runs})"


def apart(comparison: Comparison) -> str:
    """Why pairs were left alone."""
    return "the models differ" if comparison.between == "harness" else "not one harness"


def names(pair: Pair) -> str:
    """A pair as its difference is taken."""
    return f"{pair.b} − {pair.a}"


def facts(pair: Pair) -> list[str]:
    """What a pair was compared on, and what was left out."""
    seeds = f", seeds matched: {', '.join(map(str, pair.seeds))}" if pair.seeds else ""
    on = f"{words.plural(pair.rounds, 'round')} of {words.plural(len(pair.scenarios), 'scenario')}{seeds}"
    better = [
        f"{dict(words.COLUMNS)[item.metric]}: {pair.a} better in {item.a_better}, {pair.b} in {item.b_better}"
        for item in pair.differences
        if item.view == "strict" and item.difference is not None
    ]
    return [on, *better, *pair.notes]


def lacks(pairs: Iterable[Pair]) -> list[str]:
    """Why numbers of these pairs are missing, or can show nothing."""
    return list(dict.fromkeys(note for pair in pairs for item in pair.differences for note in item.notes))


def points(value: float | None) -> str:
    """A difference in percentage points, with its sign; a dash where it is undefined."""
    if value is None:
        return "–"
    text = f"{100 * value:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", "−")


def interval(item: MetricDifference) -> str:
    """Both ends in percentage points."""
    return "none" if item.low is None or item.high is None else f"{points(item.low)} to {points(item.high)}"


def p_value(value: float | None) -> str:
    """A p-value with three decimals; small ones are not written as zero."""
    return "–" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"


def verdict(pair: Pair, item: MetricDifference) -> str:
    """Which side is higher, if that was shown."""
    if item.verdict == "not shown":
        return "not shown"
    return f"{pair.b if item.verdict == 'higher' else pair.a} higher"


def within(comparison: Comparison, item: MetricDifference) -> str:
    """What was shown of the difference and the margin."""
    if item.within is None or comparison.margin is None:
        return "–"
    if item.within == "not shown":
        return "not shown"
    return f"{item.within} ±{100 * comparison.margin:g}"


def reading(comparison: Comparison) -> Iterator[str]:
    """How the numbers were made and what they do not say."""
    metrics = explain_metrics(item.metric for pair in comparison.pairs for item in pair.differences)
    yield f"{metrics} Isolation is the level of harness/check."
    level = 100 * (1 - comparison.level)
    many = comparison.comparisons > 1
    family = f" after Holm's correction over {comparison.comparisons} comparisons" if many else ""
    yield (
        f"Verdict: a difference is shown when p{family} is at most {level:g} %. p comes from exchanging the two sides "
        f"within scenarios: {_permutations(comparison)}. Not shown does not mean equal."
    )
    alone = " Intervals are of one pair each and are not widened for the others." if many else ""
    yield (
        f"Interval: {comparison.resamples:,} resamples of scenarios (seed {comparison.seed}), the same for both sides; with "
        f"few scenarios it is rather too narrow, so the verdict does not rest on it.{alone}"
    )
    if comparison.margin is not None:
        yield (
            f"Margin: a difference is shown to be within ±{100 * comparison.margin:g} points, or beyond them, when the p-value "
            f"of that test is at most {level:g} %. They are exchange tests as well, of the differences moved by the margin."
        )
    corrected = ", its level shared by all comparisons" if many else ""
    yield f"Detectable: the smallest difference this comparison would have shown in 80 % of repetitions{corrected}."
    yield (
        "Seeds of a scenario are matched where both sides have them and count as repetitions of one scenario, never as "
        "further scenarios. Strict counts an unscored round as 0; adjusted leaves it out on both sides."
    )


def _permutations(comparison: Comparison) -> str:
    """How many exchanges p rests on, over all pairs."""
    items = [item for pair in comparison.pairs for item in pair.differences if item.permutations]
    exact = sorted({item.permutations for item in items if item.exact})
    drawn = sorted({item.permutations for item in items if not item.exact})
    many = any(number > 2**EXACT_SCENARIOS for number in exact)  # a number of so many digits says nothing more
    parts = ["all exchanges" if many else f"all {_several(exact)} exchanges"] if exact else []
    parts += [f"{_several(drawn)} exchanges drawn at random"] if drawn else []
    return " or ".join(parts) or "none was possible"


def _several(numbers: list[int]) -> str:
    return " or ".join(f"{number:,}" for number in numbers)
