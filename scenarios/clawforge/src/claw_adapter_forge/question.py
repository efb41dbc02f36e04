"""The question type ``forge``: judged by the world's states before and after the turn, whatever the harness says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Event, Failure, Gold, Round, Score, StateDetail, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter_forge.episodes.snapshots import Snapshot, snapshot_of
from claw_adapter_forge.evaluation.paper import paper_checks, paper_score
from claw_adapter_forge.evaluation.patterns import MEANINGS, diagnose
from claw_adapter_forge.evaluation.reasons import near_misses
from claw_adapter_forge.evaluation.verdict import evaluate
from claw_adapter_forge.tasks.manifest import task_from_json
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["ForgeQuestion", "bypasses"]

IN_THE_WORLD: Final = frozenset({
    *("exec", "bash", "shell", "process", "read", "write", "edit", "ls", "glob", "grep", "command"),
    *("multiedit", "bashoutput", "killshell", "list_files", "read_file", "write_file", "edit_file", "apply_patch"),
    *("list_dir", "find_files", "exec_session", "list_exec_sessions"),
})  # fmt: skip
"""Tools that work in the world, by the names harnesses give them (in lower case): programs are its clients, files its table."""


class ForgeQuestion(QuestionType):
    """1 for a state that meets the goal, has no other side effect and came about without what is forbidden; else 0."""

    name: ClassVar[str] = "forge"
    patterns: ClassVar[Mapping[str, str]] = MEANINGS

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        """See `QuestionType.score`; the turn's own words decide nothing."""
        if context.environment is None:
            what = "a task of this kind is judged by the environment 'forge', and the scenario names none"
            return Score(cause=Failure.of(ScenarioError(what, where=f"round {item.id}")))
        task = task_from_json(json.loads((context.gold.root / "task.json").read_text("utf-8")))
        return judge(task, snapshot_of(context.environment.after), turn.events)

    def feedback(self, item: Round, score: Score, gold: Gold) -> str:
        """Nothing: a task is one turn."""
        del item, score, gold
        return ""


def judge(task: ForgeTask, found: Snapshot, events: Sequence[Event] = ()) -> Score:
    """The score of an episode that ended like this; `events` are what the harness did besides."""
    verdict = evaluate(task, found.state, [e.changes for e in found.executions])
    diagnosis = diagnose(task, found.executions, verdict, _ended(found, events))
    checks = paper_checks(task)
    detail = StateDetail(
        progress=round(verdict.progress, 6),
        partial=round(paper_score(checks, task, found.executions, found.state), 6),
        baseline=round(paper_score(checks, task, ()), 6),
        commands=found.used,
        excess=diagnosis.excess,
        missing=verdict.missing,
        reasons=tuple(line for miss in near_misses(task, verdict) for line in miss.lines()),
        violations=tuple(change.line() for change in verdict.violations),
        forbidden=verdict.forbidden,
        first_wrong=diagnosis.first_wrong or None,
        unread=diagnosis.unread,
        bypasses=bypasses(events),
    )
    return Score(value=float(verdict.strict), pattern=diagnosis.pattern, detail=detail)


def _ended(found: Snapshot, events: Sequence[Event]) -> str:
    """How the agent came to its end; a harness that has stopped it says so in a note ``stopped``, with its rule."""
    if found.exhausted:
        return "budget"
    notes = (e for e in events if e.kind == "note" and e.name == "stopped")
    return "rule" if any(e.arguments.get("rule", "done") != "done" for e in notes) else "stopped"


def bypasses(events: Iterable[Event]) -> tuple[str, ...]:
    """The uses of tools that do not work in the world, in order; those the harness refused are marked."""
    known = list(events)
    called = [e for e in known if e.kind == "tool_call" and e.name.lower() not in IN_THE_WORLD]
    refused = {e.id for e in known if e.kind == "tool_result" and e.is_error}
    return tuple(f"{e.name} (refused)" if e.id in refused else e.name for e in called)
