"""Synthetic run folders for the report tests, made with the real journal and store. Loaded by path: tests are no package."""

from __future__ import annotations

import json
from pathlib import Path

from claw_adapter.errors import Owner
from claw_adapter.protocol import (
    Agreement,
    ChoiceDetail,
    Event,
    Failure,
    HarnessSpec,
    Isolation,
    ModelSpec,
    OverlaySpec,
    ReportedUsage,
    RoundRecord,
    Score,
    Timing,
    TrialEnd,
    TrialSpec,
    TrialStart,
    Usage,
)
from claw_adapter.protocol.answer_key import Seen
from claw_adapter.protocol.journal import Metered
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import Journal
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.store import Store
from claw_adapter.workspace.snapshot import Snapshotter

READER = ModelSpec(name="reader", kind="reader")
LATE = Failure(owner=Owner.ENDPOINT, kind="EndpointQuotaError", what="the budget is used up", remedy="Wait a day.")
CRASH = Failure(owner=Owner.HARNESS, kind="HarnessCrash", what="ended with signal 11", where="round r4")


def choice(v1=0.0, **options):
    """What a multi_choice round records: outcomes by letter."""
    return ChoiceDetail(statements=Agreement(iou=v1, precision=v1, recall=v1, f1=v1, v1=v1, options=options))


def spec(scenario, label, *, model=READER, seed=0, overlays=(), name="", settings=None):
    words = [scenario, "+".join([label, *overlays]), model.name, f"s{seed}"]
    more = {"settings": settings} if settings else {}
    return TrialSpec(
        id="--".join(word.replace("/", "-") for word in words),
        scenario=scenario,
        harness=HarnessSpec(name=name or label, label=label),
        model=model,
        overlays=tuple(OverlaySpec(name=overlay) for overlay in overlays),
        seed=seed,
        **more,
    )


class Runs:
    """One run folder under construction."""

    def __init__(self, root: Path, specs, rounds, *, versions=None):
        self.specs = list(specs)
        self.folder = RunFolder(root)
        digests = dict.fromkeys(rounds, "d" * 64)
        plan = Plan(trials=tuple(self.specs), scenarios=digests, rounds=rounds, versions=versions or {})
        with self.folder:
            self.folder.begin(plan)
        about = json.loads((root / "run.json").read_text("utf-8"))
        about |= {"digest": "0123456789abcdef", "created": "2026-01-02T03:04:05Z", "claw_adapter": "0.1.0"}
        (root / "run.json").write_text(json.dumps(about), "utf-8")
        self.store = Store(self.folder.store)
        self.snapshots = Snapshotter(self.store)
        self.work = root.parent / f"{root.name}-work"
        self.work.mkdir()

    @property
    def root(self):
        return self.folder.root

    def snapshot(self, **files):
        """The digest of a tree with these files (``__`` in a name stands for a dot)."""
        for path in self.work.iterdir():
            path.unlink()
        for name, text in files.items():
            (self.work / name.replace("__", ".")).write_text(text, "utf-8")
        return self.snapshots.take(self.work)

    def events(self, *events):
        return self.store.put_json([Event.model_validate(event).model_dump(mode="json") for event in events])

    def record(self, index, value, *, cause=None, kind="exec_check", events=(), **more):
        """A finished round; `value` None needs a `cause`."""
        detail = more.pop("detail", None)
        fields = {
            "index": index,
            "round": f"r{index + 1}",
            "type": kind,
            "prompt": f"Question {index + 1}",
            "text": "" if cause else f"Answer {index + 1}",
            "error": cause,
            "score": Score(value=value, cause=cause, detail=detail),
            "timing": Timing(total=0 if cause else 2.0 + index, own=0 if cause else 0.25),
            "overhead": 0.002,
            "events": self.events(*events),
            "snapshot": self.snapshot(note__md="x"),
            "checkpoint": None,
        }
        return RoundRecord(**(fields | more))

    def write(self, trial, records, *, end=True, start=None, **more):
        """The journal of one trial; `end` is True, False (interrupted) or the failure that ended it."""
        with Journal(self.folder.journal(trial.id)) as journal:
            journal.append(start or self.start(trial, **more))
            for record in records:
                journal.append(record)
            if end is not False:
                journal.append(TrialEnd(error=None if end is True else end))

    def start(self, trial, **more):
        fields = {
            "trial": trial.id,
            "scenario": trial.scenario,
            "scenario_digest": "d" * 64,
            "harness": trial.harness.label,
            "versions": {trial.harness.name: "1.2.3"},
            "model": trial.model.name,
            "overlays": tuple(overlay.name for overlay in trial.overlays),
            "seed": trial.seed,
            "isolation": Isolation(harness=2, check=2),
        }
        return TrialStart(**(fields | more))


def usage(rendered, sent, received, *, requests=2, reported=None, upstream=None):
    return Usage(
        rendered=rendered,
        reported=reported,
        metered=Metered(
            requests=requests,
            input=sent,
            output=received,
            upstream_input=upstream[0] if upstream else None,
            upstream_output=upstream[1] if upstream else None,
        ),
    )


def told(kind, sent, received, cached=0):
    return ReportedUsage(kind=kind, input=sent, output=received, cached=cached)


def seen(needed, found, **decided):
    return Seen(needed=tuple(needed), seen=tuple(found), decided=decided)


def small(root: Path) -> Runs:
    """Two harnesses, one scenario of five rounds: one finished, one failed in round 4, with an unscored round before."""
    left, right = spec("demo", "reference"), spec("demo", "nanobot", overlays=("metaclaw",))
    runs = Runs(root, [left, right], {"demo": 5})
    tools = [
        {"kind": "tool_call", "id": "a", "name": "read_file", "arguments": {"path": "notes/plan.md"}, "at": 0.5},
        {"kind": "tool_result", "id": "a", "name": "read_file", "text": "The budget is 40,000 euros.", "at": 0.75},
    ]
    runs.write(
        left,
        [
            runs.record(
                index,
                value,
                kind="multi_choice" if index % 2 else "exec_check",
                usage=usage(1000 + index, 3000, 40, reported=told("cumulative", 3000 * (index + 1), 40 * (index + 1))),
                evidence=seen(["f1", "f2"], ["f1", "f2"] if value else ["f1"], A="supported"),
                tool_calls=1,
                events=tools,
                feedback="Right." if value else "Wrong: the budget changed.",
                snapshot=runs.snapshot(note__md=f"line 1\nround {index}\n"),
                detail=choice(value, A="tp", B="fn"),
            )
            for index, value in enumerate([1.0, 1.0, 0.0, 0.5, 1.0])
        ],
        notes=("Sessions are native.",),
    )
    runs.write(
        right,
        [
            runs.record(0, 1.0, usage=usage(1500, 5000, 60, reported=told("last_request", 1480, 20))),
            runs.record(1, None, cause=LATE, kind="multi_choice", attempts=2, earlier_failures=(CRASH,)),
            runs.record(2, 0.0, usage=usage(1600, 6000, 70, reported=told("last_request", 1580, 20))),
        ],
        end=CRASH,
        notes=("Its memory file grows in the workspace.", "It has one session only."),
    )
    return runs
