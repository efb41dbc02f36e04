"""Published result folders: ``DIR/<scenario>/<round>/infer_result.json``, one per round, with the trace of its tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import ScenarioError
from claw_adapter_clawarena.jsontext import read_json

__all__ = ["RecordedCall", "RecordedRound", "read_report", "read_results"]


HEADLINE: Final = {
    "tcr": "task_completion_rate",
    "sc": "avg_sc",
    "fd": "avg_fd",
    "robustness": "robustness",
    "crs": "composite_reliability_score",
}
"""Our name of a metric, and that of a published report."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call and what came of it.

    Attributes:
        failed: whether the tool said so.
        output: text of the result; None when there is no result.
        refused: whether the harness refused a command before it ran.
    """

    name: str
    arguments: dict[str, Any]
    failed: bool
    output: str | None
    refused: bool = False


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """A round of a published run.

    Attributes:
        path: its ``infer_result.json``.
        layout: the harness layout it ran on.
        question: the prompt that was sent.
        text: the final reply.
        status: ``success``, or what else the runner said.
        passed: the verdict that was recorded; None without one.
        selected: letters that the published scorer read; None when it read none.
        workspace: the workspace's path on the machine of the run.
        calls: tool calls in order; None where no trace was kept.
    """

    scenario: str
    round: str
    path: Path
    layout: str
    type: str
    question: str
    text: str
    status: str
    passed: bool | None
    selected: tuple[str, ...] | None
    workspace: str
    calls: tuple[RecordedCall, ...] | None


def read_results(folder: Path) -> dict[str, dict[str, RecordedRound]]:
    """The recorded rounds of a result folder, or of a submission that has one as ``infer``, by scenario and round.

    Raises:
        ScenarioError: there are none, or one cannot be read.
    """
    found: dict[str, dict[str, RecordedRound]] = {}
    inside = folder / "infer"
    for path in sorted((inside if inside.is_dir() else folder).glob("*/*/infer_result.json")):
        one = _read(path)
        found.setdefault(one.scenario, {})[one.round] = one
    if not found:
        remedy = "Name a submission, or its folder that holds <scenario>/<round>/infer_result.json."
        raise ScenarioError("no published results here", where=str(folder), remedy=remedy)
    return found


def read_report(folder: Path) -> dict[str, float]:
    """The headline metrics of a submission's own ``report/report.json``, by our names; empty where there is none."""
    path = folder / "report" / "report.json"
    if not path.is_file():
        return {}
    source = read_json(path)
    try:
        summary = source.data["summary"]
        return {ours: float(summary[theirs]) for ours, theirs in HEADLINE.items() if theirs in summary}
    except (KeyError, TypeError, ValueError) as error:
        raise ScenarioError(f"not a published report: {error!r}", where=source.where()) from None


def _read(path: Path) -> RecordedRound:
    source = read_json(path)
    try:
        meta, answer = source.data["meta"], source.data["answer"]
        score: Mapping[str, Any] = source.data.get("inline_score") or {}
        log: Mapping[str, Any] = source.data.get("llm_log") or {}
        return RecordedRound(
            scenario=str(meta["test_id"]),
            round=str(meta["round_id"]),
            path=path,
            layout=str(meta.get("framework", "openclaw")),
            type=str(meta.get("question_type", "")),
            question=str(source.data.get("question", "")),
            text=str(answer.get("text") or ""),
            status=str(answer.get("status", "")),
            passed=bool(score["passed"]) if "passed" in score else None,
            selected=tuple(sorted(score["selected"])) if score.get("selected") else None,
            workspace=str(log.get("workspaceDir", "")),
            calls=_calls(log["messages"]) if isinstance(log.get("messages"), list) else None,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ScenarioError(f"not a published result: {error!r}", where=source.where()) from None


def _calls(messages: list[dict[str, Any]]) -> tuple[RecordedCall, ...]:
    results = {m.get("toolCallId"): m for m in messages if m.get("role") == "toolResult"}
    calls: list[RecordedCall] = []
    for message in messages:
        content = message.get("content")
        if message.get("role") != "assistant" or not isinstance(content, list):
            continue
        parts = (part for part in content if part.get("type") == "toolCall")
        calls.extend(_call(part, results.get(part.get("id"))) for part in parts)
    return tuple(calls)


def _call(part: Mapping[str, Any], result: Mapping[str, Any] | None) -> RecordedCall:
    arguments = part.get("arguments")
    output = None
    if result is not None:
        content = result.get("content") or []
        output = "\n".join(str(p.get("text", "")) for p in content if isinstance(p, dict) and p.get("type") == "text")
    return RecordedCall(
        name=str(part.get("name", "")),
        arguments=arguments if isinstance(arguments, dict) else {},
        failed=bool(result.get("isError")) if result is not None else False,
        output=output,
        refused=_refused(result),
    )


def _refused(result: Mapping[str, Any] | None) -> bool:
    """A command that ran has an exit status, also when it failed."""
    details = result.get("details") if result is not None else None
    return isinstance(details, dict) and details.get("status") == "error" and details.get("exitCode") is None
