"""`profile`: runs talk, windows, histories and faults on the ordinary runner, and reads figures from the runs."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

from claw_adapter.api.results import Run, open_run
from claw_adapter.api.running import run
from claw_adapter.audit.records import HarnessVerdict
from claw_adapter.endpoint.faults import USUAL_FAULTS
from claw_adapter.errors import ClawError, DeadlineExceeded, RunStopped
from claw_adapter.notation import parse_named, stacked
from claw_adapter.profile import figures
from claw_adapter.profile.body import body_of, certificate_of
from claw_adapter.profile.records import Figure, Profile
from claw_adapter.profile.requests import TalkRequests, counts
from claw_adapter.profile.talk import Talk, write_histories
from claw_adapter.protocol import Failure, ModelSpec, RoundRecord, TrialSpec
from claw_adapter.runner.results import Watcher

__all__ = ["PARTS", "WINDOWS", "Part", "profile"]

Part = Literal["reach", "histories", "faults"]
PARTS: Final[tuple[Part, ...]] = ("reach", "histories", "faults")
TURNS: Final = 31
"""So that thirty turns lie behind the last."""
WINDOWS: Final = (4_000, 16_000, 64_000)
"""Tokens beyond the entry price."""
HISTORIES: Final = (10, 100, 1_000)
DEADLINE: Final = 120.0
FAULT_DEADLINE: Final = 20.0
GIVE_UP: Final = 3
"""Turns in a row that fail."""
WORDS: Final = "M30"
"""What findings about earlier words of a conversation are called."""
MODEL: Final = "profile-model"


def profile(
    harness: str,
    out: Path,
    *,
    parts: Sequence[Part] = PARTS,
    repeats: int = 2,
    turns: int = TURNS,
    windows: Sequence[int] = WINDOWS,
    size: float = 1.0,
    isolation: int | None = None,
    jobs: int = 1,
) -> Profile:
    """Measure one harness; its runs stay in `out`, and the same call goes on where it was interrupted.

    Args:
        harness: as on the command line: ``NAME``, ``NAME:key=value``, ``NAME+OVERLAY``.
        out: a folder for its scenarios and runs.
        parts: what is measured beside prices, prefix and body: ``reach``, ``histories``, ``faults``.
        repeats: how often the talk without a window is held: what varies has its spread.
        turns: of the talk.
        windows: tokens beyond the entry price.
        size: how long the texts of a turn are; 1 is about 2,400 tokens.
        isolation: as for `claw_adapter.run`.
        jobs: trials at a time; more than one makes times worthless.

    Raises:
        ClawError: the harness is not there, or nothing at all could be measured.
    """
    measuring = _Measuring(harness, out, Talk(turns, size), isolation, jobs)
    return measuring.profile(parts, repeats, windows)


class _Measuring:
    def __init__(self, harness: str, out: Path, talk: Talk, isolation: int | None, jobs: int) -> None:
        self.harness, self.out, self.talk = harness, out, talk
        self.options: dict[str, Any] = {"jobs": jobs, "unchecked": True, "attempts": 1, "harnesses": [harness]}
        if isolation is not None:
            self.options["isolation"] = isolation
        self.notes: list[str] = []
        self.scenario = talk.write(out / "scenarios" / talk.scenario)

    def profile(self, parts: Sequence[Part], repeats: int, windows: Sequence[int]) -> Profile:
        """The figures, in the order of their groups."""
        plain = self._run("talk", self.scenario, models=[self._played()], repeats=repeats)
        trials = plain.data.trials
        talks = [TalkRequests(self.talk, figures.exchanges_of(plain.data, trial)) for trial in trials]
        talks = [talk for talk in talks if talk.main]
        if not talks:
            error = next((trial.end.error for trial in trials if trial.end and trial.end.error), None)
            raise ClawError(
                f"{self.harness} made no request: {error.what if error else 'see the run'}", where=str(plain.path)
            )
        failed = sum(record.error is not None for trial in trials for record in trial.rounds)
        if failed:
            self.notes.append(f"{failed} turns of the talk failed")
        found = [*figures.entry_of(talks), *figures.running_of(talks), *figures.cache_of(talks)]
        entry = int(median([talk.entry()["total"] for talk in talks]))
        if "reach" in parts:
            most = max(counts(one).input for talk in talks for one in talk.exchanges)
            found += self._reach(entry, windows, plain, most)
        if "histories" in parts:
            found += self._histories()
        if "faults" in parts:
            found += self._faults()
        found += body_of(trials, self._name())
        found += self._delivery(plain)
        start = next((trial.start for trial in trials if trial.start), None)
        return Profile(
            harness=self.harness,
            versions=start.versions if start else {},
            isolation=start.isolation.harness if start else None,
            turns=self.talk.turns,
            curve=talks[0].sent(),
            figures=tuple(found),
            notes=tuple(self.notes),
        )

    def _name(self) -> str:
        return stacked(parse_named(self.harness).name)[0]

    def _run(self, name: str, scenario: Path, **options: Any) -> Run:
        return run(str(scenario), out=self.out / name, **{"deadline": DEADLINE, **self.options, **options})

    def _played(self, name: str = MODEL, **more: Any) -> ModelSpec:
        return ModelSpec(name=name, kind="scripted", script=self.talk.script(), **more)

    def _reach(self, entry: int, windows: Sequence[int], plain: Run, most: int) -> Iterator[Figure]:
        """Every window, told and untold; `most` is the largest request of the talk without one."""
        own = len(TalkRequests(self.talk, figures.exchanges_of(plain.data, plain.data.trials[0])).own)
        audited: list[str] = []
        for more, told in itertools.product(windows, (True, False)):
            label = f"+{more // 1000}k {'told' if told else 'untold'}"
            if not told and most <= entry + more:  # it is the same talk
                reached = plain
            else:
                try:
                    reached = self._windowed(label, self._played(window=entry + more, tell_window=told))
                except (_GivenUp, RunStopped):
                    raise
                except ClawError as error:
                    self.notes.append(f"reach at {label}: {error.what}")
                    continue
            yield from figures.reach_of(reached.data, reached.data.trials[0], self.talk, label, own)
            if told and (verdict := self._audited(reached)) is not None:
                audited += [f"{label}: {one.key}" for one in verdict.findings if one.key.startswith(WORDS)]
        how = "what a request of a talk in a window that the harness was told should hold and does not, by no declared loss"
        text = ", ".join(dict.fromkeys(audited)) or "nothing lost that is not declared"
        yield Figure(group="delivery", name="losses found in windows told", value=len(audited), text=text, how=how)

    def _windowed(self, label: str, model: ModelSpec) -> Run:
        """A talk in a window, to its end or until several turns in a row have failed."""
        folder = label.replace("+", "reach-").replace(" ", "-")
        path = self.out / folder
        if (path / "run.json").is_file() and _failing(
            [record.error for record in open_run(path).data.trials[0].rounds]
        ):
            return open_run(path)
        failed: list[Failure | None] = []

        def look(_trial: TrialSpec, record: RoundRecord, _total: int) -> None:
            failed.append(record.error)
            if _failing(failed):
                raise _GivenUp("the turns fail")

        with contextlib.suppress(_GivenUp):
            return self._run(folder, self.scenario, models=[model], watcher=Watcher(on_round=look))
        return open_run(path)

    def _histories(self) -> Iterator[Figure]:
        folder = write_histories(self.out / "scenarios" / "histories", HISTORIES)
        reader = ModelSpec(name="reader", kind="reader", budget=60)
        yield from figures.histories_of(self._run("histories", folder, models=[reader]).data.trials)

    def _faults(self) -> Iterator[Figure]:
        """One talk of which every second turn fails in a way of its own."""
        talk = Talk(len(USUAL_FAULTS), self.talk.size / 10)
        folder = write_faults(talk, self.out / "scenarios" / "faults")
        names = dict(zip((turn.round for turn in talk), USUAL_FAULTS, strict=True))
        rules = [{"at": "every 1", "round": fault_round(kind), "kind": kind} for kind in USUAL_FAULTS]
        script = [{**item, "round": fault_round(names[item["round"]])} for item in talk.script()]
        model = ModelSpec(name=MODEL, kind="scripted", script=tuple(script), options={"faults": rules}, timeout=600)
        path = self.out / "faults"
        found = _ended(path) or self._run("faults", folder, models=[model], deadline=FAULT_DEADLINE)
        yield from figures.faults_of(found.data, found.data.trials[0], FAULT_DEADLINE)

    def _delivery(self, plain: Run) -> Iterator[Figure]:
        start = next((trial.start for trial in plain.data.trials if trial.start), None)
        declared = start.capabilities.losses if start and start.capabilities else ()
        text = "; ".join(str(loss) for loss in declared) or "none"
        yield Figure(group="delivery", name="losses declared", value=len(declared), text=text, how="by the adapter")
        yield certificate_of(self._name(), start.versions if start else {})
        if (verdict := self._audited(plain)) is None:
            return
        how = f"every request of the talk compared with what it had to be ({verdict.requests} requests); see claw audit"
        keys = ", ".join(dict.fromkeys(one.key for one in verdict.findings))
        text = f"{verdict.verdict}{f' ({keys})' if keys else ''}"
        yield Figure(group="delivery", name="losses found", value=len(verdict.findings), text=text, how=how)

    def _audited(self, run: Run) -> HarnessVerdict | None:
        try:
            return run.audit([str(self.scenario)]).harnesses[0]
        except ClawError as error:
            self.notes.append(f"audit: {error.what}")
            return None


class _GivenUp(RunStopped):
    """A talk is not held to its end."""


def _ended(path: Path) -> Run | None:
    """A run that is over or was given up: going on with it would try again what failed by the endpoint's fault."""
    if not (path / "run.json").is_file():
        return None
    found = open_run(path)
    over = all(trial.end is not None or _failing([one.error for one in trial.rounds]) for trial in found.data.trials)
    return found if over else None


def _failing(errors: Sequence[Failure | None]) -> bool:
    """Whether so many turns in a row have failed, or one has not come to its end, that the rest are taken to fail, too."""
    last = errors[-1] if errors else None
    if last is not None and last.kind == DeadlineExceeded.__name__:
        return True
    return len(errors) >= GIVE_UP and all(errors[-GIVE_UP:])


def fault_round(kind: str) -> str:
    """The round in which a fault of this kind is scheduled."""
    return kind.replace("_", "-")


def write_faults(talk: Talk, folder: Path) -> Path:
    """A talk whose rounds are named after faults; returns its folder."""
    import json

    talk.write(folder)
    for file, key in (("rounds.yaml", "id"), ("gold/answers.yaml", "")):
        path = folder / file
        data = json.loads(path.read_text("utf-8"))
        names = {turn.round: fault_round(kind) for turn, kind in zip(talk, USUAL_FAULTS, strict=True)}
        if key:
            data["rounds"] = [{**item, "id": names[item["id"]]} for item in data["rounds"]]
        else:
            data["rounds"] = {names[name]: item for name, item in data["rounds"].items()}
        path.write_text(json.dumps(data), "utf-8")
    return folder
