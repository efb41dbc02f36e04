"""A run as ClawArena's submission folder: what its `score` and `report` read and write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from claw_adapter.errors import ClawError
from claw_adapter.exporter import Exporter
from claw_adapter.exports.turns import AskedRound, read_turns, tokens_of
from claw_adapter.protocol import RoundRecord, TrialSpec
from claw_adapter.questions.extract import extract_compat
from claw_adapter.runs.load import RunData, TrialData, load_run
from claw_adapter.runs.plan import slug
from claw_adapter.scoring.streaks import Streaks, composite_reliability

__all__ = ["SubmissionExporter", "of_test", "over_tests"]

TYPES: Final = ("multi_choice", "exec_check")
"""Types of rounds that ClawArena has."""


class SubmissionExporter(Exporter):
    """``submissions/PROVIDER_MODEL_FRAMEWORK/{infer,scoring,report}``, one for each harness, model, seed and repeat."""

    name: ClassVar[str] = "clawarena"

    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write all trials.

        Raises:
            ClawError: a round is of a type that ClawArena does not have.
        """
        data = load_run(run)
        _refuse_other(data)
        found: dict[str, list[_Test]] = {}
        for trial in data.trials:
            if trial.rounds:
                found.setdefault(_name(data, trial.spec), []).append(_Test(data, trial))
        notes: list[str] = []
        for name, tests in found.items():
            root = out / "submissions" / name
            for test in tests:
                test.write(root)
                notes += test.notes(name)
            _report(root, tests)
        return tuple(notes)


def _refuse_other(data: RunData) -> None:
    for trial in data.trials:
        other = next((record for record in trial.rounds if record.type not in TYPES), None)
        if other is not None:
            raise ClawError(
                f"round {other.round!r} of {trial.spec.scenario!r} is of type {other.type!r}, which ClawArena does not have",
                remedy="Export a run on converted published scenarios (`claw check DATA --convert DIR`).",
            )


def _name(data: RunData, spec: TrialSpec) -> str:
    framework = "-".join((spec.harness.label, *(overlay.label for overlay in spec.overlays)))
    provider = urlsplit(spec.model.base_url).hostname or spec.model.kind
    samples = {(trial.spec.seed, trial.spec.repeat) for trial in data.trials}
    variant = f"_s{spec.seed}-r{spec.repeat}" if len(samples) > 1 else ""
    return f"{slug(provider)}_{slug(spec.model.name)}_{slug(framework)}{variant}"


@dataclass(frozen=True, slots=True)
class _Test:
    """A trial, which is a test there."""

    data: RunData
    trial: TrialData

    @property
    def id(self) -> str:
        return self.trial.spec.scenario

    def write(self, root: Path) -> None:
        for turn in read_turns(self.data.root, self.trial):
            place = Path(self.id) / turn.record.round
            infer, score = _infer(self.trial.spec, turn), _score(self.trial.spec, turn.record)
            _json(root / "infer" / place / "infer_result.json", infer)
            _json(root / "scoring" / place / "scoring.json", score)

    def notes(self, name: str) -> list[str]:
        """What counts there otherwise than here."""
        found = []
        if absent := self.trial.total - len(self.trial.rounds):
            found.append(
                f"{name}: {absent} rounds of {self.id} are absent, and ClawArena does not count what is absent."
            )
        for record in self.trial.rounds:
            read, ours = extract_compat(record.text).letters if record.text else None, record.score.answer
            if record.type == "multi_choice" and record.score.value is not None and (read or ()) != (ours or ()):
                found.append(
                    f"{name}: in {self.id}/{record.round} ClawArena's `score` would read {_letters(read)}, where we read "
                    f"{_letters(ours)}: run with --compat clawarena-1.0 for its reading."
                )
        return found

    def rounds(self) -> list[dict[str, Any]]:
        """What the report there has of each round; tokens are those of its requests."""
        tokens = {
            turn.record.round: sum(use.input + use.output for use in map(tokens_of, turn.exchanges))
            for turn in read_turns(self.data.root, self.trial)
        }
        return [
            {
                "round_id": record.round,
                "type": record.type,
                "score": record.score.value or 0.0,
                "tokens": tokens.get(record.round, 0),
                "duration_ms": _duration(record),
            }
            for record in self.trial.rounds
        ]


def _meta(spec: TrialSpec, record: RoundRecord) -> dict[str, Any]:
    return {
        "framework": spec.harness.label,
        "test_id": spec.scenario,
        "round_id": record.round,
        "question_type": record.type,
        "agent_id": spec.scenario,
        "session_id": spec.id,
        "eval_question_path": f"data/clawarena/eval/{spec.scenario}/questions.json",
    }


