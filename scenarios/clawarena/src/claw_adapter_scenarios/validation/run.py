"""The three passes, one after the other: a later pass runs when the earlier ones found no error."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter.scenario.problems import ScenarioProblems
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.realism.talk import shortfalls, talk
from claw_adapter_scenarios.spec.load import load_spec
from claw_adapter_scenarios.validation.control import control
from claw_adapter_scenarios.validation.rules import describe, spec_finding
from claw_adapter_scenarios.validation.second import second_edition
from claw_adapter_scenarios.validation.semantic import semantic
from claw_adapter_scenarios.validation.structural import structural
from claw_adapter_scenarios.validation.worlds import other_seeds

__all__ = ["validate_spec", "write_files"]

SEEDS = 3
"""How many other seeds the validator compiles to see whether the structure is kept."""


def validate_spec(root: Path, *, seeds: int = SEEDS) -> list[Finding]:
    """Everything that is wrong with a spec, sorted by rule and place. Findings of scenario/1 (SCN-…) come last.

    Args:
        root: the spec's folder.
        seeds: other seeds to compile.
    """
    try:
        spec = load_spec(root)
    except ScenarioError as error:
        problems = error.problems if isinstance(error, ScenarioProblems) else (error,)
        return [spec_finding("SPEC-001", describe(problem), problem.where) for problem in problems]
    if found := list(structural(spec)):
        return _sorted(found)
    try:
        made = compile_spec(spec)
    except ScenarioError as error:
        return [spec_finding("SPEC-002", describe(error), error.where or spec.where("0-truth"))]
    found = list(_meaning(made))
    if _errors(found):
        return _sorted(found)
    if spec.truth.switches:
        return _sorted(other_seeds(made, seeds, _in_world))  # seed 0 is one of its worlds
    found += other_seeds(made, seeds, _in_world)
    return _sorted(found if _errors(found) else [*found, *_core(made)])


def _in_world(made: Compiled) -> list[Finding]:
    """What is wrong with one variant of a spec with switches."""
    found = [*structural(made.spec), *_meaning(made)]
    return found if _errors(found) else [*found, *_core(made)]


def _meaning(made: Compiled) -> Iterator[Finding]:
    found = [*semantic(made), *control(made)]
    yield from found
    if made.spec.truth.edition > 1:
        undecided = any(one.id == "SPEC-039" for one in found)  # then nothing can be said of what statements rest on
        yield from (one for one in second_edition(made) if not (undecided and one.id == "SPEC-085"))


def _errors(found: list[Finding]) -> bool:
    return any(one.severity == "error" for one in found)


def _sorted(found: Iterable[Finding]) -> list[Finding]:
    return sorted(set(found), key=lambda one: (one.severity, one.id, one.where, one.message))


def write_files(made: Compiled, root: Path) -> Path:
    """Write a compiled variant into a folder."""
    for path, content in made.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def _core(made: Compiled) -> Iterator[Finding]:
    """What scenario/1 demands of the result."""
    from claw_adapter.scenario import findings, load_gold, load_scenario

    with tempfile.TemporaryDirectory(prefix="claw-spec-") as name:
        root = write_files(made, Path(name).resolve() / made.id)
        try:
            scenario = load_scenario(root)
            found = findings(scenario, load_gold(scenario))
        except ScenarioError as error:
            yield spec_finding("SPEC-002", f"the result cannot be loaded: {error.what}", made.spec.where("0-truth"))
            return
        for one in found:
            yield Finding(one.id, one.severity, one.message, _spec_place(made, one, root))
        if made.spec.truth.edition > 1:
            for shortfall in shortfalls(talk([scenario])[scenario.id]):
                yield spec_finding("SPEC-082", shortfall, made.spec.where("2-sessions", "channels"))


def _spec_place(made: Compiled, one: Finding, root: Path) -> str:
    """The place in the spec that a finding of scenario/1 comes from, as far as its message names one."""
    written = {claim.fragment: claim.written for claim in made.material.claims}
    for name, fragment in made.fragments.items():
        if one.message.startswith(f"fragment '{name}'"):
            return made.spec.find(written.get(name, ""), _place_of(made, fragment.where))
    for item in made.rounds:
        if f"'{item.spec.id}'" in one.message or one.message.startswith(f"{item.spec.id}/"):
            return made.spec.where("3-rounds", "rounds", item.index)
    return one.where.removeprefix(f"{root}/")


def _place_of(made: Compiled, where: str) -> str:
    kind, _, rest = where.partition("/")
    if kind == "workspace":
        for i, document in enumerate(made.spec.workspace.documents):
            if made.canon.render(document.path).text == rest:
                return made.spec.where("1-workspace", "documents", i)
    if kind == "session":
        for i, channel in enumerate(made.spec.sessions.channels):
            if channel.id == rest.partition("#")[0]:
                return made.spec.where("2-sessions", "channels", i)
    return made.spec.where("4-updates")
