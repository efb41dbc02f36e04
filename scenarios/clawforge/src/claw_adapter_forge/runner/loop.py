"""The bare loop (Algorithm 1): one command per step, H = 25, history full, summary or auto.

``done``, ``exit`` and ``quit`` are the runner's words and never reach the world. Stop rules: five identical commands in a row,
three messages in a row without a command. A conversation that is too long for the model is summed up, and more so if that is
not enough (compact fallbacks). A provider that fails is retried; if it stays down the trial counts as a provider failure, which
is reported apart and never as a wrong answer.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from claw_adapter.errors import EndpointError, EndpointFilteredError, EndpointTransientError
from claw_adapter_forge.evaluation.paper import paper_checks, paper_score
from claw_adapter_forge.evaluation.patterns import diagnose
from claw_adapter_forge.evaluation.reasons import near_misses
from claw_adapter_forge.runner.agents import STOP_WORDS, ContextOverflow, EpisodeAgent, Turn, command_of
from claw_adapter_forge.runner.episode import HORIZON, Episode
from claw_adapter_forge.runner.modes import LOCAL_MODES, Executor, executor
from claw_adapter_forge.runner.records import RunRecord, Step
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["HISTORIES", "LoopConfig", "record_of", "run_episode"]

HISTORIES = ("full", "summary", "auto")
MAX_REPEATS = 5
MAX_UNPARSABLE = 3
RULES = "Answer with exactly one command and nothing else. Answer `done` when the request is fulfilled."


@dataclass(frozen=True, slots=True)
class LoopConfig:
    """How an episode is run.

    `context` is the number of characters beyond which ``auto`` history is summed up; `keep` the turns that stay whole.
    A provider is tried `retries` times more, after `backoff` seconds, twice that, and so on. `isolation` is that of the real
    program in modes ``real`` and ``hybrid``.
    """

    mode: str = "multi"
    horizon: int = HORIZON
    history: str = "full"
    context: int = 60_000
    keep: int = 4
    retries: int = 2
    backoff: float = 0.0
    isolation: int = 2


@dataclass(slots=True)
class _Trial:
    """Counters of a trial in progress."""

    turns: list[Turn]
    retries: int = 0
    fallbacks: int = 0
    filtered: int = 0
    unparsable: int = 0
    failure: str = ""
    keep: int = 0
    """Turns that stay whole since the conversation was too long for the model; 0 if it never was."""
    commands: list[str] = field(default_factory=list)


def _shown(execution: Execution) -> str:
    return f"[exit {execution.output.code}]\n{execution.text}"


def _summed_up(turns: Sequence[Turn], keep: int) -> list[Turn]:
    """The first message, one that lists earlier commands with the first line of their output, and the last turns."""
    head, body = turns[0], list(turns[1:])
    old, recent = body[: -2 * keep], body[-2 * keep :]
    if not old:
        return list(turns)
    pairs = zip(old[::2], old[1::2], strict=False)
    lines = [f"$ {a.text}\n  {u.text.partition(chr(10))[2].partition(chr(10))[0]}" for a, u in pairs]
    return [head, Turn("user", "Earlier commands:\n" + "\n".join(lines)), *recent]


def _view(trial: _Trial, config: LoopConfig) -> list[Turn]:
    """What the agent is shown of the conversation."""
    if trial.keep:
        return _summed_up(trial.turns, trial.keep)
    if config.history == "full":
        return trial.turns
    if config.history == "summary":
        return _summed_up(trial.turns, config.keep)
    if sum(len(t.text) for t in trial.turns) <= config.context:
        return trial.turns
    trial.fallbacks += 1
    return _summed_up(trial.turns, config.keep)


def _ask(agent: EpisodeAgent, trial: _Trial, config: LoopConfig) -> str | None:
    """The agent's message, or None if its provider failed for good; the trial then says how."""
    attempts = 0
    while True:
        try:
            return agent.reply(_view(trial, config))
        except EndpointFilteredError:
            trial.filtered += 1
            return ""
        except ContextOverflow as error:
            if not _tightened(trial, config):
                trial.failure = _told(error)
                return None
        except EndpointTransientError as error:
            if attempts == config.retries:
                trial.failure = _told(error)
                return None
            time.sleep(config.backoff * 2**attempts)
            attempts += 1
            trial.retries += 1
        except EndpointError as error:
            trial.failure = _told(error)
            return None


