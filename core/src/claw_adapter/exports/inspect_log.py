"""Inspect's log: a round is a sample, a seed with its repeat an epoch, a harness with overlays the solver. One log per row."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from claw_adapter.errors import ClawError
from claw_adapter.exporter import Exporter
from claw_adapter.exports.turns import AskedRound, RequestedCall, read_turns, tokens_of
from claw_adapter.protocol import TrialSpec
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.load import RunData, TrialData, load_run
from claw_adapter.runs.transcript import Exchange

__all__ = ["InspectExporter"]


class InspectExporter(Exporter):
    """``SOLVER-MODEL.eval``, written by Inspect itself: needs ``claw-adapter[inspect]``."""

    name: ClassVar[str] = "eval"

    def write(self, run: Path, out: Path) -> tuple[str, ...]:
        """Write a log for each harness (with overlays) under each model."""
        writer = _Writer(load_run(run))
        for (solver, model), trials in writer.rows().items():
            writer.log(solver, model, trials, out / f"{solver}-{model}.eval")
        return (
            "A sample is one round, with the messages that were new in it: earlier rounds are samples of their own.",
            "Failed requests, those of earlier attempts, and what overlays asked for themselves are left out.",
        )


class _Writer:
    def __init__(self, run: RunData) -> None:
        self.run = run
        self.logs, self.scorers = _module("inspect_ai.log"), _module("inspect_ai.scorer")
        self.models, self.tools = _module("inspect_ai.model"), _module("inspect_ai.tool")
        self.events = _module("inspect_ai.event")

    def rows(self) -> dict[tuple[str, str], list[TrialData]]:
        """The trials that have finished rounds, by what they are of."""
        found: dict[tuple[str, str], list[TrialData]] = {}
        for trial in self.run.trials:
            if trial.rounds:
                found.setdefault((_solver(trial.spec), trial.spec.model.name), []).append(trial)
        return found

    def log(self, solver: str, model: str, trials: Sequence[TrialData], path: Path) -> None:
        epochs = {key: number for number, key in enumerate(sorted({_epoch(trial) for trial in trials}), 1)}
        samples = [sample for trial in trials for sample in self.samples(trial, epochs[_epoch(trial)])]
        created = str(self.run.about.get("created", ""))
        scores = [one.scores["claw"].value for one in samples if one.scores]
        spec = self.logs.EvalSpec(
            created=created,
            task="+".join(dict.fromkeys(trial.spec.scenario for trial in trials))[:200],
            task_id=self.run.plan.digest,
            run_id=self.run.plan.digest,
            dataset=self.logs.EvalDataset(name="claw-adapter", samples=len({one.id for one in samples})),
            model=model,
            solver=solver,
            config=self.logs.EvalConfig(epochs=len(epochs)),
            packages={"claw-adapter": str(self.run.about.get("claw_adapter", ""))},
            metadata={"run": self.run.plan.digest, "scenarios": dict(self.run.plan.scenarios)},
        )
        results = self.logs.EvalResults(
            total_samples=len(samples),
            completed_samples=len(scores),
            scores=[
                self.logs.EvalScore(
                    name="claw",
                    scorer="claw",
                    scored_samples=len(scores),
                    unscored_samples=len(samples) - len(scores),
                    metrics={"mean": self.logs.EvalMetric(name="mean", value=sum(scores) / len(scores))}
                    if scores
                    else {},
                )
            ],
        )
        uses = [
            tokens_of(exchange)
            for trial in trials
            for turn in read_turns(self.run.root, trial)
            for exchange in turn.exchanges
        ]
        stats = self.logs.EvalStats(started_at=created, completed_at=created, model_usage={model: self.usage(uses)})
        status = "success" if all(trial.status == "finished" for trial in trials) else "error"
        log = self.logs.EvalLog(status=status, eval=spec, results=results, stats=stats, samples=samples)
        self.logs.write_eval_log(log, str(path))

    def samples(self, trial: TrialData, epoch: int) -> Iterator[Any]:
        for turn in read_turns(self.run.root, trial):
            record = turn.record
            cause = record.score.cause or record.error
            uses = [tokens_of(exchange) for exchange in turn.exchanges]
            score = record.score.value
            messages, events = self.conversation(turn, trial.spec.id)
            yield self.logs.EvalSample(
                id=f"{trial.spec.scenario}/{record.round}",
                epoch=epoch,
                uuid=f"{self.run.plan.digest}/{trial.spec.id}/{record.round}",
                input=record.prompt,
                target="",
                messages=messages,
                output=self.models.ModelOutput.from_content(trial.spec.model.name, record.text),
                scores={}
                if score is None
                else {
                    "claw": self.scorers.Score(
                        value=score,
                        answer=",".join(record.score.answer) if record.score.answer else None,
                        explanation=record.score.pattern or None,
                    )
                },
                metadata={
                    "trial": trial.spec.id, "scenario": trial.spec.scenario, "round": record.round, "index": record.index,
                    "type": record.type, "seed": trial.spec.seed, "repeat": trial.spec.repeat, "attempts": record.attempts,
                    "unscored_by": cause.owner.value if cause and score is None else None,
                },
                events=events,
                model_usage={trial.spec.model.name: self.usage(uses)},
                total_time=record.timing.total,
                working_time=record.timing.total,
            )  # fmt: skip

    def conversation(self, turn: AskedRound, trial: str) -> tuple[list[Any], list[Any]]:
        """The messages of a round, and an event for each request: Inspect's tables are made of the events.

        Earlier rounds of the trial, which a harness may send along, are samples of their own. No message's id is used twice.
        """
        messages = [self.models.ChatMessageUser(id=f"{trial}-{turn.record.round}-prompt", content=turn.record.prompt)]
        events = []
        for exchange, calls, told in zip(turn.exchanges, turn.calls, turn.told, strict=True):
            reply = self.reply(exchange, calls, trial)
            events.append(self.event(exchange, list(messages), reply))
            messages.append(reply)
            messages += [
                self.models.ChatMessageTool(
                    id=f"{trial}-{exchange.number}-{call.id}",
                    content=call.result,
                    tool_call_id=call.id,
                    function=call.name,
                )
                for call in calls
                if call.result is not None
            ]
            messages += [
                self.models.ChatMessageUser(id=f"{trial}-{exchange.number}-told-{place}", content=text)
                for place, text in enumerate(told)
            ]
        return messages, events

    def reply(self, exchange: Exchange, calls: Sequence[RequestedCall], trial: str) -> Any:
        content = (exchange.reply or {}).get("content")
        made = [self.tools.ToolCall(id=call.id, function=call.name, arguments=call.arguments) for call in calls]
        return self.models.ChatMessageAssistant(
            id=f"{trial}-{exchange.number}",
            content=content if isinstance(content, str) else "",
            tool_calls=made or None,
            model=exchange.asked,
        )

    def event(self, exchange: Exchange, before: list[Any], reply: Any) -> Any:
        stop = "tool_calls" if reply.tool_calls else "stop"
        output = self.models.ModelOutput(
            model=exchange.asked,
            choices=[self.models.ChatCompletionChoice(message=reply, stop_reason=stop)],
            usage=self.usage([tokens_of(exchange)]),
            time=exchange.seconds,
        )
        return self.events.ModelEvent(
            timestamp=exchange.at,
            model=exchange.asked,
            input=before,
            tools=[],
            tool_choice="auto",
            config=self.models.GenerateConfig(),
            output=output,
            working_start=0.0,
            working_time=exchange.seconds,
            metadata={"messages_sent": len(exchange.messages), "attempt": exchange.attempt},
        )

    def usage(self, uses: Sequence[TokenUse]) -> Any:
        total = sum(uses, TokenUse())
        return self.models.ModelUsage(
            input_tokens=total.input, output_tokens=total.output, total_tokens=total.input + total.output
        )


def _solver(spec: TrialSpec) -> str:
    return "+".join((spec.harness.label, *(overlay.label for overlay in spec.overlays)))


def _epoch(trial: TrialData) -> tuple[int, int]:
    return trial.spec.seed, trial.spec.repeat


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        remedy = "Install it: pip install 'claw-adapter[inspect]'"
        raise ClawError(f"{name} cannot be imported: {error}", remedy=remedy) from None
