"""The judge: which articles should have moved in a round, and that nothing else did."""

import json
from pathlib import Path
from typing import ClassVar

from claw_adapter.protocol import Gold, Round, Score, StateDetail, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from sqlite_stock.database import State

Wanted = dict[tuple[str, str], int]


def wanted(gold: Path, round_id: str) -> Wanted:
    """By how much each count changes, by article and place: ``gold/changes.json``."""
    changes: dict[str, dict[str, int]] = json.loads((gold / "changes.json").read_text("utf-8"))[round_id]
    return {(sku, place): n for sku, places in changes.items() for place, n in places.items()}


def judged(before: State, after: State, wanted: Wanted) -> Score:
    """1 if exactly what is wanted was changed, and no other article was touched on the way."""
    cells = sorted({*before.counts, *after.counts, *wanted})
    right = {cell: before.counts[cell] + wanted.get(cell, 0) for cell in cells}
    wrong = [cell for cell in cells if after.counts[cell] != right[cell]]
    said = {cell: f"{cell[0]} at {cell[1]}: {after.counts[cell]}, not {right[cell]}" for cell in wrong}
    articles = {sku for sku, _ in wanted}
    touched = after.changed[len(before.changed) :]
    strays = sorted(set(touched) - articles)
    missing = [cell for cell in wrong if cell in wanted]
    others = [cell for cell in wrong if cell not in wanted]
    if not missing and not others:
        pattern = "touched" if strays else ""
    elif not touched:
        pattern = "nothing-done"
    elif strays:
        pattern = "wrong-article"
    else:
        pattern = "wrong-place" if others else "wrong-number"
    return Score(
        value=float(not pattern),
        pattern=pattern,
        detail=StateDetail(
            progress=1 - len(missing) / len(wanted),
            partial=1 - len(wrong) / len(cells),
            baseline=1 - len(wanted) / len(cells),
            commands=after.commands - before.commands,
            missing=[said[cell] for cell in missing],
            violations=[said[cell] for cell in others],
            forbidden=[f"{sku} was to stay, and was touched" for sku in strays],
        ),
    )


class StockQuestion(QuestionType):
    """A round that is judged by the stock before and after it."""

    name = "stock"
    patterns: ClassVar[dict[str, str]] = {
        "nothing-done": "nothing was moved or written off",
        "wrong-article": "an article was moved that was to stay where it was",
        "wrong-place": "the right articles, but from or to a place that was to stay as it was",
        "wrong-number": "the right articles and places, but too few or too many",
        "touched": "all is where it belongs, but an article that was to stay was moved and moved back",
    }

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:  # noqa: ARG002
        """Judges the two databases; what the agent says plays no part."""
        states = context.environment
        if states is None:
            raise ValueError("a round of type stock needs the environment stock")
        return judged(State.of(states.before), State.of(states.after), wanted(context.gold.root, item.id))

    def feedback(self, item: Round, score: Score, gold: Gold) -> str:  # noqa: ARG002
        """The outcome is not told."""
        return ""