def _told(error: EndpointError) -> str:
    """A failure as records keep it: whose it was, its kind, what happened."""
    return f"{error.owner}: {type(error).__name__}: {error.what}"


def _tightened(trial: _Trial, config: LoopConfig) -> bool:
    """Sum up from now on, or with half as many whole turns; False if one turn was too many already."""
    before = trial.keep or (config.keep if config.history == "summary" else 2 * config.keep)
    if before <= 1:
        return False
    trial.keep = before // 2
    trial.fallbacks += 1
    return True


def _stop_rule(trial: _Trial) -> str:
    if trial.unparsable >= MAX_UNPARSABLE:
        return "unparsable"
    last = trial.commands[-MAX_REPEATS:]
    return "repeats" if len(last) == MAX_REPEATS and len(set(last)) == 1 else ""


def _drive(agent: EpisodeAgent, episode: Episode, trial: _Trial, config: LoopConfig) -> str:
    """Run to the end and say how it ended."""
    while not episode.exhausted:
        message = _ask(agent, trial, config)
        if message is None:
            return "provider"
        command = command_of(message)
        if command.lower() in STOP_WORDS:
            return "stopped"
        trial.unparsable = 0 if command else trial.unparsable + 1
        if command:
            shown = _shown(episode.step(command))
            trial.commands.append(command)
        else:
            shown = "No command was given. " + RULES
        trial.turns += [Turn("assistant", command), Turn("user", shown)]
        rule = _stop_rule(trial)
        if rule:
            return rule
    return "budget"


@contextmanager
def _executor(task: ForgeTask, settings: LoopConfig) -> Iterator[Executor]:
    """What executes commands; in real and hybrid mode it has the real program in a folder of its own."""
    if settings.mode in LOCAL_MODES:
        yield executor(settings.mode)
        return
    from claw_adapter_forge.real import RealWorld

    with tempfile.TemporaryDirectory(prefix="forge-real-") as name:
        hybrid = settings.mode == "hybrid"
        with RealWorld(task.start, Path(name, "openclaw"), gateway=hybrid, isolation=settings.isolation) as real:
            yield real.execute


def run_episode(agent: EpisodeAgent, task: ForgeTask, config: LoopConfig | None = None, trial: int = 0) -> RunRecord:
    """Let an agent work on a task and judge what it left."""
    settings = config or LoopConfig()
    with _executor(task, settings) as execute:
        return _run(agent, Episode(task, settings.mode, settings.horizon, execute), settings, trial)


def _run(agent: EpisodeAgent, episode: Episode, settings: LoopConfig, trial: int) -> RunRecord:
    state = _Trial([Turn("user", episode.observation + "\n\n" + RULES)])
    ended = _drive(agent, episode, state, settings)
    impacted = ended != "provider" and bool(state.retries or state.fallbacks or state.filtered)
    return record_of(
        episode,
        agent.name,
        settings.mode,
        ended,
        trial,
        provider_failure=ended == "provider",
        provider_impacted=impacted,
        retries=state.retries,
        compact_fallbacks=state.fallbacks,
        failure=state.failure if ended == "provider" else "",
    )


def record_of(episode: Episode, agent: str, mode: str, ended: str, trial: int = 0, **more: object) -> RunRecord:
    """The record of a finished episode, whoever ran it; `more` are fields about provider and harness."""
    task, verdict = episode.task, episode.verdict()
    found = diagnose(task, episode.executions, verdict, ended)
    return RunRecord(
        agent=agent,
        mode=mode,
        task=task.id,
        family=task.meta.family,
        ability=task.meta.ability,
        style=task.meta.style,
        length=task.meta.length,
        trial=trial,
        ended=ended,
        strict=verdict.strict,
        progress=round(verdict.progress, 6),
        partial=round(episode.paper_score(), 6),
        null_partial=round(paper_score(paper_checks(task), task, ()), 6),
        steps=tuple(Step(e.line, e.output.code, tuple(c.line() for c in e.changes)) for e in episode.executions),
        missing=verdict.missing,
        reasons=tuple(line for miss in near_misses(task, verdict) for line in miss.lines()),
        violations=tuple(c.line() for c in verdict.violations),
        forbidden=verdict.forbidden,
        pattern=found.pattern,
        excess=found.excess,
        first_wrong=found.first_wrong,
        unread=found.unread,
        redundant_reads=round(found.redundant_reads, 4),
        instruction=task.instruction,
        **more,  # type: ignore[arg-type]  # fields that have a default, by name
    )
