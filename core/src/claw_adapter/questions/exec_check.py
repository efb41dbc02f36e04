"""Checked artefacts: a command of the scenario decides, in the sandbox, on a copy of the workspace."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from claw_adapter.errors import ClawError, SandboxError, ScenarioError
from claw_adapter.protocol import Check, CheckDetail, CheckFault, CheckRun, Gold, Round, Score, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter.questions.key import key_of, outcome_feedback, unscored
from claw_adapter.reading import parse_json

if TYPE_CHECKING:
    from claw_adapter.drivers.command import Completed

__all__ = ["ExecCheck", "decide_check", "substitute"]

PLACEHOLDER: Final = re.compile(r"\$\{([^}]+)\}")
SHOWN_CHARACTERS: Final = 2000
MOST_FAULTS: Final = 50


class ExecCheck(QuestionType):
    """Scores 1 if the command ends with the expected status and output, else 0 (also when it does not end in time)."""

    name: ClassVar[str] = "exec_check"
    needs_workspace: ClassVar[bool] = True

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        """Run the check; unscored with its cause if the sandbox cannot."""
        del turn
        key = key_of(item, context.gold)
        check = key.check
        try:
            if key.unscorable:
                raise ScenarioError(key.unscorable, where=f"round {item.id!r}")
            if check is None:
                raise ScenarioError(f"round {item.id!r} has no check", where=str(context.gold.root / "answers.yaml"))
            result = await decide_check(check, context)
        except ClawError as error:
            return unscored(error)
        return Score(value=float(result.passed), detail=CheckDetail(check=result))

    def feedback(self, item: Round, score: Score, gold: Gold) -> str:
        """The text of the outcome."""
        return outcome_feedback(item, score, gold)


def substitute(command: str, values: Mapping[str, str | Path]) -> str:
    """Replace ``${name}`` by its value, quoted for the shell; unknown names stay, for the shell to expand."""
    return PLACEHOLDER.sub(lambda m: shlex.quote(str(values[m[1]])) if m[1] in values else m[0], command)


async def decide_check(check: Check, context: ScoringContext) -> CheckRun:
    """Run a check on the workspace copy of `context`, with the scenario's check scripts readable.

    Raises:
        SandboxError: the isolation level cannot be provided, the command could not be run at all, or a module it may
            import is not installed here.
    """
    from claw_adapter.drivers.waiting import to_thread
    from claw_adapter.questions.programs import outputs_of
    from claw_adapter.questions.rules import found
    from claw_adapter.sandbox import IsolationLevel, own_places, run_check, with_bytecode

    missing: list[str] = []
    scripts, workspace = context.gold.checks.resolve(), context.workspace.resolve()
    level = IsolationLevel(context.isolation)
    copy = await to_thread(with_bytecode, scripts)
    own = scripts if copy is None else copy.path
    async with outputs_of(check, scripts, workspace, level, missing) as outputs:
        changed = outputs.with_name("changed.json")
        changed.write_text(json.dumps(None if context.changed is None else sorted(context.changed)), "utf-8")
        things = {"checks": own, "outputs": outputs, "changed": changed}
        places = own_places(things, level)
        done = await run_check(
            substitute(check.command, {"workspace": workspace, **places}),
            workspace=workspace,
            level=level,
            deadline=check.timeout,
            own=tuple((path, places[name]) for name, path in things.items() if path.exists()),
            missing=missing,
            modules=check.modules,
        )
    if missing:  # also where it passed: some checks are content with less where a module is missing
        names = ", ".join(missing)
        remedy = "Install it beside claw-adapter: scenarios with such checks say in their documents what brings it."
        raise SandboxError(f"the check needs a Python module that is not installed here: {names}", remedy=remedy)
    why = _fault(check, done)
    if not why and check.stdout_regex is not None:
        verdict = await found(check.stdout_regex, done.stdout.text, isolation=context.isolation)
        why = "" if verdict.passed else f"standard output: {verdict.why}"
    return CheckRun(
        why=why,
        level=context.isolation,
        exit=done.exit.code,
        signal=done.exit.signal,
        timed_out=done.timed_out,
        stdout=done.stdout.text[:SHOWN_CHARACTERS],
        stderr=done.stderr.text[:SHOWN_CHARACTERS],
        seconds=round(done.duration, 3),
        faults=tuple(_faults(done.stdout.text)),
    )


def _faults(text: str) -> Iterator[CheckFault]:
    """What a check says that it found: lines that are ``{"fault": {"file": …, "field": …, "kind": …, "why": …}}``."""
    lines = [line for line in text.splitlines() if line.startswith('{"fault"')]
    for line in lines[:MOST_FAULTS]:
        try:
            yield CheckFault.model_validate(parse_json(line)["fault"])
        except (ValueError, KeyError, TypeError):
            continue  # a line of another make


def _fault(check: Check, done: Completed) -> str:
    if done.over:
        return done.over
    if done.timed_out:
        return f"not finished within {check.timeout:g} s"
    if done.exit.code != check.exit:
        return f"{done.exit}, expected {check.exit}"
    if check.stdout is not None and check.stdout not in done.stdout.text:
        return f"standard output does not contain {check.stdout!r}"
    return ""
