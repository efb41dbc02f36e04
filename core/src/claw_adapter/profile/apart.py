"""What tells the harnesses of an ordinary run apart: the main lines of a profile, from the transcripts that it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from claw_adapter.profile.figures import cause_of, exchanges_of
from claw_adapter.profile.requests import Break, TrialRequests, breaks_of, prefix_of
from claw_adapter.runs.load import RunData, TrialData

__all__ = ["Apart", "apart_of", "sentences"]

HEAD = 60
"""Characters of a prompt by which its requests are known."""


@dataclass(frozen=True, slots=True)
class Apart:
    """The main lines of one harness of a run, summed over its trials.

    Attributes:
        label: of the harness, with its overlays and its model if there are several.
        answers: what it answered, by trial and round.
        entry: tokens of the first request before the prompt, by where they come from; the past that it was given among them.
        tools: how many tools that request offers.
        requests: all requests of its rounds.
        own: of these, those for itself.
        sent: tokens of all of them.
        kept: of these, tokens of prefixes that earlier requests had as well.
        breaks: where prefixes break.
    """

    label: str
    answers: dict[tuple[str, str], tuple[str, ...] | None]
    entry: dict[str, int]
    tools: int
    requests: int
    own: int
    sent: int
    kept: int
    breaks: tuple[Break, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """The lines of a table."""
        entry = self.entry
        yield "before the first prompt", f"{entry.get('total', 0):,} tokens"
        yield "… system prompt", f"{entry.get('system', 0):,}"
        yield "… tool definitions", f"{entry.get('tools', 0):,} ({self.tools} tools)"
        yield "… what was said before it", f"{entry.get('other', 0):,}"
        yield "requests", f"{self.requests:,}" + (f" ({self.own} for itself)" if self.own else "")
        yield "tokens sent", f"{self.sent:,}"
        yield "prefix kept", f"{self.kept / self.sent:.0%}" if self.sent else "–"
        yield "prefix breaks", cause_of(self.breaks)


def apart_of(run: RunData) -> list[Apart]:
    """The harnesses of a run, in its order; those without a request are left out."""
    models = {trial.spec.model.name for trial in run.trials}
    grouped: dict[str, list[TrialData]] = {}
    for trial in run.trials:
        label = "+".join([trial.spec.harness.label, *(overlay.label for overlay in trial.spec.overlays)])
        grouped.setdefault(f"{label} {trial.spec.model.name}" if len(models) > 1 else label, []).append(trial)
    return [found for label, trials in grouped.items() if (found := _apart(run, label, trials)) is not None]


def _apart(run: RunData, label: str, trials: Sequence[TrialData]) -> Apart | None:
    logs = []
    for trial in trials:
        heads = {record.round: record.prompt.strip()[:HEAD] for record in trial.rounds}
        exchanges = [one for one in exchanges_of(run, trial) if one.origin == "harness" and one.round in heads]
        logs.append(TrialRequests(heads, exchanges))
    every = [one for log in logs for one in log.exchanges]
    if not every:
        return None
    first = next((log for log in logs if log.main), None)
    kept, sent = prefix_of(every)
    return Apart(
        label=label,
        answers={
            (f"{trial.spec.scenario} {trial.spec.seed} {trial.spec.repeat}", record.round): record.score.answer
            for trial in trials
            for record in trial.rounds
        },
        entry=dict(first.entry()) if first else {},
        tools=len(first.main[0].tools) if first else 0,
        requests=len(every),
        own=sum(len(log.own) for log in logs),
        sent=sent,
        kept=kept,
        breaks=tuple(one for log in logs for one in breaks_of(log.main)),
    )


def sentences(found: Sequence[Apart]) -> Iterator[str]:
    """What each harness is beside the one that sent least: the answers, the tokens, and why."""
    if len(found) < 2:
        return
    least = min(found, key=lambda one: one.sent)
    for one in found:
        if one is least:
            continue
        both = [key for key in least.answers if key in one.answers]
        lettered = [key for key in both if least.answers[key] is not None or one.answers[key] is not None]
        same = sum(least.answers[key] == one.answers[key] for key in lettered)
        answers = (
            "the same answers" if same == len(lettered) else f"the same answer in {same} of {len(lettered)} rounds"
        )
        times = f"{one.sent / least.sent:.1f} times the tokens" if least.sent else ""
        yield f"{one.label}: {answers} as {least.label}, {times}. {_why(one, least)}"


def _why(one: Apart, least: Apart) -> str:
    """How much of the difference is the entry price, which every request pays anew, and how much is the rest."""
    more = one.sent - least.sent
    entry = one.entry.get("total", 0) * one.requests - least.entry.get("total", 0) * least.requests
    share = f"{entry / more:.0%} of the difference is" if more > 0 and entry > 0 else "It has"
    return (
        f"{share} what stands before the first prompt: {one.entry.get('total', 0):,} tokens in each of {one.requests} "
        f"requests, against {least.entry.get('total', 0):,} in {least.requests}."
    )
