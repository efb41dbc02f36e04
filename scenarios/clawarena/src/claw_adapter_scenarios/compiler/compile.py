"""The compiler: a spec and a seed become a scenario/1, byte for byte the same every time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Fragment
from claw_adapter_scenarios.compiler.agentfiles import agent_files
from claw_adapter_scenarios.compiler.canon import Canon, draw_canon
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.emit import emit
from claw_adapter_scenarios.compiler.material import Material, Places, first_rounds, gather_documents
from claw_adapter_scenarios.compiler.questions import (
    CompiledRound,
    compile_preferences,
    compile_rounds,
    teaching_fragments,
)
from claw_adapter_scenarios.compiler.talk import gather_sessions
from claw_adapter_scenarios.spec.load import Spec

__all__ = ["build", "compile_spec"]


def compile_spec(spec: Spec, seed: int = 0) -> Compiled:
    """Compile one variant in memory.

    Raises:
        ScenarioError: with file and line in the spec.
    """
    spec = spec.at(seed)
    canon = draw_canon(spec, seed)
    _check_facts(spec, canon)
    material, starts = Material(), first_rounds(spec)
    material.files.update(agent_files(spec, canon))
    material.roles.update(dict.fromkeys(material.files, "agent"))
    places = Places(canon, starts)
    gather_documents(spec, canon, places, material)
    gather_sessions(spec, canon, places, material)
    rounds = compile_rounds(spec, canon, places, material)
    preferences = compile_preferences(spec, canon)
    taught = teaching_fragments(spec, preferences)
    made = Compiled(
        spec, canon, material, tuple(rounds), preferences, _fragments(spec, material, rounds, taught), starts
    )
    return Compiled(spec, canon, material, made.rounds, preferences, made.fragments, starts, emit(made))


def _check_facts(spec: Spec, canon: Canon) -> None:
    """Every fact has a value."""
    for name in spec.truth.facts:
        try:
            canon.value(name)
        except ScenarioError as error:
            where = spec.where("0-truth", "facts", name)
            raise ScenarioError(f"fact {name!r}: {error.what}", where=where, remedy=error.remedy) from None


def _fragments(
    spec: Spec, material: Material, rounds: list[CompiledRound], taught: Mapping[str, Fragment]
) -> dict[str, Fragment]:
    """The fragments that decide something, in order of their names."""
    named = {n for one in rounds for o in one.evidence.options.values() for g in (*o.supports, *o.refutes) for n in g}
    named |= {name for one in rounds for name in one.evidence.needs}
    found: dict[str, Fragment] = {name: fragment for name, fragment in taught.items() if name in named}
    for claim in material.claims:
        if claim.fragment in named and claim.fragment not in found:
            try:
                found[claim.fragment] = Fragment(where=claim.where, text=claim.text)
            except ValueError:
                raise ScenarioError(
                    f"the mark {claim.fragment!r} has too short a span: {claim.text!r}",
                    where=spec.find(claim.written, spec.where("0-truth")),
                    remedy="A span is one line of 12 characters or more.",
                ) from None
    return dict(sorted(found.items()))


def build(spec: Spec, out: Path, seed: int = 0) -> Path:
    """Compile a variant into the folder `out`/<id> and return it; the folder must not exist, or be an earlier build.

    Raises:
        ScenarioError: the spec cannot be compiled, or something else is there.
    """
    import shutil

    made = compile_spec(spec, seed)
    root = Path(out) / made.id
    if root.exists():
        if not (root / "scenario.yaml").is_file():
            raise ScenarioError(
                "something that is no scenario is there", where=str(root), remedy="Choose another --out."
            )
        shutil.rmtree(root)
    for path, content in made.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root