def _infer(spec: TrialSpec, turn: AskedRound) -> dict[str, Any]:
    record = turn.record
    cause = record.score.cause or record.error
    made: dict[str, Any] = {
        "meta": _meta(spec, record),
        "question": record.prompt,
        "answer": {
            "status": "error" if record.error else "success",
            "text": "" if record.score.value is None else record.text,
            "error": f"{cause.owner.value}: {cause.what}" if cause and record.score.value is None else None,
        },
        "timing": {"duration_ms": _duration(record), "retry_count": record.attempts - 1},
        "llm_log": {"messages": _messages(turn)},
    }
    if record.type == "exec_check":
        made["inline_score"] = {"passed": record.score.value == 1}
    return made


def _messages(turn: AskedRound) -> list[dict[str, Any]]:
    """The prompt, and the replies with what each of them used."""
    found: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": turn.record.prompt}]}]
    for exchange, calls in zip(turn.exchanges, turn.calls, strict=True):
        content, use = (exchange.reply or {}).get("content"), tokens_of(exchange)
        parts: list[dict[str, Any]] = (
            [{"type": "text", "text": content}] if isinstance(content, str) and content else []
        )
        parts += [{"type": "toolCall", "id": one.id, "name": one.name, "arguments": one.arguments} for one in calls]
        usage = {"input": use.input, "output": use.output, "cacheRead": 0}
        found.append({"role": "assistant", "content": parts, "usage": usage, "model": exchange.asked})
        found += [
            {"role": "toolResult", "toolCallId": one.id, "content": [{"type": "text", "text": one.result}]}
            for one in calls
            if one.result is not None
        ]
    return found


def _score(spec: TrialSpec, record: RoundRecord) -> dict[str, Any]:
    meta = _meta(spec, record)
    return {
        "meta": {name: meta[name] for name in ("framework", "test_id", "round_id", "question_type")},
        "score": record.score.value or 0.0,
    }


def _report(root: Path, tests: Sequence[_Test]) -> None:
    """What `clawarena report` prints."""
    rows = [_row(test) for test in tests]
    by_type = {
        kind: [record.score.value or 0.0 for test in tests for record in test.trial.rounds if record.type == kind]
        for kind in TYPES
    }
    summary = {
        "total_tests": len(rows),
        "total_rounds": sum(row["rounds"] for row in rows),
        **over_tests(rows),
        "total_tokens": sum(row["tokens"] for row in rows),
        "total_duration_ms": sum(row["duration_ms"] for row in rows),
    }
    report = {
        "experiment_id": root.name,
        "framework": tests[0].trial.spec.harness.label,
        "generated_at": str(tests[0].data.about.get("created", "")),
        "summary": summary,
        "by_test": rows,
        "by_type": {
            kind: {"count": len(scores), "task_completion_rate": round(fmean(scores), 4)}
            for kind, scores in by_type.items()
            if scores
        },
    }
    _json(root / "report" / "report.json", report)
    lines = [f"# {root.name}", "", *(f"- {name}: {value}" for name, value in summary.items())]
    (root / "report" / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def of_test(scores: Sequence[float]) -> dict[str, Any]:
    """The figures of one test there, four decimals each: its robustness is the product of what was rounded."""
    streaks = Streaks.of(scores)
    tcr, sc, fd = round(streaks.tcr or 0.0, 4), round(streaks.sc, 4), round(streaks.fd, 4)
    runs = [(won, len(list(same))) for won, same in groupby(score == 1 for score in scores)]
    made: dict[str, Any] = {
        "task_completion_rate": tcr,
        "composite_reliability_score": round(composite_reliability(tcr, sc * fd), 4),
        "robustness": round(sc * fd, 4),
        "sc": sc,
        "fd": fd,
    }
    for kind, which in (("streak", True), ("failure_streak", False)):
        lengths = [length for won, length in runs if won is which]
        made |= {
            f"{kind}_lengths": lengths,
            f"num_{kind}s": len(lengths),
            f"max_{kind}_length": max(lengths, default=0),
        }
    return made


def over_tests(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The figures of all tests there: means of theirs, rounded again; CRS is computed from these, and not from robustness."""
    names = ("task_completion_rate", "sc", "fd", "robustness")
    tcr, sc, fd, robustness = (round(fmean(row[name] for row in rows), 4) for name in names)
    return {
        "task_completion_rate": tcr,
        "composite_reliability_score": round(composite_reliability(tcr, sc * fd), 4),
        "robustness": robustness,
        "avg_sc": sc,
        "avg_fd": fd,
    }


def _row(test: _Test) -> dict[str, Any]:
    rounds = test.rounds()
    return {
        "test_id": test.id,
        "rounds": len(rounds),
        **of_test([one["score"] for one in rounds]),
        "tokens": sum(one["tokens"] for one in rounds),
        "duration_ms": sum(one["duration_ms"] for one in rounds),
        "rounds_detail": rounds,
    }


def _duration(record: RoundRecord) -> int:
    return round(record.timing.total * 1000)


def _letters(found: Sequence[str] | None) -> str:
    return ",".join(found) if found else "nothing"


def _json(path: Path, value: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", errors="replace")
