"""Run folders of one-round scenarios that are judged by the state they leave. Loaded by path: tests are no package."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

from claw_adapter.protocol import HarnessSpec, ModelSpec, RoundTraits, Score, StateDetail, TrialSpec, Usage
from claw_adapter.protocol.journal import Metered
from claw_adapter.runs.load import load_run

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "report_runs.py")))

FAMILIES = ("inbox", "release", "repair")
STYLES = ("brief", "underspecified")
LENGTHS = (5, 6, 10)


def model(name):
    return ModelSpec(name=name, kind="scripted", options={"script": []})


def trial(number, name, repeat=1, harness="bare"):
    scenario = f"task-{number}"
    return TrialSpec(
        id=f"{scenario}--{harness}--{name}--r{repeat}",
        scenario=scenario,
        harness=HarnessSpec(name=harness, label=harness),
        model=model(name),
        repeat=repeat,
    )


def passed(number):
    return Score(value=1.0, detail=StateDetail(progress=1, partial=1, baseline=0.5, commands=5 + number % 3))


def stale(number):
    """Nothing right, with everything that can be noted."""
    return Score(
        value=0.0,
        pattern="stale-state",
        detail=StateDetail(
            progress=0.25,
            partial=0.75,
            baseline=0.5,
            commands=9,
            excess=True,
            missing=(f"a draft to ana about invoice {number}",),
            reasons=(f"draft {number}: the subject is 'Invoice', not 'Invoice {number}'",),
            violations=("calendar: event 3 was deleted",),
            forbidden=("mail 7 was sent",),
            first_wrong=2,
            unread=("mail 4",),
            bypasses=("web_search",),
        ),
    )


def unfinished(_):
    return Score(
        value=0.0,
        pattern="incomplete-closure",
        detail=StateDetail(progress=0.5, partial=0.8, baseline=0.5, commands=4, missing=("the ticket is closed",)),
    )


EVENTS = (
    {"kind": "tool_call", "id": "a", "name": "command", "arguments": {"command": "mail list"}, "at": 0.5},
    {"kind": "tool_result", "id": "a", "name": "command", "text": "7  ana  Invoice", "at": 0.75},
)
TYPE = "end-state"


def write(root, tasks, behaviours, repeats=1):
    """A run of `tasks` one-round scenarios.

    `behaviours` maps a model's name to a function of scenario number and repeat that gives a `Score`, a number of requests that
    the provider failed with it, or a failure.
    """
    specs = [trial(n, name, r) for n in range(tasks) for name in behaviours for r in range(1, repeats + 1)]
    runs = make.Runs(root, specs, {f"task-{n}": 1 for n in range(tasks)})
    for spec in specs:
        number = int(spec.scenario.removeprefix("task-"))
        score, failed = _given(behaviours[spec.model.name](number, spec.repeat))
        traits = RoundTraits(
            scenario={
                "family": (FAMILIES[number % len(FAMILIES)],),
                "style": (STYLES[number // 3 % 2],),
                "length": (str(LENGTHS[number % 3]),),
            }
        )
        record = runs.record(
            0,
            score.value,
            cause=score.cause,
            kind=TYPE,
            traits=traits,
            score=score,
            events=EVENTS,
            tool_calls=1,
            prompt=f"Answer the invoice {number}.",
            text="" if score.cause else "All done.",
            usage=Usage(metered=Metered(requests=4 + failed, failed=failed)),
        )
        runs.write(spec, [record])
    return load_run(root)


def _given(what):
    if isinstance(what, Score):
        return what, 0
    if isinstance(what, tuple):
        return what
    return Score(value=None, cause=what), 1


def several(root, tasks=51):
    """Three models: one right but where the provider failed it, one right in every third, one that does nothing well."""
    return write(
        root,
        tasks,
        {
            "policy:careful": lambda n, _: make.LATE if n == 4 else (passed(n), 2) if n == 5 else passed(n),
            "policy:hasty": lambda n, _: passed(n) if n % 3 == 0 else stale(n) if n % 3 == 1 else unfinished(n),
            "policy:half-finisher": lambda n, _: unfinished(n),
        },
    )
