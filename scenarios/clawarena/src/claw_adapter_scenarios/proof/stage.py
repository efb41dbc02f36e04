"""A compiled variant on disk and loaded again, with what every proof does with it."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claw_adapter.protocol import Gold, Scenario
from claw_adapter.questions.judge import decide as decide_rule
from claw_adapter.scenario import World, load_gold, load_scenario, worlds
from claw_adapter_scenarios.checker.run import check
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.proof.laid import LaidOut

__all__ = ["Stage", "staged"]

Files = Mapping[str, str]
Outputs = Sequence[Mapping[str, Any]]
"""What each run of the programs of a check did."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What proofs look at."""

    made: Compiled
    scenario: Scenario
    gold: Gold
    worlds: tuple[World, ...]
    laid: LaidOut
    printed: dict[tuple[str, ...], Outputs] = field(default_factory=dict)
    """What programs did, by their round and texts: a run takes a second, and most trials change another file."""

    def earlier(self, one: CompiledRound) -> dict[str, str]:
        """What an oracle has written before a round, as far as the scenario has nothing of its own there."""
        world = self.worlds[one.index].files
        done = [other.work.oracle for other in self.made.rounds[: one.index] if other.work is not None]
        return {path: text for oracle in done for path, text in oracle.items() if path not in world}

    def passes(self, one: CompiledRound, files: Files, *, hasty: bool = False) -> bool:
        """Whether files written into the world of a round, and the reply, pass its check and the preferences it examines."""
        answer = one.evidence.hasty_answer if hasty else one.evidence.answer
        with self.workspace(one, files) as folder:
            return self._decide(one, folder, answer, files)

    def _decide(self, one: CompiledRound, folder: Path, answer: str, written: Files) -> bool:
        assert one.work is not None  # noqa: S101 - only rounds with files come here
        return self._right(one, folder, written.keys()) and all(
            decide_rule(
                self.made.preferences[name].model_dump(exclude={"feedback", "rule", "dimension"}),
                answer,
                str(folder),
                written.keys(),
            )[0]
            for name in one.spec.exam
        )  # fmt: skip

    def _right(
        self, one: CompiledRound, folder: Path, written: Collection[str], expected: Mapping[str, Any] | None = None
    ) -> bool:
        """Whether the check passes, decided in this process."""
        assert one.work is not None  # noqa: S101 - only rounds with files come here
        return not check(folder, expected or one.work.expected, self._outputs(one, folder), written)

    def _asked_of(self, one: CompiledRound, files: Files) -> Mapping[str, Any]:
        """What a check expects, without the files that are as the oracle has them: those are right whatever the others are.

        A rule stays that looks for its file by a glob; all stay where one looks at another file, or at a program.
        """
        assert one.work is not None  # noqa: S101 - as above
        expected, oracle = one.work.expected, one.work.oracle
        if one.work.programs or any(
            "same_as" in field for r in expected["files"] for field in r.get("fields", {}).values()
        ):
            return expected
        rules = [
            rule
            for rule, path in zip(expected["files"], oracle, strict=True)
            if files.get(path) != oracle[path] or "find" in rule
        ]
        return {**expected, "files": rules} if rules else expected

    def _outputs(self, one: CompiledRound, folder: Path) -> Outputs:
        """What the programs of a check do, run once for each text of theirs; their inputs are those of the round."""
        assert one.work is not None  # noqa: S101 - as above
        if not one.work.programs:
            return ()
        paths = [folder / rule["path"] for rule in one.work.expected["files"] if rule["format"] == "python"]
        texts = (one.spec.id, *(path.read_text("utf-8", "surrogatepass") if path.is_file() else "" for path in paths))
        if texts not in self.printed:
            self.printed[texts] = asyncio.run(self._ran(one, folder))
        return self.printed[texts]

    async def _ran(self, one: CompiledRound, folder: Path) -> Outputs:
        from claw_adapter.questions.programs import outputs_of
        from claw_adapter.sandbox import IsolationLevel

        check = self.gold.answers.rounds[one.spec.id].check
        assert check is not None  # noqa: S101 - as above
        scripts = self.gold.checks.resolve()
        async with outputs_of(check, scripts, folder.resolve(), IsolationLevel(1), []) as outputs:
            done: Outputs = json.loads(outputs.read_text("utf-8"))
        return done

    @contextmanager
    def workspace(self, one: CompiledRound, files: Files) -> Iterator[Path]:
        """A folder with the world at a round and these files written over it; the next call makes another world of it."""
        folder = self.laid.show(self.worlds[one.index].files)
        for path, text in files.items():
            _write(folder / path, text.encode("utf-8", "surrogatepass"))
        yield folder

    @contextmanager
    def bench(self, one: CompiledRound) -> Iterator[Callable[[Files], bool]]:
        """Whether files pass the check, for many trials of a round: the world is laid out once, and put right after each."""
        base = self.worlds[one.index].files
        with self.workspace(one, {}) as folder:

            def passes(files: Files) -> bool:
                for path, text in files.items():
                    _write(folder / path, text.encode("utf-8", "surrogatepass"))
                try:
                    return self._right(one, folder, files.keys(), self._asked_of(one, files))
                finally:
                    for path in files:
                        (folder / path).unlink(missing_ok=True)
                        if path in base:
                            _write(folder / path, base[path])

            yield passes

    def text(self, one: CompiledRound) -> str:
        """Everything that can be read in the workspace at a round, as one text."""
        return "\n".join(content.decode("utf-8", "replace") for content in self.worlds[one.index].files.values())

    def commanded(self, one: CompiledRound, files: Files) -> bool:
        """The same by the check's own command, in the sandbox, as a run does it."""
        from claw_adapter.question import ScoringContext
        from claw_adapter.questions.exec_check import decide_check

        answer = self.gold.answers.rounds[one.spec.id]
        assert answer.check is not None  # noqa: S101 - as above
        with self.workspace(one, files) as folder:
            context = ScoringContext(gold=self.gold, workspace=folder, isolation=1, changed=frozenset(files))
            return asyncio.run(decide_check(answer.check, context)).passed


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@contextmanager
def staged(made: Compiled) -> Iterator[Stage]:
    """Write, load, and take away again."""
    from claw_adapter_scenarios.validation.run import write_files

    with tempfile.TemporaryDirectory(prefix="claw-proof-") as name:
        folder = Path(name).resolve()
        scenario = load_scenario(write_files(made, folder / "scenario"))
        yield Stage(made, scenario, load_gold(scenario), tuple(worlds(scenario)), LaidOut(folder / "world"))
